# Colours and progress are shown on a terminal and nowhere else; NO_COLOR and FORCE_COLOR say otherwise.
set -eu
cat > shows.met <<'MET'
import io
import term

print(term.style("red", "red"), term.is_terminal(), term.is_terminal(io.stderr), term.size())
for i in term.progress([1, 2, 3], "step"): pass
MET
"$METEOR" build shows.met -o shows
unset NO_COLOR FORCE_COLOR COLUMNS LINES
export TERM=xterm
./shows > out.txt 2> err.txt
grep -qx 'red false false (80, 24)' out.txt
[ ! -s err.txt ]
FORCE_COLOR=1 ./shows | grep -q $'\x1b\\[31mred\x1b\\[0m false'
! FORCE_COLOR=1 NO_COLOR=1 ./shows | grep -q $'\x1b'
cat > terminal.py <<'PY'
import fcntl, os, pty, struct, subprocess, sys, termios

def shown(**more):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 60, 0, 0))
    assert subprocess.run(["./shows"], stdout=slave, stderr=slave, env={**os.environ, **more}).returncode == 0
    os.close(slave)
    result = b""
    while True:
        try: part = os.read(master, 65536)
        except OSError: return result
        if not part: return result
        result += part

text = shown()
assert b"\x1b[31mred\x1b[0m true true (60, 40)" in text, text
assert b"\rstep [" in text and b"100% 3/3" in text and text.endswith(b"\n"), text
assert b"red true true (60, 40)" in shown(NO_COLOR="1") and b"\x1b[31m" not in shown(NO_COLOR="1")
assert b"\x1b[31m" not in shown(TERM="dumb")
PY
python3 terminal.py
