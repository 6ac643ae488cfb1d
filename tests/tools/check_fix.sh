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

# A name that a function reads and assigns is the one outside; the base's constructor is called by `super`.
cat >e.met <<'MET'
count = 0
def next_number() -> int:
    count += 1
    return count
def twice() -> int:
    made = 0
    def make():
        made += 2
    make()
    return made
class Base:
    name: str
    def __init__(self, name: str): self.name = name
class Derived(Base):
    def __init__(self, name: str):
        Base.__init__(self, name)
print(next_number(), twice(), Derived("d").name)
MET
call check --fix e.met
[[ $code == 0 ]] || { fail "check --fix of names outside: exit code $code"; cat err.txt; }
call run e.met
[[ $(cat out.txt) == "1 2 d" ]] || fail "the fixed program printed $(cat out.txt)"
grep -q '^    global count$' e.met || fail "no global: $(cat e.met)"
grep -q '^        nonlocal made$' e.met || fail "no nonlocal: $(cat e.met)"
grep -q '^        super.__init__(name)$' e.met || fail "no super: $(cat e.met)"

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
