#!/usr/bin/env python3
"""How long the tool itself takes: `meteor run` of a program it has never seen, the same again, and `meteor check`.

Bars: hello takes at most 60 ms the first time and 10 ms after. Best and median of several runs, since other work on the machine only ever adds time.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

METEOR = os.environ["METEOR"]
ROOT = Path(os.environ["METEOR_ROOT"])
HELLO = Path(__file__).with_name("hello.met")
BARS_MS = {"hello, first run": 60, "hello, cached run": 10}


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
    print(f"{'':20} {'best':>8} {'median':>8} {'bar':>8}")
    for name, times in rows:
        bar = BARS_MS.get(name)
        late = bar is not None and min(times) > bar
        failed |= late
        print(f"{name:20} {min(times):5.1f} ms {statistics.median(times):5.1f} ms" + (f" {bar:5} ms{'  missed' if late else ''}" if bar else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
