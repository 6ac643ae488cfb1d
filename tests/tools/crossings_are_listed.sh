# 'meteor check --crossings' lists what leaves its isolate: proven where nothing else can refer to it, checked with the reason elsewhere.
source "$METEOR_ROOT/tests/tools/expect.bash"

cat >proven.met <<'END'
class Node:
    value: int = 0
    kids: list<Node> = []

def build(depth: int) -> Node:
    node = Node(depth)
    if depth > 0:
        for i in range(2): node.kids.append(build(depth - 1))
    return node

def same_again(n: Node) -> Node: return n

def weigh(n: Node) -> int: return n.value + len(n.kids)

def work(owned n: Node) -> int: return n.value

def work_all(owned ns: list<Node>, name: str) -> int: return len(ns) + len(name)

def grow(owned n: Node) -> Node:
    n.kids.append(Node(1))
    return n

def launch(owned n: Node) -> int:
    h = spawn work(n)
    return h.join()

def feed(out: Channel<Node>):
    for i in range(3): out.send(build(i))

def take(out: Channel<Node>) -> int: return out.recv().value

async def on_a_pool() -> int:
    pool = Pool(1)
    tree = build(2)
    got = await pool.run((n: Node) -> n.value, tree)
    await pool.close()
    return got

def main():
    tree = build(3)
    h = spawn work(tree)
    many: list<Node> = []
    for i in range(3): many.append(build(1))
    print(weigh(many[0]))
    name = f"{len(many)} trees"
    g = spawn work_all(many, name)
    print(launch(build(1)))
    through = same_again(build(1))
    k = spawn grow(through)
    here = build(0)
    f = spawn (() -> here.value)()
    out = Channel<Node>(4)
    feed(out)
    print(h.join(), g.join(), k.join().value, f.join())
END
call check --crossings proven.met
cat >expected.txt <<'END'
proven.met:24:20: proven: spawn argument `n` of type `Node`
proven.met:28:24: proven: sent value of type `Node`
proven.met:35:11: proven: argument of `Pool.run` `tree` of type `Node`
proven.met:41:20: proven: spawn argument `tree` of type `Node`
proven.met:46:24: proven: spawn argument `many` of type `list<Node>`
proven.met:46:30: proven: spawn argument `name` of type `str`
proven.met:49:9: proven: spawn result of type `Node`
proven.met:49:20: proven: spawn argument `through` of type `Node`
proven.met:51:15: proven: spawn argument `(() -> here.value)` of type `func<> -> int`
9 proven, 0 checked
END
[[ $code == 0 ]] || fail "exit code $code: $(cat err.txt)"
diff expected.txt out.txt || fail "what is proven"

cat >checked.met <<'END'
class Node:
    value: int = 0
    kids: list<Node> = []

class Shelf:
    nodes: list<Node> = []
    last: Node? = null

class Keeper:
    seen: any = null

trait Watcher:
    def see(self, n: Node)

class Quiet(Watcher):
    def see(self, n: Node): pass

class Parent:
    weak up: Parent? = null

class Job:
    node: Node
    answers: Channel<int>

_all: list<Node> = []
local _here: list<Node> = []

def remember(n: Node): _all.append(n)

def newest() -> Node: return _all[-1]

def work(owned n: Node) -> int: return n.value

def work_on(owned job: Job): job.answers.send(job.node.value)

def climb(owned p: Parent) -> bool: return p.up is null

def show(owned k: Keeper) -> bool: return k.seen is null

def note(owned n: Node) -> Node:
    _here.append(n)
    return n

def launch(owned n: Node) -> int:
    h = spawn work(n)
    return h.join()

def two_places(shelf: Shelf):
    node = Node(1)
    shelf.last = node
    h = spawn work(node)

def out_of_a_list():
    nodes = [Node(1), Node(2)]
    h = spawn work(nodes.pop()); print(len(nodes))

def out_of_a_field(shelf: Shelf):
    node = shelf.nodes[0]
    h = spawn work(node)

def kept_by_a_function():
    node = Node(1)
    remember(node)
    h = spawn work(node)

def given_by_a_function():
    node = newest()
    h = spawn work(node)

def seen_by_whoever_it_is(w: dyn Watcher):
    node = Node(1)
    w.see(node)
    h = spawn work(node)

def captured():
    node = Node(1)
    fs = [() -> node.value]
    h = spawn work(node)
    print(fs[0]())

async def received(source: Channel<Node>, to: Channel<Node>):
    node = await source.recv()
    await to.send(node)

def main():
    shelf = Shelf()
    two_places(shelf)
    out_of_a_list()
    out_of_a_field(shelf)
    kept_by_a_function()
    given_by_a_function()
    seen_by_whoever_it_is(Quiet())
    captured()
    print(launch(shelf.nodes[0]))
    answers = Channel<int>(1)
    job = Job(Node(1), answers)
    a = spawn work_on(job)
    up = Parent()
    b = spawn climb(up)
    keeper = Keeper()
    c = spawn show(keeper)
    d = spawn note(Node(1))
    between = Channel<Node>(1)
    block_on(received(between, between))
END
call check --crossings checked.met
cat >expected.txt <<'END'
checked.met:45:20: checked: spawn argument `n` of type `Node`: a caller of `launch` may still have `n` (line 94)
checked.met:51:20: checked: spawn argument `node` of type `Node`: `shelf` belongs to the caller and may lead to it (line 50)
checked.met:55:20: checked: spawn argument `nodes.pop()` of type `Node`: `nodes` may still refer to it, or to a part of it (line 55)
checked.met:59:20: checked: spawn argument `node` of type `Node`: `shelf` belongs to the caller and may lead to it (line 58)
checked.met:64:20: checked: spawn argument `node` of type `Node`: `remember` may keep it, or a part of it (line 63)
checked.met:68:20: checked: spawn argument `node` of type `Node`: what `newest` gives may be held elsewhere (line 67)
checked.met:73:20: checked: spawn argument `node` of type `Node`: which code is called is known only at run time, and it may keep it (line 72)
checked.met:78:20: checked: spawn argument `node` of type `Node`: which code is called is known only at run time, and it may keep it (line 79)
checked.met:83:5: checked: sent value `node` of type `Node`: what comes from there may be held elsewhere (line 82)
checked.met:97:23: checked: spawn argument `job` of type `Job`: a `Channel<int>` is shared as it moves
checked.met:99:21: checked: spawn argument `up` of type `Parent`: it may hold weak references
checked.met:101:20: checked: spawn argument `keeper` of type `Keeper`: it may hold a value of type `any`, whose content is seen when it moves
checked.met:102:9: checked: spawn result of type `Node`: what `note` gives may be held elsewhere (line 102)
checked.met:102:20: proven: spawn argument `Node(1)` of type `Node`
1 proven, 13 checked
END
diff expected.txt out.txt || fail "what is checked"

call check --crossings --json checked.met
python3 - <<'PY' || fail "$(cat out.txt)"
import json
rows = [json.loads(line) for line in open("out.txt")]
assert len(rows) == 14 and sum(row["proven"] for row in rows) == 1, rows
assert all(row["name"] == "crossing" and row["file"] == "checked.met" and row["column"] >= 1 for row in rows), rows
first = next(row for row in rows if row["line"] == 51)
assert first["what"] == "spawn argument" and first["value"] == "node" and first["type"] == "Node" and not first["proven"], first
assert "`shelf`" in first["reason"] and first["cause"] == {"file": "checked.met", "line": 50}, first
assert next(row for row in rows if row["line"] == 99)["cause"] is None, rows
PY

cat >jobs.met <<'END'
class Node:
    value: int = 0

def make(n: int) -> Node: return Node(n)

def change(owned n: Node) -> Node:
    n.value += 1
    return n

async def serve(i: int) -> Node: return Node(i)

async def jobs(f: func<int> -> Node):
    pool = Pool(2)
    print((await pool.run(make, 1)).value)
    print((await pool.run(change, Node(2))).value)
    print(len(await pool.map([1, 2, 3], make)))
    print(len(await pool.map([Node(1), Node(2)], change)))
    print((await pool.run(f, 3)).value)
    print(await pool.run((x: int) -> str(x), 3))
    print(sum(await pool.map([1, 2], (x: int) -> x + 1)))
    await pool.close()
    print((await blocking(() -> make(3))).value)
    print(len(await run_isolates(2, serve)))

async def main(): await jobs(make)
END
call check --crossings jobs.met
cat >expected.txt <<'END'
jobs.met:14:11: checked: result of `Pool.run` of type `Node`: what a job gives is looked at in any case
jobs.met:15:11: proven: argument of `Pool.run` of type `Node`
jobs.met:15:11: proven: argument of `Pool.run` of type `func<Node> -> Node`
jobs.met:15:11: checked: result of `Pool.run` of type `Node`: what a job gives is looked at in any case
jobs.met:16:15: proven: argument of `Pool.map` of type `list<int>`
jobs.met:16:15: checked: result of `Pool.map` of type `Node`: what a job gives is looked at in any case
jobs.met:17:15: proven: argument of `Pool.map` of type `func<Node> -> Node`
jobs.met:17:15: checked: argument of `Pool.map` of type `list<Node>`: its elements may have parts in common, so `Pool.map` looks at each
jobs.met:17:15: checked: result of `Pool.map` of type `Node`: what a job gives is looked at in any case
jobs.met:18:11: checked: argument of `Pool.run` `f` of type `func<int> -> Node`: `Pool.run` shares what it has captured
jobs.met:18:11: checked: result of `Pool.run` of type `Node`: what a job gives is looked at in any case
jobs.met:20:15: proven: argument of `Pool.map` of type `list<int>`
jobs.met:22:11: checked: result of `blocking<Node>` of type `Node`: what a job gives is looked at in any case
jobs.met:23:15: checked: result of `run_isolates<Node>` of type `Node`: what a job gives is looked at in any case
5 proven, 9 checked
END
diff expected.txt out.txt || fail "jobs of pools"

printf 'x = 1\nprint(x)\n' >alone.met
call check --crossings alone.met
[[ $code == 0 && $(cat out.txt) == "0 proven, 0 checked" ]] || fail "a program in one isolate: $(cat out.txt)"
printf 'y: int = "text"\n' >wrong.met
call check --crossings wrong.met
[[ $code == 2 && ! -s out.txt ]] || fail "a wrong program: exit code $code, $(cat out.txt)"
finish
