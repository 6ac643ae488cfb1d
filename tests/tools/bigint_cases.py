"""Random operations on integers of all sizes: what a program that reads them prints must be what Python says.
usage: bigint_cases.py SEED COUNT BITS PROGRAM"""
import math
import random
import sys

from compare_answers import compare_answers

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)
seed, count, bits = (int(arg) for arg in sys.argv[1:4])
pick = random.Random(seed)


def number():
    size = pick.choice([8, 31, 32, 33, 62, 63, 64, 65, 96, 128, 200, bits, bits * 4])
    kind = pick.random()
    if kind < 0.05:
        value = pick.choice([0, 1, 2, 2**63, 2**63 - 1, 2**64, 2**32, 2**32 - 1, 2**31])
    elif kind < 0.2:
        value = (1 << pick.randrange(size + 1)) + pick.choice([-1, 0, 1])
    elif kind < 0.3:
        value = ((1 << pick.randrange(size + 1)) - 1) << pick.randrange(size)
    else:
        value = pick.getrandbits(size)
    return value if pick.random() < 0.6 else -value


def truth(value):
    return str(value).lower()


OPERATIONS = {
    "+": lambda a, b, c: a + b,
    "-": lambda a, b, c: a - b,
    "*": lambda a, b, c: a * b,
    "//": lambda a, b, c: a // b,
    "%": lambda a, b, c: a % b,
    "divmod": lambda a, b, c: "%d %d" % divmod(a, b),
    "&": lambda a, b, c: a & b,
    "|": lambda a, b, c: a | b,
    "^": lambda a, b, c: a ^ b,
    "~": lambda a, b, c: ~a,
    "neg": lambda a, b, c: -a,
    "abs": lambda a, b, c: abs(a),
    "<<": lambda a, b, c: a << b,
    ">>": lambda a, b, c: a >> b,
    "<": lambda a, b, c: truth(a < b),
    "<=": lambda a, b, c: truth(a <= b),
    "==": lambda a, b, c: truth(a == b),
    "**": lambda a, b, c: a**b,
    "pow": lambda a, b, c: pow(a, b, c),
    "gcd": lambda a, b, c: math.gcd(a, b),
    "isqrt": lambda a, b, c: math.isqrt(a),
    "bits": lambda a, b, c: f"{a.bit_length()} {bin(a).count('1')}",
    "float": lambda a, b, c: repr(float(a)),
    "/": lambda a, b, c: repr(a / b),
    "x": lambda a, b, c: f"{a:x} {a:#b} {a:o} {a:,} {a:+080d} {a:_x} {a:^60X}|",
    "parse": lambda a, b, c: " ".join([str(a)] * 4),
    "hash": lambda a, b, c: "true",
    "bytes": lambda a, b, c: a.to_bytes(400, "little", signed=True).hex() + str(a),
    "ofloat": lambda a, b, c: int(float(a)),
    "round": lambda a, b, c: round(a, -b),
}

lines, wanted = [], []
for _ in range(count):
    name = pick.choice(list(OPERATIONS))
    a, b, c = number(), number(), number()
    if name in ("<<", ">>"):
        b = pick.randrange(300)
    elif name == "round":
        b = pick.randrange(60)
    elif name == "**":
        b = pick.randrange(20 if bits < 1000 else 3)
    elif name == "==" and pick.random() < 0.5:
        b = a
    elif name == "pow":
        b = abs(b) % (1 << 70)
    elif name == "bytes":
        a = (a % (1 << 3190)) * (1 if b > 0 else -1)
    try:
        result = str(OPERATIONS[name](a, b, c))
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        result = "error " + type(error).__name__
    lines.append(f"{name} {a} {b} {c}")
    wanted.append(result)

compare_answers(seed, lines, wanted, sys.argv[4:])
