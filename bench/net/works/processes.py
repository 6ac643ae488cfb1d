"""Servers on one core, loads on another, and what they have used."""
import os
import shutil
import subprocess
from pathlib import Path

ROUNDS = int(os.environ.get("ROUNDS", 7))


def on_core(which, command):
    """0: the servers'; -1: the loads'."""
    core = sorted(os.sched_getaffinity(0))[which]
    return [*(["taskset", "-c", str(core)] if shutil.which("taskset") else []), *map(str, command)]


class Server:
    """Runs for the length of a `with`; it prints its port first."""

    def __init__(self, command, env=None):
        self.process = subprocess.Popen(on_core(0, command), stdout=subprocess.PIPE, text=True, env=os.environ | (env or {}))
        self.port = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def own_bytes(self):
        """Memory in use that is no file's."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def load(*command):
    return subprocess.run(on_core(-1, command), check=True, stdout=subprocess.PIPE, text=True).stdout


def least(peers, once, rounds=ROUNDS):
    """Of what `once` gives for each peer; in turn, so that what else the machine does hits all of them. It only ever adds, so the least counts."""
    values = {name: [] for name in peers}
    for _ in range(rounds):
        for name, peer in peers.items():
            values[name].append(once(peer))
    return {name: min(found) for name, found in values.items()}
