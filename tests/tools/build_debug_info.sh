# gdb stops at Meteor lines and shows Meteor functions; an optimised program keeps its function names for perf.
source "$METEOR_ROOT/tests/tools/expect.bash"
case $METEOR_BUILD in *san) exit 0 ;; esac      # gdb and sanitizers get in each other's way

cat >program.met <<'MET'
def inner(n: int) -> int:
    doubled = n * 2
    print("inner", doubled)
    return doubled

def outer(n: int) -> int:
    return inner(n + 1) + 1

print(outer(20))
MET
"$METEOR" build --debug program.met -o program
gdb -q -nx -batch -ex 'set debuginfod enabled off' -ex 'break program.met:3' -ex run -ex backtrace ./program >gdb.txt 2>&1 || true
if grep -q 'ptrace: Operation not permitted\|Could not trace the inferior' gdb.txt; then
    exit 0      # a container without ptrace
fi
grep -q 'program\.met:3' gdb.txt || fail "no stop at program.met:3"
grep -q 'inner.*program\.met' gdb.txt || fail "the backtrace does not show inner"
grep -q 'outer.*program\.met:7' gdb.txt || fail "the backtrace does not show outer at line 7"
[[ $failures == 0 ]] || cat gdb.txt

cat >loop.met <<'MET'
def busy_work(n: int) -> int:
    total = 0
    for i in range(n):
        total = (total * 31 + i) % 1000003
        if total == 7: print("seven")
    return total
def other(n: int) -> int: return busy_work(n) + busy_work(n + 1) + busy_work(n + 2)
print(other(1000))
MET
"$METEOR" build loop.met -o loop
grep -q 'busy_work\|other' loop || fail "function names are not in the optimised executable"
finish
