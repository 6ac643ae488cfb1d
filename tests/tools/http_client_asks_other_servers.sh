# timeout: 300
# HTTP/1.1 of the client against nginx and Node (those that are installed): connections that are kept and that the server closes, chunks, compression, bodies both ways,
# redirects, HEAD.
source "$METEOR_ROOT/tests/tools/expect.bash"

cat > ask.met <<'MET'
import http
import os

async def parts() -> Stream<bytes>:
    for i in range(20): yield b"p" * 50_000

async def main():
    base = os.args[0]
    has_echo = os.args[1] == "echo"
    client = http.Client()
    for i in range(7):
        res = await client.get(base + "/hello.txt")
        assert res.status == 200 and await res.text() == "hello\n"
    res = await client.get(base + "/page.html")
    text = await res.text()
    print(res.version, len(text), text.startswith("<p>"), "content-encoding" in res.headers)
    plain = http.Client(decompress=false)
    res = await plain.get(base + "/page.html", headers={"Accept-Encoding": "gzip"})
    print(res.headers["content-encoding"], len(await res.bytes()) < 5000)
    res = await client.head(base + "/big.bin")
    print(res.status, res.headers["content-length"], len(await res.bytes()))
    all = await gather([client.get(base + "/big.bin") for i in range(20)])
    print(sum([len(await one.bytes()) for one in all]))
    res = await client.get(base + "/old")
    print(res.status, res.url == base + "/hello.txt", (await res.text()).strip())
    print((await client.get(base + "/missing")).status)
    cut = await client.get(base + "/big.bin")
    await cut.body.read(10)
    cut.body.close()
    if has_echo:
        res = await client.post(base + "/echo", body="x" * 500_000)
        print(len(await res.bytes()))
        res = await client.post(base + "/echo", body=parts())
        print(len(await res.bytes()))
        res = await client.get(base + "/chunks")
        print(await res.text())
        # The server closes what has been idle for a moment: whatever is kept by then is stale.
        for i in range(5):
            await sleep(60ms)
            assert (await client.get(base + "/hello.txt")).status == 200
    client.close_idle()
    plain.close_idle()
MET
"$METEOR" build --debug ask.met -o ask
mkdir root
echo hello > root/hello.txt
head -c 300000 /dev/zero > root/big.bin
{ for i in $(seq 2000); do echo "<p>line $i</p>"; done; } > root/page.html
size=$(wc -c < root/page.html)

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
until_open() { for _ in $(seq 200); do (exec 3<>"/dev/tcp/127.0.0.1/$1") 2> /dev/null && return; sleep 0.05; done; fail "nobody listens on $1"; }
is() { [[ $2 == "$3" ]] || fail "$1: '$2' instead of '$3'"; }
servers=()
trap 'for p in "${servers[@]}"; do kill -KILL $p 2> /dev/null || true; done' EXIT
common=$'HTTP/1.1 '$size$' true false\ngzip true\n200 300000 0\n6000000\n200 true hello\n404'

nginx=$(command -v nginx || ls /usr/sbin/nginx 2> /dev/null || true)
if [[ -n $nginx ]]; then
    port=$(free_port)
    cat > nginx.conf <<CONF
daemon off;
master_process off;
pid $PWD/nginx.pid;
error_log $PWD/nginx.err;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path $PWD/body; proxy_temp_path $PWD/proxy; fastcgi_temp_path $PWD/fast; uwsgi_temp_path $PWD/uwsgi; scgi_temp_path $PWD/scgi;
    keepalive_requests 3;
    gzip on; gzip_min_length 100;
    types { text/html html; text/plain txt; }
    server {
        listen 127.0.0.1:$port;
        root $PWD/root;
        location = /old { return 302 /hello.txt; }
    }
}
CONF
    "$nginx" -p "$PWD" -c "$PWD/nginx.conf" 2> /dev/null & servers+=($!)
    until_open "$port"
    is nginx "$(timeout -s KILL 120 ./ask "http://127.0.0.1:$port" none 2>&1)" "$common"
fi

if command -v node > /dev/null; then
    port=$(free_port)
    cat > server.js <<'JS'
const http = require("http"), zlib = require("zlib"), fs = require("fs");
const server = http.createServer((req, res) => {
  if (req.url === "/echo") { req.pipe(res); return; }
  if (req.url === "/old") { res.writeHead(302, { location: "/hello.txt" }); res.end(); return; }
  if (req.url === "/chunks") { res.write("one "); setTimeout(() => { res.write("two "); setTimeout(() => res.end("three"), 5); }, 5); return; }
  let data;
  try { data = fs.readFileSync("root" + req.url); } catch { res.writeHead(404); res.end(); return; }
  if (req.url.endsWith(".html") && /gzip/.test(req.headers["accept-encoding"] || "")) {
    res.setHeader("content-encoding", "gzip");
    res.end(zlib.gzipSync(data));
    return;
  }
  res.setHeader("content-length", data.length);
  res.end(req.method === "HEAD" ? undefined : data);
});
server.keepAliveTimeout = 50;
server.listen(Number(process.argv[2]), "127.0.0.1");
JS
    node server.js "$port" & servers+=($!)
    until_open "$port"
    is node "$(timeout -s KILL 120 ./ask "http://127.0.0.1:$port" echo 2>&1)" "$common"$'\n500000\n1000000\none two three'
fi
finish
