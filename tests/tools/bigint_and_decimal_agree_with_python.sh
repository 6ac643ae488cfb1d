# Random operations on bigint and decimal give what Python's int and Decimal give.
# NUMBER_SEEDS="1 100" looks at more of them.
# timeout: 300
set -eu
read -r first last <<<"${NUMBER_SEEDS:-1 2}"
for kind in bigint decimal; do
    "$METEOR" build -o $kind "$METEOR_ROOT/tests/tools/${kind}_operations.met"
done
for ((seed = first; seed <= last; seed++)); do
    python3 "$METEOR_ROOT/tests/tools/bigint_cases.py" "$seed" 2000 400 timeout 60 ./bigint
    python3 "$METEOR_ROOT/tests/tools/bigint_cases.py" "$seed" 200 7000 timeout 60 ./bigint
    python3 "$METEOR_ROOT/tests/tools/decimal_cases.py" "$seed" 2000 timeout 60 ./decimal
done
