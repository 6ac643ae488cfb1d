"""Random operations on decimals: what a program that reads them prints must be what Python says, with a context wide enough for
exact sums and products. `//` and `%` floor, unlike those of Python's Decimal.
usage: decimal_cases.py SEED COUNT PROGRAM"""
import decimal
import math
import random
import sys
from decimal import Decimal
from fractions import Fraction

from compare_answers import compare_answers

seed, count = (int(arg) for arg in sys.argv[1:3])
pick = random.Random(seed)
exact = decimal.Context(prec=5000, Emax=999999, Emin=-999999)
rounded = decimal.Context(prec=28)


def unsigned_zero(x):
    return x.copy_abs() if isinstance(x, Decimal) and x == 0 else x


def number():
    size = pick.choice([1, 2, 5, 9, 10, 18, 19, 20, 28, 29, 40])
    value = pick.randrange(10 ** pick.randrange(1, size + 1))
    if pick.random() < 0.2:
        value *= 10 ** pick.randrange(5)
    if pick.random() < 0.2:
        value = int("5" + "0" * pick.randrange(6)) + 10 ** pick.randrange(8) * pick.randrange(10)
    exponent = pick.choice([0, -1, -2, -3, -size, pick.randrange(-30, 10), pick.randrange(-12, 4)])
    sign = 0 if pick.random() < 0.6 or value == 0 else 1
    return Decimal((sign, tuple(map(int, str(value))), exponent))


def floor_quotient(a, b):
    return Decimal(math.floor(Fraction(a) / Fraction(b)))


def power(a, n):
    if n == 0:
        return Decimal(1)
    if a == 0 and n < 0:
        raise ZeroDivisionError
    if n > 0:
        return rounded.plus(exact.power(a, n))
    return rounded.divide(Decimal(1), exact.power(a, -n))


def square_root(a):
    if a < 0:
        raise ValueError
    return rounded.sqrt(a)


def rounding(mode):
    return lambda a, b, n: a.quantize(Decimal(1).scaleb(-n), rounding=mode, context=exact)


OPERATIONS = {
    "+": lambda a, b, n: exact.add(a, b),
    "-": lambda a, b, n: exact.subtract(a, b),
    "*": lambda a, b, n: exact.multiply(a, b),
    "/": lambda a, b, n: rounded.divide(a, b),
    "//": lambda a, b, n: floor_quotient(a, b),
    "%": lambda a, b, n: exact.subtract(a, exact.multiply(floor_quotient(a, b), b)),
    "<": lambda a, b, n: f"{a < b} {a <= b} {a == b} {a > b} {a >= b} {a != b}".lower(),
    "hash": lambda a, b, n: "true",
    "round": rounding(decimal.ROUND_HALF_EVEN),
    "round0": lambda a, b, n: round(a),
    "int": lambda a, b, n: int(a),
    "float": lambda a, b, n: repr(float(a)),
    "str": lambda a, b, n: f"{a} {a}",
    "norm": lambda a, b, n: exact.normalize(a),
    "sqrt": lambda a, b, n: square_root(a),
    "**": lambda a, b, n: power(a, n),
    "neg": lambda a, b, n: f"{unsigned_zero(exact.minus(a))} {exact.abs(a)}",
    "f": lambda a, b, n: f"{a:.2f}|{a:f}|{a:,.3f}|{a:+.0f}|{a:012.1f}|{a:>15.2f}|{a:.1%}",
    "e": lambda a, b, n: f"{a:.3e}|{a:e}|{a:E}|{a:.0e}",
    "g": lambda a, b, n: f"{a:g}|{a:.3g}|{a}|{a:>20}|{a:.5}|{a:G}",
    "up": rounding(decimal.ROUND_UP),
    "down": rounding(decimal.ROUND_DOWN),
    "ceil": rounding(decimal.ROUND_CEILING),
    "floor": rounding(decimal.ROUND_FLOOR),
    "hup": rounding(decimal.ROUND_HALF_UP),
    "hdown": rounding(decimal.ROUND_HALF_DOWN),
    "ratio": lambda a, b, n: "%d %d" % a.as_integer_ratio(),
    "offloat": lambda a, b, n: Decimal(float(a)),
}

lines, wanted = [], []
while len(lines) < count:
    name = pick.choice(list(OPERATIONS))
    a, n = number(), pick.randrange(-3, 12)
    b = number() if pick.random() < 0.8 else unsigned_zero(a * pick.choice([Decimal(1), Decimal("1.00"), Decimal(2)]))
    if name in ("int", "round0") and abs(a) >= 2**62:
        continue
    if name == "**":
        n = pick.choice([0, 1, 2, 3, 5, 7, 10, 20, -1, -2, -5, 30])
    try:
        result = str(unsigned_zero(OPERATIONS[name](a, b, n)))
    except (ZeroDivisionError, decimal.InvalidOperation):
        result = "error ZeroDivisionError"
    except ValueError:
        result = "error ValueError"
    lines.append(f"{name} {a} {b} {n}")
    wanted.append(result)

compare_answers(seed, lines, wanted, sys.argv[3:])
