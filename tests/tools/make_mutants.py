#!/usr/bin/env python3
"""One small mistake each in programs that compile: make_mutants.py SEED COUNT FOLDER FILE… writes FOLDER/0000.met …, whose first line says what was done.

The mistakes are those of typing: a word misspelt, a character or line lost or doubled, a bracket, quote, colon or operator gone, a line moved in or out.
"""
import random
import re
import sys
from pathlib import Path

WORD = re.compile(r"\b[A-Za-z_]\w+\b")


def misspell(rng, line):
    found = list(WORD.finditer(line))
    if not found:
        return None
    match = rng.choice(found)
    word = match.group()
    at = rng.randrange(len(word))
    changed = rng.choice([word[:at] + word[at + 1:], word[:at] + word[at] + word[at:], word + "z", word[:at] + "q" + word[at + 1:]])
    return line[:match.start()] + changed + line[match.end():]


def lose_character(rng, line):
    places = [at for at, character in enumerate(line) if character in "()[]{}:,.\"'=<>+-*"]
    if not places:
        return None
    at = rng.choice(places)
    return line[:at] + line[at + 1:]


def double_character(rng, line):
    places = [at for at, character in enumerate(line) if character in "()[]{}:,.\"'="]
    if not places:
        return None
    at = rng.choice(places)
    return line[:at] + line[at] + line[at:]


def lose_word(rng, line):
    found = list(WORD.finditer(line))
    if not found:
        return None
    match = rng.choice(found)
    return line[:match.start()] + line[match.end():].lstrip(" ") if match.start() else line[match.end():].lstrip(" ")


def other_literal(rng, line):
    found = list(re.finditer(r"\b\d+\b|\"[^\"{]*\"", line))
    if not found:
        return None
    match = rng.choice(found)
    return line[:match.start()] + ("null" if rng.random() < 0.3 else '"text"' if match.group()[0].isdigit() else "7") + line[match.end():]


def move_line(rng, line):
    return rng.choice(["    " + line, "  " + line, line[4:] if line.startswith("    ") else " " + line])


LINE_CHANGES = [misspell, misspell, lose_character, lose_character, double_character, lose_word, other_literal, move_line]


def mutate(rng, text):
    lines = text.split("\n")
    code = [at for at, line in enumerate(lines) if line.strip() and not line.strip().startswith("#")]
    while True:
        at = rng.choice(code)
        old = lines[at]
        kind = rng.randrange(len(LINE_CHANGES) + 2)
        if kind == len(LINE_CHANGES):
            return f"lost line {at + 2}: {old.strip()}", lines[:at] + lines[at + 1:]
        if kind == len(LINE_CHANGES) + 1:
            return f"doubled line {at + 2}: {old.strip()}", lines[:at] + [old] + lines[at:]
        new = LINE_CHANGES[kind](rng, old)
        if new is not None and new != old:
            return f"{LINE_CHANGES[kind].__name__} in line {at + 2}: {old.strip()}", lines[:at] + [new] + lines[at + 1:]


def main():
    seed, count, folder, *files = sys.argv[1:]
    rng = random.Random(int(seed))
    sources = [text for path in files if "# --- file:" not in (text := Path(path).read_text()) and 60 < len(text) < 12_000]
    for index in range(int(count)):
        what, lines = mutate(rng, rng.choice(sources))
        Path(folder, f"{index:04}.met").write_text("\n".join([f"# {what}", *lines]))


if __name__ == "__main__":
    main()
