# Files of random bytes, and of random pieces of Meteor, get an answer. Seeds are fixed, so that a failure comes back.
# timeout: 240
source "$METEOR_ROOT/tests/tools/expect.bash"

python3 - <<'PY'
import random
for seed in range(12):
    pick = random.Random(seed)
    open(f"bytes_{seed}.met", "wb").write(pick.randbytes(pick.choice([1, 7, 100, 4000, 100000])))
for seed in range(12):
    pick = random.Random(seed)
    text = "".join(chr(pick.choice([pick.randrange(32, 127), 10, 9, pick.randrange(0xa0, 0x2fff)])) for _ in range(3000))
    open(f"text_{seed}.met", "w", encoding="utf-8").write(text)
pieces = ("if else elif while for in def class struct enum trait impl return raise try catch finally switch case default with as is not and or "
          "await async yield spawn owned ref weak pub const local import from ( ) [ ] { } < > : ; , . .. -> = == != + - * ** / // % & | ^ ~ << >> ? ?. ?? ! @ "
          "x y self 1 2.5 0xff 5s \"a\" 'b' f\"{x}\" f\"{ r\"\\ \"\"\" # int str list<int> dict null true false").split()
for seed in range(24):
    pick = random.Random(seed)
    lines = [" " * pick.choice([0, 0, 4, 4, 8, 3]) + " ".join(pick.choices(pieces, k=pick.randrange(1, 14))) for _ in range(60)]
    open(f"pieces_{seed}.met", "w").write("\n".join(lines) + "\n")
PY
for file in *.met; do answered "$file"; done
finish
