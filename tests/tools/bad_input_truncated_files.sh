# A program cut off anywhere, or with a stretch cut out, gets an answer.
# timeout: 240
source "$METEOR_ROOT/tests/tools/expect.bash"

python3 - "$METEOR_ROOT/examples/tour.met" <<'PY'
import sys
data = open(sys.argv[1], "rb").read()
code = data[:data.rindex(b"\n\n# ")]
step = len(code) // 60
for index, end in enumerate(range(1, len(code), step)):
    open(f"cut_{index:03}.met", "wb").write(code[:end])
for index, start in enumerate(range(0, len(code) - step, step * 3)):
    open(f"hole_{index:03}.met", "wb").write(code[:start] + code[start + step:])
PY
for file in *.met; do
    call check "$file"
    [[ $code == 0 || $code == 2 ]] || fail "meteor check $file: exit code $code, expected 0 or 2"
    [[ $code != 2 ]] || must_have_diagnostic check "$file"
done
finish
