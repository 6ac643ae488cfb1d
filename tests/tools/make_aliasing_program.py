#!/usr/bin/env python3
"""Writes a random program full of aliases, cleared fields, re-entrant calls, closures and errors (used by random_aliasing.sh).

Every object says when it dies, so the program's output shows the order of all ends. A budget bounds how long it runs.
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
    sys.stdout.write(Writer(int(sys.argv[1])).program())
