# An installed meteor finds its runtime and library beside itself, wherever that is.
source "$METEOR_ROOT/tests/tools/expect.bash"

cmake --install "$METEOR_BUILD" --prefix "$PWD/first" >/dev/null
mv first second
printf 'import math\nprint(sorted([3, 1, 2]), math.sqrt(16.0))\n' >program.met
printed=$(env -i HOME="$PWD" METEOR_CACHE_DIR="$PWD/cache" "$PWD/second/bin/meteor" run program.met) || fail "exit code $?"
[[ $printed == '[1, 2, 3] 4.0' ]] || fail "printed: $printed"
ln -s second/bin/meteor linked
[[ $(./linked run program.met) == '[1, 2, 3] 4.0' ]] || fail "through a symbolic link"

# It is the installed library that is used, not the source tree's.
rm -r second/lib/meteor/std
call() { code=0; timeout 20 ./linked "$@" >out.txt 2>err.txt || code=$?; }
echo 'this is not Meteor (' >broken.met
mkdir -p second/lib/meteor/std/core && cp broken.met second/lib/meteor/std/core/hooks.met
call run program.met
[[ $code != 0 ]] || fail "a broken installed library went unnoticed"
finish
