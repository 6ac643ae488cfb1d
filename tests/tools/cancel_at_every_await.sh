# Every async test program, cancelled where it suspends for the first, second, … k-th time, on a virtual clock: it ends, in time, without a crash, and leaks nothing.
# timeout: 2400
# $CANCEL_PROGRAMS: which programs (part of their names); $CANCEL_MOST: how many awaits of each are tried, evenly spread.
: "${CANCEL_PROGRAMS:=}" "${CANCEL_MOST:=8}"
failed=0 programs=0 runs=0
for source in "$METEOR_ROOT"/tests/run/async/*"$CANCEL_PROGRAMS"*.met; do
    name=$(basename "$source" .met)
    grep -qE '^# (--- file|stdin|args|flags|env):' "$source" && continue
    grep -q Deadlock "$source" && continue   # one that is meant to
    "$METEOR" build -O0 "$source" -o program > build.txt 2>&1 || continue   # one that must not compile
    deadlock=Deadlock
    if grep -q Deadlock "$source"; then deadlock='not its own'; fi
    programs=$((programs + 1))
    total=$(METEOR_CANCEL_AT=never METEOR_CLOCK=virtual METEOR_BLOCK_WARN=0 timeout -s KILL 20 ./program 2>&1 > out.txt | grep -ao 'suspended [0-9]* times' | tail -1 | grep -o '[0-9]*' || true)
    total=${total:-0}
    step=$((total > CANCEL_MOST ? (total + CANCEL_MOST - 1) / CANCEL_MOST : 1))
    for ((k = 1; k <= total; k += step)); do
        code=0
        runs=$((runs + 1))
        METEOR_LEAKS=1 METEOR_CANCEL_AT=$k METEOR_CLOCK=virtual METEOR_BLOCK_WARN=0 timeout -s KILL 60 ./program > out.txt 2> err.txt < /dev/null || code=$?
        if [[ $code == 137 || $code == 139 || $code == 134 ]] || grep -qaE "leak|not its own|$deadlock" err.txt; then
            echo "$name: METEOR_CANCEL_AT=$k of $total: exit code $code"
            head -c 600 err.txt
            failed=1
        fi
    done
done
echo "$programs programs, $runs cancellations"
exit $failed
