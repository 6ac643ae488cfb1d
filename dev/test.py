#!/usr/bin/env python3
"""Runs the tests of the whole tree in parallel and ends with the line 'N passed, N failed'.

Finds the tests by where they lie (tests/README.md says what each folder means); nothing is registered anywhere.
"""
import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "dev"))
sys.dont_write_bytecode = True

from testing import docs, grammar, kinds, process, tree, unit  # noqa: E402
from testing.report import Reporter, Result     # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./x test", description="Builds, then runs the tests whose name contains NAME.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="part of a test's name or path; several: any of them")
    parser.add_argument("--bless", action="store_true", help="rewrite .stderr and .golden files with what is printed now")
    parser.add_argument("--both", action="store_true", help="run programs at -O0 and at -O2 (always so when $CI is set)")
    parser.add_argument("--slow", nargs="?", type=int, const=20, default=0, metavar="N", help="show the N slowest tests")
    parser.add_argument("--list", action="store_true", help="only list the tests")
    parser.add_argument("--jobs", "-j", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--timeout", type=int, help="seconds a test may take (60; fifteen times that under a sanitizer)")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="build directory whose meteor is tested")
    return parser.parse_args()


def find_tests(setting, both):
    """(name, function without arguments that gives a Result) for every test that is a file."""
    def files(folder, pattern):
        return sorted((ROOT / folder).rglob(pattern))

    def name_of(path):
        relative = path.relative_to(ROOT).with_suffix("").as_posix()
        return relative.removeprefix("tests/")

    levels = [["-O0"], ["-O2"]] if both else [[]]
    for path in files("tests/run", "*.met") + files("std", "*_test.met"):
        for flags in levels:
            name = " ".join([name_of(path), *flags])
            yield name, lambda name=name, path=path, flags=flags: kinds.run_program(setting, name, path, flags)
    for path in sorted((ROOT / "tests/coincidences").glob("*.met")):
        yield name_of(path), lambda path=path: kinds.run_program(setting, name_of(path), path, [], more_env={"METEOR_TURN_NS": "65536"})
    for path in sorted((ROOT / "examples").glob("*.met")):
        for flags in levels:
            name = " ".join([name_of(path), *flags])
            yield name, lambda name=name, path=path, flags=flags: kinds.run_program(setting, name, path, flags, trailing_output=True)
    for path in files("tests/ui", "*.met"):
        yield name_of(path), lambda path=path: kinds.check_diagnostics(setting, name_of(path), path)
    for path in files("tests/stages", "*.met"):
        yield name_of(path), lambda path=path: kinds.check_dump(setting, name_of(path), path)
    for path in files("tests/format", "*.met"):
        yield name_of(path), lambda path=path: kinds.check_formatting(setting, name_of(path), path)
    for path in files("tests/tools", "*.sh"):
        yield name_of(path), lambda path=path: kinds.run_script(setting, name_of(path), path)
    for name, document, line, text in docs.find_blocks(ROOT):
        yield name, lambda name=name, document=document, line=line, text=text: docs.run_block(setting, name, document, line, text)
    yield "docs/reference/grammar", lambda: grammar.check(setting, "docs/reference/grammar")
    yield "tree/diagnostics_have_pages", lambda: Result("tree/diagnostics_have_pages", docs.check_error_pages(ROOT))
    for name, check in tree.checks(ROOT):
        yield name, lambda name=name, check=check: Result(name, check())


def wanted(name, filters):
    return not filters or any(text in name for text in filters)


def main():
    options = parse_arguments()
    build = options.build.resolve()
    sanitized = build.name in ("build-asan", "build-ubsan", "build-tsan")
    patience = 15 if sanitized else 1
    timeout = options.timeout or 60 * patience
    filters = [name.removeprefix("./").removeprefix("tests/").removesuffix(".met").removesuffix(".sh") for name in options.names]
    again = f"./x {build.name.removeprefix('build-')}" if sanitized else "./x test"

    with tempfile.TemporaryDirectory(prefix="meteor-test-cache-") as cache:
        setting = kinds.Setting(ROOT, build, Path(cache), timeout, patience, options.bless, [])
        if setting.meteor.exists():
            usage = process.run([setting.meteor, "help", "run"], ROOT, setting.env(), 10)
            setting.run_flags += [flag for flag in ("--leaks", "--check-facts") if flag in usage.stdout + usage.stderr]
        tests = [(name, test) for name, test in find_tests(setting, options.both or bool(os.environ.get("CI"))) if wanted(name, filters)]
        units = unit.list_cases(setting)
        if units is None:
            tests.append(("unit/list", lambda: Result("unit/list", ["unit_tests could not list its cases"])))
        units = [name for name in units or [] if wanted("unit/" + name, filters)]
        if options.list:
            print("\n".join(["unit/" + name for name in units] + [name for name, _ in tests]))
            return 0
        if not tests and not units:
            print(f"no test matches {' '.join(options.names) or 'anything'}")
            print("0 passed, 0 failed")
            return 1

        reporter = Reporter(len(tests) + len(units), again)

        def run_one(name, test):
            started = time.monotonic()
            try:
                result = test()
            except OSError as error:
                result = Result(name, [str(error)])
            result.seconds = time.monotonic() - started
            reporter.add(result)

        try:
            with ThreadPoolExecutor(options.jobs) as pool:
                shards = [units[index::options.jobs] for index in range(options.jobs)]
                jobs = [pool.submit(unit.run_cases, setting, shard, reporter.add) for shard in shards if shard]
                jobs += [pool.submit(run_one, name, test) for name, test in tests]
                for job in jobs:
                    job.result()
        finally:
            setting.postgres.stop()
        return reporter.finish(options.slow)


if __name__ == "__main__":
    sys.exit(main())
