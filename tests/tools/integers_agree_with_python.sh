# Every operator on every width of integer, at the edges of its range, gives what Python gives or the error that says why not: with variables,
# literals and constants, with and without optimisation.
# timeout: 300
set -u
failures=0
for part in int8 uint8 int16 uint16 int32 uint32 int uint64 floats ranges; do
    python3 "$METEOR_ROOT/tests/tools/make_integer_cases.py" program.met expected.txt "$part"
    for level in -O0 -O2; do
        if ! timeout 120 "$METEOR" build $level -o program program.met >build.txt 2>&1; then
            echo "$part: meteor build $level failed:"; head -20 build.txt
            failures=$((failures + 1)); continue
        fi
        timeout 60 ./program >out.txt 2>&1
        if ! cmp -s expected.txt out.txt; then
            echo "$part $level: differs from Python:"; diff expected.txt out.txt | head -10
            failures=$((failures + 1))
        fi
    done
done
((failures == 0))
