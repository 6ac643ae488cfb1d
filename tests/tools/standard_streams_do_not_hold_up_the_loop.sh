# A task that waits for standard input or for a slow reader of standard output leaves the others running; what a cancelled read had found is
# there for the next one.
set -eu
cat > reads.met <<'MET'
import io

async def main():
    try: await timeout(20ms, io.stdin.read_exact(1000))
    catch TimeoutError: print("nothing lost")
    await scope as s:
        line = s.spawn(io.stdin.read_line())
        await sleep(1ms)
        try: input()
        catch StateError as e: print(e.message[:8])
        print("go")
        print(await line)
    print(input(), await io.stdin.read_text())
MET
cat > writes.met <<'MET'
import io

async def ticks():
    n = 0
    try:
        while true:
            await sleep(5ms)
            n += 1
    finally: print("ran", n > 10, file=io.stderr)

async def main():
    line = "x" * 99 + "\n"
    await scope as s:
        s.service(ticks())
        for _ in range(3000): await io.stdout.write(line)
        await io.stdout.write(line * 2000)
        await io.stdout.flush()
MET
"$METEOR" build reads.met -o reads
"$METEOR" build writes.met -o writes
for reactor in epoll io_uring; do
    export METEOR_REACTOR=$reactor
    rm -f to from
    mkfifo to from
    ./reads < to > from & reads=$!
    exec 3> to 4< from
    printf 'he' >&3
    read -r said <&4 && [ "$said" = "nothing lost" ]
    read -r said <&4 && [ "$said" = "io.stdin" ]
    read -r said <&4 && [ "$said" = "go" ]
    printf 'llo\nwo' >&3
    read -r said <&4 && [ "$said" = "hello" ]
    printf 'rld\nrest' >&3
    exec 3>&-
    read -r said <&4 && [ "$said" = "world rest" ]
    exec 4<&-
    wait $reads
    ./writes 2> errors | { sleep 0.5; wc; } > counted
    read -r lines words bytes < counted
    [ "$lines $bytes" = "5000 500000" ]
    grep -qx "ran true" errors
done
cat > none.met <<'MET'
import io
async def main(): print(await io.stdin.read_line(), await io.stdin.read())
MET
"$METEOR" build none.met -o none
[ "$(./none 0> written)" = 'null b""' ]
for reactor in epoll io_uring; do [ "$(METEOR_REACTOR=$reactor timeout 60 ./none <&-)" = 'null b""' ]; done
