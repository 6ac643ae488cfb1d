# Random programs full of shared objects (dev/fuzzing/crossings.py) whose crossings the compiler proves or checks: a debug build walks what was proven too and finds no
# proof wrong, and a release build, which does not, prints the same. CROSSING_SEEDS="1 90" looks at more of them.
# timeout: 600
set -u
read -r first last <<<"${CROSSING_SEEDS:-1 3}"
failures=0 proven=0
for ((seed = first; seed <= last; seed++)); do
    python3 -B - "$seed" <<'END'
import os, sys
sys.path.insert(0, os.environ["METEOR_ROOT"] + "/dev")
from fuzzing.crossings import make_program
open("program.met", "w").write(make_program(int(sys.argv[1]), 6))
END
    proven=$((proven + $("$METEOR" check --crossings program.met | grep -c ': proven:')))
    for flags in -O0 -O2; do
        code=0
        timeout -s KILL 120 "$METEOR" run $flags program.met >"out$flags.txt" 2>err.txt || code=$?
        if [[ $code != 0 || -s err.txt ]]; then
            echo "seed $seed: $flags ended with exit code $code:"; head -20 err.txt
            failures=$((failures + 1))
        fi
    done
    if ! cmp -s out-O0.txt out-O2.txt; then
        echo "seed $seed: not the same without the walks:"; diff out-O0.txt out-O2.txt | head -10
        failures=$((failures + 1))
    fi
    grep -q stays out-O0.txt || { echo "seed $seed: nothing was refused"; failures=$((failures + 1)); }
done
((proven > 0)) || { echo "nothing was proven"; failures=$((failures + 1)); }
((failures == 0))
