"""Runs the googletest binary in parallel shards and counts its cases one by one, also when one of them takes the process down."""
import json
import re
import tempfile
import time
from pathlib import Path

from .process import run
from .report import Result, excerpt

SECONDS = 240   # for all cases of a shard


def list_cases(setting):
    binary = setting.build / "bin" / "unit_tests"
    if not binary.exists():
        return []
    outcome = run([binary, "--gtest_list_tests"], setting.root, setting.env(), setting.timeout)
    if outcome.exit_code != 0:
        return None
    names, suite = [], ""
    for line in outcome.stdout.split("\n"):
        word = line.split("#")[0].rstrip()
        if line.startswith("  "):
            names.append(suite + word.strip())
        elif word.endswith("."):
            suite = word
    return [name for name in names if "DISABLED_" not in name]


def run_cases(setting, names, report):
    """Runs the named cases in one process; a case that crashes it is reported, and the ones after it run in the next."""
    binary = setting.build / "bin" / "unit_tests"
    left = list(names)
    while left:
        with tempfile.TemporaryDirectory(prefix="meteor-unit-") as folder:
            output = Path(folder) / "result.json"
            flags = ["--gtest_color=no", f"--gtest_output=json:{output}", "--gtest_filter=" + ":".join(left)]
            started = time.monotonic()
            outcome = run([binary, *flags], folder, setting.env(), setting.limit(SECONDS))
            elapsed = time.monotonic() - started
            finished = read_results(output) if output.exists() and not outcome.crashed else None
        if finished is not None:
            for name in left:
                problems, seconds = finished.get(name, (["did not run"], 0.0))
                report(Result("unit/" + name, problems, seconds))
            return
        started_names = re.findall(r"^\[ RUN      \] (\S+)", outcome.stdout, re.M)
        ended = {name: word for word, name in re.findall(r"^\[ +(OK|FAILED) +\] ([^\s,]+)", outcome.stdout, re.M)}
        culprit = next((name for name in reversed(started_names) if name not in ended), left[0])
        for name in left:
            if name == culprit:
                report(Result("unit/" + name, [outcome.describe_exit(), excerpt("stdout", outcome.stdout[-4000:]),
                                               excerpt("stderr", outcome.stderr[-6000:])], elapsed))
            elif ended.get(name) == "OK":
                report(Result("unit/" + name))
            elif name in ended:
                report(Result("unit/" + name, [excerpt("stdout", outcome.stdout[-4000:])]))
        left = [name for name in left if name != culprit and name not in ended]


def read_results(path):
    try:
        suites = json.loads(path.read_text())["testsuites"]
    except (json.JSONDecodeError, KeyError):
        return None
    finished = {}
    for suite in suites:
        for case in suite["testsuite"]:
            failures = ["  " + failure["failure"].replace("\n", "\n  ") for failure in case.get("failures", [])]
            finished[f"{suite['name']}.{case['name']}"] = (failures, float(case.get("time", "0s").rstrip("s")))
    return finished
