"""CPU time of an HTTP server per request: Meteor beside a raw epoll loop in C++, nginx, Go and Node (those that are installed).

The server runs on one core, wrk on another. `hello` and `json` with 100 and 1,000 connections, `pipelined` sixteen requests at once,
`proxy` in front of the raw loop. The bars: hello and json at most 1.15 times the raw loop, pipelined at least 0.7 of its speed, the
proxy less than nginx.
"""
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
METEOR = os.environ["METEOR"]
SECONDS = int(os.environ.get("SECONDS_EACH", 3))
ROUNDS = int(os.environ.get("ROUNDS", 3))
NGINX = """daemon off; worker_processes 1; error_log stderr crit; pid FOLDER/pid;
events { worker_connections 4096; }
http { access_log off; keepalive_requests 1000000000; client_body_temp_path FOLDER; proxy_temp_path FOLDER; fastcgi_temp_path FOLDER;
  uwsgi_temp_path FOLDER; scgi_temp_path FOLDER; upstream behind { server 127.0.0.1:BEHIND; keepalive 1000; keepalive_requests 1000000000; }
  server { listen 127.0.0.1:PORT backlog=4096; default_type text/plain;
    location /hello { RULE } location /json { default_type application/json; return 200 '{"message":"Hello, World!","id":42,"tags":["a","b","c"]}'; } } }
"""
PIPELINE = """init = function(args)
  local r = {}
  for i = 1, 16 do r[i] = wrk.format("GET", "/hello") end
  req = table.concat(r)
end
request = function() return req end
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def build(folder):
    """The servers that can be built here: name -> command for a port, and for one in front of another."""
    cxx = next(c for c in ("clang++-19", "clang++", "g++") if shutil.which(c))
    subprocess.run([cxx, "-std=c++20", "-O2", "-o", folder / "raw", HERE / "raw.cpp"], check=True)
    subprocess.run([METEOR, "build", "-O2", HERE / "server.met", "-o", folder / "meteor"], check=True)
    servers = {name: lambda port, behind, name=name: [folder / name, port, *([behind] if behind else [])] for name in ("raw", "meteor")}
    if shutil.which("nginx"):
        def nginx(port, behind):
            rule = "proxy_pass http://behind; proxy_http_version 1.1; proxy_set_header Connection '';" if behind else "return 200 'Hello, World!';"
            text = NGINX.replace("FOLDER", str(folder)).replace("PORT", str(port)).replace("BEHIND", str(behind or 1)).replace("RULE", rule)
            (folder / "nginx.conf").write_text(text)
            return ["nginx", "-c", folder / "nginx.conf"]
        servers["nginx"] = nginx
    if shutil.which("go"):
        subprocess.run(["go", "build", "-o", folder / "go", HERE / "server.go"], check=True)
        servers["go"] = lambda port, behind: [folder / "go", port, *([behind] if behind else [])]
    if shutil.which("node"):
        servers["node"] = lambda port, behind: ["node", HERE / "server.js", port, *([behind] if behind else [])]
    return servers


def cpu_seconds(pid):
    """Of the process and its children."""
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)
        except OSError:
            continue
        rest = fields[1].split()
        if int(path.parent.name) == pid or int(rest[1]) == pid:
            total += int(rest[11]) + int(rest[12])
    return total / os.sysconf("SC_CLK_TCK")


def start(command):
    cores = sorted(os.sched_getaffinity(0))
    process = subprocess.Popen(["taskset", "-c", str(cores[0]), *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return process


def wait_for(port):
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise SystemExit(f"nobody listens on {port}")


def measure(command, behind, path, connections, script):
    """Microseconds of CPU per request, and requests per second."""
    cores = sorted(os.sched_getaffinity(0))
    port, other, back = free_port(), 0, None
    if behind:
        other = free_port()
        back = start([behind, other])
        wait_for(other)
    server = start(command(port, other))
    try:
        wait_for(port)
        before = cpu_seconds(server.pid)
        out = subprocess.run(["taskset", "-c", str(cores[-1]), "wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", *script, f"http://127.0.0.1:{port}{path}"],
                             check=True, capture_output=True, text=True).stdout
        used = cpu_seconds(server.pid) - before
        requests = int(re.search(r"(\d+) requests in", out)[1])
        bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
        if bad or requests == 0:
            raise SystemExit(f"{command(port, other)}: {out}")
        return used / requests * 1e6, requests / SECONDS
    finally:
        for process in (server, back):
            if process:
                process.terminate()
                try:
                    process.wait(3)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def main():
    if not shutil.which("wrk"):
        print("x bench http: the package wrk is missing", file=sys.stderr)
        return 2
    missed = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        servers = build(folder)
        (folder / "pipeline.lua").write_text(PIPELINE)
        works = [("hello", "/hello", 100, []), ("hello", "/hello", 1000, []), ("json", "/json", 100, []), ("json", "/json", 1000, []),
                 ("pipelined", "/hello", 100, ["-s", str(folder / "pipeline.lua")]), ("proxy", "/hello", 100, [])]
        print(f"{'work':<12}{'connections':>12}  {'server':<8}{'µs/request':>12}{'requests/s':>12}{'of raw':>8}")
        for work, path, connections, script in works:
            found = {s: [] for s in servers}
            for _ in range(ROUNDS):   # in turn, so that what else the machine does hits all of them
                for server, command in servers.items():
                    found[server].append(measure(command, folder / "raw" if work == "proxy" else None, path, connections, script))
            cost = {s: statistics.median(v[0] for v in values) for s, values in found.items()}
            for server, values in found.items():
                speed = statistics.median(v[1] for v in values)
                print(f"{work:<12}{connections:>12}  {server:<8}{cost[server]:>12.2f}{speed:>12.0f}{cost[server] / cost['raw']:>8.2f}", flush=True)
            if work in ("hello", "json") and cost["meteor"] > 1.15 * cost["raw"]:
                missed.append(f"{work} with {connections} connections: {cost['meteor'] / cost['raw']:.2f} times the raw loop instead of 1.15")
            if work == "pipelined" and cost["raw"] / cost["meteor"] < 0.7:
                missed.append(f"pipelined: {cost['raw'] / cost['meteor']:.2f} of the raw loop's speed instead of 0.7")
            if work == "proxy" and "nginx" in cost and cost["meteor"] > cost["nginx"]:
                missed.append(f"proxy: {cost['meteor'] / cost['nginx']:.2f} times nginx")
    for line in missed:
        print("not met:", line)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
