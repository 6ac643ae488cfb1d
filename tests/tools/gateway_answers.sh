# examples/gateway.met as it stands: two services behind it, a cache in SQLite, many at once, and an end by SIGTERM that leaks nothing.
# timeout: 300
"$METEOR" build -O0 "$METEOR_ROOT/examples/gateway.met" -o gateway
python3 - <<'PY'
import http.client, json, os, signal, socket, subprocess
from concurrent.futures import ThreadPoolExecutor

with socket.socket() as taken:
    taken.bind(("127.0.0.1", 0))
    port = taken.getsockname()[1]
gateway = subprocess.Popen(["./gateway", str(port)], stderr=subprocess.PIPE, text=True, env=os.environ | {"METEOR_LEAKS": "1"})
try:
    assert f"port={port}" in gateway.stderr.readline()

    def ask(path):
        for _ in range(200):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                connection.request("GET", path)
                break
            except ConnectionRefusedError:   # it says that it listens just before it does
                import time; time.sleep(0.05)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.getheader("x-cache"), text

    def same(got, wanted):
        assert got == wanted, f"got {got!r}, wanted {wanted!r}"

    def profile(id):
        return {"user": {"id": id, "name": f"user-{id}"}, "orders": [{"id": i, "user_id": id, "total": 9.5 * i} for i in (1, 2, 3)]}

    for cache in ("miss", "hit"):
        status, found, text = ask("/users/1")
        same((status, found, json.loads(text)), (200, cache, profile(1)))
    same(ask("/users/101"), (404, None, '{"error":"no such user"}'))
    same(ask("/health"), (200, None, "ok"))
    same(ask("/nowhere")[0], 404)
    with ThreadPoolExecutor(8) as pool:
        for id, (status, _, text) in zip(range(1, 65), pool.map(ask, [f"/users/{id}" for id in range(1, 65)])):
            same((status, json.loads(text)), (200, profile(id)))
    gateway.send_signal(signal.SIGTERM)
    _, rest = gateway.communicate(timeout=60)
    same(gateway.returncode, 143)
    lines = [line for line in rest.splitlines() if " INFO " not in line]
    same(lines, [])
    assert rest.count("request method=GET") == 69, rest
finally:
    gateway.kill()
PY
