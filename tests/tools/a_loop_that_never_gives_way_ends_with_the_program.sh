# One SIGTERM ends a program whose isolate holds on to a loop: after the time that clean-up may take, with its output written.
source "$METEOR_ROOT/tests/tools/expect.bash"

COMMON='import time
def spin() -> int:
    n = 0
    while n >= 0: n = (n &+ 1) & 0xffff
    return n
def tell(name: str):
    print("printed by", name)
    with open(name + ".told", "w") as f: f.write("ready")
'

cat > main_spins.met <<'MET'
async def main():
    try:
        tell("main_spins")
        print(spin())
    finally: print("not reached")
MET

cat > cleanup_spins.met <<'MET'
async def main():
    try:
        tell("cleanup_spins")
        await sleep(60s)
    finally: print(spin())
MET

cat > isolate_spins.met <<'MET'
async def main():
    try:
        h = spawn spin()
        tell("isolate_spins")
        await h
    finally: print("main cleaned up")
MET

cat > scope_spins.met <<'MET'
async def main():
    try:
        await scope(cleanup_timeout=100ms) as s:
            h = spawn spin()
            tell("scope_spins")
            await sleep(60s)
    finally: print("main cleaned up")
MET

cat > job_spins.met <<'MET'
async def main():
    try:
        tell("job_spins")
        await blocking(() -> spin())
    finally: print("main cleaned up")
MET

cat > def_main_spins.met <<'MET'
def wait(ch: Channel<int>) -> int: return ch.recv()
def main():
    h = spawn wait(Channel<int>())
    tell("def_main_spins")
    print(spin())
MET

cat > left_to_the_end.met <<'MET'
async def main():
    h = spawn spin()
    tell("left_to_the_end")
MET

cat > joined.met <<'MET'
def main():
    h = spawn spin()
    tell("joined")
    print(h.join())
MET

cat > failing.met <<'MET'
async def main():
    h = spawn spin()
    tell("failing")
    raise ValueError("main fails")
MET

cat > given_up.met <<'MET'
async def main():
    try:
        await scope(timeout=50ms, cleanup_timeout=50ms) as s:
            h = spawn spin()
            await h
    catch TimeoutError: print("timeout")
MET

# until_has FILE TEXT: waits until the file has the text
until_has() {
    for _ in $(seq 1500); do
        grep -q "$2" "$1" 2>/dev/null && return 0
        sleep 0.02
    done
    fail "no '$2' in $1"
}

# starts NAME: leaves its number in pid_of[NAME]
declare -A pid_of
starts() {
    printf "%s" "$COMMON" > "$1_.met"
    cat "$1.met" >> "$1_.met"
    "$METEOR" build "$1_.met" -o "$1"
    "./$1" > "$1.out" 2> "$1.err" &
    pid_of[$1]=$!
}

# ended NAME CODE: waits for it, and compares the exit code and what it has printed
ended() {
    local code=0 shown
    wait "${pid_of[$1]}" || code=$?
    [[ $code == "$2" ]] || fail "$1: exit code $code instead of $2: $(cat "$1.out" "$1.err")"
    shown=$(cat "$1.out")
    [[ $shown == "$3" ]] || fail "$1 printed: $shown"
}

INTERRUPTED=(main_spins cleanup_spins isolate_spins scope_spins job_spins def_main_spins left_to_the_end joined)
began=$SECONDS
for name in "${INTERRUPTED[@]}"; do
    starts "$name"
    until_has "$name.told" ready
    kill -TERM "${pid_of[$name]}"
done
starts failing
starts given_up
ended main_spins 143 "printed by main_spins"
ended cleanup_spins 143 "printed by cleanup_spins"
ended isolate_spins 143 $'printed by isolate_spins\nmain cleaned up'
ended scope_spins 143 $'printed by scope_spins\nmain cleaned up'
ended job_spins 143 $'printed by job_spins\nmain cleaned up'
ended def_main_spins 143 "printed by def_main_spins"
ended left_to_the_end 143 "printed by left_to_the_end"
ended joined 143 "printed by joined"
ended failing 1 "printed by failing"
ended given_up 0 "timeout"
grep -q "does not stop" isolate_spins.err || fail "isolate_spins does not say what runs on: $(cat isolate_spins.err)"
grep -q "ValueError: main fails" failing.err || fail "failing: $(cat failing.err)"
(( SECONDS - began < 60 )) || fail "it took $((SECONDS - began)) s"
finish
