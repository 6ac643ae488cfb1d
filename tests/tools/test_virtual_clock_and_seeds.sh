# `@test(clock="virtual")` lets hours pass at once, `seed=` and `seeds=` permute ready tasks, and a failure names the seed that repeats it.
cat > order_test.met <<'MET'
import test
import time

async def note(log: list<int>, i: int):
    await yield_now()
    log.append(i)

async def logged() -> list<int>:
    log: list<int> = []
    await scope as s:
        for i in range(6): s.spawn(note(log, i))
    return log

@test(clock="virtual")
async def days_pass():
    began = time.now()
    await sleep(1000h)
    test.equal(time.now() - began, 1000h)

@test
async def the_real_clock_is_back():
    began = time.now()
    await sleep(2ms)
    test.true(time.now() - began < 100s)
    test.equal(await logged(), [0, 1, 2, 3, 4, 5])

@test(seed=3)
async def one_order():
    test.not_equal(await logged(), [0, 1, 2, 3, 4, 5])
    print("order", await logged())

@test(seeds=40, clock="virtual")
async def all_orders():
    log = await logged()
    test.equal(sorted(log), [0, 1, 2, 3, 4, 5])

@test(seeds=40)
async def some_order_fails():
    log = await logged()
    test.true(log[0] != 4)
MET
code=0
"$METEOR" test order_test.met > first || code=$?
"$METEOR" test order_test.met > second || true
cat first
[[ $code == 1 ]]
grep -q '^ok      days_pass' first
grep -q '^ok      the_real_clock_is_back' first
grep -q '^ok      one_order' first
grep -q '^ok      all_orders' first
grep -qE '^FAILED  some_order_fails \(.*, seed=[0-9]+\)$' first
grep -q '^4 passed, 1 failed$' first
[[ $(grep "^order \[" first) == "$(grep "^order \[" second)" ]]
[[ $(grep -o "seed=[0-9]*" first) == "$(grep -o "seed=[0-9]*" second)" ]]
printf '@test(clok="virtual")\ndef f(): pass\n' > wrong.met
code=0
"$METEOR" test wrong.met 2> wrong.txt || code=$?
[[ $code != 0 ]] && grep -q 'options of @test before `f`' wrong.txt
