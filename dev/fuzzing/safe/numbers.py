"""Integers of every width at their ends: what the program gives must be what Python computes, or an OverflowError."""

WIDTHS = {f"{sign}int{bits}": (0 if sign else -(1 << (bits - 1)), (1 << (bits if sign else bits - 1)) - 1) for sign in ("", "u") for bits in (8, 16, 32, 64)}
WIDTHS["int"] = WIDTHS["int64"]


def compute(op, a, b):
    if op in ("//", "%") and b == 0: return "ZeroDivisionError"
    if op == "//": return a // b
    if op == "%": return a % b
    return {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[op]


def literal(type_, n):
    if n == -(1 << 63): return "(-9223372036854775807 - 1)"
    return str(n)


def make(s):
    for i in range(s.pick.randrange(2, 6)):
        type_ = s.choose(*WIDTHS)
        low, high = WIDTHS[type_]
        interesting = [low, low, low, low + 1, high, high - 1, 0, 1, 2, 7] + ([-1, -1, -1, -1, -2, -7] if low < 0 else [])
        a, b = s.choose(*interesting), s.choose(*interesting)
        op = s.choose("//", "//", "%", "+", "-", "*", "neg", "abs", "divmod", "&", "|", "^")
        if low < 0 and s.chance(0.3): a, b, op = low, -1, s.choose("//", "%", "divmod", "*", "neg", "abs")
        if op in ("neg", "abs", "divmod") and low == 0: op = "-"
        if high > (1 << 63) - 1 and (a > (1 << 63) - 1 or b > (1 << 63) - 1): a, b = a % 1000, b % 1000
        if op == "neg": wanted, text = -a, "-x"
        elif op == "abs": wanted, text = abs(a), "abs(x)"
        elif op == "divmod": wanted, text = compute("//", a, b), "divmod(x, y)[0]"
        else: wanted, text = compute(op, a, b), f"x {op} y"
        if isinstance(wanted, int) and not low <= wanted <= high: wanted = "OverflowError"
        is_error = isinstance(wanted, str)
        constant = s.chance(0.4) and op not in ("neg", "abs") and b != -(1 << 63)
        if constant: text = text.replace("y", f"{b}" if b >= 0 or op == "divmod" else f"{b}")
        s.declare(f"def op{i}_(x: {type_}{'' if constant or op in ('neg', 'abs') else ', y: ' + type_}) -> {type_}: return {text}")
        args = literal(type_, a) if constant or op in ("neg", "abs") else f"{literal(type_, a)}, {literal(type_, b)}"
        if is_error:
            s.say(f"try:\n    r{i} = op{i}_({args})\n    print({s.number}, \"WRONG\", r{i})\ncatch {wanted}: print({s.number}, \"fine\")")
        else:
            s.say(f"r{i} = op{i}_({args})\nprint({s.number}, \"fine\" if str(r{i}) == \"{wanted}\" else \"WRONG\", r{i})")
