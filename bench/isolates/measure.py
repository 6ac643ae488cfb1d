"""The works of isolates, beside Go, Rust (Tokio's mpsc, and the standard library's channel, which is crossbeam's), and in C++ a ring between two threads as the limit.

Each number is nanoseconds of the clock per step, the least of several runs; `parallel` is how many times faster two are than one. A bar is a ratio to a peer of
the same run, or a bound. Peers that are not on the machine, or that can't do a work, are left out. `./x bench isolates NAME…` measures only those works;
RUNS=5 repeats more often; SCALE=0.01 does fewer steps.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tables import shown, table

HERE = Path(__file__).resolve().parent
METEOR = os.environ["METEOR"]
RUNS = int(os.environ.get("RUNS", 3))
SCALE = float(os.environ.get("SCALE", 1))
LIMIT_S = 180

# name, what it is, steps, whether fewer steps still measure it
WORKS = [
    ("messages", "a message, bounded 1,024", 10_000_000, True),
    ("ping_pong", "there and back", 200_000, True),
    ("move_small", "move a list of 1, there and back", 20_000, True),
    ("move_large", "move a list of 100,000,000", 20_000, True),
    ("move_tree", "checked move of a tree, per object", 1_000_000, False),
    ("copy_tree", "deep copy of it, per object", 1_000_000, False),
    ("start", "start and join an isolate", 2_000, True),
    ("pool", "pool.run of an empty job", 50_000, True),
    ("parallel", "two cores against one, times", 100_000_000, False),
]


def build(folder):
    """The programs that can be built here, by name."""
    def run(*command, cwd=None):
        done = subprocess.run([str(c) for c in command], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            print(f"{command[0]} failed: {done.stdout[-500:]}", file=sys.stderr)
        return done.returncode == 0

    peers = {}
    if not run(METEOR, "build", "-O2", HERE / "work.met", "-o", folder / "meteor"):
        sys.exit(2)
    peers["Meteor"] = [folder / "meteor"]
    cxx = next(c for c in ("clang++-19", "clang++", "g++") if shutil.which(c))
    if run(cxx, "-std=c++20", "-O3", "-march=x86-64-v2", "-pthread", HERE / "work.cpp", "-o", folder / "cpp"):
        peers["C++ ring"] = [folder / "cpp"]
    if shutil.which("cargo") and run("cargo", "build", "--release", "--target-dir", folder / "target", cwd=HERE / "rust"):
        peers["Tokio"] = [folder / "target" / "release" / "work", "tokio"]
        peers["Rust threads"] = [folder / "target" / "release" / "work", "threads"]
    if shutil.which("go") and run("go", "build", "-o", folder / "go", HERE / "work.go"):
        peers["Go"] = [folder / "go"]
    return peers


def measure(command, work, steps):
    env = os.environ | {"GOMAXPROCS": "2", "METEOR_BLOCK_WARN": "0"}
    values = []
    for _ in range(RUNS):
        try:
            done = subprocess.run([*map(str, command), work, str(steps)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=LIMIT_S, env=env)
        except subprocess.TimeoutExpired:
            break
        if done.returncode:
            return None
        values.append(float(done.stdout))
    if not values:
        return None
    return max(values) if work == "parallel" else min(values)


def bars(results):
    """(what, whether it is met) for each bar whose numbers are there."""
    def of(work, peer="Meteor"):
        return results.get(work, {}).get(peer)

    def best(work):
        return min((v for v in (of(work, "Go"), of(work, "Tokio")) if v is not None), default=None)

    rules = [
        ("a message: at most 0.7 of the best of Go and Tokio", of("messages"), best("messages"), 0.7),
        ("there and back: at most the best of Go and Tokio", of("ping_pong"), best("ping_pong"), 1),
        ("moving 100,000,000 ints: as moving one (within a quarter)", of("move_large"), of("move_small"), 1.25),
        ("a checked move: at most 60 ns per object", of("move_tree"), 60, 1),
        ("a checked move: at most half of a deep copy", of("move_tree"), of("copy_tree"), 0.5),
        ("start and join: at most 60 µs", of("start"), 60_000, 1),
        ("pool.run: at most 2 µs", of("pool"), 2_000, 1),
    ]
    found = [(text, value <= bound * factor) for text, value, bound, factor in rules if value is not None and bound is not None]
    if of("parallel") is not None:
        found.append(("two cores: at least 1.85 times one", of("parallel") >= 1.85))
    return found


def main():
    wanted = sys.argv[1:]
    unknown = [name for name in wanted if name not in [w[0] for w in WORKS]]
    if unknown:
        print(f"x bench isolates: there is no '{unknown[0]}'", file=sys.stderr)
        return 2
    results = {}
    with tempfile.TemporaryDirectory(prefix="meteor-bench-") as folder:
        peers = build(Path(folder))
        rows = [["ns per step", *peers]]
        for name, text, steps, shrinks in WORKS:
            if wanted and name not in wanted:
                continue
            count = max(1, int(steps * SCALE)) if shrinks else steps
            results[name] = {peer: measure(command, name, count) for peer, command in peers.items()}
            rows.append([text, *(shown(results[name][peer]) for peer in peers)])
        table(rows)
    missed = 0
    for text, is_met in bars(results):
        print(f"{'met   ' if is_met else 'MISSED'}  {text}")
        missed += not is_met
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
