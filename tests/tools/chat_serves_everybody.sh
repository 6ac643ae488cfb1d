# examples/chat.met as it stands: every line goes to everybody else, who leaves is forgotten, Ctrl-C ends it.
source "$METEOR_ROOT/tests/tools/expect.bash"

"$METEOR" build "$METEOR_ROOT/examples/chat.met" -o chat
python3 - <<'PY'
import signal, socket, subprocess

chat = subprocess.Popen(["./chat", "0"], stdout=subprocess.PIPE, text=True)
try:
    port = int(chat.stdout.readline().split()[-1])
    people = []

    def say(i, text, end="\n"):
        people[i][0].sendall((text + end).encode())
        for j, (_, lines) in enumerate(people):
            if j != i:
                heard = lines.readline().decode()
                assert heard == f"{i + 1}: {text}\n", (heard, text)

    for i in range(20):
        conn = socket.create_connection(("127.0.0.1", port), timeout=20)
        people.append((conn, conn.makefile("rb")))
        say(i, f"hello from {i}")
    for i in range(20): say(i, f"line {i} é", "\r\n")
    for conn, lines in people[10:]:
        lines.close()
        conn.close()
    del people[10:]
    say(0, "still here")
    chat.send_signal(signal.SIGINT)
    assert chat.wait(timeout=20) == 130, chat.returncode
finally:
    chat.kill()
PY
