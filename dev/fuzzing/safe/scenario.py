"""One scenario: declarations that nothing else uses, and the body of a function that prints what it finds.

A name in a scenario's text that ends in `_` gets the scenario's number, so that many scenarios stand in one program. What the generator knows it lets the
program check: a line with WRONG in it is a find.
"""


class Scenario:
    def __init__(self, pick, number, family):
        self.pick, self.number, self.family = pick, number, family
        self.top, self.body = [], []
        self.is_async = False

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
        text = "\n".join([*self.top, "", f"{word} scenario_():", *("    " + line for line in self.body or ["pass"]), ""])
        return number_names(text, self.number).split("\n")

    def call(self):
        wait = "await " if self.is_async else ""
        return [f"    try: {wait}scenario_{self.number}()", f"    catch Error as e: print({self.number}, \"raised\", e.message)"]


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
