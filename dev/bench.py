#!/usr/bin/env python3
"""Measures. Each folder of bench/ that holds a measure.py is one benchmark; './x bench NAME' runs it, './x bench' runs all.

A measure.py prints its own table and returns non-zero when a bar it states is not met.
"""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main():
    wanted = sys.argv[1:2]
    names = sorted(path.parent.name for path in (ROOT / "bench").glob("*/measure.py"))
    if wanted and wanted[0] not in names:
        print(f"x bench: there is no '{wanted[0]}'; there is: {', '.join(names)}", file=sys.stderr)
        return 2
    env = os.environ | {"METEOR": str(ROOT / "build-release" / "bin" / "meteor"), "METEOR_ROOT": str(ROOT)}
    failed = 0
    for name in wanted or names:
        failed |= subprocess.run([sys.executable, ROOT / "bench" / name / "measure.py", *sys.argv[2:]], env=env).returncode
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
