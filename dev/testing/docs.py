"""The code blocks of docs/: every ```meteor block is run or shows the error it names.

`# error: name` on the first line of a block means that `meteor check` reports errors of that name and no others, `# warning: name` the same for a warning;
any other block is a program that runs, with the expectations that tests/README.md allows in it.
"""
import json
import re

from . import kinds, tree
from .case_file import BadCase, read_case
from .process import run
from .report import Result, excerpt

BLOCK = re.compile(r"^```meteor\n(.*?)^```$", re.M | re.S)
MARK = re.compile(r"# (error|warning): ([a-z0-9-]+)\n")


# A page can't hold bytes that are not UTF-8, and nobody would read a thousand levels.
UNSHOWN = {"invalid-utf8", "nesting-too-deep"}


def find_blocks(root):
    """(name of the test, document, number of the line before the block, text) for every block."""
    for document in sorted((root / "docs").rglob("*.md")):
        text = document.read_text()
        stem = document.relative_to(root).with_suffix("").as_posix()
        for number, found in enumerate(BLOCK.finditer(text), 1):
            yield f"{stem}/{number}", document, text.count("\n", 0, found.start()) + 1, found.group(1)


def run_block(setting, name, document, line, text):
    mark = MARK.match(text)
    with kinds.TemporaryFolder() as folder:
        path = folder / "block.met"
        path.write_text(text)
        if mark:
            result = check_block(setting, name, path, mark.group(1), mark.group(2))
        else:
            result = kinds.run_program(setting, name, path, ["-O0"], any_output="# expect:" not in text and "# output:" not in text)
    if result.problems:
        result.problems.insert(0, f"{document}:{line}")
    return result


def check_block(setting, name, path, severity, wanted):
    result = Result(name)
    try:
        case = read_case(path)
    except BadCase as error:
        result.problems.append(str(error))
        return result
    program = case.write_parts(path.parent) if case.is_split else path
    outcome = run([setting.meteor, "check", "--json", program.name], path.parent, setting.env(), setting.timeout)
    found = {json.loads(line)["name"] for line in outcome.stdout.split("\n") if line.startswith("{")}
    if found != {wanted}:
        result.problems.append(f"expected {severity}[{wanted}] and nothing else, found {', '.join(sorted(found)) or 'nothing'}")
        result.problems.append(excerpt("stderr", outcome.stderr))
    if outcome.exit_code != (2 if severity == "error" else 0):
        result.problems.append(f"exit code {outcome.exit_code}")
    return result


def check_error_pages(root):
    """Every diagnostic has a page with a program that shows it and one without the mistake."""
    problems = []
    names = tree.diagnostic_names(root)
    for name in names:
        page = root / "docs" / "errors" / f"{name}.md"
        if not page.exists():
            problems.append(f"docs/errors/{name}.md does not exist")
            continue
        text = page.read_text()
        blocks = BLOCK.findall(text)
        shown = [mark.group(2) for block in blocks if (mark := MARK.match(block))]
        if not text.startswith(f"# {name}\n"):
            problems.append(f"docs/errors/{name}.md: the first line must be '# {name}'")
        if name in UNSHOWN:
            continue
        if name not in shown:
            problems.append(f"docs/errors/{name}.md: no block shows the mistake ('# error: {name}' on its first line)")
        if len(blocks) == len(shown):
            problems.append(f"docs/errors/{name}.md: no block shows what to write instead")
    for page in sorted((root / "docs" / "errors").glob("*.md")):
        if page.stem not in names:
            problems.append(f"docs/errors/{page.name}: there is no such diagnostic")
    return problems
