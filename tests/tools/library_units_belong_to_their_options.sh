# What was translated with other options is not used; what comes from the cache is what would have been made.
# timeout: 300
source "$METEOR_ROOT/tests/tools/expect.bash"
export METEOR_CACHE_DIR=$PWD/cache
if [[ $METEOR_BUILD == *san ]]; then exit 0; fi
LIMIT_SECONDS=150

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
made() {
    call build --time "$@"
    [[ $code == 0 ]] || fail "build $*: $(head -c 500 err.txt)"
    reused=$(awk '$1 == "reused" { print $2 }' err.txt)
    translated=$(awk '$1 == "translated" { print $2 }' err.txt)
}

made -O2 server.met -o first
[[ $reused == 0 && $(./first) == hello ]] || fail "-O2: $reused units were reused"
made -O0 server.met -o other
[[ $reused == 0 && $(./other) == hello ]] || fail "-O0 after -O2: $reused units were reused"
made -O0 --debug server.met -o other
[[ $reused == 0 && $(./other) == hello ]] || fail "--debug after -O0: $reused units were reused"
made -O2 server.met -o second
[[ $translated == 0 && $(./second) == hello ]] || fail "-O2 once more: $translated units were translated"
cmp first second || fail "from the cache the program is another one"
finish
