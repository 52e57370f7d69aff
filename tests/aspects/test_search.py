"""Facts about search: the same sentences as looking at every one by itself."""

import re
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefer_core.aspects import search
from prefer_core.errors import ConfigError

TEXTS = [
    "The zip is too small.", "Small, too!", "TOO   small - returned it", "Toosmall for me", "A café au lait colour",
    "CAFE\u0301 racer", "I don’t like it", "I don't: like it", "size 10/12 and 2\u00bd inches", "naïve façade, 50%",
    "Größe passt", "", "too, small", "small (too small)", "Ελλάδα δώρο", "a.b*c [x] \\d+ $5",
]  # fmt: skip
WORDS = ["too", "small", "café", "cafe", "don't", "don’t", "SIZE", "2", "50", "grosse", "größe", "δωρο", "it", "b", "x"]


@pytest.fixture(scope="module")
def sentences(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the texts, three times over, in row groups of seven."""
    path = tmp_path_factory.mktemp("search") / "sentences.parquet"
    frame = pd.DataFrame({"text": TEXTS * 3, "product": [f"p{i}" for i in range(len(TEXTS) * 3)]})
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=7)
    return path


def folded(text: str) -> str:
    """Lower case without accents, letter by letter."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.category(c).startswith("M"))
    return "".join(c.lower() for c in bare).replace("’", "'")


def words(text: str) -> list[str]:
    """Whole words of a folded text."""
    return re.findall(r"[^\W_]+", folded(text))


def holds(text: str, phrase: str) -> bool:
    """Whether the words of a phrase stand side by side in a text; apostrophes part words on both sides alike."""
    held, wanted = words(text), words(phrase)
    return any(held[i : i + len(wanted)] == wanted for i in range(len(held)))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), st.booleans())
def test_words_find_what_reading_every_sentence_finds(sentences: Path, chosen: list[str], quoted: bool) -> None:
    """All words in any order, or side by side in quotes, against plain Python over every sentence."""
    query = f'"{" ".join(chosen)}"' if quoted else " ".join(chosen)
    parts = [" ".join(chosen)] if quoted else chosen
    wanted = [i for i, text in enumerate(TEXTS * 3) if all(holds(text, part) for part in parts)]
    found = search.by_words(sentences, query)
    assert found.rows.tolist() == wanted
    assert found.total == len(wanted)


def test_a_query_is_words_not_a_pattern(sentences: Path) -> None:
    """Signs of regular expressions are no words; a query of signs alone is refused, as is an endless one."""
    assert search.by_words(sentences, "b.* [x] (").rows.tolist() == [15, 31, 47]
    assert (
        search.by_words(sentences, 'too "small').rows.tolist() == search.by_words(sentences, "too small").rows.tolist()
    )
    for query in ("", '""', "$ . *"):
        with pytest.raises(ConfigError, match="at least one word"):
            search.by_words(sentences, query)
    with pytest.raises(ConfigError, match="at most 300"):
        search.by_words(sentences, "a" * 301)


def test_only_some_sentences_may_be_found(sentences: Path) -> None:
    """A mask over the corpus holds across row groups."""
    among = np.zeros(len(TEXTS) * 3, dtype=bool)
    among[[2, 12, 16, 34]] = True
    assert search.by_words(sentences, "too small", among).rows.tolist() == [2, 12, 16, 34]
    assert search.by_words(sentences, "zip", among).rows.tolist() == [16]


@pytest.mark.parametrize("block", [1, 7, 64, 10_000])
def test_meaning_finds_the_nearest_of_all(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    """Block by block the same rows and cosines as sorting all, ties by position, with and without a mask."""
    monkeypatch.setattr(search, "BLOCK", block)
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(500, 16))
    vectors[100:110] = vectors[3]
    stored = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    query = stored[3].astype(np.float32)
    cosine = stored.astype(np.float32) @ query
    for among in (None, rng.random(500) < 0.3, np.zeros(500, dtype=bool)):
        rows = np.arange(500) if among is None else np.flatnonzero(among)
        wanted = rows[np.lexsort((rows, -np.round(cosine[rows], 5)))][:25]
        found = search.by_meaning(stored, query, 25, among)
        np.testing.assert_array_equal(found.rows, wanted)
        np.testing.assert_allclose(found.similarity, cosine[wanted], atol=1e-6)
        assert found.total == len(rows)


def test_the_filter_is_by_largest_membership(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence belongs to an aspect, perhaps merged, if one of its members holds most of the sentence."""
    monkeypatch.setattr(search, "BLOCK", 9)
    phi = np.random.default_rng(2).dirichlet(np.ones(5), 50).astype(np.float32)
    found = search.dominant_among(phi, (1, 4))
    assert found.tolist() == [int(row.argmax()) in (1, 4) for row in phi]


def test_details_come_in_the_order_asked_for(sentences: Path) -> None:
    """Columns of scattered rows, from several row groups, the same row twice too."""
    rows = np.array([40, 3, 17, 3, 0])
    got = search.details(sentences, rows, ["product", "text"])
    assert got["product"].tolist() == [f"p{i}" for i in rows]
    assert got["text"].tolist() == [(TEXTS * 3)[i] for i in rows]
    assert search.details(sentences, rows[:0], ["text"]).empty
