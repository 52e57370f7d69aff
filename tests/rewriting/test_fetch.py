"""Fetching a model, against a small hub on this computer."""

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest

from prefer_core.config import home
from prefer_core.errors import BackendError
from prefer_core.rewriting import fetch, models
from prefer_core.rewriting.fetch import Fetching
from prefer_core.rewriting.models import MODELS, known_by
from tests.rewriting.made_gguf import write_gguf
from tests.rewriting.made_hub import NAME, REPOSITORY, ModelHub, hosting

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = f"""
import sys
from dataclasses import replace
from prefer_core.rewriting import fetch
from prefer_core.rewriting.models import MODELS
MODELS["tiny"] = replace(
    MODELS["gemma-3-1b-it"], key="tiny", file="{NAME}", repository="{REPOSITORY}",
    size_mib=3,
)
try:
    print(fetch.fetch("tiny"))
except fetch.BackendError as error:
    print(error)
    sys.exit(2)
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
        hub.listed = ["README.md"]
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


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, private_home: Path) -> Callable[[ModelHub], Fetching]:
    """Return what makes a watched fetch of the made model from a hub; in this process the hub's address is patched."""
    import huggingface_hub
    from huggingface_hub import HfApi, constants

    model = replace(MODELS["gemma-3-1b-it"], key="tiny", file=NAME, repository=REPOSITORY, size_mib=3)
    monkeypatch.setitem(MODELS, "tiny", model)

    def at(hub: ModelHub) -> Fetching:
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        monkeypatch.setattr(
            huggingface_hub, "hf_hub_url", lambda repository, name: f"{hub.url}/{repository}/resolve/main/{name}"
        )
        monkeypatch.setattr(huggingface_hub, "HfApi", lambda: HfApi(endpoint=hub.url))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        return Fetching()

    return at


def until(condition, limit: float = 30.0) -> None:
    """Wait for a condition."""
    end = time.monotonic() + limit
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


@pytest.mark.slow
def test_a_stopped_fetch_goes_on_where_it_was(
    body: bytes, private_home: Path, tiny: Callable[[ModelHub], Fetching]
) -> None:
    """The page sees the bytes come, stops them, and the next fetch asks only for the rest."""
    with hosting(body * 8) as hub:
        watched = tiny(hub)
        hub.pause = 0.02
        watched.start("tiny")
        with pytest.raises(BackendError, match="is being fetched; wait for it or stop it"):
            watched.start("gemma-3-4b-it")
        until(lambda: 10_000_000 <= watched.done < watched.total)
        assert 0 < watched.share < 1
        watched.stop()
        assert watched.state == "stopped"
        hub.pause = 0.0
        watched.start("tiny")
        until(lambda: watched.state != "fetching")
        assert (watched.state, watched.error, watched.share) == ("done", "", 1.0)
        assert hub.starts[0] == 0
        assert hub.starts[-1] >= 10_000_000
    assert (private_home / "models" / NAME).read_bytes() == body * 8


@pytest.mark.slow
def test_a_failed_fetch_tells_the_page_why(body: bytes, tiny: Callable[[ModelHub], Fetching]) -> None:
    """One sentence, whatever ended it."""
    with hosting(body) as hub:
        watched = tiny(hub)
        hub.tag = "1" * 64
        watched.start("tiny")
        until(lambda: watched.state != "fetching")
        assert watched.state == "failed"
        assert "arrived damaged" in watched.error


def test_a_hub_that_is_full_is_told(body: bytes, tiny: Callable[[ModelHub], Fetching]) -> None:
    """A hub that answers 503 is named with its answer; nothing is left behind that looks like a model."""
    with hosting(body) as hub:
        watched = tiny(hub)
        hub.status = 503
        watched.start("tiny")
        until(lambda: watched.state != "fetching", 60)
    assert watched.state == "failed"
    assert f"The hub refused {NAME} of {REPOSITORY} (503); try again later: it goes on there." in watched.error
    assert not list((home() / "models").glob("*.gguf"))


@pytest.mark.slow
def test_a_hub_that_serves_another_size_than_it_told(body: bytes, tiny: Callable[[ModelHub], Fetching]) -> None:
    """A body that is shorter than announced is no model; what has come is kept, and the page is told."""
    with hosting(body) as hub:
        watched = tiny(hub)
        hub.announced = len(body) + 1000
        watched.start("tiny")
        until(lambda: watched.state != "fetching", 60)
        assert watched.state == "failed"
        assert "try again: it goes on where it stopped" in watched.error
        assert not list((home() / "models").glob("*.gguf"))


@pytest.mark.slow
def test_a_hub_that_falls_silent(
    body: bytes, tiny: Callable[[ModelHub], Fetching], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hub that sends no byte is given up after a few tries, in words; nothing looks like a model."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 0.2)
    with hosting(body) as hub:
        watched = tiny(hub)
        hub.mute = True
        watched.start("tiny")
        until(lambda: watched.state != "fetching", 60)
        assert watched.state == "failed"
        assert "The hub cannot be reached" in watched.error
        assert len(hub.starts) > 1
    assert not list((home() / "models").glob("*.gguf"))


def test_a_disk_that_fills_during_a_fetch(
    body: bytes, tiny: Callable[[ModelHub], Fetching], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason and the remedy are told; no half file takes the model's place."""
    from huggingface_hub import file_download

    def full(location: str, file: BinaryIO, **_: object) -> None:
        file.write(body[:1000])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(file_download, "http_get", full)
    with hosting(body) as hub:
        watched = tiny(hub)
        watched.start("tiny")
        until(lambda: watched.state != "fetching")
    assert watched.state == "failed"
    assert "No space left on device" in watched.error
    assert "see that there is room" in watched.error
    assert not list((home() / "models").glob("*.gguf"))


def test_without_room_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the hub says is needed, whatever the table says, and what is free are told before a byte is asked for."""
    monkeypatch.setattr(fetch, "_seen", lambda model: [fetch.Seen("x.gguf", 3 * 2**30, "")])
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
