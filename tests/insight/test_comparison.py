"""Facts about profiles side by side, and about the paper's table made of them."""

import csv
import io
import re
from dataclasses import replace

import numpy as np
import pytest

from prefer_core.aspects.names import Edit, View, view_of
from prefer_core.errors import ConfigError
from prefer_core.insight import comparison, table2
from prefer_core.rewriting import write_template
from prefer_core.types import KeyPoint, ProductCorpus

LABELS = ("smell & scent", "lid_1", "50% off", "skin")


class Shop:
    """One made product of 60 sentences, each about one of four aspects, by 15 reviewers with four each."""

    def __init__(self) -> None:
        rng = np.random.default_rng(3)
        phi = np.full((60, 4), 0.05)
        phi[np.arange(60), np.arange(60) % 4] = 0.85
        s = rng.normal(size=(60, 5))
        self.made = ProductCorpus(
            product_id="p",
            title="Soap #1",
            text=[f"Sentence {i} says something about aspect {i % 4}." for i in range(60)],
            phi=phi,
            s=s / np.linalg.norm(s, axis=1, keepdims=True),
            tokens=np.full(60, 8),
            reviewer=np.arange(60) // 4,
            n_reviewers=15,
        )

    def product(self, product_id: str) -> ProductCorpus:
        """Return the product."""
        return self.made


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.mark.parametrize(
    ("code", "w"),
    [
        ("even", [0.25, 0.25, 0.25, 0.25]),
        ("theme-2", [0, 0, 1, 0]),
        ("mix-1-3", [0, 0.5, 0, 0.5]),
        ("own-10-0-30-60", [0.1, 0, 0.3, 0.6]),
        ("reviewer-14", [0.25, 0.25, 0.25, 0.25]),
    ],
)
def test_a_code_is_a_preference(shop: Shop, code: str, w: list[float]) -> None:
    """Every form of the code gives the vector it names, and keeps its code."""
    made = comparison.profile(code, shop.made, LABELS)
    assert made.code == code
    np.testing.assert_allclose(made.w, w, atol=1e-12)


@pytest.mark.parametrize(
    "code",
    ["", "theme", "theme-4", "theme--1", "mix-1-1", "mix-1", "own-1-2-3", "own-0-0-0-0", "reviewer-15", "even-1",
     "theme-99999999999999", "drop table", "theme-1-", "mix-0-9", "own-1-2-3-x", "theme-²"],
)  # fmt: skip
def test_any_other_code_is_refused_in_one_sentence(shop: Shop, code: str) -> None:
    """What names no profile of this product is a ConfigError that shows the forms there are."""
    with pytest.raises(ConfigError, match=r"a profile is even, theme-3"):
        comparison.profile(code, shop.made, LABELS)


@pytest.mark.parametrize("extractor", ["mmr", "gumbel"])
def test_each_profile_is_shown_its_own_theme_again_and_again(shop: Shop, extractor: str) -> None:
    """Profiles of one aspect get evidence of their aspect; G_cos is the cosine by hand; a second call is the same."""
    made = [comparison.profile(f"theme-{k}", shop.made, LABELS) for k in range(4)]
    how = comparison.settings(extractor, 3)
    once, again = (comparison.compare(shop, "p", made, how) for _ in range(2))
    for k, (one, same) in enumerate(zip(once, again, strict=True)):
        assert [piece.aspect for piece in one.evidence] == [k, k, k]
        np.testing.assert_array_equal(one.round.selection.indices, same.round.selection.indices)
        z = one.round.z
        assert one.alignment == pytest.approx(z[k] / np.linalg.norm(z), abs=1e-12)


def test_what_profiles_share_is_counted_by_sentence(shop: Shop) -> None:
    """Equal profiles share everything, different aspects nothing; marks and matrix tell the same."""
    codes = ("theme-0", "theme-0", "theme-1")
    compared = comparison.compare(
        shop, "p", [comparison.profile(c, shop.made, LABELS) for c in codes], comparison.settings("mmr", 4)
    )
    marks = comparison.shared_with(compared)
    assert marks == [[(1,)] * 4, [(0,)] * 4, [()] * 4]
    common, cosines = comparison.overlap(compared)
    np.testing.assert_array_equal(common, [[4, 4, 0], [4, 4, 0], [0, 0, 4]])
    assert cosines[0, 1] == pytest.approx(1.0)
    assert cosines[0, 2] < 0.5


@pytest.mark.parametrize("number", [1, 5])
def test_two_to_four_profiles(shop: Shop, number: int) -> None:
    """One profile is no comparison, five do not fit."""
    even = comparison.profile("even", shop.made, LABELS)
    with pytest.raises(ConfigError, match="2 to 4 profiles"):
        comparison.compare(shop, "p", [even] * number, comparison.settings("mmr", 3))


def test_the_table_holds_every_word_and_digit(shop: Shop) -> None:
    """CSV: w and G_cos come back exactly. LaTeX: balanced, and no special sign of the text is left bare."""
    made = [comparison.profile(c, shop.made, LABELS) for c in ("theme-2", "mix-0-1", "even")]
    compared = comparison.compare(shop, "p", made, comparison.settings("mmr", 3))
    texts = [write_template(comparison.evidence_of(shop.made, one, LABELS)) for one in compared]
    rows = list(csv.DictReader(io.StringIO(table2.to_csv("made", "Soap #1", compared, texts, View.of(LABELS)))))
    for row, one in zip(rows, compared, strict=True):
        np.testing.assert_array_equal([float(x) for x in row["w"].split()], one.profile.w)
        assert float(row["g_cos"]) == one.alignment
        assert all(piece.text in row["evidence"] for piece in one.evidence)
    assert rows[0]["themes_shown"] == "50% off"
    tex = table2.to_latex("Soap #1", compared, texts, View.of(LABELS))
    assert tex.count(r"\begin{") == tex.count(r"\end{") == 2
    assert tex.count("{") - tex.count(r"\{") == tex.count("}") - tex.count(r"\}")
    assert r"50\% off" in tex
    assert r"Soap \#1" in tex
    assert r"$\mathbf e_{2}$" in tex
    assert not re.search(r"(?<!\\)%", tex)


def test_the_table_says_built_and_given_names(shop: Shop) -> None:
    """A merged aspect appears once, with its sum; w stays by built aspect, and both names are in the file."""
    view = view_of(LABELS, [Edit("merge", (0, 3), "Body"), Edit("hide", (1,))])
    made = [comparison.profile(c, shop.made, view.choices) for c in ("mix-0-3", "theme-1")]
    assert [one.name for one in made] == ["Body: smell & scent and Body: skin", "lid_1 (hidden)"]
    compared = comparison.compare(shop, "p", made, comparison.settings("mmr", 4))
    texts = [write_template(comparison.evidence_of(shop.made, one, view.labels)) for one in compared]
    row = next(csv.DictReader(io.StringIO(table2.to_csv("made", "Soap #1", compared, texts, view))))
    assert [float(x) for x in row["w"].split()] == [0.5, 0, 0, 0.5]
    assert row["themes_shown"].startswith("Body")
    assert row["aspects"] == "e0 smell & scent (called Body); e1 lid_1 (hidden); e2 50% off; e3 skin (called Body)"
    tex = table2.to_latex("Soap #1", compared, texts, view)
    assert r"e1 lid\_1 (hidden); e2 50\% off" in tex


@pytest.fixture
def counted(shop: Shop) -> Shop:
    """The same shop with four key points an aspect, two of them against each other, and a single voice."""
    made = []
    for place in range(16):
        aspect = place % 4
        rows = np.array([row for row in range(place, 60, 16) if row % 4 == aspect])
        against = {1: 5, 5: 1}.get(place)
        made.append(KeyPoint(int(rows[0]), aspect, False, len(rows) + 1, 15, rows, opposed=against))
    made.append(KeyPoint(59, 3, True, 1, 15, np.array([59]), voice=True))
    shop.made = replace(shop.made, keypoints=tuple(made))
    return shop


def test_points_are_compared_as_people_are_shown_them(counted: Shop) -> None:
    """By default a profile is given points of its aspect with their counts; shared ones are counted by point."""
    made = [comparison.profile(code, counted.made, LABELS) for code in ("theme-1", "theme-1", "theme-2")]
    compared = comparison.compare(counted, "p", made, comparison.settings(most=4))
    one, same, other = compared
    assert [claim["aspect"] for claim in one.claims[:3]] == [1, 1, 1]
    assert len(one.evidence) > len(one.claims) == 4
    common, _ = comparison.overlap(compared)
    assert common[0].tolist() == [4, 4, len(set(one.chosen) & set(other.chosen))]
    assert all(1 in also for also in comparison.shared_with(compared)[0])
    written = comparison.evidence_of(counted.made, one, LABELS)
    assert written == comparison.evidence_of(counted.made, same, LABELS)
    assert sorted(claim.point for claim in written.claims) == sorted(one.chosen)
    text = [write_template(comparison.evidence_of(counted.made, each, LABELS)) for each in compared]
    rows = list(csv.DictReader(io.StringIO(table2.to_csv("made", "Soap", compared, text, View.of(LABELS)))))
    for row, each in zip(rows, compared, strict=True):
        assert row["points"].splitlines() == [table2.point(claim) for claim in each.claims]
    pair = next(claim for claim in one.claims if claim["opposed"] is not None)
    assert table2.point(pair).count("(") == 2
    tex = table2.to_latex("Soap", compared, text, View.of(LABELS))
    assert tex.count(r"\textbf{Points.}") == 3
    assert "HIGH:" not in tex, "support levels within S_t belong to the paper's sentences"


def test_the_papers_sentences_stay_selectable(counted: Shop) -> None:
    """Preset `paper` chooses five single sentences whatever points there are, and its text speaks by support level."""
    made = comparison.profile("even", counted.made, LABELS)
    one = comparison.shown_to(counted, "p", made, comparison.settings("mmr", preset="paper"))
    assert (len(one.claims), len(one.evidence), one.paper) == (0, 5, True)
    plain = Shop()
    np.testing.assert_array_equal(
        one.round.selection.indices,
        comparison.shown_to(plain, "p", made, comparison.settings("mmr", preset="paper")).round.selection.indices,
    )
    text = write_template(comparison.evidence_of(counted.made, one, LABELS))
    tex = table2.to_latex("Soap", [one], [text], View.of(LABELS))
    assert any(f"{level}:" in tex for level in ("HIGH", "MID", "LOW"))
