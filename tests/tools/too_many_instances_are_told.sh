# Generic functions that use each other with two types each double with every level: told before memory is used up.
# timeout: 200
source "$METEOR_ROOT/tests/tools/expect.bash"

python3 - <<'PY'
lines = []
for k in range(28):
    lines.append(f"def g{k}_0<T>(x: T) -> int: return 1")
    lines += [f'def g{k}_{i}<T>(x: T) -> int: return g{k}_{i - 1}((x, 1)) + g{k}_{i - 1}((x, "s"))' for i in range(1, 14)]
    lines.append(f"print(g{k}_13({k}))")
open("many.met", "w").write("\n".join(lines) + "\n")
PY

rejected many.met
grep -q 'more than 200000 sets of types' err.txt || fail "many: $(head -c 500 err.txt)"
finish
