"""10,000 files of 1 KB read at the same time, a task for each: the clock and the processor time of reading all of them. The bar: ahead of Tokio and Node in both.

Each program reads all of them so often as it is told; what it takes to start is left out by the difference of two runs.
"""
import os
import resource
import subprocess
import time

from tables import table
from works import programs
from works.processes import least

COUNT, SIZE, TIMES = 10_000, 1024, 8


def seconds(command, env, times):
    """Clock and processor."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*map(str, command), str(times)], check=True, env=os.environ | env)
    clock, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(folder):
    place = folder / "files"
    place.mkdir()
    for i in range(COUNT):
        (place / str(i)).write_bytes(bytes([i % 256]) * SIZE)
    meteor = programs.meteor(folder, "files/read.met")
    commands = {"Meteor": ([meteor], {"METEOR_REACTOR": "epoll"}), "Meteor io_uring": ([meteor], {"METEOR_REACTOR": "io_uring"}),
                "Tokio": ([programs.tokio("files")], {}),
                "Node": (["node", programs.SOURCES / "files/read.js"] if programs.succeeds("node", "--version") else [None], {}),
                "Go": ([programs.go(folder, "files/read.go")], {})}
    commands = {name: ([*command, place, COUNT], env) for name, (command, env) in commands.items() if command[0]}
    spent = {}

    def once(peer):
        command, env = peer
        one, more = seconds(command, env, 1), seconds(command, env, 1 + TIMES)
        spent.setdefault(str(command) + str(env), []).append((more[1] - one[1]) / TIMES)
        return (more[0] - one[0]) / TIMES
    clock = least(commands, once)
    cpu = {name: sorted(spent[str(command) + str(env)])[len(spent[str(command) + str(env)]) // 2] for name, (command, env) in commands.items()}
    table([[f"{COUNT:,} files read", "ms by the clock", "ms of processor"], *([name, f"{clock[name] * 1e3:.0f}", f"{cpu[name] * 1e3:.0f}"] for name in commands)])
    return [(f"files: Meteor ahead of {peer}, {what}", values["Meteor"] < values[peer])
            for peer in ("Tokio", "Node") if peer in commands for what, values in (("clock", clock), ("processor", cpu))]
