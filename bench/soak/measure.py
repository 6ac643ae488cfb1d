#!/usr/bin/env python3
"""Ten minutes (or the number given) of mixed load on an HTTP server: random disconnects, slow clients, malformed requests. Tasks, descriptors and memory are
sampled between bursts and must not grow, and every good request must be answered right: tests/tools/http_soak.sh, which the suite runs for seconds, with the
clients of load.met beside it.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    meteor = os.environ["METEOR"]
    with tempfile.TemporaryDirectory(prefix="meteor-soak-") as folder:
        load = f"{folder}/load"
        subprocess.run([meteor, "build", "-O2", ROOT / "bench/soak/load.met", "-o", load], check=True)
        env = os.environ | {"METEOR_ROOT": str(ROOT), "METEOR_BUILD": str(Path(meteor).parent.parent), "SOAK_SECONDS": str(minutes * 60), "SOAK_PATIENCE": "10000", "SOAK_LOAD": load}
        return subprocess.run(["bash", "-eu", "-o", "pipefail", ROOT / "tests/tools/http_soak.sh"], cwd=folder, env=env).returncode


if __name__ == "__main__":
    sys.exit(main())
