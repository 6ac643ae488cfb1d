"""Puts questions to a Meteor program, one per line, and compares its answers with Python's."""
import subprocess
import sys


def compare_answers(seed, lines, wanted, command):
    run = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True)
    got = run.stdout.split("\n")[:-1]
    different = [case for case in zip(lines, wanted, got) if case[1] != case[2]]
    for line, want, have in different[:5]:
        print(f"{line[:300]}\n  wanted {want[:300]}\n  got    {have[:300]}")
    if different or len(got) != len(lines) or run.returncode != 0:
        print(f"seed {seed}: {len(different)} of {len(lines)} differ, {len(got)} answered, exit code {run.returncode}")
        print(run.stderr[-1000:])
        sys.exit(1)
