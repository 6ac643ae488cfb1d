"""Aliases of frozen and const values, and ways to write through them. Whatever runs, the value must print the same afterwards."""

from . import frozen_std, frozen_virtual

DECLARATIONS = """
class A_:
    n: int
    xs: list<int>
    inner: A_? = null
    def bump(self): self.n += 1
    def push(self): self.xs.append(1)
    def via_alias(self):
        me = self
        me.n += 1
    def via_pass(self): put_(self)
    def via_bound(self):
        f = self.bump
        f()
    def via_lambda(self):
        f = () -> self.xs.append(5)
        f()
    def via_nested(self):
        if self.inner is not null: self.inner.bump()
    def via_list(self):
        for a in [self]: a.n += 1
    def via_tuple(self):
        a, b = (self, 1)
        a.n += b
    def via_swap(self): self.xs = []
    def via_ref(self): bump_ref_(self.n)
    def via_ref_list(self): grow_ref_(self.xs)
    def via_call(self): self.deeper(3)
    def deeper(self, n: int):
        if n > 0: self.deeper(n - 1)
        else: self.bump()
    def via_generic(self): generic_(self)
    def via_any(self):
        x: any = self
        if x is A_: x.n += 1
    def via_dyn(self):
        x: dyn Bumped_ = self
        x.bumped()
    def via_slice(self): self.xs[0:1] = [9, 9]
    def via_sort(self): self.xs.sort()
    def via_index(self): self.xs[0] = 77
    def via_iter(self):
        for i, x in enumerate(self.xs): self.xs[i] = x + 1
    def read(self) -> int: return self.n + len(self.xs)
    def me(self) -> A_: return self
    def mine(self) -> list<int>: return self.xs
    def sneaky(self) -> any: return self
    def later(self) -> func<>: return self.bump
    def __eq__(self, o: A_) -> bool:
        {in_eq}
        return true
    def __str__(self) -> str:
        {in_str}
        return "A"
    def __getitem__(self, i: int) -> int:
        {in_get}
        return 0
    def __contains__(self, i: int) -> bool:
        {in_contains}
        return true
    def __add__(self, i: int) -> int:
        {in_add}
        return 0
    def __lt__(self, o: A_) -> bool:
        {in_lt}
        return true
    def __len__(self) -> int:
        {in_len}
        return 1
    def __call__(self) -> int:
        {in_call}
        return 1
    def __hash__(self) -> int:
        {in_hash}
        return 1
    def __enter__(self) -> A_: return self
    def __exit__(self, error: Error?): {in_exit}
    @property
    def prop(self) -> int:
        {in_prop}
        return 2
trait Bumped_:
    def bumped(self)
    def twice(self):
        self.bumped()
        self.bumped()
impl Bumped_ for A_:
    def bumped(self): self.n += 1
struct S_:
    a: A_
    ys: list<int>
enum E_:
    Has(a: A_)
    Hasnt
class Box_<T>:
    v: T
def put_(a: A_): a.xs.append(1)
def generic_(a): a.bump()
def typed_<T>(a: T) -> T: return a
def bump_ref_(ref n: int): n += 1
def grow_ref_(ref xs: list<int>): xs.append(3)
def run_(f: func<>): f()
def take_(owned a: A_): a.n += 1
def keep_list_(xs: list<int>): xs.append(4)
def text_(a: A_) -> str:
    i = a.inner
    return f"{a.n} {a.xs} {0 if i is null else i.n}"
def look_(a) -> str:
    i = a.inner
    return f"{a.n} {a.xs} {0 if i is null else i.n}"
"""

PLAIN = "pass"
WRITES = ["self.xs.append(1)", "self.n += 1", "put_(self)", "self.bump()", "me = self; me.n += 1", "self.via_alias()"]

# `a` is the frozen value
ATTEMPTS = ["a.bump()", "a.push()", "a.via_alias()", "a.via_pass()", "a.via_bound()", "a.via_lambda()", "a.via_nested()", "a.via_list()", "a.via_tuple()", "a.via_swap()", "a.via_ref()", "a.via_ref_list()", "a.via_call()",
            "a.via_generic()", "a.via_any()", "a.via_dyn()", "a.via_slice()", "a.via_sort()", "a.via_index()", "a.via_iter()", "a.n = 9", "a.xs.append(2)", "a.xs[0] = 5", "a.xs.clear()", "a.xs.sort()", "a.me().bump()",
            "a.mine().append(3)", "b = a\nb.n += 1", "xs = a.xs\nxs.append(1)", "xs: list<int> = a.xs\nxs.append(1)", "b: A_ = a\nb.bump()", "x: any = a\nif x is A_: x.bump()", "x: any = a\nb = x as A_\nb.bump()",
            "x: any = a.xs\nif x is list<int>: x.append(8)", "l: list<any> = [a]\nswitch l[0]:\n    case A_ as q: q.bump()\n    default: pass", "l = [a]\nl[0].bump()", "l = [a]\nfor q in l: q.n += 1", "d = {1: a}\nd[1].push()",
            "t = (a, 1)\nt[0].bump()", "q, r = (a, 1)\nq.bump()", "generic_(a)", "typed_(a).bump()", "put_(a)", "take_(a)", "run_(a.bump)", "f = a.bump\nf()", "run_(() -> a.bump())", "run_(a.later())", "Box_(a).v.bump()", "s = S_(a, [1])\ns.a.bump()",
            "e = E_.Has(a)\nswitch e:\n    case Has(q): q.bump()\n    case Hasnt: pass", "x: dyn Bumped_ = a\nx.bumped()", "x: dyn Bumped_ = a\nx.twice()", "a.twice()", "grow_ref_(a.xs)", "bump_ref_(a.n)", "keep_list_(a.xs)",
            "print(a == a)", "print(str(a))", "print(f\"{a}\")", "print([a])", "print(a[0])", "print(1 in a)", "print(a + 1)", "print(a < a)", "print(len(a))", "print(a())", "print({a: 1}[a])", "with a as q: q.n += 1",
            "with a as q: pass", "print(a.prop)", "z = a.sneaky()\nif z is A_: z.bump()", "z = a.inner\nif z is not null: z.bump()", "for x in a.xs: a.xs.append(x)\n", "def inner(): a.bump()\ninner()", "c = a.xs\ndef inner(): c.append(1)\ninner()",
            "a.xs += [1]", "a.n += 1", "del a.xs[0]", "a.inner = null", "ys = [q for q in [a]]\nys[0].bump()", "m = max([a], key=q -> q.read())\nm.bump()", "srt = sorted([a], key=q -> q.n)\nsrt[0].bump()", "zs = list(zip([a], [1]))\nzs[0][0].bump()",
            "g = (q for q in [a])\nfor q in g: q.bump()", "o: frozen A_? = a\nif o is not null: o.bump()", "w = a if true else a\nw.bump()", "ch = Channel<frozen A_>(1)\nch.send(a)\nq = ch.recv()\nif q is not null: q.bump()",
            "fs: list<func<>> = [a.bump, a.push]\nfor f in fs: f()", "h = Holder_(a)\nh.keep.bump()", "h = Holder_(a)\nh.use()", "print(a.read())", "print(len(a.xs), sum(a.xs), sorted(a.xs))", "print(a.xs == [1], a.xs + [2])", "ys = list(a.xs)\nys.append(4)\nprint(ys)"]

LISTS = ["a.append(1)", "a[0] = 9", "b = a\nb.append(2)", "b: list<int> = a\nb.append(2)", "x: any = a\nif x is list<int>: x.append(3)", "keep_list_(a)", "grow_ref_(a)", "for i in range(1): a.sort()", "a.clear()", "a += [1]", "f = a.append\nf(3)", "run_(() -> a.append(3))",
         "t = (a, 1)\nt[0].append(5)", "l = [a]\nl[0].append(5)", "l: list<any> = [a]\nswitch l[0]:\n    case list<int> as q: q.append(1)\n    default: pass", "typed_(a).append(2)", "s = S_(A_(1, []), a)\ns.ys.append(1)", "a[0:1] = [7, 7]", "del a[0]", "a.extend([1])", "a.reverse()",
         "print(sum(a), len(a), sorted(a), max(a))", "print([x + 1 for x in a])", "b = list(a)\nb.append(1)\nprint(b)", "x: any = a\nb = x as list<int>\nb.append(1)", "Box_(a).v.append(1)", "q, r = (a, a)\nq.append(2)", "def inner(): a.append(1)\ninner()", "w = a if true else [1]\nw.append(2)", "b = a ?? [1]\nb.append(1)", "a.insert(0, 1)", "print(a.pop())"]


def make(s):
    if s.chance(0.3):
        frozen_virtual.make(s)
        return
    if s.chance(0.4):
        body = s.choose(*frozen_std.every())
        s.say(body.replace("print(", f"print({s.number}, "))
        return
    texts = {f"in_{name}": s.choose(*WRITES) if s.chance(0.3) else PLAIN for name in ("eq", "str", "get", "contains", "add", "lt", "len", "call", "hash", "exit", "prop")}
    text = DECLARATIONS
    for key, value in texts.items():
        text = text.replace("{" + key + "}", value)
    s.declare(text)
    attempt = s.choose(*ATTEMPTS)
    s.declare("class Holder_:\n    keep: frozen A_\n    def use(self): " + ("self.keep.bump()" if "h.use()" in attempt else "pass"))
    form = s.choose("frozen", "frozen", "frozen", "const", "const list", "frozen list", "frozen param", "closure", "deep")
    value = s.choose("A_(1, [2])", "A_(1, [2], A_(5, [6]))")
    if form == "const":
        s.declare(f"const K_ = {value}")
        s.say(f"a = K_\nbefore = look_(K_)\n{attempt}\nprint({s.number}, \"fine\" if look_(K_) == before else \"WRONG\")")
    elif form == "const list":
        s.declare("const K_ = [3, 1, 2]")
        s.say(f"a = K_\nbefore = str(K_)\n{s.choose(*LISTS)}\nprint({s.number}, \"fine\" if str(K_) == before else \"WRONG\")")
    elif form == "frozen list":
        s.say(f"a = freeze([3, 1, 2])\nbefore = str(a)\n{s.choose(*LISTS)}\nprint({s.number}, \"fine\" if str(a) == before else \"WRONG\")")
    elif form == "frozen param":
        s.declare(f"def given_(a: frozen A_):\n" + "\n".join("    " + line for line in attempt.rstrip("\n").split("\n")))
        s.say(f"a = freeze({value})\nbefore = look_(a)\ngiven_(a)\nprint({s.number}, \"fine\" if look_(a) == before else \"WRONG\")")
    elif form == "closure":
        s.declare("class F_:\n    f: func<int> -> int\ndef counting_() -> F_:\n    ys = [0]\n    return F_(def (i: int) -> int:\n        ys.append(i)\n        return len(ys))\ndef number_() -> F_:\n    n = 0\n    return F_(def (i: int) -> int:\n        nonlocal n\n        n += i\n        return n)")
        s.say(f"a = freeze({s.choose('counting_()', 'number_()')})\nx = a.f(1)\ny = a.f(1)\nprint({s.number}, \"fine\" if x == y else \"WRONG\")")
    elif form == "deep":
        depth = s.pick.randrange(3, 40)
        s.declare("class D_:\n    n: int\n" + "".join(f"    def m{i}(self): self.m{i + 1}()\n" for i in range(depth)) + f"    def m{depth}(self): self.n += 1")
        s.say(f"a = freeze(D_(1))\na.m{s.pick.randrange(depth)}()\nprint({s.number}, \"fine\" if a.n == 1 else \"WRONG\")")
    else:
        s.say(f"a = freeze({value})\nbefore = look_(a)\n{attempt}\nprint({s.number}, \"fine\" if look_(a) == before else \"WRONG\")")
