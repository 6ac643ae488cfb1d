"""What a condition proved of a place, and everything that may change the place before it is used."""

# Kind of value: its type, a value that passes the test, one that does not, the test and its opposite, and uses that only make sense after the test.
KINDS = {
    "node": ("Node_?", "Node_(7, \"seven\")", "null", ["{x} is not null", "{x} != null", "{x}"], ["{x} is null", "{x} == null", "not {x}"],
             ["{x}.v", "len({x}.name)", "{x}.twice()", "len({x}.items)"]),
    "text": ("str?", "\"text that is longer than fifteen bytes\"", "null", ["{x} is not null", "{x} != null"], ["{x} is null", "{x} == null"], ["len({x})", "len({x} + \"!\")", "{x}.upper()"]),
    "number": ("int?", "41", "null", ["{x} is not null", "{x} != null"], ["{x} is null"], ["{x} + 1", "abs({x})"]),
    "list": ("list<int>?", "[1, 2, 3]", "null", ["{x} is not null", "{x}"], ["{x} is null", "not {x}"], ["len({x})", "sum({x})"]),
    "any": ("any", "Node_(3, \"three\")", "12345", ["{x} is Node_"], ["not ({x} is Node_)"], ["{x}.v", "len({x}.name)", "len({x}.items)"]),
    "any text": ("any", "\"a text\"", "Node_(1, \"one\")", ["{x} is str"], ["not ({x} is str)"], ["len({x})", "{x} + \"!\""]),
    "class": ("Base_", "Sub_(\"deep\")", "Base_()", ["{x} is Sub_"], ["not ({x} is Sub_)"], ["len({x}.extra)", "{x}.extra", "{x}.more()"]),
    "enum": ("Choice_", "Choice_.Text(\"chosen text that is long\")", "Choice_.Number(5)", ["{x} is Choice_.Text"], ["not ({x} is Choice_.Text)"], ["str({x})"]),
}

DECLARATIONS = """
class Node_:
    v: int
    name: str
    items: list<int> = [1]
    next: Node_? = null
    def twice(self) -> int: return self.v * 2
class Base_:
    def kind(self) -> str: return "base"
class Sub_(Base_):
    extra: str
    def __init__(self, extra: str): self.extra = extra
    def more(self) -> int: return len(self.extra)
enum Choice_:
    Text(t: str)
    Number(n: int)
def run_(f: func<> -> bool) -> bool: return f()
def harmless_() -> bool: return RESULT
def two_(a: any, b: any) -> str: return f"{a} {b}"
"""

HOLDER = """
class Holder_:
    n: {type}
    def clear(self) -> bool:
        self.n = {bad}
        return {result}
    @property
    def wiped(self) -> bool:
        self.n = {bad}
        return {result}
    def __bool__(self) -> bool:
        self.n = {bad}
        return {result}
    def __contains__(self, i: int) -> bool:
        self.n = {bad}
        return {result}
    def __getitem__(self, i: int) -> bool:
        self.n = {bad}
        return {result}
    def __eq__(self, other: Holder_) -> bool:
        self.n = {bad}
        return {result}
    def __lt__(self, other: Holder_) -> bool:
        self.n = {bad}
        return {result}
    def __call__(self) -> bool:
        self.n = {bad}
        return {result}
class Bomb_:
    h: Holder_
    def __del__(self): self.h.clear()
class Outer_:
    h: Holder_
    def swap(self) -> bool:
        self.h = Holder_({bad})
        return {result}
struct Box_:
    n: {type}
    def clear(self) -> bool:
        self.n = {bad}
        return {result}
def clear_holder_(h: Holder_) -> bool: return h.clear()
def clear_generic_(h) -> bool: return h.clear()
def bomb_(h: Holder_) -> bool:
    b = Bomb_(h)
    return {result}
def clear_ref_(ref p: {type}) -> bool:
    p = {bad}
    return {result}
"""


def place(s, kind, result):
    """(lines that make it, how it is written, writers as expressions of type bool)"""
    type_, good, bad, *_ = KINDS[kind]
    s.declare(DECLARATIONS.replace("RESULT", result))
    s.declare(HOLDER.format(type=type_, bad=bad, result=result))
    form = s.choose("local", "captured", "captured", "field", "field", "field", "deep field", "alias", "global", "global field", "struct", "element", "local", "ref")
    if form == "local":
        return [f"x: {type_} = {good}"], "x", ["clear_ref_(x)"]
    if form == "captured":
        lines = [f"x: {type_} = {good}", "def wipe() -> bool:", "    nonlocal x", f"    x = {bad}", f"    return {result}", "stored = [wipe]", "held = {\"w\": wipe}"]
        return lines, "x", ["wipe()", "run_(wipe)", "stored[0]()", "held[\"w\"]()", "run_(() -> wipe())", "[w() for w in stored][0]", "clear_ref_(x)"]
    if form == "global":
        s.declare(f"g_: {type_} = {good}\ndef wipe_() -> bool:\n    global g_\n    g_ = {bad}\n    return {result}\nwipers_ = [wipe_]")
        return [], "g_", ["wipe_()", "run_(wipe_)", "wipers_[0]()", "clear_ref_(g_)"]
    if form == "global field":
        s.declare(f"gh_ = Holder_({good})\ndef wipe_() -> bool: return gh_.clear()")
        return [], "gh_.n", ["wipe_()", "gh_.clear()", "run_(wipe_)", "clear_holder_(gh_)", "clear_ref_(gh_.n)"]
    if form == "struct":
        return [f"b = Box_({good})"], "b.n", ["b.clear()", "clear_ref_(b.n)"]
    if form == "element":
        return [f"xs: list<{type_}> = [{good}]", f"def wipe() -> bool:\n    xs[0] = {bad}\n    return {result}"], "xs[0]", ["wipe()", "clear_ref_(xs[0])", "run_(wipe)"]
    if form == "deep field":
        return [f"o = Outer_(Holder_({good}))", "h = o.h"], "o.h.n", ["o.swap()", "o.h.clear()", "h.clear()", "clear_holder_(h)", "bomb_(h)", "clear_ref_(o.h.n)"]
    if form == "ref":
        return ["REF"], "p", ["f()", "clear_ref_(p)", "run_(f)"]
    writers = ["h.clear()", "clear_holder_(h)", "clear_generic_(h)", "h.wiped", "(1 in h)", "h[0]", "(h == h)", "(h < h)", "h()", "bomb_(h)", "run_(() -> h.clear())", "run_(h.clear)", "[h][0].clear()",
               "clear_ref_(h.n)", "{1: h}[1].clear()", "(true if h else false)"]
    lines = [f"h = Holder_({good})"]
    if form == "alias":
        lines.append("k2 = h")
        return lines, s.choose("h.n", "k2.n"), ["k2.clear()", "h.clear()", "clear_holder_(k2)", "bomb_(k2)"]
    return lines, "h.n", writers


def make(s):
    kind = s.choose(*KINDS)
    wants_false = s.chance(0.35)
    lines, x, writers = place(s, kind, "false" if wants_false else "true")
    _, good, bad, tests, opposites, uses = KINDS[kind]
    test, opposite = s.choose(*tests).format(x=x), s.choose(*opposites).format(x=x)
    write, use = s.choose(*writers), s.choose(*uses).format(x=x)
    if s.chance(0.4): write = "harmless_()"
    s.must_compile = write == "harmless_()" and x == "x" and len(lines) == 1   # a local that nobody else can write
    as_bool = f"str({use}) != \"\""
    shown = f"print({s.number}, {use})"
    if lines == ["REF"]:
        type_ = KINDS[kind][0]
        out = s.say
        s.say(f"y: {type_} = {good}\ndef wipe() -> bool:\n    nonlocal y\n    y = {bad}\n    return {'false' if wants_false else 'true'}\ngo_(y, wipe)\nprint({s.number}, \"after\")")
        body = []
        statements(s, lambda text, depth=0: body.extend("    " * (depth + 1) + line for line in text.split("\n")), wants_false, test, opposite, write, as_bool, shown, use)
        s.declare(f"def go_(ref p: {type_}, f: func<> -> bool):")
        s.top += body
        return
    for line in lines:
        s.say(line)
    statements(s, s.say, wants_false, test, opposite, write, as_bool, shown, use)


def statements(s, out, wants_false, test, opposite, write, as_bool, shown, use):
    if wants_false:
        form = s.choose("or", "not or", "early return", "assert", "while", "ternary", "or chain")
        if form == "or": out(f"if {opposite} or {write} or {as_bool}: print({s.number}, \"used\")")
        if form == "or chain": out(f"print({s.number}, {opposite} or {write} or {write} or {as_bool})")
        if form == "not or": out(f"if not ({opposite} or {write}): {shown}")
        if form == "early return": out(f"if {opposite} or {write}: return\n{shown}")
        if form == "assert": out(f"assert not ({opposite} or {write})\n{shown}")
        if form == "while": out(f"while not ({opposite} or {write}):\n    {shown}\n    break")
        if form == "ternary": out(f"print({s.number}, \"no\" if {opposite} or {write} else str({use}))")
        return
    form = s.choose("and", "and chain", "body", "body call", "ternary", "while", "loop", "comprehension", "assert", "guard", "finally", "lambda", "arguments", "logic", "text", "parenthesised", "not",
                    "nested if", "loop back", "elif", "early continue", "defer", "copy", "except", "while body", "set comprehension", "generator", "two tests", "switch arm", "call then use",
                    "index", "for else", "nested def")
    if form == "and": out(f"if {test} and {write} and {as_bool}: print({s.number}, \"used\")")
    if form == "and chain":
        told = test if " " in test else f"{test} is not null"   # as a value, all parts of an `and` have one type
        out(f"print({s.number}, {told} and {write} and {as_bool})")
    if form == "body": out(f"if {test} and {write}:\n    {shown}")
    if form == "body call": out(f"if {test}:\n    {write}\n    {shown}" if write.endswith(")") and not write.startswith("(") else f"if {test}:\n    seen = {write}\n    {shown}")
    if form == "ternary": out(f"print({s.number}, str({use}) if {test} and {write} else \"no\")")
    if form == "while": out(f"while {test} and {write}:\n    {shown}\n    break")
    if form == "while body": out(f"turns = 0\nwhile {test}:\n    {shown}\n    seen = {write}\n    {shown}\n    turns += 1\n    if turns > 2: break")
    if form == "loop": out(f"for i in range(3):\n    if {test}:\n        {shown}\n        seen = {write}\n        {shown}")
    if form == "loop back": out(f"if {test}:\n    for i in range(3):\n        {shown}\n        seen = {write}")
    if form == "comprehension": out(f"print({s.number}, [str({use}) for i in range(2) if {test} and {write}])")
    if form == "set comprehension": out(f"print({s.number}, len({{str({use}) for i in range(2) if {test} and {write}}}))")
    if form == "generator": out(f"print({s.number}, list((str({use}) for i in range(2) if {test} and {write})))")
    if form == "assert": out(f"assert {test} and {write}\n{shown}")
    if form == "guard": out(f"switch 1:\n    case 1 if {test} and {write}: {shown}\n    default: print({s.number}, \"default\")")
    if form == "switch arm": out(f"if {test}:\n    switch {write}:\n        case true: {shown}\n        default: print({s.number}, \"default\")")
    if form == "finally": out(f"if {test}:\n    try: print({s.number}, \"try\")\n    finally: seen = {write}\n    {shown}")
    if form == "except": out(f"if {test}:\n    try:\n        seen = {write}\n        raise ValueError(\"no\")\n    catch ValueError: {shown}")
    if form == "lambda": out(f"if {test}:\n    later = () -> {use}\n    seen = {write}\n    print({s.number}, later())")
    if form == "nested def": out(f"if {test}:\n    def later(): return {use}\n    seen = {write}\n    print({s.number}, later())")
    if form == "arguments": out(f"if {test}: print({s.number}, two_({write}, {use}))")
    if form == "index": out(f"if {test}: print({s.number}, [str({write}), str({use})][1])")
    if form == "logic": out(f"if {test}:\n    both = {write} and {as_bool}\n    print({s.number}, both)")
    if form == "text": out(f"if {test}: print({s.number}, f\"{{{write}}} {{{use}}}\")")
    if form == "parenthesised": out(f"if {test} and ({write} or true) and ({as_bool} or false): print({s.number}, \"used\")")
    if form == "not": out(f"if not (not ({test}) or not {write}): {shown}")
    if form == "nested if": out(f"if {test}:\n    if {write}:\n        {shown}")
    if form == "elif": out(f"if {opposite}: print({s.number}, \"no\")\nelif {write}: {shown}")
    if form == "early continue": out(f"for i in range(2):\n    if {opposite}: continue\n    seen = {write}\n    {shown}")
    if form == "defer": out(f"if {test}:\n    seen = {write}\n    defer print({s.number}, \"deferred\", {use})")
    if form == "copy": out(f"if {test}:\n    kept = {use}\n    seen = {write}\n    print({s.number}, kept)")
    if form == "two tests": out(f"if {test} and {write} and {test} and {as_bool}: print({s.number}, \"used\")\nelse: print({s.number}, \"not\")")
    if form == "call then use": out(f"if {opposite}: return\nseen = {write}\n{shown}")
    if form == "for else": out(f"if {test}:\n    for i in range(1): seen = {write}\n    else: {shown}")
