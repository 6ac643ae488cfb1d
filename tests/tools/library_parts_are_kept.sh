# The library's part of a program is translated once: a changed program, and another that uses the same of the library, find it in the cache.
# timeout: 180
source "$METEOR_ROOT/tests/tools/expect.bash"
export METEOR_CACHE_DIR=$PWD/cache
if [[ $METEOR_BUILD == *san ]]; then exit 0; fi   # what a sanitizer watches is translated in one piece
LIMIT_SECONDS=120   # a first translation of the library on a busy machine

parts() { find cache -name '*.o' -type f | wc -l; }
prints() {
    call "${@:2}"
    [[ $code == 0 && $(cat out.txt) == "$1" ]] || fail "expected '$1', got '$(cat out.txt)' with exit code $code $(head -c 500 err.txt)"
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
made=$(parts)
[[ $made -gt 0 ]] || fail "no part of the library was kept"

sed -i 's/"hello"/"good morning"/' server.met
prints "good morning" run server.met
[[ $(parts) == "$made" ]] || fail "the library was translated again for a changed text: $made parts, then $(parts)"

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
[[ $(parts) == "$made" ]] || fail "the library was translated again for another program: $made parts, then $(parts)"

# A damaged part is made anew.
for part in cache/programs/*.o; do truncate -s -1 "$part"; done
echo '# changed' >>server.met
prints "good morning" run server.met

# Other options, other code.
"$METEOR" build server.met -o server 2>err.txt || fail "build: $(cat err.txt)"
[[ $(./server) == "good morning" ]] || fail "the built program printed something else"
"$METEOR" build --debug server.met -o server 2>err.txt || fail "build --debug: $(cat err.txt)"
[[ $(./server) == "good morning" ]] || fail "the program built for a debugger printed something else"
finish
