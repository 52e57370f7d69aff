"""Facts about the numbers that leave the app beside a figure."""

import json
from pathlib import Path

import numpy as np

from prefer_core.figures import corpus as figures
from prefer_core.figures import space
from prefer_core.figures.tables import numbers

REVIEWS = Path(__file__).resolve().parents[2] / "assets" / "sample" / "reviews.jsonl"
AWKWARD = [
    "a<br>b & <b>c</b>",
    "see http://" + "x" * 90 + " there",
    "a well-known, hard-to-break-up t-shirt " * 4,
    "😀 שלום",
]


def test_a_cloud_takes_its_texts_along_word_for_word() -> None:
    """Every text of the sample and some awkward ones come back beside the coordinates of their own point."""
    lines = REVIEWS.read_text(encoding="utf-8").splitlines()
    texts = [" ".join(text.split()) for text in (*(json.loads(line)["text"] for line in lines), *AWKWARD)]
    rng = np.random.default_rng(0)
    s, phi = rng.normal(size=(len(texts), 3)), rng.dirichlet(np.ones(4), len(texts))
    rows = numbers(figures.clusters(s, phi, list("abcd"), texts=texts))
    held = {row["PC 1"]: (row["series"], row["text"]) for row in rows}
    assert len(held) == len(texts)
    for place, text, k in zip(s[:, 0], texts, phi.argmax(axis=1), strict=True):
        assert held[place] == ("abcd"[k], text)


def test_five_components_are_five_columns() -> None:
    """Colour and size are numbers too: all five components of each unit are in its row."""
    s = np.random.default_rng(1).normal(size=(20, 6))
    rows = numbers(space.five_components(s))
    assert np.allclose([[row[f"PC {i}"] for i in range(1, 6)] for row in rows], s[:, :5])
