"""Echo over TLS, messages of 64 bytes on 50 connections: the server's processor time for each. The bar: 1.1 times a raw loop around epoll and OpenSSL in C++."""
import os

from tables import table
from works import programs
from works.processes import Server, load, least

MESSAGES, CONNECTIONS, BAR = int(os.environ.get("MESSAGES", 60_000)), 50, 1.1


def measure(folder):
    cert, key = folder / "cert.pem", folder / "key.pem"
    request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
               "-keyout", key, "-out", cert]
    raw = programs.cxx(folder, "tls/epoll.cpp", "-lssl", "-lcrypto")
    generator = programs.cxx(folder, "tls/load.cpp", "-lssl", "-lcrypto")
    if not generator or not programs.succeeds(*request):
        print("tls: OpenSSL can't be had here")
        return []
    meteor = programs.meteor(folder, "tls/echo.met")
    peers = {"C++ epoll": ([raw, cert, key], {}), "Meteor": ([meteor, cert, key], {"METEOR_REACTOR": "epoll"}),
             "Meteor io_uring": ([meteor, cert, key], {"METEOR_REACTOR": "io_uring"}), "Go": ([programs.go(folder, "tls/echo.go"), cert, key], {})}

    def once(peer):
        with Server(*peer) as server:
            load(generator, server.port, CONNECTIONS, MESSAGES // 10)   # warm
            before = server.cpu_seconds()
            load(generator, server.port, CONNECTIONS, MESSAGES)
            return (server.cpu_seconds() - before) / MESSAGES * 1e6
    found = least({name: peer for name, peer in peers.items() if peer[0][0]}, once)
    table([["echo over TLS", "µs per message", "of raw"], *([name, f"{value:.2f}", f"{value / found['C++ epoll']:.2f}"] for name, value in found.items())])
    return [(f"tls: {name} at most {BAR} of C++ epoll", found[name] <= BAR * found["C++ epoll"]) for name in ("Meteor", "Meteor io_uring")]
