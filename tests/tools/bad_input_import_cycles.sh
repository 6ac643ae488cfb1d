# A file that imports itself, and longer circles, are errors that print the circle.
source "$METEOR_ROOT/tests/tools/expect.bash"

echo 'import self_importing' >self_importing.met
rejected self_importing.met
grep -q 'self_importing' err.txt || fail "the circle is not named"

echo 'import b' >a.met
echo 'import c' >b.met
echo 'from a import x' >c.met
rejected a.met
for name in a b c; do grep -qw "$name" err.txt || fail "module $name of the circle is not named"; done

echo 'import not_there' >lonely.met
rejected lonely.met
grep -q 'not_there' err.txt || fail "the missing module is not named"

mkdir folder
echo 'import folder' >imports_a_folder.met
rejected imports_a_folder.met
finish
