# '--time' names the stages; '--dump=mir:function' prints that function and no other.
source "$METEOR_ROOT/tests/tools/expect.bash"

printf 'def first(n: int) -> int: return n + 1\ndef second(n: int) -> int: return first(n) * 2\nprint(second(3))\n' >program.met
call build --time program.met -o program
[[ $code == 0 ]] || fail "build --time: exit code $code"
cat out.txt err.txt >all.txt
for stage in parse check lower emit link; do grep -qi "$stage" all.txt || fail "--time does not mention $stage: $(cat all.txt)"; done

call check --dump=mir:second program.met
[[ $code == 0 ]] || fail "check --dump=mir:second: exit code $code"
grep -q second out.txt || fail "--dump=mir:second printed: $(head -c 500 out.txt)"
grep -q '^ *\(fn\|def\|func\|function\) .*first' out.txt && fail "--dump=mir:second printed first as well"
call check --dump=no_such_stage program.met
[[ $code == 2 ]] || fail "an unknown stage: exit code $code, expected 2"
finish
