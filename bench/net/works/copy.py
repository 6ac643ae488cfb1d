"""1 GB from one socket to another through `net.copy`: the processor time of who copies. The bar: 1.1 times a raw loop around epoll in C++."""
from tables import table
from works import programs
from works.processes import Server, load, least

BYTES, BAR = 1 << 30, 1.1


def measure(folder):
    pour = programs.cxx(folder, "copy/pour.cpp", "-pthread")
    meteor = programs.meteor(folder, "copy/copy.met")
    peers = {"C++ epoll": ([programs.cxx(folder, "copy/epoll.cpp")], {}), "Meteor": ([meteor], {"METEOR_REACTOR": "epoll"}),
             "Meteor io_uring": ([meteor], {"METEOR_REACTOR": "io_uring"}), "Tokio": ([programs.tokio("copy")], {}),
             "Go": ([programs.go(folder, "copy/copy.go")], {})}

    def once(peer):
        with Server(*peer) as server:
            load(pour, server.port, BYTES // 16)   # warm
            before = server.cpu_seconds()
            load(pour, server.port, BYTES)
            return server.cpu_seconds() - before
    found = least({name: peer for name, peer in peers.items() if peer[0][0]}, once, 5)
    table([["1 GB copied", "ms", "of raw"], *([name, f"{value * 1e3:.0f}", f"{value / found['C++ epoll']:.2f}"] for name, value in found.items())])
    return [(f"copy: {name} at most {BAR} of C++ epoll", found[name] <= BAR * found["C++ epoll"]) for name in ("Meteor", "Meteor io_uring")]
