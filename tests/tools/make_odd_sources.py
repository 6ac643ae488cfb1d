#!/usr/bin/env python3
"""Sources in every odd shape: make_odd_sources.py FOLDER FILE… writes FOLDER/SHAPE/0000.met … for each shape, and FOLDER/SHAPE has the same programs in another dress.

Shapes only change what the formatter decides: line ends, tabs, blank lines, comments, spaces, the last newline.
"""
import re
import sys
from pathlib import Path

TRIPLE = re.compile(r'"""|\'\'\'')


def is_plain(text):
    """Nothing in it continues over lines but brackets, so that lines can be dressed one by one."""
    return not TRIPLE.search(text) and "\\\n" not in text


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


def with_tabs(text):
    return "\n".join("\t" * (indent_of(line) // 4) + line[indent_of(line) // 4 * 4:] for line in text.split("\n"))


def with_comments(text):
    out = []
    for number, line in enumerate(text.split("\n")):
        if line.strip():
            out.append(" " * indent_of(line) + f"# before {number}")
            out.append(line + f"  # beside {number}" if "#" not in line else line)
        else:
            out.append(line)
    return "\n".join(out) + "\n# at the end"


def comments_at_the_margin(text):
    return "\n".join(f"#margin {number}\n{line}" if line.strip() else line for number, line in enumerate(text.split("\n")))


def blank_lines(text):
    return "\n\n\n" + text.replace("\n", "\n\n\n\n")


def trailing_spaces(text):
    return "\n".join(line + " \t " if line.strip() else "   " for line in text.split("\n"))


def wide_indent(text):
    return "\n".join(" " * (2 * indent_of(line)) + line.lstrip(" ") for line in text.split("\n"))


def wide_spaces(text):
    return "\n".join(re.sub(r"(?<=\S) (?=[=+*/(\[{])", "     ", line) if not re.search(r"[\"'#]", line) else line for line in text.split("\n"))


SHAPES = {
    "as_they_are": (lambda text: text, False),
    "crlf": (lambda text: text.replace("\n", "\r\n"), False),
    "cr": (lambda text: text.replace("\n", "\r"), False),
    "byte_order_mark": (lambda text: "\ufeff" + text, False),
    "no_final_newline": (lambda text: text.rstrip("\n"), False),
    "tabs": (with_tabs, True),
    "comments_everywhere": (with_comments, True),
    "comments_at_the_margin": (comments_at_the_margin, True),
    "blank_lines": (blank_lines, True),
    "trailing_spaces": (trailing_spaces, True),
    "wide_indent": (wide_indent, True),
    "wide_spaces": (wide_spaces, True),
}


def main():
    folder, *files = sys.argv[1:]
    for shape, (dress, by_line) in SHAPES.items():
        target = Path(folder, shape)
        target.mkdir(parents=True)
        for index, path in enumerate(files):
            text = Path(path).read_bytes().decode(errors="surrogateescape").replace("\r\n", "\n")
            if not by_line or is_plain(text):
                (target / f"{index:04}.met").write_bytes(dress(text).encode(errors="surrogateescape"))


if __name__ == "__main__":
    main()
