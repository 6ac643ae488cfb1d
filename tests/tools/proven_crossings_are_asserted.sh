# A release build does not walk what a proven crossing moves; builds without optimisation, with --debug, with --leaks and of tests do, and know where it stands.
set -u
cat >program.met <<'END'
class Node:
    value: int = 0
    kids: list<Node> = []

def build(depth: int, value: int) -> Node:
    node = Node(value)
    if depth > 0:
        for i in range(2): node.kids.append(build(depth - 1, value * 2 + i))
    return node

def weigh(n: Node) -> int:
    sum = n.value
    for kid in n.kids: sum += weigh(kid)
    return sum

def change(owned n: Node) -> Node:
    n.kids[0].value += 1
    return n

def pass_on(source: Channel<Node>, to: Channel<Node>):
    for n in source: to.send(change(n))
    to.close()

def main():
    before = build(10, 1)
    sum = weigh(before)
    h = spawn change(before)
    after = h.join()
    print(weigh(after) - sum)
    there = Channel<Node>(2)
    back = Channel<Node>(2)
    relay = spawn pass_on(there, back)
    for i in range(200):
        tree = build(3, i)
        there.send(tree)
        assert weigh(back.recv()) == weigh(build(3, i)) + 1
    there.close()
    relay.join()
END
failures=0
fail() {
    echo "$*"
    failures=$((failures + 1))
}
[[ $("$METEOR" check --crossings program.met | grep -c ': proven:') == 3 ]] || fail "$("$METEOR" check --crossings program.met)"
twins() { "$METEOR" check "$@" --dump=mir program.met | grep -c '^def _check_move<.*> (proven)'; }
[[ $(twins -O2) == 0 ]] || fail "a release build walks what was proven"
for flags in -O0 --debug "--debug -O2"; do
    [[ $(twins $flags) == 2 ]] || fail "a build with $flags has $(twins $flags) walks of proven crossings"
done
"$METEOR" check -O0 --dump=mir:main program.met >main.txt
grep -q '_hand_over<Node> (proven)' main.txt || fail "the call in main: $(cat main.txt)"
for flags in -O0 -O2 -O3 --debug "--leaks -O2"; do
    timeout -s KILL 60 "$METEOR" run $flags program.met >out.txt 2>err.txt || fail "$flags: exit code $?: $(cat err.txt)"
    [[ $(cat out.txt) == 1 && ! -s err.txt ]] || fail "$flags: $(cat out.txt err.txt)"
done
((failures == 0))
