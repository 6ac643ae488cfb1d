"""What a condition proved of a place that another task changes while this one waits."""
from . import narrow


def make(s):
    kind = s.choose(*narrow.KINDS)
    type_, good, bad, tests, opposites, uses = narrow.KINDS[kind]
    wants_false = s.chance(0.3)
    s.is_async = True
    s.declare(narrow.DECLARATIONS)
    s.declare(narrow.HOLDER.format(type=type_, bad=bad, result="true"))
    form = s.choose("field", "field", "global", "captured", "local")
    if form == "field":
        s.say(f"h = Holder_({good})")
        s.declare("async def other_(h: Holder_):\n    await yield_now()\n    h.clear()")
        x, other = "h.n", "other_(h)"
    elif form == "global":
        s.declare(f"g_: {type_} = {good}\nasync def other_():\n    global g_\n    await yield_now()\n    g_ = {bad}")
        x, other = "g_", "other_()"
    elif form == "captured":
        s.say(f"x: {type_} = {good}\nasync def other():\n    nonlocal x\n    await yield_now()\n    x = {bad}")
        x, other = "x", "other()"
    else:
        s.say(f"x: {type_} = {good}")
        s.declare("async def other_(): await yield_now()")
        x, other = "x", "other_()"
        s.must_compile = True
    s.declare(f"async def pause_() -> bool:\n    for i in range(4): await yield_now()\n    return {'false' if wants_false else 'true'}")
    test, opposite, use = (s.choose(*options).format(x=x) for options in (tests, opposites, uses))
    body = []
    narrow.statements(s, lambda text, depth=0: body.extend("    " * (depth + 1) + line for line in text.split("\n")), wants_false, test, opposite, "(await pause_())", f"str({use}) != \"\"", f"print({s.number}, {use})", use)
    s.say(f"await scope as s:\n    s.spawn({other})")
    s.body += body
    # A lambda, a `defer` and a generator expression can't wait.
    if any("->" in line or "defer" in line or "list((" in line or "def later" in line for line in body) or "comprehension" in "".join(body): s.must_compile = False
