#!/usr/bin/env python3
"""Writes unicode_ranges.inc: which code points from 0x80 may start or continue an identifier."""
import unicodedata

START = {"Lu", "Ll", "Lt", "Lm", "Lo", "Nl"}
CONTINUE = START | {"Mn", "Mc", "Nd", "Pc"}


def ranges(categories):
    first = None
    for c in range(0x80, 0x110001):
        inside = c < 0x110000 and unicodedata.category(chr(c)) in categories
        if inside and first is None:
            first = c
        elif not inside and first is not None:
            yield first, c - 1
            first = None


def table(name, categories):
    cells = [f"{{0x{a:X}, 0x{b:X}}}," for a, b in ranges(categories)]
    lines = [" ".join(cells[i:i + 7]) for i in range(0, len(cells), 7)]
    return f"constexpr Range {name}[] = {{\n  " + "\n  ".join(lines) + "\n};\n"


with open(__file__.replace("make_unicode_ranges.py", "unicode_ranges.inc"), "w") as out:
    out.write(f"// Made by make_unicode_ranges.py from Unicode {unicodedata.unidata_version}. Do not edit.\n")
    out.write(table("IDENT_START", START) + table("IDENT_CONTINUE", CONTINUE))
