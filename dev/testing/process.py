"""Runs one command with a time limit, in a process group of its own so that nothing survives it."""
import os
import signal
import subprocess
from dataclasses import dataclass


@dataclass
class Outcome:
    stdout: str
    stderr: str
    exit_code: int
    timed_out: bool = False

    def describe_exit(self):
        if self.timed_out:
            return "did not end in time and was killed"
        number = -self.exit_code if self.exit_code < 0 else self.exit_code - 128
        if self.exit_code < 0 or 128 < self.exit_code < 128 + 32:
            try:
                return f"was killed by {signal.Signals(number).name} (exit code {self.exit_code})"
            except ValueError:
                pass
        return f"exit code {self.exit_code}"

    @property
    def crashed(self):
        return self.timed_out or self.exit_code < 0 or 128 < self.exit_code < 128 + 32


def run(command, cwd, env, timeout, stdin="") -> Outcome:
    process = subprocess.Popen(
        [str(word) for word in command], cwd=cwd, env=env, start_new_session=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    timed_out = False
    try:
        out, err = process.communicate(stdin.encode("utf-8", "surrogateescape"), timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
        end_group(process)
        out, err = process.communicate()
    else:
        end_group(process)   # a program may have left children behind
    return Outcome(decode(out), decode(err), process.returncode, timed_out)


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def decode(data):
    return data.decode("utf-8", "backslashreplace")
