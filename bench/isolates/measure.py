"""The works of isolates, beside Go, Rust (Tokio's mpsc, and crossbeam's channel between threads), Java's virtual threads, and as the limit C++: a ring between two threads that never sleep.

Each number is nanoseconds of the clock per step, the least of several runs; `parallel_…` is how many times faster two are than one, the highest of the runs. After the
table comes what Meteor's runs scatter over. A bar is a ratio to a peer of the same run, or a bound. Peers that are not on the machine, or that can't do a work, are left out. `./x bench isolates NAME…` measures only those works;
RUNS=5 repeats more often; SCALE=0.01 does fewer steps.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from java import java_with_virtual_threads
from tables import shown, table

HERE = Path(__file__).resolve().parent
METEOR = os.environ["METEOR"]
RUNS = int(os.environ.get("RUNS", 3))
SCALE = float(os.environ.get("SCALE", 1))
LIMIT_S = 180

# name, what each of the numbers it prints is, steps, whether fewer steps still measure it
WORKS = [
    ("messages", ["a message, bounded 1,024"], 10_000_000, True),
    ("ping_pong", ["there and back"], 500_000, True),
    ("moves", ["move a list of 1, there and back", "move a list of 100,000,000", "move a Buffer of 1 byte", "move a Buffer of 1 GB"], 500_000, True),
    ("move_tree", ["checked move of a tree, per object"], 1_000_000, False),
    ("copy_tree", ["deep copy of it, per object"], 1_000_000, False),
    ("start", ["start and join an isolate"], 20_000, True),
    ("pool", ["pool.run of an empty job"], 50_000, True),
    ("parallel_sum", ["two cores against one, sum"], 100_000_000, False),
    ("parallel_mandelbrot", ["two cores against one, mandelbrot"], 1, False),
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
        peers["C++"] = [folder / "cpp"]
    if shutil.which("cargo") and run("cargo", "build", "--release", "--target-dir", folder / "target", cwd=HERE / "rust"):
        peers["Tokio"] = [folder / "target" / "release" / "work", "tokio"]
        peers["crossbeam"] = [folder / "target" / "release" / "work", "threads"]
    if shutil.which("go") and run("go", "build", "-o", folder / "go", HERE / "work.go"):
        peers["Go"] = [folder / "go"]
    java = java_with_virtual_threads()
    if java and shutil.which("javac") and run("javac", "-d", folder / "java", HERE / "Work.java"):
        peers["Java"] = [java, "-Djdk.virtualThreadScheduler.parallelism=2", "-Djdk.virtualThreadScheduler.maxPoolSize=2", "-cp", folder / "java", "Work"]
    return peers


def measure(command, work, steps):
    """The numbers of each run."""
    env = os.environ | {"GOMAXPROCS": "2", "METEOR_BLOCK_WARN": "0"}
    runs = []
    for _ in range(RUNS):
        try:
            done = subprocess.run([*map(str, command), work, str(steps)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=LIMIT_S, env=env)
        except subprocess.TimeoutExpired:
            break
        if done.returncode:
            break
        runs.append([float(number) for number in done.stdout.split()])
    return runs


def bars(results):
    """(what, whether it is met) for each bar whose numbers are there."""
    def of(work, number=0, peer="Meteor"):
        return results.get((work, number), {}).get(peer)

    def best(work):
        return min((v for v in (of(work, peer="Go"), of(work, peer="Tokio")) if v is not None), default=None)

    rules = [
        ("a message: at most 0.7 of the best of Go and Tokio", of("messages"), best("messages"), 0.7),
        ("there and back: at most the best of Go and Tokio", of("ping_pong"), best("ping_pong"), 1),
        ("moving 100,000,000 ints: as moving one (within a quarter)", of("moves", 1), of("moves", 0), 1.25),
        ("moving a Buffer of 1 GB: as one of a byte (within a quarter)", of("moves", 3), of("moves", 2), 1.25),
        ("a checked move: at most 60 ns per object", of("move_tree"), 60, 1),
        ("a checked move: at most half of a deep copy", of("move_tree"), of("copy_tree"), 0.5),
        ("start and join: at most 60 µs", of("start"), 60_000, 1),
        ("pool.run: at most 2 µs", of("pool"), 2_000, 1),
    ]
    found = [(text, value <= bound * factor) for text, value, bound, factor in rules if value is not None and bound is not None]
    found += [(f"two cores: at least 1.85 times one, {work[9:]}", of(work) >= 1.85) for work in ("parallel_sum", "parallel_mandelbrot") if of(work) is not None]
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
        rows, scatter = [["ns per step", *peers]], [["Meteor's runs", "least", "middle", "most"]]
        for name, texts, steps, shrinks in WORKS:
            if wanted and name not in wanted:
                continue
            count = max(5, int(steps * SCALE)) if shrinks else steps
            runs = {peer: measure(command, name, count) for peer, command in peers.items()}
            best = max if name.startswith("parallel") else min
            for number, text in enumerate(texts):
                results[name, number] = {peer: best((run[number] for run in of_peer), default=None) for peer, of_peer in runs.items()}
                rows.append([text, *(shown(results[name, number][peer]) for peer in peers)])
                own = sorted(run[number] for run in runs["Meteor"])
                scatter.append([text, *(shown(value) for value in (own[0], own[len(own) // 2], own[-1]))])
        table(rows)
        print()
        table(scatter)
    missed = 0
    for text, is_met in bars(results):
        print(f"{'met   ' if is_met else 'MISSED'}  {text}")
        missed += not is_met
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
