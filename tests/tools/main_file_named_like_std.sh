# The main file may have the name of a module of std: std's own modules still see std's.
source "$METEOR_ROOT/tests/tools/expect.bash"
for name in io time url json os net tls fs log compress; do
    cat >$name.met <<'MET'
import http
async def main():
    server = await http.listen()
    await scope as s:
        s.service(server.serve(req -> http.text("ok")))
        print(await (await http.get(f"http://127.0.0.1:{server.port}/")).text())
MET
    call check $name.met
    [[ $code == 0 ]] || fail "check $name.met: exit code $code $(head -c 500 err.txt)"
done
call run log.met
[[ $code == 0 && $(cat out.txt) == ok ]] || fail "run log.met: '$(cat out.txt)' with exit code $code $(head -c 500 err.txt)"
finish
