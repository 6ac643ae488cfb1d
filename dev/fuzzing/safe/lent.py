"""What a test proved of a `ref` parameter, or of the struct that a method changes, while the place that was lent is written under another name."""

DECLARATIONS = """
enum E_: Text(s: str); Number(n: int); Pair(a: str, b: int)
class N_:
    next: N_?
    name: str
class B_:
    n: int
class D_(B_):
    s: str
struct S_:
    t: str?
    e: E_
    n: int
{methods}
class A_:
    t: str?
    n: int?
    e: E_
    c: N_?
    b: B_
    x: any
    f: (func<> -> str)?
    s: S_
    xs: list<str?>
    p: (str?, int)
def fresh_() -> A_:
    return A_("field " * 6, 5, E_.Text("payload " * 5), N_(N_(null, "second " * 5), "first " * 5), D_(1, "derived " * 5), "any " * 8, () -> "called " * 5, S_("inner " * 6, E_.Text("part " * 7), 1), ["element " * 5], ("tuple " * 6, 1))
def noise_() -> int: return len(["noise " * 6 + str(i) for i in range(20)])
g_ = fresh_()
"""

# The field, its type, a test, what it allows, and what may be written there.
KINDS = [
    ("t", "str?", "{x} is not null", "{x}.upper()", ["null", "\"other \" * 6", "{a}.xs[0]"]),
    ("n", "int?", "{x} is not null", "{x} + 1", ["null", "7"]),
    ("e", "E_", "{x} is E_.Text", "{x}.s", ["E_.Number(3)", "E_.Pair(\"p\" * 40, 1)", "E_.Text(\"again \" * 6)"]),
    ("e", "E_", "{x} is E_.Pair", "{x}.a + str({x}.b)", ["E_.Number(3)", "E_.Text(\"again \" * 6)"]),
    ("c", "N_?", "{x} is not null", "{x}.name", ["null", "{a}.c.next if {a}.c is not null else null", "N_(null, \"new \" * 8)"]),
    ("b", "B_", "{x} is D_", "{x}.s", ["B_(2)", "D_(3, \"new \" * 9)"]),
    ("x", "any", "{x} is str", "{x}.upper()", ["5", "null", "[1, 2]", "\"more \" * 8"]),
    ("f", "(func<> -> str)?", "{x} is not null", "{x}()", ["null", "() -> \"other \" * 6"]),
]
METHODS = [("self.t is not null", "self.t.upper()"), ("self.e is E_.Text", "self.e.s"), ("self.t is not null and self.e is E_.Text", "self.t + self.e.s")]
STRUCTS = ["S_(null, E_.Number(1), 0)", "S_(\"new \" * 8, E_.Text(\"new \" * 9), 2)"]


def write(s, a, field, values):
    target = s.choose(*[f"{a}.{field}"] * 9, "g_." + field)   # of a module variable it is refused
    value = s.choose(*values).format(a=a)
    return s.choose(f"{target} = {value}", f"{target} = {value}", f"{target} = {value}\n{{indent}}noise_()", f"if len({a}.xs) > 0: {target} = {value}", f"for i in range(2): {target} = {value}",
                    f"{target}, other = {value}, 1", f"{a}.s = {s.choose(*STRUCTS)}", f"{a}.xs.clear()", "noise_()")


def make(s):
    methods = []
    for k in range(2):
        test, use = s.choose(*METHODS)
        store = s.choose(*(f"a.s = {v}" for v in STRUCTS), "h = a\n            h.s = S_(null, E_.Number(9), 1)")
        methods.append(f"    def go{k}(self, a: A_) -> str:\n        self.n += 1\n        if {test}:\n            {store}\n            {s.choose('noise_()', 'self.n += 1', 'pass')}\n            return {use}\n        return \"-\"")
    s.declare(DECLARATIONS.replace("{methods}", "\n".join(methods)))
    for k in range(s.pick.randrange(1, 3)):
        field, type_, test, use, values = s.choose(*KINDS)
        loop = s.choose(*["if"] * 6, "assert", "assert", "while")
        body = write(s, "a", field, values).replace("{indent}", "        ")
        lines = [f"def lent{k}_(ref x: {type_}, a: A_) -> str:"]
        if loop == "while":
            lines += ["    rounds = 0", f"    while {test.format(x='x')} and rounds < 3:", "        rounds += 1", f"        {body}", f"        noise_()", f"        if rounds == 3: return str({use.format(x='x')})"]
        elif loop == "assert":
            lines += [f"    assert {test.format(x='x')}", "    " + body.replace("\n        ", "\n    "), f"    return str({use.format(x='x')})"]
        else:
            lines += [f"    if {test.format(x='x')}:", f"        {body}", f"        return str({use.format(x='x')})"]
        lines += ["    return \"none\""] if loop != "assert" else []
        s.declare("\n".join(lines))
        owner = s.choose("a", "g_")
        s.say(f"a = fresh_()\ntry: print({s.number}, lent{k}_({owner}.{field}, {s.choose('a', owner)}))\ncatch Error as e: print({s.number}, e.message)")
    s.say(f"a = fresh_()\ntry: print({s.number}, a.s.go{s.choose(0, 1)}(a))\ncatch Error as e: print({s.number}, e.message)")
    s.say(f"print({s.number}, a.t, a.n, a.s, len(a.xs))")
