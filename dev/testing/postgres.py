"""A PostgreSQL server for the tests that say '# server: postgres': started once per run, when the first of them begins.

Its data lie in a temporary folder and are not synced. It refuses to run as root, so there it runs as `postgres` or `nobody`.
"""
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

USER, PASSWORD = "meteor", "s3cret/:@"
URL_PASSWORD = "s3cret%2F%3A%40"
START_SECONDS = 60


class NoServer(Exception):
    """Why there is none."""


def find_programs():
    if found := shutil.which("initdb"):
        return Path(found).parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parent.parent.name))
    if not versions:
        raise NoServer("PostgreSQL is not installed: apt-get install postgresql")
    return versions[-1].parent


def unprivileged_user():
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise NoServer("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Server:
    def __init__(self):
        self.lock = threading.Lock()
        self.turn = threading.Lock()   # one test at a time
        self.folder = self.process = self.failure = None
        self.address = {}

    def env(self):
        """The variables tests find it by. Starts it."""
        with self.lock:
            if self.failure:
                raise NoServer(self.failure)
            if not self.process:
                try:
                    self.start()
                except NoServer as error:
                    self.failure = str(error)
                    raise
            return self.address

    def start(self):
        programs, user = find_programs(), unprivileged_user()
        self.folder = Path(tempfile.mkdtemp(prefix="meteor-postgres-"))
        if user:
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        data, log = self.folder / "data", self.folder / "log"
        made = subprocess.run([programs / "initdb", "-D", data, "-U", USER, "-A", "scram-sha-256", f"--pwfile={secret}", "-E", "UTF8",
                               "--locale=C.UTF-8", "--no-sync"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **as_user)
        if made.returncode != 0:
            raise NoServer(f"initdb failed:\n{made.stdout}")
        port = free_port()
        options = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": self.folder, "fsync": "off", "synchronous_commit": "off",
                   "full_page_writes": "off", "max_connections": 100, "shared_buffers": "16MB", "log_min_messages": "fatal"}
        with open(log, "wb") as out:
            # It ends when this process does, however that ends.
            self.process = subprocess.Popen(["setpriv", "--pdeathsig", "QUIT", programs / "postgres", "-D", data, *(f"-c{key}={value}" for key, value in options.items())],
                                            cwd=self.folder, stdout=out, stderr=out, start_new_session=True, **as_user)
        self.await_start(log, port)
        self.address = {"DATABASE_URL": f"postgres://{USER}:{URL_PASSWORD}@127.0.0.1:{port}/postgres",
                        "DATABASE_SOCKET": f"postgres://{USER}:{URL_PASSWORD}@/postgres?host={self.folder}&port={port}"}

    def await_start(self, log, port):
        limit = time.monotonic() + START_SECONDS
        while time.monotonic() < limit and self.process.poll() is None:
            try:
                if "ready" in (self.folder / "data" / "postmaster.pid").read_text().split("\n")[7]:
                    return
            except (OSError, IndexError):
                pass
            time.sleep(0.02)
        text = log.read_text(errors="replace")
        self.stop()
        raise NoServer(f"the PostgreSQL server did not start:\n{text}")

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGQUIT)   # at once; nobody wants the data
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
            self.process = None
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
