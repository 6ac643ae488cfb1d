#!/usr/bin/env python3
"""Writes a random program full of aliases, cleared fields, re-entrant calls, closures and errors (used by random_aliasing.sh).

make_aliasing_program.py SEED nodes: every object says when it dies, so the program's output shows the order of all ends. A budget bounds how long it runs.
make_aliasing_program.py SEED shapes: objects leave functions as other classes, optionals, `any` and `dyn`.
"""
import random
import sys

PRELUDE = '''class Node:
    id: int
    left: Node?
    right: Node?
    items: list<Node>
    note: str
    weak owner: Node?
    hook: func<Node> -> Node?
    def __init__(self, id: int):
        self.id = id
        self.left = null
        self.right = null
        self.items = []
        self.note = f"a note of node {id}, too long to lie in the value"
        self.owner = null
        self.hook = n -> n.left
    def __del__(self): print("end", self.id)
    def show(self) -> str:
        return f"{self.id} {len(self.items)} {self.note[-9:]}"
    def swap(self):
        self.left, self.right = self.right, self.left
    def clear(self):
        self.left = null
        self.items.clear()

struct Pair:
    first: Node
    second: Node?

enum Link:
    Nothing
    One(n: Node)
    Two(a: Node, b: Node)

made = 0
budget = 400
root = Node(-1)
registry: dict<int, Node> = {}

def make() -> Node:
    global made
    made += 1
    return Node(made)

def spend() -> bool:
    global budget
    budget -= 1
    return budget > 0

def sink(owned n: Node): print("sink", n.show())

def replace(ref n: Node, m: Node):
    print("replace", n.show(), m.show())
    n = m

'''

# Nobody can notice the end of these, so the compiler may keep them wherever it likes.
SHAPES = '''trait Named:
    def name(self) -> str
class Shape:
    tag: list<int>
    text: str
    def me(self) -> Self: return self
    def base(self) -> Shape: return self
    def maybe(self) -> Shape?: return self
    @property
    def own(self) -> Shape: return self
class Square(Shape):
    def square(self) -> Square: return self
class Small(Square): pass
impl Named for Shape:
    def name(self) -> str: return f"{self.text}{self.tag}"
class Box:
    b: Shape
    def give(self) -> Shape: return self.b
class Carrier(Error):
    b: Shape
def each_twice(s: Shape) -> Iterator<Shape>:
    yield s
    yield s.me()
def same_again<T>(x: T) -> T: return x
def small(n: int) -> Small: return Small([n], "text " + str(n))
def overwrite(n: int) -> int:
    others = [small(-i) for i in range(n)]
    first = small(-n)
    return len(others) + first.tag[0]
kept: list<Shape> = []

'''


class ShapeWriter:
    """Functions that give back their parameter, seen as another type, in every way a value can leave; and functions whose local goes through some of them."""
    CLASSES = ["Shape", "Square", "Small"]
    TYPES = CLASSES + ["Shape?", "Small?", "any", "dyn Named"]

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.steps = []   # name, parameter type, result type

    def as_class(self, value, held, wanted):
        """`value` of type `held` as the class `wanted`. Every object is a Small, so each cast holds."""
        if held.endswith("?"):
            value, held = self.random.choice([f"{value}!", f"({value} ?? small(0))"]), held[:-1]
        if held == "any": return f"({value} as {self.random.choice([wanted, 'Small'])})"
        if self.CLASSES.index(held) >= self.CLASSES.index(wanted):
            return self.random.choice([value, value, f"({value} as {wanted})"])
        return f"({value} as {wanted})"

    def leave(self, value, held, wanted):
        """Statements that give back `value` as `wanted`."""
        r = self.random
        inner = wanted[:-1] if wanted.endswith("?") else wanted
        if held == "dyn Named": return [f"return {value}"]
        target = inner if inner in self.CLASSES else r.choice(self.CLASSES)
        x = self.as_class(value, held, target)
        forms = [[f"return {x}"], [f"r: {wanted} = {x}", "return r"], [f"return same_again<{target}>({x})"], [f"return (() -> {x})()"], [f"return ({x}, 1)[0]"],
                 [f"return {x} if overwrite(2) != 99 else small(0)"], ["try:", f"    return {x}", "finally:", "    overwrite(3)"], [f"l: list<{target}> = [{x}]", "return l[0]"],
                 [f"for i in range(2):", f"    if i == 1: return {x}", "return small(0)"], [f"q = {x}", f"def inside() -> {target}: return q", "return inside()"],
                 [f"d: dict<str, {target}> = {{\"k\": {x}}}", "return d[\"k\"]"], [f"return [{x} for i in range(2)][1]"]]
        if target == "Shape":
            forms += [[f"return Box({x}).give()"], [f"return Box({x}).b"], [f"return list(each_twice({x}))[1]"], [f"return {x}.me().base()"], [f"return {x}.own"], [f"return {x}.maybe()!"],
                      ["try:", f"    raise Carrier(\"thrown\", {x})", "catch Carrier as e:", "    return e.b"], [f"kept.append({x})", "return kept[len(kept) - 1]"],
                      [f"switch {x}:", "    case Small() as m: return m", "    case other: return other"], [f"q = {x}", "if q is Square: return q", "return q"]]
        return r.choice(forms)

    def write(self):
        r = self.random
        for i in range(14):
            held, wanted = r.choice(self.TYPES[:-1]), r.choice(self.TYPES)
            self.lines.append(f"def step{i}(s: {held}) -> {wanted}:")
            self.lines += ["    " + line for line in self.leave("s", held, wanted)]
            self.steps.append((f"step{i}", held, wanted))
        for i in range(10):
            self.lines.append(f"def chain{i}(n: int) -> str:")
            self.lines.append(f"    v0 = {r.choice(['small(n)', 'Small([n], str(n))'])}")
            held, last = "Small", "v0"
            for k in range(1, r.randrange(2, 5)):
                name, takes, gives = r.choice(self.steps)
                if held == "dyn Named": break
                argument = last
                if takes != "any": argument = self.as_class(last, held, takes.rstrip("?"))
                self.lines.append(f"    v{k} = {name}({argument})")
                held, last = gives, f"v{k}"
            if held == "dyn Named": shown = f"{last}.name()"
            else: shown = self.as_class(last, held, "Shape") + ".name()"
            if held != "dyn Named" and r.random() < 0.5: self.lines.append(f"    kept.append({self.as_class(last, held, 'Shape')})")
            self.lines.append(f"    overwrite(4)")
            self.lines.append(f"    return {shown}")
        for i in range(10): self.lines.append(f"print(chain{i}({i}))")
        self.lines.append("overwrite(20)")
        self.lines.append("print([k.name() for k in kept])")
        return SHAPES + "\n".join(self.lines) + "\n"


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.functions = 6
        self.fresh = 0

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def node(self, names):
        """An expression of type Node."""
        r, name = self.random, self.random.choice(names)
        return r.choice([name, name, "root", "make()", f"({name}.left ?? {name})", f"(root.right ?? make())", f"(registry.get({r.randrange(4)}) ?? {name})",
                         f"({name}.owner ?? make())", f"pick({name}, {r.choice(names)})", f"({name}.hook({name}) ?? root)"])

    def maybe(self, names):
        """An expression of type Node?."""
        r, name = self.random, self.random.choice(names)
        return r.choice(["null", name, f"{name}.left", f"{name}.right", "root.left", "make()", f"registry.get({r.randrange(4)})", f"{name}.hook(root)"])

    def name(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def statement(self, depth, names, nesting):
        r = self.random
        pick = r.choice(names)
        kind = r.randrange(30)
        put = lambda text: self.line(depth, text)
        if kind == 0: put(f"{pick}.{r.choice(['left', 'right'])} = {self.maybe(names)}")
        elif kind == 1: put(f"{pick}.items.append({self.node(names)})")
        elif kind == 2: put(f"if {pick}.items: {pick}.items.pop()")
        elif kind == 3: put(f"{r.choice([pick, 'root'])}.clear()")
        elif kind == 4: put(f"root.left = {self.maybe(names)}")
        elif kind in (5, 6, 7): self.call(depth, names)
        elif kind == 8:
            put(f"if {pick}.left is not null: f{r.randrange(self.functions)}({pick}.left, {self.maybe(names)}, depth - 1)")
        elif kind == 9: put(f"{pick}.note = {pick}.note + \"{r.choice('abc')}\"")
        elif kind == 10:
            text = self.name("s")
            put(f"{text} = {pick}.note")
            put(f"{pick}.note = \"\"")
            put(f"print({text}[-5:])")
        elif kind == 11: put(f"registry[{r.randrange(4)}] = {self.node(names)}")
        elif kind == 12: put(f"if {(k := r.randrange(4))} in registry: del registry[{k}]")
        elif kind == 13: put("sink(make())")
        elif kind == 14:
            new = self.name("n")
            put(f"{new} = {self.node(names)}")
            if nesting == 0: names.append(new)
            else: put(f"print({new}.show())")
        elif kind == 15: put(f"print({pick}.show(), {self.node(names)}.show())")
        elif kind == 16 and nesting < 2:
            item = self.name("i")
            put(f"for {item} in {pick}.items:")
            self.block(depth + 1, names + [item], nesting + 1)
        elif kind == 17 and nesting < 2:
            put(f"try:")
            self.block(depth + 1, list(names), nesting + 1)
            if r.random() < 0.5: self.line(depth + 1, f"if {pick}.id % 3 == 0: raise ValueError(\"thrown\")")
            put("catch ValueError as e:")
            self.line(depth + 1, "print(e.message)")
            self.block(depth + 1, list(names), nesting + 1)
        elif kind == 18: put(f"{pick}.owner = {self.maybe(names)}")
        elif kind == 19:
            pair = self.name("p")
            put(f"{pair} = Pair({self.node(names)}, {self.maybe(names)})")
            self.call(depth, names + [f"{pair}.first"])
            put(f"print({pair}.first.show())")
        elif kind == 20:
            link = self.name("l")
            put(f"{link} = {r.choice(['One(' + self.node(names) + ')', 'Two(' + self.node(names) + ', ' + self.node(names) + ')'])}")
            put(f"switch {link}:")
            self.line(depth + 1, "case One(x): " + f"f{r.randrange(self.functions)}(x, x.left, depth - 1)")
            self.line(depth + 1, "case Two(x, y): print(x.show(), y.show())")
            self.line(depth + 1, "default: pass")
        elif kind == 21:
            put(f"{pick}.hook = n -> {r.choice(['n.right', 'n.left', 'root.left'])}")
        elif kind == 22:
            new = self.name("v")
            put(f"{new} = {self.node(names)}")
            put(f"replace({new}, {self.node(names)})")
            put(f"print({new}.show())")
        elif kind == 23: put(f"{pick}.swap()")
        elif kind == 24:
            first, second = self.name("t"), self.name("t")
            put(f"{first}, {second} = {self.node(names)}, {self.node(names)}.left")
            put(f"{r.choice(names)}.clear()")
            put(f"print({first}.show(), {second} is null)")
        elif kind == 25:
            put(f"print([x.id for x in {pick}.items if x.left is null])")
        elif kind == 26:
            new = self.name("c")
            put(f"{new} = () -> {pick}.left ?? {pick}")
            put(f"{pick}.left = {self.maybe(names)}")
            put(f"print({new}().show())")
        elif kind == 27:
            new = self.name("q")
            put(f"{new} = {pick}.items")
            put(f"{new} = {new} + [{self.node(names)}]")
            if r.random() < 0.5: put(f"{pick}.items = {new}")
            put(f"{new} = {new} + {r.choice([new, pick + '.items', '[root]'])}")
            put(f"print(len({new}), len({pick}.items))")
        elif kind == 28:
            new, other = self.name("q"), self.name("q")
            put(f"{new} = [{self.node(names)}]")
            put(f"for _ in range({r.randrange(4)}): {new} = {new} + [{self.node(names)}]")
            put(f"{other} = {new}")
            put(f"{new} = {new} + [{self.node(names)}]")
            put(f"print([x.id for x in {other}], [x.id for x in {new}])")
        elif kind == 29:
            new = self.name("h")
            put(f"{new} = make()")
            put(f"{new}.left = {self.maybe(names)}")
            put(f"{new}x = {new}.left")
            put(f"{new}.left = {self.maybe(names)}")
            put(f"if {new}x is not null: {new}x.right = {self.maybe(names)}")
            put(f"print({new}.left is null, {new}x is null)")

    def call(self, depth, names):
        r = self.random
        text = f"f{r.randrange(self.functions)}({self.node(names)}, {self.maybe(names)}, depth - 1)"
        if r.random() < 0.4: text = f"print({text}.show())"
        self.line(depth, text)

    def block(self, depth, names, nesting):
        before = len(self.lines)
        for _ in range(self.random.randrange(1, 4)): self.statement(depth, names, nesting)
        if len(self.lines) == before: self.line(depth, "pass")

    def function(self, number):
        self.line(0, f"def f{number}(a: Node, b: Node?, depth: int) -> Node:")
        self.line(1, "if depth <= 0 or not spend(): return b ?? a")
        names = ["a"]
        for _ in range(self.random.randrange(4, 9)): self.statement(1, names, 0)
        if self.random.random() < 0.2: self.line(1, "if b is null: raise ValueError(f\"no b for {a.id}\")")
        self.line(1, f"return {self.node(names)}")
        self.line(0, "")

    def program(self):
        self.lines = [PRELUDE + "def pick(a: Node, b: Node) -> Node:\n    return a if a.id % 2 == 0 else b\n"]
        for number in range(self.functions): self.function(number)
        self.line(0, "def main():")
        self.line(1, "local = make()")
        self.line(1, "local.left = make()")
        self.line(1, "root.left = local")
        for round in range(4):
            self.line(1, "try:")
            self.line(2, f"print(f{self.random.randrange(self.functions)}(local, root.left, 4).show())")
            self.line(1, "catch ValueError as e: print(\"main caught\", e.message)")
        return "\n".join(self.lines) + "\n"


if __name__ == "__main__":
    seed, kind = int(sys.argv[1]), sys.argv[2]
    sys.stdout.write(Writer(seed).program() if kind == "nodes" else ShapeWriter(seed).write())
