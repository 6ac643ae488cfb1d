"""An operator between values of any two types, plain, optional and frozen: it gives a value, raises, or is refused."""

DECLARATIONS = """
trait T_:
    def number(self) -> int
class A_(T_):
    n: int = 1
    def number(self) -> int: return self.n
class Eq_:
    n: int = 1
    def __eq__(self, other: Eq_) -> bool: return self.n == other.n
    def __hash__(self) -> int: return self.n
    def __lt__(self, other: Eq_) -> bool: return self.n < other.n
    def __add__(self, other: Eq_) -> Eq_: return Eq_(self.n + other.n)
class B_(A_):
    s: str = "derived " * 5
struct S_(T_):
    xs: list<int>
    def number(self) -> int: return len(self.xs)
enum E_: Many(xs: list<int>); One(s: str?); Nothing
enum C_: Red; Green
"""

PLAIN = {
    "int": "3", "uint8": "4", "float": "1.5", "bool": "true", "str": "\"text \" * 5", "bytes": "b\"ab\"", "Duration": "5ms", "(int, str)": "(1, \"a\")", "C_": "C_.Red", "any": "[1]", "func<> -> int": "() -> 3",
}
CAN_BE_FROZEN = {
    "A_": "A_(2)", "Eq_": "Eq_(2)", "B_": "B_()", "S_": "S_([1])", "E_": "E_.Many([1, 2])", "list<int>": "[1, 2]", "list<A_>": "[A_()]", "dict<str, int>": "{\"a\": 1}", "dict<str, list<int>>": "{\"a\": [1]}",
    "set<int>": "{1, 2}", "(A_, list<int>)": "(A_(), [1])", "dyn T_": "A_(5)", "any": "[2]",
}
OPERATORS = ["x == y", "x != y", "x == y", "x < y", "x >= y", "x in y", "x in [y]", "x in (y, y)", "x + y", "x - y", "x // y", "x & y", "x ?? y", "x if n > 0 else y", "[x, y]", "(x, y)", "x and y", "not x or not y", "same(x, y)", "[x] == [y]",
             "(x, 1) == (y, 1)", "max(x, y)", "hash((x, y)) == hash((x, y))", "{x: y}", "{x, y}", "f\"{x}{y}\"", "y if x is null else x", "(x as any) == y", "x is not null and x == y", "[z for z in [x] if z == y]"]


def operand(s):
    """A type and a value of it."""
    if s.choose(True, True, False):
        type_, value = s.choose(*CAN_BE_FROZEN.items())
        if s.choose(True, False): type_, value = f"frozen {type_}", f"freeze({value})"
    else:
        type_, value = s.choose(*PLAIN.items())
    if s.choose(True, False, False):
        if type_.startswith("func"): type_ = f"({type_})"
        return type_ + "?", s.choose(value, value, "null")
    return type_, value


def make(s):
    s.declare(DECLARATIONS)
    first, x = operand(s)
    second, y = (first, x) if s.choose(True, False) else operand(s)
    parameters = s.choose("x: {0}, y: {1}", "x: {0}, y: {1}", "x, y: {1}", "x, y").format(first, second)
    s.declare(f"def pair_({parameters}, n: int):\n    print({s.number}, {s.choose(*OPERATORS)})")
    s.say(f"a: {first} = {x}\nb: {second} = {y}\nfor n in range(2):\n    try: pair_(a, b, n)\n    catch Error as e: print({s.number}, type(e))")
