"""Builds files of scenarios (fuzzing/safe) with checked facts, runs them and says what was found.

The compiler may refuse a scenario with an ordinary message; that is counted. A find is: the compiler crashes or does not end; a fact was broken; a signal; a
sanitizer's report; something leaked; a scenario refused that its generator knows to be right; a line with WRONG in it; or -O0 and -O2 print different things.
"""
import json
import os
import re
import shutil
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from testing.process import run

from . import reduce, safe

LEVELS = ["-O0", "-O2"]
BROKEN_FACT = re.compile(r"internal error: the compiler believed that (.*?) \(([^:]*):?(\d*)")
REPORT = re.compile(r"(ERROR: AddressSanitizer: \S+|WARNING: ThreadSanitizer: [a-z ]+|runtime error: .*)")


@dataclass
class Find:
    family: str
    seed: int
    kind: str       # what went wrong, without numbers: the same for all finds of one cause
    text: str       # what was printed about it


class Builder:
    """One way to build: which compiler, how long things may take."""

    def __init__(self, meteor, folder, patience=1, leaks=True):
        self.meteor, self.folder, self.patience, self.leaks = meteor, folder, patience, leaks
        self.env = os.environ | {"METEOR_CACHE_DIR": str(folder / "cache"), "METEOR_BLOCK_WARN": "0", "NO_COLOR": "1", "METEOR_CHECK_FACTS": "1"}
        self.env["TSAN_OPTIONS"] = (os.environ.get("TSAN_OPTIONS", "") + ":exitcode=99").lstrip(":")
        self.env["ASAN_OPTIONS"] = (os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:exitcode=98").lstrip(":")
        self.env["UBSAN_OPTIONS"] = (os.environ.get("UBSAN_OPTIONS", "") + ":halt_on_error=1:exitcode=97").lstrip(":")

    def check(self, path):
        """The lines with errors; or the kind of failure, as a text."""
        outcome = run([self.meteor, "check", "--json", path.name], self.folder, self.env, 60 * self.patience)
        if outcome.crashed or outcome.exit_code not in (0, 1, 2) or "internal error" in outcome.stderr:
            return failure_of_compiler(outcome)
        errors = [json.loads(line) for line in outcome.stdout.split("\n") if line.startswith("{") and '"severity":"error"' in line]
        lost = [error["message"] for error in errors if not error["line"]]
        return ("compiler: an error without a place", lost[0]) if lost else errors

    def build(self, path, level):
        """Nothing, or the kind of failure."""
        outcome = run([self.meteor, "build", "--check-facts", level, "-o", f"program{level}", path.name], self.folder, self.env, 240 * self.patience)
        return None if outcome.exit_code == 0 and not outcome.timed_out else failure_of_compiler(outcome)

    def start(self, level, *numbers):
        env = self.env | ({"METEOR_LEAKS": "1"} if self.leaks else {})
        return run([f"./program{level}", *map(str, numbers)], self.folder, env, 20 * self.patience)


def failure_of_compiler(outcome):
    text = (outcome.stderr + outcome.stdout).strip()
    line = next((line for line in text.split("\n") if "internal error" in line or "Sanitizer" in line or "Assertion" in line), "")
    return ("compiler: " + (line[:160] or outcome.describe_exit()), text[:3000])


def failure_of_program(outcome):
    """(kind, text), or nothing."""
    if outcome.timed_out: return "does not end", ""
    broken = BROKEN_FACT.search(outcome.stderr)
    if broken: return "fact: " + broken[1], outcome.stderr[:1000]
    report = REPORT.search(outcome.stderr)
    if report: return report[1], outcome.stderr[:4000]
    if outcome.crashed: return "signal: " + outcome.describe_exit(), outcome.stderr[:1000]
    if "WRONG" in outcome.stdout: return "wrong result", "\n".join(line for line in outcome.stdout.split("\n") if "WRONG" in line)
    if outcome.exit_code == 1 and "after the end of the program" in outcome.stderr: return None   # a `__del__` came too late, and was told
    if "leak" in outcome.stderr or outcome.exit_code not in (0,): return "leak or exit code " + str(outcome.exit_code), outcome.stderr[:1000]
    return None


def without_numbers(text):
    return re.sub(r"\d+", "N", text)


class Tally:
    def __init__(self):
        self.files, self.made, self.refused, self.ran = 0, Counter(), Counter(), Counter()
        self.finds = []
        self.refusals = Counter()

    def add(self, other):
        self.files += other.files
        for name in ("made", "refused", "ran", "refusals"): getattr(self, name).update(getattr(other, name))
        self.finds += other.finds


def try_file(seed, count, families, builder):
    """Everything that there is to say about the file of this seed."""
    tally = Tally()
    tally.files = 1
    scenarios = safe.make_scenarios(seed, count, families)
    tally.made.update(s.family for s in scenarios)
    path = builder.folder / "program.met"

    def found(scenario, kind, text):
        tally.finds.append(Find(scenario.family, seed * 1000 + scenario.number, without_numbers(kind), text))

    scenarios = accepted(scenarios, builder, path, tally, found)
    if not scenarios: return tally
    outputs = {}
    for level in LEVELS:
        while scenarios:
            problem = builder.build(path, level)
            if problem is None: break
            guilty = [s for s in scenarios if build_alone(s, builder, level)] if len(scenarios) > 1 else scenarios
            for s in guilty or scenarios[:1]: found(s, f"{level} {problem[0]}", problem[1])
            scenarios = [s for s in scenarios if s not in guilty] if guilty else []
            write(scenarios, path)
        if not scenarios: return tally
        outcome = builder.start(level)
        if failure_of_program(outcome):
            for s in list(scenarios):
                alone = builder.start(level, s.number)
                problem = failure_of_program(alone)
                if problem:
                    found(s, problem[0], f"{level}: {problem[1]}")
                    scenarios.remove(s)
        outputs[level] = {s.number: builder.start(level, s.number).stdout for s in scenarios} if len(scenarios) <= 1 or outcome.exit_code else outcome.stdout
    if outputs["-O0"] != outputs["-O2"]:
        for s in scenarios:
            zero, two = (builder.start(level, s.number).stdout for level in LEVELS)
            if zero != two: found(s, "-O0 and -O2 differ", f"{zero[:500]}\n---\n{two[:500]}")
    tally.ran.update(s.family for s in scenarios)
    return tally


def write(scenarios, path):
    lines, owners = safe.assemble(scenarios)
    path.write_text("\n".join(lines) + "\n")
    return owners


def build_alone(scenario, builder, level):
    path = builder.folder / "alone.met"
    write([scenario], path)
    return builder.build(path, level)


def accepted(scenarios, builder, path, tally, found):
    """Those that the compiler does not refuse, written to the path."""
    while scenarios:
        owners = write(scenarios, path)
        errors = builder.check(path)
        if isinstance(errors, tuple):
            guilty = []
            for s in scenarios:
                write([s], path)
                alone = builder.check(path)
                if isinstance(alone, tuple):
                    guilty.append(s)
                    found(s, *alone)
            if not guilty:
                found(scenarios[0], *errors)
                return []
            scenarios = [s for s in scenarios if s not in guilty]
            continue
        if not errors: return scenarios
        refused = {owners[error["line"] - 1] for error in errors if error["line"] <= len(owners)} - {None}
        for error in errors: tally.refusals[error["name"]] += 1
        if not refused:
            found(scenarios[0], "compiler: an error that belongs to no scenario", json.dumps(errors[0]))
            return []
        tally.refused.update(s.family for s in scenarios if s.number in refused)
        for s in scenarios:
            if s.number in refused and s.must_compile:
                error = next(error for error in errors if owners[error["line"] - 1] == s.number)
                found(s, f"refused without need: {error['name']}", f"{path.read_text().split(chr(10))[error['line'] - 1].strip()}: {error['message']}")
        scenarios = [s for s in scenarios if s.number not in refused]
    return scenarios


def kind_of_text(lines, builder):
    """Why this program fails: None when it is refused or fine."""
    path = builder.folder / "smaller.met"
    path.write_text("\n".join(lines) + "\n")
    errors = builder.check(path)
    if isinstance(errors, tuple): return without_numbers(errors[0])
    if errors: return None
    seen = []
    for level in LEVELS:
        problem = builder.build(path, level)
        if problem: return without_numbers(f"{level} {problem[0]}")
        outcome = builder.start(level)
        problem = failure_of_program(outcome)
        if problem: return without_numbers(problem[0])
        seen.append(outcome.stdout)
    return "-O0 and -O2 differ" if seen[0] != seen[1] else None


def smallest(find, families, builder):
    scenario = safe.make_scenario(find.seed, find.seed % 1000, families)
    lines, _ = safe.assemble([scenario])
    kind = kind_of_text(lines, builder)
    if kind is None: return lines
    return reduce.reduce_lines(lines, lambda fewer: kind_of_text(fewer, builder) == kind)


def fuzz_safe(meteor, findings, seed, families, files, seconds, per_file, jobs, patience, reduces=True, leaks=True):
    """True when nothing was found."""
    total, kinds = Tally(), {}
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="meteor-fuzz-") as scratch, ThreadPoolExecutor(jobs) as pool:
        def one(index):
            if time.monotonic() - started > seconds: return None
            folder = Path(scratch) / str(index)
            folder.mkdir()
            try: return try_file(seed + index, per_file, families, Builder(meteor, folder, patience, leaks))
            finally: shutil.rmtree(folder, ignore_errors=True)

        for tally in pool.map(one, range(files)):
            if tally is None: continue
            total.add(tally)
            for find in tally.finds:
                first = (find.family, find.kind) not in kinds
                kinds.setdefault((find.family, find.kind), []).append(find)
                if first: print(f"{find.family}, scenario {find.seed}: {find.kind}\n    " + find.text.strip().replace("\n", "\n    ")[:600], flush=True)
        if reduces:
            findings.mkdir(parents=True, exist_ok=True)
            for (family, kind), finds in kinds.items():
                folder = Path(scratch) / "reduce"
                folder.mkdir(exist_ok=True)
                path = findings / f"safe-{finds[0].seed}.met"
                path.write_text(f"# {family}: {kind}\n" + "\n".join(smallest(finds[0], families, Builder(meteor, folder, patience, leaks))) + "\n")
                print(f"{path}: {kind} ({len(finds)} times)", flush=True)
    made, refused = sum(total.made.values()), sum(total.refused.values())
    for family in families:
        print(f"    {family:10} {total.made[family]:6} made {total.refused[family]:6} refused {total.ran[family]:6} ran {sum(f.family == family for f in total.finds):6} finds")
    share = 100 * (made - refused) / made if made else 0
    print(f"safe: {total.files} files with {made} scenarios from seed {seed}, {time.monotonic() - started:.0f} s; {share:.0f} % accepted; {len(total.finds)} finds of {len(kinds)} kinds", flush=True)
    return not kinds
