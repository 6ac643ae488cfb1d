# Ctrl-C and SIGTERM cancel main's scope: clean-up runs; a second Ctrl-C ends at once.
source "$METEOR_ROOT/tests/tools/expect.bash"

# Standard output that is not a terminal is written late: what the script waits for goes to a file.
TELL='def tell(text: str):
    print(text)
    with open("told", "a") as f: f.write(text)
'

cat > wait.met <<'MET'
async def child():
    try: await sleep(60s)
    finally:
        await sleep(5ms)
        print("child cleaned")

async def main():
    defer print("deferred")
    await scope as s:
        s.spawn(child())
        tell("ready")
        await sleep(60s)
MET

cat > stubborn.met <<'MET'
async def main():
    try:
        tell("ready")
        await sleep(60s)
    finally:
        tell("cleaning")
        await sleep(4s)
        print("not here")
MET

cat > busy.met <<'MET'
async def main():
    tell("ready")
    try:
        while true: await yield_now()
    finally: print("left the loop")
MET

cat > catches.met <<'MET'
async def main() -> int:
    tell("ready")
    try: await sleep(60s)
    catch Cancelled: print("stopped by hand")
    return 7
MET

printf "%s" "$TELL" >> wait.met; "$METEOR" build wait.met -o wait
printf "%s" "$TELL" >> stubborn.met; "$METEOR" build stubborn.met -o stubborn
printf "%s" "$TELL" >> busy.met; "$METEOR" build busy.met -o busy
printf "%s" "$TELL" >> catches.met; "$METEOR" build catches.met -o catches

# until_has FILE TEXT: waits until the file has the text
until_has() {
    for _ in $(seq 500); do
        grep -q "$2" "$1" 2>/dev/null && return 0
        sleep 0.02
    done
    fail "no '$2' in $1"
}

# ends PROGRAM SIGNAL CODE: starts it, sends the signal when it is ready, and compares the exit code
ends() {
    rm -f told
    "./$1" > "$1.out" 2> "$1.err" &
    local pid=$! code=0
    until_has told ready
    kill "-$2" "$pid"
    wait "$pid" || code=$?
    [[ $code == "$3" ]] || fail "$1 after $2: exit code $code instead of $3: $(cat "$1.out" "$1.err")"
}

printed() { [[ $(cat "$1") == "$2" ]] || fail "$1: $(cat "$1")"; }

ends wait INT 130
printed wait.out $'ready\nchild cleaned\ndeferred'
printed wait.err ""
ends wait TERM 143
printed wait.out $'ready\nchild cleaned\ndeferred'
ends busy INT 130
printed busy.out $'ready\nleft the loop'
ends catches TERM 7
printed catches.out $'ready\nstopped by hand'

# the second one does not wait for the clean-up
rm -f told
./stubborn > stubborn.out 2>&1 &
pid=$!
until_has told ready
kill -INT "$pid"
until_has told cleaning
kill -INT "$pid"
code=0
wait "$pid" || code=$?
[[ $code == 130 ]] || fail "second Ctrl-C: exit code $code"
finish
