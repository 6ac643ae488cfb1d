# `meteor test` calls what is marked @test, awaits what is async, shows both sides of what differs, and never calls main.
set -eu
cat > sums_test.met <<'MET'
import test

@test
def adds(): test.equal(1 + 1, 2)

@test
async def waits():
    await sleep(1ms)
    test.equal([1, 2], [1, 3], "the list")

def main(): print("main")
MET
code=0
"$METEOR" test sums_test.met > out.txt || code=$?
[ "$code" = 1 ] || { echo "exit code $code"; exit 1; }
grep -q '^ok      adds' out.txt
grep -q '^FAILED  waits' out.txt
grep -q 'the list: the values differ' out.txt
grep -q 'expected: \[1, 3\]' out.txt
grep -q '^1 passed, 1 failed$' out.txt
! grep -q '^main$' out.txt
"$METEOR" test --only=add . > out.txt
grep -q '^1 passed, 1 left out$' out.txt
printf 'x: int = "a"\n@test\ndef f(): pass\n' > wrong.met
code=0
"$METEOR" test wrong.met > out.txt 2>&1 || code=$?
[ "$code" = 2 ] && grep -q type-mismatch out.txt
