"""Random well-typed programs: classes, structs, enums, generics, closures, errors and collections.

Invariant: a program depends on its seed alone, ends, and prints everything it computes, so two builds of it can be compared by their output.
What an operation may raise is caught and printed.
"""
import random

HEADER = '''class Odd(Error):
    n: int

trait Sized:
    def size(self) -> int
    def twice(self) -> int: return self.size() &+ self.size()

class Box<T>:
    items: list<T> = []
    def put(self, item: T) -> int:
        self.items.append(item)
        return len(self.items)
    def last(self) -> T?: return self.items[-1] if self.items else null

def largest<T: Ord>(xs: list<T>, otherwise: T) -> T:
    best = otherwise
    for x in xs:
        if x > best: best = x
    return best

def apply(f: func<int> -> int, n: int) -> int: return f(n)

def check_odd(n: int) -> int:
    if n % 2 == 1: raise Odd(f"{n} is odd", n)
    return n // 2
'''


class Generator:
    def __init__(self, seed):
        self.pick = random.Random(seed)
        self.out = []
        self.depth = 0
        self.enums, self.structs, self.classes, self.functions = [], [], [], []

    # ---- Expressions of a type, from the variables in reach

    def expr(self, kind, scope, depth=3):
        mine = [name for name, k in scope.items() if k == kind]
        if mine and (depth <= 0 or self.pick.random() < 0.35):
            return self.pick.choice(mine)
        return getattr(self, "expr_" + kind)(scope, depth - 1)

    def expr_int(self, scope, depth):
        pick = self.pick
        if depth <= 0:
            return str(pick.choice([0, 1, 2, 3, 7, -1, -5, 100, 255, 65536, 9223372036854775807]))
        sub = lambda kind="int": self.expr(kind, scope, depth)
        choice = pick.randrange(16)
        if choice < 4:
            return f"({sub()} {pick.choice(['+', '-', '*'])} {sub()})"
        if choice == 4:
            return f"({sub()} {pick.choice(['//', '%'])} {sub()})"
        if choice == 5:
            return f"({sub()} {pick.choice(['&+', '&-', '&*', '&', '|', '^'])} {sub()})"
        if choice == 6:
            return f"({sub()} if {sub('bool')} else {sub()})"
        if choice == 7:
            return f"len({sub(pick.choice(['str', 'ints', 'dict']))})"
        if choice == 8:
            return f"{sub('ints')}[{sub()}]"
        if choice == 9:
            return f"{sub('dict')}.get({sub('str')}, {sub()})"
        if choice == 10:
            return f"({sub('maybe')} ?? {sub()})"
        if choice == 11:
            return f"apply(n -> n {pick.choice(['&+', '&-', '^'])} {sub()}, {sub()})"
        if choice == 12:
            return f"largest({sub('ints')}, {sub()})"
        if choice == 13:
            return f"sum([k &+ 1 for k in {sub('ints')} if k % 3 != {pick.randrange(3)}])"
        if choice == 14 and self.functions:
            name, kinds = pick.choice(self.functions)
            return f"{name}({', '.join(sub(k) for k in kinds)})"
        if self.classes and choice == 15:
            name = pick.choice(self.classes)
            return f"{name}({sub()}, {sub('str')}).{pick.choice(['size', 'twice'])}()"
        return f"check_odd({sub()})"

    def expr_bool(self, scope, depth):
        pick = self.pick
        sub = lambda kind: self.expr(kind, scope, depth)
        if depth <= 0:
            return pick.choice(["true", "false"])
        choice = pick.randrange(6)
        if choice == 0:
            return f"({sub('int')} {pick.choice(['<', '<=', '==', '!=', '>', '>='])} {sub('int')})"
        if choice == 1:
            return f"({sub('bool')} {pick.choice(['and', 'or'])} {sub('bool')})"
        if choice == 2:
            return f"(not {sub('bool')})"
        if choice == 3:
            return f"({sub('str')} in {sub('dict')})"
        if choice == 4:
            return f"({sub('maybe')} is {pick.choice(['', 'not '])}null)"
        return f"({sub('str')} {pick.choice(['<', '==', '!='])} {sub('str')})"

    def expr_str(self, scope, depth):
        pick = self.pick
        sub = lambda kind: self.expr(kind, scope, depth)
        if depth <= 0:
            return pick.choice(['""', '"a"', '"héllo"', '"x y"', '"7"', '"日本"'])
        choice = pick.randrange(7)
        if choice == 0:
            return f"({sub('str')} + {sub('str')})"
        if choice == 1:
            return f"str({sub('int')})"
        if choice == 2:
            return f"{sub('str')}[{pick.choice(['1:', ':-1', '::-1', '::2'])}]"
        if choice == 3:
            return f"{sub('str')}.{pick.choice(['upper()', 'strip()', 'replace(chr(97), str(1))'])}"
        if choice == 4:
            return "f\"{(" + sub("int").replace('"', "'") + "):>4}|{(" + sub("bool").replace('"', "'") + ")}\""
        if choice == 5:
            return f'",".join([str(k) for k in {sub("ints")}])'
        return f"({sub('str')} if {sub('bool')} else {sub('str')})"

    def expr_ints(self, scope, depth):
        pick = self.pick
        sub = lambda kind="int": self.expr(kind, scope, depth)
        if depth <= 0:
            return pick.choice(["[1, 2, 3]", "[0]", "[5, -5, 9, 2]"])
        choice = pick.randrange(6)
        if choice == 0:
            return f"[{', '.join(sub() for _ in range(pick.randrange(1, 4)))}]"
        if choice == 1:
            return f"[k &* {sub()} for k in range({pick.randrange(6)})]"
        if choice == 2:
            return f"sorted({sub('ints')})"
        if choice == 3:
            return f"({sub('ints')} + {sub('ints')})"
        if choice == 4:
            return f"{sub('ints')}[{pick.choice(['1:', ':-1', '::-1', ':2'])}]"
        return f"list({sub('dict')}.values())"

    def expr_dict(self, scope, depth):
        sub = lambda kind: self.expr(kind, scope, depth)
        if depth <= 0:
            return '{"a": 1, "b": 2}'
        if self.pick.randrange(2):
            return "{" + ", ".join(f"{sub('str')}: {sub('int')}" for _ in range(self.pick.randrange(1, 4))) + "}"
        return f"{{str(k): k &* {sub('int')} for k in {sub('ints')}}}"

    def expr_maybe(self, scope, depth):
        sub = lambda kind: self.expr(kind, scope, depth)
        if depth <= 0:
            return '{"a": 1}.get("z")'
        return self.pick.choice([lambda: f"{sub('dict')}.get({sub('str')})", lambda: f"Box<int>({sub('ints')}).last()"])()

    # ---- Statements

    def line(self, indent, text):
        self.out.append("    " * indent + text)

    def block(self, indent, scope, count, depth):
        scope = dict(scope)
        for _ in range(count):
            self.statement(indent, scope, depth)

    def statement(self, indent, scope, depth):
        pick = self.pick
        choice = pick.randrange(11)
        fresh = f"v{len(self.out)}"
        if choice < 3 or depth <= 0:
            kind = pick.choice(["int", "int", "str", "ints", "dict", "bool", "maybe"])
            self.line(indent, f"{fresh} = {self.expr(kind, scope)}")
            scope[fresh] = kind
        elif choice == 3:
            self.line(indent, f"if {self.expr('bool', scope)}:")
            self.block(indent + 1, scope, 2, depth - 1)
            self.line(indent, "else:")
            self.block(indent + 1, scope, 1, depth - 1)
        elif choice == 4:
            # A copy: the body may append to the list, and the program must end.
            self.line(indent, f"for {fresh} in {self.pick.choice(['range(3)', self.expr('ints', scope, 2) + '[:]'])}:")
            self.block(indent + 1, scope | {fresh: "int"}, 2, depth - 1)
        elif choice == 5:
            self.line(indent, "try:")
            self.block(indent + 1, scope, 2, depth - 1)
            self.line(indent, pick.choice(["catch Odd as e: print(\"odd\", e.n)", "catch IndexError | KeyError as e: print(e.message)", "catch OverflowError: print(\"overflow\")"]))
            if pick.randrange(2):
                self.line(indent, "finally: print(\"finally\")")
        elif choice == 6 and self.enums:
            name, cases = pick.choice(self.enums)
            case, kinds = pick.choice(cases)
            args = "(" + ", ".join(self.expr(k, scope, 2) for k in kinds) + ")" if kinds else ""
            self.line(indent, f"{fresh} = weigh_{name}({name}.{case}{args})")
            scope[fresh] = "int"
        elif choice == 7 and self.structs:
            name = pick.choice(self.structs)
            self.line(indent, f"{fresh} = {name}({self.expr('int', scope, 2)}, {self.expr('str', scope, 2)})")
            self.line(indent, f"{fresh}b = {fresh}")
            self.line(indent, f"{fresh}b.n = {fresh}b.n &+ 1")
            self.line(indent, f"print({fresh}, {fresh}b, {fresh} == {fresh}b)")
        elif choice == 8:
            mine = [n for n, k in scope.items() if k == "ints"]
            if mine:
                self.line(indent, f"{pick.choice(mine)}.append({self.expr('int', scope, 2)})")
            else:
                self.line(indent, f"print({self.expr('str', scope)})")
        elif choice == 9:
            self.line(indent, f"def {fresh}(a: int) -> int: return a &+ {self.expr('int', scope, 2)}")
            self.line(indent, f"print(apply({fresh}, {self.expr('int', scope, 2)}))")
        else:
            self.line(indent, f"print({', '.join(self.expr(k, scope) for k in pick.sample(['int', 'str', 'ints', 'dict', 'bool', 'maybe'], 2))})")

    # ---- Declarations

    def make_enum(self, index):
        name = f"E{index}"
        cases = [(f"{name}C{i}", [self.pick.choice(["int", "str"]) for _ in range(self.pick.randrange(3))]) for i in range(self.pick.randrange(2, 5))]
        self.line(0, f"enum {name}:")
        for case, kinds in cases:
            fields = ", ".join(f"f{i}: {k}" for i, k in enumerate(kinds))
            self.line(1, f"{case}({fields})" if kinds else case)
        self.line(0, f"def weigh_{name}(e: {name}) -> int:")
        self.line(1, "switch e:")
        for case, kinds in cases:
            names = [f"p{i}" for i in range(len(kinds))]
            value = " &+ ".join([f"{n} &* 3" if k == "int" else f"len({n})" for n, k in zip(names, kinds)] + [str(self.pick.randrange(9))])
            self.line(2, f"case {case}{'(' + ', '.join(names) + ')' if names else ''}: return {value}")
        self.enums.append((name, cases))

    def make_struct(self, index):
        name = f"S{index}"
        self.line(0, f"struct {name}: n: int; text: str")
        self.structs.append(name)

    def make_class(self, index):
        name = f"C{index}"
        base = self.pick.choice(self.classes) if self.classes and self.pick.randrange(2) else None
        self.line(0, f"class {name}({base or 'Sized'}):")
        if not base:
            self.line(1, "n: int")
            self.line(1, "text: str")
        self.line(1, f"def size(self) -> int: return {self.expr('int', {'self.n': 'int', 'self.text': 'str'}, 2)}")
        if self.pick.randrange(2):
            self.line(1, "def __del__(self): print(\"gone\", self.n)")
        self.classes.append(name)

    def make_function(self, index):
        kinds = [self.pick.choice(["int", "str", "ints"]) for _ in range(self.pick.randrange(1, 4))]
        types = {"int": "int", "str": "str", "ints": "list<int>"}
        name = f"f{index}"
        self.line(0, f"def {name}({', '.join(f'a{i}: {types[k]}' for i, k in enumerate(kinds))}) -> int:")
        scope = {f"a{i}": k for i, k in enumerate(kinds)}
        for _ in range(self.pick.randrange(1, 4)):
            self.statement(1, scope, 2)
        self.line(1, f"return {self.expr('int', scope)}")
        self.functions.append((name, kinds))

    def program(self):
        self.out = HEADER.split("\n")
        for index in range(self.pick.randrange(1, 3)):
            self.make_enum(index)
            self.make_struct(index)
            self.make_class(index)
        self.make_class(9)
        for index in range(self.pick.randrange(1, 5)):
            self.make_function(index)
        for _ in range(self.pick.randrange(3, 9)):
            name = f"part{len(self.out)}"
            self.line(0, f"def {name}():")
            scope = {}
            for _ in range(self.pick.randrange(2, 6)):
                self.statement(1, scope, 2)
            self.line(1, f"print({', '.join(scope) or '0'})")
            self.line(0, f"try: {name}()")
            self.line(0, "catch Error as e: print(\"error\", e.message)")
        return "\n".join(self.out) + "\n"


def make_program(seed):
    return Generator(seed).program()
