"""A small hub for one file: it knows ranges, and can be slow, lying or missing."""

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

REPOSITORY, NAME = "made/tiny-GGUF", "tiny.gguf"


class ModelHub(ThreadingHTTPServer):
    """Serves NAME of REPOSITORY and notes where each download began."""

    daemon_threads = True

    def __init__(self, body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.body = body
        self.tag = hashlib.sha256(body).hexdigest()
        self.announced = 0
        self.pause = 0.0
        self.mute = False
        self.status = 200
        self.starts: list[int] = []
        self.name = NAME
        self.listed: list[str] = []

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: ModelHub

    def do_GET(self) -> None:
        hub = self.server
        if self.path.startswith(f"/api/models/{REPOSITORY}"):
            self._list()
            return
        known = self.path == f"/{REPOSITORY}/resolve/main/{hub.name}"
        start = int(self.headers.get("Range", "bytes=0-").split("=")[1].split("-")[0])
        status = hub.status if hub.status != 200 else (206 if start else 200) if known else 404
        body = hub.body[start:] if status < 300 else b""
        self.send_response(status)
        if status < 300:
            self.send_header("ETag", f'"{hub.tag}"')
            self.send_header("X-Repo-Commit", "c" * 40)
            self.send_header("Accept-Ranges", "bytes")
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(hub.body) - 1}/{len(hub.body)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if body:
            hub.starts.append(start)
            if hub.mute:
                time.sleep(5.0)
                return
            try:
                for at in range(0, len(body), 65536):
                    self.wfile.write(body[at : at + 65536])
                    time.sleep(hub.pause)
            except OSError:  # the other side was stopped
                return

    def _list(self) -> None:
        """Tell the files of the repository with size and digest, as the hub does."""
        hub = self.server
        size = max(hub.announced, len(hub.body))
        lfs = {"sha256": hub.tag, "size": size, "pointerSize": 1}
        files = [{"rfilename": name, "size": size, "blobId": "0", "lfs": lfs} for name in hub.listed or [hub.name]]
        raw = json.dumps({"id": REPOSITORY, "siblings": files}).encode()
        self.send_response(hub.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def hosting(body: bytes) -> Iterator[ModelHub]:
    """Run a hub."""
    hub = ModelHub(body)
    Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield hub
    finally:
        hub.shutdown()
        hub.server_close()
