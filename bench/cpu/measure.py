#!/usr/bin/env python3
"""Meteor beside C++, Rust, Go, Node and Python on the same work: time, peak memory, and how much counting is left.

Each folder holds one program in every language. All do the same work and must print the same; what takes longer than a minute is ended and
shown as '> 60'. A language whose compiler is not on the machine is left out.
Time is the best processor time of several runs, since other work on the machine only adds to it. './x bench cpu NAME…' runs some programs,
'--rounds=N' each of them N times, '--only=Meteor,C++' in some of the languages, '--small' on little input, to see that all of them agree. The bars are checked at the end; counting is the one that decides.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
METEOR = os.environ["METEOR"]

# language: file ending, how to build it (None: it is run as it is)
LANGUAGES = {
    "Meteor": ("met", lambda source, out: [METEOR, "build", "-o", out, source]),
    "C++": ("cpp", lambda source, out: [find("clang++-19", "clang++"), "-O3", "-std=c++20", "-o", out, source]),
    "Rust": ("rs", lambda source, out: [find("rustc"), "-O", "-C", "opt-level=3", "--edition=2021", "-o", out, source]),
    "Go": ("go", lambda source, out: [find("go"), "build", "-o", out, source]),
    "Node": ("js", None),
    "Python": ("py", None),
}
INTERPRETERS = {"Node": ["node"], "Python": ["python3"]}
SMALL = {"nbody": 50000, "spectral_norm": 200, "fannkuch": 8, "mandelbrot": 100, "binary_trees": 10, "n_queens": 8, "word_count": 100000, "string_building": 100000,
         "sort_with_key": 20000, "matrix_multiply": 100, "linked_walk": 10000, "json_parser": 1000, "particles": 100}


NUMERIC = {"nbody", "spectral_norm", "fannkuch", "mandelbrot", "matrix_multiply", "particles"}
LONGEST = 60
USUAL_PLACES = [Path.home() / ".cargo" / "bin", Path("/usr/local/go/bin"), Path("/usr/local/bin")]


class TooLong(Exception):
    pass


def find(*names):
    for name in names:
        if path := shutil.which(name) or shutil.which(name, path=os.pathsep.join(map(str, USUAL_PLACES))):
            return path
    raise FileNotFoundError(names[0])


def limit_processor_time():
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))


def run(command):
    """(processor seconds, peak KB, stdout, stderr)"""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, preexec_fn=limit_processor_time)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode in (-signal.SIGKILL, -signal.SIGXCPU) and usage.ru_utime + usage.ru_stime > LONGEST - 1:
            raise TooLong
        out.seek(0), err.seek(0)
        text, complaint = out.read().decode(), err.read().decode()
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{complaint[-2000:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss, text, complaint


def retains(source, counting, folder):
    out = folder / f"counting-{counting}"
    subprocess.run([METEOR, "build", f"--counting={counting}", "-o", out, source], check=True, capture_output=True)
    found = re.search(r"retains: (\d+)", run([out, str(SMALL[source.stem])])[3])
    return int(found.group(1))


def measure(name, rounds, folder, only, small):
    """{language: (seconds, KB)}, None for one that takes too long"""
    results, wanted = {}, None
    for language, (ending, build) in LANGUAGES.items():
        if only and language not in only:
            continue
        source = HERE / name / f"{name}.{ending}"
        if not source.exists():
            continue
        try:
            if build:
                command = [folder / f"{name}-{ending}"]
                subprocess.run(build(source, command[0]), check=True, capture_output=True, env=os.environ | {"GOFLAGS": "-mod=mod", "GO111MODULE": "off"})
            else:
                command = [find(*INTERPRETERS[language]), source]
        except FileNotFoundError:
            continue
        except subprocess.CalledProcessError as error:
            print(f"{source}: does not build:\n{error.stderr.decode()[-2000:]}", file=sys.stderr)
            continue
        command += [str(SMALL[name])] if small else []
        best, peak = None, 0
        for _ in range(rounds if build else 1):
            try:
                seconds, memory, text, _ = run(command)
            except TooLong:
                break
            best, peak = min(best or seconds, seconds), max(peak, memory)
            wanted = wanted or text
            if text != wanted:
                print(f"{source}: prints something else than Meteor:\n{text[:500]}\ninstead of\n{wanted[:500]}", file=sys.stderr)
        results[language] = (best, peak) if best is not None else None
    return results


def cell(results, language):
    if language not in results:
        return "-"
    return f"{results[language][0]:.3f} ({results[language][1] / 1024:.0f})" if results[language] else f"> {LONGEST}"


def missed(name, results):
    """The bars that Meteor's time misses, as text."""
    bars = []
    if name in NUMERIC:
        bars.append(("C++", 1.15))
    if name == "binary_trees":
        bars.append(("C++", 1.0))
    if name == "word_count":
        bars.append(("Rust", 1.2))
    bars.append(("Go", 1.0))
    for language, most in bars:
        if results.get(language) and results.get("Meteor") and results["Meteor"][0] > most * results[language][0]:
            yield f"{name}: {results['Meteor'][0] / results[language][0]:.2f} of {language} (bar {most})"


def main():
    options = [argument for argument in sys.argv[1:] if argument.startswith("--")]
    rounds = next((int(option.split("=")[1]) for option in options if option.startswith("--rounds=")), 3)
    names = [argument for argument in sys.argv[1:] if not argument.startswith("--")] or sorted(path.name for path in HERE.iterdir() if (path / f"{path.name}.met").exists())
    only = next((option.split("=")[1].split(",") for option in options if option.startswith("--only=")), None)
    small = "--small" in options
    print(f"{'seconds (peak MB)':18}" + "".join(f"{language:>16}" for language in LANGUAGES) + f"{'retains':>12}{'naive':>12}{'gone':>7}", flush=True)
    total, total_naive, misses = 0, 0, []
    with tempfile.TemporaryDirectory(prefix="meteor-bench-") as temporary:
        folder = Path(temporary)
        for name in names:
            results = measure(name, rounds, folder, only, small)
            misses += [] if small else missed(name, results)
            source = HERE / name / f"{name}.met"
            counted, naive = retains(source, "report", folder), retains(source, "naive,report", folder)
            total, total_naive = total + counted, total_naive + naive
            gone = f"{100 * (1 - counted / naive):.1f}%" if naive else "-"
            print(f"{name:18}" + "".join(f"{cell(results, language):>16}" for language in LANGUAGES) + f"{counted:>12}{naive:>12}{gone:>7}", flush=True)
    for miss in misses:
        print(f"missed: {miss}")
    if total_naive == 0:
        return 0
    gone = 100 * (1 - total / total_naive)
    print(f"counting that is gone over the set: {gone:.1f} % (bar: 90 %)")
    return 0 if gone >= 90 else 1


if __name__ == "__main__":
    sys.exit(main())
