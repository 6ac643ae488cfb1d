# A second run of an unchanged program starts the executable made by the first; whatever went into it, when changed, makes a new one.
source "$METEOR_ROOT/tests/tools/expect.bash"
export METEOR_CACHE_DIR=$PWD/cache

stored() { find cache -type f -printf '%p %T@\n' 2>/dev/null | sort | md5sum; }
prints() {
    call run main.met
    [[ $code == 0 && $(cat out.txt) == "$1" ]] || fail "expected '$1', got '$(cat out.txt)' with exit code $code $(head -c 500 err.txt)"
}
entries() { find cache -type f | wc -l; }

echo 'pub def word() -> str: return "one"' >part.met
printf 'import part\nprint(part.word())\n' >main.met
prints one
[[ $(entries) -gt 0 ]] || fail "nothing was kept in METEOR_CACHE_DIR"
before=$(entries)
prints one
[[ $(entries) == "$before" ]] || fail "an unchanged program was built again"

echo 'pub def word() -> str: return "two"' >part.met
prints two
echo 'pub def word() -> str: return "one"' >part.met
prints one
touch -d '2001-01-01' part.met
prints one
mkdir elsewhere && cp main.met part.met elsewhere/
(cd elsewhere && "$METEOR" run main.met >/dev/null) || fail "the program does not run from another folder"

# A damaged cache is a slow cache, not a broken one.
find cache -type f -exec sh -c ': >"$1"' _ {} \;
prints one
rm -rf cache && : >cache
prints one
rm cache

# Several at once.
for i in 1 2 3 4; do "$METEOR" run main.met >"par_$i.txt" 2>&1 & done
wait
for i in 1 2 3 4; do [[ $(cat "par_$i.txt") == one ]] || fail "a parallel run printed: $(cat "par_$i.txt")"; done

# A program that does not compile says so each time.
echo 'print(nothing_of_that_name)' >main.met
for i in 1 2; do
    call run main.met
    [[ $code == 2 && -s err.txt ]] || fail "run $i of a wrong program: exit code $code"
done
finish
