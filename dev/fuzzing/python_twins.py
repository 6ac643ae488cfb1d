"""Random programs in two languages: Meteor, and the same in Python. Both print the same.

Numbers stay small, so that nothing overflows, and no operation is one about which the languages differ (how a list prints, what a bool is called:
`show` writes them Meteor's way). Half of what is computed goes through `ti`, `ts`, `tb` or `tl`, which note a number: what they have noted at the end tells
in which order parts were evaluated. In an async function any part may be awaited, with a turn for others or without one.
"""
import random

METEOR = '''noted = 7
def note(k: int):
    global noted
    noted = (noted * 31 + k) % 1000003
def ti(k: int, x: int) -> int:
    note(k)
    return x
def tb(k: int, x: bool) -> bool:
    note(k)
    return x
def ts(k: int, x: str) -> str:
    note(k)
    return x
def tl(k: int, x: list<int>) -> list<int>:
    note(k)
    return x
async def ati(k: int, x: int) -> int:
    if k % 2 == 0: await yield_now()
    note(k)
    return x
async def atb(k: int, x: bool) -> bool:
    if k % 2 == 0: await yield_now()
    note(k)
    return x
async def ats(k: int, x: str) -> str:
    if k % 2 == 0: await yield_now()
    note(k)
    return x
async def atl(k: int, x: list<int>) -> list<int>:
    if k % 2 == 0: await yield_now()
    note(k)
    return x
def pair(a: int, b: int) -> (int, int): return (a, b)
def fail(k: int, when: bool) -> int:
    note(k)
    if when: raise ValueError(f"failed {k}")
    return k
class Counter:
    n: int = 0
    items: list<int> = []
    def bump(self, by: int) -> int:
        self.n = (self.n + by) % 1009
        self.items.append(self.n)
        return self.n
'''

PYTHON = '''import asyncio
noted = 7
def show(x):
    if x is True: return "true"
    if x is False: return "false"
    if isinstance(x, str): return '"' + x + '"'
    if isinstance(x, list): return "[" + ", ".join(show(e) for e in x) + "]"
    if isinstance(x, tuple): return "(" + ", ".join(show(e) for e in x) + ")"
    if isinstance(x, dict): return "{" + ", ".join(show(k) + ": " + show(v) for k, v in x.items()) + "}"
    return str(x)
def put(*xs): print(*[x if isinstance(x, str) else show(x) for x in xs])
def note(k):
    global noted
    noted = (noted * 31 + k) % 1000003
def ti(k, x):
    note(k)
    return x
tb = ts = tl = ti
async def yield_now(): await asyncio.sleep(0)
async def ati(k, x):
    if k % 2 == 0: await yield_now()
    note(k)
    return x
atb = ats = atl = ati
def pair(a, b): return (a, b)
def fail(k, when):
    note(k)
    if when: raise ValueError(f"failed {k}")
    return k
class Counter:
    def __init__(self): self.n = 0; self.items = []
    def bump(self, by):
        self.n = (self.n + by) % 1009
        self.items.append(self.n)
        return self.n
'''

TYPES = {"int": "int", "bool": "bool", "str": "str", "list": "list<int>", "dict": "dict<str, int>"}
LETTER = {"int": "i", "bool": "b", "str": "s", "list": "l"}
TEXTS = ["", "a", "b", "cc", "zz top", "12", "é", "日本x", "A,b,c"]


class Twins:
    def __init__(self, seed):
        self.pick = random.Random(seed)
        self.meteor, self.python = [], []
        self.indent = 0
        self.names = 0
        self.is_async = False
        self.functions = []          # (name, parameter kinds, is async), each gives an int
        self.loops = 0

    def fresh(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def line(self, meteor, python=None):
        self.meteor.append("    " * self.indent + meteor)
        self.python.append("    " * self.indent + (meteor if python is None else python))

    # ---- Expressions: pairs of texts

    @staticmethod
    def same(form, *parts): return (form.format(*[p[0] for p in parts]), form.format(*[p[1] for p in parts]))

    def expr(self, kind, scope, depth):
        pick = self.pick
        mine = [name for name, k in scope.items() if k == kind]
        if mine and (depth <= 0 or pick.random() < 0.3):
            name = pick.choice(mine)
            return (name, name)
        made = getattr(self, "expr_" + kind)(scope, depth - 1)
        if kind in LETTER and depth > 0 and pick.random() < 0.35:
            number, letter = pick.randrange(100), LETTER[kind]
            if self.is_async and pick.random() < 0.6:
                return self.same(f"(await at{letter}({number}, {{0}}))", made)
            return self.same(f"t{letter}({number}, {{0}})", made)
        return made

    def expr_int(self, scope, depth):
        pick = self.pick
        if depth <= 0: return self.same(str(pick.choice([0, 1, 2, 3, 7, 17, 100, "(-1)", "(-5)"])))
        sub = lambda kind="int": self.expr(kind, scope, depth)
        choice = pick.randrange(17)
        if choice < 3: return self.same(f"(({{0}} {pick.choice('+-*')} {{1}}) % 9973)", sub(), sub())
        if choice == 3: return self.same(f"({{0}} {pick.choice(['//', '%'])} ({{1}} % 7 + 1))", sub(), sub())
        if choice == 4: return self.same("({0} if {1} else {2})", sub(), sub("bool"), sub())
        if choice == 5: return self.same("len({0})", sub(pick.choice(["str", "list", "dict"])))
        if choice == 6: return self.same("sum({0})", sub("list"))
        if choice == 7: return self.same("{0}.get({1}, {2})", sub("dict"), sub("str"), sub())
        if choice == 8: return self.same(f"pair({{0}}, {{1}})[{pick.randrange(2)}]", sub(), sub())
        if choice == 9: return self.same("{0}.count({1})", sub("list"), sub())
        if choice == 10: return self.same("(-{0})", sub())
        if choice == 11: return self.same("(({0} % 64) << ({1} % 5))", sub(), sub())
        if choice == 12: return self.same("max({0}, {1})", sub(), sub())
        if choice == 13: return self.same("{0}.find({1})", sub("str"), sub("str"))
        if choice == 14: return self.same("(abs({0}) % 50)", sub())
        callable_now = [f for f in self.functions if self.is_async or not f[2]]
        if choice == 15 and callable_now and self.loops == 0 and depth > 0:
            name, kinds, is_async = pick.choice(callable_now)
            call = self.same(name + "(" + ", ".join("{%d}" % i for i in range(len(kinds))) + ")", *[sub(k) for k in kinds])
            return self.same("(await {0})", call) if is_async else call
        return self.same("len([{0} for z in {1} if {2}])", *self.inside(scope, "z", depth))

    def inside(self, scope, name, depth):
        inner = scope | {name: "int"}
        return self.expr("int", inner, depth - 1), self.expr("list", scope, depth - 1), self.expr("bool", inner, depth - 1)

    def expr_bool(self, scope, depth):
        pick = self.pick
        if depth <= 0: return pick.choice([("true", "True"), ("false", "False")])
        sub = lambda kind: self.expr(kind, scope, depth)
        choice = pick.randrange(9)
        if choice < 2: return self.same(f"({{0}} {pick.choice(['<', '<=', '==', '!=', '>', '>='])} {{1}})", sub("int"), sub("int"))
        if choice == 2: return self.same(f"({{0}} {pick.choice(['and', 'or'])} {{1}})", sub("bool"), sub("bool"))
        if choice == 3: return self.same("(not {0})", sub("bool"))
        if choice == 4: return self.same(f"({{0}} {pick.choice(['in', 'not in'])} {{1}})", *pick.choice([(sub("int"), sub("list")), (sub("str"), sub("dict")), (sub("str"), sub("str"))]))
        if choice == 5: return self.same(f"({{0}} {pick.choice(['==', '!=', '<', '<=', '>', '>='])} {{1}})", sub("list"), sub("list"))
        if choice == 6: return self.same("({0} < {1} <= {2})", sub("int"), sub("int"), sub("int"))
        if choice == 7: return self.same(f"({{0}} {pick.choice(['==', '!=', '<', '>='])} {{1}})", sub("str"), sub("str"))
        return self.same("({0} if {1} else {2})", sub("bool"), sub("bool"), sub("bool"))

    def expr_str(self, scope, depth):
        pick = self.pick
        if depth <= 0: return self.same('"' + pick.choice(TEXTS) + '"')
        sub = lambda kind: self.expr(kind, scope, depth)
        choice = pick.randrange(8)
        if choice == 0: return self.same("({0} + {1})", sub("str"), sub("str"))
        if choice == 1: return self.same("str({0})", sub("int"))
        if choice == 2: return self.same("({0} * ({1} % 3))", sub("str"), sub("int"))
        if choice == 3: return self.slice(sub("str"), scope, depth)
        if choice == 4: return self.same("({0} if {1} else {2})", sub("str"), sub("bool"), sub("str"))
        if choice == 5: return self.same(pick.choice(["{0}.upper()", "{0}.strip()", "{0}.replace({1}, {2})"]), sub("str"), self.same('"a"'), sub("str"))
        if choice == 6:
            a, b = sub("int"), sub("int")
            # Nested quotes of the same kind are not for every Python.
            if any('"' in part for part in (*a, *b)): return self.same("str({0})", a)
            return self.same('f"{{{0}}}-{{{1}}}"', a, b)
        return self.same('",".join([str(z) for z in {0}])', sub("list"))

    def slice(self, value, scope, depth):
        bound = lambda: self.expr("int", scope, depth - 1) if self.pick.random() < 0.6 else ("", "")
        form = self.pick.choice(["{0}[{1}:{2}]", "{0}[{1}:]", "{0}[:{2}]", "{0}[::-1]", "{0}[{1}:{2}:2]", "{0}[{1}:{2}:-1]"])
        return self.same(form, value, bound(), bound())

    def expr_list(self, scope, depth):
        pick = self.pick
        if depth <= 0: return self.same("[" + ", ".join(str(pick.randrange(-3, 9)) for _ in range(pick.randrange(1, 4))) + "]")
        sub = lambda kind: self.expr(kind, scope, depth)
        choice = pick.randrange(10)
        if choice < 2: return self.same("[{0}, {1}]", sub("int"), sub("int"))
        if choice == 2: return self.same("({0} + {1})", sub("list"), sub("list"))
        if choice < 5: return self.slice(sub("list"), scope, depth)
        if choice == 5: return self.same("sorted({0})", sub("list"))
        if choice == 6: return self.same("[{0} for z in {1} if {2}]", *self.inside(scope, "z", depth))
        if choice == 7: return self.same("[z for z in {0}.values()]", sub("dict"))
        if choice == 8: return self.same("[*{0}, {1}]", sub("list"), sub("int"))
        return self.same("({0} if {1} else {2})", sub("list"), sub("bool"), sub("list"))

    def expr_dict(self, scope, depth):
        pick = self.pick
        if depth <= 0: return self.same("{{" + ", ".join(f'"{k}": {pick.randrange(-3, 9)}' for k in pick.sample(TEXTS, 2)) + "}}")
        sub = lambda kind: self.expr(kind, scope, depth)
        if pick.random() < 0.5: return self.same("{{{0}: {1}, {2}: {3}}}", sub("str"), sub("int"), sub("str"), sub("int"))
        element, items, test = self.inside(scope, "z", depth)
        return self.same("{{str(z): {0} for z in {1} if {2}}}", element, items, test)

    # ---- Statements

    def block(self, scope, depth, head=None, count=None):
        if head: self.line(*head)
        self.indent += 1
        inner = dict(scope)
        for _ in range(count or self.pick.randrange(1, 4)): self.statement(inner, depth)
        self.indent -= 1

    def put(self, *parts):
        text = self.same(", ".join("{%d}" % i for i in range(len(parts))), *parts)
        self.line(f"print({text[0]})", f"put({text[1]})")

    def statement(self, scope, depth):
        pick = self.pick
        e = lambda kind, d=2: self.expr(kind, scope, d)
        choice = pick.randrange(17) if depth > 0 else pick.randrange(7)
        kind = pick.choice(list(TYPES))
        mine = lambda k: [n for n, v in scope.items() if v == k and n[0] != "w" and n[0] != "x"]
        if choice < 2:
            name, value = self.fresh("v"), e(kind, 3)
            self.line(f"{name}: {TYPES[kind]} = {value[0]}", f"{name} = {value[1]}")
            scope[name] = kind
        elif choice == 2: self.put(e(kind, 3), e("int"))
        elif choice == 3 and mine("int"):
            self.line(*self.same(pick.choice(mine("int")) + f" {pick.choice(['+=', '-='])} {{0}} % 11", e("int")))
        elif choice == 4 and mine("list"):
            name = pick.choice(mine("list"))
            self.line(*self.same(name + ".append({0})", e("int")))
            if pick.random() < 0.5: self.line(*self.same(name + f"[0] {pick.choice(['=', '+='])} {{0}}", e("int")))
        elif choice == 5 and mine("dict"): self.line(*self.same(pick.choice(mine("dict")) + "[{0}] = {1}", self.expr_str(scope, 0), e("int")))
        elif choice == 6:
            a, b = self.fresh("v"), self.fresh("v")
            self.line(*self.same(f"{a}, {b} = " + pick.choice(["pair({0}, {1})", "{0}, {1}"]), e("int"), e("int")))
            scope[a] = scope[b] = "int"
        elif choice == 7 or choice == 8:
            self.block(scope, depth - 1, self.same("if {0}:", e("bool", 3)))
            for _ in range(pick.randrange(2)): self.block(scope, depth - 1, self.same("elif {0}:", e("bool", 3)))
            if pick.random() < 0.6: self.block(scope, depth - 1, self.same("else:"))
        elif choice == 9:
            name = self.fresh("w")
            self.line(f"{name} = 0")
            self.line(*self.same(f"while {name} < {pick.randrange(1, 4)} and {{0}}:", e("bool")))
            self.indent += 1
            self.line(f"{name} += 1")
            self.loop_body(scope | {name: "int"}, depth)
        elif choice == 10 or choice == 11:
            name = self.fresh("x")
            self.line(*self.same(f"for {name} in {{0}}[:4]:", e("list", 3)))
            self.indent += 1
            self.loop_body(scope | {name: "int"}, depth)
        elif choice == 12 or choice == 13:
            self.line("try:")
            self.indent += 1
            self.line(*self.same(f"note(fail({pick.randrange(100)}, {{0}}))", e("bool")))
            self.indent -= 1
            self.block(scope, depth - 1, count=1)
            ends = pick.randrange(3)
            if ends < 2:
                self.line("catch ValueError as e:", "except ValueError as e:")
                self.indent += 1
                self.line("print(e)", "put(str(e))")
                self.indent -= 1
            if ends > 0: self.block(scope, depth - 1, ("finally:", "finally:"))
        elif choice == 14 and depth > 1:
            name, param = self.fresh("g"), self.fresh("p")
            captured = mine("int")
            self.line(f"def {name}({param}: int) -> int:", f"def {name}({param}):")
            self.indent += 1
            was, self.is_async = self.is_async, False
            if captured:
                changed = pick.choice(captured)
                self.line(f"nonlocal {changed}")
                self.line(*self.same(f"{changed} = ({changed} + {{0}}) % 101", self.expr("int", {param: "int"}, 1)))
            self.line(*self.same("return {0}", self.expr("int", {param: "int", **{n: "int" for n in captured}}, 2)))
            self.is_async = was
            self.indent -= 1
            self.put(self.same(name + "({0})", e("int")), self.same(name + "({0})", e("int")))
        elif choice == 15:
            name = self.fresh("c")
            self.line(f"{name} = Counter()")
            self.put(self.same(name + ".bump({0})", e("int")), self.same(name + ".bump({0} + " + name + ".n)", e("int")), (f"{name}.items[::-1]",) * 2)
        else: self.put(e("list", 3))

    def loop_body(self, scope, depth):
        self.indent -= 1
        self.loops += 1
        self.block(scope, depth - 1)
        self.indent += 1
        if self.pick.random() < 0.4: self.line(*self.same(f"if {{0}}: {self.pick.choice(['break', 'continue'])}", self.expr("bool", scope, 2)))
        self.indent -= 1
        if self.pick.random() < 0.3: self.block({n: k for n, k in scope.items() if n[0] not in "wx"}, depth - 1, ("else:", "else:"))
        self.loops -= 1

    def function(self, is_async):
        pick = self.pick
        name = self.fresh("f")
        kinds = [pick.choice(list(TYPES)) for _ in range(pick.randrange(1, 4))]
        params = {self.fresh("a"): kind for kind in kinds}
        self.is_async = is_async
        start = "async def" if is_async else "def"
        self.line(f"{start} {name}({', '.join(f'{n}: {TYPES[k]}' for n, k in params.items())}) -> int:", f"{start} {name}({', '.join(params)}):")
        self.indent += 1
        scope = dict(params)
        for _ in range(pick.randrange(2, 6)): self.statement(scope, 3)
        self.line(*self.same("return {0}", self.expr("int", scope, 3)))
        self.indent -= 1
        self.is_async = False
        self.functions.append((name, kinds, is_async))

    def program(self):
        for _ in range(self.pick.randrange(2, 5)): self.function(self.pick.random() < 0.5)
        self.line("async def main():")
        self.indent += 1
        self.is_async = True
        for name, kinds, is_async in self.functions:
            call = self.same(name + "(" + ", ".join("{%d}" % i for i in range(len(kinds))) + ")", *[self.expr(k, {}, 1) for k in kinds])
            self.line("try:")
            self.indent += 1
            self.put(self.same("await {0}", call) if is_async else call)
            self.indent -= 1
            self.line("catch ValueError as e:", "except ValueError as e:")
            self.indent += 1
            self.line("print(e)", "put(str(e))")
            self.indent -= 1
        self.line("print(noted)", "put(noted)")
        self.indent -= 1
        return METEOR + "\n".join(self.meteor) + "\n", PYTHON + "\n".join(self.python) + "\nasyncio.run(main())\n"


def make_twins(seed): return Twins(seed).program()


if __name__ == "__main__":
    import sys
    meteor, python = make_twins(int(sys.argv[1]))
    open(sys.argv[2] + ".met", "w").write(meteor)
    open(sys.argv[2] + ".py", "w").write(python)
