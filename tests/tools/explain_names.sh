# meteor explain knows every diagnostic, as it is written in a message or alone, and helps with a misspelt one.
source "$METEOR_ROOT/tests/tools/expect.bash"
for name in $(grep -oP '^DIAGNOSTIC\(\w+, "\K[^"]+' "$METEOR_ROOT/compiler/diagnostics/diagnostics.def"); do
    call explain "$name"
    [[ $code == 0 && $(head -1 out.txt) == "# $name" ]] || fail "meteor explain $name: exit code $code, printed $(head -1 out.txt)"
done
call explain 'error[type-mismatch]'
[[ $code == 0 ]] || fail "meteor explain 'error[type-mismatch]': exit code $code"
call explain 'warning[unreachable-pattern]'
[[ $code == 0 ]] || fail "meteor explain 'warning[unreachable-pattern]': exit code $code"
call explain type-mismatc
[[ $code == 2 ]] && grep -q 'type-mismatch' err.txt || fail "no help with a misspelt name: $(cat err.txt)"
call explain ../README
[[ $code == 2 ]] || fail "meteor explain reads other files"
finish
