# 'meteor build' needs no C compiler: it works with an empty PATH, and what it makes needs neither meteor nor the source.
source "$METEOR_ROOT/tests/tools/expect.bash"

cat >greet.met <<'MET'
def main(args: list<str>) -> int:
    print("hello", args)
    return len(args)
MET
PATH=/nowhere "$METEOR" build greet.met -o greet || fail "meteor build failed with an empty PATH"
rm greet.met
status=0
printed=$(./greet a 'b c') || status=$?
[[ $printed == 'hello ["a", "b c"]' && $status == 2 ]] || fail "printed '$printed' with exit code $status"

echo 'print("beside")' >beside.met
"$METEOR" build beside.met || fail "meteor build without -o failed"
[[ $(./beside) == beside ]] || fail "without -o the executable is named after the source"

echo 'x: int = "no"' >wrong.met
call build wrong.met -o wrong
[[ $code == 2 && ! -e wrong ]] || fail "a wrong program: exit code $code, or an executable was left"
finish
