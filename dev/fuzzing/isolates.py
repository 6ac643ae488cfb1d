"""Random programs over several isolates: spawns, channels, moves, cancellations, errors, pools. The generator computes what each must print.

A program is a few scenarios. A scenario is a tree of functions from int to int; each node has its code and, beside it, the same computation here.
"""
import random

MODULUS = 1_000_003

PRELUDE = """\
class Node:
    value: int
    kids: list<Node> = []

def grow(depth: int, width: int, value: int) -> Node:
    node = Node(value)
    if depth > 0:
        for i in range(width): node.kids.append(grow(depth - 1, width, (value * 7 + i) % 1000003))
    return node

def total(node: Node) -> int:
    sum = node.value
    for kid in node.kids: sum += total(kid)
    return sum % 1000003

def change(owned node: Node, by: int) -> Node:
    open = [node]
    while len(open) > 0:
        at = open.pop()
        at.value = (at.value + by) % 1000003
        for kid in at.kids: open.append(kid)
    return node

def produce(out: Channel<int>, first: int, count: int):
    for i in range(count): out.send((first + i * i) % 1000003)

async def produce_slowly(out: Channel<int>, first: int, count: int):
    for i in range(count):
        if i % 3 == 0: await yield_now()
        await out.send((first + i * i) % 1000003)

async def forever(started: Channel<int>):
    try:
        await started.send(1)
        while true: await sleep(10s)
    finally: started.close()

def fail(n: int) -> int: raise ValueError(f"no {n}")

def weigh(owned node: Node) -> int: return total(node)

def relay(source: Channel<Node>, to: Channel<Node>, by: int):
    for node in source: to.send(change(node, by))
    to.close()

async def answer(to: OneShot<int>, n: int): to.send((n * 3 + 1) % 1000003)
"""


def grow(depth, width, value):
    return [value, [grow(depth - 1, width, (value * 7 + i) % MODULUS) for i in range(width)] if depth > 0 else []]


def total(node):
    return (node[0] + sum(total(kid) for kid in node[1])) % MODULUS


def change(node, by):
    return [(node[0] + by) % MODULUS, [change(kid, by) for kid in node[1]]]


def produced(first, count):
    return [(first + i * i) % MODULUS for i in range(count)]


class Generator:
    def __init__(self, seed, count=0):
        self.random = random.Random(seed)
        self.code = []
        self.count = count   # of the functions written before, which no new one may be named like

    def number(self):
        return self.random.randrange(1, 1000)

    def emit(self, lines, is_async=True):
        """A function of these lines; gives its name."""
        self.count += 1
        name = f"f{self.count}"
        self.code.append("\n".join([f"{'async ' if is_async else ''}def {name}(x: int) -> int:", *("    " + line for line in lines)]))
        return name

    # Each gives (name, what it computes). All functions but those of `plain` are async.

    def plain(self):
        a, b = self.number(), self.number()
        return self.emit([f"return (x * {a} + {b}) % {MODULUS}"], is_async=False), lambda x: (x * a + b) % MODULUS

    def leaf(self):
        a, b = self.number(), self.number()
        wait = self.random.choice(["await yield_now()", "await sleep(1ms)", "pass"])
        return self.emit([wait, f"return (x * {a} + {b}) % {MODULUS}"]), lambda x: (x * a + b) % MODULUS

    def node(self, depth):
        if depth == 0:
            return self.random.choice([self.plain_in_isolate, self.leaf])()
        return self.random.choice([self.spawns, self.in_scope, self.channel, self.many_senders, self.moves, self.moves_along, self.fails, self.cancels, self.keeps,
                                   self.pool, self.selects, self.one_shot, self.nested_error])(depth)

    def plain_in_isolate(self):
        name, value = self.plain()
        how = self.random.choice(["await spawn {}(x)", "await (spawn {}(x)).join()"])
        return self.emit(["return " + how.format(name)]), value

    def spawns(self, depth):
        (f, fv), (g, gv) = self.node(depth - 1), self.node(depth - 1)
        a = self.number()
        lines = self.random.choice([
            [f"h = spawn {f}(x)", f"k = spawn {g}((x + {a}) % {MODULUS})", f"return (await h * 3 + await k) % {MODULUS}"],
            [f"p, q = await gather(spawn {f}(x), spawn {g}((x + {a}) % {MODULUS}))", f"return (p * 3 + q) % {MODULUS}"],
        ])
        return self.emit(lines), lambda x: (fv(x) * 3 + gv((x + a) % MODULUS)) % MODULUS

    def in_scope(self, depth):
        f, fv = self.node(depth - 1)
        n = self.random.randrange(1, 4)
        lines = ["tasks: list<Task<int>> = []", "await scope as s:", f"    for i in range({n}): tasks.append(s.spawn({f}((x + i) % {MODULUS})))",
                 f"return sum([t.result for t in tasks]) % {MODULUS}"]
        return self.emit(lines), lambda x: sum(fv((x + i) % MODULUS) for i in range(n)) % MODULUS

    def channel(self, depth):
        capacity, n = self.random.choice([0, 1, 2, 7, 64]), self.random.randrange(0, 60)
        producer = self.random.choice(["produce", "produce_slowly"])
        lines = [f"ch = Channel<int>({capacity})", f"h = spawn {producer}(ch, x, {n})", "seen = x", f"for i in range({n}): seen = (seen * 31 + await ch.recv()) % {MODULUS}", "await h",
                 "return seen"]

        def value(x):
            seen = x
            for one in produced(x, n):
                seen = (seen * 31 + one) % MODULUS
            return seen
        return self.emit(lines), value

    def many_senders(self, depth):
        capacity, senders, n = self.random.choice([0, 1, 3, 16]), self.random.randrange(1, 4), self.random.randrange(0, 25)
        receivers = self.random.randrange(1, 3)
        self.count += 1
        drain = f"drain{self.count}"
        self.code.append(f"def {drain}(ch: Channel<int>) -> int:\n    sum = 0\n    for n in ch: sum = (sum + n) % {MODULUS}\n    return sum")
        lines = [f"ch = Channel<int>({capacity})", f"readers = [spawn {drain}(ch) for _ in range({receivers})]",
                 f"writers = [spawn produce(ch, (x + i) % {MODULUS}, {n}) for i in range({senders})]", "for w in writers: await w", "ch.close()", "sum = 0",
                 f"for r in readers: sum = (sum + await r) % {MODULUS}", "return sum"]
        return self.emit(lines), lambda x: sum(sum(produced((x + i) % MODULUS, n)) for i in range(senders)) % MODULUS

    def moves(self, depth):
        deep, wide, by = self.random.randrange(0, 5), self.random.randrange(1, 4), self.number()
        lines = [f"node = grow({deep}, {wide}, x)", f"node = await spawn change(node, {by})", f"h = spawn change(node, {by + 1})", "return total(await h)"]
        return self.emit(lines), lambda x: total(change(change(grow(deep, wide, x), by), by + 1))

    def moves_along(self, depth):
        n, by = self.random.randrange(1, 12), self.number()
        lines = [f"first = Channel<Node>({self.random.choice([0, 1, 4])})", f"last = Channel<Node>({self.random.choice([1, 4])})", "middle = Channel<Node>(1)",
                 f"a = spawn relay(first, middle, {by})", f"b = spawn relay(middle, last, {by})", "async def feed():",
                 f"    for i in range({n}): await first.send(grow(2, 2, (x + i) % {MODULUS}))", "    first.close()", "seen = 0", "await scope as s:", "    s.spawn(feed())",
                 f"    async for node in last: seen = (seen * 31 + total(node)) % {MODULUS}", "await a", "await b", "return seen"]

        def value(x):
            seen = 0
            for i in range(n):
                seen = (seen * 31 + total(change(change(grow(2, 2, (x + i) % MODULUS), by), by))) % MODULUS
            return seen
        return self.emit(lines), value

    def fails(self, depth):
        f, fv = self.node(depth - 1)
        a = self.number()
        lines = [f"y = await {f}(x)", "try: return await spawn fail(y)", f"catch ValueError as e: return (y + len(e.message) + {a}) % {MODULUS}"]
        return self.emit(lines), lambda x: (fv(x) + len(f"no {fv(x)}") + a) % MODULUS

    def nested_error(self, depth):
        """An error deep in isolates of isolates ends what waits beside it."""
        f, fv = self.node(depth - 1)
        inner = self.emit(["started = Channel<int>(1)", "h = spawn forever(started)", "await started.recv()", "y = await spawn fail(x)", "return await spawn fail(y)"])
        lines = [f"try: await spawn {inner}(x)", "catch ValueError as e:", f"    if e.message != f\"no {{x}}\": return -1", f"return await {f}(x)"]
        return self.emit(lines), fv

    def cancels(self, depth):
        f, fv = self.node(depth - 1)
        a = self.number()
        how = self.random.choice([
            ["h.cancel()", "try: await h", f"catch TaskCancelled: return (await {f}(x) + {a}) % {MODULUS}"],
            ["t = 0", "try:", "    await scope as s:", "        async def wait(): await h", "        s.spawn(wait())", "        await yield_now()", "        s.cancel()", "catch TaskCancelled: t = 1",
             "h.cancel()",  # who stops waiting leaves it running
             f"return (await {f}(x) + {a}) % {MODULUS}"],
        ])
        lines = ["started = Channel<int>(1)", "h = spawn forever(started)", "await started.recv()", *how]
        if how[0] == "h.cancel()":
            lines.append("return -1")
        return self.emit(lines), lambda x: (fv(x) + a) % MODULUS

    def keeps(self, depth):
        """Something of the graph is held here: nothing moves."""
        f, fv = self.node(depth - 1)
        lines = ["node = grow(2, 2, x)", "kept = node.kids[1]", "try: return await spawn weigh(node)", f"catch MoveError: return (await {f}(x) + total(kept)) % {MODULUS}"]
        return self.emit(lines), lambda x: (fv(x) + total(grow(2, 2, x)[1][1])) % MODULUS

    def pool(self, depth):
        f, fv = self.plain()
        n, threads = self.random.randrange(0, 20), self.random.randrange(1, 4)
        lines = [f"pool = Pool({threads})", f"ys = await pool.map([(x + i) % {MODULUS} for i in range({n})], {f})", f"y = await pool.run({f}, x)", "await pool.close()", "seen = y",
                 f"for z in ys: seen = (seen * 31 + z) % {MODULUS}", "return seen"]

        def value(x):
            seen = fv(x)
            for i in range(n):
                seen = (seen * 31 + fv((x + i) % MODULUS)) % MODULUS
            return seen
        return self.emit(lines), value

    def selects(self, depth):
        n, m = self.random.randrange(1, 15), self.random.randrange(1, 15)
        lines = ["a = Channel<int>(1)", "b = Channel<int>(1)", f"p = spawn produce(a, x, {n})", f"q = spawn produce_slowly(b, x, {m})", "sum = 0", f"for _ in range({n + m}):", "    select:",
                 f"        case y = await a.recv(): sum = (sum + y) % {MODULUS}", f"        case y = await b.recv(): sum = (sum + 2 * y) % {MODULUS}", "await p", "await q", "return sum"]
        return self.emit(lines), lambda x: (sum(produced(x, n)) + 2 * sum(produced(x, m))) % MODULUS

    def one_shot(self, depth):
        f, fv = self.node(depth - 1)
        lines = ["shot = OneShot<int>()", "h = spawn answer(shot, x)", "y = await shot.recv()", "await h", f"return await {f}(y)"]
        return self.emit(lines), lambda x: fv((x * 3 + 1) % MODULUS)


def make_main(seed, scenarios, name, count=0):
    """An async function without arguments that runs the scenarios, with all it needs but the prelude; what it prints; how many functions there are now."""
    generator = Generator(seed, count)
    main, expected = [f"async def {name}():"], []
    for number in range(scenarios):
        function, value = generator.node(generator.random.randrange(1, 4))
        x = generator.number()
        main.append(f"    print({number}, await {function}({x}))")
        expected.append(f"{number} {value(x)}")
    return "\n".join([*(code + "\n" for code in generator.code), *main]) + "\n", "\n".join(expected) + "\n", generator.count


def make_program(seed, scenarios=6):
    """The program, and what it prints."""
    code, expected, _ = make_main(seed, scenarios, "main")
    return PRELUDE + "\n" + code, expected


def make_programs(seeds, scenarios=6):
    """The programs of several seeds in one, which its argument chooses from; and what each prints. Translating them so takes a fraction of the time."""
    parts, expected, count = ["import os", PRELUDE], [], 0
    for seed in seeds:
        code, prints, count = make_main(seed, scenarios, f"program_{seed}", count)
        parts.append(code)
        expected.append(prints)
    choice = [f"        case \"{seed}\": await program_{seed}()" for seed in seeds]
    parts.append("\n".join(["async def main():", "    switch os.args[0]:", *choice, "        default: print(\"?\")"]))
    return "\n".join(parts) + "\n", expected
