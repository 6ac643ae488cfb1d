"""One scenario: declarations that nothing else uses, and the body of a function that prints what it finds.

A name in a scenario's text that ends in `_` gets the scenario's number, so that many scenarios stand in one program. What the generator knows it lets the
program check: a line with WRONG in it is a find.
"""
import re


class Scenario:
    def __init__(self, pick, number, family):
        self.pick, self.number, self.family = pick, number, family
        self.top, self.body = [], []
        self.is_async = False
        self.must_compile = False   # a refusal is a find too

    def declare(self, text):
        self.top += text.strip("\n").split("\n")

    def say(self, text, depth=0):
        self.body += ["    " * depth + line for line in text.strip("\n").split("\n")]

    def choose(self, *options):
        return self.pick.choice(options)

    def chance(self, share):
        return self.pick.random() < share

    def lines(self):
        word = "async def" if self.is_async else "def"
        text = "\n".join([*used(self.top, self.body), "", f"{word} scenario_():", *("    " + line for line in self.body or ["pass"]), ""])
        return number_names(text, self.number).split("\n")

    def call(self):
        wait = "await " if self.is_async else ""
        return [f"    try: {wait}scenario_{self.number}()", f"    catch Error as e: print({self.number}, \"raised\", e.message)"]


WORD = re.compile(r"\w+")
DECLARED = re.compile(r"(?:async )?(?:def|class|struct|enum|trait|const) (\w+)|impl (\w+).* for (\w+)|(\w+_)(?::.*?)? = ")


def used(top, body):
    """The declarations that the body needs: one that is not reached is not tried."""
    blocks = []
    for line in top:
        if line[:1].isspace() and blocks: blocks[-1].append(line)
        else: blocks.append([line])
    names = [[name for name in DECLARED.match(block[0]).groups() if name] if DECLARED.match(block[0]) else [] for block in blocks]
    words, kept = set(WORD.findall("\n".join(body))), set()
    for again in range(len(blocks)):
        before = len(kept)
        for i, block in enumerate(blocks):
            if i not in kept and all(name in words or not name.endswith("_") for name in names[i]):
                kept.add(i)
                words.update(WORD.findall("\n".join(block)))
        if len(kept) == before: break
    return [line for i, block in enumerate(blocks) if i in kept for line in block]


def number_names(text, number):
    out, at = [], 0
    while at < len(text):
        if text[at].isalpha() or text[at] == "_":
            end = at
            while end < len(text) and (text[end].isalnum() or text[end] == "_"):
                end += 1
            word = text[at:end]
            is_ours = word.endswith("_") and not word.startswith("_") and len(word) > 1
            out.append(word + str(number) if is_ours else word)
            at = end
        else:
            out.append(text[at])
            at += 1
    return "".join(out)
