# Random async programs print the same at every level of optimisation, and leave nothing behind.
# ASYNC_SEEDS="1 500" looks at more of them.
# timeout: 600
set -u
read -r first last <<<"${ASYNC_SEEDS:-1 10}"
failures=0
for ((seed = first; seed <= last; seed++)); do
    python3 "$METEOR_ROOT/tests/tools/make_async_program.py" "$seed" >program.met
    for flags in "-O0" "-O2"; do
        code=0
        timeout 120 "$METEOR" run --leaks $flags program.met >out$flags.txt 2>err.txt || code=$?
        if [[ $code != 0 ]]; then
            echo "seed $seed: $flags ended with exit code $code:"; head -20 err.txt
            failures=$((failures + 1)); continue 2
        fi
    done
    if ! cmp -s out-O0.txt out-O2.txt; then
        echo "seed $seed: -O2 differs from -O0:"; diff out-O0.txt out-O2.txt | head -10
        failures=$((failures + 1))
    fi
done
((failures == 0))
