# Random programs that alias, clear and re-enter print the same, ends of objects included, whether everything is counted
# or only what must be, and at every level of optimisation. Under a sanitizer they show every use of what is gone.
# ALIASING_SEEDS="1 500" looks at more of them.
# timeout: 600
set -u
# What random programs tie into rings stays alive, which is not the question here.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
read -r first last <<<"${ALIASING_SEEDS:-1 12}"
failures=0
for ((seed = first; seed <= last; seed++)); do for kind in nodes shapes; do
    python3 "$METEOR_ROOT/tests/tools/make_aliasing_program.py" "$seed" "$kind" >program.met
    wanted=
    for flags in "-O0 --counting=naive" "-O0" "-O2"; do
        # shellcheck disable=SC2086
        if ! timeout 120 "$METEOR" build $flags -o program program.met >build.txt 2>&1; then
            echo "seed $seed $kind: meteor build $flags failed:"; head -20 build.txt
            failures=$((failures + 1)); break
        fi
        code=0
        timeout 60 ./program >out.txt 2>&1 || code=$?
        echo "exit code $code" >>out.txt
        if [[ -z $wanted ]]; then
            wanted=wanted.txt; mv out.txt wanted.txt
        elif ! cmp -s wanted.txt out.txt; then
            echo "seed $seed $kind: $flags differs from counting everything:"; diff wanted.txt out.txt | head -10
            failures=$((failures + 1))
        fi
        if ((code > 1)); then echo "seed $seed $kind: $flags ended with exit code $code"; tail -20 wanted.txt out.txt 2>/dev/null; failures=$((failures + 1)); fi
    done
done; done
((failures == 0))
