"""The kinds of tests: what each runs and what it compares. Every function turns one test into a Result.

Invariant: a test runs in a temporary folder or only reads its own, so tests can run side by side.
"""
import json
import os
import shutil
import tempfile
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from .case_file import BadCase, read_case
from .postgres import NoServer, Server
from .process import run
from .report import Result, diff, excerpt


@dataclass
class Setting:
    """What all tests of one invocation share."""
    root: Path
    build: Path
    cache: Path
    timeout: int      # seconds for a test that asks for no others
    patience: int     # how much slower than usual the build under test may be
    bless: bool
    run_flags: list[str]
    postgres: Server = field(default_factory=Server)

    @property
    def meteor(self):
        return self.build / "bin" / "meteor"

    def limit(self, asked):
        return asked * self.patience if asked else self.timeout

    def env(self, extra=None):
        env = {key: value for key, value in os.environ.items() if not key.startswith("METEOR_")}
        env |= {"METEOR": str(self.meteor), "METEOR_CACHE_DIR": str(self.cache), "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
                "METEOR_ROOT": str(self.root), "METEOR_BUILD": str(self.build),
                "METEOR_BLOCK_WARN": "0"}   # on a busy machine any program may be held up; a test of the warning sets its own
        env.setdefault("ASAN_OPTIONS", "detect_leaks=0:detect_container_overflow=0:exitcode=99")
        env.setdefault("UBSAN_OPTIONS", "print_stacktrace=1:exitcode=99")
        env.setdefault("TSAN_OPTIONS", "exitcode=99")
        return env | (extra or {})


class TemporaryFolder:
    def __enter__(self):
        self.path = Path(tempfile.mkdtemp(prefix="meteor-test-"))
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def run_program(setting, name, path, flags, trailing_output=False, any_output=False, more_env=None):
    """tests/run and examples: `meteor run` must print, say and return what the file's comments promise."""
    result = Result(name)
    try:
        case = read_case(path, trailing_output)
    except BadCase as error:
        result.problems.append(f"{path}: {error}")
        return result
    env = case.env | (more_env or {})
    if case.server:
        try:
            env |= setting.postgres.env()
        except NoServer as error:
            result.problems.append(str(error))
            return result
    with TemporaryFolder() as folder:
        # A test of std runs elsewhere: beside it, `import url` would be a module of the program.
        is_of_std = path.is_relative_to(setting.root / "std")
        program = case.write_parts(folder) if case.is_split or is_of_std else path
        if trailing_output and not case.has_output_block:
            command = [setting.meteor, "check", program]
        else:
            command = [setting.meteor, "run", *setting.run_flags, *flags, *case.flags, program, *case.args]
        stdin = "".join(line + "\n" for line in case.stdin)
        for more in simulations(case):
            with setting.postgres.turn if case.server else nullcontext():   # they count what the server does
                outcome = run(command, folder, setting.env(env | more), setting.limit(case.timeout), stdin)
            result.problems += compare_run(case, outcome, any_output)
            if result.problems:
                if more:
                    result.problems.append("with " + " ".join(f"{key}={value}" for key, value in more.items()))
                break
    return result


def simulations(case):
    """The environments a program runs in: as it is or on each reactor, with each seed of faults, with each seed of the order of tasks, and once giving
    up the turn wherever it may."""
    yield from [{"METEOR_REACTOR": reactor} for reactor in case.reactors] or [{}]
    for seed in range(1, case.faults + 1):
        yield {"METEOR_FAULTS": f"{seed}:hard" if case.faults_are_hard else str(seed)}
    for seed in range(1, case.seeds + 1):
        yield {"METEOR_CLOCK": "virtual", "METEOR_SEED": str(seed)}
    if case.seeds:
        yield {"METEOR_CLOCK": "virtual", "METEOR_YIELD": "always"}


def compare_run(case, outcome, any_output=False):
    problems = []
    wanted = case.stdout
    got = outcome.stdout.split("\n")
    if got[-1] == "":
        got.pop()
    if got != wanted and not any_output:
        problems.append(diff(wanted, got, "expected output", "actual output"))
    if outcome.timed_out or outcome.exit_code != case.exit_code:
        problems.append(f"expected exit code {case.exit_code}, but it {outcome.describe_exit()}" if outcome.crashed
                        else f"expected exit code {case.exit_code}, got {outcome.exit_code}")
    at = 0
    for text in case.stderr:
        found = outcome.stderr.find(text, at)
        if found < 0:
            problems.append(f"stderr should contain, after what came before it: {text}")
            break
        at = found + len(text)
    if not case.stderr and case.exit_code == 0 and outcome.stderr.strip() and not problems:
        problems.append("nothing was expected on stderr")
    if problems:
        problems.append(excerpt("stderr", outcome.stderr))
    return problems


def check_diagnostics(setting, name, path):
    """tests/ui: the diagnostics of `meteor check` match the markers one by one, and the rendered text matches `.stderr`."""
    result = Result(name)
    try:
        case = read_case(path)
    except BadCase as error:
        result.problems.append(f"{path}: {error}")
        return result
    timeout = setting.limit(case.timeout)
    with TemporaryFolder() as folder:
        program = case.write_parts(folder) if case.is_split else path
        cwd = program.parent
        text = run([setting.meteor, "check", *case.flags, program.name], cwd, setting.env(case.env), timeout)
        machine = run([setting.meteor, "check", "--json", *case.flags, program.name], cwd, setting.env(case.env), timeout)
    if text.crashed:
        result.problems += [f"meteor check {text.describe_exit()}", excerpt("stderr", text.stderr)]
        return result
    result.problems += match_markers(case, machine)
    wants_errors = any(marker.severity == "error" for marker in case.markers)
    if text.exit_code != (2 if wants_errors else 0):
        result.problems.append(f"expected exit code {2 if wants_errors else 0}, got {text.exit_code}")
    if result.problems:
        result.problems.append(excerpt("stderr", text.stderr))
    compare_golden(setting, result, path.with_suffix(".stderr"), text.stderr.replace(f"{setting.root}/", ""), may_be_absent=not case.markers)
    return result


def match_markers(case, outcome):
    problems, found = [], []
    for line in (outcome.stdout + outcome.stderr).split("\n"):
        if line.startswith("{"):
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:
                problems.append(f"not JSON: {line[:200]}")
    for marker in case.markers:
        hit = next((d for d in found if is_hit(marker, d)), None)
        if hit:
            found.remove(hit)
        else:
            near = [f"{d['severity']}[{d['name']}]: {d['message']}" for d in found if d.get("line") == marker.line]
            problems.append(f"{marker.file}:{marker.line}: expected {marker.severity}[{marker.name}]: {marker.text}"
                            + "".join(f"\n    there is {text}" for text in near))
    for left in found:
        if left.get("severity") == "error":
            problems.append(f"{left.get('file')}:{left.get('line')}: unmarked error[{left.get('name')}]: {left.get('message')}")
    return problems


def is_hit(marker, diagnostic):
    return (diagnostic.get("line") == marker.line and diagnostic.get("severity") == marker.severity
            and diagnostic.get("name") == marker.name and marker.text in diagnostic.get("message", "")
            and Path(diagnostic.get("file", "")).name == Path(marker.file).name)


def check_dump(setting, name, path):
    """tests/stages: what `--dump=stage[:function]` prints is what `.golden` holds."""
    result = Result(name)
    try:
        case = read_case(path)
        if not case.dumps:
            raise BadCase("a stage test needs '# dump: stage:function'")
    except BadCase as error:
        result.problems.append(f"{path}: {error}")
        return result
    printed = []
    for dump in case.dumps:
        command = [setting.meteor, "check", f"--dump={dump}", *case.flags, path.name]
        outcome = run(command, path.parent, setting.env(case.env), setting.limit(case.timeout))
        if outcome.crashed or outcome.exit_code != case.exit_code:
            result.problems += [f"--dump={dump}: {outcome.describe_exit()}", excerpt("stderr", outcome.stderr)]
            return result
        printed.append(outcome.stdout)
    compare_golden(setting, result, path.with_suffix(".golden"), "".join(printed), may_be_absent=False)
    return result


def check_formatting(setting, name, path):
    """tests/format: what `meteor fmt` makes of a file is what `.golden` holds, and that is left as it is."""
    result = Result(name)
    once = run([setting.meteor, "fmt", "--stdin"], path.parent, setting.env(), setting.timeout, path.read_bytes().decode())
    if once.crashed or once.exit_code != 0:
        result.problems += [f"meteor fmt {once.describe_exit()}", excerpt("stderr", once.stderr)]
        return result
    twice = run([setting.meteor, "fmt", "--stdin"], path.parent, setting.env(), setting.timeout, once.stdout)
    if twice.stdout != once.stdout:
        result.problems.append(diff(once.stdout.split("\n"), twice.stdout.split("\n"), "formatted once", "formatted twice"))
    compare_golden(setting, result, path.with_suffix(".golden"), once.stdout, may_be_absent=False)
    return result


def compare_golden(setting, result, golden, text, may_be_absent):
    if setting.bless and not result.problems:
        old = golden.read_text() if golden.exists() else ""
        if text != old or (not golden.exists() and not may_be_absent):
            result.blessed = True
            golden.write_text(text) if text or not may_be_absent else golden.unlink(missing_ok=True)
        return
    if not golden.exists():
        if text or not may_be_absent:
            result.problems.append(f"{golden.name} does not exist; './x test --bless {result.name}' writes it from:\n" + excerpt("text", text))
        return
    wanted = golden.read_text()
    if wanted != text:
        result.problems.append(diff(wanted.split("\n"), text.split("\n"), golden.name, "actual text"))


def run_script(setting, name, path):
    """tests/tools: a bash script passes when it returns 0."""
    result = Result(name)
    timeout = setting.timeout
    for line in path.read_text().split("\n"):
        if line.startswith("# timeout:"):
            timeout = max(timeout, setting.limit(int(line.split(":")[1])))
    with TemporaryFolder() as folder:
        outcome = run(["bash", "-eu", "-o", "pipefail", path], folder, setting.env(), timeout)
    if outcome.timed_out or outcome.exit_code != 0:
        result.problems += [outcome.describe_exit(), excerpt("stdout", outcome.stdout), excerpt("stderr", outcome.stderr)]
    return result
