# Odd but legal texts run; bytes that are no text are errors that say where.
source "$METEOR_ROOT/tests/tools/expect.bash"

: >empty.met
printf '\n\n\n' >only_newlines.met
printf '# nothing\n  # here\n' >only_comments.met
printf '# no newline at the end' >comment_without_newline.met
printf '   \t  ' >only_blanks.met
printf 'print(1)' >no_newline.met
printf 'if true:\r\n    print("crlf")\r\nprint("""a\r\nb""")\r\n' >crlf.met
printf '\xef\xbb\xbfprint("bom")\n' >bom.met
printf '\xef\xbb\xbf' >only_bom.met
printf 'if true:\n\tprint("tabs")\n' >tabs.met
for file in *.met; do accepted "$file"; done
call run crlf.met
[[ $(head -n 1 out.txt) == crlf ]] || fail "crlf.met printed: $(cat out.txt)"
call run bom.met
[[ $(cat out.txt) == bom ]] || fail "bom.met printed: $(cat out.txt)"

mkdir wrong
printf 'x = 1\0\n' >wrong/nul.met
printf '\0\0\0\0' >wrong/only_nul.met
printf 'x = "\xff"\n' >wrong/invalid_utf8.met
printf 'x = 1\n\xc3' >wrong/cut_utf8.met
printf '# \xed\xa0\x80\n' >wrong/surrogate.met
printf '# \xc0\xaf\n' >wrong/overlong.met
printf '\xff\xfex\0=\0' >wrong/utf16.met
printf 'x = 1 \xe2\x80\xae+ 2\n' >wrong/direction_override.met
printf 'if true:\n    x = 1\n\ty = 2\n' >wrong/tabs_and_spaces.met
printf 'if true:\n        x = 1\n    y = 2\n' >wrong/dedent_to_nowhere.met
printf '  x = 1\n' >wrong/indented_start.met
printf 'x = """never closed\n' >wrong/open_text.met
printf 'if true:' >wrong/header_at_end.met
for file in wrong/*.met; do rejected "$file"; done
finish
