"""The works of `net`, `tls` and `fs`, each in a file of works/: TCP echo, idle connections, copying, TLS echo, small files.

A server runs on one core, its load on another, and what is measured is the server's processor time; the numbers of all peers are taken in turn, and each is the least
of its rounds. A bar is a ratio to a peer of the same run, or a bound. Peers that are not on the machine are left out. `./x bench net NAME…` measures only those works;
ROUNDS=3 repeats less often.
"""
import resource
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from works import copy, echo, files, idle, tls

WORKS = {"echo": echo, "idle": idle, "copy": copy, "tls": tls, "files": files}


def main():
    wanted = sys.argv[1:] or list(WORKS)
    unknown = [name for name in wanted if name not in WORKS]
    if unknown:
        print(f"x bench net: there is no '{unknown[0]}'", file=sys.stderr)
        return 2
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    found = []
    with tempfile.TemporaryDirectory(prefix="meteor-bench-") as folder:
        for name in wanted:
            place = Path(folder) / name
            place.mkdir()
            found += WORKS[name].measure(place)
            print(flush=True)
    for text, is_met in found:
        print(f"{'met   ' if is_met else 'MISSED'}  {text}")
    return 0 if all(is_met for _, is_met in found) else 1


if __name__ == "__main__":
    sys.exit(main())
