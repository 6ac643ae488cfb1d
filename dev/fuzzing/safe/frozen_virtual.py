"""Frozen objects whose class or impl is known at run time only. One of the methods behind the table gives out a part, in one shape or another, and the caller tries to change
that part."""

COMMON = """
class Item_:
    n: int
    def __str__(self) -> str: return f"I{self.n}"
class Box_<T>:
    v: T
struct Pack_<T>:
    v: T
"""

# result, what the base does, what the one with the elements does, how the caller changes it
RESULTS = [
    ("list<T>", "return []", "return self.items", "r.append(Item_(9))"),
    ("list<T>", "return []", "return [x for x in self.items]", "r[0].n = 9"),
    ("list<T>", "return []", "return self.items[0:]", "r[0].n = 9"),
    ("list<T>", "return []", "return [self.items[0]]", "for q in r: q.n = 9"),
    ("list<T>", "return []", "out: list<T> = []; out.extend(self.items); return out", "r[0].n = 9"),
    ("T?", "return null", "return self.items[0]", "if r is not null: r.n = 9"),
    ("list<T>?", "return null", "return [self.items[0]]", "if r is not null: r[0].n = 9"),
    ("(list<T>, int)", "return ([], 1)", "return (self.items, 1)", "r[0].append(Item_(9))"),
    ("(list<T>, int)", "return ([], 1)", "return ([self.items[0]], 1)", "r[0][0].n = 9"),
    ("dict<str, T>", "return {}", 'return {"a": self.items[0]}', 'r["a"].n = 9'),
    ("dict<str, list<T>>", "return {}", 'return {"a": self.items}', 'r["a"].append(Item_(9))'),
    ("list<list<T>>", "return []", "return [self.items]", "r[0].append(Item_(9))"),
    ("list<(int, T)>", "return []", "return [(1, self.items[0])]", "r[0][1].n = 9"),
    ("list<Box_<T>>", "return []", "return [Box_(self.items[0])]", "r[0].v.n = 9"),
    ("Box_<T>?", "return null", "return Box_(self.items[0])", "if r is not null: r.v.n = 9"),
    ("Pack_<T>?", "return null", "return Pack_(self.items[0])", "if r is not null: r.v.n = 9"),
    ("func<> -> list<T>", "return () -> []", "return () -> self.items", "r().append(Item_(9))"),
    ("func<> -> list<T>", "return () -> []", "return () -> [self.items[0]]", "r()[0].n = 9"),
    ("dyn Iterator<T>", "for x in list<T>(): yield x", "for x in self.items: yield x", "for q in r: q.n = 9"),
    ("dyn Iterator<list<T>>", "for x in list<list<T>>(): yield x", "yield [self.items[0]]", "for q in r: q[0].n = 9"),
    ("any", "return 1", "return self.items", "if r is list<Item_>: r.append(Item_(9))"),
    ("any", "return 1", "return [self.items[0]]", "if r is list<Item_>: r[0].n = 9"),
    ("any", "return 1", "return (self.items[0], 1)", "if r is (Item_, int): r[0].n = 9"),
    ("any", "return 1", "return Box_(self.items[0])", "if r is Box_<Item_>: r.v.n = 9"),
    ("async list<T>", "return []", "return [self.items[0]]", "r[0].n = 9"),
    ("async list<T>", "return []", "return self.items", "r.append(Item_(9))"),
    ("async T?", "return null", "return self.items[0]", "if r is not null: r.n = 9"),
]
# parameter, what the one with the elements does, the argument, how the caller changes it
ARGUMENTS = [
    ("out: list<T>", "out.append(self.items[0])", "o: list<Item_> = []", "o[0].n = 9"),
    ("out: list<T>", "out.extend(self.items)", "o: list<Item_> = []", "o[0].n = 9"),
    ("out: Box_<list<T>>", "out.v = self.items", "o = Box_<list<Item_>>([])", "o.v.append(Item_(9))"),
    ("ref out: list<T>", "out = self.items", "o: list<Item_> = []", "o.append(Item_(9))"),
    ("ref out: list<T>", "out = [self.items[0]]", "o: list<Item_> = []", "o[0].n = 9"),
    ("out: func<T>", "out(self.items[0])", "o: func<Item_> = def (x: Item_): x.n = 9", "pass"),
    ("out: func<list<T>>", "out([self.items[0]])", "o: func<list<Item_>> = def (x: list<Item_>): x[0].n = 9", "pass"),
    ("out: dict<int, T>", "out[1] = self.items[0]", "o: dict<int, Item_> = {}", "o[1].n = 9"),
    ("out: list<any>", "out.append([self.items[0]])", "o: list<any> = []", "q = o[0]\nif q is list<Item_>: q[0].n = 9"),
]


def method(result, params, body, deco=""):
    word = "async def" if result.startswith("async ") else "def"
    gives = f" -> {result.removeprefix('async ')}" if result else ""
    return f"{deco}    {word} go(self{params}){gives}:\n" + "".join(f"        {line}\n" for line in body.split("; "))


def make(s):
    if s.chance(0.75):
        result, base, sub, change = s.choose(*RESULTS)
        params, before, given = "", "", ""
    else:
        params, sub, before, change = s.choose(*ARGUMENTS)
        result, base, params, given = "", "pass", ", " + params, "o"
    shape = s.choose("class", "class", "property", "super", "default", "impl", "inherited default")
    if shape == "property" and (params or result.startswith("async")): shape = "class"
    deco = "    @property\n" if shape == "property" else ""
    s.declare(COMMON)
    fields, above = "    items: list<T>\n", "Base_<T>"
    if shape in ("default", "impl"):
        s.declare("trait Base_<T>:\n" + method(result, params, base))
    elif shape == "inherited default":
        s.declare("trait Root_<T>:\n" + method(result, params, base))
        s.declare("class Base_<T>(Root_<T>):\n    z: int = 0")
    else:
        s.declare("class Base_<T>:\n    z: int = 0\n" + method(result, params, base, deco))
    if shape == "impl":
        s.declare("class Sub_<T>:\n" + fields)
        s.declare("impl<T> Base_<T> for Sub_<T>:\n" + method(result, params, sub))
    else:
        s.declare(f"class Sub_<T>({above}):\n" + fields + method(result, params, sub, deco))
    made = "Sub_<Item_>(items=[Item_(1)])"
    if shape == "super":
        called = ("return await " if result.startswith("async ") else "return " if result else "") + f"super.go({'out' if params else ''})"
        s.declare("class Top_<T>(Sub_<T>):\n" + method(result, params, called.replace("return super", "yield from super") if "Iterator" in result else called))
        made = made.replace("Sub_", "Top_")
    seen = "dyn Base_<Item_>" if shape in ("default", "impl") else "Base_<Item_>"
    waits = result.startswith("async ")
    wait, word = ("await ", "async def") if waits else ("", "def")
    call = wait + ("k.go" if shape == "property" else f"k.go({given})")
    steps = [*before.split("\n"), f"r = {call}" if result else call, *change.split("\n")]
    lent = s.choose("frozen " + seen, seen)
    s.declare(f"{word} use_(k: {lent}):\n" + "\n".join("    " + line for line in steps if line))
    s.declare(f"def make_() -> {seen}: return {made}")
    s.declare("def look_(x: any) -> str:\n    if x is frozen Sub_<Item_>: return str(x.items)\n    return \"?\"")
    s.is_async = waits
    if s.chance(0.5):
        s.declare(f"const K_: {seen} = make_()")
        s.say("k = K_")
    else:
        s.say(f"k: frozen {seen} = freeze(make_())")
    s.say(f"before = look_(k)\n{wait}use_(k)\nprint({s.number}, \"fine\" if look_(k) == before else \"WRONG\")")
