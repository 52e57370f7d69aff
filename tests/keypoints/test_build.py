"""Key points in a corpus folder: built, resumed, opened, and what odd sources come to."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from prefer_core import pipeline
from prefer_core.config import AspectSettings, BuildConfig, KeyPointSettings
from prefer_core.corpus import FILES_OF_FORMAT, Corpus, open_corpus
from prefer_core.encoders.embedders import EMBEDDERS
from prefer_core.encoders.entailment import Entailment
from prefer_core.errors import CorpusError
from prefer_core.files.manifest import MANIFEST, read_json, write_manifest
from prefer_core.files.progress import Tick, silent
from prefer_core.rewriting.points import PointText, store
from tests.data.made import BagOfWords, write_jsonl

Build = Callable[..., Corpus]


class SameWords(Entailment):
    """Says a point if all of its words are in the sentence, and finds everything useful."""

    asked = 0

    def require(self) -> None:
        """Need nothing."""

    def probabilities(self, pairs: Sequence[tuple[str, str]], tick: Tick = silent) -> np.ndarray:
        """Return probabilities (n, 3)."""
        SameWords.asked += len(pairs)
        tick(len(pairs), len(pairs))
        told = [_words(point) <= _words(sentence) for sentence, point in pairs]
        useful = ["buyer" in point for _, point in pairs]
        says = np.array([a or b for a, b in zip(told, useful, strict=True)], dtype=np.float32)
        return np.stack([says, 1 - says, np.zeros_like(says)], axis=1)


_TEN_DAYS = 864_000_000
"""Further apart than a flood of copies."""


def _words(text: str) -> set[str]:
    return set(text.lower().replace(".", "").split())


def review(user: int, text: str, product: str = "P") -> dict[str, Any]:
    """Return one review."""
    return {
        "user_id": f"U{user}",
        "parent_asin": product,
        "timestamp": 10**12 + user * _TEN_DAYS,
        "rating": 4.0,
        "text": text,
    }


def varied(n: int = 24) -> list[dict[str, Any]]:
    """Return reviews of n reviewers who say two things, and each something of their own."""
    ways = ("The lid leaks a lot", "The lid leaks a lot every single day", "Sadly the lid leaks a lot here")
    smells = ("It smells very sweet", "I think it smells very sweet", "To me it smells very sweet indeed")
    rows = []
    for i in range(n):
        said = (ways if i % 2 else smells)[i % 3]
        rows.append(review(i, f"{said}. My order number {i} came on day {i} by train {i * 7}."))
    return rows


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Return a builder of a corpus from reviews."""
    monkeypatch.setitem(EMBEDDERS, "words", BagOfWords)
    monkeypatch.setattr(pipeline, "Entailment", SameWords)

    def made(rows: list[dict[str, Any]], name: str = "c", **settings: Any) -> Corpus:
        source = write_jsonl(tmp_path / f"{name}.jsonl", rows)
        how = KeyPointSettings(**{"apart": 0.99} | settings)
        aspects = AspectSettings(embedder="words", n_aspects=2)
        pipeline.build(BuildConfig(source=str(source), out=str(tmp_path / name), aspects=aspects, keypoints=how))
        return open_corpus(tmp_path / name)

    return made


def test_a_point_is_counted_over_the_whole_folder(build: Build) -> None:
    """What is stored is what the product gives back: N by reviewers, members that say it, positions of the slice."""
    corpus = build([*varied(), *(review(50 + i, f"Another thing number {i} for you.", "A") for i in range(5))])
    product = corpus.product("P")
    points = [point for point in product.keypoints if not point.voice]
    texts = {product.text[p.representative]: p.reviewers for p in points}
    assert texts == {"The lid leaks a lot.": 12, "It smells very sweet.": 12}
    for point in points:
        words = _words(product.text[point.representative])
        assert all(words <= _words(product.text[i]) for i in point.members)
    assert corpus.product("A").keypoints == ()
    assert set(pq.read_table(corpus.path / "keypoints.parquet")["product"].to_pylist()) == {"P"}


def test_a_killed_build_goes_on_with_the_products_it_had(
    build: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What was matched before the kill is not asked again, and the folder is the same as of an unbroken build."""
    rows = [*varied(), *({**row, "parent_asin": "Q"} for row in varied())]
    before = SameWords.asked
    whole = build(rows, "whole")
    real, first = SameWords.probabilities, (SameWords.asked - before) // 2
    before = SameWords.asked

    def dies(self: SameWords, pairs: Sequence[tuple[str, str]], tick: Tick = silent) -> np.ndarray:
        if SameWords.asked > before + first:
            raise KeyboardInterrupt
        return real(self, pairs, tick)

    monkeypatch.setattr(SameWords, "probabilities", dies)
    with pytest.raises(KeyboardInterrupt):
        build(rows, "cut")
    assert list((tmp_path / "cut.work" / "keypoints").glob("*.npz"))
    monkeypatch.setattr(SameWords, "probabilities", real)
    before = SameWords.asked
    cut = build(rows, "cut")
    assert SameWords.asked - before < 2 * first
    assert pq.read_table(cut.path / "keypoints.parquet").equals(pq.read_table(whole.path / "keypoints.parquet"))


def test_a_corpus_of_format_1_opens_without_points_and_keeps_its_id(build: Build, tmp_path: Path) -> None:
    """An older folder has no table of key points; its products are read as before and its sessions go on."""
    new = build(varied())
    old = tmp_path / "old"
    shutil.copytree(new.path, old)
    (old / "keypoints.parquet").unlink()
    products = pq.read_table(old / "products.parquet")
    pq.write_table(products.drop_columns(["point_start", "point_stop"]), old / "products.parquet")
    manifest = {k: v for k, v in read_json(old / MANIFEST).items() if k not in ("digest", "files", "keypoints")}
    write_manifest(old, manifest | {"format": 1}, FILES_OF_FORMAT[1])
    opened = open_corpus(old)
    assert opened.id == new.id
    assert not opened.has_keypoints
    assert opened.product("P").keypoints == ()
    assert opened.product("P").text == new.product("P").text


def test_key_points_leave_the_corpus_id_alone(build: Build) -> None:
    """Other settings of key points give other points and the same id."""
    found = []
    for least in (3, 50):
        corpus = build(varied(), least_gain=least)
        found.append((corpus.id, sum(not p.voice for p in corpus.product("P").keypoints)))
    assert [points for _, points in found] == [2, 0]
    assert found[0][0] == found[1][0]


@pytest.mark.parametrize(
    ("name", "rows", "points"),
    [
        ("all the same", [*(review(50 + i, "The lid leaks a lot.") for i in range(30)), *varied(3)], 1),
        ("all different", [review(i, f"Thing{i} does{i} whatever{i} works{i} here{i}.") for i in range(30)], 0),
        ("one reviewer", [review(1, f"The lid leaks a lot {i}.") | {"timestamp": i} for i in range(300)], 0),
        ("only questions", [review(i, f"Does the lid number {i} leak?") for i in range(30)], 0),
        ("only stories", [review(i, f"I bought this for my aunt number {i} and we cried.") for i in range(30)], 0),
        (
            "two languages",
            varied() + [review(90 + i, f"La tapa número {i} gotea mucho siempre.") for i in range(12)],
            2,
        ),
    ],
)
def test_odd_products_build_and_open(build: Build, name: str, rows: list[dict[str, Any]], points: int) -> None:
    """Whatever a product's reviews are like, the build ends and its product opens with the points there are."""
    product = build(rows).product("P")
    assert sum(not point.voice for point in product.keypoints) == points


def test_a_missing_model_is_said_and_only_equal_sentences_count(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The build ends with a note that names the file and the remedy."""
    monkeypatch.setattr(pipeline, "Entailment", lambda threads: Entailment(tmp_path / "nowhere", threads))
    corpus = build([review(i, f"The lid leaks a lot. My own story number {i} is here.") for i in range(30)])
    assert "model.onnx" in corpus.manifest["keypoints"]["trouble"]
    [point] = [p for p in corpus.product("P").keypoints if not p.voice]
    assert point.reviewers == 30


def test_a_damaged_model_names_the_file(tmp_path: Path) -> None:
    """A file that is no model is a sentence with the remedy, not a trace."""
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(Exception, match=r"damaged \(model\.onnx .*restore the file"):
        Entailment(tmp_path).require()


def test_texts_of_points_are_read_with_their_corpus(build: Build) -> None:
    """A clause that a model wrote stands in its point; texts of another corpus are left alone, damage is said."""
    corpus = build(varied())
    text = PointText("P", 0, "a model", "the lid leaks", (0,), 1.0, "strict")
    store(corpus.path, corpus.id, [text])
    first, second = (open_corpus(corpus.path).product("P").keypoints[i] for i in (0, 1))
    assert (first.text, first.writer) == ("the lid leaks", "a model")
    assert second.text is None
    store(corpus.path, "another corpus", [text])
    assert open_corpus(corpus.path).product("P").keypoints[0].text is None
    (corpus.path / "texts.parquet").write_bytes(b"broken")
    with pytest.raises(CorpusError, match="write the texts anew"):
        open_corpus(corpus.path).product("P")
