# Every public method of Python's str, bytes, list, dict and set is one here. `tests/run/std` calls them.
set -eu
python3 - "$METEOR_ROOT" <<'PY'
import pathlib, re, sys

core = pathlib.Path(sys.argv[1]) / "std" / "core"
FILES = {str: ["str", "str_format"], bytes: ["bytes"], list: ["list"], dict: ["dict", "table"], set: ["set", "table"]}
missing = []
for kind, files in FILES.items():
    here = set(re.findall(r"^    def (\w+)", "\n".join((core / f"{name}.met").read_text() for name in files), re.M))
    missing += [f"{kind.__name__}.{name}" for name in dir(kind) if not name.startswith("_") and name not in here]
if missing:
    sys.exit("missing: " + ", ".join(missing))
PY
