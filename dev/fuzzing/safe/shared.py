"""Objects that several isolates use, which become visible to another one in every way there is, while senders wait. What another isolate
receives it changes: what is still held here must print the same afterwards."""

DECLARATIONS = """
struct Pair_:
    c: Channel<list<int>>
    n: int
class Holder_:
    c: Channel<list<int>>
async def take_(c: Channel<list<int>>) -> int:
    seen = 0
    for _ in range(3):
        x = c.try_recv()
        if x is not null:
            x.append(5)
            seen += 1
        await sleep(1ms)
    return seen
async def put_(c: Channel<list<int>>, ys: list<list<int>>):
    try: await c.send(ys[0])
    catch MoveError: pass
async def take_const_() -> int: return await take_(const_())
async def take_pair_(p: Pair_) -> int: return await take_(p.c)
async def take_holder_(owned h: Holder_) -> int: return await take_(h.c)
async def take_frozen_(f: frozen list<Channel<list<int>>>) -> int: return await take_(f[0])
async def take_called_(owned f: func<> -> Channel<list<int>>) -> int: return await take_(f())
async def take_any_(owned x: any) -> int:
    if x is Channel<list<int>>: return await take_(x)
    return 0
async def take_watch_(w: Watch<Channel<list<int>>>) -> int:
    seen = 0
    for _ in range(4): seen += await take_(w.get())
    return seen
async def take_pairs_(w: Watch<Pair_>) -> int:
    seen = 0
    for _ in range(4): seen += await take_(w.get().c)
    return seen
async def take_heard_(b: Broadcast<Channel<list<int>>>) -> int:
    heard = b.subscribe()
    for _ in range(8):
        c = heard.try_recv()
        if c is not null: return await take_(c)
        await sleep(1ms)
    return 0
async def take_one_(o: OneShot<Channel<list<int>>>) -> int:
    for _ in range(8):
        c = o.try_recv()
        if c is not null: return await take_(c)
        await sleep(1ms)
    return 0
async def take_inner_(cs: Channel<Channel<list<int>>>) -> int:
    for _ in range(8):
        c = cs.try_recv()
        if c is not null: return await take_(c)
        await sleep(1ms)
    return 0
def maker_() -> func<> -> Channel<list<int>>:
    c = Channel<list<int>>({capacity})
    return () -> c
"""

CONSTS = [("Channel<list<int>>({capacity})", "K_"), ("[Channel<list<int>>({capacity})]", "K_[0]"), ("(1, Channel<list<int>>({capacity}))", "K_[1]"), ("Pair_(Channel<list<int>>({capacity}), 1)", "K_.c"),
          ("Holder_(Channel<list<int>>({capacity}))", "K_.c"), ("maker_()", "K_()"), ("freeze([Channel<list<int>>({capacity})])", "K_[0]"), ("maker_()()", "K_")]

# `c` is the channel
WAYS = ["await spawn take_(c)", "await spawn take_pair_(Pair_(c, 1))", "await spawn take_holder_(Holder_(c))", "await spawn take_frozen_(freeze([c]))", "await spawn take_called_(() -> c)", "x: any = c\nawait spawn take_any_(x)",
        "w = Watch(Channel<list<int>>(1))\nh = spawn take_watch_(w)\nawait sleep(1ms)\nw.set(c)\nawait h", "w = Watch(c)\nawait spawn take_watch_(w)", "w = Watch(Pair_(Channel<list<int>>(1), 1))\nh = spawn take_pairs_(w)\nawait sleep(1ms)\nw.set(Pair_(c, 2))\nawait h",
        "b = Broadcast<Channel<list<int>>>(4)\nh = spawn take_heard_(b)\nfor _ in range(5):\n    if b.subscribers > 0: break\n    await sleep(1ms)\nb.send(c)\nawait h", "o = OneShot<Channel<list<int>>>()\nh = spawn take_one_(o)\nawait sleep(1ms)\no.send(c)\nawait h",
        "o = OneShot<Channel<list<int>>>()\no.send(c)\nawait spawn take_one_(o)", "cs = Channel<Channel<list<int>>>(4)\nh = spawn take_inner_(cs)\nawait sleep(1ms)\nawait cs.send(c)\nawait h", "cs = Channel<Channel<list<int>>>(4)\nawait cs.send(c)\nawait spawn take_inner_(cs)",
        "async with Pool(1) as pool: await pool.run(take_, c)"]


def make(s):
    s.is_async = True
    s.must_compile = True
    capacity = s.choose("0", "1", "1", "4")
    s.declare(DECLARATIONS.replace("{capacity}", capacity))
    s.say("ys = [[1]]")
    if s.chance(0.4):
        value, use = s.choose(*CONSTS)
        s.declare(f"const K_ = {value.replace('{capacity}', capacity)}\ndef const_() -> Channel<list<int>>: return {use}")
        s.say("c = const_()")
        way = s.choose("await spawn take_const_()", "await spawn take_const_()", *WAYS)
    else:
        s.say(f"c = Channel<list<int>>({capacity})")
        way = s.choose(*WAYS)
    before = [s.choose("c.try_send([7])", "c.try_send(ys[0])") for _ in range(s.pick.randrange(3))]
    after = [s.choose("c.try_send(ys[0])", "s.spawn(put_(c, ys))", "await spawn take_(c)", "await sleep(1ms)") for _ in range(s.pick.randrange(4))]
    s.say("try:\n    await scope(timeout=300ms) as s:")
    for line in [*before, *["s.spawn(put_(c, ys))"] * s.pick.randrange(3), "await sleep(1ms)", *way.split("\n"), *after]:
        s.say(line, 2)
    s.say(f"catch MoveError: pass\ncatch TimeoutError: pass\nprint({s.number}, \"fine\" if ys == [[1]] else \"WRONG\")")
