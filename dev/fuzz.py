#!/usr/bin/env python3
"""Mutates the programs of tests/ and examples/ and looks for inputs that crash or hang `meteor check`.

'./x fuzz [SECONDS] [SEED]'. An input that does is kept in build-asan/fuzz/ and shown with the command that repeats it.
"""
import os
import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "dev"))
sys.dont_write_bytecode = True

from testing.kinds import Setting   # noqa: E402
from testing.process import run     # noqa: E402

TOKENS = (b"( ) [ ] { } < > : , . -> = == + - * ** ? ?. ?? ! @ .. if else for in def class enum struct trait impl switch case return raise try catch "
          b"finally with as is not and or yield await owned ref weak null true 0 1 9223372036854775807 1.5 \"s\" f\"{x}\" x self int str list<int> T? # \n \t").split(b" ")
HANG_SECONDS = 20


def mutate(pick, corpus):
    data = bytearray(pick.choice(corpus))
    for _ in range(pick.choice([1, 1, 2, 4, 16])):
        at = pick.randrange(len(data) + 1)
        kind = pick.randrange(7)
        if kind == 0:
            data[at:at] = b" " + pick.choice(TOKENS) + b" "
        elif kind == 1:
            del data[at:at + pick.choice([1, 2, 8, 40])]
        elif kind == 2 and data:
            data[at % len(data)] = pick.randrange(256)
        elif kind == 3:
            other = pick.choice(corpus)
            start = pick.randrange(len(other) + 1)
            data[at:at] = other[start:start + pick.randrange(200)]
        else:
            lines = bytes(data).split(b"\n")
            i, j = pick.randrange(len(lines)), pick.randrange(len(lines))
            if kind == 4:
                lines[i], lines[j] = lines[j], lines[i]
            elif kind == 5:
                lines.insert(i, lines[j])
            else:
                lines[i] = b"    " + lines[i] if pick.random() < 0.5 else lines[i].removeprefix(b"    ")
            data = bytearray(b"\n".join(lines))
    return bytes(data)


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
    build = ROOT / "build-asan"
    corpus = [path.read_bytes() for folder in ("tests/run", "tests/ui", "examples") for path in sorted((ROOT / folder).rglob("*.met"))]
    corpus = [data for data in corpus if 0 < len(data) < 20000]
    if not corpus:
        sys.exit("x fuzz: there are no programs to start from")
    kept = build / "fuzz"
    kept.mkdir(exist_ok=True)
    until = time.monotonic() + seconds
    jobs = len(os.sched_getaffinity(0))
    print(f"seed {seed}, {len(corpus)} programs, {seconds} s")

    def worker(index):
        pick = random.Random(seed * 1000 + index)
        tried = found = 0
        with tempfile.TemporaryDirectory(prefix="meteor-fuzz-") as folder:
            setting = Setting(ROOT, build, Path(folder) / "cache", HANG_SECONDS, False, [])
            program = Path(folder) / "program.met"
            while time.monotonic() < until:
                program.write_bytes(mutate(pick, corpus))
                outcome = run([setting.meteor, "check", program], folder, setting.env(), HANG_SECONDS)
                tried += 1
                if outcome.crashed or outcome.exit_code not in (0, 2):
                    found += 1
                    target = kept / f"{seed}-{index}-{tried}.met"
                    target.write_bytes(program.read_bytes())
                    print(f"{outcome.describe_exit()}: build-asan/bin/meteor check {target.relative_to(ROOT)}\n"
                          + "\n".join("  " + line for line in outcome.stderr.strip().split("\n")[-25:]), flush=True)
        return tried, found

    with ThreadPoolExecutor(jobs) as pool:
        totals = list(pool.map(worker, range(jobs)))
    tried, found = (sum(column) for column in zip(*totals))
    print(f"{tried} programs tried, {found} crashes or hangs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
