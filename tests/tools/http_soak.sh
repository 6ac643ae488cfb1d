# Mixed load with disconnects at random, slow clients and malformed requests: every good request is answered right, and afterwards the
# server has as many tasks and descriptors as before, and not more memory. SOAK_SECONDS=600 runs it for ten minutes ('./x bench soak');
# SOAK_LOAD is a program (bench/soak/load.met) that sends some thousand clients beside those of Python, so that memory has reached its height soon;
# SOAK_PATIENCE is how many milliseconds the server waits for a client: a good one that a busy machine holds up longer would look slow.
source "$METEOR_ROOT/tests/tools/expect.bash"

cat > server.met <<'MET'
import fs
import http
import log
import os
import runtime

async def parts(n: int) -> Stream<bytes>:
    for i in range(n):
        yield f"part {i}\n".encode()
        if i % 3 == 0: await sleep(1ms)

async def ticks() -> Stream<str>:
    n = 0
    while true:
        yield str(n)
        n += 1
        await sleep(2ms)

async def talk(ws: http.WebSocket):
    async for message in ws:
        switch message:
            case http.Message.Text(text): await ws.send(text)
            case http.Message.Binary(data): await ws.send(data)

async def memory() -> str:
    for line in (await fs.read_text("/proc/self/status")).splitlines():
        if line.startswith("VmRSS:"): return line.split()[1]
    return "0"

async def state() -> http.Response:
    return http.text(f"{runtime.stats().tasks} {len(os.listdir("/proc/self/fd"))} {await memory()}")

async def main():
    log.set_level(log.Level.Off)
    app = http.Router()
    app.use(http.compressed)
    app.get("/hello/{name}", req -> http.text("hello " + req.params["name"]))
    app.get("/parts/{n}", req -> http.Response(parts(int(req.params["n"]))))
    app.post("/echo", async req -> http.Response(await req.bytes()))
    app.get("/big", req -> http.text("0123456789" * 20_000))
    app.get("/file", req -> http.file("data.bin"))
    app.get("/events", req -> http.events(ticks(), beat=1s))
    app.get("/ws", req -> http.websocket(req, talk))
    app.get("/boom", req -> http.text(str(1 // int("0"))))
    app.get("/state", async req -> await state())
    await fs.write("data.bin", b"x" * 200_000)
    patience = int(os.env["SOAK_PATIENCE"]) * 1ms
    server = await http.listen(read_timeout=patience, write_timeout=patience * 2, idle_timeout=patience * 2, max_body=100_000)
    await fs.write("port.new", str(server.port))
    await fs.rename("port.new", "port")
    await server.serve(app)
MET
"$METEOR" build --debug server.met -o server
export SOAK_PATIENCE=${SOAK_PATIENCE:-600}
./server 2> server.err & server=$!
trap 'kill -KILL $server 2>/dev/null || true' EXIT
for _ in $(seq 500); do [[ -f port ]] && break; sleep 0.02; done

python3 - "$(cat port)" "${SOAK_SECONDS:-6}" <<'PY' || fail "the soak"
import http.client, os, random, socket, subprocess, sys, threading, time

port, seconds = int(sys.argv[1]), float(sys.argv[2])
patience = int(os.environ["SOAK_PATIENCE"]) / 1000
problems, counts = [], {}


def good(rng):
    conn = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for _ in range(rng.randint(1, 5)):
        kind = rng.randint(0, 4)
        if kind == 0:
            name = str(rng.randint(0, 1 << 40))
            conn.request("GET", f"/hello/{name}")
            want = f"hello {name}".encode()
        elif kind == 1:
            n = rng.randint(0, 40)
            conn.request("GET", f"/parts/{n}")
            want = b"".join(b"part %d\n" % i for i in range(n))
        elif kind == 2:
            want = os.urandom(rng.randint(0, 90_000))
            conn.request("POST", "/echo", body=want)
        elif kind == 3:
            conn.request("GET", "/file")
            want = b"x" * 200_000
        else:
            conn.request("GET", "/big")
            want = b"0123456789" * 20_000
        answer = conn.getresponse()
        got = answer.read()
        if answer.status != 200 or got != want:
            problems.append((kind, answer.status, len(got), len(want)))
    conn.close()


def bad(rng):
    sock = socket.create_connection(("127.0.0.1", port), 60)
    kind = rng.randint(0, 8)
    lines = {
        0: b"", 1: b"GET / HTTP/1.1\r\nho", 2: b"GET /big HTTP/1.1\r\nhost: x\r\n\r\n" * 20, 3: b"POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 50000\r\n\r\nabc",
        4: os.urandom(300), 5: b"GET /events HTTP/1.1\r\nhost: x\r\n\r\n", 6: b"POST /echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        7: b"GET /boom HTTP/1.1\r\nhost: x\r\n\r\n",
        8: b"GET /ws HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
           + b"\x81\x85\0\0\0\0hello" + os.urandom(20),
    }
    sock.sendall(lines[kind])
    time.sleep(rng.random() * 0.05)
    if rng.random() < 0.5:
        sock.settimeout(0.2)
        try: sock.recv(rng.randint(1, 5000))
        except OSError: pass
    if rng.random() < 0.3:   # a reset instead of an end
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    sock.close()


def slow(rng):
    """A byte at a time, longer than the server waits."""
    sock = socket.create_connection(("127.0.0.1", port), 60)
    try:
        for byte in b"GET /hello/slow HTTP/1.1\r\nhost: xxxxxxxxxxxxxxxxxxxxxx\r\n":
            sock.sendall(bytes([byte]))
            time.sleep(patience / 25)   # for 57 bytes: more than twice as long as the server waits
        got = sock.recv(1000)
        if got and b" 408 " not in got.split(b"\r\n")[0]: problems.append(("slow", got))
    except OSError: pass
    sock.close()


def run(seed, until):
    rng = random.Random(seed)
    while time.time() < until:
        what = rng.choice((good, good, bad, bad, bad, slow) if seed % 4 == 0 else (good, bad))
        counts[what.__name__] = counts.get(what.__name__, 0) + 1
        try: what(rng)
        except Exception as e:
            if what is good: problems.append(repr(e))


def load(length):
    until = time.time() + length
    threads = [threading.Thread(target=run, args=(i, until)) for i in range(8)]
    for t in threads: t.start()
    for t in threads: t.join()


def state():
    """Once all that was is over."""
    best = None
    for _ in range(60):
        conn = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        conn.request("GET", "/state", headers={"connection": "close"})
        now = tuple(map(int, conn.getresponse().read().split()))
        conn.close()
        if best is None or now[:2] < best[:2]: best = now
        time.sleep(0.05)
    return best


def crowd(clients, seed):
    if "SOAK_LOAD" not in os.environ: return
    said = subprocess.run([os.environ["SOAK_LOAD"], str(port), str(clients), "16", str(seed)], capture_output=True, text=True, timeout=600).stdout
    if ", 0 problems" not in said: problems.append(said)
    words = said.split()
    for name, count in (("good", words[0]), ("bad", words[2])): counts[name] = counts.get(name, 0) + int(count)


SLICE = 30
load(min(seconds / 3, 60))
crowd(10_000, 0)
before = after = state()
samples = [before[2]]
left = seconds - min(seconds / 3, 60)
while left > 0:
    load(min(left, SLICE))
    left -= SLICE
    crowd(2_000, int(left))
    after = state()
    samples.append(after[2])
    if seconds > SLICE:
        print(f"{seconds - max(left, 0):.0f} s: {after[0]} tasks, {after[1]} descriptors, {after[2]} kB; {counts.get('good', 0)} good, {counts.get('bad', 0)} bad, {counts.get('slow', 0)} slow clients, {len(problems)} problems", flush=True)
print(counts, before, after)
assert not problems, problems[:5]
assert counts["good"] > 10, counts
assert after[0] <= before[0] and after[1] <= before[1], (before, after)
if "SOAK_LOAD" in os.environ:   # its height in the first half is that of the second
    half = len(samples) // 2
    assert max(samples[half:]) <= max(samples[:half]) * 1.05 + 256, samples
else:
    assert after[2] <= before[2] * 1.25 + 4000, (before, after)
PY
kill -INT $server
code=0
wait $server || code=$?
[[ $code == 130 ]] || fail "the server after Ctrl-C: $code: $(head -c 500 server.err)"
finish
