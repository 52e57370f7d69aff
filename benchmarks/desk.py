"""The comparison page's server time for four profiles on a product of the paper's largest size, without text."""

from pathlib import Path

import numpy as np

from benchmarks.measure import Result, median_seconds
from prefer_core import session
from prefer_core.aspects.names import View
from prefer_core.corpus import open_corpus
from prefer_core.insight import comparison
from prefer_core.insight.comparison import Column, Preset
from prefer_core.insight.profiles import profile
from prefer_core.insight.why import differences
from prefer_core.session import Products
from prefer_core.types import KeyPoint, ProductCorpus
from prefer_core.ui import desk_html

LIMIT = 0.150
LARGEST, ASPECTS, POINTS, REVIEWERS = 4852, 10, 120, 1800
RUNS = 15


class Shelf:
    """One made product of the paper's largest size."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        phi = rng.dirichlet(np.full(ASPECTS, 0.3), LARGEST)
        reviewer = np.sort(rng.integers(0, REVIEWERS, LARGEST))
        points = [
            KeyPoint(int(rows[0]), int(phi[rows[0]].argmax()), False, len(rows), 900, rows, voice=i >= 90)
            for i in range(POINTS)
            for rows in [rng.choice(LARGEST, 1 if i >= 90 else int(rng.integers(4, 90)), replace=False)]
        ]
        self.made = ProductCorpus(
            product_id="P", title="Largest", phi=phi, s=rng.normal(size=(LARGEST, 17)),
            tokens=rng.integers(5, 30, LARGEST), reviewer=reviewer, rating=rng.integers(1, 6, LARGEST).astype(float),
            time=reviewer, text=[f"Sentence {i} of the product says what it says." for i in range(LARGEST)],
            supporters=[np.array([code]) for code in reviewer], n_reviewers=REVIEWERS, keypoints=tuple(points),
        )  # fmt: skip

    def product(self, product_id: str) -> ProductCorpus:
        """Return the product."""
        return self.made


def run(corpus: Path | None = None) -> Result:
    """Choose for four profiles and draw every table across them, from points, sentences and whole reviews in turn.

    Parameters
    ----------
    corpus : Path, optional
        A corpus folder, whose largest product is taken instead of the made one.
    """
    products: Products = Shelf()
    name, view = "P", View.of([f"aspect {k}" for k in range(ASPECTS)])
    terms: tuple[tuple[str, ...], ...] = (("word",),) * ASPECTS
    if corpus is not None:
        opened = open_corpus(corpus)
        products, view, terms = opened, opened.view, opened.terms
        name = str(opened.products.sort_values("n_sentences", ascending=False)["product_id"].iloc[0])
    product = products.product(name)
    seconds = {}
    for preset in ("person", "paper", "reviews"):
        seconds[preset] = median_seconds(lambda: _desk(products, name, view, terms, preset), RUNS)  # noqa: B023
    state = session.start(len(view.built), 0, comparison.settings())
    alone = median_seconds(
        lambda: [session.propose(products, name, state, comparison.settings(), 1) for _ in "ABCD"], RUNS
    )
    told = ", ".join(
        f"{kind} {1000 * seconds[preset]:.0f} ms"
        for preset, kind in (("person", "points"), ("paper", "sentences"), ("reviews", "whole reviews"))
    )
    ours = max(seconds.values())
    return Result(
        "desk",
        f"four profiles on {len(product):,} sentences, all tables, no text; ratio of the limit to the slowest",
        f"{told} (four selections alone {1000 * alone:.1f} ms, {ours / alone:.0f} times)",
        f"limit {1000 * LIMIT:.0f} ms",
        LIMIT / ours,
    )


def _desk(products: Products, name: str, view: View, terms: tuple[tuple[str, ...], ...], preset: Preset) -> int:
    product, letters = products.product(name), "ABCD"
    codes = ("theme-0", "theme-2", "mix-0-2", "even")
    columns = [Column(profile(code, product, view.choices), "mmr", preset, code) for code in codes]
    compared = comparison.compare(products, name, columns)
    written = [comparison.column_evidence(product, one) for one in compared]
    found = comparison.overlap(compared)
    own, shown = comparison.stars(product, compared)
    drawn = [
        desk_html.heat_map(letters, view, np.array([one.profile.w for one in compared]),
                           np.array([one.round.z for one in compared])),
        desk_html.matrix(letters, found.jaccard, "{:.2f}".format, desk_html.overlap_titles(found, letters)),
        desk_html.matrix(letters, found.cosine, "{:.2f}".format),
        desk_html.star_bars(letters, own, shown),
        *(desk_html.evidence_cards(letters, compared, written, i, view) for i in range(4)),
        *(desk_html.about(one, view, comparison.interpretation(one.round.z, view, terms)) for one in compared),
    ]  # fmt: skip
    return sum(map(len, drawn)) + len(differences(products, name, compared[0], compared[1], changes=False))
