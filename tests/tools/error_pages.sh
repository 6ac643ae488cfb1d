# Every program on a page of docs/errors does what the page says: the first fails with the page's name, the others compile.
python3 - "$METEOR" "$METEOR_ROOT/docs/errors" <<'PYTHON'
import json, pathlib, re, subprocess, sys

meteor, folder = sys.argv[1], pathlib.Path(sys.argv[2])
problems = 0
for page in sorted(folder.glob("*.md")):
    for number, program in enumerate(re.findall(r"```meteor\n(.*?)```", page.read_text(), re.S), 1):
        pathlib.Path("page.met").write_text(program)
        result = subprocess.run([meteor, "check", "--json", "page.met"], capture_output=True, text=True)
        names = {json.loads(line)["name"] for line in (result.stdout + result.stderr).splitlines() if line.startswith("{")}
        wanted = re.match(r"# error: (\S+)", program)
        wanted = {wanted[1]} if wanted else set()
        if names != wanted:
            problems += 1
            print(f"{page.name}, program {number}: expected {sorted(wanted)}, found {sorted(names)}\n{result.stderr}")
sys.exit(problems > 0)
PYTHON
