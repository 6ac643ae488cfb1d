# A second build of an unchanged program copies what the first one made; whatever went into it, when changed, makes a new one.
source "$METEOR_ROOT/tests/tools/expect.bash"
export METEOR_CACHE_DIR=$PWD/cache

builds() {
    rm -f program
    call build main.met -o program "${@:2}"
    [[ $code == 0 && $(./program) == "$1" ]] || fail "expected '$1', got '$(./program)' with exit code $code $(head -c 500 err.txt)"
}
programs() { find cache/programs -type f | wc -l; }

echo 'pub def word() -> str: return "one"' >part.met
printf 'import part\nprint(part.word())\n' >main.met
builds one
[[ $(programs) == 1 ]] || fail "the program was not kept"
builds one
[[ $(programs) == 1 ]] || fail "an unchanged program was built again"
# What the user does with the file is nothing to the cache.
printf x >>program
chmod u-x program
builds one
[[ $(stat -c %h program) == 1 ]] || fail "the executable is a link into the cache"

builds one --debug
[[ $(programs) == 2 ]] || fail "options that change the code share a program"
if [[ $METEOR_BUILD != *san ]]; then   # a sanitizer can't be linked statically
    builds one --static
    [[ $(programs) == 3 ]] || fail "a static program is not one of its own"
fi
echo 'pub def word() -> str: return "two"' >part.met
builds two

mkdir folder
call build main.met -o folder
[[ $code == 2 ]] || fail "an executable over a folder: exit code $code"

# Without a place for the cache it works as well.
METEOR_CACHE_DIR=/proc/nowhere
builds two

# A warning is shown each time.
printf 'def f() -> int:\n    return 1\n    print("never")\nprint(f())\n' >main.met
METEOR_CACHE_DIR=$PWD/cache
call build main.met -o program
first=$(cat err.txt)
call build main.met -o program
[[ $(cat err.txt) == "$first" ]] || fail "the second build says something else: $(cat err.txt)"
finish
