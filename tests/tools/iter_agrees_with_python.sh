# The functions of `iter` give what Python's itertools gives, for short inputs of every length.
set -eu
cat > cases.met <<'MET'
import iter

def show(items): print(list(items))

for n in range(6):
    xs = [i * 7 % 5 for i in range(n)]
    ys = [10 * i for i in range(6 - n)]
    show(iter.chain(xs, ys))
    show(iter.chain(xs, ys, xs, ys, xs, ys))
    show(iter.product(xs, ys))
    show(iter.product(xs, ys, xs))
    show(iter.permutations(xs))
    for r in range(5):
        show(iter.product(xs, repeat=r if n < 4 else r % 3))
        show(iter.permutations(xs, r))
        show(iter.combinations(xs, r))
        show(iter.combinations_with_replacement(xs, r))
        show(iter.batched(xs, r + 1))
        show(iter.islice(xs, r))
        show(iter.islice(iter.cycle(xs), r * 3))
        for step in range(1, 4):
            show(iter.islice(xs, r, n))
            show(iter.islice(xs, r, r + n, step))
            show(iter.islice(xs, r, null, step))
    show(iter.groupby(xs))
    show(iter.groupby(xs, x -> x > 2))
    show(iter.accumulate(xs))
    show(iter.accumulate(xs, (a, b) -> a * 2 - b))
    show(iter.accumulate(xs, initial=100))
    show(iter.pairwise(xs))
    show(iter.takewhile(x -> x != 4, xs))
    show(iter.dropwhile(x -> x != 4, xs))
    show(iter.filterfalse(x -> x > 2, xs))
    show(iter.compress(xs, ys))
    show(iter.repeat(n, n))
    show(iter.flatten([xs, ys, xs]))
    print(iter.reduce((a, b) -> a * 2 - b, xs, 1))
MET
cat > cases.py <<'PY'
import itertools as iter
from functools import reduce

def batched(xs, n): return [xs[i:i + n] for i in range(0, len(xs), n)]
def shown(x, tuples):
    if isinstance(x, (list, tuple)):
        inner = ", ".join(shown(y, tuples) for y in x)
        return f"({inner})" if tuples and isinstance(x, tuple) else f"[{inner}]"
    return str(x)
def show(items): print(shown([list(x) if isinstance(x, tuple) else x for x in items], False))
def show_tuples(items): print(shown(list(items), True))

for n in range(6):
    xs = [i * 7 % 5 for i in range(n)]
    ys = [10 * i for i in range(6 - n)]
    show(iter.chain(xs, ys))
    show(iter.chain(xs, ys, xs, ys, xs, ys))
    show_tuples(iter.product(xs, ys))
    show_tuples(iter.product(xs, ys, xs))
    show(iter.permutations(xs))
    for r in range(5):
        show(iter.product(xs, repeat=r if n < 4 else r % 3))
        show(iter.permutations(xs, r))
        show(iter.combinations(xs, r))
        show(iter.combinations_with_replacement(xs, r))
        show(batched(xs, r + 1))
        show(iter.islice(xs, r))
        show(iter.islice(iter.cycle(xs), r * 3))
        for step in range(1, 4):
            show(iter.islice(xs, r, n))
            show(iter.islice(xs, r, r + n, step))
            show(iter.islice(xs, r, None, step))
    show_tuples((k, list(g)) for k, g in iter.groupby(xs))
    print(shown([(k, list(g)) for k, g in iter.groupby(xs, lambda x: x > 2)], True).replace("True", "true").replace("False", "false"))
    show(iter.accumulate(xs))
    show(iter.accumulate(xs, lambda a, b: a * 2 - b))
    show(iter.accumulate(xs, initial=100))
    show_tuples(zip(xs, xs[1:]))
    show(iter.takewhile(lambda x: x != 4, xs))
    show(iter.dropwhile(lambda x: x != 4, xs))
    show(iter.filterfalse(lambda x: x > 2, xs))
    show(iter.compress(xs, ys))
    show(iter.repeat(n, n))
    show(iter.chain.from_iterable([xs, ys, xs]))
    print(reduce(lambda a, b: a * 2 - b, xs, 1))
PY
python3 cases.py > expected.txt
"$METEOR" run cases.met > found.txt
diff expected.txt found.txt
[ "$(wc -l < found.txt)" -gt 400 ]
