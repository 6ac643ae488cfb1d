# What a program raises itself says what is wrong: no help for the language's own mistakes is added.
source "$METEOR_ROOT/tests/tools/expect.bash"
echo 'raise KeyError("no such account")' >main.met
call run main.met
[[ $code == 1 ]] || fail "exit code $code"
grep -q 'KeyError: no such account' err.txt || fail "$(cat err.txt)"
! grep -q 'help' err.txt || fail "help was added: $(cat err.txt)"
