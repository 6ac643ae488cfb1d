# Lines of 10 MB get an answer, and the answer does not repeat the line.
# timeout: 300
source "$METEOR_ROOT/tests/tools/expect.bash"

python3 - <<'PY'
N = 10_000_000
def write(name, text):
    open(f"{name}.met", "w").write(text)
write("comment", "# " + "a" * N + "\nprint(1)\n")
write("string", 'x = "' + "a" * N + '"\nprint(len(x))\n')
write("open_string", 'x = "' + "a" * N + "\n")
write("identifier", "a" * N + "\n")
write("digits", "x = " + "9" * N + "\n")
write("fraction", "x = 0." + "3" * N + "\n")
write("spaces", " " * N + "x\n")
write("blank", " " * N + "\n")
write("unknown_characters", "$" * N + "\n")
write("exclamations", "x = " + "!" * N + "\n")
write("words", "x " * (N // 2) + "\n")
write("wide_error", "x = 1" + " " * N + "+\n")
PY
accepted comment.met
accepted string.met
accepted blank.met
for name in open_string identifier digits spaces unknown_characters exclamations words wide_error; do rejected $name.met; done
answered fraction.met
finish
