"""Functions stored, passed and sent to other isolates, which touch module variables. What they reach at home must stay as it was."""

DECLARATIONS = """
counter_: list<int> = [0]
total_ = 0
name_ = "module text that is long " * 2
table_: dict<str, int> = {"k": 1}
const FIXED_ = [1, 2, 3]
class Keeper_:
    f: func<> -> int
    def go(self) -> int: return self.f()
class Toucher_:
    n: int
    def touch(self) -> int: return bump_()
    def __str__(self) -> str: return str(bump_())
    def __eq__(self, other: Toucher_) -> bool: return bump_() > 0
    def __hash__(self) -> int: return bump_()
    def __lt__(self, other: Toucher_) -> bool: return bump_() > 0
    def __len__(self) -> int: return bump_()
class Ending_:
    n: int
    def __del__(self): bump_()
trait Goes_:
    def go(self) -> int
    def again(self) -> int: return self.go() + bump_()
class Going_(Goes_):
    def go(self) -> int: return bump_()
class Quiet_(Goes_):
    def go(self) -> int: return 1
def bump_() -> int:
    counter_.append(1)
    return len(counter_)
def set_total_() -> int:
    global total_
    total_ = total_ + 1
    return total_
def read_name_() -> int: return len(name_)
def put_table_() -> int:
    table_["x"] = 2
    return len(table_)
def pure_() -> int: return 41
def reads_const_() -> int: return sum(FIXED_)
def call_(f: func<> -> int) -> int: return f()
def call_with_(f: func<int> -> int, n: int) -> int: return f(n)
def keep_(k: Keeper_) -> int: return k.go()
def go_(g: dyn Goes_) -> int: return g.go()
def again_(g: dyn Goes_) -> int: return g.again()
def bounded_<G: Goes_>(g: G) -> int: return g.go()
def shown_(t: Toucher_) -> int: return len(str(t))
def compared_(a: Toucher_, b: Toucher_) -> int: return 1 if a == b else 2
def hashed_(t: Toucher_) -> int: return len({t: 1})
def ended_(e: Ending_) -> int: return e.n
def with_default_(n: int = bump_()) -> int: return n
def anything_(x: any) -> int: return len(str(x))
def listed_(fs: list<func<> -> int>) -> int: return sum([f() for f in fs])
def nested_() -> int:
    def inner() -> int: return bump_()
    return call_(inner)
"""

FUNCTIONS = ["bump_", "set_total_", "read_name_", "put_table_", "pure_", "reads_const_", "() -> bump_()", "() -> pure_()", "() -> reads_const_()", "nested_", "() -> with_default_()", "() -> counter_[0]", "() -> len(table_)"]
SPAWNED = ["call_({f})", "keep_(Keeper_({f}))", "go_(Going_())", "go_(Quiet_())", "again_(Going_())", "again_(Quiet_())", "bounded_(Going_())", "bounded_(Quiet_())", "shown_(Toucher_(1))", "compared_(Toucher_(1), Toucher_(2))", "hashed_(Toucher_(1))",
           "ended_(Ending_(3))", "with_default_()", "anything_(Toucher_(1))", "listed_([{f}])", "nested_()", "bump_()", "pure_()", "reads_const_()", "call_with_(n -> n + {g}(), 1)"]


def make(s):
    s.declare(DECLARATIONS)
    s.is_async = True
    f, g = s.choose(*FUNCTIONS), s.choose("pure_", "bump_", "reads_const_")
    target = s.choose(*SPAWNED).format(f=f, g=g)
    form = s.choose("spawn", "spawn", "pool run", "pool map", "blocking", "channel", "closure", "home")
    s.say("before = f\"{counter_} {total_} {name_} {table_}\"")
    s.say("try:")
    if form == "spawn": s.say(f"print({s.number}, await (spawn {target}) > 0)", 1)
    if form == "pool run": s.say(f"pool = Pool(1)\ntry: print({s.number}, await pool.run({s.choose(f, '() -> ' + target)}) > 0)\nfinally: await pool.close()", 1)
    if form == "pool map": s.say(f"pool = Pool(1)\ntry: print({s.number}, await pool.map([1, 2], x -> x + {g}()))\nfinally: await pool.close()", 1)
    if form == "blocking": s.say(f"print({s.number}, await blocking({s.choose(f, '() -> ' + target)}) > 0)", 1)
    if form == "channel":
        s.declare("def run_all_(source: Channel<Keeper_>, out: Channel<int>):\n    for k in source: out.send(k.go())\n    out.close()")
        s.say(f"source = Channel<Keeper_>(2)\nout = Channel<int>(2)\nh = spawn run_all_(source, out)\nawait source.send(Keeper_({f}))\nsource.close()\nawait h\nprint({s.number}, (await out.recv()))", 1)
    if form == "closure": s.say(f"n = 5\nw = {f}\nh = spawn call_(() -> w() + n)\nprint({s.number}, await h > 0)", 1)
    if form == "home": s.say(f"print({s.number}, {target} > 0)", 1)
    s.say(f"catch Error as e: print({s.number}, \"refused\")")
    if form != "home": s.say(f"print({s.number}, \"fine\" if f\"{{counter_}} {{total_}} {{name_}} {{table_}}\" == before else \"WRONG\")")
