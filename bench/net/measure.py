"""CPU time of an echo server per message of 64 bytes: Meteor on epoll, on io_uring and traced, beside raw loops in C++ on both, Asio, Tokio, Go and Node.

The server runs on one core, the load on another. The bars: Meteor needs at most 1.05 times what the raw loop on the same interface needs, and traced
1.05 times what it needs untraced. What is not on the machine is left out.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
METEOR = os.environ["METEOR"]
MESSAGES = int(os.environ.get("MESSAGES", 300_000))
ROUNDS = int(os.environ.get("ROUNDS", 3))
BAR = 1.05
BARS = {"Meteor": "C++ epoll", "Meteor io_uring": "C++ io_uring", "Meteor traced": "Meteor"}   # whom each is measured by


def run(*command, cwd=None):
    subprocess.run([str(c) for c in command], check=True, cwd=cwd)


def compiles(*command):
    return subprocess.run([str(c) for c in command], stderr=subprocess.DEVNULL).returncode == 0


def build_tokio(folder):
    """Needs Rust, and Tokio in cargo's cache or a network."""
    if not shutil.which("cargo"):
        return None
    shutil.copytree(HERE / "tokio", folder / "tokio")
    for more in (["--offline"], []):
        command = ["cargo", "build", "--release", "--quiet", *more]
        if subprocess.run(command, cwd=folder / "tokio", stderr=subprocess.DEVNULL).returncode == 0:
            return folder / "tokio/target/release/tokio-echo"
    return None


def build(folder):
    """The servers that can be built here, by name."""
    cxx = next(c for c in ("clang++-19", "clang++", "g++") if shutil.which(c))
    run(cxx, "-O2", "-o", folder / "load", HERE / "load.cpp")
    run(cxx, "-O2", "-o", folder / "epoll", HERE / "epoll.cpp")
    meteor = folder / "meteor"
    run(METEOR, "build", "-O2", HERE / "echo.met", "-o", meteor)
    servers = {"C++ epoll": [folder / "epoll"], "Meteor": ["env", "METEOR_REACTOR=epoll", meteor],
               "Meteor traced": ["env", "METEOR_REACTOR=epoll", f"METEOR_TRACE={folder}/trace.json", meteor]}
    if compiles(cxx, "-O2", "-std=c++20", "-o", folder / "uring", HERE / "uring.cpp", "-luring"):
        servers["C++ io_uring"] = [folder / "uring"]
        servers["Meteor io_uring"] = ["env", "METEOR_REACTOR=io_uring", meteor]
    if compiles(cxx, "-O2", "-std=c++20", "-o", folder / "asio", HERE / "asio.cpp", "-pthread"):
        servers["Asio"] = [folder / "asio"]
    tokio = build_tokio(folder)
    if tokio:
        servers["Tokio"] = [tokio]
    if shutil.which("go"):
        run("go", "build", "-o", folder / "go_echo", HERE / "echo.go")
        servers["Go"] = [folder / "go_echo"]
    if shutil.which("node"):
        servers["Node"] = ["node", HERE / "echo.js"]
    return servers


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(command, load, connections):
    """Microseconds of the server's CPU per message."""
    cores = sorted(os.sched_getaffinity(0))
    pinned = ["taskset", "-c", str(cores[0])] if shutil.which("taskset") else []
    other = ["taskset", "-c", str(cores[-1])] if shutil.which("taskset") else []
    server = subprocess.Popen([*pinned, *map(str, command)], stdout=subprocess.PIPE, text=True)
    try:
        port = server.stdout.readline().strip()
        subprocess.run([*other, str(load), port, str(connections), str(MESSAGES // 20)], check=True, stdout=subprocess.DEVNULL)   # warm
        before = cpu_seconds(server.pid)
        subprocess.run([*other, str(load), port, str(connections), str(MESSAGES)], check=True, stdout=subprocess.DEVNULL)
        return (cpu_seconds(server.pid) - before) / MESSAGES * 1e6
    finally:
        server.kill()
        server.wait()


def main():
    missed = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        servers = build(folder)
        print(f"{'server':<18}{'connections':>12}{'µs/message':>12}{'of its bar':>14}")
        for connections in (100, 1000):
            times = {s: [] for s in servers}
            for _ in range(ROUNDS):   # in turn, so that what else the machine does hits all of them
                for server, command in servers.items():
                    times[server].append(measure(command, folder / "load", connections))
            medians = {server: statistics.median(values) for server, values in times.items()}
            for server, value in medians.items():
                ratio = value / medians[BARS[server]] if server in BARS else None
                if ratio is not None and ratio > BAR:
                    missed.append(f"{server} with {connections}")
                print(f"{server:<18}{connections:>12}{value:>12.2f}" + (f"{ratio:>14.2f}" if ratio else ""), flush=True)
    print(f"missed ({BAR}): {', '.join(missed)}" if missed else "all bars met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
