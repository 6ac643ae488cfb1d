# Special methods declared in every form on every kind of type: the compiler says what is wrong with them, and never crashes.
# timeout: 600
source "$METEOR_ROOT/tests/tools/expect.bash"

LONGEST_TEXT=2000000   # each program has hundreds of mistakes
mkdir programs
python3 "$METEOR_ROOT/tests/tools/special_methods.py" programs
for file in programs/*.met; do call check "$file"; done
finish
