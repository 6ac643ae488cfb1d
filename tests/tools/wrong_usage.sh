# A wrong call is answered on stderr with exit code 2; asking for help or the version is not an error.
source "$METEOR_ROOT/tests/tools/expect.bash"

misused() {
    call "$@"
    [[ $code == 2 ]] || fail "meteor $*: exit code $code, expected 2"
    [[ -s err.txt ]] || fail "meteor $*: nothing on stderr"
}

echo 'print("hello")' >hello.met
misused no-such-command
misused run
misused build
misused check
misused run --no-such-flag hello.met
misused check --no-such-flag hello.met
misused build hello.met -o
misused build hello.met -o /nowhere/hello
call help
[[ $code == 0 && -s out.txt ]] || fail "meteor help: exit code $code"
call version
[[ $code == 0 && -s out.txt ]] || fail "meteor version: exit code $code"
call run hello.met
[[ $code == 0 && $(cat out.txt) == hello ]] || fail "meteor run hello.met: exit code $code, printed $(cat out.txt)"
finish
