# A program that writes over TLS and ends delivers what it has written; one whose peer takes nothing ends all the same.
cat > reader.met <<'MET'
import fs
import tls
async def main(args: list<str>):
    own = tls.make_certificate(["localhost"])
    await fs.write("ca.pem", own.cert)
    listener = await tls.listen("127.0.0.1", 0, tls.server(own.cert, own.key))
    await fs.write("port.new", str(listener.port))
    await fs.rename("port.new", "port")
    conn = await listener.accept()
    await conn.handshake()
    if args[0] == "none": await sleep(60s)
    n = 0
    while true:
        part = await conn.read(20_000)
        if part == b"": break
        n += len(part)
        await sleep(1ms)
    print("got", n)
MET
cat > writer.met <<'MET'
import tls
async def main(args: list<str>):
    config = tls.client(ca="ca.pem")
    conn = await tls.connect("127.0.0.1", int(args[0]), server_name="localhost", config=config)
    await conn.write(Buffer(int(args[1]), fill=7))
MET
"$METEOR" build reader.met -o reader
"$METEOR" build writer.met -o writer
for reactor in epoll io_uring; do
  export METEOR_REACTOR=$reactor
  rm -f port
  ./reader all > got & reader=$!
  until [ -e port ]; do sleep 0.05; done
  ./writer "$(cat port)" 2000000
  wait $reader
  grep -qx "got 2000000" got || { echo "$reactor: $(cat got)"; exit 1; }
  rm port
  ./reader none > got & reader=$!
  until [ -e port ]; do sleep 0.05; done
  timeout 30 ./writer "$(cat port)" 200000 || { echo "$reactor: the writer does not end"; kill $reader; exit 1; }
  kill $reader
  wait $reader 2> /dev/null || true
done
