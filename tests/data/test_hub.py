"""Fetching a category from the hub, against a small server that speaks the hub's protocol on this computer."""

import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.data.made import made_reviews, write_jsonl

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from prefer_core.data.sources import read_source
from prefer_core.errors import DataError
try:
    source = read_source(sys.argv[1])
    print(source.name, len(source.rows), source.titles["P1"])
except DataError as error:
    print("refused:", error)
"""


class Hub(ThreadingHTTPServer):
    """Serves the files of one folder below ``resolve/main``."""

    folder: Path


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self) -> None:
        self._answer(False)

    def do_GET(self) -> None:
        self._answer(True)

    def _answer(self, with_body: bool) -> None:
        name = self.path.partition("/resolve/main/")[2].replace("/", "_")
        path = self.server.folder / name
        body = path.read_bytes() if name and path.is_file() else None
        self.send_response(200 if body is not None else 404)
        if body is None:
            self.send_header("X-Error-Code", "EntryNotFound")
        else:
            self.send_header("ETag", f'"{name}-{len(body)}"')
            self.send_header("X-Repo-Commit", "c" * 40)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        if with_body and body:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """Return a running hub that has the category Made."""
    folder = tmp_path / "served"
    folder.mkdir()
    write_jsonl(folder / "raw_review_categories_Made.jsonl", made_reviews(9))
    write_jsonl(folder / "raw_meta_categories_meta_Made.jsonl", [{"parent_asin": "P1", "title": "Coconut soap"}])
    server = Hub(("127.0.0.1", 0), _Handler)
    server.folder = folder
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def _fetch(hub: Hub, category: str, home: Path) -> str:
    endpoint = f"http://127.0.0.1:{hub.server_port}"
    changed = {"HF_ENDPOINT": endpoint, "HF_HOME": str(home), "PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1"}
    kept = {name: value for name, value in os.environ.items() if name not in ("HF_HUB_OFFLINE", "HF_HUB_CACHE")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, f"amazon:{category}"],
        env=kept | changed, capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_fetch_then_offline_then_unknown(hub: Hub, tmp_path: Path) -> None:
    """A category is fetched with its titles, is there again without a network; another one is told apart."""
    home = tmp_path / "hf"
    assert _fetch(hub, "Made", home) == "Made 9 Coconut soap"
    assert "has no category 'Nothing'" in _fetch(hub, "Nothing", home)
    hub.shutdown()
    hub.server_close()
    assert _fetch(hub, "Made", home) == "Made 9 Coconut soap"
    assert "the hub cannot be reached; connect to the network once" in _fetch(hub, "Other", home)


def test_a_name_that_is_none_is_refused_at_once() -> None:
    """amazon: with slashes, or nothing behind it, never reaches the network."""
    from prefer_core.data.sources import fetch_category
    from prefer_core.errors import DataError

    for source in ("amazon:", "amazon:../secret", "amazon:All Beauty"):
        with pytest.raises(DataError, match="names no category"):
            fetch_category(source)
