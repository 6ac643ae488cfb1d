# What can't be read as a file is refused with its name and the reason, exit code 2.
source "$METEOR_ROOT/tests/tools/expect.bash"

refused() {
    local command
    for command in check run build; do
        call $command "$1"
        [[ $code == 2 ]] || fail "meteor $command $1: exit code $code, expected 2"
        grep -qF "$1" err.txt || fail "meteor $command $1: the message does not name the file: $(head -c 300 err.txt)"
    done
}

refused missing.met
mkdir folder.met
refused folder.met
ln -s nowhere.met dangling.met
refused dangling.met
ln -s circle.met circle.met
refused circle.met
touch file
refused file/below.met
refused "$(printf 'a%.0s' {1..300}).met"
refused /dev/zero
echo 'print(1)' >secret.met
chmod 000 secret.met
[[ -r secret.met ]] || refused secret.met      # root reads everything
call check ""
[[ $code == 2 ]] || fail "meteor check '': exit code $code, expected 2"
finish
