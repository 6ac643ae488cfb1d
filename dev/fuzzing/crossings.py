"""Random programs that link objects in every way there is and then let some of them leave the isolate.

What the compiler has proven of a crossing is checked all the same by a debug build, which ends with an internal error where the proof is wrong. Apart from
that a program prints the same however it is built: which crossings fail, and what arrives.
"""
import random

PRELUDE = """\
class Node:
    value: int
    next: Node? = null
    kids: list<Node> = []

class Holder:
    node: Node? = null
    nodes: list<Node> = []
    named: dict<str, Node> = {}

struct Pair:
    a: Node
    b: Node

enum Shape:
    One(n: Node)
    Two(a: Node, b: Node)
    Empty

class Carry(Error):
    node: Node

trait Taker:
    def take(self, n: Node) -> int

class Plain(Taker):
    def take(self, n: Node) -> int: return n.value

class Keeping(Taker):
    kept: list<Node> = []
    def take(self, n: Node) -> int:
        self.kept.append(n)
        return n.value

class Base:
    def see(self, n: Node) -> Node: return n

class Hoard(Base):
    last: Node? = null
    def see(self, n: Node) -> Node:
        self.last = n
        return n

_kept: list<Node> = []
_table: dict<str, Holder> = {}
local _seen: list<Node> = []

def grow(depth: int, value: int) -> Node:
    node = Node(value)
    if depth > 0:
        for i in range(2): node.kids.append(grow(depth - 1, (value * 7 + i) % 10007))
    return node

def weigh(n: Node, depth: int = 5) -> int:
    sum = n.value
    if depth == 0: return sum  # there may be cycles
    for kid in n.kids: sum += weigh(kid, depth - 1)
    return sum % 10007

def weigh_owned(owned n: Node) -> int: return weigh(n)

def weigh_all(owned ns: list<Node>) -> int:
    sum = 0
    for n in ns: sum += weigh(n)
    return sum % 10007

def weigh_holder(owned h: Holder) -> int:
    sum = 0
    for n in h.nodes: sum += weigh(n)
    for _, n in h.named.items(): sum += weigh(n)
    if h.node is not null: sum += weigh(h.node)
    return sum % 10007

def weigh_pair(owned p: Pair) -> int: return (weigh(p.a) + weigh(p.b)) % 10007

def weigh_shape(owned s: Shape) -> int:
    switch s:
        case One(n): return weigh(n)
        case Two(a, b): return (weigh(a) + weigh(b)) % 10007
        case Empty: return 0

def keep(n: Node) -> int:
    _kept.append(n)
    return n.value

def keep_kids(n: Node):
    for kid in n.kids: _kept.append(kid)

def keep_in(h: Holder, name: str): _table[name] = h

def pass_on(n: Node) -> Node: return n

def pass_owned(owned n: Node) -> Node: return n

def either(a: Node, b: Node) -> Node: return a if a.value > b.value else b

def link(a: Node, b: Node): a.kids.append(b)

def chain(owned a: Node, owned b: Node) -> Node:
    a.kids.append(b)
    return a

def first_kid(n: Node) -> Node: return n.kids[0] if n.kids else Node(1)

def take_kid(n: Node) -> Node: return n.kids.pop() if n.kids else Node(2)

def hold(n: Node) -> Holder: return Holder(n)

def held(h: Holder) -> Node: return h.node ?? Node(3)

def swap_into(h: Holder, owned n: Node) -> Node:
    old = h.node
    h.node = n
    return old ?? Node(4)

def put(ref slot: Node?, n: Node): slot = n

def maybe_throw(n: Node, really: bool) -> int:
    if really: raise Carry("carried", n)
    return n.value

def caught(n: Node, really: bool) -> Node:
    try: maybe_throw(n, really)
    catch Carry as e: return e.node
    return Node(5)

def nodes_of(n: Node):
    for kid in n.kids: yield kid

def two(n: Node) -> (Node, Node): return (n, Node(6))

def adder(n: Node) -> func<> -> int: return () -> n.value

def call(f: func<Node> -> Node, n: Node) -> Node: return f(n)

def change(owned n: Node) -> Node:
    n.value = (n.value + 1) % 10007
    return n

def leak_here(owned n: Node) -> Node:
    _seen.append(n)
    return n

def split(owned n: Node) -> list<Node>: return n.kids

def copy(n: Node, depth: int = 4) -> Node:
    made = Node(n.value)
    if depth == 0: return made
    for kid in n.kids: made.kids.append(copy(kid, depth - 1))
    return made

async def grow_slowly(depth: int, value: int) -> Node:
    await yield_now()
    return grow(depth, value)

async def keep_slowly(n: Node) -> int:
    await yield_now()
    return keep(n)

async def pass_slowly(n: Node) -> Node:
    await yield_now()
    return n

def collect(source: Channel<Node>, answers: Channel<int>):
    for n in source: answers.send(weigh(n))
    answers.close()

"""

KINDS = {"node": "Node", "list": "list<Node>", "holder": "Holder", "pair": "Pair", "shape": "Shape", "func": "func"}
WEIGHERS = {"node": "weigh_owned", "list": "weigh_all", "holder": "weigh_holder", "pair": "weigh_pair", "shape": "weigh_shape"}


class Scenario:
    def __init__(self, pick, number, is_async):
        self.pick, self.number, self.is_async = pick, number, is_async
        self.lines, self.scope, self.count, self.depth, self.forwards = [], {}, 0, 1, 0

    def emit(self, text):
        self.lines.append("    " * self.depth + text)

    def new(self, kind):
        self.count += 1
        name = f"{kind[0]}{self.count}"
        self.scope[name] = kind
        return name

    def some(self, kind):
        mine = [name for name, k in self.scope.items() if k == kind]
        return self.pick.choice(mine) if mine else None

    # An expression of type Node; what is moved into it is dead afterwards.
    def node(self, depth=2):
        pick = self.pick
        n = self.some("node")
        if n is None or depth == 0 or pick.random() < 0.25:
            return n if n is not None and pick.random() < 0.5 else f"grow({pick.randrange(3)}, {pick.randrange(10000)})"
        inner = lambda: self.node(depth - 1)
        holder, pair, many = self.some("holder"), self.some("pair"), self.some("list")
        forms = [lambda: n, lambda: f"pass_on({inner()})", lambda: f"either({inner()}, {inner()})", lambda: f"first_kid({inner()})", lambda: f"take_kid({inner()})", lambda: f"copy({inner()})",
                 lambda: f"caught({inner()}, {pick.choice(['true', 'false'])})", lambda: f"two({inner()})[{pick.randrange(2)}]", lambda: f"call((n: Node) -> n, {inner()})", lambda: f"held(hold({inner()}))"]
        if holder:
            forms += [lambda: f"held({holder})", lambda: f"swap_into({holder}, grow(1, 5))"]
        if pair:
            forms += [lambda: f"{pair}.a"]
        if many:
            forms += [lambda: f"({many}[0] if {many} else Node(7))", lambda: f"({many}.pop() if {many} else Node(8))"]
        if self.is_async:
            forms += [lambda: "(await grow_slowly(1, 3))", lambda: f"(await pass_slowly({n}))"]
        return pick.choice(forms)()

    def statement(self):
        pick = self.pick
        choice = pick.randrange(24)
        n, holder, many = self.some("node"), self.some("holder"), self.some("list")
        if choice < 6 or n is None:
            value = self.node()
            self.emit(f"{self.new('node')} = {value}")
        elif choice == 6:
            value = self.node()
            value = f"[{value}, {self.node()}]"
            self.emit(f"{self.new('list')} = {value}")
        elif choice == 7:
            value = self.node()
            self.emit(f"{self.new('holder')} = Holder({value})")
        elif choice == 8:
            value = self.node()
            value = f"Pair({value}, {self.node()})"
            self.emit(f"{self.new('pair')} = {value}")
        elif choice == 9:
            value = self.node()
            value = pick.choice([f"Shape.One({value})", f"Shape.Two({value}, {self.node()})"])
            self.emit(f"{self.new('shape')} = {value}")
        elif choice == 10:
            self.emit(f"link({n}, {pick.choice([self.node(), 'grow(0, 9)'])})")
        elif choice == 11:
            self.emit(f"{n}.next = {self.node()}")
        elif choice == 12 and holder:
            self.emit(pick.choice([f"{holder}.nodes.append({self.node()})", f"{holder}.named[\"x\"] = {self.node()}", f"{holder}.node = {self.node()}"]))
        elif choice == 13 and many:
            self.emit(pick.choice([f"{many}.append({self.node()})", f"{many}.insert(0, {self.node()})", f"{many}.reverse()", f"{many}.sort(key=(n) -> n.value)"]))
        elif choice == 14 and pick.random() < 0.5:
            self.emit(pick.choice([f"keep({n})", f"keep_kids({n})", f"_kept.append({n})", *([f"keep_in({holder}, \"a\")"] if holder else []), *([f"await keep_slowly({n})"] if self.is_async else [])]))
        elif choice == 15:
            name = self.new("func")
            self.emit(f"{name} = adder({n})")
        elif choice == 16:
            taker = pick.choice(["Plain()", "Keeping()"])
            self.count += 1
            self.emit(f"t{self.count}: dyn Taker = {taker}")
            self.emit(f"t{self.count}.take({n})")
        elif choice == 17:
            self.count += 1
            seer = f"v{self.count}"
            self.emit(f"{seer}: Base = {pick.choice(['Base()', 'Hoard()'])}")
            self.emit(f"{self.new('node')} = {seer}.see({n})")
        elif choice == 18:
            other = self.new("list")
            self.emit(f"{other}: list<Node> = []")
            self.emit(f"for kid in {pick.choice([f'nodes_of({n})', f'{n}.kids'])}: {other}.append({pick.choice(['kid', 'copy(kid)'])})")
        elif choice == 19:
            name = self.new("list")
            self.emit(f"{name} = {pick.choice([f'[grow(1, i) for i in range(3)]', f'[copy({n}) for _ in range(2)]', f'[{n} for _ in range(2)]'])}")
        elif choice == 20:
            self.count += 1
            slot = f"o{self.count}"
            self.emit(f"{slot}: Node? = null")
            self.emit(f"put({slot}, {n})")
            self.emit(f"{self.new('node')} = {slot} ?? Node(9)")
        elif choice == 21 and self.depth < 3:
            self.emit(pick.choice([f"if {n}.value % 2 == 0:", "for _ in range(2):", f"try:"]))
            is_try = self.lines[-1].strip() == "try:"
            before = dict(self.scope)
            self.depth += 1
            for _ in range(pick.randrange(1, 3)):
                self.statement()
            self.depth -= 1
            self.scope = before
            if is_try:
                self.emit("catch Carry as e: print(e.node.value)")
        elif choice == 22:
            self.emit(f"{pick.choice([name for name, kind in self.scope.items() if kind == 'node'])} = {self.node()}")
        else:
            self.emit(f"print(weigh({n}))")

    def crossing(self):
        pick = self.pick
        kinds = [(name, kind) for name, kind in self.scope.items() if kind in WEIGHERS]
        if not kinds:
            return
        name, kind = pick.choice(kinds)
        value = name if kind != "node" or pick.random() < 0.8 else self.node()
        if value.endswith(("]", ".a")):   # still held, says the compiler
            value = name
        self.emit("try:")
        self.depth += 1
        form = pick.randrange(8)
        tag = f"\"{self.number}.{len(self.lines)}\""
        if kind == "node" and form == 0:
            self.emit(f"{'await ' if self.is_async else ''}out.send({value})")
            self.emit(f"print({tag}, {'await ' if self.is_async else ''}answers.recv())")
        elif kind == "node" and form == 1:
            self.emit(f"{'await ' if self.is_async else ''}forward_{self.number}({value}, out)")
            self.emit(f"print({tag}, {'await ' if self.is_async else ''}answers.recv())")
            self.forwards += 1
        elif kind == "node" and form == 2:
            self.count += 1
            self.emit(f"h{self.count} = spawn {pick.choice(['change', 'leak_here', 'pass_owned'])}({value})")
            waited = f"{'await ' if self.is_async else ''}h{self.count}" + ("" if self.is_async else ".join()")
            self.emit(f"print({tag}, weigh({waited}))")
        elif kind == "node" and form == 3 and value == name:
            self.emit(f"print({tag}, (spawn (() -> {name}.value)()).join())" if not self.is_async else f"print({tag}, await (spawn (() -> {name}.value)()))")
        elif kind == "node" and form == 4 and self.is_async:
            self.emit(f"print({tag}, await pool.run(weigh_it, {value}))")
        elif kind == "node" and form == 5:
            self.emit(f"print({tag}, weigh_all((spawn split({value})).join()))" if not self.is_async else f"print({tag}, weigh_all(await (spawn split({value}))))")
        else:
            self.emit(f"print({tag}, (spawn {WEIGHERS[kind]}({value})).join())" if not self.is_async else f"print({tag}, await (spawn {WEIGHERS[kind]}({value})))")
        self.depth -= 1
        self.emit(f"catch MoveError: print({tag}, \"stays\")")
        for word in list(self.scope):
            if word == name or word in value.replace("(", " ").replace(")", " ").replace(",", " ").split():
                self.scope.pop(word)

    def text(self):
        for _ in range(self.pick.randrange(2, 5)):
            for _ in range(self.pick.randrange(1, 5)):
                self.statement()
            if self.pick.random() < 0.3:
                self.emit("for turn in range(2):")
                self.depth += 1
                before = dict(self.scope)
                self.emit(f"{self.new('node')} = grow(1, turn)")
                for _ in range(self.pick.randrange(2)):
                    self.statement()
                inside = {name: kind for name, kind in self.scope.items() if name not in before}
                kept, self.scope = self.scope, inside
                self.crossing()
                self.scope = {name: kind for name, kind in before.items() if name in kept}
                self.depth -= 1
            else:
                self.crossing()
        word = "async def" if self.is_async else "def"
        wait = "await " if self.is_async else ""
        forward = f"{word} forward_{self.number}(owned n: Node, out: Channel<Node>): {wait}out.send(n)\n\n"
        params = "out: Channel<Node>, answers: Channel<int>" + (", pool: Pool" if self.is_async else "")
        return forward + f"{word} scenario_{self.number}({params}):\n" + "\n".join(self.lines) + "\n\n"


def make_program(seed, count):
    pick = random.Random(seed)
    is_async = pick.random() < 0.5
    scenarios = [Scenario(pick, number, is_async) for number in range(count)]
    text = PRELUDE + "def weigh_it(n: Node) -> int: return weigh(n)\n\n" + "".join(s.text() for s in scenarios)
    text += f"{'async ' if is_async else ''}def main():\n    out = Channel<Node>(4)\n    answers = Channel<int>(4)\n{'    pool = Pool(1)' if is_async else ''}\n    collector = spawn collect(out, answers)\n"
    for s in scenarios:
        text += f"    {'await ' if s.is_async else ''}scenario_{s.number}(out, answers{', pool' if s.is_async else ''})\n"
    return text + "    out.close()\n" + ("    await collector\n    await pool.close()\n" if is_async else "    collector.join()\n")
