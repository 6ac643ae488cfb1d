# Diagnostics have colours on a terminal and nowhere else.
set -eu
printf 'x: int = "a"\n' >wrong.met
"$METEOR" check wrong.met >out.txt 2>err.txt || true
! grep -q $'\x1b' out.txt err.txt
"$METEOR" check --json wrong.met >out.txt 2>err.txt || true
! grep -q $'\x1b' out.txt err.txt
env -u NO_COLOR TERM=xterm python3 - "$METEOR" >terminal.txt <<'PY'
import os, pty, sys
shown = b""
def keep(fd):
    global shown
    data = os.read(fd, 65536)
    shown += data
    return data
status = pty.spawn([sys.argv[1], "check", "wrong.met"], keep)
assert os.waitstatus_to_exitcode(status) == 2, status
assert b"\x1b[" in shown and b"type-mismatch" in shown, shown
PY
