#!/usr/bin/env python3
"""A 10 ms ticker beside one busy task on the same isolate: how late the ticks come.

The bar, on an idle machine: never later than 15 ms beyond the tick.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BAR_US = 15_000


def main():
    ticks = sys.argv[1] if len(sys.argv) > 1 else "300"
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "ticker"
        subprocess.run([os.environ["METEOR"], "build", "-O2", "-o", program, HERE / "ticker.met"], check=True)
        out = subprocess.run([program, ticks], check=True, capture_output=True, text=True).stdout
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; lateness of {ticks} ticks in microseconds")
    print(f"{'beside':<14}{'median':>10}{'99 %':>10}{'worst':>10}")
    failed = False
    for line in out.splitlines():
        name, median, high, worst = line.split(",")
        failed |= int(worst) > BAR_US
        print(f"{name:<14}{median:>10}{high:>10}{worst:>10}")
    if failed:
        print(f"a tick came later than {BAR_US} us")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
