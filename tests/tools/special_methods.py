"""Writes programs that declare each special method in many forms, right and wrong, on every kind of type, and use it.

`special_methods.py FOLDER` writes one program for each method; with `--single` one for each declaration, which runs.
"""
import sys

USES = {
    "init": "print(make{n}())", "del": "del x", "drop": "del x", "str": "print(x, f'{{x}}', str(x), [x])", "repr": "print([x], f'{{x!r}}')",
    "format": "print(f'{{x:>5}}')", "bool": "print(1 if x else 0, bool(x), not x)", "int": "print(int(x))",
    "float": "print(float(x))", "eq": "print(x == x, x != x, [x] == [x], x in [x])", "ne": "print(x != x)",
    "lt": "print(x < x, x >= x, sorted([x, x]), max(x, x))", "le": "print(x <= x)", "gt": "print(x > x)", "ge": "print(x >= x)",
    "hash": "print(hash(x), len({{x}}))", "len": "print(len(x), 1 if x else 0)", "contains": "print(1 in x, 1 not in x)",
    "getitem": "print(x[0])", "setitem": "x[0] = 1", "delitem": "del x[0]", "iter": "for y in x: print(y)",
    "reversed": "for y in reversed(x): print(y)", "next": "for y in x: print(y)", "aiter": "async for y in x: print(y)",
    "anext": "async for y in x: print(y)", "enter": "with x as y: print(1)", "exit": "with x as y: print(1)",
    "aenter": "async with x as y: print(1)", "aexit": "async with x as y: print(1)", "call": "print(x(1))",
    "neg": "print(-x)", "pos": "print(+x)", "invert": "print(~x)", "abs": "print(abs(x))", "round": "print(round(x))",
    "floor": "print(x.__floor__())", "ceil": "print(x.__ceil__())", "trunc": "print(x.__trunc__())",
}
OPERATORS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "and": "&", "or": "|", "xor": "^",
             "lshift": "<<", "rshift": ">>", "pow": "**"}
for _name, _sign in OPERATORS.items():
    USES[_name] = f"print(x {_sign} 1)"
    USES["r" + _name] = f"print(1 {_sign} x)"
    USES["i" + _name] = f"x {_sign}= 1"

PARTNERS = {"exit": "def __enter__(self) -> int: return 1", "enter": "def __exit__(self, error: Error?): pass",
            "aexit": "async def __aenter__(self) -> int: return 1", "aenter": "async def __aexit__(self, error: Error?): pass",
            "anext": "def __aiter__(self) -> Self: return self", "next": "def __iter__(self) -> Self: return self",
            "hash": "def __eq__(self, other: Self) -> bool: return true"}

SIGNATURES = ["(self)", "(self, o: int)", "(self, o: Self)", "(self, o)", "(self, o: int = 3)", "(self, o: Error?)", "(self, o: str)", "(self, k: int, v: int)",
              "(self, *o: int)", "(self, **o: int)", "(self, ref o: int)", "(owned self)", "(ref self)", "<T>(self)", "<T>(self, o: T)"]
BODIES = [("int", "return 1"), ("str", "return 'x'"), ("str?", "return null"), ("bool", "return true"), ("int?", "return null"),
          ("Self", "return self"), ("list<int>", "return [1]"), ("", "return 1"), ("", "return 'x'"), ("", "pass"), ("", "raise ValueError('x')"),
          ("Iterator<int>", "yield 1"), ("", "yield 1"), ("Future<int>", "return later()"), ("T", "return o")]

def declaration(name, signature, result, body, is_async):
    arrow = f" -> {result}" if result else ""
    return f"{'async ' if is_async else ''}def __{name}__{signature}{arrow}: {body}"

def header(kind, n):
    return {"class": f"class C{n}:\n    f: list<int> = [1]", "struct": f"struct C{n}:\n    f: int = 1", "enum": f"enum C{n}:\n    One\n    Two",
            "trait": f"trait T{n}:", "impl": f"trait T{n}:", "generic": f"class C{n}<A>:\n    f: list<A> = []"}[kind]

def program_part(name, kind, text, n):
    lines = [header(kind, n)]
    partner = PARTNERS.get(name)
    own = [f"    {text}"] + ([f"    {partner}"] if partner else [])
    if kind == "impl":
        lines += ["    def other(self) -> int: return 1", f"class C{n}:", "    f: int = 1", f"impl T{n} for C{n}:"] + own
    elif kind == "trait":
        lines += own + [f"class C{n}(T{n}):", "    f: int = 1"]
    else:
        lines += own
    made = {"enum": f"C{n}.One", "generic": f"C{n}<int>()"}.get(kind, f"C{n}()")
    lines += [f"def make{n}(): return {made}", f"async def use{n}():", f"    x = make{n}()", "    " + USES[name].format(n=n)]
    if kind == "trait":
        lines += [f"async def use_dyn{n}(x: dyn T{n}):", "    " + USES[name].replace("make{n}()", "x").format(n=n)]
    else:
        lines += [f"def show{n}(x: any): print(x, x == x)"]
    return "\n".join(lines) + "\n"

PRELUDE = "async def later() -> int: return 1\n"

def declarations(name, step):
    for i, signature in enumerate(SIGNATURES):
        for j, (result, body) in enumerate(BODIES):
            if (i + j) % step or (result == "T" and "<T>(self, o" not in signature): continue
            yield declaration(name, signature, result, body, (i + j // step) % 2 == 1)
            if step == 1: yield declaration(name, signature, result, body, (i + j // step) % 2 == 0)

KINDS = ("class", "struct", "enum", "trait", "impl", "generic")

def write_together(folder):
    for name in USES:
        parts = [(kind, text) for kind in KINDS for text in declarations(name, 4)]
        text = "".join(program_part(name, kind, text, n) for n, (kind, text) in enumerate(parts))
        open(f"{folder}/{name}.met", "w").write(PRELUDE + text)

def write_single(folder):
    for name in USES:
        for kind in KINDS:
            for n, text in enumerate(declarations(name, 1)):
                main = f"async def main():\n    try: await use{n}()\n    catch Error as e: print(e)\n"
                if kind != "trait": main += f"    try: show{n}(make{n}())\n    catch Error as e: print(e)\n"
                open(f"{folder}/{name}_{kind}_{n}.met", "w").write(PRELUDE + program_part(name, kind, text, n) + main)

if "--single" in sys.argv: write_single(sys.argv[1])
else: write_together(sys.argv[1])
