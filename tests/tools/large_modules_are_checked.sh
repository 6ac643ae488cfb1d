# A module with thousands of variables, or thousands of mistakes: checking takes time by its length, not by the square of it.
# timeout: 200
source "$METEOR_ROOT/tests/tools/expect.bash"

python3 - <<'PY'
def write(name, *lines):
    open(f"{name}.met", "w").write("\n".join(lines) + "\n")

write("variables", *[f"v{i} = {i}" for i in range(7000)], *[f"if v{i} > 1: print({i})" for i in range(7000)])
write("mistakes", *[f"variable_number_{i} = {i}" for i in range(7000)], *[f"print(variable_numer_{i})" for i in range(7000)])
PY

call check variables.met
[[ $code == 0 ]] || fail "variables: exit code $code"
rejected mistakes.met
grep -q 'did you mean' err.txt || fail "mistakes: no guess"
finish
