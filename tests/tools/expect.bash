# Sourced by the scripts here: what meteor may do with bad input. It answers in 20 s, with an exit code of its own and a short text.
LIMIT_SECONDS=20
case $METEOR_BUILD in *san) LIMIT_SECONDS=80 ;; esac
LONGEST_TEXT=200000
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# call ARGS…: runs meteor; leaves exit code in $code, output in out.txt and err.txt. A signal, a hang or a flood of text is a failure.
call() {
    code=0
    timeout -k 1 $LIMIT_SECONDS "$METEOR" "$@" >out.txt 2>err.txt </dev/null || code=$?
    if [[ $code == 124 || $code == 137 ]]; then
        fail "meteor $*: no answer within $LIMIT_SECONDS s"
    elif [[ $code -ge 99 ]]; then
        fail "meteor $*: crashed with exit code $code"
        head -c 2000 err.txt
    elif [[ $(stat -c %s err.txt) -gt $LONGEST_TEXT ]]; then
        fail "meteor $*: $(stat -c %s err.txt) bytes of diagnostics"
    fi
}

must_have_diagnostic() {
    grep -q 'error' err.txt || fail "meteor $*: exit code 2 without an error on stderr"
}

# rejected FILE: a program that is wrong.
rejected() {
    call check "$1"
    [[ $code == 2 ]] || fail "meteor check $1: exit code $code, expected 2"
    must_have_diagnostic check "$1"
}

# accepted FILE: a program that is right and ends well.
accepted() {
    local command
    for command in check run; do
        call $command "$1"
        [[ $code == 0 ]] || { fail "meteor $command $1: exit code $code, expected 0"; head -c 2000 err.txt; }
    done
}

# answered FILE: right or wrong, but meteor says which. What passes the check is also run.
answered() {
    call check "$1"
    case $code in
        0) call run "$1"
           [[ $code -le 2 ]] || fail "meteor run $1: exit code $code" ;;
        2) must_have_diagnostic check "$1" ;;
        *) fail "meteor check $1: exit code $code, expected 0 or 2" ;;
    esac
}

finish() {
    [[ $failures == 0 ]]
}
