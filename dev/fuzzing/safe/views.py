"""Values that leave a function as another type: upcasts, optionals, `Self`, errors, tuples, closures, yields, raises; and casts back."""

DECLARATIONS = """
class Base_:
    items: list<int>
    name: str
    def __init__(self, n: int):
        self.items = [n, n + 1]
        self.name = f"object number {n} with a long name"
    def me(self) -> Self: return self
    def base(self) -> Base_: return self
    def maybe(self) -> Base_?: return self
    def anything(self) -> any: return self
    def show(self) -> str: return f"{self.items} {self.name}"
    def kind(self) -> str: return "base"
class Mid_(Base_):
    extra: list<str> = ["mid"]
    def kind(self) -> str: return "mid"
    def up(self) -> Base_: return self
class Leaf_(Mid_):
    more: dict<str, int> = {"leaf": 1}
    def kind(self) -> str: return "leaf"
    def up_two(self) -> Base_: return self
    def up_one(self) -> Mid_: return self
trait Shown_:
    def shown(self) -> str
impl Shown_ for Base_:
    def shown(self) -> str: return self.show()
class Fault_(Error):
    at: list<int>
class SubFault_(Fault_):
    why: str
class Holder_:
    b: Base_
    o: Base_?
def as_base_(x: Leaf_) -> Base_: return x
def as_mid_(x: Leaf_) -> Mid_: return x
def as_maybe_(x: Leaf_) -> Base_?: return x
def as_any_(x: Leaf_) -> any: return x
def as_dyn_(x: Leaf_) -> dyn Shown_: return x
def as_tuple_(x: Leaf_) -> (Base_, int): return (x, 1)
def as_list_(x: Leaf_) -> list<Base_>: return [x]
def as_func_(x: Leaf_) -> func<> -> Base_: return () -> x
def as_holder_(x: Leaf_) -> Holder_: return Holder_(x, x)
def either_(x: Leaf_, y: Mid_, left: bool) -> Base_: return x if left else y
def first_(x: Leaf_, y: Base_?) -> Base_: return y ?? x
def through_(x: Leaf_) -> Base_:
    y: Base_ = x
    return y
def through_two_(x: Leaf_) -> Base_:
    y: Mid_ = x
    z = y
    return z
def down_(x: Base_) -> Leaf_?: return x if x is Leaf_ else null
def down_as_(x: Base_) -> Leaf_: return x as Leaf_
def down_switch_(x: Base_) -> Mid_:
    switch x:
        case Leaf_ as l: return l
        case Mid_ as m: return m
        default: return Mid_(0)
def same_<T>(x: T) -> T: return x
def yields_(x: Leaf_) -> Iterator<Base_>:
    yield x
    yield Mid_(3)
def raises_(e: SubFault_) -> int: raise e
def as_error_(e: SubFault_) -> Error: return e
def as_fault_(e: SubFault_) -> Fault_: return e
def caught_(e: SubFault_) -> Error:
    try: raises_(e)
    catch Fault_ as f: return f
    return e
def swap_(ref b: Base_, x: Leaf_) -> Base_:
    old = b
    b = x
    return old
def fill_(ref b: Base_, x: Leaf_): b = x
def through_try_(x: Leaf_) -> Base_:
    try: return x
    finally: noise_()
def through_defer_(x: Leaf_) -> Base_:
    defer noise_()
    return x
def through_loop_(x: Leaf_) -> Base_:
    for i in range(3):
        if i == 1: return x
    return x
def default_(x: Leaf_, y: Base_? = null) -> Base_: return y ?? x.up()
def noise_() -> int:
    made = [Leaf_(90 + i) for i in range(4)]
    texts = ["noise" * 5 + str(i) for i in range(4)]
    return len(made) + len(texts)
def check_(b: Base_, n: int) -> str:
    noise_()
    return "fine" if b.items == [n, n + 1] and b.name == f"object number {n} with a long name" else "WRONG"
"""

MAKERS = ["as_base_(Leaf_({n}))", "as_mid_(Leaf_({n}))", "as_maybe_(Leaf_({n}))!", "as_tuple_(Leaf_({n}))[0]", "as_list_(Leaf_({n}))[0]", "as_func_(Leaf_({n}))()", "as_holder_(Leaf_({n})).b", "as_holder_(Leaf_({n})).o!",
          "either_(Leaf_({n}), Mid_(9), true)", "either_(Leaf_(9), Mid_({n}), false)", "first_(Leaf_({n}), null)", "first_(Leaf_(9), Base_({n}))", "through_(Leaf_({n}))", "through_two_(Leaf_({n}))",
          "down_(Leaf_({n}))!", "down_as_(Leaf_({n}))", "down_switch_(Leaf_({n}))", "same_(Leaf_({n}))", "same_<Base_>(Leaf_({n}))", "list(yields_(Leaf_({n})))[0]", "Leaf_({n}).me()", "Leaf_({n}).base()",
          "Leaf_({n}).maybe()!", "Leaf_({n}).up()", "Leaf_({n}).up_two()", "Leaf_({n}).up_one()", "Leaf_({n}).up_one().up()", "Leaf_({n}).me().me()", "Mid_({n}).me().base()", "(Leaf_({n}) as Base_)",
          "(as_any_(Leaf_({n})) as Base_)", "(Leaf_({n}).anything() as Mid_)", "through_try_(Leaf_({n}))", "through_defer_(Leaf_({n}))", "through_loop_(Leaf_({n}))", "default_(Leaf_({n}))",
          "(Leaf_({n}) if true else Mid_(9))", "[b for b in [Leaf_({n}).up()]][0]", "{{1: Leaf_({n}).up()}}[1]", "Holder_(Leaf_({n}).up(), null).b", "(null ?? Leaf_({n}).maybe())!",
          "down_(as_base_(Leaf_({n})))!", "as_base_(down_as_(as_base_(Leaf_({n}))))", "either_(Leaf_({n}).me(), Mid_(9), true).me()"]


def make(s):
    s.declare(DECLARATIONS)
    for i in range(s.pick.randrange(2, 6)):
        n = s.pick.randrange(10, 80)
        maker = s.choose(*MAKERS).format(n=n)
        form = s.choose("direct", "variable", "function", "variable in", "list", "twice", "error", "loop", "closure", "swap", "given", "async")
        if form == "direct": s.say(f"print({s.number}, check_({maker}, {n}))")
        if form == "variable": s.say(f"v{i} = {maker}\nprint({s.number}, check_(v{i}, {n}), v{i}.kind())")
        if form == "function":
            s.declare(f"def made{i}_() -> Base_: return {maker}")
            s.say(f"print({s.number}, check_(made{i}_(), {n}), made{i}_().kind())")
        if form == "variable in":
            inner = s.choose("as_base_(x)", "x.me()", "x.up()", "x.base()", "as_maybe_(x)!", "through_two_(x)", "either_(x, x, true)", "same_<Base_>(x)", "default_(x)", "first_(x, null)", "down_switch_(x)", "x")
            s.declare(f"def made{i}_() -> Base_:\n    x = Leaf_({n})\n    y = {inner}\n    return y")
            s.say(f"m{i} = made{i}_()\nprint({s.number}, check_(m{i}, {n}), m{i}.kind())")
        if form == "given":
            s.declare(f"def given{i}_(x: Leaf_) -> Base_:\n    y = {s.choose('as_base_(x)', 'x.me()', 'x.up_one().up()', 'same_<Base_>(x)', 'x')}\n    return y")
            s.say(f"print({s.number}, check_(given{i}_(Leaf_({n})), {n}))\nw{i} = Leaf_({n})\nu{i} = given{i}_(w{i})\nw{i} = Leaf_(1)\nprint({s.number}, check_(u{i}, {n}))")
        if form == "list": s.say(f"all{i}: list<Base_> = []\nall{i}.append({maker})\nall{i}.append({s.choose(*MAKERS).format(n=n)})\nprint({s.number}, check_(all{i}[0], {n}), check_(all{i}[1], {n}))")
        if form == "twice": s.say(f"t{i} = {maker}\nt{i} = {maker}\nprint({s.number}, check_(t{i}, {n}))")
        if form == "loop": s.say(f"for turn in range(3):\n    b = {maker}\n    print({s.number}, check_(b, {n}))")
        if form == "closure": s.say(f"c{i} = () -> {maker}\nprint({s.number}, check_(c{i}(), {n}))")
        if form == "swap": s.say(f"s{i}: Base_ = Mid_({n})\nold{i} = swap_(s{i}, Leaf_({n}))\nprint({s.number}, check_(s{i}, {n}), check_(old{i}, {n}))\nfill_(s{i}, Leaf_({n}))\nprint({s.number}, check_(s{i}, {n}))")
        if form == "error":
            way = s.choose("as_error_", "as_fault_", "caught_")
            s.declare(f"def error{i}_() -> Error:\n    e = SubFault_(\"m\" * 20, at=[{n}], why=\"because \" * 4)\n    return {way}(e)")
            s.say(f"e{i} = error{i}_()\nnoise_()\nif e{i} is Fault_: print({s.number}, e{i}.at, e{i}.message)\nif e{i} is SubFault_: print({s.number}, e{i}.why)")
        if form == "async":
            s.is_async = True
            s.declare(f"async def slow{i}_(x: Leaf_) -> Base_:\n    await yield_now()\n    return {s.choose('x', 'x.me()', 'as_base_(x)')}")
            s.say(f"a{i} = await slow{i}_(Leaf_({n}))\nprint({s.number}, check_(a{i}, {n}))")
