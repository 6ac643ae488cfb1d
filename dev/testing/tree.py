"""Checks on the tree itself: what includes what, what the documents name, what every diagnostic needs, what nobody should leave behind."""
import re

from . import operations

STAGES = ["base", "source", "diagnostics", "tokens", "ast", "format", "types", "typed", "mir", "llvm_ir", "object", "pipeline"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
PATH_IN_TEXT = re.compile(r"`([A-Za-z0-9_.-]+/[A-Za-z0-9_./-]*)`")


DIAGNOSTIC = re.compile(r'^DIAGNOSTIC\(\s*\w+\s*,\s*"([^"]+)"', re.M)
LEFT_BEHIND = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


def checks(root):
    return [
        ("tree/layers", lambda: check_layers(root)),
        ("tree/documented_paths", lambda: check_paths(root)),
        ("tree/diagnostics_have_tests", lambda: check_diagnostics(root)),
        ("tree/facts_are_listed", lambda: check_facts(root)),
        ("tree/operations_are_explored", lambda: operations.check(root)),
        ("tree/nothing_left_behind", lambda: check_left_behind(root)),
    ]


def diagnostic_names(root):
    return DIAGNOSTIC.findall((root / "compiler/diagnostics/diagnostics.def").read_text())


FACT = re.compile(r'^FACT\((\w+),', re.M)
FACT_ROW = re.compile(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", re.M)


def check_facts(root):
    """docs/internals/facts.md has a row for every kind of fact, in the order of facts.def."""
    known = FACT.findall((root / "compiler/mir/facts.def").read_text())
    rows = FACT_ROW.findall((root / "docs/internals/facts.md").read_text())
    problems = [f"docs/internals/facts.md says nothing in the row of {name}" for name, believed, asserted in rows if not believed.strip() or not asserted.strip()]
    if [row[0] for row in rows] != known:
        problems.append(f"docs/internals/facts.md lists {', '.join(row[0] for row in rows)}; compiler/mir/facts.def has {', '.join(known)}")
    return problems


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".h", ".cpp", ".def"))


def check_layers(root):
    problems = []
    for rank, stage in enumerate(STAGES):
        allowed = {f"compiler/{name}/" for name in STAGES[:rank + 1]} | {"runtime/abi/"}
        for path in sources(root / "compiler" / stage):
            is_test = path.name.endswith("_test.cpp")
            for include in INCLUDE.findall(path.read_text(errors="replace")):
                known = include.startswith(("compiler/", "runtime/", "tools/"))
                if known and not is_test and not include.startswith(tuple(allowed)):
                    problems.append(f"{path.relative_to(root)} includes {include}: a stage sees only those before it")
    for path in sources(root / "runtime"):
        for include in INCLUDE.findall(path.read_text(errors="replace")):
            if include.startswith(("compiler/", "tools/")):
                problems.append(f"{path.relative_to(root)} includes {include}: the runtime stands alone")
    return problems


def check_paths(root):
    problems = []
    for name in ("README.md", "README.zh.md", "ARCHITECTURE.md", "CONTRIBUTING.md"):
        document = root / name
        if not document.exists():
            problems.append(f"{name} is missing")
            continue
        for path in sorted(set(PATH_IN_TEXT.findall(document.read_text()))):
            if not path.startswith(("build/", "build-", ".")) and not (root / path).exists():
                problems.append(f"{name} names {path}, which is not in the tree")
    return problems


def check_diagnostics(root):
    """Every diagnostic is shown by a file in tests/ui."""
    names = diagnostic_names(root)
    shown = "".join(path.read_text(errors="replace") for path in (root / "tests/ui").rglob("*.met"))
    return [f"{name}: no file in tests/ui has a marker for it" for name in names if f"[{name}]" not in shown]


def check_left_behind(root):
    """No reminders in code."""
    problems = []
    for folder in ("compiler", "runtime", "tools", "std", "examples"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".def", ".met"):
                continue
            for number, line in enumerate(path.read_text(errors="replace").split("\n"), 1):
                if LEFT_BEHIND.search(line):
                    problems.append(f"{path.relative_to(root)}:{number}: {line.strip()}")
    return problems
