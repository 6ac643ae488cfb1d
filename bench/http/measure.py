"""CPU time of an HTTP server per request: Meteor beside a raw epoll loop in C++, nginx, hyper and axum, Go, Node, Bun, Deno and Python on uvloop (those
that can be had here; the others are named with the reason).

The server runs on one core, wrk on another. `hello` and `json` with 100 and 1,000 connections, `pipelined` sixteen requests at once,
`proxy` in front of the raw loop. The bars: hello and json at most 1.15 times the raw loop, pipelined at least 0.7 of its speed, the
proxy less than nginx.

./x bench http [WORK…] [--only=SERVER,…] [--build]: some works (hello, hello1000, json, json1000, pipelined, proxy), some servers, or build them and
measure nothing. What was built lies in the build folder for the next time. SECONDS_EACH and ROUNDS say how long each is measured.
"""
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
METEOR = os.environ["METEOR"]
FOLDER = Path(METEOR).resolve().parent.parent / "bench-http"
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
WORKS = {"hello": ("/hello", 100, False), "hello1000": ("/hello", 1000, False), "json": ("/json", 100, False), "json1000": ("/json", 1000, False),
         "pipelined": ("/hello", 100, True), "proxy": ("/hello", 100, False)}
NO_PROXY = {"axum", "uvloop"}   # say nothing of proxies


def run(*command, **more):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)


def with_arguments(*command):
    return lambda port, behind: [*command, port, *([behind] if behind else [])]


def make_raw():
    cxx = next(c for c in ("clang++-19", "clang++", "g++") if shutil.which(c))
    run(cxx, "-std=c++20", "-O2", "-o", FOLDER / "raw", HERE / "raw.cpp")
    return with_arguments(FOLDER / "raw")


def make_meteor():
    run(METEOR, "build", "-O2", HERE / "server.met", "-o", FOLDER / "meteor")
    return with_arguments(FOLDER / "meteor")


def make_nginx():
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    run(program, "-v")

    def nginx(port, behind):
        rule = "proxy_pass http://behind; proxy_http_version 1.1; proxy_set_header Connection '';" if behind else "return 200 'Hello, World!';"
        text = NGINX.replace("FOLDER", str(FOLDER)).replace("PORT", str(port)).replace("BEHIND", str(behind or 1)).replace("RULE", rule)
        (FOLDER / "nginx.conf").write_text(text)
        return [program, "-c", FOLDER / "nginx.conf"]
    return nginx


def make_rust(name):
    run("cargo", "build", "--release", "--bin", name, cwd=HERE / "rust", env=os.environ | {"CARGO_TARGET_DIR": str(FOLDER / "rust")})
    return with_arguments(FOLDER / "rust/release" / name)


def make_go():
    run("go", "build", "-o", FOLDER / "go", HERE / "server.go")
    return with_arguments(FOLDER / "go")


def make_node():
    run("node", "--version")
    return with_arguments("node", HERE / "server.js")


def from_npm(name, pattern, *options):
    """Bun and Deno are programs of their own inside packages of npm."""
    if not list((FOLDER / "npm").glob(pattern)):
        run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", FOLDER / "npm", name)
    program = next((FOLDER / "npm").glob(pattern))
    program.chmod(0o755)
    run(program, "--version")
    return with_arguments(program, *options, HERE / f"server.{name}.js")


def make_uvloop():
    python = FOLDER / "python/bin/python"
    if not python.exists():
        venv.create(FOLDER / "python", with_pip=True)
        run(python, "-m", "pip", "install", "-q", "uvloop")
    run(python, "-c", "import uvloop")
    return with_arguments(python, HERE / "server_uvloop.py")


SERVERS = {
    "raw": make_raw, "meteor": make_meteor, "nginx": make_nginx, "hyper": lambda: make_rust("hyper"), "axum": lambda: make_rust("axum"), "go": make_go,
    "node": make_node, "bun": lambda: from_npm("bun", "node_modules/@oven/bun-linux-x64/bin/bun"),
    "deno": lambda: from_npm("deno", "node_modules/@deno/linux-x64-glibc/deno", "run", "--allow-net"), "uvloop": make_uvloop,
}


def build(wanted):
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "pipeline.lua").write_text(PIPELINE)
    servers = {}
    for name in wanted:
        try:
            servers[name] = SERVERS[name]()
        except (OSError, StopIteration) as e:
            print(f"{name}: can't be had here: {e or type(e).__name__}")
        except subprocess.CalledProcessError as e:
            lines = e.stderr.decode(errors="replace").strip().splitlines() or [str(e)]
            print(f"{name}: can't be had here: {lines[-1]}")
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


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(command):
    cores = sorted(os.sched_getaffinity(0))
    return subprocess.Popen(["taskset", "-c", str(cores[0]), *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(port):
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError(f"nobody listens on {port}")


def end(process):
    if not process:
        return
    process.terminate()
    try:
        process.wait(3)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def measure(command, work):
    """Microseconds of CPU per request, and requests per second."""
    path, connections, pipelined = WORKS[work]
    cores = sorted(os.sched_getaffinity(0))
    port, other, back = free_port(), 0, None
    if work == "proxy":
        other = free_port()
        back = start([FOLDER / "raw", other])
        wait_for(other)
    server = start(command(port, other))
    try:
        wait_for(port)
        script = ["-s", FOLDER / "pipeline.lua"] if pipelined else []
        before = cpu_seconds(server.pid)
        out = subprocess.run(["taskset", "-c", str(cores[-1]), "wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", *script, f"http://127.0.0.1:{port}{path}"],
                             check=True, capture_output=True, text=True).stdout
        used = cpu_seconds(server.pid) - before
        requests = int(re.search(r"(\d+) requests in", out)[1])
        if requests == 0 or re.search(r"Non-2xx or 3xx responses: (\d+)", out):
            raise RuntimeError(f"wrong answers: {out}")
        return used / requests * 1e6, requests / SECONDS
    finally:
        end(server)
        end(back)


def missed_bars(work, cost):
    if "meteor" not in cost or "raw" not in cost:
        return []
    ratio = cost["meteor"] / cost["raw"]
    if work.startswith(("hello", "json")) and ratio > 1.15:
        return [f"{work}: {ratio:.2f} times the raw loop instead of 1.15"]
    if work == "pipelined" and 1 / ratio < 0.7:
        return [f"pipelined: {1 / ratio:.2f} of the raw loop's speed instead of 0.7"]
    if work == "proxy" and "nginx" in cost and cost["meteor"] > cost["nginx"]:
        return [f"proxy: {cost['meteor'] / cost['nginx']:.2f} times nginx"]
    return []


def main():
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    works = [a for a in sys.argv[1:] if not a.startswith("--")] or list(WORKS)
    only = next((o[7:].split(",") for o in options if o.startswith("--only=")), list(SERVERS))
    if unknown := [w for w in works if w not in WORKS] + [s for s in only if s not in SERVERS]:
        print(f"x bench http: there is no {unknown[0]}; works: {', '.join(WORKS)}; servers: {', '.join(SERVERS)}", file=sys.stderr)
        return 2
    servers = build(dict.fromkeys(["raw", *only]))
    if "--build" in options:
        return 0
    if not shutil.which("wrk"):
        print("x bench http: the package wrk is missing", file=sys.stderr)
        return 2
    missed = []
    print(f"{'work':<12}{'server':<8}{'µs/request':>12}{'least':>8}{'most':>8}{'requests/s':>12}{'of raw':>8}")
    for work in works:
        found = {s: [] for s in servers if work != "proxy" or s not in NO_PROXY}
        for _ in range(ROUNDS):   # in turn, so that what else the machine does hits all of them
            for server, values in found.items():
                try:
                    values.append(measure(servers[server], work))
                except (RuntimeError, subprocess.CalledProcessError) as e:
                    print(f"{work}: {server}: {e}", flush=True)
        cost = {s: statistics.median(v[0] for v in values) for s, values in found.items() if values}
        for server, micros in cost.items():
            each = [v[0] for v in found[server]]
            speed = statistics.median(v[1] for v in found[server])
            print(f"{work:<12}{server:<8}{micros:>12.2f}{min(each):>8.2f}{max(each):>8.2f}{speed:>12.0f}{micros / cost.get('raw', float('nan')):>8.2f}", flush=True)
        missed += missed_bars(work, cost)
    for line in missed:
        print("not met:", line)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
