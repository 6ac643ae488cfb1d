# meteor explain FILE [FUNC] shows states, frames and error routes, as text, JSON and SVG, from the layout that code is emitted from.
cat > fetch.met <<'END'
async def read(name: str) -> str:
    await sleep(1ms)
    return name

async def fetch(url: str) -> str:
    head = await read(url)
    n = len(head)
    try:
        return await read(head)
    catch TimeoutError as e:
        print(e.message, n)
    finally:
        await read("log")
    return ""

async def apart(n: int) -> int:
    if n > 0:
        a = (n, n, n, n)
        await read("a")
        return a[0]
    b = (n, n, n, n)
    await read("b")
    return b[3]

async def loop(n: int) -> int:
    if n == 0: return 0
    await sleep(1ms)
    return await loop(n - 1)

def evens(n: int):
    for i in range(n): yield i * 2

async def at_once(x: int) -> int: return x + 1

async def main():
    print(await fetch("a"), await apart(1), await loop(2), await at_once(1))
    for x in evens(2): print(x)
END
"$METEOR" explain fetch.met > all.txt
for name in read fetch apart loop evens at_once main; do grep -qE "^(async def|generator) $name -> " all.txt || { echo "no $name"; cat all.txt; exit 1; }; done
grep -q 'never suspends' all.txt
"$METEOR" explain fetch.met fetch > fetch.txt
! grep -q 'async def main' fetch.txt
grep -q 'catch TimeoutError at line 10, else clean-up at line 13, then ends the function' fetch.txt || { cat fetch.txt; exit 1; }
"$METEOR" explain --json fetch.met > all.json
python3 - <<'END'
import json
functions = {f["name"]: f for f in json.load(open("all.json"))["functions"]}

def field(function, name):
    return next(f for f in functions[function]["fields"] if f["name"] == name)

fetch = functions["fetch"]
assert fetch["kind"] == "async def" and fetch["line"] == 5 and fetch["suspends"], fetch
assert [s["line"] for s in fetch["states"]] == [5, 6, 9, 13], fetch["states"]
assert [s["next"] for s in fetch["states"]] == [[1], [2], [3], []], fetch["states"]
assert fetch["states"][1]["on_error"] == [] and fetch["states"][1]["error_leaves"]
assert fetch["states"][2]["on_error"][0] == {"caught": "TimeoutError", "line": 10}
assert field("fetch", "n")["states"] == [2], "an int is not kept before it has a value: " + str(field("fetch", "n"))
assert field("fetch", "url")["states"] == [0] and field("fetch", "url")["type"] == "str" and field("fetch", "url")["size"] == 16
read = field("fetch", "read")
assert read["is_callee"] and read["size"] == functions["read"]["size"] and read["states"] == [1, 2, 3]
a, b = field("apart", "a"), field("apart", "b")
assert a["offset"] == b["offset"] and a["size"] == 32, (a, b)
assert field("loop", "loop")["boxed"] and field("loop", "loop")["size"] == 8
assert not functions["at_once"]["suspends"]
assert functions["evens"]["kind"] == "generator" and functions["evens"]["states"][1]["next"] == [1]
for f in functions.values():
    for piece in f["fields"]:
        assert piece["offset"] >= f["header_size"] and piece["offset"] + piece["size"] <= f["size"], (f["name"], piece)
        for other in f["fields"]:
            apart = other["offset"] >= piece["offset"] + piece["size"] or piece["offset"] >= other["offset"] + other["size"]
            assert other is piece or apart or not set(piece["states"]) & set(other["states"]), (f["name"], piece, other)
END
"$METEOR" explain --svg -o all.svg fetch.met
python3 -c 'import xml.dom.minidom as m; d = m.parse("all.svg"); assert d.documentElement.tagName == "svg" and "await read" in d.toxml()'
code=0
"$METEOR" explain fetch.met nowhere > out.txt 2>&1 || code=$?
[[ $code == 2 ]] && grep -q "called 'nowhere'" out.txt
