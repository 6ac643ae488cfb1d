# '--json' gives one object per line with everything an editor needs; nothing else is printed there.
source "$METEOR_ROOT/tests/tools/expect.bash"

printf 'x = 1\ny: int = "text"\nz: str = 2\n' >wrong.met
call check --json wrong.met
[[ $code == 2 ]] || fail "exit code $code, expected 2"
cat out.txt err.txt >all.txt
python3 - <<'PY' || fail "$(cat all.txt)"
import json
rows = [json.loads(line) for line in open("all.txt") if line.strip()]
assert len(rows) == 2, rows
for row, line in zip(rows, (2, 3)):
    assert row["severity"] == "error" and row["file"] == "wrong.met" and row["line"] == line, row
    assert row["name"] and row["message"] and row["column"] >= 1, row
    assert (row["end_line"], row["end_column"]) > (row["line"], row["column"]), row
PY
echo 'print(1)' >right.met
call check --json right.met
[[ $code == 0 && ! -s out.txt && ! -s err.txt ]] || fail "a right program: exit code $code, printed $(cat out.txt err.txt)"
finish
