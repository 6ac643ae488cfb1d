"""Random async functions that link objects in every way there is, share some of them, and change them step by step in loops.

Another task looks at all that can be reached from module variables whenever it gets a turn. A loop leaves each object whole at its end and not before, so
one that gives up its turn while others can reach what it changes is seen, and prints WRONG. The programs run with METEOR_YIELD=always.
"""
import random

PRELUDE = """\
class Node:
    a: int = 0
    b: int = 0
    nums: list<int> = []
    next: Node? = null
    kids: list<Node> = []
    weak up: Node? = null
    def bump(self):
        self.a += 1
        self.nums.append(self.a)

class Tall(Node):
    def bump(self):
        self.a += 1
        self.nums.append(-self.a)

struct Pair:
    a: Node
    b: Node

enum Shape:
    One(n: Node)
    Two(a: Node, b: Node)

class Carry(Error):
    node: Node

_all: list<Node> = []
_named: dict<str, Node> = {}
_rows: list<list<Node>> = []
_makers: list<func<> -> Node> = []
_is_running = true
_looks = 0

def check(n: Node, depth: int):
    if n.a != n.b or len(n.nums) % 4 != 0: print("WRONG", n.a, n.b, len(n.nums))
    n.nums.extend([0, 0, 0, 0])
    if len(n.nums) > 400: n.nums.clear()
    if depth == 0: return
    if n.next is not null: check(n.next, depth - 1)
    up = n.up
    if up is not null: check(up, depth - 1)
    for kid in n.kids.copy(): check(kid, depth - 1)

def check_all():
    global _looks
    _looks += 1
    for n in _all.copy(): check(n, 2)
    for _, n in _named.items(): check(n, 2)
    for row in _rows.copy():
        for n in row.copy(): check(n, 2)
    for make in _makers.copy(): check(make(), 2)

async def look():
    while _is_running:
        check_all()
        await yield_now()

def pass_on(n: Node) -> Node: return n
def either(a: Node, b: Node) -> Node: return a if a.b > b.b else b
def wrap(n: Node) -> Node: return Node(next=n)
def fresh() -> Node: return Node() if len(_all) % 2 == 0 else Tall()
def keep(n: Node): _all.append(n)
def keep_next(n: Node):
    if n.next is not null: _named["next"] = n.next
def walk(n: Node):
    yield n
    for kid in n.kids.copy(): yield kid

async def finish(n: Node):
    for i in range(4): n.bump()
    n.b += 4

async def link(a: Node, b: Node): a.kids.append(b)

"""

STEPS = """\
{x} = Node()
{x} = fresh()
{x} = {y}
{x} = pass_on({y})
{x} = either({y}, {z})
{x} = wrap({y})
{x}.next = {y}
{x} = {y}.next ?? {z}
{x}.kids.append({y})
if len({y}.kids) > 0: {x} = {y}.kids[-1]
{x}.kids = [{y}, {z}]
{x}.up = {y}
{x} = {y}.up ?? {z}
xs.append({x})
if len(xs) > 0: {x} = xs[-1]
xs = [{x}, {y}]
d["{k}"] = {x}
{x} = d.get("{k}", {y})
{x}, {y} = {y}, {x}
p = Pair({x}, {y})
{x} = p.b
p.a = {y}
sh = Two({x}, {y})
switch sh:
    case One(n): {x} = n
    case Two(m, n): {x} = n
for n in walk({y}): {x} = n
try: raise Carry("carried", {x})
catch Carry as e: {y} = e.node
ys = [n for n in xs if n.b > 1]
await link({x}, {y})
await yield_now()
"""
SHARES = """\
_all.append({x})
keep({x})
keep_next({x})
_named["{k}"] = {x}
_rows.append(xs)
_makers.append(() -> c)
c = {x}
{x} = c
if len(_all) > 0: {x} = _all[-1]
{x} = _named.get("{k}", {y})
"""
LOOPS = """\
for i in range(4):
    {x}.a += 1
    {x}.nums.append(i)
{x}.b += 4
---
i = 0
while i < 4:
    {x}.bump()
    i += 1
{x}.b += 4
---
it = {x}
for i in range(4):
    it.bump()
it.b += 4
---
await finish({x})
---
size = len({x}.nums)
seen = 0
for v in {x}.nums: seen += 1
if seen != size: print("WRONG", seen, size)
---
made = Node()
for i in range(4):
    made.bump()
made.b += 4
{x}.next = made
---
for i in range(4):
    q = {x}
    q.bump()
{x}.b += 4
---
total = 0
ws: list<Node> = []
for i in range(4):
    {x}.bump()
    ws.append({x})
{x}.b += 4
for w in ws: total += w.b
---
size = len(xs)
seen = 0
for w in xs: seen += 1
if seen != size: print("WRONG", seen, size)
---
for i in range(4):
    p.a.bump()
p.a.b += 4
"""


def statements(text):
    found = []
    for line in text.splitlines():
        if line.startswith((" ", "catch")): found[-1] += "\n" + line
        else: found.append(line)
    return found


class Maker:
    def __init__(self, seed):
        self.pick = random.Random(seed)
        self.steps, self.shares = statements(STEPS), statements(SHARES)
        self.loops = [loop.strip("\n") for loop in LOOPS.split("---\n")]

    def statement(self, sharing):
        kind = self.pick.random()
        pool = self.loops if kind < 0.3 else self.shares if kind < 0.3 + sharing else self.steps
        x, y, z = (self.pick.choice(["n0", "n1", "n2"]) for _ in range(3))
        return self.pick.choice(pool).format(x=x, y=y, z=z, k=self.pick.choice("uvw"))

    def block(self, count, sharing, depth):
        lines = []
        for _ in range(count):
            kind = self.pick.random()
            inner = lambda: ["    " + line for line in self.block(self.pick.randint(2, 4), sharing, depth + 1)]
            if depth < 2 and kind < 0.08: lines += [f"if n0.b > {self.pick.randint(0, 8)}:", *inner(), "else:", *inner()]
            elif depth < 2 and kind < 0.16: lines += [f"for r{depth} in range(2):", *inner()]
            else: lines += self.statement(sharing).split("\n")
        return lines

    def function(self, index):
        start = ["n0 = Node()", "n1 = Node()", "n2 = fresh()", "c = Node()", "xs = [n0]", "p = Pair(n1, n2)", "sh = One(n0)", "d: dict<str, Node> = {}"]
        if self.pick.random() < 0.5: start.remove("c = Node()"); start.insert(0, "c = Node()")
        body = start + self.block(self.pick.randint(6, 14), self.pick.choice([0, 0.05, 0.1, 0.2]), 0)
        return f"async def f{index}():\n" + "\n".join("    " + line for line in body) + "\n\n"

    def program(self, functions):
        text = PRELUDE + "".join(self.function(i) for i in range(functions))
        calls = "".join(f"        await f{i}()\n        check_all()\n        _all.clear()\n        _named.clear()\n        _rows.clear()\n        _makers.clear()\n" for i in range(functions))
        return text + f"async def main():\n    global _is_running\n    await scope as s:\n        s.service(look())\n{calls}        _is_running = false\n    print(_looks > 0)\n"


def make_program(seed, functions=20): return Maker(seed).program(functions)


if __name__ == "__main__":
    import sys
    print(make_program(int(sys.argv[1])))
