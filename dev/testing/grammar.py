"""Keeps docs/reference/grammar.md in step with the parser: sentences made from its rules must parse, and no keyword or symbol may be missing.

Invariant: the same sentences every time; the seed is fixed.
"""
import random
import re

from .kinds import TemporaryFolder
from .process import run
from .report import Result, excerpt

TOKEN = re.compile(r"\(\*.*?\*\)|'[^']+'|[A-Za-z_]+|[=|;{}\[\]()]", re.S)
WORDS = {"NAME": ["a", "b", "value", "größe", "x1", "Point"], "INT": ["0", "42", "0xff", "1_000"], "FLOAT": ["1.5", "2e-3"], "DURATION": ["20ms", "3min"],
         "STRING": ['"s"', "'t'", 'r"raw"', '"""long"""'], "BYTES": ['b"x"'], "FSTRING": ['f"{a:>3} b"', "f'{b}'"]}
# Symbols and words that the lexer knows for the sake of its messages, or that only the parser's context makes keywords.
UNWRITTEN = {"&&", "||"}
SENTENCES = 400
DEEPEST = 14


def read_rules(text):
    source = re.search(r"```ebnf\n(.*?)```", text, re.S).group(1)
    tokens = [token for token in TOKEN.findall(source) if not token.startswith("(*")]
    rules, at = {}, 0
    while at < len(tokens):
        name = tokens[at]
        assert tokens[at + 1] == "=", f"'=' expected after {name}"
        rule, at = read_choice(tokens, at + 2)
        assert tokens[at] == ";", f"';' expected at the end of {name}, found {tokens[at]}"
        rules[name] = rule
        at += 1
    return rules


def read_choice(tokens, at):
    options = []
    while True:
        items = []
        while tokens[at] not in ("|", ";", "}", "]", ")"):
            if tokens[at] in "{[(":
                kind = {"{": "many", "[": "maybe", "(": "group"}[tokens[at]]
                inner, at = read_choice(tokens, at + 1)
                items.append((kind, inner))
            elif tokens[at].startswith("'"):
                items.append(("text", tokens[at][1:-1]))
            else:
                items.append(("rule", tokens[at]))
            at += 1
        options.append(items)
        if tokens[at] != "|":
            return options, at
        at += 1


def find_shortest(rules):
    """How deep the least sentence of each rule is, so that making one ends."""
    depth = {}

    def of_item(item):
        kind, value = item
        if kind == "rule":
            return 0 if value.isupper() else depth.get(value, 99) + 1
        return min(max((of_item(i) for i in option), default=0) for option in value) if kind == "group" else 0

    for _ in range(40):
        for name, rule in rules.items():
            depth[name] = min(max((of_item(item) for item in option), default=0) for option in rule)
    return depth, of_item


class Maker:
    def __init__(self, rules, seed):
        self.rules, self.pick = rules, random.Random(seed)
        self.least, self.least_of = find_shortest(rules)

    def make(self, name, left=DEEPEST):
        out = []
        self.choice(self.rules[name], left, out, name)
        return out

    def choice(self, options, left, out, rule):
        if left <= 0:
            cost = [max((self.least_of(item) for item in option), default=0) for option in options]
            options = [option for option, c in zip(options, cost) if c == min(cost)]
        for kind, value in self.pick.choice(options):
            if kind == "text":
                # Type arguments have no space before their bracket.
                out.append("\0<" if value == "<" and rule in ("type_args", "type_params", "function_type") else value)
            elif kind == "rule" and value.isupper():
                out.append(self.pick.choice(WORDS[value]) if value in WORDS else value)
            elif kind == "rule":
                self.choice(self.rules[value], left - 1, out, value)
            elif kind == "group":
                self.choice(value, left, out, rule)
            elif left > 0 and self.pick.random() < (0.5 if kind == "maybe" else 0.35):
                self.choice(value, left - 1, out, rule)


def write_text(tokens):
    lines, line, indent = [], "", 0
    for token in tokens:
        if token == "NEWLINE":
            if line:
                lines.append("    " * indent + line)
            line = ""
        elif token == "INDENT":
            indent += 1
        elif token == "DEDENT":
            indent -= 1
        elif token.startswith("\0"):
            line += token[1:]
        else:
            line += (" " if line else "") + token
    return "\n".join(lines) + "\n"


def check(setting, name):
    result = Result(name)
    try:
        rules = read_rules((setting.root / "docs/reference/grammar.md").read_text())
    except (AssertionError, AttributeError, IndexError) as error:
        result.problems.append(f"docs/reference/grammar.md can't be read: {error}")
        return result
    result.problems += find_unknown(rules) + find_missing(setting.root, rules)
    if result.problems:
        return result
    made = [write_text(Maker(rules, seed).make("statement")) for seed in range(SENTENCES)]
    with TemporaryFolder() as folder:
        for seed, text in enumerate(made):
            (folder / f"sentence_{seed:03}.met").write_text(text)
        outcome = run([setting.meteor, "fmt", "--check", "."], folder, setting.env(), setting.timeout)
    broken = sorted(set(re.findall(r"--> (sentence_\d+\.met)", outcome.stderr)))
    if outcome.exit_code not in (0, 1):
        result.problems.append(f"{len(broken)} of {SENTENCES} sentences of the grammar do not parse: {' '.join(broken[:10])}")
        for file in broken[:3]:
            result.problems.append(excerpt(file, made[int(file[9:12])]))
        result.problems.append(excerpt("stderr", outcome.stderr))
    return result


def walk(options):
    for option in options:
        for kind, value in option:
            yield kind, value
            if kind not in ("text", "rule"):
                yield from walk(value)


def find_unknown(rules):
    used = {value for rule in rules.values() for kind, value in walk(rule) if kind == "rule"}
    known = set(rules) | set(WORDS) | {"NEWLINE", "INDENT", "DEDENT"}
    problems = [f"the grammar has no rule {name}" for name in sorted(used - known)]
    return problems + [f"no rule uses {name}" for name in sorted(set(rules) - used - {"module"})]


def find_missing(root, rules):
    written = {value for rule in rules.values() for kind, value in walk(rule) if kind == "text"}
    tokens = re.findall(r'^(?:KEYWORD|SYMBOL)\(\w+, "(.*)"\)', (root / "compiler/tokens/tokens.def").read_text(), re.M)
    return [f"`{token}` of compiler/tokens/tokens.def is not in the grammar" for token in (t.replace("\\", "") for t in tokens) if token not in written | UNWRITTEN]
