"""Embedding on disk, shard by shard: what is there is taken, what is not its own is not."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from prefer_core.encoders import shards
from prefer_core.errors import CorpusError
from tests.data.made import BagOfWords

TEXTS = [f"sentence number {n} of a made table" for n in range(25)]


class Counting(BagOfWords):
    """Notes what it embeds; breaks off after `most` texts."""

    def __init__(self, most: int = 1000) -> None:
        super().__init__()
        self.most = most
        self.seen: list[str] = []

    def encode(self, texts, tokens, tick=lambda done, total: None):  # type: ignore[no-untyped-def]
        """Embed, or break off as Ctrl-C does."""
        if len(self.seen) + len(texts) > self.most:
            raise KeyboardInterrupt
        self.seen += texts
        return super().encode(texts, tokens, tick)


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "ROWS", 8)


def _whole() -> tuple[NDArray[np.int32], NDArray[np.float16]]:
    plain = BagOfWords()
    tokens = plain.count_tokens(TEXTS)
    return tokens, plain.encode(TEXTS, tokens).astype(np.float16)


def test_shards_join_to_the_whole(tmp_path: Path) -> None:
    """Tokens and vectors are those of the model, in order, in a file that numpy reads; progress ends at the total."""
    told: list[tuple[int, int]] = []
    tokens, vectors = shards.embed(BagOfWords(), TEXTS, tmp_path, lambda *call: told.append(call))
    assert np.array_equal(tokens, _whole()[0])
    assert np.array_equal(vectors, _whole()[1])
    assert vectors.dtype == np.float16
    assert isinstance(vectors, np.memmap)
    assert told[-1] == (25, 25)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_a_cut_off_run_goes_on(tmp_path: Path) -> None:
    """After a break only what is missing is embedded, in the precision begun with, and the result is the same."""
    first = Counting(most=17)
    first.precision = "bf16"
    with pytest.raises(KeyboardInterrupt):
        shards.embed(first, TEXTS, tmp_path)
    second = Counting()
    _, vectors = shards.embed(second, TEXTS, tmp_path)
    assert first.seen + second.seen == TEXTS
    assert second.precision == "bf16"
    assert np.array_equal(vectors, _whole()[1])


def test_shards_of_other_texts_are_not_taken(tmp_path: Path) -> None:
    """One changed text, or another model, starts anew."""
    shards.embed(BagOfWords(), TEXTS, tmp_path)
    changed = Counting()
    shards.embed(changed, ["another one", *TEXTS[1:]], tmp_path)
    assert len(changed.seen) == 25
    other = Counting()
    other.name = "another model"
    shards.embed(other, ["another one", *TEXTS[1:]], tmp_path)
    assert len(other.seen) == 25


def test_a_damaged_shard_is_made_again(tmp_path: Path) -> None:
    """A shard with a turned bit is embedded again, and only that one."""
    shards.embed(BagOfWords(), TEXTS, tmp_path)
    shard = tmp_path / "shards" / "00001.npz"
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(bytes(content))
    again = Counting()
    _, vectors = shards.embed(again, TEXTS, tmp_path)
    assert again.seen == TEXTS[8:16]
    assert np.array_equal(vectors, _whole()[1])


def test_no_room_is_told(tmp_path: Path) -> None:
    """A place that cannot be written gives one sentence with the remedy."""
    (tmp_path / "shards").write_text("a file where the folder goes")
    with pytest.raises(CorpusError, match=r"cannot be written .*; make room and run the same command again"):
        shards.embed(BagOfWords(), TEXTS, tmp_path)
