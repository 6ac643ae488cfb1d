#!/usr/bin/env python3
"""Looks for inputs that break the compiler: './x fuzz [TARGET…] [--seconds N]'.

parse, format and check are libFuzzer targets (fuzz/), started from the programs of the tree and from fuzz/corpus. programs builds random well-typed
programs at -O0 and -O2 and compares what they print, every other one also with what the same program in Python prints; async does the same with random async programs, and with --async=naive; isolates builds random programs over several isolates, which must print what their generator has computed;
crossings lets what the compiler has proven of values that leave their isolate be checked when they do.
nests puts timeouts, races, selects and scopes around an operation whose event and deadlines fall together, and counts what went in and came out.
safe builds many small scenarios aimed at what safe code promises, with checked facts, at -O0 and -O2; what it finds is made small. --only picks families of them, --asan and --tsan a
sanitizer, --programs how many files.
http_head and json are libFuzzer targets for what the runtime reads from strangers. 'isolates --tsan --programs 1000' runs that many under the thread sanitizer,
with the leak check: each must print what it should, end, leave nothing behind, and not be reported. What is found is kept in build-fuzz/findings and shown with the command that repeats it.
"""
import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "dev"))
sys.dont_write_bytecode = True

from fuzzing import crossings, isolates, nests, safe, safe_run   # noqa: E402
from fuzzing.programs import make_program   # noqa: E402
from fuzzing.python_twins import make_twins # noqa: E402
from testing.process import run             # noqa: E402

BUILD = ROOT / "build-fuzz"
FINDINGS = BUILD / "findings"
TARGETS = ["parse", "format", "check", "http_head", "json", "programs", "async", "isolates", "crossings", "nests", "safe"]
OF_THE_RUNTIME = {"http_head", "json"}   # their inputs are no programs
STACK_BYTES = 512 << 20   # as much as the compiler's own thread has
LONGEST_INPUT = 4000


def write_dictionary(path):
    words = set()
    for line in (ROOT / "compiler/tokens/tokens.def").read_text().split("\n"):
        if line.startswith(("KEYWORD(", "SYMBOL(")):
            words.add(line.split('"')[1].replace("\\", ""))
    words |= {"self", "int", "str", "list<", "print", "default", "select", "scope", "shield", "assert", "del", "type", "local", "func<", "    ", "f'{", "r'", "b'", "1.5", "20ms"}
    path.write_text("".join('"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"\n' for word in sorted(words)))


def collect_seeds(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for index, source in enumerate(sorted([*(ROOT / "tests").rglob("*.met"), *(ROOT / "examples").rglob("*.met"), *(ROOT / "std").rglob("*.met")])):
        data = source.read_bytes()
        if len(data) <= LONGEST_INPUT:
            (folder / f"{index:04}.met").write_bytes(data)


def fuzz_target(name, seconds):
    with tempfile.TemporaryDirectory(prefix="meteor-fuzz-") as scratch:
        scratch = Path(scratch)
        is_program = name not in OF_THE_RUNTIME
        if is_program:
            write_dictionary(scratch / "words.dict")
            collect_seeds(scratch / "seeds")
        FINDINGS.mkdir(parents=True, exist_ok=True)
        grown = BUILD / "corpus" / name
        grown.mkdir(parents=True, exist_ok=True)
        kept = ROOT / "fuzz" / "corpus" / name
        binary = BUILD / "bin" / f"fuzz_{name}"
        before = set(FINDINGS.iterdir())
        command = [binary, f"-max_total_time={seconds}", *([f"-dict={scratch}/words.dict"] if is_program else []), f"-artifact_prefix={FINDINGS}/{name}-", f"-max_len={LONGEST_INPUT}",
                   "-timeout=25", "-rss_limit_mb=3000", "-print_final_stats=1", "-verbosity=1", grown, *([scratch / "seeds"] if is_program else []), *([kept] if kept.is_dir() else [])]
        env = os.environ | {"ASAN_OPTIONS": "detect_leaks=0:detect_container_overflow=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
        started = time.monotonic()
        log = scratch / "log"
        with log.open("w") as out:
            process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=out, cwd=scratch, env=env,
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (STACK_BYTES, STACK_BYTES)))
            code = process.wait()
        spent = time.monotonic() - started
        text = log.read_text(errors="replace")
        stats = [line for line in text.split("\n") if line.startswith("stat::number_of_executed_units")]
        print(f"{name}: {spent:.0f} s, {stats[0].split(':')[-1].strip() if stats else '?'} inputs", flush=True)
        found = sorted(set(FINDINGS.iterdir()) - before)
        if code != 0:
            print("\n".join(text.split("\n")[-60:]))
            for path in found:
                print(f"  again: (ulimit -s unlimited; {binary} {path})")
        return code == 0


def make_async_program(seed):
    return subprocess.run([sys.executable, ROOT / "tests/tools/make_async_program.py", str(seed)], check=True, capture_output=True, text=True).stdout


def make_plain_program(seed): return make_twins(seed)[0] if seed % 2 else make_program(seed)


def python_prints(seed):
    """What the program of this seed prints in Python; None: it has no twin."""
    if seed % 2 == 0:
        return None
    return subprocess.run([sys.executable, "-"], input=make_twins(seed)[1], check=True, capture_output=True, text=True).stdout


# What makes a program of a seed, and the ways to build it that must agree.
RANDOM = {"programs": (make_plain_program, [["-O0"], ["-O2"]]), "async": (make_async_program, [["-O0"], ["-O2"], ["-O2", "--async=naive"]]),
          "isolates": (lambda seed: isolates.make_program(seed)[0], [["-O0"], ["-O2"]]), "crossings": (lambda seed: crossings.make_program(seed, 6), [["-O0"], ["-O2"]])}


def compare_levels(make, ways, seed, folder, meteor):
    """None, or what is wrong with the program of this seed."""
    path = folder / "program.met"
    path.write_text(make(seed))
    env = os.environ | {"METEOR_CACHE_DIR": str(folder / "cache")}
    outcomes = [run([meteor, "run", *way, path.name], folder, env, 60) for way in ways]
    shutil.rmtree(folder / "cache", ignore_errors=True)
    for way, outcome in zip(ways, outcomes):
        if outcome.crashed or outcome.exit_code not in (0, 1):
            return f"{' '.join(way)}: {outcome.describe_exit()}\n{outcome.stderr[:2000]}"
        if outcome.stdout != outcomes[0].stdout or outcome.exit_code != outcomes[0].exit_code:
            return f"{' '.join(ways[0])} and {' '.join(way)} differ"
    expected = python_prints(seed) if make is make_plain_program else None
    if expected is not None and outcomes[0].stdout != expected:
        return f"Python prints something else, or it does not compile:\n{outcomes[0].stderr[:2000]}"
    if make is RANDOM["isolates"][0] and outcomes[0].stdout != isolates.make_program(seed)[1]:
        return "it does not print what it should"
    return None


def fuzz_programs(name, seconds, seed):
    make, ways = RANDOM[name]
    meteor = ROOT / "build" / "bin" / "meteor"
    deadline = time.monotonic() + seconds
    count, failures = 0, 0
    with tempfile.TemporaryDirectory(prefix="meteor-fuzz-") as scratch:
        while time.monotonic() < deadline and failures < 10:
            problem = compare_levels(make, ways, seed + count, Path(scratch), meteor)
            if problem:
                failures += 1
                FINDINGS.mkdir(parents=True, exist_ok=True)
                path = FINDINGS / f"{name}-{seed + count}.met"
                path.write_text(make(seed + count))
                print(f"{path}: {problem}", flush=True)
            count += 1
    print(f"{name}: {seconds} s, {count} programs from seed {seed}", flush=True)
    return failures == 0


PROGRAMS_AT_ONCE = 20   # in one translation
LONGEST_RUN_S = 120


def watch_isolates(first, count):
    """Programs over several isolates under the thread sanitizer, as many as `count`, in batches that are translated together, alternately at -O0 and -O2."""
    meteor = ROOT / "build-tsan" / "bin" / "meteor"
    failures, done = [], 0
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="meteor-fuzz-") as scratch, ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        scratch = Path(scratch)
        env = os.environ | {"METEOR_CACHE_DIR": str(scratch / "cache"), "METEOR_BLOCK_WARN": "0", "NO_COLOR": "1"}
        env["TSAN_OPTIONS"] = (os.environ.get("TSAN_OPTIONS", "") + ":exitcode=99").lstrip(":")
        for number, at in enumerate(range(first, first + count, PROGRAMS_AT_ONCE)):
            seeds = range(at, min(at + PROGRAMS_AT_ONCE, first + count))
            path = scratch / f"from_{at}.met"
            text, expected = isolates.make_programs(seeds)
            path.write_text(text)
            command = [meteor, "run", "--leaks", "-O2" if number % 2 else "-O0", path.name]
            run([*command, "none"], scratch, env, 10 * LONGEST_RUN_S)   # translates it
            outcomes = pool.map(lambda seed: run([*command, str(seed)], scratch, env, LONGEST_RUN_S), seeds)
            for seed, wanted, outcome in zip(seeds, expected, outcomes):
                done += 1
                if outcome.crashed or outcome.exit_code != 0 or outcome.stderr or outcome.stdout != wanted:
                    failures.append(seed)
                    FINDINGS.mkdir(parents=True, exist_ok=True)
                    kept = FINDINGS / f"isolates-{at}.met"
                    kept.write_text(text)
                    what = "" if outcome.stdout == wanted else f"printed {outcome.stdout!r} instead of {wanted!r}\n"
                    print(f"{meteor} run {' '.join(command[2:4])} {kept} {seed}: {outcome.describe_exit()}\n{what}{outcome.stderr[:6000]}", flush=True)
            shutil.rmtree(scratch / "cache", ignore_errors=True)
            print(f"isolates: {done} of {count} programs, {len(failures)} failed, {time.monotonic() - started:.0f} s", flush=True)
    return not failures


def fuzz_safe(options, seed):
    build = ROOT / ("build-tsan" if options.tsan else "build-asan" if options.asan else "build")
    build = options.build or build
    patience = 10 if build.name in ("build-tsan", "build-asan", "build-ubsan") else 1
    families = options.only.split(",")
    return safe_run.fuzz_safe(build / "bin" / "meteor", FINDINGS, seed % (1 << 30), families, options.programs, options.seconds, options.scenarios, options.jobs, patience, not options.plain)


def fuzz_one(name, options, seed):
    if name == "safe": return fuzz_safe(options, seed)
    if name == "nests": return nests.fuzz(ROOT / "build" / "bin" / "meteor", FINDINGS, options.seconds, seed)
    return fuzz_programs(name, options.seconds, seed) if name in RANDOM else fuzz_target(name, options.seconds)


def main():
    parser = argparse.ArgumentParser(prog="./x fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS) + "; all without")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (60)")
    parser.add_argument("--seed", type=int, help="of the first random program")
    parser.add_argument("--tsan", action="store_true", help="isolates, safe: under the thread sanitizer, with the leak check")
    parser.add_argument("--asan", action="store_true", help="safe: under the address and undefined behaviour sanitizers")
    parser.add_argument("--programs", type=int, default=100, help="isolates --tsan: how many; safe: how many files (100)")
    parser.add_argument("--scenarios", type=int, default=30, help="safe: how many in one file (30)")
    parser.add_argument("--only", default=",".join(safe.FAMILIES), help=f"safe: families of scenarios ({','.join(safe.FAMILIES)})")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="safe: files at once")
    parser.add_argument("--build", type=Path, help="safe: the build directory whose meteor is used")
    parser.add_argument("--plain", action="store_true", help="safe: what is found is not made smaller")
    options = parser.parse_args()
    if (options.tsan or options.asan) and options.targets not in (["isolates"], ["safe"]):
        parser.error("--tsan is for isolates or safe alone, --asan for safe")
    for name in options.targets:
        if name not in TARGETS:
            parser.error(f"there is no target '{name}'; there is: {', '.join(TARGETS)}")
    seed = options.seed if options.seed is not None else random.randrange(1 << 40)
    if options.targets == ["safe"]:
        return 0 if fuzz_safe(options, seed) else 1
    if options.tsan:
        return 0 if watch_isolates(seed, options.programs) else 1
    results = [fuzz_one(name, options, seed) for name in options.targets or TARGETS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
