# `meteor trace FILE` runs a program and writes what its tasks did as Chrome's trace events and as a page that needs nothing else.
source "$METEOR_ROOT/tests/tools/expect.bash"
cat > demo.met <<'END'
import net

async def echo(conn: net.TcpStream):
    with conn:
        async for line in conn.lines(): await conn.write(line + "\n")

async def talk(port: int):
    conn = await net.connect("127.0.0.1", port)
    for i in range(3):
        await conn.write(f"hello {i}\n")
        await conn.read_line()
        await sleep(1ms)

async def count(n: int, out: Channel<int>):
    for i in range(n): await out.send(i)
    out.close()

async def main(args: list<str>):
    ch = Channel<int>(1)
    other = spawn count(5, ch)
    listener = await net.listen("127.0.0.1", 0)
    await scope as s:
        s.service(listener.serve(echo))
        for i in range(4): s.spawn(talk(listener.port))
    total = 0
    async for x in ch: total += x
    print(args, total)
END
"$METEOR" trace --debug demo.met a b > out 2> err
[[ $(cat out) == '["a", "b"] 10' ]]
grep -q '^demo.trace.html: open it in a browser; demo.trace.json is for ui.perfetto.dev$' err

python3 - <<'PY'
import json, re

events = json.load(open("demo.trace.json"))["traceEvents"]
def of(ph, cat, **wanted): return [e for e in events if e["ph"] == ph and e.get("cat") == cat and all(e.get(k) == v for k, v in wanted.items())]

assert len(of("b", "task", name="talk")) == 4 and len(of("e", "task", name="talk")) == 4, "spawn and end"
assert len(of("b", "task", name="echo")) == 4, "tasks of a service"
turns = of("X", "turn")
assert {"main", "talk", "echo", "count"} <= {e["name"] for e in turns}, "turns"
assert all(e["dur"] >= 0 and e["ts"] >= 0 for e in turns)
waits = {e["args"].get("waits for") for e in turns if e["name"] == "talk"}
assert "a timer" in waits, waits
assert any(e["args"].get("line") == 12 and e["args"]["at"].endswith("demo.met") for e in turns), "where it waited"
assert sum(e["args"]["bytes"] for e in events if e.get("cat") == "io" and e["name"] == "send") == 4 * 3 * 8 * 2, "bytes"
assert {e["tid"] for e in turns} == {1, 2}, "both isolates"
assert of("s", "hop") and of("f", "hop"), "hops"
assert of("X", "sleep") and of("s", "wake") and of("f", "wake")
for tid in (1, 2):   # one turn at a time
    own = sorted((e["ts"], e["ts"] + e["dur"]) for e in turns if e["tid"] == tid)
    assert all(a[1] <= b[0] + 0.01 for a, b in zip(own, own[1:])), "turns overlap"

page = open("demo.trace.html").read()
assert not re.search(r"(src|href)\s*=", page) and "@import" not in page, "nothing from outside"
inside = page.split('<script type="application/json" id="events">')[1].split("</script>")[0]
assert json.loads(inside)["traceEvents"] == events
PY

# Chromium, where there is one, draws it without an error.
browser=$(command -v chromium || command -v google-chrome || true)
if [[ -n $browser ]]; then
    "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=3000 --dump-dom "file://$PWD/demo.trace.html" > dom 2> browser.err
    grep -q '<title>Meteor trace: .* 2 isolates · .* tasks · .* turns · 48 transfers' dom || { grep -i '<title' dom; cat browser.err; exit 1; }
fi

# Its exit code is the program's; one without tasks has nothing to show.
echo 'import os
print("no tasks")
os.exit(3)' > plain.met
code=0
"$METEOR" trace --debug plain.met > out 2> err || code=$?
[[ $code == 3 && $(cat out) == "no tasks" ]]
grep -q 'nothing was recorded' err
[[ ! -e plain.trace.html ]]

# Isolates that only compute are seen at work, threads for files are no isolate.
cat > work.met <<'END'
import fs

def crunch(n: int) -> int:
    t = 0
    for i in range(n): t = (t * 31 + i) % 1_000_003
    return t

async def main():
    h = spawn crunch(1_000_000)
    print(await h, len(await fs.read_bytes("work.met")) > 0)
END
"$METEOR" trace work.met > out 2> err
python3 - <<'PY'
import json
events = json.load(open("work.trace.json"))["traceEvents"]
work = [e for e in events if e.get("cat") == "work"]
assert len(work) == 1 and work[0]["tid"] == 2 and work[0]["dur"] > 0, work
names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
assert names[1] == "isolate 1" and names[2] == "isolate 2" and names.get(0, "other threads") == "other threads", names
waits = {e["args"].get("waits for") for e in events if e.get("cat") == "turn"}
assert "the file system" in waits, waits
PY
