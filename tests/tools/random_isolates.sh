# Random programs over several isolates (dev/fuzzing/isolates.py) print what their generator has computed, and leave nothing behind.
# ISOLATE_SEEDS="1 90" looks at more of them; each is twelve scenarios.
# timeout: 600
set -u
read -r first last <<<"${ISOLATE_SEEDS:-1 2}"
failures=0
for ((seed = first; seed <= last; seed++)); do
    python3 -B - "$seed" <<'END'
import os, sys
sys.path.insert(0, os.environ["METEOR_ROOT"] + "/dev")
from fuzzing.isolates import make_program
program, expected = make_program(int(sys.argv[1]), 12)
open("program.met", "w").write(program)
open("expected.txt", "w").write(expected)
END
    for flags in "--leaks -O0" "--leaks -O2" -O2; do   # what was proven of a crossing is checked all the same, but not without --leaks
        code=0
        timeout -s KILL 120 "$METEOR" run $flags program.met >out.txt 2>err.txt || code=$?
        if [[ $code != 0 || -s err.txt ]] || ! cmp -s out.txt expected.txt; then
            echo "seed $seed: $flags ended with exit code $code:"; head -20 err.txt; diff out.txt expected.txt | head -10
            failures=$((failures + 1))
        fi
    done
done
((failures == 0))
