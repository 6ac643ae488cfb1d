"""Reads a test program: its text and the expectations written in its comments.

The notation is documented for people in tests/README.md; this file is its only implementation.
"""
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

EXPECT = re.compile(r"#\s?expect:(?: (.*))?$")
DIRECTIVE = re.compile(r"^\s*#\s?(exit|expect-stderr|args|stdin|env|flags|dump|timeout|seeds|faults|reactor|server):(?: (.*))?$")
PART = re.compile(r"^# --- file: (\S+)\s*$")
MARKER = re.compile(r"#~(\^*)\s*(error|warning)\[([a-z0-9-]+)\](?::\s*(.*?))?\s*(?=#~|$)")


class BadCase(Exception):
    """The test file itself is wrong."""


@dataclass
class Marker:
    """`#~ error[name]: text`: a diagnostic that must be reported at this file and line."""
    file: str
    line: int
    severity: str
    name: str
    text: str


@dataclass
class CaseFile:
    path: Path
    parts: dict[str, str] = field(default_factory=dict)   # module file name -> text; the first is what gets run
    stdout: list[str] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    exit_code: int = 0
    args: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    stdin: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    dumps: list[str] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    timeout: int | None = None
    seeds: int = 0
    faults: int = 0
    faults_are_hard: bool = False
    reactors: list[str] = field(default_factory=list)   # which to run it on, one after the other; empty: the one there is
    server: str = ""
    has_output_block: bool = False

    @property
    def is_split(self):
        return len(self.parts) > 1

    def write_parts(self, folder: Path) -> Path:
        """Writes the modules of a split test; gives the path of the main one."""
        for name, text in self.parts.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, newline="")
        return folder / next(iter(self.parts))


def uncomment(line):
    return line[2:] if line.startswith("# ") else line[1:]


def take_block(lines):
    """Removes a final `# output:` block; gives its lines, or None."""
    for index, line in enumerate(lines):
        if line.rstrip() != "# output:":
            continue
        rest = lines[index + 1:]
        while rest and not rest[-1].strip():
            rest.pop()
        if any(not text.startswith("#") for text in rest):
            raise BadCase(f"line {index + 1}: after '# output:' only comment lines may follow")
        del lines[index:]
        return [uncomment(text) for text in rest]
    return None


def take_trailing_comments(lines):
    """Removes the comment lines after the last line of code (what an example prints); gives them, or None."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    start = end
    while start and lines[start - 1].startswith("#"):
        start -= 1
    if start == end or start == 0:
        return None
    block = [uncomment(text) for text in lines[start:end]]
    del lines[start:]
    return block


def split_parts(path, text):
    parts, name, current = {}, None, []
    for line in text.splitlines(keepends=True):
        header = PART.match(line)
        if not header:
            current.append(line)
            continue
        if name is None:
            name = "main.met"
        parts[name] = "".join(current)
        name, current = header.group(1), []
        if name in parts or name.startswith("/") or ".." in name.split("/"):
            raise BadCase(f"'# --- file: {name}' must name a new file inside the test's folder")
    parts[name or path.name] = "".join(current)
    return parts


def read_case(path: Path, trailing_output=False) -> CaseFile:
    case = CaseFile(path)
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    block = take_block(lines)
    if block is None and trailing_output:
        block = take_trailing_comments(lines)
    if block is not None:
        case.stdout, case.has_output_block = block, True

    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r")
        if found := DIRECTIVE.match(line):
            apply_directive(case, found.group(1), found.group(2) or "", number)
        elif found := EXPECT.search(line):
            if block is not None:
                raise BadCase(f"line {number}: use either '# expect:' lines or one final block, not both")
            case.stdout.append(found.group(1) or "")

    case.parts = split_parts(path, text)
    for name, part in case.parts.items():
        for number, line in enumerate(part.split("\n"), 1):
            for found in MARKER.finditer(line.rstrip("\r")):
                case.markers.append(Marker(name, number - len(found.group(1)), found.group(2), found.group(3), found.group(4) or ""))
    return case


def apply_directive(case, key, value, number):
    try:
        match key:
            case "exit": case.exit_code = int(value)
            case "expect-stderr": case.stderr.append(value)
            case "args": case.args += shlex.split(value)
            case "flags": case.flags += shlex.split(value)
            case "stdin": case.stdin.append(value)
            case "env":
                name, _, content = value.partition("=")
                case.env[name] = content
            case "dump": case.dumps.append(value)
            case "timeout": case.timeout = int(value)
            case "seeds": case.seeds = int(value)
            case "faults":
                count, *hard = value.split()
                if hard not in ([], ["hard"]):
                    raise ValueError("a number, and perhaps 'hard'")
                case.faults = int(count)
                case.faults_are_hard = bool(hard)
            case "reactor": case.reactors += value.split()
            case "server":
                if value != "postgres":
                    raise ValueError("there is only postgres")
                case.server = value
    except ValueError as error:
        raise BadCase(f"line {number}: '# {key}: {value}': {error}") from None
