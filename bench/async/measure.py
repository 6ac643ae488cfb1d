"""The works of the async model, beside C++20 coroutines written by hand for them, Tokio (current_thread), Go (one processor), Java's
virtual threads (one carrier), Node and asyncio.

Each number is nanoseconds of processor time per step (bytes of resident memory for `memory`), the least of several runs; a bar is a ratio to the C++ of the
same run. Writes a table, and async.svg in the current folder. Peers that are not on the machine, or that can't do a work, are left out.
`./x bench async NAME…` measures only those works; RUNS=5 repeats more often; FRAMES=1 compares only the sizes of frames;
FRAMES=tests reports those of the test programs.
"""
import json
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
LIMIT_S = 180
HEADER = 16   # of a frame: resume function, state, how far it is from the frame that awaits it

# name, what it is, steps, (ratio to C++, or absolute bound) that is the bar
WORKS = [
    ("spawn", "spawn and join a task", 1_000_000, 1.5, None),
    ("yield", "yield to the scheduler", 1_000_000, 1.5, None),
    ("ready", "await what completes at once", 20_000_000, None, 1.5),
    ("wake_1", "wake 1 await deep", 1_000_000, 1.5, None),
    ("wake_10", "wake 10 awaits deep", 1_000_000, 1.5, None),
    ("wake_100", "wake 100 awaits deep", 1_000_000, 1.5, None),
    ("channel", "pass a value through a channel", 1_000_000, 2, None),
    ("timers", "sleep for 0 to 1 s, 1,000,000 at once", 1_000_000, 1.5, None),
    ("memory", "bytes of a sleeping task", 1_000_000, None, 100),
    ("cancel", "cancel a suspended task", 1_000_000, 2, None),
    ("error", "error 5 awaits deep, caught", 1_000_000, None, 60),
    ("semaphore", "semaphore of 10, 1,000 tasks", 1_000_000, 2, None),
    ("loop", "slice check in a loop: % slower", 100_000_000, None, 3),
]


def build(folder):
    """The programs that can be built here, by name: the command, and by what to divide the steps so that a run ends soon."""
    cxx = next(c for c in ("clang++-19", "clang++", "g++") if shutil.which(c))
    def run(*command, cwd=None):
        done = subprocess.run([str(c) for c in command], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            print(f"{command[0]} failed: {done.stdout[-500:]}", file=sys.stderr)
        return done.returncode == 0

    peers = {}
    if not run(METEOR, "build", "-O2", HERE / "work.met", "-o", folder / "meteor"):
        sys.exit(2)
    peers["Meteor"] = ([folder / "meteor"], 1)
    if run(cxx, "-std=c++20", "-O3", "-march=x86-64-v2", HERE / "work.cpp", "-o", folder / "cpp"):
        peers["C++"] = ([folder / "cpp"], 1)
    if shutil.which("cargo") and run("cargo", "build", "--release", "--target-dir", folder / "target", cwd=HERE / "tokio"):
        peers["Tokio"] = ([folder / "target" / "release" / "work"], 1)
    if shutil.which("go") and run("go", "build", "-o", folder / "go", HERE / "work.go"):
        peers["Go"] = ([folder / "go"], 4)
    java = java_with_virtual_threads()
    if java and shutil.which("javac") and run("javac", "-d", folder / "java", HERE / "Work.java"):
        peers["Java"] = ([java, "-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1", "-Xmx12g", "-cp", folder / "java", "Work"], 4)
    if shutil.which("node"):
        peers["Node"] = (["node", HERE / "work.js"], 4)
    peers["asyncio"] = ([sys.executable, HERE / "work.py"], 20)
    return peers


def measure(command, work, steps):
    env = os.environ | {"GOMAXPROCS": "1", "METEOR_BLOCK_WARN": "0"}
    best = None
    for _ in range(RUNS):
        try:
            done = subprocess.run([*map(str, command), work, str(steps)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=LIMIT_S, env=env)
        except subprocess.TimeoutExpired:
            return best
        if done.returncode:
            return None
        value = float(done.stdout)
        best = value if best is None else min(best, value)
    return best


def plot(results, peers, path):
    """A row of dots per work on a logarithmic scale, Meteor's filled."""
    import math
    colours = {"Meteor": "#d1495b", "C++": "#1f2933", "Tokio": "#b7652b", "Go": "#2a9d8f", "Java": "#8a5a9e", "Node": "#5a8f29", "asyncio": "#3d5a98"}
    left, width, row, top = 300, 760, 34, 84
    works = [w for w in WORKS if w[0] in results and w[0] != "loop"]
    low, high = 0, 5
    def x_of(value):
        return left + width * (min(max(math.log10(max(value, 1)), low), high) - low) / (high - low)
    height = top + row * len(works) + 40
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="1100" height="{height}" viewBox="0 0 1100 {height}" font-family="Helvetica, DejaVu Sans, sans-serif">',
           '<rect width="100%" height="100%" fill="#fff"/>', '<text x="20" y="30" font-size="18" font-weight="bold" fill="#1f2933">Nanoseconds of processor time per step (bytes for memory)</text>']
    for i, name in enumerate(peers):
        out.append(f'<circle cx="{26 + 110 * i}" cy="52" r="6" fill="{colours[name]}"/><text x="{38 + 110 * i}" y="57" font-size="13" fill="#1f2933">{name}</text>')
    for power in range(low, high + 1):
        x = x_of(10 ** power)
        out.append(f'<path d="M{x} {top - 8} V{height - 34}" stroke="#e4e7eb"/><text x="{x}" y="{height - 16}" font-size="12" text-anchor="middle" fill="#7b8794">{10 ** power:,}</text>')
    for i, (name, text, *_rest) in enumerate(works):
        y = top + row * i + 12
        out.append(f'<text x="{left - 16}" y="{y + 4}" font-size="13" text-anchor="end" fill="#1f2933">{text}</text>')
        for peer in reversed(list(peers)):
            value = results[name].get(peer)
            if value is not None:
                out.append(f'<circle cx="{x_of(value):.1f}" cy="{y}" r="{8 if peer == "Meteor" else 6}" fill="{colours[peer]}" fill-opacity="0.85"><title>{peer}: {value}</title></circle>')
    Path(path).write_text("\n".join(out) + "\n</svg>\n")


def frames(folder):
    """Sizes of the frames of the same functions: `meteor explain` beside Rust's size_of_val."""
    explained = subprocess.run([METEOR, "explain", "--json", HERE / "frames.met"], stdout=subprocess.PIPE, text=True, check=True).stdout
    functions = {f["name"]: f for f in json.loads(explained)["functions"]}
    ours = {name: f["size"] for name, f in functions.items()}

    def headers(name):
        """Bytes of the headers in a frame: its own, and those of the frames that lie inside."""
        callees = [headers(f["name"]) for f in functions[name]["fields"] if f["is_callee"] and f["name"] in functions] if name in functions else []
        return HEADER + max(callees, default=0)
    theirs = {}
    if shutil.which("rustc") and subprocess.run(["rustc", "--edition=2021", "-O", HERE / "frames.rs", "-o", folder / "frames"], stderr=subprocess.DEVNULL).returncode == 0:
        lines = subprocess.run([folder / "frames"], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
        theirs = {name: int(size) for name, size in (line.split() for line in lines if line)}
    rows = [["frame of", "Meteor", "without headers", "Rust"]]
    larger = 0
    for name in [line.split()[2].split("(")[0] for line in (HERE / "frames.met").read_text().split("\n") if line.startswith("async def f_")]:
        other = theirs.get(name)
        larger += other is not None and ours[name] > other
        rows.append([name.removeprefix("f_"), str(ours[name]), str(ours[name] - headers(name)), str(other) if other else "–"])
    table(rows)
    return larger


def frames_of_tests(wanted):
    """How large the frames of the test programs are: quartiles, and the ten largest with what takes most of each."""
    found = []
    for path in sorted((HERE.parent.parent / "tests" / "run").glob("*/*.met")):
        if wanted and not any(name in str(path) for name in wanted):
            continue
        done = subprocess.run([METEOR, "explain", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if done.returncode == 0 and done.stdout.startswith("{\"functions\""):
            found += [(f["size"], f["name"], path.stem, f) for f in json.loads(done.stdout)["functions"] if f["suspends"]]
    found.sort(key=lambda row: row[0])
    if not found:
        return
    sizes = [row[0] for row in found]
    print(f"{len(sizes)} frames: a quarter up to {sizes[len(sizes) // 4]} bytes, half up to {sizes[len(sizes) // 2]}, three quarters up to {sizes[len(sizes) * 3 // 4]}, the largest {sizes[-1]}\n")
    rows = [["frame of", "in", "bytes", "most of it"]]
    for size, name, program, function in reversed(found[-10:]):
        largest = max(function["fields"], key=lambda field: field["size"], default=None)
        what = "" if largest is None else f"{largest['size']} {'frame of ' if largest['is_callee'] else ''}{largest['name'] or 'temporary'}"
        rows.append([name, program, str(size), what])
    table(rows)


def main():
    wanted = sys.argv[1:]
    if os.environ.get("FRAMES") == "tests":
        frames_of_tests(wanted)
        return 0
    with tempfile.TemporaryDirectory(prefix="meteor-bench-async-") as name:
        folder = Path(name)
        if os.environ.get("FRAMES"):
            return 1 if frames(folder) else 0
        peers = build(folder)
        rows, results, missed = [["", *peers, "× C++", "bar"]], {}, []
        for work, text, steps, ratio, bound in WORKS:
            if wanted and work not in wanted:
                continue
            values = {peer: measure(command, work, max(steps // slower, 1000)) for peer, (command, slower) in peers.items()}
            results[work] = values
            meteor, cpp = values.get("Meteor"), values.get("C++")
            times = meteor / cpp if meteor and cpp else None
            met = meteor is not None and (meteor <= bound if bound is not None else times is not None and times <= ratio)
            if not met:
                missed.append(text)
            rows.append([text, *(shown(values[peer]) for peer in peers), f"{times:.1f}" if times and work != "loop" else "", ("" if met else "missed: ") + (f"≤ {bound}" if bound is not None else f"≤ {ratio} × C++")])
        table(rows)
        if not wanted:
            print()
            if frames(folder):
                missed.append("frames never larger than Rust's")
        plot(results, peers, "async.svg")
        if missed:
            print(f"\n{len(missed)} bars missed: " + "; ".join(missed))
        return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
