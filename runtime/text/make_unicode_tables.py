#!/usr/bin/env python3
"""Writes unicode_tables.def: what Python's str methods know and the general category of a scalar does not say."""
import sys
import unicodedata

EVERY = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def ranges(chars):
    found = []
    for c in map(ord, chars):
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return found


def category(c):
    return unicodedata.category(c)


def print_ranges(name, meaning, chars):
    print(f"// {meaning}")
    for first, last in ranges(chars):
        print(f"{name}(0x{first:04x}, 0x{last:04x})")


def print_mappings(name, meaning, mapping):
    print(f"// {meaning}")
    for c in EVERY:
        to = [ord(x) for x in mapping(c)]
        if len(to) > 1:
            print(f"{name}(0x{ord(c):04x}, {', '.join(f'0x{x:04x}' for x in to + [0] * (3 - len(to)))})")


print(f"// Written by make_unicode_tables.py from Unicode {unicodedata.unidata_version}. X(first, last) or X(scalar, its mapping).")
print_ranges("DIGIT_RANGE", "isdigit, though not category Nd", [c for c in EVERY if c.isdigit() and category(c) != "Nd"])
print_ranges("NUMERIC_RANGE", "isnumeric, though not a category N", [c for c in EVERY if c.isnumeric() and category(c)[0] != "N"])
print_ranges("LOWER_RANGE", "lower case, though not category Ll", [c for c in EVERY if c.islower() and category(c) != "Ll"])
print_ranges("UPPER_RANGE", "upper case, though not category Lu", [c for c in EVERY if c.isupper() and category(c) != "Lu"])
start = {"Lu", "Ll", "Lt", "Lm", "Lo", "Nl"}
more = start | {"Mn", "Mc", "Nd", "Pc"}
print_ranges("ID_START_RANGE", "begins an identifier, though not category L or Nl", [c for c in EVERY if c.isidentifier() and category(c) not in start])
print_ranges("ID_START_EXCEPTION", "category L or Nl, though it does not", [c for c in EVERY if not c.isidentifier() and category(c) in start])
print_ranges("ID_MORE_RANGE", "continues an identifier, though not category L, Nl, Mn, Mc, Nd, Pc",
             [c for c in EVERY if ("a" + c).isidentifier() and category(c) not in more])
print_ranges("ID_MORE_EXCEPTION", "one of these, though it does not", [c for c in EVERY if not ("a" + c).isidentifier() and category(c) in more])
ignorable = {"Mn", "Me", "Cf", "Lm", "Sk"}
print_ranges("CASE_IGNORABLE_RANGE", "ignored when looking for the end of a word (final sigma), though not category Mn, Me, Cf, Lm, Sk",
             [c for c in EVERY if ("A" + c + "Σ").lower()[-1] == "ς" and ("A " + c + "Σ").lower()[-1] == "σ" and category(c) not in ignorable])
print_mappings("UPPER_SEQUENCE", "upper case of several scalars", str.upper)
print_mappings("TITLE_SEQUENCE", "title case of several scalars", str.title)
nonsense = [c for c in EVERY if category(c) in ("Nl", "No") and not c.isnumeric()]
if nonsense:
    sys.exit(f"category N without a value: {nonsense}")
