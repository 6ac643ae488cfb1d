# The cache of built programs does not grow for ever: METEOR_CACHE_LIMIT_MB bounds it, and the newest stay.
# timeout: 120
source "$METEOR_ROOT/tests/tools/expect.bash"
export METEOR_CACHE_DIR=$PWD/cache METEOR_CACHE_LIMIT_MB=5

for i in $(seq 1 25); do
    echo "print($i)" >"program_$i.met"
    call run "program_$i.met"
    [[ $code == 0 && $(cat out.txt) == "$i" ]] || fail "program $i: exit code $code"
done
size_mb=$(du -sm cache | cut -f1)
[[ $size_mb -le 8 ]] || fail "the cache holds $size_mb MB with a limit of 5"
finish
