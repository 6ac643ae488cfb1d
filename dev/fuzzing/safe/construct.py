"""Constructors that let `self` go, call, loop, fail and inherit before every field is set."""

TYPES = {"str": ("\"a text that is longer than that\"", "len({x})"), "list<int>": ("[1, 2]", "len({x})"), "Part_": ("Part_(\"part\")", "len({x}.name)"), "dict<str, int>": ("{\"k\": 1}", "len({x})"),
         "int": ("5", "{x} + 1"), "Part_?": ("Part_(\"maybe\")", "(1 if {x} is null else 2)"), "func<> -> int": ("() -> 3", "{x}()"), "(str, int)": ("(\"pair\" * 9, 2)", "len({x}[0])"), "any": ("\"anything\" * 4", "str({x})")}


def make(s):
    pick = s.pick
    names = [f"f{i}" for i in range(pick.randrange(1, 4))]
    fields = {name: pick.choice(list(TYPES)) for name in names}
    s.declare("class Part_:\n    name: str\nkept_: list<A_> = []\nfuncs_: list<func<> -> str> = []")
    has_sub = s.chance(0.6)
    # base class
    lines = ["class A_:"] + [f"    {name}: {type_}" for name, type_ in fields.items()]
    show = " + \" \" + ".join(f"str({TYPES[t][1].format(x='self.' + n)})" for n, t in fields.items())
    lines += [f"    def show(self) -> str: return {show}", "    def hook(self) -> str: return \"base\"", "    def leave(self): kept_.append(self)", "    def __str__(self) -> str: return self.show()"]
    lines.append("    def __init__(self, fail: bool = false):")
    if has_sub:
        sub = {f"g{i}": pick.choice(list(TYPES)) for i in range(pick.randrange(1, 3))}
        show_sub = " + \" \" + ".join(f"str({TYPES[t][1].format(x='self.' + n)})" for n, t in sub.items())
    lines += ["        " + line for line in init_body(s, fields, is_sub=False)]
    s.declare("\n".join(lines))
    if has_sub:
        lines = ["class B_(A_):"] + [f"    {name}: {type_}" for name, type_ in sub.items()]
        lines += [f"    def hook(self) -> str: return {show_sub}"]
        if s.chance(0.5):
            lines += [f"    def show(self) -> str: return {show_sub}"]
        lines.append("    def __init__(self, fail: bool = false):")
        lines += ["        " + line for line in init_body(s, sub, is_sub=True)]
        s.declare("\n".join(lines))
    s.declare("def pass_(a: A_) -> str: return a.show()\ndef keep_(a: A_) -> A_:\n    kept_.append(a)\n    return a")
    for fail in ("false", "true"):
        s.say(f"try:\n    a = {'B_' if has_sub else 'A_'}({fail})\n    print({s.number}, a.show(), a.hook())\ncatch ValueError as e: print({s.number}, \"failed\")")
    s.say(f"for k in kept_: print({s.number}, \"kept\", k.show(), k.hook())\nfor f in funcs_: print({s.number}, \"func\", f())\nkept_.clear()\nfuncs_.clear()")


def init_body(s, fields, is_sub):
    pick = s.pick
    steps = [f"self.{name} = {TYPES[type_][0]}" for name, type_ in fields.items()]
    if is_sub:
        steps.insert(pick.randrange(len(steps) + 1), pick.choice(["super.__init__(fail)", "super.__init__()"]))
    mischief = ["print(self.show())", "print(self.hook())", "kept_.append(self)", "self.leave()", "funcs_.append(() -> self.show())", "keep_(self)", "print(pass_(self))", "if fail: raise ValueError(\"no\")",
                "print(f\"{self}\")", "funcs_.append(self.show)", "me = self\nkept_.append(me)", "pair = (self, 1)", "for i in range(2): kept_.append(self)", "x: any = self\nif x is A_: print(x.show())",
                "def later() -> str: return self.show()\nprint(later())", "try: raise ValueError(\"inner\")\ncatch ValueError: print(self.show())", "d: A_? = self\nif d is not null: print(d.show())",
                "xs = [self]\nprint(xs[0].show())", "kept_.append(keep_(self))", "s: str = str(self)"]
    for _ in range(pick.choice([0, 1, 1, 1, 2])):
        steps.insert(pick.randrange(len(steps) + 1) if not s.chance(0.45) else len(steps), pick.choice(mischief))
    out = []
    for step in steps:
        is_field = step.startswith("self.f") or step.startswith("self.g")
        if is_field and s.chance(0.15):
            out.append(s.choose("if fail: STEP\nelse: STEP", "for i in range(1): STEP", "try: STEP\nfinally: pass", "while true:\n    STEP\n    break", "if not fail: STEP", "if fail: raise ValueError(\"early\")\nSTEP",
                                "try:\n    STEP\n    if fail: raise ValueError(\"late\")\ncatch KeyError: pass").replace("STEP", step))
        else:
            out.append(step)
    return "\n".join(out).split("\n")
