# timeout: 300
# HTTP/2 of the client against nghttpd, nginx and Node (those that are installed): agreed on over TLS, many requests at once, bodies both
# ways, a server that ends in between.
source "$METEOR_ROOT/tests/tools/expect.bash"

cat > ask.met <<'MET'
import http
import os
import tls

async def parts() -> Stream<bytes>:
    for i in range(20): yield b"p" * 50_000

async def main():
    base = os.args[0]
    has_echo = os.args[1] == "echo"
    client = http.Client(tls=tls.client(ca="cert.pem"))
    res = await client.get(base + "/hello.txt")
    print(res.version, res.status, (await res.text()).strip())
    all = await gather([client.get(base + "/big.bin") for i in range(20)])
    sizes = [len(await one.bytes()) for one in all]
    print(sum(sizes))
    all = await gather([client.get(f"{base}/hello.txt?{i}") for i in range(200)])
    count = 0
    for one in all:
        if (await one.text()).strip() == "hello": count += 1
    print(count)
    print((await client.get(base + "/missing")).status)
    cut = await client.get(base + "/big.bin")
    await cut.body.read(10)
    cut.body.close()
    if has_echo:
        res = await client.post(base + "/echo", body="x" * 500_000)
        print(len(await res.bytes()))
        res = await client.post(base + "/echo", body=parts())
        print(len(await res.bytes()))
    res = await client.get(base + "/hello.txt")
    print(res.version, (await res.text()).strip())
    if len(os.args) > 2:
        f = open("again", "w")
        f.close()
        while not os.exists("restarted"): await sleep(20ms)
        res = await client.get(base + "/hello.txt")
        print(res.version, (await res.text()).strip())
MET
"$METEOR" build --debug ask.met -o ask
mkdir root
echo hello > root/hello.txt
head -c 300000 /dev/zero > root/big.bin
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2> /dev/null

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
until_open() { for _ in $(seq 200); do (exec 3<>"/dev/tcp/127.0.0.1/$1") 2> /dev/null && return; sleep 0.05; done; fail "nobody listens on $1"; }
is() { [[ $2 == "$3" ]] || fail "$1: '$2' instead of '$3'"; }
asked=0
servers=()
trap 'for p in "${servers[@]}"; do kill -KILL $p 2> /dev/null || true; done' EXIT
plain=$'HTTP/2 200 hello\n6000000\n200\n404\nHTTP/2 hello'
echoing=$'HTTP/2 200 hello\n6000000\n200\n404\n500000\n1000000\nHTTP/2 hello'

nghttpd=$(command -v nghttpd || ls /usr/sbin/nghttpd 2> /dev/null || true)
if [[ -n $nghttpd ]]; then
    port=$(free_port)
    "$nghttpd" -a 127.0.0.1 -d root --echo-upload "$port" key.pem cert.pem > nghttpd.out 2>&1 & servers+=($!)
    until_open "$port"
    is nghttpd "$(timeout -s KILL 120 ./ask "https://localhost:$port" none 2>&1)" "$plain"
    asked=$((asked + 1))
fi

nginx=$(command -v nginx || ls /usr/sbin/nginx 2> /dev/null || true)
if [[ -n $nginx ]] && "$nginx" -V 2>&1 | grep -q http_v2; then
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
    http2_max_concurrent_streams 16;
    keepalive_requests 50;
    server {
        listen 127.0.0.1:$port ssl http2;
        ssl_certificate $PWD/cert.pem;
        ssl_certificate_key $PWD/key.pem;
        root $PWD/root;
    }
}
CONF
    "$nginx" -p "$PWD" -c "$PWD/nginx.conf" > nginx.out 2>&1 & servers+=($!)
    until_open "$port"
    is nginx "$(timeout -s KILL 120 ./ask "https://localhost:$port" none 2>&1)" "$plain"
    asked=$((asked + 1))
fi

if command -v node > /dev/null; then
    port=$(free_port)
    cat > server.js <<'JS'
const http2 = require('http2'), fs = require('fs');
const server = http2.createSecureServer({ key: fs.readFileSync('key.pem'), cert: fs.readFileSync('cert.pem') });
server.on('stream', (stream, headers) => {
  stream.on('error', () => {});
  const path = headers[':path'].split('?')[0];
  if (path === '/echo') {
    const parts = [];
    stream.on('data', part => parts.push(part));
    stream.on('end', () => { stream.respond({ ':status': 200 }); stream.end(Buffer.concat(parts)); });
    return;
  }
  if (path === '/missing') { stream.respond({ ':status': 404 }); stream.end('no'); return; }
  stream.additionalHeaders({ ':status': 103, link: '</x>' });
  stream.respond({ ':status': 200 }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '1' }));
  stream.end(fs.readFileSync('root' + path));
});
server.listen(Number(process.argv[2]), '127.0.0.1');
JS
    node server.js "$port" > node.out 2>&1 & first=$!; servers+=($first)
    until_open "$port"
    timeout -s KILL 120 ./ask "https://localhost:$port" echo restart > asked.txt 2>&1 & client=$!
    for _ in $(seq 600); do [[ -f again ]] && break; sleep 0.1; done
    kill -KILL $first
    wait $first 2> /dev/null || true
    node server.js "$port" >> node.out 2>&1 & servers+=($!)
    until_open "$port"
    touch restarted
    wait $client || fail "node: $(cat asked.txt)"
    is node "$(cat asked.txt)" "$echoing"$'\nHTTP/2 hello'
    asked=$((asked + 1))
fi
[[ $asked -gt 0 ]] || echo "no other server is installed: nghttp2-server, nginx-light or nodejs would do"
finish
