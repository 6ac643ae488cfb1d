"""Writes a program that computes with integers of every width at their edges, and what it must print.

make_integer_cases.py PROGRAM EXPECTED

Every operator meets its operands as variables, as a literal on either side, as constants and as defaults of parameters. The answers are Python's,
with the rules of Meteor on top: what does not fit the type raises OverflowError.
"""
import math
import sys

TYPES = {f"{'' if signed else 'u'}int{'' if signed and width == 64 else width}": (width, signed) for width in (8, 16, 32, 64) for signed in (True, False)}


def bounds(name):
    width, signed = TYPES[name]
    return (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)


class Raises(Exception):
    pass


def fit(name, value):
    low, high = bounds(name)
    if not low <= value <= high:
        raise Raises("OverflowError")
    return value


def wrap(name, value):
    width, signed = TYPES[name]
    value &= (1 << width) - 1
    return value - (1 << width) if signed and value >> width - 1 else value


def divide(compute):
    def run(t, a, b):
        if b == 0:
            raise Raises("ZeroDivisionError")
        return compute(t, a, b)
    return run


def power(t, a, b):
    if b < 0:
        raise Raises("ValueError")
    if a in (-1, 0, 1):
        return a ** (b % 2 + 2 if b else 0)
    if b > 64:
        raise Raises("OverflowError")
    return fit(t, a ** b)


def shift(left):
    def run(t, a, b):
        if b < 0:
            raise Raises("ValueError")
        if not left:
            return a >> b
        if a == 0:
            return 0
        if not TYPES[t][1]:
            return wrap(t, a << min(b, 128))
        return fit(t, a << min(b, 128))
    return run


def divmod_text(t, a, b):
    return f"({fit(t, a // b)}, {a % b})"


BINARY = {
    "a + b": lambda t, a, b: fit(t, a + b),
    "a - b": lambda t, a, b: fit(t, a - b),
    "a * b": lambda t, a, b: fit(t, a * b),
    "a // b": divide(lambda t, a, b: fit(t, a // b)),
    "a % b": divide(lambda t, a, b: a % b),
    "a ** b": power,
    "a << b": shift(True),
    "a >> b": shift(False),
    "a & b": lambda t, a, b: a & b,
    "a | b": lambda t, a, b: a | b,
    "a ^ b": lambda t, a, b: a ^ b,
    "a &+ b": lambda t, a, b: wrap(t, a + b),
    "a &- b": lambda t, a, b: wrap(t, a - b),
    "a &* b": lambda t, a, b: wrap(t, a * b),
    "a < b": lambda t, a, b: a < b,
    "a >= b": lambda t, a, b: a >= b,
    "a == b": lambda t, a, b: a == b,
}
CALLS = {
    "divmod(a, b)": divide(divmod_text),
    "min(a, b)": lambda t, a, b: min(a, b),
    "max(a, b)": lambda t, a, b: max(a, b),
    "pow(a, b)": power,
    "a.wrapping_add(b)": lambda t, a, b: wrap(t, a + b),
    "a.checked_div(b)": lambda t, a, b: None if b == 0 else maybe(lambda: fit(t, a // b)),
    "a.checked_mul(b)": lambda t, a, b: maybe(lambda: fit(t, a * b)),
    "a.checked_sub(b)": lambda t, a, b: maybe(lambda: fit(t, a - b)),
    "a.saturating_add(b)": lambda t, a, b: clamp(t, a + b),
    "a.saturating_sub(b)": lambda t, a, b: clamp(t, a - b),
    "a.saturating_mul(b)": lambda t, a, b: clamp(t, a * b),
}
UNARY = {
    "-a": lambda t, a: fit(t, -a),
    "~a": lambda t, a: wrap(t, ~a),
    "abs(a)": lambda t, a: fit(t, abs(a)),
    "a.wrapping_neg()": lambda t, a: wrap(t, -a),
    "a.checked_neg()": lambda t, a: maybe(lambda: fit(t, -a)),
    "round(a)": lambda t, a: a,
    "round(a, -1)": lambda t, a: fit(t, round(a, -1)),
    "round(a, -30)": lambda t, a: 0,
    "float(a)": lambda t, a: float_text(float(a)),
    "a / 2": lambda t, a: float_text(float(a) / 2),
    "a.bit_length()": lambda t, a: a.bit_length(),
    "a.count_ones()": lambda t, a: bin(a & (1 << TYPES[t][0]) - 1).count("1"),
    "a.leading_zeros()": lambda t, a: TYPES[t][0] - (a & (1 << TYPES[t][0]) - 1).bit_length(),
    "a.rotate_left(3)": lambda t, a: rotate(t, a, 3),
    "a.rotate_right(1)": lambda t, a: rotate(t, a, -1),
    "a.wrapping_shl(3)": lambda t, a: wrap(t, a << 3),
    "a.wrapping_pow(5)": lambda t, a: wrap(t, a ** 5),
    "a.checked_pow(200)": lambda t, a: maybe(lambda: power(t, a, 200)),
    "a.checked_pow(2)": lambda t, a: maybe(lambda: power(t, a, 2)),
    "a.wrapping_shr(3)": lambda t, a: a >> 3,
    "a.wrapping_shl(67)": lambda t, a: wrap(t, a << 67 % TYPES[t][0]),
    **{f"a.to_{to}()": (lambda to: lambda t, a: wrap(to, a))(to) for to in TYPES},
    "a.to_int64()": lambda t, a: wrap("int", a),
    "str(a)": lambda t, a: a,
    'f"{a:x}"': lambda t, a: f"{a:x}",
    "a is not null": lambda t, a: True,
}
ARITHMETIC = ["+", "-", "*", "//", "%", "**", "<<", ">>"]
FLOATS = ["0.0", "-0.0", "0.5", "-0.5", "-0.9999999999999999", "-1.0", "127.0", "127.99", "128.0", "-128.0", "-128.99", "-129.0", "255.0", "255.99", "256.0", "32767.99", "-32769.0",
          "2147483647.5", "2147483648.0", "-2147483648.9", "-2147483649.0", "4294967295.5", "4294967296.0", "9223372036854774784.0", "9223372036854775808.0",
          "-9223372036854775808.0", "-9223372036854777856.0", "18446744073709549568.0", "18446744073709551616.0", "1e300", "-1e300", "5e-324", "inf", "-inf", "nan"]


def maybe(compute):
    try:
        return compute()
    except Raises:
        return None


def clamp(t, value):
    low, high = bounds(t)
    return min(max(value, low), high)


def rotate(t, a, by):
    width = TYPES[t][0]
    bits = a & (1 << width) - 1
    by %= width
    return wrap(t, bits << by | bits >> width - by)


def float_text(value):
    return repr(value)


def answer(compute):
    try:
        value = compute()
    except Raises as error:
        return str(error)
    return {True: "true", False: "false", None: "null"}[value] if value is None or isinstance(value, bool) else str(value)


def edges(t):
    low, high = bounds(t)
    width = TYPES[t][0]
    return sorted({v for v in (low, low + 1, low // 2, -width, -3, -2, -1, 0, 1, 2, 3, width - 1, width, width + 1, high // 2, high // 2 + 1, high - 1, high) if low <= v <= high})


def few_edges(t):
    low, high = bounds(t)
    width = TYPES[t][0]
    return sorted({v for v in (low, -1, 0, 1, 2, width - 1, width, high) if low <= v <= high})


class Writer:
    def __init__(self):
        self.lines, self.expected, self.count = [], [], 0

    def expect(self, compute):
        self.expected.append(answer(compute))

    def function(self, header, body):
        self.count += 1
        name = f"f{self.count}"
        self.lines.append(f"def {name}({header}) -> str:")
        self.lines.append(f"    try: return str({body})")
        self.lines.append("    catch OverflowError: return \"OverflowError\"")
        self.lines.append("    catch ZeroDivisionError: return \"ZeroDivisionError\"")
        self.lines.append("    catch ValueError: return \"ValueError\"")
        return name


def literal(value):
    if value > bounds("int")[1]:
        return f"({value} as uint64)"
    return str(value) if value >= 0 else f"({value})"


def write_type(w, t):
    values = edges(t)
    w.lines.append(f"const {t.upper()}S: list<{t}> = [{', '.join(map(str, values))}]")
    all_values = f"{t.upper()}S"
    for text, compute in {**BINARY, **CALLS}.items():
        name = w.function(f"a: {t}, b: {t}", text)
        w.lines.append(f"for a in {all_values}:\n    for b in {all_values}: print({name}(a, b))")
        for a in values:
            for b in values:
                w.expect(lambda: compute(t, a, b))
    for op in ARITHMETIC:
        w.count += 1
        w.lines.append(f"def change{w.count}(given: {t}, b: {t}) -> {t}:\n    a = given\n    a {op}= b\n    return a")
        name = w.function(f"a: {t}, b: {t}", f"change{w.count}(a, b)")
        w.lines.append(f"for a in {all_values}:\n    for b in {all_values}: print({name}(a, b))")
        for a in values:
            for b in values:
                w.expect(lambda: BINARY[f"a {op} b"](t, a, b))
    for text in [f"a {op} b" for op in ARITHMETIC] + ["a < b"]:
        compute = BINARY[text]
        for b in few_edges(t):
            name = w.function(f"a: {t}", text.replace("b", literal(b)))
            w.lines.append(f"for a in {all_values}: print({name}(a))")
            for a in values:
                w.expect(lambda: compute(t, a, b))
        for a in bounds(t):
            name = w.function(f"b: {t}", text.replace("a", literal(a)))
            w.lines.append(f"for b in {all_values}: print({name}(b))")
            for b in values:
                w.expect(lambda: compute(t, a, b))
    for text, compute in UNARY.items():
        name = w.function(f"a: {t}", text)
        w.lines.append(f"for a in {all_values}: print({name}(a))")
        for a in values:
            w.expect(lambda: compute(t, a))
    for target in TYPES:
        name = w.function(f"a: {t}", f"a as {target}")
        w.lines.append(f"for a in {all_values}: print({name}(a))")
        for a in values:
            w.expect(lambda: fit(target, a))
    low, high = bounds(t)
    w.lines.append(f"const {t.upper()}_LOW: {t} = {low}\nconst {t.upper()}_HIGH: {t} = {high}\nconst {t.upper()}_MINUS: {t} = {-1 if low else 1}\nconst {t.upper()}_ZERO: {t} = 0")
    constants = {"LOW": low, "HIGH": high, "MINUS": -1 if low else 1, "ZERO": 0}
    for text in [f"a {op} b" for op in ARITHMETIC]:
        compute = BINARY[text]
        for one, a in [*constants.items()][:2]:
            for other, b in [*constants.items()][2:]:
                name = w.function(f"a: {t} = {t.upper()}_{one}", text.replace("b", f"{t.upper()}_{other}"))
                w.lines.append(f"print({name}())")
                w.expect(lambda: compute(t, a, b))


def write_floats(w):
    w.lines.append(f"const FLOATS = [{', '.join(FLOATS)}]")
    numbers = [float(text) for text in FLOATS]

    def convert(t, x):
        if math.isnan(x):
            raise Raises("ValueError")
        if math.isinf(x):
            raise Raises("OverflowError")
        return fit(t, int(x))
    for t in TYPES:
        name = w.function("a: float", f"a as {t}")
        w.lines.append(f"for a in FLOATS: print({name}(a))")
        for x in numbers:
            w.expect(lambda: convert(t, x))
        for text, x in zip(FLOATS, numbers):
            name = w.function("", f"({text}) as {t}")
            w.lines.append(f"print({name}())")
            w.expect(lambda: convert(t, x))
    for call in ("int(a)", "round(a)"):
        name = w.function("a: float", call)
        w.lines.append(f"for a in FLOATS: print({name}(a))")
        for x in numbers:
            def whole():
                if math.isnan(x):
                    raise Raises("ValueError")
                if math.isinf(x):
                    raise Raises("OverflowError")
                return fit("int", int(x) if call == "int(a)" else round(x))
            w.expect(whole)


def write_ranges(w):
    low, high = bounds("int")
    ends = [low, low + 1, -1, 0, 1, high - 1, high]
    steps = [1, -1, 3, -3, 1 << 62, -(1 << 62), high, low]
    w.lines.append(f"""const ENDS = [{', '.join(map(str, ends))}]
def show(r: Range):
    try: print(len(r))
    catch OverflowError: print("OverflowError")
    out: list<int> = []
    for i in r:
        out.append(i)
        if len(out) == 5: break
    print(out)
    print({low} in r, 0 in r, {high} in r)""")
    for step in steps:
        w.count += 1
        w.lines.append(f"""def walk{w.count}(start: int, stop: int):
    out: list<int> = []
    for i in range(start, stop, {step}):
        out.append(i)
        if len(out) == 5: break
    print(out)
for start in ENDS:
    for stop in ENDS:
        show(range(start, stop, {step}))
        walk{w.count}(start, stop)""")
        for start in ends:
            for stop in ends:
                numbers = range(start, stop, step)
                try:
                    w.expected.append(str(len(numbers)))
                except OverflowError:
                    w.expected.append("OverflowError")
                head = str([start + i * step for i in range(5) if start + i * step in numbers])
                contained = " ".join("true" if x in numbers else "false" for x in (low, 0, high))
                w.expected.extend([head, contained, head])


def main():
    program, expected = sys.argv[1:3]
    parts = sys.argv[3:] or [*TYPES, "floats", "ranges"]
    w = Writer()
    for part in parts:
        if part == "floats":
            write_floats(w)
        elif part == "ranges":
            write_ranges(w)
        else:
            write_type(w, part)
    with open(program, "w") as out:
        out.write("\n".join(w.lines) + "\n")
    with open(expected, "w") as out:
        out.write("\n".join(w.expected) + "\n")


main()
