# Random async programs print the same at every level of optimisation and with --async=naive, and leave nothing behind.
# ASYNC_SEEDS="1 500" looks at more of them.
# timeout: 600
set -u
read -r first last <<<"${ASYNC_SEEDS:-1 4}"
failures=0
for ((seed = first; seed <= last; seed++)); do
    python3 "$METEOR_ROOT/tests/tools/make_async_program.py" "$seed" >program.met
    for flags in "-O0" "-O2" "-O0 --async=naive"; do
        code=0
        timeout 120 "$METEOR" run --leaks $flags program.met >"out$flags.txt" 2>err.txt || code=$?
        if [[ $code != 0 ]]; then
            echo "seed $seed: $flags ended with exit code $code:"; head -20 err.txt
            failures=$((failures + 1)); continue 2
        fi
    done
    for flags in "-O2" "-O0 --async=naive"; do
        cmp -s out-O0.txt "out$flags.txt" && continue
        echo "seed $seed: $flags differs from -O0:"; diff out-O0.txt "out$flags.txt" | head -10
        failures=$((failures + 1))
    done
done
((failures == 0))
