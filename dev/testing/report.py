"""What a test says about itself, and how all of them are shown."""
import difflib
import sys
import threading
from dataclasses import dataclass, field

SHOWN_LINES = 60


@dataclass
class Result:
    name: str
    problems: list[str] = field(default_factory=list)   # empty: passed
    seconds: float = 0.0
    blessed: bool = False

    @property
    def passed(self):
        return not self.problems


def diff(wanted, got, wanted_name, got_name):
    lines = list(difflib.unified_diff(wanted, got, wanted_name, got_name, lineterm="", n=3))
    if len(lines) > SHOWN_LINES:
        lines = lines[:SHOWN_LINES] + [f"… {len(lines) - SHOWN_LINES} more lines"]
    return "\n".join("  " + line for line in lines)


def excerpt(title, text):
    """The text indented under a title, cut to a readable length; nothing for an empty text."""
    if not text.strip():
        return ""
    lines = text.rstrip("\n").split("\n")
    if len(lines) > SHOWN_LINES:
        lines = lines[:SHOWN_LINES] + [f"… {len(lines) - SHOWN_LINES} more lines"]
    return f"{title}:\n" + "\n".join("  " + line[:400] for line in lines)


class Reporter:
    def __init__(self, total, again="./x test"):
        self.total, self.again = total, again
        self.done, self.failed = 0, 0
        self.results = []
        self.lock = threading.Lock()
        self.live = sys.stdout.isatty()

    def add(self, result):
        with self.lock:
            self.done += 1
            self.results.append(result)
            if self.live:
                sys.stdout.write(f"\r\033[K[{self.done}/{self.total}] {result.name[:90]}")
            if not result.passed:
                self.failed += 1
                self.show_failure(result)
            sys.stdout.flush()

    def show_failure(self, result):
        clear = "\r\033[K" if self.live else ""
        print(f"{clear}FAILED {result.name}")
        for problem in result.problems:
            if problem:
                print(problem)
        print(f"again: {self.again} {result.name.split(' ')[0]}\n", flush=True)

    def finish(self, slow):
        if self.live:
            sys.stdout.write("\r\033[K")
        if slow:
            print("slowest:")
            for result in sorted(self.results, key=lambda r: -r.seconds)[:slow]:
                print(f"  {result.seconds:7.2f} s  {result.name}")
        groups = {}
        for result in self.results:
            counts = groups.setdefault(result.name.split("/")[0], [0, 0])
            counts[0 if result.passed else 1] += 1
        for group, (passed, failed) in sorted(groups.items()):
            print(f"{group:10} {passed} passed" + (f", {failed} failed" if failed else ""))
        blessed = sum(result.blessed for result in self.results)
        if blessed:
            print(f"{blessed} expectation files rewritten; read them with git diff")
        print(f"{self.done - self.failed} passed, {self.failed} failed", flush=True)
        return 0 if self.done and not self.failed else 1
