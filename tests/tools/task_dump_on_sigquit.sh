# SIGQUIT writes the tree of scopes of every isolate to stderr, and the program goes on.
cat > waits.met <<'END'
import time

@extern("met_flush")
def flush()

async def nap(): await sleep(60s)

async def turn_round(stop: Event):
    while not stop.is_set(): await yield_now()

async def group(stop: Event):
    await scope(limit=2, timeout=50s) as s:
        for i in range(5): s.spawn(nap())

async def elsewhere(ch: Channel<int>) -> int: return await ch.recv()

def crunch() -> int:
    until = time.now() + 300ms
    n = 0
    while time.now() < until: n += 1
    return n

async def main():
    ch: Channel<int> = Channel(1)
    stop = Event()
    other = spawn elsewhere(ch)
    await scope as s:
        s.spawn(group(stop))
        s.spawn(turn_round(stop))
        await sleep(700ms)
        print("dump")
        flush()
        await sleep(300ms)
        print(crunch() > 0)
        print("again")
        flush()
        await sleep(300ms)
        await ch.send(7)
        print(await other)
        s.cancel()
END
"$METEOR" build waits.met -o waits
mkfifo out
./waits > out 2> err &
pid=$!
while read -r line; do
    echo "$line" >> seen
    if [[ $line == dump || $line == again ]]; then kill -QUIT $pid; fi
done < out
wait $pid
[[ $(cat seen) == $'dump\ntrue\nagain\n7' ]]
expect() { grep -qE -- "$1" err || { echo "missing: $1"; cat err; exit 1; }; }
expect '^task dump of isolate 1: 8 tasks'
expect '^  main waits at .*waits.met:33 for a timer, [0-9]+ ms so far$'
expect '^    scope: 2 open$'
expect '^      group waits at .*waits.met:[0-9]+ for the tasks of its scope'
expect '^        scope: 5 open, limit 2, ends in 4[0-9]\.[0-9] s$'
expect '^          nap waits at .*waits.met:6 for a timer, .* so far$'
expect '^          nap waits for its turn \(and 2 more like it\)$'
expect '^      turn_round is ready to go on at .*waits.met:9$'
expect 'lint: it wakes itself and has waited for nothing in the last'
expect 'lint: main held the loop for [0-9]+ ms in one turn'
expect '^task dump of isolate 2: 1 tasks'
expect '^  elsewhere waits at .*waits.met:[0-9]+ for a value in a channel'
