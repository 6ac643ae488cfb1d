"""Places that are assigned, updated or lent, while their index, value, argument, operator or callee replaces what leads to them."""

DECLARATIONS = """
struct S_:
    n: int
    t: str
    xs: list<int>
    def inc(self, k: int) -> int:
        self.n += k
        return self.n
    def keep(self, k: int) -> int:
        self.xs = self.xs + [k]
        self.t = self.t + "."
        return len(self.xs) + len(self.t)
    def around(self, a: A_) -> int:
        a.{field} = {value}
        noise_()
        self.xs = self.xs + [1]
        self.t = self.t + "!"
        return len(self.xs) + len(self.t)
struct T_:
    s: S_
    o: S_?
class A_:
    n: int
    q: A_?
    s: S_?
    t: T_?
    v: S_
    ls: list<S_>?
    xs: list<int>?
    d: dict<int, str>?
    x: any
    p: (S_, int)?
    g: (S_, str)
def struct_() -> S_: return S_(1, "text " * 6, [1, 2])
def small_() -> A_: return A_(2, null, struct_(), T_(struct_(), struct_()), struct_(), [struct_()], [3, 4], {0: "own " * 6}, [5, 6], (struct_(), 1), (struct_(), "own " * 5))
def fresh_() -> A_: return A_(1, small_(), struct_(), T_(struct_(), struct_()), struct_(), [struct_(), struct_()], [1, 2], {0: "zero " * 6}, [7, 8], (struct_(), 2), (struct_(), "tuple " * 5))
def noise_() -> int: return len(["noise " * 6 + str(i) for i in range(20)])
m_ = fresh_()
def change_(a: A_) -> int:
    a.{field} = {value}
    noise_()
    return 0
async def later_(a: A_) -> int:
    await yield_now()
    return change_(a)
def text_(a: A_) -> str:
    change_(a)
    return "more " * 5
def many_(a: A_) -> list<int>:
    change_(a)
    return [9]
def lend_(ref n: int, a: A_, k: int) -> int:
    change_(a)
    n += k + 1
    return n
def lend_text_(ref t: str, a: A_, k: int) -> int:
    t = t + "1"
    change_(a)
    t = t + "2"
    return len(t)
def lend_list_(ref xs: list<int>, a: A_, k: int) -> int:
    change_(a)
    xs = xs + [k]
    return len(xs)
async def wait_(ref n: int, a: A_, k: int) -> int:
    await yield_now()
    change_(a)
    n += k
    return n
"""

# A test, and what it makes usable: numbers, texts, lists of numbers and structs.
PLACES = [
    ("{a}.q is not null", ["{a}.q.n", "{a}.q.v.n"], ["{a}.q.v.t"], ["{a}.q.v.xs"], ["{a}.q.v"]),
    ("{a}.s is not null", ["{a}.s.n", "{a}.s.xs[I]"], ["{a}.s.t"], ["{a}.s.xs"], ["{a}.s"]),
    ("{a}.t is not null", ["{a}.t.s.n", "{a}.t.s.xs[I]"], ["{a}.t.s.t"], ["{a}.t.s.xs"], ["{a}.t.s"]),
    ("{a}.t is not null and {a}.t.o is not null", ["{a}.t.o.n"], ["{a}.t.o.t"], ["{a}.t.o.xs"], ["{a}.t.o"]),
    ("{a}.ls is not null", ["{a}.ls[I].n", "{a}.ls[I].xs[I]"], ["{a}.ls[I].t"], ["{a}.ls[I].xs"], ["{a}.ls[I]"]),
    ("{a}.xs is not null", ["{a}.xs[I]"], [], ["{a}.xs[I:]"], []),
    ("{a}.d is not null", [], ["{a}.d[I]"], [], []),
    ("{a}.x is list<int>", ["{a}.x[I]"], [], ["{a}.x[I:]"], []),
    ("{a}.p is not null", ["{a}.p[0].n"], ["{a}.p[0].t"], ["{a}.p[0].xs"], ["{a}.p[0]"]),
    ("{a}.n > 0", ["{a}.n", "{a}.v.n", "{a}.v.xs[I]", "{a}.g[0].n"], ["{a}.v.t", "{a}.g[0].t"], ["{a}.v.xs"], ["{a}.v", "{a}.g[0]"]),
    ("{a}.q is not null and {a}.q.s is not null", ["{a}.q.s.n", "{a}.q.s.xs[I]"], ["{a}.q.s.t"], ["{a}.q.s.xs"], ["{a}.q.s"]),
    ("{a}.q is not null and {a}.q.ls is not null", ["{a}.q.ls[I].n"], ["{a}.q.ls[I].t"], ["{a}.q.ls[I].xs"], ["{a}.q.ls[I]"]),
]
NUMBERS = ["P += K", "P += K", "P = K", "lend_(P, a, K)", "await wait_(P, a, K)", "other, P = K, 2", "P -= P + K"]
TEXTS = ["P += text_(a)", "P = P + text_(a)", "P = text_(a)", "lend_text_(P, a, K)"]
LISTS = ["P += many_(a)", "P = many_(a)", "P += [K]", "lend_list_(P, a, K)"]
STRUCTS = ["P.inc(K)", "P.keep(K)", "P.around(a)", "P = S_(K, \"new \" * 6, [1])", "lend_(P.n, a, P.inc(1))"]
CHANGES = [("q", "null"), ("q", "small_()"), ("s", "null"), ("s", "struct_()"), ("t", "null"), ("t", "T_(struct_(), null)"), ("ls", "null"), ("ls", "[]"), ("xs", "null"), ("xs", "[0]"), ("d", "null"), ("x", "\"any \" * 7"),
           ("x", "null"), ("p", "null"), ("v", "struct_()"), ("g", "(struct_(), \"new \" * 6)")]


def make(s):
    field, value = s.choose(*CHANGES)
    s.declare(DECLARATIONS.replace("{field}", field).replace("{value}", value))
    likely = [p for p in PLACES if f"{{a}}.{field}" in p[0]] or PLACES
    for _ in range(s.pick.randrange(1, 4)):
        test, *kinds = s.choose(*likely, *likely, *PLACES)
        usable = [(place, form) for places, forms in zip(kinds, (NUMBERS, TEXTS, LISTS, STRUCTS)) for place in places for form in forms]
        place, form = s.choose(*usable)
        a = s.choose(*["a"] * 5, "m_")
        index, argument = s.choose(("0", "change_(a)"), ("0", "(await later_(a))"), ("change_(a)", "1"), ("0", "1"))
        statement = form.replace("K", argument).replace("P", place.format(a=a)).replace("I", index)
        s.say(f"a = fresh_()\ntry:\n    if {test.format(a=a)}:\n        {statement}\ncatch Error as e: print({s.number}, e.message)")
        s.say(f"print({s.number}, a.n, a.v.n, a.v.t, a.xs, a.x is str)")
