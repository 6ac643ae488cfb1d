# timeout: 240
# curl, wrk, Python's http.client, Node's WebSocket and one written on Python's sockets against the server; the client against Python's server.
source "$METEOR_ROOT/tests/tools/expect.bash"

cat > server.met <<'MET'
import fs
import http

async def parts() -> Stream<bytes>:
    for i in range(5):
        yield f"part {i}\n".encode()
        await sleep(1ms)

async def echo(ws: http.WebSocket):
    async for message in ws:
        switch message:
            case http.Message.Text(text): await ws.send(text)
            case http.Message.Binary(data): await ws.send(data)

async def main():
    app = http.Router()
    app.use(http.compressed)
    app.get("/hello", req -> http.text("hello " + req.query.get("name", "you")))
    app.get("/big", req -> http.text("0123456789" * 1000))
    app.get("/parts", req -> http.Response(parts()))
    app.get("/file", req -> http.file("data.bin"))
    app.post("/echo", async req -> http.Response(await req.bytes()))
    app.get("/ws", req -> http.websocket(req, echo, max_message=100_000))
    await fs.write("data.bin", b"x" * 100_000)
    server = await http.listen()
    await fs.write("port.new", str(server.port))
    await fs.rename("port.new", "port")
    await server.serve(app)
MET
"$METEOR" build --debug server.met -o server
./server & server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in $(seq 500); do [[ -f port ]] && break; sleep 0.02; done
port=$(cat port)
base="http://127.0.0.1:$port"

is() { [[ $2 == "$3" ]] || fail "$1: '$2' instead of '$3'"; }

if command -v curl > /dev/null; then
    is "curl" "$(curl -sS "$base/hello?name=curl%20it")" "hello curl it"
    is "curl, gzip" "$(curl -sS --compressed "$base/big" | wc -c)" 10000
    is "curl, chunks" "$(curl -sS "$base/parts" | tail -1)" "part 4"
    is "curl, range" "$(curl -sS -r 10-19 "$base/file" | wc -c)" 10
    is "curl, expect" "$(head -c 200000 /dev/zero | curl -sS -H "Expect: 100-continue" --data-binary @- "$base/echo" | wc -c)" 200000
    is "curl, chunked upload" "$(head -c 200000 /dev/zero | curl -sS -H "Transfer-Encoding: chunked" --data-binary @- "$base/echo" | wc -c)" 200000
    is "curl, HTTP/1.0" "$(curl -sS -0 "$base/parts" | tail -1)" "part 4"
    is "curl, twice on one connection" "$(curl -sS -w '%{num_connects}' -o /dev/null "$base/hello" -o /dev/null "$base/hello")" 10
    is "curl, head" "$(curl -sSI "$base/big" | tr -d '\r' | grep -i '^content-length')" "content-length: 10000"
fi

if command -v wrk > /dev/null; then
    cat > pipelined.lua <<'LUA'
init = function(args)
  local r = {}
  for i = 1, 16 do r[i] = wrk.format(i % 4 == 0 and "POST" or "GET", i % 4 == 0 and "/echo" or "/hello?name=wrk", nil, i % 4 == 0 and "a body" or nil) end
  req = table.concat(r)
end
request = function() return req end
LUA
    for more in "" "-s pipelined.lua"; do
        wrk -t1 -c20 -d1s $more "$base/hello" > wrk.txt
        grep -q "requests in" wrk.txt || fail "wrk: $(cat wrk.txt)"
        if grep -qE "Non-2xx|Socket errors" wrk.txt; then fail "wrk $more: $(cat wrk.txt)"; fi
    done
fi

if command -v node > /dev/null && node --experimental-websocket -e 'process.exit(typeof WebSocket === "function" ? 0 : 1)' 2> /dev/null; then
    cat > ws.js <<'JS'
const ws = new WebSocket(process.argv[2]);
const sent = ["hello", "h\u00e4ll\u00f6 ".repeat(5000), ""];
let at = 0;
ws.binaryType = "arraybuffer";
ws.onopen = () => sent.forEach((text) => ws.send(text));
ws.onerror = () => process.exit(1);
ws.onmessage = (event) => {
  if (at < sent.length) {
    if (event.data !== sent[at]) process.exit(2);
    if (++at === sent.length) ws.send(new Uint8Array(70000).fill(7));
  } else {
    if (event.data.byteLength !== 70000) process.exit(3);
    ws.close(1000, "done");
  }
};
ws.onclose = (event) => process.exit(event.code === 1000 && event.wasClean ? 0 : 4);
JS
    timeout -s KILL 60 node --experimental-websocket ws.js "ws://127.0.0.1:$port/ws" 2> node.err || fail "Node's WebSocket: $? $(tail -3 node.err)"
fi

python3 - "$port" <<'PY' || fail "Python's clients"
import base64, hashlib, http.client, os, socket, struct, sys

port = int(sys.argv[1])
conn = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
for _ in range(3):
    conn.request("GET", "/hello?name=py")
    answer = conn.getresponse()
    assert (answer.status, answer.read()) == (200, b"hello py")
conn.request("POST", "/echo", body=(b"%d," % i for i in range(1000)), encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
assert conn.getresponse().read() == b"".join(b"%d," % i for i in range(1000))
conn.request("GET", "/parts")
assert conn.getresponse().read().count(b"part") == 5
conn.request("DELETE", "/hello")
answer = conn.getresponse()
assert (answer.status, answer.getheader("Allow")) == (405, "GET, HEAD")
answer.read()


class WebSocket:
    def __init__(self):
        self.sock = socket.create_connection(("127.0.0.1", port), 20)
        key = base64.b64encode(os.urandom(16)).decode()
        self.sock.sendall((f"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                           "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        self.file = self.sock.makefile("rb")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.file.read(1)
        accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        assert head.startswith(b"HTTP/1.1 101 ") and accept in head, head

    def send(self, opcode, data, final=True):
        mask = os.urandom(4)
        size = len(data)
        head = bytes([opcode | (128 if final else 0)])
        head += bytes([128 | size]) if size < 126 else struct.pack(">BH", 254, size) if size < 65536 else struct.pack(">BQ", 255, size)
        self.sock.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def receive(self):
        first, size = self.file.read(2)
        size &= 127
        if size == 126:
            size, = struct.unpack(">H", self.file.read(2))
        elif size == 127:
            size, = struct.unpack(">Q", self.file.read(8))
        return first & 15, self.file.read(size)


for size in (0, 1, 125, 126, 1000, 65535, 65536, 100000):
    ws = WebSocket()
    data = os.urandom(size)
    ws.send(2, data)
    assert ws.receive() == (2, data), size
    ws.send(8, struct.pack(">H", 1000) + b"done")
    assert ws.receive() == (8, struct.pack(">H", 1000))
    assert ws.file.read() == b""
ws = WebSocket()
ws.send(1, "häl".encode()[:2], final=False)   # in the middle of a letter
ws.send(9, b"ping")
ws.send(0, "häl".encode()[2:], final=False)
ws.send(0, b"lo")
assert ws.receive() == (10, b"ping")
assert ws.receive() == (1, "hällo".encode())
ws.send(2, b"x" * 100001)
opcode, data = ws.receive()
assert (opcode, data[:2]) == (8, struct.pack(">H", 1009))
PY

cat > client.met <<'MET'
import http
async def main(args: list<str>):
    base = f"http://127.0.0.1:{args[0]}"
    for i in range(3):
        res = await http.get(base + "/data.bin")
        print(res.status, len(await res.bytes()))
    print((await http.get(base + "/nothing")).status)
MET
python3 - > python.port <<'PY' &
import functools, http.server, os, sys
class Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
print(server.server_port, flush=True)
server.serve_forever()
PY
python=$!
trap 'kill $server $python 2>/dev/null || true' EXIT
"$METEOR" build --debug client.met -o client
is "the client with Python's server" "$(./client "$(cat python.port)")" $'200 100000\n200 100000\n200 100000\n404'

kill -INT $server
code=0
wait $server || code=$?
[[ $code == 130 ]] || fail "the server after Ctrl-C: $code"
finish
