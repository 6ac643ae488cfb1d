# The library's code is translated once: a changed program, and another that uses the same of the library or more, find it in the cache.
# timeout: 240
source "$METEOR_ROOT/tests/tools/expect.bash"
export METEOR_CACHE_DIR=$PWD/cache
if [[ $METEOR_BUILD == *san ]]; then exit 0; fi   # what a sanitizer watches is translated in one piece
LIMIT_SECONDS=120   # a first translation of the library on a busy machine

# prints TEXT COMMAND…: the program printed TEXT; `reused` and `translated` are the numbers of units.
prints() {
    call "$2" --time "${@:3}"
    [[ $code == 0 && $(cat out.txt) == "$1" ]] || fail "expected '$1', got '$(cat out.txt)' with exit code $code $(head -c 500 err.txt)"
    reused=$(awk '$1 == "reused" { print $2 }' err.txt)
    translated=$(awk '$1 == "translated" { print $2 }' err.txt)
}

cat >server.met <<'MET'
import http

async def main():
    app = http.Router()
    app.get("/", async req -> http.text("hello"))
    server = await http.listen()
    await scope() as s:
        s.service(server.serve(app))
        print(await (await http.get(f"http://127.0.0.1:{server.port}/")).text())
MET
prints hello run server.met
[[ $reused == 0 && $translated -gt 0 ]] || fail "with an empty cache $reused units were reused and $translated translated"
all=$translated

sed -i 's/"hello"/"good morning"/' server.met
prints "good morning" run server.met
[[ $reused == "$all" && $translated == 0 ]] || fail "a changed text: of $all units $reused were reused, $translated translated"

# Classes, functions, closures and lists of its own; the library's code stays the same.
cat >other.met <<'MET'
import http

class Visit:
    name: str
    count: int = 0
    def greet(self) -> str:
        self.count += 1
        return f"{self.name} {self.count}"

visits = [Visit("a"), Visit("b")]
def pick(i: int) -> Visit: return visits[i]

async def main():
    app = http.Router()
    app.get("/", async req -> http.text(", ".join([pick(i).greet() for i in range(len(visits))])))
    server = await http.listen()
    await scope() as s:
        s.service(server.serve(app))
        print(await (await http.get(f"http://127.0.0.1:{server.port}/")).text())
MET
prints "a 1, b 1" run other.met
[[ $translated == 0 ]] || fail "another program: $reused units were reused, $translated translated"

# More of the library, and less: what is known is reused all the same.
cat >more.met <<'MET'
import http
import json

async def main():
    app = http.Router()
    app.post("/sum", async req -> http.text(str(sum(json.decode<list<int>>(await req.text())))))
    server = await http.listen()
    await scope() as s:
        s.service(server.serve(app))
        print(await (await http.post(f"http://127.0.0.1:{server.port}/sum", body="[1, 2, 3]")).text())
MET
prints 6 run more.met
[[ $reused -gt $((translated * 4)) ]] || fail "a program that uses more: $reused units were reused, $translated translated"

# A damaged unit is made anew, the others are still there.
store=$(echo cache/programs/*.units)
python3 - "$store" <<'PY'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.find(b"\x7fELF")
data[at:at + 4] = b"oops"
open(sys.argv[1], "wb").write(data)
PY
echo '# changed' >>server.met
prints "good morning" run server.met
[[ $translated == 1 && $reused == $((all - 1)) ]] || fail "one damaged unit: $reused units were reused, $translated translated"
truncate -s -1 "$store"
echo '# changed' >>server.met
prints "good morning" run server.met
[[ $translated == "$all" ]] || fail "a store without its end: $reused units were reused, $translated translated"

# Two compilers at once.
METEOR_CACHE_DIR=$PWD/both
(timeout "$LIMIT_SECONDS" "$METEOR" run server.met >first.txt 2>&1) &
prints "a 1, b 1" run other.met
wait
[[ $(cat first.txt) == "good morning" ]] || fail "beside another compiler: $(head -c 500 first.txt)"
METEOR_CACHE_DIR=$PWD/cache
finish
