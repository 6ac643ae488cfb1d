# meteor fmt: files, folders, --check, --stdin, and what it leaves alone.
source "$METEOR_ROOT/tests/tools/expect.bash"

mkdir -p deep/er .hidden
printf 'x=1\nif x\n  print( x )\n' >deep/er/a.met
printf 'x=1\n' >.hidden/b.met
printf 'x = 1\n' >fine.met
printf 'not a source' >deep/readme.txt
chmod 640 deep/er/a.met

call fmt --check .
[[ $code == 1 && $(cat out.txt) == deep/er/a.met ]] || fail "fmt --check .: exit code $code, printed $(cat out.txt)"
[[ $(head -1 deep/er/a.met) == x=1 ]] || fail "fmt --check changed a file"
call fmt
[[ $code == 0 ]] || fail "fmt: exit code $code"
[[ $(cat deep/er/a.met) == $'x = 1\nif x:\n    print(x)' ]] || fail "fmt made: $(cat deep/er/a.met)"
[[ $(stat -c %a deep/er/a.met) == 640 ]] || fail "fmt changed the mode to $(stat -c %a deep/er/a.met)"
[[ $(cat .hidden/b.met) == x=1 ]] || fail "fmt went into a hidden folder"
call fmt --check fine.met deep
[[ $code == 0 && ! -s out.txt ]] || fail "fmt --check of formatted files: exit code $code"

# A broken file stays as it is, byte for byte, and the others are formatted.
printf 'x=1\nif x=2:\n  y = (\n' >broken.met
cp broken.met broken.copy
printf 'y=2\n' >other.met
call fmt broken.met other.met
[[ $code == 2 ]] || fail "fmt of a broken file: exit code $code"
cmp -s broken.met broken.copy || fail "fmt changed a broken file"
grep -q 'left as it is' err.txt || fail "fmt does not say that it left the file alone: $(cat err.txt)"
[[ $(cat other.met) == 'y = 2' ]] || fail "fmt stopped at the broken file"

[[ $(printf 'x=1;' | "$METEOR" fmt --stdin) == 'x = 1' ]] || fail "fmt --stdin"
[[ $(printf 'x=(' | "$METEOR" fmt --stdin 2>/dev/null || true) == 'x=(' ]] || fail "fmt --stdin of broken text"
code=0; printf 'x=1' | "$METEOR" fmt --stdin --check >out.txt || code=$?
[[ $code == 1 && ! -s out.txt ]] || fail "fmt --stdin --check: exit code $code"
call fmt /no/such/file.met
[[ $code == 2 ]] || fail "fmt of a missing file: exit code $code"
[[ -z $(printf '' | "$METEOR" fmt --stdin) ]] || fail "an empty file is not empty any more"
printf '\xef\xbb\xbfx = 1\r\nif x:\r\n\ty = 2\r\n' >crlf.met
call fmt crlf.met
[[ $(cat crlf.met) == $'x = 1\nif x:\n    y = 2' ]] || fail "line ends, tabs and byte order mark: $(cat -A crlf.met)"
ln -s other.met link.met
printf 'y=3\n' >other.met
call fmt link.met
[[ -L link.met && $(cat other.met) == 'y = 3' ]] || fail "fmt replaced a link"
finish
