# The command line of OpenSSL is the other side: as a server that a Meteor client asks, and as a client of a Meteor server, with TLS 1.3
# and 1.2, its own certificates from files, ALPN and session reuse.
source "$METEOR_ROOT/tests/tools/expect.bash"
command -v openssl > /dev/null || { echo "no openssl here"; exit 0; }

quiet() { "$@" > /dev/null 2>&1; }
quiet openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 -subj "/CN=Test authority"
quiet openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr -subj "/CN=localhost"
printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' > names
quiet openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem

cat > client.met << 'MET'
import tls

async def main(args: list<str>):
    config = tls.client(ca="ca.pem", alpn=["http/1.1"])
    for i in range(2):
        conn = await tls.connect("127.0.0.1", int(args[0]), config=config, timeout=20s)
        await conn.write("GET / HTTP/1.0\r\n\r\n")
        first = await conn.read_line()
        await conn.read_all()
        print(conn.version, conn.protocol, conn.resumed, first)
        conn.close()
MET
cat > server.met << 'MET'
import net
import tls

async def answer(conn: net.TcpStream):
    with conn:
        line = await conn.read_line()
        await conn.write(f"heard {line}\n")
        await conn.shutdown()
        await conn.read_all()

async def main():
    listener = await tls.listen("127.0.0.1", 0, tls.server("server.pem", "server.key", alpn=["meteor"]))
    print(listener.port)
    await scope as s:
        async for conn in listener: s.spawn(answer(conn))
MET
"$METEOR" build client.met -o client
"$METEOR" build server.met -o server

python3 - << 'PY'
import socket, subprocess, time

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]

for flag, version in (("-tls1_3", "TLSv1.3"), ("-tls1_2", "TLSv1.2")):
    port = free_port()
    other = subprocess.Popen(["openssl", "s_server", "-accept", str(port), "-cert", "server.pem", "-key", "server.key", "-www", "-alpn", "http/1.1", flag],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.PIPE)
    try:
        for _ in range(200):
            try: socket.create_connection(("127.0.0.1", port)).close(); break
            except OSError: time.sleep(0.05)
        said = subprocess.run(["./client", str(port)], capture_output=True, text=True, timeout=60)
        wanted = [f"{version} http/1.1 {resumed} HTTP/1.0 200 ok" for resumed in ("false", "true")]
        assert said.stdout.splitlines() == wanted, (said.stdout, said.stderr)
    finally:
        other.kill()

server = subprocess.Popen(["./server"], stdout=subprocess.PIPE, text=True)
try:
    port = server.stdout.readline().strip()
    for flag, version in (("-tls1_3", "TLSv1.3"), ("-tls1_2", "TLSv1.2")):
        client = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", "ca.pem", "-verify_return_error", "-alpn", "meteor", "-ign_eof", flag],
                                input="hello\n", capture_output=True, text=True, timeout=60)
        for text in ("heard hello", "Verify return code: 0 (ok)", "ALPN protocol: meteor", f"{version}, Cipher is"):
            assert text in client.stdout, (flag, text, client.stdout, client.stderr)
    other = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", "ca.pem", "-alpn", "other"],
                           input="", capture_output=True, text=True, timeout=60)
    assert "no application protocol" in other.stderr, other.stderr
finally:
    server.kill()
PY
