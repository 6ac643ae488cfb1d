# Random nests of timeout, scope, race, first_ok, select and gather around an operation whose event and deadlines fall together (dev/fuzzing/nests.py): what went in comes
# out once or is still there. NEST_SEEDS="1 90" looks at 90 programs from seed 1.
# timeout: 600
set -u
read -r first count <<<"${NEST_SEEDS:-1 3}"
python3 -B "$METEOR_ROOT/dev/fuzzing/nests.py" "$METEOR" "$first" "$count" 6 || { for f in findings/*; do echo "$f"; done; exit 1; }
