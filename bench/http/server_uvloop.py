"""The server of ./x bench http in Python on uvloop: a protocol that looks for the end of heads and for the path."""
import asyncio
import json
import sys

import uvloop


def answer(body, kind):
    return b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ndate: Mon, 16 Nov 2026 06:00:00 GMT\r\ncontent-length: %d\r\n\r\n%s" % (kind, len(body), body)


class Connection(asyncio.Protocol):
    def __init__(self):
        self.data = b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.data += data
        out = []
        while (end := self.data.find(b"\r\n\r\n")) >= 0:
            path = self.data.split(b" ", 2)[1]
            self.data = self.data[end + 4:]
            if path == b"/json":
                out.append(answer(json.dumps({"message": "Hello, World!", "id": 42, "tags": ["a", "b", "c"]}).encode(), b"application/json"))
            else:
                out.append(answer(b"Hello, World!", b"text/plain; charset=utf-8"))
        if out:
            self.transport.write(b"".join(out))


async def main():
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", int(sys.argv[1]), backlog=4096)
    await server.serve_forever()


uvloop.run(main())
