# timeout: 240
# HTTP/2 of the server with curl, nghttp and h2load (those that are installed): known before and agreed on over TLS; bodies both ways, files,
# many requests at once, requests that are taken back, and an end that finishes what is in flight.
source "$METEOR_ROOT/tests/tools/expect.bash"

cat > server.met <<'MET'
import fs
import http
import log
import os
import runtime
import tls

async def parts() -> Stream<bytes>:
    for i in range(5):
        yield f"part {i}\n".encode()
        await sleep(1ms)

async def endless() -> Stream<bytes>:
    while true:
        yield b"x" * 10_000
        await sleep(1ms)

async def slow(req: http.Request) -> http.Response:
    await sleep(1s)
    return http.text("finished")

def state() -> http.Response:
    return http.text(f"{runtime.stats().tasks} {len(os.listdir("/proc/self/fd"))}")

async def main():
    log.set_level(log.Level.Off)
    app = http.Router()
    app.get("/hello", req -> http.text(f"hello {req.query.get("name", "you")} {req.scheme} {req.headers["host"].split(":")[0]}"))
    app.get("/big", req -> http.text("0123456789" * 100_000))
    app.get("/parts", req -> http.Response(parts()))
    app.get("/endless", req -> http.Response(endless()))
    app.get("/file", req -> http.file("data.bin"))
    app.get("/slow", slow)
    app.get("/boom", req -> http.text(str(1 // int("0"))))
    app.get("/state", req -> state())
    app.get("/none", req -> http.Response(status=204))
    app.post("/echo", async req -> http.Response(await req.bytes()))
    await fs.write("data.bin", b"x" * 500_000)
    own = tls.make_certificate(["localhost", "127.0.0.1"])
    await fs.write("ca.pem", own.cert)
    config = tls.server(own.cert, own.key, alpn=["h2", "http/1.1"])
    secure = await http.listen(await tls.listen("127.0.0.1", 0, config))
    plain = await http.listen(max_body=1_000_000)
    await fs.write("ports.new", f"{plain.port} {secure.port}\n")
    await fs.rename("ports.new", "ports")
    await scope as s:
        s.spawn(secure.serve(app))
        s.spawn(plain.serve(app))
MET
"$METEOR" build --debug server.met -o server
./server 2> server.err & server=$!
trap 'kill -KILL $server 2>/dev/null || true' EXIT
for _ in $(seq 500); do [[ -f ports ]] && break; sleep 0.02; done
read -r port secure < ports
base="http://127.0.0.1:$port"

is() { [[ $2 == "$3" ]] || fail "$1: '$2' instead of '$3'"; }
get() { curl -sS --max-time 60 --http2-prior-knowledge "$@"; }

if command -v curl > /dev/null && curl -V | grep -q HTTP2; then
    is "hello" "$(get -w ' %{http_version}' "$base/hello?name=a%20b")" "hello a b http 127.0.0.1 2"
    is "big" "$(get "$base/big" | wc -c)" 1000000
    is "parts" "$(get "$base/parts" | tail -1)" "part 4"
    is "file" "$(get "$base/file" | wc -c)" 500000
    is "range" "$(get -r 10-19 -w ' %{http_code}' "$base/file")" "xxxxxxxxxx 206"
    is "head" "$(get -I "$base/big" | tr -d '\r' | grep '^content-length')" "content-length: 1000000"
    is "none" "$(get -w '%{http_code}' "$base/none")" 204
    is "echo" "$(head -c 900000 /dev/zero | get --data-binary @- "$base/echo" | wc -c)" 900000
    is "too large" "$(head -c 1100000 /dev/zero | get --data-binary @- -o /dev/null -w '%{http_code}' "$base/echo")" 413
    is "missing" "$(get -o /dev/null -w '%{http_code}' "$base/nothing")" 404
    is "a handler that fails" "$(get -o /dev/null -w '%{http_code}' "$base/boom")" 500
    is "agreed over TLS" "$(curl -sS --max-time 60 --cacert ca.pem --http2 -w ' %{http_version}' "https://127.0.0.1:$secure/hello")" "hello you https 127.0.0.1 2"
    is "HTTP/1.1 over TLS" "$(curl -sS --max-time 60 --cacert ca.pem --http1.1 -w ' %{http_version}' "https://127.0.0.1:$secure/hello")" "hello you https 127.0.0.1 1.1"
    state() { curl -sS --max-time 60 "$base/state"; }
    before=$(state)
    for _ in 1 2 3 4 5; do get --max-time 0.2 -o /dev/null "$base/endless" 2>/dev/null || true; done
    for _ in $(seq 100); do [[ $(state) == "$before" ]] && break; sleep 0.05; done
    is "after requests that were taken back" "$(state)" "$before"
fi
if command -v h2load > /dev/null; then
    h2load -n 2000 -c 10 -m 20 "$base/hello" > h2load.txt
    grep -q "2000 succeeded" h2load.txt || fail "h2load: $(cat h2load.txt)"
    h2load -n 40 -c 4 -m 10 "https://127.0.0.1:$secure/big" > h2load.txt
    grep -q "40 succeeded" h2load.txt || fail "h2load over TLS: $(cat h2load.txt)"
fi
if command -v nghttp > /dev/null; then
    nghttp "$base/hello" "$base/parts" > nghttp.txt
    grep -q "hello you http 127.0.0.1" nghttp.txt && grep -q "part 4" nghttp.txt || fail "nghttp: $(cat nghttp.txt)"
fi
if command -v curl > /dev/null && curl -V | grep -q HTTP2; then
    get "$base/slow" > slow.txt & slow=$!
    sleep 0.4
    kill -INT $server
    wait $slow || fail "the request in flight failed"
    is "what was in flight" "$(cat slow.txt)" "finished"
    code=0
    wait $server || code=$?
    [[ $code == 130 ]] || fail "the server after Ctrl-C: $code: $(head -c 500 server.err)"
fi
finish
