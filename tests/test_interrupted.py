"""Builds that are killed, short of room, or two at once: clear errors, clean resumes, never a mixed folder."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from prefer_core.corpus import FILES, open_corpus
from tests.data.made import made_reviews, write_jsonl

ROOT = Path(__file__).parents[1]
SLOW_BUILD = """
import resource, sys, time
from prefer_core.encoders import shards
from prefer_core.encoders.embedders import EMBEDDERS
from prefer_core.config import AspectSettings, BuildConfig
from prefer_core.errors import PreferError
from prefer_core.pipeline import build
from tests.data.made import BagOfWords

class Slow(BagOfWords):
    def encode(self, texts, tokens, tick=lambda done, total: None):
        print("embedding", flush=True)
        time.sleep(float(sys.argv[3]))
        return super().encode(texts, tokens, tick)

EMBEDDERS["words"] = Slow
shards.ROWS = 8
if len(sys.argv) > 4:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[4]),) * 2)
try:
    settings = AspectSettings(embedder="words", n_aspects=3, preset="paper")
    build(BuildConfig(source=sys.argv[1], out=sys.argv[2], aspects=settings))
except PreferError as error:
    sys.exit(str(error))
"""


def _start(source: Path, out: Path, pause: float, *room: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SLOW_BUILD, str(source), str(out), str(pause), *map(str, room)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A hundred made reviews: 200 sentences, 25 shards."""
    return _write_source(tmp_path)


def _write_source(folder: Path) -> Path:
    return write_jsonl(folder / "made.jsonl", made_reviews(100))


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus of a build that nothing has disturbed, of the same reviews; tests only read it."""
    folder = tmp_path_factory.mktemp("unbroken")
    with _start(_write_source(folder), folder / "c", 0) as process:
        assert process.wait(120) == 0, process.stderr.read() if process.stderr else ""
    return folder / "c"


def _equal(one: Path, other: Path) -> bool:
    same = all((one / name).read_bytes() == (other / name).read_bytes() for name in FILES)
    return same and open_corpus(one).id == open_corpus(other).id


@pytest.mark.slow
def test_killed_at_any_moment_a_build_goes_on(source: Path, unbroken: Path, tmp_path: Path) -> None:
    """kill -9 at four random moments and at four in the embedding, then to the end: the files of the unbroken build."""
    moments, out = random.Random(3), tmp_path / "c"

    def shards() -> int:
        return len(list((tmp_path / "c.work").glob("shards/*.npz")))

    for turn in range(8):
        before = shards()
        with _start(source, out, 0.05) as process:
            time.sleep(moments.uniform(0.3, 4.0))
            while turn % 2 and shards() == before and process.poll() is None:
                time.sleep(0.02)
            process.kill()
        assert not out.exists() or _equal(out, unbroken)
    with _start(source, out, 0) as process:
        assert process.wait(300) == 0
    assert _equal(out, unbroken)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "home") == ["c", "made.jsonl"]


@pytest.mark.slow
def test_two_builds_at_once(source: Path, unbroken: Path, tmp_path: Path) -> None:
    """The second is refused in one sentence; the first ends with its corpus."""
    out = tmp_path / "c"
    with _start(source, out, 0.1) as first:
        assert first.stdout
        assert first.stdout.readline() == "embedding\n"
        with _start(source, out, 0) as second:
            _, told = second.communicate(timeout=60)
        assert second.returncode == 1
        assert (
            told.strip()
            == f"Another build (process {first.pid}) is writing to {out}; wait for it, or give another --out."
        )
        assert first.wait(120) == 0
    assert _equal(out, unbroken)


@pytest.mark.slow
@pytest.mark.parametrize("room", [500, 9000])
def test_no_room_on_the_disk(source: Path, unbroken: Path, tmp_path: Path, room: int) -> None:
    """A file that cannot grow past some bytes stops the build in one sentence; with room it goes on."""
    out = tmp_path / "c"
    with _start(source, out, 0, room) as process:
        _, told = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "cannot be written (File too large); make room" in told
    assert len(told.strip().splitlines()) == 1
    assert not out.exists()
    with _start(source, out, 0) as process:
        assert process.wait(120) == 0
    assert _equal(out, unbroken)
