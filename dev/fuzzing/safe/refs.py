"""`ref` parameters: captured, passed on, to elements and fields that the callee drops, and next to aliases of the same variable."""

DECLARATIONS = """
class H_:
    s: str
    xs: list<str>
    inner: H_? = null
struct P_:
    s: str
    n: int
kept_: list<func<str> -> str> = []
gs_ = "global text that is long " * 2
gl_ = ["element text that is long " * 2]
gh_ = H_("field text that is long " * 2, ["x" * 30])
def add_(ref x: str, y: str) -> str:
    x = x + y
    return x
def add_twice_(ref x: str) -> str:
    add_(x, "1")
    return add_(x, "2")
def closure_(ref x: str) -> func<str> -> str:
    return def (y: str) -> str:
        nonlocal x
        x = x + y
        return x
def reader_(ref x: str) -> func<> -> str: return () -> x
def store_(ref x: str): kept_.append(y -> x + y)
def inside_(ref x: str) -> str:
    f = y -> x + y
    return f("in")
def inside_write_(ref x: str) -> str:
    def put(y: str):
        nonlocal x
        x = y
    put("put " * 10)
    return x
def clears_list_(ref x: str) -> str:
    gl_.clear()
    x = x + "!"
    return x
def grows_list_(ref x: str) -> str:
    for i in range(100): gl_.append("grown" * 8)
    x = x + "!"
    return x
def drops_holder_(ref x: str) -> str:
    global gh_
    gh_ = H_("another " * 6, [])
    x = x + "!"
    return x
def with_list_(ref x: str, xs: list<str>) -> str:
    xs.clear()
    noise_()
    x = x + "."
    return x
def with_holder_(ref x: str, h: H_) -> str:
    h.s = "changed " * 5
    noise_()
    x = x + "."
    return x
def drop_inner_(ref x: str, h: H_) -> str:
    h.inner = null
    noise_()
    x = x + "."
    return x
def both_(ref x: str, ref y: str) -> str:
    x = y + "x"
    y = x + "y"
    return x + y
def replaced_(ref h: H_) -> str:
    old = h.s
    h = H_("new " * 8, [])
    return old + h.s
def part_(ref p: P_) -> str:
    p.s = p.s + "part"
    return p.s
def number_(ref n: int) -> int:
    n += 1
    return n
def raising_(ref x: str) -> str:
    x = "before " * 5
    raise ValueError("raised")
def over_(ref xs: list<str>) -> int:
    for x in xs: xs = ["other" * 8]
    return len(xs)
def noise_() -> int: return len(["noise " * 6 + str(i) for i in range(20)])
"""

PLACES = ["v", "h.s", "l[0]", "gs_", "gl_[0]", "gh_.s", "p.s", "h.xs[0]", "gh_.xs[0]", "o.inner!.s", "d[\"k\"]", "t2.s"]
CALLS = ["add_({x}, \"y\")", "add_twice_({x})", "inside_({x})", "inside_write_({x})", "clears_list_({x})", "grows_list_({x})", "drops_holder_({x})", "with_list_({x}, l)", "with_list_({x}, h.xs)", "with_holder_({x}, h)",
         "with_list_({x}, gl_)", "with_holder_({x}, gh_)", "drop_inner_({x}, o)", "both_({x}, {x})", "both_({x}, {y})", "closure_({x})(\"z\")", "reader_({x})()", "(add_({x}, add_({x}, \"n\")))"]


def make(s):
    s.declare(DECLARATIONS)
    s.say("v = \"local text that is long \" * 2\nh = H_(\"held text that is long \" * 2, [\"held element \" * 4])\nl = [\"list element \" * 4]\np = P_(\"struct text \" * 4, 1)\no = H_(\"outer \" * 6, [], H_(\"inner \" * 6, []))\nd = {\"k\": \"value \" * 6}\nt2 = P_(\"second \" * 5, 2)")
    for i in range(s.pick.randrange(1, 5)):
        x, y = s.choose(*PLACES), s.choose(*PLACES)
        form = s.choose("call", "call", "call", "kept closure", "stored", "other", "raise", "loop", "function")
        if form == "call": s.say(f"print({s.number}, {s.choose(*CALLS).format(x=x, y=y)})")
        if form == "loop": s.say(f"for i in range(3): print({s.number}, {s.choose(*CALLS).format(x=x, y=y)})")
        if form == "kept closure": s.say(f"c{i} = {s.choose('closure_', 'reader_')}({x})\nnoise_()\nprint({s.number}, \"made\")")
        if form == "stored": s.say(f"store_({x})\nnoise_()\nfor k in kept_: print({s.number}, k(\"q\"))\nkept_.clear()")
        if form == "function":
            s.declare(f"def made{i}_() -> func<str> -> str:\n    w = \"made \" * 6\n    return closure_(w)")
            s.say(f"m{i} = made{i}_()\nnoise_()\nprint({s.number}, m{i}(\"a\"), m{i}(\"b\"))")
        if form == "raise": s.say(f"try: raising_({x})\ncatch ValueError: pass")
        if form == "other": s.say(f"print({s.number}, {s.choose('replaced_(h)', 'part_(p)', 'number_(p.n)', 'over_(l)', 'over_(h.xs)', 'replaced_(gh_)')})")
    s.say(f"print({s.number}, v, h.s, l, p, gs_, gl_[:2], gh_.s, o.s, d)")
