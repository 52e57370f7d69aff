"""The corpus folder: products as they were written, damage found, swaps finished or undone."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from prefer_core.config import AspectSettings, BuildConfig
from prefer_core.corpus import FILES, Corpus, open_corpus
from prefer_core.encoders.embedders import EMBEDDERS
from prefer_core.errors import CorpusError
from prefer_core.files.manifest import MANIFEST, digest_of, read_json, write_json
from prefer_core.pipeline import build
from tests.built import SmallCorpora
from tests.data.made import BagOfWords, made_reviews, write_jsonl

SETTINGS = AspectSettings(embedder="words", n_aspects=3, preset="paper")


def reviews() -> list[dict[str, Any]]:
    """Return made reviews in which two reviewers of P1 wrote the same sentence."""
    rows = made_reviews()
    shared = {"parent_asin": "P1", "text": "This lid cracked at once."}
    rows += [rows[0] | shared | {"user_id": "A"}, rows[0] | shared | {"user_id": "B"}]
    return [*rows, rows[0] | {"parent_asin": "P1", "user_id": "C", "text": "Meh."}]


@pytest.fixture
def folder(tmp_path: Path, small_corpora: SmallCorpora) -> Path:
    """Return the corpus of the made reviews, which a test may damage."""
    return small_corpora.copy(reviews(), SETTINGS, tmp_path / "c")


def test_product_is_its_slice(folder: Path) -> None:
    """Every field of a product equals the rows of the tables and arrays that belong to it."""
    corpus = open_corpus(folder)
    sentences = pd.read_parquet(folder / "sentences.parquet")
    phi = np.load(folder / "phi.npy").astype(np.float64)
    for product_id in ("P0", "P1", "P2", "P3"):
        mine = sentences[sentences["product"] == product_id]
        product = corpus.product(product_id)
        at = mine.index.to_numpy()
        assert list(product.text or ()) == list(mine["text"])
        assert list(product.ids or ()) == list(mine["id"])
        assert list(product.review_title or ()) == list(mine["review_title"])
        for name in ("rating", "time", "verified", "helpful", "flags", "tokens"):
            assert np.array_equal(getattr(product, name), mine[name]), name
        assert product.phi == pytest.approx(phi[at] / phi[at].sum(axis=1, keepdims=True), abs=1e-15)
        assert np.array_equal(product.s, np.load(folder / "reduced.npy")[at])
        assert np.array_equal(corpus.array("embeddings")[at], np.load(folder / "embeddings.npy")[at])
        assert (product.digest, product.n_aspects) == (corpus.id, 3)


def test_supporters_and_reviewers(folder: Path) -> None:
    """A sentence of two reviewers has both codes; all reviewers of the product count, also one without a sentence."""
    product = open_corpus(folder).product("P1")
    shared = list(product.text or ()).index("This lid cracked at once.")
    supporters = product.supporters or ()
    assert len(supporters[shared]) == 2
    assert product.reviewer is not None
    assert product.reviewer[shared] in supporters[shared]
    assert len({int(code) for codes in supporters for code in codes}) == 12
    assert product.n_reviewers == 13
    assert all(np.any(codes == code) for codes, code in zip(supporters, product.reviewer, strict=True))


def test_products_are_listed_by_position(folder: Path) -> None:
    """Offsets cut the sentences without gap, and counts fit them."""
    products = open_corpus(folder).products
    assert list(products["product_id"]) == ["P0", "P1", "P2", "P3"]
    assert list(products["start"])[1:] == list(products["stop"])[:-1]
    assert list(products["stop"] - products["start"]) == list(products["n_sentences"])
    assert np.stack(products["aspect_mass"].to_list()).sum(axis=1) == pytest.approx(np.ones(4))


def test_row_groups_do_not_matter(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A product that spans several row groups is read whole."""
    whole = open_corpus(folder).product("P2")
    monkeypatch.setattr("prefer_core.corpus._ROW_GROUP", 7)
    monkeypatch.setitem(EMBEDDERS, "words", BagOfWords)
    source = write_jsonl(tmp_path / "made.jsonl", reviews())
    build(BuildConfig(source=str(source), out=str(tmp_path / "d"), aspects=SETTINGS))
    parts = open_corpus(tmp_path / "d").product("P2")
    assert list(parts.text or ()) == list(whole.text or ())
    assert all(np.array_equal(a, b) for a, b in zip(parts.supporters or (), whole.supporters or (), strict=True))


def test_unknown_product_names_some(folder: Path) -> None:
    """The error for an unknown id tells a few that exist."""
    with pytest.raises(CorpusError, match="no product 'X' in this corpus; it has, for example, P0, P1, P2"):
        open_corpus(folder).product("X")


def test_products_are_cached_and_names_told(folder: Path) -> None:
    """The same product is the same value; the corpus knows its name, labels and that it is no sample."""
    corpus = open_corpus(folder)
    assert corpus.product("P0") is corpus.product("P0")
    assert (corpus.name, corpus.is_sample, corpus.n_aspects) == ("made", False, 3)
    assert len(set(corpus.labels)) == 3


@pytest.mark.parametrize("name", [*FILES, MANIFEST])
@pytest.mark.parametrize("place", [0.1, 0.5, 0.99])
def test_one_flipped_bit_is_found(folder: Path, name: str, place: float) -> None:
    """A single flipped bit anywhere is a CorpusError that names the file and the command to run."""
    path = folder / name
    data = bytearray(path.read_bytes())
    data[int(len(data) * place)] ^= 1
    path.write_bytes(data)
    with pytest.raises(CorpusError, match=rf"{name} is missing or damaged; build.*precompute\.py --source"):
        open_corpus(folder)


@pytest.mark.parametrize("name", FILES)
def test_missing_file_is_found(folder: Path, name: str) -> None:
    """A file that is gone is named."""
    (folder / name).unlink()
    with pytest.raises(CorpusError, match=f"{name} is missing"):
        open_corpus(folder)


def test_no_corpus_says_how_to_make_one(tmp_path: Path) -> None:
    """A folder that is not there, or has no manifest, gives the command that makes one."""
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(CorpusError, match=r"There is no corpus in .*precompute.py --source sample"):
            open_corpus(path)


def test_newer_format_is_refused(folder: Path) -> None:
    """A folder of format 3, well-formed otherwise, asks for a newer program."""
    manifest = read_json(folder / MANIFEST) | {"format": 3}
    del manifest["digest"]
    write_json(folder / MANIFEST, manifest | {"digest": digest_of(manifest)})
    with pytest.raises(CorpusError, match="corpus format 3, newer than 2"):
        open_corpus(folder)


def test_cut_off_swap_is_finished_on_opening(folder: Path) -> None:
    """Old moved away and new whole: opening finishes the swap and gives the new corpus."""
    expected = open_corpus(folder).id
    folder.rename(folder.with_name("c.building"))
    folder.with_name("c.previous").mkdir()
    assert open_corpus(folder).id == expected
    assert not folder.with_name("c.previous").exists()


def test_cut_off_swap_with_damage_is_undone_on_opening(folder: Path) -> None:
    """Old moved away and new torn: opening gives the old corpus back."""
    expected = open_corpus(folder).id
    folder.rename(folder.with_name("c.previous"))
    folder.with_name("c.building").mkdir()
    (folder.with_name("c.building") / "phi.npy").write_bytes(b"torn")
    assert open_corpus(folder).id == expected


def test_manifest_is_json_without_nan(folder: Path) -> None:
    """Every JSON file of the folder is strict JSON."""

    def refuse(value: str) -> None:
        raise AssertionError(value)

    for name in ("manifest.json", "aspects.json", "diagnostics.json"):
        json.loads((folder / name).read_text("utf-8"), parse_constant=refuse)


def test_opening_loads_none_of_the_heavy_packages(folder: Path) -> None:
    """A process that opens a corpus and reads a product has not loaded torch, transformers or scikit-learn."""
    code = (
        "import sys; from prefer_core.corpus import open_corpus; open_corpus(sys.argv[1]).product('P0'); "
        "print([m for m in ('torch', 'sentence_transformers', 'llama_cpp', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_corpus_can_be_shared(folder: Path) -> None:
    """Two openings are two values with the same id."""
    one, two = open_corpus(folder), open_corpus(str(folder))
    assert isinstance(one, Corpus)
    assert one.id == two.id
