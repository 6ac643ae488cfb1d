# The project's own Meteor sources are in the one style. tests/run/source shows layouts that are legal but odd, so it stays as written.
cd "$METEOR_ROOT"
mapfile -t folders < <(find tests/run -mindepth 1 -maxdepth 1 -type d ! -name source | sort)
"$METEOR" fmt --check std examples "${folders[@]}" >"$OLDPWD/changed.txt" || {
    echo "not formatted; './x fmt' does it:"
    cat "$OLDPWD/changed.txt"
    exit 1
}
