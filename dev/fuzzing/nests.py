"""Random nests of timeout, scope, race, first_ok, select and gather around one receive, send or acquire each, whose deadlines and events fall together.

Each nest runs three times, given up in one of four ways. Afterwards what went in must have come out once, or be still there: messages, values that were sent, permits. The
programs run on the virtual clock, with seeds that permute the ready tasks, and print a line for each nest that lost or doubled something.
"""
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PRELUDE = """\
class World:
    kept: Channel<int> = Channel<int>(4)
    handed: Channel<int> = Channel<int>(0)
    wanted: Channel<int> = Channel<int>(0)
    permits: Semaphore = Semaphore(0)
    went_in: list<int> = []
    taken: list<int> = []
    released: int = 0
    numbers: int = 0

    def next(self) -> int:
        self.numbers += 1
        return self.numbers

async def feed(w: World, ch: Channel<int>, gaps: list<int>, base: int):
    for i, gap in enumerate(gaps):
        if gap > 0: await sleep(1ms * gap)
        await ch.send(base + i)
        w.went_in.append(base + i)

async def drain(w: World, gaps: list<int>):
    for gap in gaps:
        if gap > 0: await sleep(1ms * gap)
        w.taken.append(await w.wanted.recv())

async def release(w: World, gaps: list<int>):
    for gap in gaps:
        await sleep(1ms * gap)
        w.released += 1
        w.permits.release()

async def send(w: World) -> list<int>:
    n = w.next()
    await w.wanted.send(n)
    return [-n]

async def acquire(w: World) -> list<int>:
    await w.permits.acquire()
    return [0]

def rest_of(ch: Channel<int>) -> list<int>:
    left: list<int> = []
    while true:
        v = ch.try_recv()
        if v is null: return left
        left.append(v)

async def try_nest(f: Future<list<int>>, way: str, limit: Duration) -> list<int>:
    if way == "cancel":
        await scope as s:
            t = s.spawn(f)
            await sleep(limit)
            t.cancel()
        return [] if t.cancelled else t.result
    try:
        if way == "scope":
            await scope(timeout=limit) as s:
                t = s.spawn(f)
                return await t
        return await timeout(limit, f)
    catch TimeoutError: return []

async def run(id: int, nest: func<World> -> Future<list<int>>, way: str, limit: Duration, gaps: list<list<int>>):
    w = World()
    got: list<int> = []
    await scope as s:
        s.spawn(feed(w, w.kept, gaps[0], 100))
        s.spawn(feed(w, w.handed, gaps[1], 200))
        s.spawn(drain(w, gaps[2]))
        s.spawn(release(w, gaps[3]))
        for _ in range(3): got += await try_nest(nest(w), way, limit)
        s.cancel()
    received = sorted([v for v in got if v > 0] + rest_of(w.kept) + rest_of(w.handed))
    if received != sorted(w.went_in): print(f"nest {id}: went in {sorted(w.went_in)}, came out {received}")
    sent = sorted([-v for v in got if v < 0])
    taken = sorted(w.taken + rest_of(w.wanted))
    if sent != taken: print(f"nest {id}: sent {sent}, taken {taken}")
    held = len([v for v in got if v == 0])
    if held + w.permits.available != w.released: print(f"nest {id}: {w.released} permits, {held} held, {w.permits.available} there")

"""

AROUND = ["timeout", "scope", "scope_result", "task", "race", "race", "first_ok", "select", "select", "plain", "held", "gather", "after", "shielded_sleep", "select_task"]
MOST_NESTS = 40


class Maker:
    def __init__(self, seed, depth):
        self.random = random.Random(seed)
        self.depth = depth
        self.functions = []

    def limit(self): return f"{self.random.choice([10, 20, 20, 30])}ms"

    def leaf(self):
        draw = self.random.random()
        if draw < .25: return ["return [await w.kept.recv()]"]
        if draw < .4: return ["return [await w.handed.recv()]"]
        if draw < .55: return ["return await send(w)"]
        if draw < .65: return ["return await acquire(w)"]
        if draw < .8: return [f"await sleep({self.limit()})", "return []"]
        return [f"try: await sleep({self.limit()})", f"finally: await sleep({self.random.choice(['0ms', '1ms', '10ms'])})", "return []"]

    def one_of_two(self, inner, depth):
        pair = [inner, self.node(self.random.randint(0, depth - 1))]
        self.random.shuffle(pair)
        return pair

    def select(self, inner, depth):
        cases = [f"    case v{i} = await {name}(w): return v{i}" for i, name in enumerate(self.one_of_two(inner, depth))]
        if self.random.random() < .4: cases.append(f"    case await sleep({self.limit()}): return []")
        self.random.shuffle(cases)
        return ["select:", *cases]

    def around(self, depth):
        inner = self.node(depth - 1)
        kind = self.random.choice(AROUND)
        late = "catch TimeoutError: return []"
        if kind == "timeout": return [f"try: return await timeout({self.limit()}, {inner}(w))", late]
        if kind == "scope": return ["try:", f"    await scope(timeout={self.limit()}) as s:", f"        t = s.spawn({inner}(w))", "        return await t", late]
        if kind == "scope_result": return ["try:", f"    await scope(timeout={self.limit()}) as s:", f"        t = s.spawn({inner}(w))", "    return t.result", late]
        if kind == "task": return ["await scope as s:", f"    t = s.spawn({inner}(w))", "    return await t"]
        if kind == "gather": return [f"results = await gather([{inner}(w)])", "return results[0]"]
        if kind == "held": return [f"f: Future<list<int>> = {inner}(w)", "return await f"]
        if kind == "after": return [f"await sleep({self.limit()})", f"return await {inner}(w)"]
        if kind == "shielded_sleep": return [f"shield: await sleep({self.limit()})", f"return await {inner}(w)"]
        if kind == "select_task":
            return ["await scope as s:", f"    t = s.spawn({inner}(w))", "    select:", "        case got = await t: return got", "        case await sleep(1s): pass", "return []"]
        if kind == "select": return self.select(inner, depth)
        if kind in ("race", "first_ok"):
            first, second = self.one_of_two(inner, depth)
            return [f"return await {kind}({first}(w), {second}(w))"]
        return [f"return await {inner}(w)"]

    def node(self, depth):
        body = self.leaf() if depth == 0 else self.around(depth)
        name = f"nest_{len(self.functions)}"
        self.functions.append(f"async def {name}(w: World) -> list<int>:\n    " + "\n    ".join(body) + "\n")
        return name

    def gaps(self): return [self.random.choice([0, 10, 10, 20, 30]) for _ in range(3)]


def make_program(seed, nests=MOST_NESTS):
    maker = Maker(seed, 2 + seed % 5)
    runs = []
    for i in range(nests):
        top = maker.node(maker.depth)
        gaps = [maker.gaps(), maker.gaps(), maker.gaps(), [max(10, gap) for gap in maker.gaps()]]
        way = maker.random.choice(["timeout", "cancel", "scope", "late"])
        runs.append(f'    await run({i}, w -> {top}(w), "{way}", {"200ms" if way == "late" else maker.limit()}, {gaps})')
    return PRELUDE + "\n".join(maker.functions) + "\nasync def main():\n" + "\n".join(runs) + "\n"


def find_problem(meteor, seed, orders, folder):
    """None, or what is wrong with the program of this seed in one of so many orders."""
    path = folder / "nests.met"
    path.write_text(make_program(seed))
    built = subprocess.run([meteor, "build", "-O0", path, "-o", folder / "nests"], capture_output=True, text=True)
    if built.returncode != 0:
        return built.stderr[:2000]
    for order in range(orders):
        settings = {"METEOR_CLOCK": "virtual"} | ({"METEOR_SEED": str(order)} if order > 0 else {}) | ({"METEOR_TURN_NS": "65536"} if order % 3 == 2 else {})
        try:
            ended = subprocess.run([folder / "nests"], capture_output=True, text=True, env=os.environ | settings, timeout=120)
        except subprocess.TimeoutExpired:
            return f"{settings}: it does not end"
        if ended.returncode != 0 or ended.stdout or ended.stderr:
            return f"{settings}: exit code {ended.returncode}\n{ended.stdout[:1000]}{ended.stderr[:1000]}"
    return None


def fuzz(meteor, findings, seconds, first, programs=None, orders=12):
    """Until the time is over, or so many programs have been looked at."""
    deadline = time.monotonic() + seconds
    count, failures = 0, 0
    with tempfile.TemporaryDirectory(prefix="meteor-fuzz-") as scratch:
        while failures < 10 and (count < programs if programs is not None else time.monotonic() < deadline):
            seed = first + count
            problem = find_problem(meteor, seed, orders, Path(scratch))
            count += 1
            if problem is None:
                continue
            failures += 1
            findings.mkdir(parents=True, exist_ok=True)
            kept = findings / f"nests-{seed}.met"
            kept.write_text(make_program(seed))
            print(f"{kept}: {problem}", flush=True)
    print(f"nests: {count} programs of {MOST_NESTS} nests from seed {first}, {orders} orders each, {failures} failed", flush=True)
    return failures == 0


if __name__ == "__main__":   # METEOR FIRST COUNT ORDERS
    meteor, first, count, orders = sys.argv[1:]
    sys.exit(0 if fuzz(meteor, Path("findings"), 0, int(first), int(count), int(orders)) else 1)
