# Random programs print at every level of optimisation what the same programs print in Python.
# TWIN_SEEDS="1 500" looks at more of them.
# timeout: 600
set -u
read -r first last <<<"${TWIN_SEEDS:-1 4}"
failures=0
for ((seed = first; seed <= last; seed++)); do
    python3 "$METEOR_ROOT/dev/fuzzing/python_twins.py" "$seed" program
    python3 program.py >wanted.txt || { echo "seed $seed: Python ended with an error"; failures=$((failures + 1)); continue; }
    for flags in "-O0" "-O2"; do
        code=0
        timeout 120 "$METEOR" run $flags program.met >out.txt 2>err.txt || code=$?
        if [[ $code != 0 ]]; then
            echo "seed $seed: $flags ended with exit code $code:"; head -20 err.txt
            failures=$((failures + 1)); break
        fi
        cmp -s out.txt wanted.txt && continue
        echo "seed $seed: $flags prints something else than Python:"; diff out.txt wanted.txt | head -10
        failures=$((failures + 1)); break
    done
done
((failures == 0))
