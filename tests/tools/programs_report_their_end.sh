# How a program ended is how meteor ends: results of main, uncaught errors, os.exit, output to a closed pipe.
source "$METEOR_ROOT/tests/tools/expect.bash"

ends() {    # ends CODE SOURCE…
    local wanted=$1
    shift
    printf '%s\n' "$@" >program.met
    call run program.met
    [[ $code == "$wanted" ]] || fail "expected exit code $wanted, got $code, from: $*"
}

ends 0 'print(1)'
ends 0 'def main(): pass'
ends 7 'def main() -> int: return 7'
ends 1 'raise ValueError("no")'
grep -q 'ValueError' err.txt && grep -q 'no' err.txt && grep -q 'program.met:1' err.txt || fail "the trace is: $(cat err.txt)"
ends 3 'import os' 'print("before")' 'os.exit(3)' 'print("after")'
[[ $(cat out.txt) == before ]] || fail "os.exit: printed $(cat out.txt)"
ends 1 'def down(n: int) -> int: return down(n + 1) + 1' 'print(down(0))'
grep -qi 'stack' err.txt || fail "running out of stack says: $(head -c 500 err.txt)"
ends 1 'xs = [1]' 'print(xs[5])'
ends 2 'print(unknown_name)'

printf 'for i in range(1000000): print(i)\n' >endless.met
first=$(timeout 20 "$METEOR" run endless.met 2>pipe.txt | head -n 1) || true
[[ $first == 0 ]] || fail "into head: printed '$first'"
finish
