# A program big enough to be cut in two does the same at every level: variables, types, closures, traits, errors and tasks on both sides.
# timeout: 600
source "$METEOR_ROOT/tests/tools/expect.bash"
LIMIT_SECONDS=180   # much code, and the machine may be busy

python3 - >big.met <<'PY'
PART = '''
class Item{n}:
    name: str
    prices: list<int>
    def total(self) -> int:
        sum = 0
        for price in self.prices: sum += price * {n}
        return sum
    def __del__(self):
        global ended
        ended += 1

impl Named for Item{n}:
    def label(self) -> str: return f"{{self.name}}/{n}"

def work{n}(seed: int) -> int:
    items: list<Item{n}> = []
    for i in range(seed % 5 + 2): items.append(Item{n}(f"item{{i}}", [i, i + 1, seed % 11]))
    named: list<dyn Named> = []
    for item in items: named.append(item)
    counts: dict<str, int> = {{}}
    for one in named: counts[one.label()] = len(one.label())
    add = (x: int) -> x + len(counts)
    other: any = items[0]
    if not (other is Item{n}): return -1
    best = 0
    for item in items:
        if item.total() > best: best = item.total()
    return add(best)

async def later{n}(seed: int) -> int:
    first = work{n}(seed)
    await yield_now()
    if seed % 7 == 3: raise ValueError(f"seed {{seed}}")
    return first + work{n}(seed + 1)
'''
PARTS = 40
print("ended = 0\n\ntrait Named:\n    def label(self) -> str")
for n in range(PARTS): print(PART.format(n=n))
print("async def main():\n    sum, failed = 0, 0")
for n in range(PARTS):
    print(f"    try: sum += await later{n}({n})\n    catch ValueError as e: failed += 1")
print('    print(sum, failed, ended)')
PY
expected=
for level in -O0 -O2 --debug; do
    call build big.met $level -o big
    [[ $code == 0 ]] || fail "$level: exit code $code, $(head -c 800 err.txt)"
    printed=$(./big)
    [[ -n $printed ]] || fail "$level prints nothing"
    [[ -z $expected || $printed == "$expected" ]] || fail "$level prints '$printed', not '$expected'"
    expected=$printed
done
finish
