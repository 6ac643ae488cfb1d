# The to-do service in headless Chromium, two pages open: what is added, ticked and removed in one shows up in the other. Without Chromium (Debian's
# package chromium) the test says so and passes.
# timeout: 400

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [[ -z $browser ]]; then
    echo "not tested: there is no Chromium here (apt-get install chromium)"
    exit 0
fi
"$METEOR" build -O0 "$METEOR_ROOT/examples/todo.met" -o todo
BROWSER=$browser python3 - <<'PY'
import base64, json, os, re, signal, socket, subprocess, sys, time, urllib.request


class Page:
    """A page, over the DevTools protocol: a WebSocket with JSON."""

    def __init__(self, address):
        host, port, path = re.match(r"ws://([^:/]+):(\d+)(/.*)", address).groups()
        self.sock = socket.create_connection((host, int(port)), 60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.sock.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.file = self.sock.makefile("rb")
        assert b"101" in self.file.readline()
        while self.file.readline() != b"\r\n":
            pass
        self.next = 0

    def send(self, text):
        data = text.encode()
        size = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0xFE]) + len(data).to_bytes(2, "big")
        self.sock.sendall(b"\x81" + size + b"\0\0\0\0" + data)

    def receive(self):
        parts = b""
        while True:
            first, second = self.file.read(2)
            size = second & 127
            if size > 125:
                size = int.from_bytes(self.file.read(2 if size == 126 else 8), "big")
            parts += self.file.read(size)
            if first & 0x80:
                return json.loads(parts)

    def ask(self, script):
        self.next += 1
        self.send(json.dumps({"id": self.next, "method": "Runtime.evaluate", "params": {"expression": script, "returnByValue": True, "awaitPromise": True}}))
        while True:
            message = self.receive()
            if message.get("id") == self.next:
                result = message["result"]
                assert "exceptionDetails" not in result, result
                return result["result"].get("value")

    def shows(self):
        return self.ask("[...document.querySelectorAll('li')].map(li => [li.querySelector('span').textContent, li.className])")

    def until(self, wanted):
        """Shows this, in good time."""
        got = None
        for _ in range(300):
            got = self.shows()
            if got == wanted:
                return
            time.sleep(0.1)
        raise AssertionError(f"shows {got!r}, not {wanted!r}")


def open_page(port, url):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/json/new?{url}", method="PUT")
    return Page(json.load(urllib.request.urlopen(request, timeout=60))["webSocketDebuggerUrl"])


server = subprocess.Popen(["./todo", "0", "todo.db"], stderr=subprocess.PIPE, text=True)
chromium = None
try:
    port = int(re.search(r"port=(\d+)", server.stderr.readline()).group(1))
    chromium = subprocess.Popen([os.environ["BROWSER"], "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                                 f"--user-data-dir={os.getcwd()}/profile", "--remote-debugging-port=0", "about:blank"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    for line in chromium.stderr:
        found = re.search(r"DevTools listening on ws://127.0.0.1:(\d+)/", line)
        if found:
            break
    else:
        raise AssertionError("Chromium did not start")
    one = open_page(found.group(1), f"http://127.0.0.1:{port}/")
    other = open_page(found.group(1), f"http://127.0.0.1:{port}/")
    for page in (one, other):
        for _ in range(300):
            if page.ask("document.querySelector('#left')?.textContent") == "0 left":
                break
            time.sleep(0.1)
    add = "document.querySelector('[name=text]').value = {}; document.querySelector('form button').click()"
    one.ask(add.format(json.dumps("milk & <b>bread</b>")))
    other.until([["milk & <b>bread</b>", ""]])
    other.ask(add.format(json.dumps("wäsche")))
    one.until([["milk & <b>bread</b>", ""], ["wäsche", ""]])
    one.ask("document.querySelectorAll('li input')[0].click()")
    other.until([["milk & <b>bread</b>", "done"], ["wäsche", ""]])
    assert other.ask("document.querySelector('#left').textContent") == "1 left"
    other.ask("document.querySelectorAll('li button')[1].click()")
    one.until([["milk & <b>bread</b>", "done"]])
    one.ask("location.reload()")
    time.sleep(0.5)
    one.until([["milk & <b>bread</b>", "done"]])
    server.send_signal(signal.SIGTERM)
    server.communicate(timeout=60)
    assert server.returncode == 143, server.returncode
finally:
    for process in (chromium, server):
        if process is not None and process.poll() is None:
            process.kill()
PY
