"""50,000 connections opened, cancelled at random points and closed: no descriptor, no task and no byte may be left."""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
METEOR = os.environ["METEOR"]
CONNECTIONS = int(os.environ.get("CONNECTIONS", 50_000))
MOST_GROWTH = 256 * 1024   # of the resident memory over the second half: the allocator's pages come and go


def main():
    with tempfile.TemporaryDirectory() as name:
        program = Path(name) / "cancelled"
        subprocess.run([METEOR, "build", "-O2", HERE / "cancelled.met", "-o", program], check=True)
        began = time.monotonic()
        run = subprocess.run([program, str(CONNECTIONS)], capture_output=True, text=True, env=os.environ | {"METEOR_LEAKS": "1"})
        seconds = time.monotonic() - began
    if run.returncode != 0:
        print(run.stdout, run.stderr, sep="\n")
        return 1
    opened, descriptors, tasks, grown = map(int, run.stdout.split())
    print(f"{opened} connections in {seconds:.1f} s: left are {descriptors} descriptors, {tasks} tasks; the second half added {grown} bytes; the leak check found nothing")
    return 0 if descriptors == 0 and tasks == 0 and grown <= MOST_GROWTH else 1


if __name__ == "__main__":
    sys.exit(main())
