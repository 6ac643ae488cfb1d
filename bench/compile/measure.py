#!/usr/bin/env python3
"""How long the tool itself takes: `meteor run` of a program it has never seen, the same again, `meteor check`, and building a program of
10,000 lines, beside other compilers on programs of the same shape (generate.py).

Bars: see BARS_MS. Best and median of several runs, since other work on the machine only ever adds time; the long ones run once or twice.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import generate

METEOR = os.environ["METEOR"]
ROOT = Path(os.environ["METEOR_ROOT"])
HELLO = Path(__file__).with_name("hello.met")
BARS_MS = {"hello, first run": 60, "hello, cached run": 10, "10,000 lines, check": 300, "10,000 lines, build": 12000,
           "10,000 lines, build --debug": 2000, "10,000 lines, build again": 20}
HELLO_BYTES = 1_000_000
LINES = 10_000


def elapsed_ms(arguments, env):
    started = time.perf_counter()
    done = subprocess.run([METEOR, *arguments], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    taken = (time.perf_counter() - started) * 1000
    if done.returncode != 0:
        sys.exit(f"meteor {' '.join(map(str, arguments))} failed with exit code {done.returncode}:\n{done.stderr.decode(errors='replace')}")
    return taken


def measure(arguments, rounds, cold):
    """Times of `rounds` runs; each starts with an empty cache when cold."""
    times = []
    cache = tempfile.mkdtemp(prefix="meteor-bench-")
    env = os.environ | {"METEOR_CACHE_DIR": cache}
    try:
        elapsed_ms(arguments, env)      # brings the files into memory
        for _ in range(rounds):
            if cold:
                shutil.rmtree(cache)
                os.mkdir(cache)
            times.append(elapsed_ms(arguments, env))
    finally:
        shutil.rmtree(cache, ignore_errors=True)
    return times


def others(folder):
    """(name, times) of the compilers that are here, on the same program in their language."""
    places = os.pathsep.join([os.environ.get("PATH", ""), str(Path.home() / ".cargo" / "bin"), "/usr/local/go/bin"])
    for name, tool, arguments in [
        ("10,000 lines, go build", "go", ["build", "-o", folder / "go", folder / "program.go"]),
        ("10,000 lines, rustc -O", "rustc", ["-O", "--edition=2021", "-o", folder / "rust", folder / "program.rs"]),
        ("10,000 lines, clang++ -O2", "clang++-19", ["-O2", "-std=c++20", "-o", folder / "cpp", folder / "program.cpp"]),
    ]:
        path = shutil.which(tool, path=places)
        if not path:
            continue
        started = time.perf_counter()
        done = subprocess.run([path, *arguments], capture_output=True, env=os.environ | {"GO111MODULE": "off"})
        if done.returncode == 0:
            yield name, [(time.perf_counter() - started) * 1000]


def generated(folder):
    for ending, text in generate.programs(LINES).items():
        (folder / f"program.{ending}").write_text(text)
    source, built = folder / "program.met", folder / "met"
    yield "10,000 lines, check", measure(["check", source], 5, cold=False)
    yield "10,000 lines, build --debug", measure(["build", "--debug", source, "-o", built], 2, cold=True)
    yield "10,000 lines, build", measure(["build", source, "-o", built], 1, cold=True)
    yield "10,000 lines, build again", measure(["build", source, "-o", built], 10, cold=False)
    yield from others(folder)


def hello_bytes(folder):
    subprocess.run([METEOR, "build", HELLO, "-o", folder / "hello"], check=True)
    subprocess.run(["strip", folder / "hello"], check=True)
    return (folder / "hello").stat().st_size


def main():
    tour = ROOT / "examples" / "tour.met"
    built = Path(tempfile.gettempdir()) / f"meteor-bench-{os.getpid()}"
    rows = [
        ("hello, first run", measure(["run", HELLO], 15, cold=True)),
        ("hello, cached run", measure(["run", HELLO], 30, cold=False)),
        ("hello, check", measure(["check", HELLO], 15, cold=False)),
        ("hello, build", measure(["build", HELLO, "-o", built], 10, cold=True)),
        ("tour, first run", measure(["run", tour], 10, cold=True)),
        ("tour, check", measure(["check", tour], 10, cold=False)),
    ]
    built.unlink(missing_ok=True)
    failed = False

    def show(name, times):
        nonlocal failed
        bar = BARS_MS.get(name)
        late = bar is not None and min(times) > bar
        failed |= late
        print(f"{name:28} {min(times):8.1f} ms {statistics.median(times):8.1f} ms" + (f" {bar:6} ms{'  missed' if late else ''}" if bar else ""), flush=True)

    print(f"{'':28} {'best':>11} {'median':>11} {'bar':>9}")
    for name, times in rows:
        show(name, times)
    with tempfile.TemporaryDirectory(prefix="meteor-bench-") as temporary:
        for name, times in generated(Path(temporary)):
            show(name, times)
        size = hello_bytes(Path(temporary))
    failed |= size > HELLO_BYTES
    print(f"{'hello, stripped':28} {size:8} bytes{HELLO_BYTES:17} bytes{'  missed' if size > HELLO_BYTES else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
