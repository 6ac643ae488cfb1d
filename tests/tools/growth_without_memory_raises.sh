# What grows piece by piece raises OverflowError where there is no memory for it, as one large allocation does; what was there stays.
# A handler of a server that grows so answers 500, and the server lives on.
# timeout: 300
set -eu

cat > grow.met <<'END'
import compress
import json

const PIECE = 40 << 20

def tries(what: str, grow: func<>):
    try:
        grow()
        print(what, "ended")
    catch OverflowError as e: print(what, "raised")

def main():
    text = "x" * PIECE
    data = b"x" * PIECE
    small = compress.gzip(b"\0" * (30 << 20))
    many = b"".join([small] * 100)

    def add_text():
        s = text
        while true: s = s + text
    def append_text():
        s = "y"
        while true: s += text
    def format_text():
        s = text
        while true: s = f"{s}, {s}"
    def add_bytes():
        b = data
        while true: b = b + data
    def append_to_list():
        kept = [0, 1, 2]
        try:
            while true: kept.append(len(kept))
        finally: print(kept[:3], kept[len(kept) - 1] == len(kept) - 1)
    def extend_list():
        xs = [0]
        while true: xs.extend(xs)
    def add_lists():
        xs = [0] * (1 << 20)
        while true: xs = xs + xs
    def insert_into_list():
        xs = [0] * (10 << 20)
        while true: xs[5:5] = xs
    def fill_buffer():
        b = Buffer()
        while true: b.extend(data)
    def fill_dict():
        i = 0
        d: dict<int, int> = {}
        try:
            while true:
                d[i] = i
                i += 1
        finally: print(len(d) == i, d[0], d[i - 1] == i - 1)
    def fill_set():
        i = 0
        s: set<int> = set()
        while true:
            s.add(i)
            i += 1
    def comprehension():
        xs = [i for i in range(1 << 40)]

    tries("text + text", add_text)
    tries("text += text", append_text)
    tries("f-string", format_text)
    tries("bytes + bytes", add_bytes)
    tries("join", () -> print(len(text.join([text] * 100))))
    tries("join bytes", () -> print(len(b", ".join([data] * 100))))
    tries("replace", () -> print(len(text.replace("x", "0123456789" * 10))))
    tries("replace of nothing", () -> print(len(text.replace("", "0123456789" * 10))))
    tries("replace bytes", () -> print(len(data.replace(b"x", b"0123456789" * 10))))
    tries("append", append_to_list)
    tries("extend", extend_list)
    tries("list + list", add_lists)
    tries("insert", insert_into_list)
    tries("comprehension", comprehension)
    tries("Buffer", fill_buffer)
    tries("dict", fill_dict)
    tries("set", fill_set)
    tries("gunzip", () -> print(len(compress.gunzip(many))))
    tries("json", () -> print(len(json.encode([text] * 100))))
END
cat > grow.expected <<'END'
text + text raised
text += text raised
f-string raised
bytes + bytes raised
join raised
join bytes raised
replace raised
replace of nothing raised
replace bytes raised
[0, 1, 2] true
append raised
extend raised
list + list raised
insert raised
comprehension raised
Buffer raised
true 0 true
dict raised
set raised
gunzip raised
json raised
END
"$METEOR" build -O2 grow.met -o grow
(ulimit -v 1500000; ./grow) > grow.out
diff grow.expected grow.out

cat > serve.met <<'END'
import http

async def grow(req: http.Request) -> http.Response:
    s = "x" * (40 << 20)
    while true: s += s
    return http.text(s)

async def main():
    app = http.Router()
    app.get("/grow", grow)
    app.get("/", async req -> http.text("alive"))
    await scope as s:
        server = await http.listen("127.0.0.1", 0)
        s.service(server.serve(app))
        base = f"http://127.0.0.1:{server.port}"
        for _ in range(3): print((await http.get(base + "/grow")).status)
        print(await (await http.get(base + "/")).text())
END
"$METEOR" build serve.met -o serve
(ulimit -v 1500000; ./serve) > serve.out 2> serve.err
printf '500\n500\n500\nalive\n' | diff - serve.out
