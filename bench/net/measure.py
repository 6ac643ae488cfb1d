"""CPU time of an echo server per message of 64 bytes: Meteor beside a raw epoll loop in C++, Tokio, Go and Node.

The server runs on one core, the load on another. The bar: Meteor needs at most 1.05 times what the raw loop needs.
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


def run(*command, cwd=None):
    subprocess.run([str(c) for c in command], check=True, cwd=cwd)


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
    run(METEOR, "build", "-O2", HERE / "echo.met", "-o", folder / "meteor")
    servers = {"C++ epoll": [folder / "epoll"], "Meteor": [folder / "meteor"]}
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
        run(*other, load, port, connections, MESSAGES // 20)   # warm
        before = cpu_seconds(server.pid)
        subprocess.run([*other, str(load), port, str(connections), str(MESSAGES)], check=True, stdout=subprocess.DEVNULL)
        return (cpu_seconds(server.pid) - before) / MESSAGES * 1e6
    finally:
        server.kill()
        server.wait()


def main():
    met = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        servers = build(folder)
        print(f"{'server':<12}{'connections':>12}{'µs/message':>12}{'of C++':>9}")
        for connections in (100, 1000):
            times = {s: [] for s in servers}
            for _ in range(ROUNDS):   # in turn, so that what else the machine does hits all of them
                for server, command in servers.items():
                    times[server].append(measure(command, folder / "load", connections))
            base = statistics.median(times["C++ epoll"])
            for server, values in times.items():
                value = statistics.median(values)
                print(f"{server:<12}{connections:>12}{value:>12.2f}{value / base:>9.2f}")
            met = met and statistics.median(times["Meteor"]) <= BAR * base
    print("met" if met else f"not met: Meteor should need at most {BAR} times the raw loop")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
