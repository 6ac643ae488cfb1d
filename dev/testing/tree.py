"""Checks on the tree itself: what includes what, what the documents name, what every diagnostic needs, what nobody should leave behind."""
import re

from . import operations

STAGES = ["base", "source", "diagnostics", "tokens", "ast", "format", "types", "typed", "mir", "llvm_ir", "object", "pipeline"]
# The runtime's rooms, from the ground up.
RUNTIME_LAYERS = [
    "abi", "os", "memory", "text", "system", "numbers", "json", "hash", "errors", "compress", "threads", "task", "trace", "queue", "reactor", "loop", "scope", "waker",
    "inspect", "executor", "channel", "isolate", "net", "fs", "process", "tls", "http", "db", "start",
]
SYSTEM = re.compile(r"^\s*#\s*include\s+<((?:sys|linux|netinet|arpa|net)/[^>]+|(?:unistd|fcntl|poll|signal|pthread|netdb|sched|spawn|execinfo|dirent|ftw|dlfcn|ucontext|link)\.h)>"
                    r"|\b(syscall|clock_gettime|nanosleep|pthread_\w+)\(", re.M)
DESCRIBED = ("compiler", "runtime", "std", "tools")
FOLDER_LINE = re.compile(r"^( +)([a-z0-9_ /]+/)  ", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
PATH_IN_TEXT = re.compile(r"`([A-Za-z0-9_.-]+/[A-Za-z0-9_./-]*)`")


DIAGNOSTIC = re.compile(r'^DIAGNOSTIC\(\s*\w+\s*,\s*"([^"]+)"', re.M)
LEFT_BEHIND = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


def checks(root):
    return [
        ("tree/layers", lambda: check_layers(root)),
        ("tree/system_calls", lambda: check_system_calls(root)),
        ("tree/flags", lambda: check_flags(root)),
        ("tree/unused_runtime_functions", lambda: check_unused(root)),
        ("tree/long_runtime_functions", lambda: check_lengths(root)),
        ("tree/documented_paths", lambda: check_paths(root)),
        ("tree/folders_are_described", lambda: check_folders(root)),
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
    return problems + check_runtime_layers(root)


def check_runtime_layers(root):
    problems = []
    ranks = {name: rank for rank, name in enumerate(RUNTIME_LAYERS)}
    for path in sources(root / "runtime"):
        room = path.relative_to(root).parts[1]
        if room not in ranks:
            problems.append(f"runtime/{room} is not among the runtime's layers")
            continue
        for include in INCLUDE.findall(path.read_text(errors="replace")):
            if include.startswith(("compiler/", "tools/")):
                problems.append(f"{path.relative_to(root)} includes {include}: the runtime stands alone")
            elif include.startswith("runtime/") and not path.name.endswith("_test.cpp") and ranks.get(include.split("/")[1], 0) > ranks[room]:
                problems.append(f"{path.relative_to(root)} includes {include}: a room sees only those below it")
    return problems


def check_system_calls(root):
    """Only runtime/os includes headers of the system or makes its calls."""
    problems = []
    for path in sources(root / "runtime"):
        name = str(path.relative_to(root))
        if name.startswith("runtime/os/") or name.endswith(("_test.cpp", "threads/interleavings.h")):
            continue
        for header, call in SYSTEM.findall(path.read_text(errors="replace")):
            problems.append(f"{name} has {header or call}: the system is asked by runtime/os")
    return problems


FLAG = re.compile(r"^  ((?:TASK|REGION|SCOPE)_\w+) = ", re.M)
FLAG_ROW = re.compile(r"^// \| ([A-Z_]+) +\| (.*?) \| (.*?) \| (.*?) \|$", re.M)
FLAG_BITS = re.compile(r"\bflags\s*(?:[|&^]=|=(?!=))\s*[^;]*\b(?:TASK|REGION|SCOPE)_[A-Z]")


def check_flags(root):
    """The tables of flags have one full row for every flag, and nobody else writes the bits."""
    problems = []
    for name, prefix in (("runtime/task/flags.h", "TASK_"), ("runtime/task/scope_flags.h", "")):
        text = (root / name).read_text()
        flags = sorted(flag.removeprefix(prefix) for flag in FLAG.findall(text))
        rows = FLAG_ROW.findall(text)
        problems += [f"{name}: the row of {flag} has an empty cell" for flag, *cells in rows if not all(cell.strip() for cell in cells)]
        if flags != sorted(flag for flag, *_ in rows):
            problems.append(f"{name}: the table has {', '.join(sorted(flag for flag, *_ in rows))}; the flags are {', '.join(flags)}")
    written = [*sources(root / "runtime"), *sorted((root / "std/core").glob("*.met"))]
    problems += [f"{path.relative_to(root)} writes flags itself: {found.strip()}" for path in written for found in FLAG_BITS.findall(path.read_text(errors="replace"))]
    return problems


COMMENT_OR_TEXT = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'')
NATIVE_NAME = re.compile(r"\bmet_\w+")
DECLARED = re.compile(r"^(?!return\b)\w[\w:<>*&\s]*?[\s*](met_\w+)\(", re.M)   # its own line names no use
FOR_UNIT_TESTS = {"met_leak_reset", "met_live_objects", "met_live_raw_bytes", "met_str_make"}


def without_comments_and_texts(path):
    return COMMENT_OR_TEXT.sub(lambda found: "" if found[0].startswith("//") else '""', path.read_text(errors="replace"))


def check_unused(root):
    """Every met_ function of the runtime is called by std, by emitted code, or by the runtime itself."""
    used = set()
    for folder in ("std", "compiler", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".met", ".cpp", ".h", ".def"):
                used |= set(NATIVE_NAME.findall(path.read_text(errors="replace")))
    used |= set(NATIVE_NAME.findall((root / "runtime/abi/runtime_functions.def").read_text()))
    declared = {}
    for path in sources(root / "runtime"):
        if not path.name.endswith("_test.cpp") and path.suffix != ".def":
            text = without_comments_and_texts(path)
            for found in DECLARED.finditer(text):
                declared.setdefault(found[1], path.relative_to(root))
            used |= set(NATIVE_NAME.findall(DECLARED.sub("", text)))
    return [f"{path}: nobody calls {name}" for name, path in sorted(declared.items()) if name not in used | FOR_UNIT_TESTS]


MOST_LINES_OF_FILE, MOST_LINES_OF_FUNCTION = 500, 60
HOLDER = re.compile(r"\b(namespace|struct|class|union|enum|extern)\b[^()]*$")


def long_functions(text):
    """(the line it begins in, how many lines it has) of functions that are too long."""
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda found: "\n" * found[0].count("\n"), text, flags=re.M)   # directives
    at, header, line, holders = [], "", 1, []
    for char in text:
        if char == "{":
            is_function = all(holder == "holder" for holder in holders) and ")" in header
            holders.append("function" if is_function else "holder" if HOLDER.search(header.strip()) else "block")
            at.append(line - header.lstrip().count("\n"))
        elif char == "}" and holders:
            kind, first = holders.pop(), at.pop()
            if kind == "function" and line - first + 1 > MOST_LINES_OF_FUNCTION:
                yield first, line - first + 1
        header = "" if char in "{};" else header + char
        line += char == "\n"


def check_lengths(root):
    """A file or a function of the runtime that is longer says why: in a comment `Long: …` at the top of the file."""
    problems = []
    for path in sources(root / "runtime"):
        name, text = path.relative_to(root), path.read_text(errors="replace")
        if path.suffix == ".def" or re.search(r"^// Long: \S", text, re.M):
            continue
        if text.count("\n") > MOST_LINES_OF_FILE:
            problems.append(f"{name} has {text.count(chr(10))} lines")
        problems += [f"{name}:{line}: a function of {count} lines" for line, count in long_functions(without_comments_and_texts(path))]
    return problems


def is_there(root, path):
    """The path, or the files of that stem."""
    return (root / path).exists() or any((root / path).parent.glob((root / path).name + ".*"))


def check_paths(root):
    problems = []
    internals = sorted(str(path.relative_to(root)) for folder in ("internals", "decisions") for path in (root / "docs" / folder).glob("*.md"))
    for name in ["README.md", "README.zh.md", "ARCHITECTURE.md", "CONTRIBUTING.md", *internals]:
        document = root / name
        if not document.exists():
            problems.append(f"{name} is missing")
            continue
        for path in sorted(set(PATH_IN_TEXT.findall(document.read_text()))):
            if name in internals and not (root / path.split("/")[0]).is_dir():
                continue   # the name of a test, or a path from the folder that the page is about
            if not path.startswith(("build/", "build-", ".")) and not is_there(root, path):
                problems.append(f"{name} names {path}, which is not in the tree")
    return problems


def check_folders(root):
    """ARCHITECTURE.md has a line for every folder of compiler/, runtime/, std/ and tools/, and for none that is not there."""
    named, at = {name: set() for name in DESCRIBED}, None
    for indent, names in FOLDER_LINE.findall((root / "ARCHITECTURE.md").read_text()):
        if len(indent) == 4:
            at = names.rstrip("/")
        elif at in named:
            named[at] |= {name.rstrip("/") for name in names.split()}
    problems = []
    for parent, names in named.items():
        there = {path.name for path in (root / parent).iterdir() if path.is_dir() and any(child.is_file() for child in path.rglob("*")) and not path.name.startswith((".", "__"))}
        problems += [f"ARCHITECTURE.md says nothing of {parent}/{name}" for name in sorted(there - names)]
        problems += [f"ARCHITECTURE.md names {parent}/{name}, which is not in the tree" for name in sorted(names - there)]
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
