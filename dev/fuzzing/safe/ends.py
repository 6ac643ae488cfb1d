"""`__del__` that reads, writes and keeps: variables of the module at the end of the program, fields of what dies with it, itself."""

DOES = ["log_.append(self.name)", "print(\"end\", self.name)", "kept_.append(self.name)", "self.other = null", "if self.other is not null: print(self.other.name)", "back_(self)", "table_[self.name] = 1", "kept_.clear()",
        "made = A_(\"made \" * 6, null)", "for x in log_: self.name = x", "self.items.append(1)", "print(len(log_), len(table_))", "hook_()", "if later_ is not null: print(later_.name)"]


def make(s):
    pick = s.pick
    uses = [pick.choice(DOES) for _ in range(pick.randrange(1, 3))]
    lines = ["    def __del__(self):"] + ["        if self.name != \"made \" * 6:"] + [f"            {line}" for line in uses]
    s.declare("class A_:\n    name: str\n    other: A_?\n    items: list<int> = [1]\n" + "\n".join(lines))
    state = ("log_: list<str> = []\nkept_: list<str> = []\ntable_: dict<str, int> = {}\nlater_: A_? = null\nhook_ = () -> print(len(log_))\ndef back_(a: A_): log_.append(a.name + str(len(a.items)))")
    first = s.chance(0.6)   # else the variables of the module that end last are those with a `__del__`
    if first: s.declare(state)
    count = pick.randrange(0, 3)
    for i in range(count): s.declare(f"v{i}_: A_? = null")   # given a value only where the scenario runs
    if not first: s.declare(state)
    for i in range(count): s.say(f"global v{i}_\nv{i}_ = A_(\"variable {i} with a long name\", {pick.choice(['null', 'A_(chr(97) * 20, null)'])})")
    for i in range(pick.randrange(1, 4)):
        s.say(pick.choice([f"a{i} = A_(\"local {i} with a long name\", null)", f"a{i} = A_(\"first {i} with a long name\", A_(\"second with a long name\", null))\na{i} = A_(\"third\" * 5, null)", f"l{i} = [A_(\"element \" * 4, null)]\nl{i}.clear()",
                           f"d{i} = {{1: A_(\"value \" * 5, null)}}\ndel d{i}[1]", f"w{i} = A_(\"outer \" * 5, A_(\"inner \" * 5, null))\nw{i}.other = null", f"global later_\nlater_ = A_(\"later \" * 5, null)",
                           f"try:\n    t{i} = A_(\"tried \" * 5, null)\n    raise ValueError(\"no\")\ncatch ValueError: print({s.number}, \"caught\")"]))
    s.say(f"print({s.number}, len(log_), len(kept_), len(table_))")
