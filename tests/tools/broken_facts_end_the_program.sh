# With --check-facts a program whose memory is not what the compiler believes ends with an internal error that names the fact and the line; C breaks the memory here. Without it nothing of
# that is in the code.
set -u
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }

breaks() {   # NAME FACT LINE: the program NAME.met ends with that fact at that line
    for level in -O0 -O2; do
        code=0
        "$METEOR" run --check-facts $level "$1.met" >out.txt 2>err.txt || code=$?
        [[ $code == 70 ]] || fail "$1 $level: exit code $code"
        grep -q "internal error: the compiler believed that $2 (.*$3" err.txt || fail "$1 $level: $(cat err.txt)"
    done
}

cat >unset.met <<'MET'
extern "C" def memset(at: int, value: int32, bytes: int) -> int
class Node:
    name: str
kept = [Node("a text that is longer than fifteen bytes")]
memset(id(kept[0]) + 16, 0, 16)
print(kept[0].name)
MET
breaks unset "this has a value" "unset.met:6"

cat >frozen.met <<'MET'
extern "C" def memset(at: int, value: int32, bytes: int) -> int
class Node:
    count: int
kept = [Node(1)]
memset(id(kept[0]) + 3, 128, 1)
kept[0].count = 2
MET
breaks frozen "what is written here is neither frozen nor a const" "frozen.met:6"

cat >range.met <<'MET'
extern "C" def memset(at: int, value: int32, bytes: int) -> int
kept = [[1, 2, 3]]
memset(id(kept[0]) + 24, 100, 1)
print(kept[0][50])
MET
breaks range "this index is within the memory that it is used on" "list.met"

cat >type.met <<'MET'
extern "C" def memcpy(to: int, from_: int, bytes: int) -> int
class Cat:
    name: str
    def meow(self) -> str: return self.name
class Dog:
    legs: int
    tail: int
cats = [Cat("a text that is longer than fifteen bytes")]
dogs = [Dog(4, 1)]
memcpy(id(cats[0]) + 8, id(dogs[0]) + 8, 8)
def ask(cat: Cat) -> str: return cat.meow()
print(ask(cats[0]))
MET
breaks type "this has the type that it is used as" "type.met"

cat >fine.met <<'MET'
class Node:
    next: Node? = null
    items: list<int> = [1, 2, 3]
const TABLE = {"a": [1], "b": [2]}
nodes = [Node() for _ in range(3)]
for node in nodes: node.next = nodes[0]
print(sum([len(node.items) for node in nodes]), len(TABLE), freeze([1, 2])[1])
MET
for level in -O0 -O2; do
    [[ $("$METEOR" run --check-facts $level fine.met 2>&1) == "9 2 2" ]] || fail "fine $level: $("$METEOR" run --check-facts $level fine.met 2>&1)"
    [[ $(METEOR_CHECK_FACTS=1 "$METEOR" build $level --dump=llvm fine.met | grep -c met_fact) -gt 0 ]] || fail "METEOR_CHECK_FACTS changes nothing"
    [[ $("$METEOR" build $level --dump=llvm fine.met | grep -c "met_fact\|met_freed") == 0 ]] || fail "facts are asserted without --check-facts"
done
((failures == 0))
