"""Fetching a model, against a small hub on this computer."""

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from prefer_core.errors import BackendError
from prefer_core.rewriting import fetch, models
from prefer_core.rewriting.fetching import Fetching
from prefer_core.rewriting.registry import MODELS, known_by
from tests.rewriting.made_gguf import write_gguf
from tests.rewriting.made_hub import NAME, REPOSITORY, hosting

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = f"""
import sys
from dataclasses import replace
from prefer_core.rewriting import fetch
from prefer_core.rewriting.registry import MODELS
MODELS["tiny"] = replace(
    MODELS["gemma-3-1b-it"], key="tiny", file="{NAME}", files=("{NAME}",), repository="{REPOSITORY}",
    size_mib=3,
)
sys.argv = ["fetch", sys.argv[1]]
fetch.main()
"""


@pytest.fixture
def body(tmp_path: Path) -> bytes:
    """Return a file of 3 MB that starts as a GGUF does."""
    path = tmp_path / "made.gguf"
    write_gguf(path, {"general.name": "Tiny", "tokenizer.chat_template": "{{ messages }}"})
    return path.read_bytes() + os.urandom(3_000_000)


def environment(home: Path, url: str) -> dict[str, str]:
    """Return an environment in which the hub is at `url`."""
    kept = {name: value for name, value in os.environ.items() if name not in ("HF_HUB_OFFLINE", "HF_HUB_CACHE")}
    changed = {"HF_ENDPOINT": url, "HF_HOME": str(home / "hf"), "PREFER_HOME": str(home), "NO_PROXY": "127.0.0.1"}
    return kept | changed | {"PYTHONPATH": str(ROOT), "HF_HUB_DISABLE_XET": "1"}


def enter(monkeypatch: pytest.MonkeyPatch, wanted: dict[str, str]) -> None:
    """Make `wanted` this process's whole environment: a test before may have left HF_HUB_OFFLINE in it."""
    for name in set(os.environ) - set(wanted):
        monkeypatch.delenv(name)
    for name, value in wanted.items():
        monkeypatch.setenv(name, value)


def run(home: Path, url: str) -> tuple[int, str]:
    """Fetch; return the exit code and the last line."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "tiny"],
        env=environment(home, url), capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr


@pytest.mark.slow
def test_a_fetch_checks_what_it_brings(body: bytes, tmp_path: Path) -> None:
    """The file lies in place with its mark; with another digest it is deleted; without a hub it is told."""
    home = tmp_path / "home"
    with hosting(body) as hub:
        code, line = run(home, hub.url)
        assert (code, (home / "models" / NAME).read_bytes() == body) == (0, True), line
        assert [p.name for p in (home / "models").iterdir() if p.name != ".parts"] == [NAME]
        assert not list((home / "models" / ".parts").rglob("*.gguf"))
        hub.tag = hashlib.sha256(b"something else").hexdigest()
        code, line = run(tmp_path / "third", hub.url)
        assert code == 2
        assert "arrived damaged (its SHA-256 is another) and was deleted" in line
        assert not list((tmp_path / "third").rglob("*.gguf"))
        hub.status = 404
        assert f"{REPOSITORY} has no {NAME} any more" in run(tmp_path / "fourth", hub.url)[1]
        gone = hub.url
    assert "The hub cannot be reached" in run(tmp_path / "fifth", gone)[1]


@pytest.mark.slow
def test_a_file_that_is_no_longer_there_gives_way_to_another_quantisation(body: bytes, tmp_path: Path) -> None:
    """The hub's list is asked; image readers and draft heads are passed over."""
    with hosting(body) as hub:
        hub.name = "tiny-Q4_0.gguf"
        hub.listed = ["mmproj-tiny-Q4_K_M.gguf", "tiny-Q8_0.gguf", hub.name, "README.md"]
        code, line = run(tmp_path, hub.url)
        assert code == 0, line
        assert (tmp_path / "models" / NAME).read_bytes() == body


class TinyFetching(Fetching):
    """Watches a child that knows the made model."""

    def command(self, key: str) -> list[str]:
        """Return the child."""
        return [sys.executable, "-c", PROGRAM, "tiny"]


def until(condition, limit: float = 30.0) -> None:
    """Wait for a condition."""
    end = time.monotonic() + limit
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


@pytest.mark.slow
def test_a_stopped_fetch_goes_on_where_it_was(body: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page sees the bytes come, stops the child, and the next fetch asks only for the rest."""
    with hosting(body * 4) as hub:
        enter(monkeypatch, environment(tmp_path / "home", hub.url))
        watched = TinyFetching()
        hub.pause = 0.05
        watched.start("gemma-3-1b-it")
        with pytest.raises(BackendError, match="is being fetched; wait for it or stop it"):
            watched.start("gemma-3-4b-it")
        parts = tmp_path / "home" / "models" / ".parts"
        until(lambda: watched.done and any(p.stat().st_size >= 10_000_000 for p in parts.rglob("*.part")))
        assert 0 < watched.share < 1
        watched.stop()
        until(lambda: watched._process is not None and watched._process.poll() is not None)
        assert watched.state == "stopped"
        hub.pause = 0.0
        watched.start("gemma-3-1b-it")
        until(lambda: watched.state != "fetching")
        assert (watched.state, watched.error, watched.share) == ("done", "", 1.0)
        assert hub.starts[0] == 0
        assert hub.starts[-1] >= 10_000_000
    assert (tmp_path / "home" / "models" / NAME).read_bytes() == body * 4


@pytest.mark.slow
def test_a_failed_fetch_tells_the_page_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    """The child's sentence is the page's."""
    with hosting(body) as hub:
        enter(monkeypatch, environment(tmp_path / "home", hub.url))
        watched = TinyFetching()
        hub.tag = "1" * 64
        watched.start("gemma-3-1b-it")
        until(lambda: watched.state != "fetching")
        assert watched.state == "failed"
        assert "arrived damaged" in watched.error


def test_without_room_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the hub says is needed, whatever the table says, and what is free are told before a byte is asked for."""
    seen = fetch.Seen("x.gguf", 3 * 2**30, "", "")
    monkeypatch.setattr(fetch, "_names", lambda model: ("x.gguf",))
    monkeypatch.setattr(fetch, "_seen", lambda *_: seen)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 9 * 10**8, 10**8))
    monkeypatch.setattr(fetch, "_one", lambda *_: pytest.fail("a fetch began"))
    with pytest.raises(BackendError, match=r"needs 3\.2 GiB on the disk of .*, 95 MiB are free; make room, or set"):
        fetch.fetch("gemma-3-4b-it")


@pytest.mark.parametrize(("name", "words"), [("gpt", "no model 'gpt'"), ("gemma-3-270m", "comes with the packages")])
def test_what_cannot_be_fetched_is_told(name: str, words: str) -> None:
    """Unknown names and the embedded model list those that can."""
    with pytest.raises(BackendError, match=rf"{words}.*gemma-4-E2B-it, gemma-3-4b-it, gemma-3-1b-it, flan-t5-large"):
        fetch.fetch(name)


def test_the_registry_says_all_that_is_shown_before() -> None:
    """Size, licence, context, style and origin of every entry; digests are whole; speeds fall with size."""
    for model in MODELS.values():
        assert model.size_mib > 100
        assert model.licence
        assert model.context >= 512
        assert bool(model.repository) == bool(model.files)
        assert model.sha256 == "" or len(model.sha256) == 64
        assert known_by(model.file) is model
    assert fetch.describe(MODELS["gemma-3-4b-it"]) == (
        "Gemma 3 4B it: about 2.3 GiB (November 2026), licence: Gemma terms of use, ai.google.dev/gemma/terms, "
        "from ggml-org/gemma-3-4b-it-GGUF"
    )
    ladder = [MODELS[key] for key in ("gemma-3-270m", "gemma-3-1b-it", "gemma-3-4b-it")]
    assert [m.speed for m in ladder] == sorted((m.speed for m in ladder), reverse=True)


def test_a_fetched_model_is_taken_before_the_embedded_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In PREFER_HOME or in the hub's cache; by name and by the ladder."""
    monkeypatch.setattr(models.importlib.util, "find_spec", lambda name: object())
    values = {"PREFER_HOME": str(tmp_path / "home"), "HF_HOME": str(tmp_path / "hf")}
    assert models.resolve(values).model is MODELS["gemma-3-270m"]
    model = MODELS["gemma-3-1b-it"]
    cached = tmp_path / "hf" / "hub" / "models--ggml-org--gemma-3-1b-it-GGUF" / "snapshots" / "abc" / model.file
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"GGUF")
    assert (models.resolve(values).model, models.resolve(values).path) == (model, cached)
    own = tmp_path / "home" / "models" / model.file
    own.parent.mkdir(parents=True)
    own.write_bytes(b"GGUF")
    assert models.resolve(values).path == own
    missing = models.resolve(values | {"PREFER_MODEL": "gemma-3-4b-it"})
    assert missing.model is None
    assert missing.note.endswith("run: python precompute.py --fetch-model gemma-3-4b-it")


class Sleeping(Fetching):
    """Watches a child that takes a while to end."""

    def command(self, key: str) -> list[str]:
        """Return the child."""
        return [
            sys.executable,
            "-c",
            "import signal, time; signal.signal(15, lambda *_: time.sleep(0.6)); time.sleep(3)",
        ]


def test_a_stopped_child_that_ends_late_does_not_end_the_next_fetch() -> None:
    """The next fetch is still going on after the first one's child has gone."""
    watched = Sleeping()
    watched.start("gemma-3-1b-it")
    first = watched._process
    assert first is not None
    time.sleep(0.3)
    watched.stop()
    watched.start("gemma-3-1b-it")
    first.kill()
    first.wait(5)
    time.sleep(0.3)
    assert watched.state == "fetching"
    watched.stop()
    watched._process.kill()
    watched._process.wait(5)
