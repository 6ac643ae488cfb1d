"""TCP echo, messages of 64 bytes: the server's processor time for each, with 100 and with 1,000 connections.

The bars: Meteor needs at most 1.05 times what the raw loop in C++ on the same interface of the kernel needs, and traced 1.05 times what it needs untraced.
"""
import os

from tables import table
from works import programs
from works.processes import Server, load, least

MESSAGES = int(os.environ.get("MESSAGES", 100_000))
WARM = 30_000   # so many that a trace's ring has been filled once: new memory is dear on some machines
BAR = 1.05
BARS = {"Meteor": "C++ epoll", "Meteor io_uring": "C++ io_uring", "Meteor traced": "Meteor"}   # whom each is measured by


def servers(folder):
    """Command and environment, by name."""
    meteor = [programs.meteor(folder, "echo/echo.met")]
    epoll = {"METEOR_REACTOR": "epoll"}
    found = {"C++ epoll": ([programs.cxx(folder, "echo/epoll.cpp")], {}), "Meteor": (meteor, epoll),
             "Meteor traced": (meteor, epoll | {"METEOR_TRACE": str(folder / "trace.json")})}
    uring = programs.cxx(folder, "echo/uring.cpp", "-luring")
    if uring:
        found |= {"C++ io_uring": ([uring], {}), "Meteor io_uring": (meteor, {"METEOR_REACTOR": "io_uring"})}
    others = {"Asio": [programs.cxx(folder, "echo/asio.cpp", "-pthread")], "Tokio": [programs.tokio("echo")], "Go": [programs.go(folder, "echo/echo.go")],
              "Node": ["node", programs.SOURCES / "echo/echo.js"] if programs.succeeds("node", "--version") else [None],
              "Bun": [programs.bun(), programs.SOURCES / "echo/echo.bun.js"]}
    return found | {name: (command, {}) for name, command in others.items() if command[0]}


def measure(folder):
    generator = programs.cxx(folder, "echo/load.cpp")
    peers = servers(folder)
    rows, bars = [["echo, µs per message", "connections", "µs", "of its bar"]], []
    for connections in (100, 1000):
        def once(peer):
            with Server(*peer) as server:
                load(generator, server.port, connections, WARM)
                before = server.cpu_seconds()
                load(generator, server.port, connections, MESSAGES)
                return (server.cpu_seconds() - before) / MESSAGES * 1e6
        found = least(peers, once)
        for name, value in found.items():
            ratio = value / found[BARS[name]] if name in BARS else None
            rows.append([name, str(connections), f"{value:.2f}", f"{ratio:.2f}" if ratio else ""])
            if ratio:
                bars.append((f"echo with {connections}: {name} at most {BAR} of {BARS[name]}", ratio <= BAR))
    table(rows)
    return bars
