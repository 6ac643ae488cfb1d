# `meteor ps PID` shows the scopes and tasks of every isolate of a running program, which goes on; a process that is no Meteor program is left alone.
source "$METEOR_ROOT/tests/tools/expect.bash"
cat > waits.met <<'END'
async def nap(): await sleep(60s)

async def elsewhere(ch: Channel<int>) -> int: return await ch.recv()

async def main():
    ch: Channel<int> = Channel(1)
    other = spawn elsewhere(ch)
    await scope as s:
        for i in range(4): s.spawn(nap())
        await sleep(100ms)
        print("waits")
        await sleep(4s)
        await ch.send(7)
        print(await other)
        s.cancel()
END
"$METEOR" build --debug waits.met -o waits
./waits > out 2> err &
pid=$!
until grep -q waits out; do sleep 0.1; done
"$METEOR" ps $pid > seen
"$METEOR" ps $pid > again   # it can be asked any number of times
wait $pid
[[ $(cat out) == $'waits\n7' && ! -s err ]]
expect() { grep -qE -- "$1" seen || { echo "missing: $1"; cat seen; exit 1; }; }
expect '^task dump of isolate 1: 5 tasks'
expect '^  main waits at waits.met:[0-9]+ for a timer'
expect '^    scope: 4 open$'
expect '^      nap waits at waits.met:1 for a timer, .* so far \(and 3 more like it\)$'
expect '^task dump of isolate 2: 1 tasks'
expect '^  elsewhere waits at waits.met:3 for a value in a channel'
grep -q '^task dump of isolate 2' again

sleep 60 &
other=$!
if "$METEOR" ps $other 2> err; then exit 1; fi
grep -q "process $other is no Meteor program with tasks" err
kill $other   # it lives
if "$METEOR" ps 2> err; then exit 1; fi
grep -q 'usage: meteor ps PID' err
