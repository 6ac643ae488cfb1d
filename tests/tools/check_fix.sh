# meteor check --fix applies the edits of the messages, round by round, and never leaves more mistakes than there were.
source "$METEOR_ROOT/tests/tools/expect.bash"

cat >a.met <<'MET'
let mut total: int? = None
try:
    total = int("5")
except ValueError:
    total = None
if total != null && total > 3: println!("large")
names = ["a"]
names.push("b"
print(names)
MET
call check --fix a.met
[[ $code == 0 ]] || { fail "check --fix: exit code $code"; cat err.txt; }
cat >wanted.met <<'MET'
total: int? = null
try:
    total = int("5")
catch ValueError:
    total = null
if total != null and total > 3: print("large")
names = ["a"]
names.append("b")
print(names)
MET
diff wanted.met a.met || fail "check --fix made something else"
grep -q 'fixed [0-9]* mistakes in 1 file' err.txt || fail "it does not say what it did: $(cat err.txt)"
call run a.met
[[ $(cat out.txt) == $'large\n["a", "b"]' ]] || fail "the fixed program printed $(cat out.txt)"

# What no message can fix stays as it is, and is reported.
printf 'x: int = "five"\nprint(x)\n' >b.met
cp b.met b.copy
call check --fix b.met
[[ $code == 2 ]] || fail "check --fix of what it can't fix: exit code $code"
cmp -s b.met b.copy || fail "check --fix changed what it could not fix"

# Edits are in the JSON too, and several files are fixed in one call.
printf 'print(helpr.twice(Tru))\n' >c.met
printf 'x = True\nprint(x)\n' >d.met
call check --json d.met
grep -q '"edits":\[{[^]]*"text":"true"' out.txt || fail "no edit in the JSON: $(cat out.txt)"
printf 'import m\nprint(m.twice(2))\n' >main.met
printf 'pub def twice(n: int) -> int:\n    x: int? = None\n    return n * (x ?? 2)\n' >m.met
call check --fix main.met d.met
[[ $(cat d.met) == $'x = true\nprint(x)' ]] || fail "d.met: $(cat d.met)"
grep -q 'x: int? = null' m.met || fail "the imported module was not fixed: $(cat m.met)"
finish
