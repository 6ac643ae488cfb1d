"""Compares tests/coincidences/operations.def with std: every public operation that can wait is explored, made of others, or marked as not explored."""
import re

ENTRY = re.compile(r'^(EXPLORED|MADE_OF|NOT_YET)\((\S+), ([^")]*?)(?:,? ?"([^"]*)")?\)$')
TYPE = re.compile(r"(pub )?(?:class|struct|trait|enum) (\w+)")
IMPL = re.compile(r"impl\b.* for (\w+)")
FUNCTION = re.compile(r"(pub )?(async )?def (\w+)")
METHOD = re.compile(r"    async def (\w+)")
ENTERING = ("__aenter__", "__aexit__")


def is_public(name):
    return not name.startswith("_") or name in ENTERING


def module_of(path):
    folder = path.parent.name
    return "" if folder == "core" else path.stem if folder == "std" else folder


def operations_of(path):
    """The names of what can wait in this file: `Channel.recv`, `fs.read`, `sleep`."""
    owner = None   # the public type whose methods these are
    for line in path.read_text().split("\n"):
        if found := TYPE.match(line):
            owner = found.group(2) if found.group(1) and is_public(found.group(2)) else None
        elif found := IMPL.match(line):
            owner = found.group(1) if is_public(found.group(1)) else None
        elif found := FUNCTION.match(line):
            owner = None
            if found.group(1) and found.group(2) and is_public(found.group(3)):
                yield ".".join(filter(None, [module_of(path), found.group(3)]))
        elif owner and (found := METHOD.match(line)) and is_public(found.group(1)):
            yield f"{owner}.{found.group(1)}"


def read_entries(root):
    """(kind, operation, program or operation it is made of, text) for each line of operations.def."""
    for line in (root / "tests/coincidences/operations.def").read_text().split("\n"):
        if line and not line.startswith("//"):
            found = ENTRY.match(line)
            yield found.groups() if found else ("wrong", line, "", "")


def check(root):
    known = {name for path in (root / "std").rglob("*.met") if not path.name.endswith("_test.met") for name in operations_of(path)}
    problems, listed = [], set()
    entries = list(read_entries(root))
    for kind, name, of, text in entries:
        if kind == "wrong":
            problems.append(f"operations.def: this line can't be read: {name}")
            continue
        if name in listed:
            problems.append(f"operations.def: {name} is there twice")
        listed.add(name)
        program = root / "tests/coincidences" / f"{of}.met"
        if kind == "EXPLORED" and (not program.exists() or f'"{text}"' not in program.read_text()):
            problems.append(f"operations.def: {name} is said to be explored as \"{text}\" in {of}.met, which has no such row")
        if kind == "NOT_YET" and not text:
            problems.append(f"operations.def: {name} does not say why it is not explored")
    problems += [f"operations.def: {name} is made of {of}, which is not in the list" for kind, name, of, _ in entries if kind == "MADE_OF" and of not in listed]
    problems += [f"std has {name}, which can wait; tests/coincidences/operations.def says nothing of it" for name in sorted(known - listed)]
    problems += [f"operations.def: std has no {name}" for name in sorted(listed - known)]
    return problems
