"""10,000 idle connections, each with a task that waits in `read`: how much more memory the server has than with ten. The bar: 400 bytes for each."""
import socket
import time

from tables import table
from works import programs
from works.processes import Server

FEW, COUNT, BAR = 10, 10_000, 400
SETTLE_S = 0.5


def bytes_each(command, env):
    with Server(command, env) as server:
        def connect(count):
            conns = [socket.create_connection(("127.0.0.1", int(server.port))) for _ in range(count)]
            until = time.monotonic() + 30
            while server.descriptors() < count and time.monotonic() < until:
                time.sleep(0.05)
            time.sleep(SETTLE_S)   # until each waits
            return conns
        first = connect(FEW)
        before = server.own_bytes()
        more = connect(COUNT)
        grown = server.own_bytes() - before
        for conn in first + more:
            conn.close()
        return grown / COUNT


def measure(folder):
    meteor = [programs.meteor(folder, "echo/echo.met")]
    peers = {"Meteor": (meteor, {"METEOR_REACTOR": "epoll"}), "Meteor io_uring": (meteor, {"METEOR_REACTOR": "io_uring"}),
             "Tokio, buffer of 256": ([programs.tokio("idle")], {}), "Go, buffer of 256": ([programs.go(folder, "idle/idle.go")], {})}
    found = {name: bytes_each(*peer) for name, peer in peers.items() if peer[0][0]}
    table([[f"{COUNT:,} idle connections", "bytes each"], *([name, f"{value:,.0f}"] for name, value in found.items())])
    return [(f"idle: {name} at most {BAR} bytes", found[name] <= BAR) for name in ("Meteor", "Meteor io_uring")]
