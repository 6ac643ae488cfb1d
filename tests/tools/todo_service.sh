# The to-do service: page, JSON API, changes in every open event stream, and an end by SIGTERM that loses nothing.
# timeout: 300

"$METEOR" build -O0 "$METEOR_ROOT/examples/todo.met" -o todo
python3 - <<'PY'
import http.client, json, re, signal, subprocess

def start():
    server = subprocess.Popen(["./todo", "0", "todo.db"], stderr=subprocess.PIPE, text=True)
    line = server.stderr.readline()
    return server, int(re.search(r"port=(\d+)", line).group(1))

def stop(server):
    server.send_signal(signal.SIGTERM)
    _, rest = server.communicate(timeout=30)
    assert "error" not in rest.lower(), rest
    return server.returncode

def ask(method, path, body=None, raw=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, raw if raw is not None else json.dumps(body) if body is not None else None)
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    kind = answer.getheader("content-type") or ""
    return answer.status, json.loads(data) if kind.startswith("application/json") else data.decode()

class Events:
    def __init__(self):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.connection.request("GET", "/api/events")
        self.answer = self.connection.getresponse()
        assert self.answer.getheader("content-type") == "text/event-stream"

    def next(self):
        line = self.answer.readline().decode()
        assert line.startswith("data: "), line
        assert self.answer.readline() == b"\n"
        return json.loads(line[6:])

def same(got, wanted):
    assert got == wanted, f"got {got!r}, wanted {wanted!r}"

server, port = start()
status, page = ask("GET", "/")
assert status == 200 and "<title>To do</title>" in page and "EventSource" in page
same(ask("GET", "/api/todos"), (200, []))
first, second = Events(), Events()
same(first.next(), [])
same(second.next(), [])

milk = {"id": 1, "text": "milk & <b>bread</b> \"'; drop table todo; --", "done": False}
same(ask("POST", "/api/todos", {"text": f"  {milk['text']} "}), (201, milk))
same(first.next(), [milk])
same(second.next(), [milk])
same(ask("PATCH", "/api/todos/1", {"done": True}), (200, milk | {"done": True}))
same(ask("PATCH", "/api/todos/1", {"text": "tea"}), (200, {"id": 1, "text": "tea", "done": True}))
same(first.next(), [milk | {"done": True}])
same(first.next(), [{"id": 1, "text": "tea", "done": True}])
second.connection.close()
same(ask("POST", "/api/todos", {"text": "wash"})[0], 201)
same([todo["text"] for todo in first.next()], ["tea", "wash"])
same(ask("DELETE", "/api/todos/1")[0], 204)
same([todo["text"] for todo in first.next()], ["wash"])

same(ask("DELETE", "/api/todos/1"), (404, {"error": "no such to-do"}))
same(ask("PATCH", "/api/todos/x", {"done": True})[0], 404)
same(ask("POST", "/api/todos", {"text": " "})[0], 400)
same(ask("POST", "/api/todos", {"txt": "a"})[0], 400)
same(ask("POST", "/api/todos", raw="{")[0], 400)
same(ask("PUT", "/api/todos")[0], 405)
same(ask("GET", "/nowhere")[0], 404)

same(stop(server), 143)
server, port = start()   # what was kept is there again
same(ask("GET", "/api/todos"), (200, [{"id": 2, "text": "wash", "done": False}]))
same(stop(server), 143)
PY
