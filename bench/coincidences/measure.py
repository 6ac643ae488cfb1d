#!/usr/bin/env python3
"""The programs of tests/coincidences against the real clock, sockets, files and isolates, on epoll and on io_uring, many times over.

Prints a row per operation and way to give it up: what went in, what came out, what was lost, doubled or out of order. The bar: nothing.
'./x bench coincidences REPEATS PROGRAM…'; without a program all of them.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(os.environ["METEOR_ROOT"])
SCENARIOS = ROOT / "tests/coincidences"
REACTORS = ("epoll", "io_uring")


def rows_of(program, repeats, reactor, folder):
    """The rows of one run, as lists of texts, and what else it said."""
    env = os.environ | {"METEOR_REACTOR": reactor}
    run = subprocess.run([program, f"repeats={repeats}", "table"], cwd=folder, env=env, capture_output=True, text=True, timeout=3600)
    rows = [line.split("|") for line in run.stdout.splitlines() if line.count("|") == 6]
    return rows, run.stderr if run.returncode else ""


def main():
    repeats = sys.argv[1] if len(sys.argv) > 1 else "20"
    names = sys.argv[2:] or sorted(path.stem for path in SCENARIOS.glob("*.met"))
    print(f"{'operation':<26}{'given up by':<20}{'reactor':<10}{'in':>8}{'out':>8}{'lost':>6}{'doubled':>9}{'disorder':>10}")
    is_wrong = False
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            program = Path(folder) / name
            subprocess.run([os.environ["METEOR"], "build", "-O2", "-o", program, SCENARIOS / f"{name}.met"], check=True)
            for reactor in REACTORS:
                rows, problem = rows_of(program, repeats, reactor, folder)
                for operation, way, *counts in rows:
                    is_wrong |= counts[2:] != ["0", "0", "0"]
                    print(f"{operation:<26}{way:<20}{reactor:<10}{counts[0]:>8}{counts[1]:>8}{counts[2]:>6}{counts[3]:>9}{counts[4]:>10}")
                if problem:
                    is_wrong = True
                    print(f"{name} on {reactor}: {problem}")
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
