# 'meteor run --leaks' says of what stayed alive its type, the line of the user's code that made it, and a cycle that keeps it.
source "$METEOR_ROOT/tests/tools/expect.bash"

cat >ring.met <<'MET'
class Node:
    name: str
    other: Node?
    items: list<int> = []

def make(name: str) -> Node:
    return Node(name, null)

a = make("a")
b = Node("b", a)
a.other = b
a.items.extend([1, 2, 3])
MET
call run --leaks ring.met
[[ $code != 0 ]] || fail "a leak is a failure"
grep -q 'objects still alive' err.txt || fail "no report: $(cat err.txt)"
grep -q '1 Node, made at .*ring.met:7$' err.txt || fail "the first node's place is missing: $(cat err.txt)"
grep -q '1 Node, made at .*ring.met:10$' err.txt || fail "the second node's place is missing: $(cat err.txt)"
grep -q 'list<int>, made at .*ring.met:' err.txt || fail "what the library makes belongs to the line that called it: $(cat err.txt)"
grep -q 'a cycle keeps them: Node.other -> Node.other -> Node' err.txt || fail "no cycle: $(cat err.txt)"

echo 'print("clean")' >clean.met
call run --leaks clean.met
[[ $code == 0 && $(cat out.txt) == clean && ! -s err.txt ]] || fail "a program that leaks nothing: exit code $code, $(cat err.txt)"
finish
