# Random programs that share objects in every way there is and change them in loops (dev/fuzzing/loops.py), giving up the turn wherever that is possible: another task
# never sees an object half changed. LOOP_SEEDS="1 90" looks at more of them.
# timeout: 600
set -u
read -r first last <<<"${LOOP_SEEDS:-1 3}"
failures=0 checkpoints=0
for ((seed = first; seed <= last; seed++)); do
    python3 -B "$METEOR_ROOT/dev/fuzzing/loops.py" "$seed" >program.met
    checkpoints=$((checkpoints + $("$METEOR" check --dump=mir program.met | awk '/^def /{own = $2 ~ /^f[0-9]/} own && /checkpoint/' | wc -l)))
    code=0
    METEOR_CLOCK=virtual METEOR_YIELD=always timeout -s KILL 120 "$METEOR" run -O0 program.met >out.txt 2>err.txt || code=$?
    if [[ $code != 0 || -s err.txt || $(cat out.txt) != true ]]; then
        echo "seed $seed: exit code $code:"; head -20 err.txt; head -5 out.txt
        failures=$((failures + 1))
    fi
done
((checkpoints > 0)) || { echo "no loop gives way"; failures=$((failures + 1)); }
((failures == 0))
