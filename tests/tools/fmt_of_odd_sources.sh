# meteor fmt of real programs in odd dress (line ends, tabs, comments in every place, blank lines, spaces): stable after one pass, never a change of
# meaning, and the same result whatever the dress was. Files with errors, of which tests/ui has many, stay as they are byte for byte.
# timeout: 300
source "$METEOR_ROOT/tests/tools/expect.bash"
LIMIT_SECONDS=200   # for a folder of files

mapfile -t sources < <(find "$METEOR_ROOT/tests" -name '*.met' | sort | awk 'NR % 12 == 0')
python3 "$METEOR_ROOT/tests/tools/make_odd_sources.py" odd "${sources[@]}"
cp -r odd before
for shape in odd/*; do
    call fmt "$shape"
    ! grep -q 'mistake of meteor fmt' err.txt || fail "$shape: $(grep 'mistake of meteor fmt' err.txt)"
    sed -n 's/^error: \(.*\): left as it is.*/\1/p' err.txt >left.txt
    while read -r path; do
        cmp -s "$path" "before/${path#odd/}" || fail "$path has errors and was changed"
    done <left.txt
    mapfile -t sound < <(ls "$shape"/*.met | grep -vxFf left.txt)
    call fmt --check "${sound[@]}"
    [[ $code == 0 ]] || fail "$shape: a second pass changes $(tr '\n' ' ' <out.txt)"
    [[ $shape != *comments* && $shape != *blank_lines ]] || continue
    for path in "${sound[@]}"; do
        grep -q "\"\"\"\|'''\|\\\\$\|mixed-tabs" "odd/as_they_are/${path##*/}" && continue   # text of several lines keeps its own line ends
        cmp -s "$path" "odd/as_they_are/${path##*/}" || fail "$path is not what it is without the dress"
    done
done
for shape in comments_everywhere comments_at_the_margin; do   # no comment is lost or moved past another
    for path in "odd/$shape"/*.met; do
        cmp -s <(grep -oE '# ?(before|beside|margin) [0-9]+|# at the end' "$path" | tr -d ' #') \
            <(grep -oE '# ?(before|beside|margin) [0-9]+|# at the end' "before/$shape/${path##*/}" | tr -d ' #') || fail "$path: comments are lost or in another order"
    done
done

# A line of a million characters, and one of a million brackets' worth of arguments.
python3 - <<'PY'
open("long.met", "w").write("x = [" + ", ".join(str(n) for n in range(100_000)) + "]\ny = \"" + "a" * 1_000_000 + "\"  # " + "c" * 100_000 + "\n")
PY
call fmt long.met
[[ $code == 0 ]] || fail "long lines: exit code $code"
call fmt --check long.met
[[ $code == 0 ]] || fail "long lines: a second pass changes them"
finish
