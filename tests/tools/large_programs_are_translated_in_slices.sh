# A large program is taken apart and translated on several threads: what its parts use of each other is still there.
# timeout: 300
source "$METEOR_ROOT/tests/tools/expect.bash"
LIMIT_SECONDS=200
if [[ $METEOR_BUILD == *san ]]; then exit 0; fi   # what a sanitizer watches is translated in one piece

python3 - >main.met <<'PY'
CLASSES = 350
print('''count = 0
names: list<str> = []
const GREETING = "hello " + "there"
local calls: int = 0

class Base:
    id: int
    tags: list<str> = []
    def value(self) -> int: return 0
    def add(self, tag: str) -> int:
        global count
        self.tags.append(tag)
        count += 1
        return len(self.tags)

enum Step:
    Go(n: int)
    Stop

def chain_0(n: int) -> int:
    if n < 0: raise ValueError(f"{n} at the end")
    return n
''')
for i in range(1, CLASSES + 1):
    print(f'''
class C{i}(Base):
    extra: str = "extra {i}"
    items: dict<str, int> = {{}}
    def value(self) -> int: return self.id * {i}
    def total(self) -> int:
        sum = 0
        for key, item in self.items.items(): sum += item + len(key)
        return sum

def make_{i}(id: int) -> Base:
    global calls
    made = C{i}(id)
    calls += 1
    for k in range(id % 5): made.items[f"key {{k}}"] = k * {i}
    if made.total() < 0: names.append(made.extra)
    return made

def step_{i}(s: Step) -> int:
    switch s:
        case Go(n): return n + {i}
        case Stop: return {i}

def chain_{i}(n: int) -> int:
    f = x -> x + n
    return chain_{i - 1}(n - 1) + f(1) - n + step_{i}(Go(n)) - step_{i}(Stop) - n
''')
print('''
def all() -> list<Base>:
    made: list<Base> = []''')
for i in range(1, CLASSES + 1): print(f'    made.append(make_{i}({i} % 7))')
print(f'''    return made

objects = all()
print(len(objects), sum(o.value() for o in objects), calls, GREETING)
for o in objects: o.add("a"); o.add("b")
print(count, sum(len(o.tags) for o in objects), objects[349] is C350)
print(chain_{CLASSES}(1000))
try: chain_{CLASSES}(10)
catch ValueError as e: print(e.message, len(e.trace.split("\\n")) > 10)
''')
PY
expected=$(python3 - <<'PY'
C = 350
print(C, sum((i % 7) * i for i in range(1, C + 1)), C, "hello there")
print(2 * C, 2 * C, "true")
print(1000 - C + C)
print(10 - C, "at the end true")
PY
)
prints() {
    "$@" >out.txt 2>err.txt || fail "$*: exit code $? $(head -c 800 err.txt)"
    [[ $(cat out.txt) == "$expected" ]] || fail "$*: expected '$expected', got '$(cat out.txt)'"
}
"$METEOR" build --debug --time main.met -o main 2>time.txt || fail "build --debug: $(head -c 800 time.txt)"
prints ./main
split=$(awk '$1 == "split" { print ($2 > 1.0) }' time.txt)
[[ $split == 1 ]] || fail "the program was translated in one piece: $(cat time.txt)"
"$METEOR" build main.met -o main 2>err.txt || fail "build: $(head -c 800 err.txt)"
prints ./main
cp main first
METEOR_CACHE_DIR=$PWD/other "$METEOR" build main.met -o main 2>err.txt || fail "build: $(head -c 800 err.txt)"
cmp main first || fail "built again, the program is another one"
prints "$METEOR" run --leaks main.met
finish
