"""Checks on the tree itself: folders include only what lies to their left, and the documents name only paths that exist."""
import re

STAGES = ["base", "source", "diagnostics", "tokens", "ast", "types", "typed", "mir", "llvm_ir", "object", "pipeline"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
PATH_IN_TEXT = re.compile(r"`([A-Za-z0-9_.-]+/[A-Za-z0-9_./-]*)`")


def checks(root):
    return [("tree/layers", lambda: check_layers(root)), ("tree/documented_paths", lambda: check_paths(root))]


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
