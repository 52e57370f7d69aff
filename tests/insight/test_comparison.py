"""Facts about profiles side by side, and about the paper's table made of them."""

import csv
import io
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from prefer_core import simplex
from prefer_core.aspects.names import Edit, View, view_of
from prefer_core.errors import ConfigError
from prefer_core.insight import comparison, profiles, table2
from prefer_core.insight.comparison import Column, Compared, whole_reviews
from prefer_core.insight.profiles import People, profile
from prefer_core.rewriting import Summary, write_template
from tests.insight.made import LABELS, TERMS, Shop, counted_shop


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def counted() -> Shop:
    return counted_shop()


def compared_by(shop: Shop, *codes: str, most: int | None = None) -> list[Compared]:
    """Return what columns are given, MMR taking from sentences unless a code says otherwise."""
    columns = [shop.column(code if "." in code else f"{code}.paper") for code in codes]
    return comparison.compare(shop, "p", columns, most)


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
    made = profile(code, shop.made, LABELS)
    assert made.code == code
    np.testing.assert_allclose(made.w, w, atol=1e-12)


@pytest.mark.parametrize(
    "code",
    ["", "theme", "theme-4", "theme--1", "mix-1-1", "mix-1", "own-1-2-3", "reviewer-15", "even-1", "diffuse-0",
     "theme-99999999999999", "drop table", "theme-1-", "mix-0-9", "own-1-2-3-x", "theme-²"],
)  # fmt: skip
def test_any_other_code_is_refused_in_one_sentence(shop: Shop, code: str) -> None:
    """What names no profile of this product is a ConfigError that shows the forms there are."""
    with pytest.raises(ConfigError, match=r"a profile is even, theme-3"):
        profile(code, shop.made, LABELS)


def test_weights_of_zero_are_refused(shop: Shop) -> None:
    """Somebody who wants nothing gets a sentence of their own."""
    with pytest.raises(ConfigError, match="move at least one weight above 0"):
        profile("own-0-0-0-0", shop.made, LABELS)


def test_exact_weights_come_back(shop: Shop) -> None:
    """A code of own weights gives any preference back within 1e-7."""
    for w in np.random.default_rng(0).dirichlet(np.full(4, 0.3), 50):
        np.testing.assert_allclose(profile(profiles.exact(w), shop.made, LABELS).w, w, atol=1e-7)


MOMENTS = [np.full(4, 0.25), np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.7, 0.1, 0.1, 0.1])]


@pytest.mark.parametrize(
    ("code", "place", "name"),
    [
        ("mine", 2, "You, after 2 ratings"),
        ("mine-0", 0, "You, at the start"),
        ("mine-1", 1, "You, after 1 rating"),
        ("saved-maple-27", 2, "maple-27, after 2 ratings"),
        ("saved-maple-27-1", 1, "maple-27, after 1 rating"),
    ],
)
def test_a_session_is_a_profile_at_each_of_its_moments(shop: Shop, code: str, place: int, name: str) -> None:
    """The visitor's own, and one that another reader allows."""
    people = People(mine=MOMENTS, saved=lambda who: MOMENTS if who == "maple-27" else None)
    made = profile(code, shop.made, LABELS, people)
    np.testing.assert_array_equal(made.w, MOMENTS[place])
    assert made.name == name


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("mine", "Your own profile is not at hand"),
        ("saved-oak-11", "was deleted, or its reader does not allow it"),
        ("saved-maple-27-9", "has 2 ratings"),
        ("saved-maple-27-x", "has 2 ratings"),
        ("saved-short-10", "has 3 aspects, this product 4"),
    ],
)
def test_a_session_that_is_gone_or_another_corpus_s_is_refused(shop: Shop, code: str, said: str) -> None:
    """In one sentence that says what to do."""
    saved = {"maple-27": MOMENTS, "short-10": [np.full(3, 1 / 3)]}
    with pytest.raises(ConfigError, match=said):
        profile(code, shop.made, LABELS, People(saved=saved.get))


def test_reviewers_of_the_corpus_go_by_entropy(shop: Shop) -> None:
    """Groups hold the stored sample, each by rising entropy; a code names one of them."""
    sample = {"profiles": [[0.4, 0.6, 0, 0], [1, 0, 0, 0], [0.3, 0.3, 0.2, 0.2]], "group": [0, 0, 2]}
    groups = profiles.sampled_groups({"sample": sample})
    assert list(groups) == ["concentrated", "diffuse"]
    np.testing.assert_allclose(groups["concentrated"], [[1, 0, 0, 0], [0.4, 0.6, 0, 0]])
    made = profile("concentrated-1", shop.made, LABELS, People(groups))
    np.testing.assert_allclose(made.w, [0.4, 0.6, 0, 0])
    assert profiles.sampled_groups({}) == {}


@pytest.mark.parametrize("code", ["even.magic", "even.mmr.gumbel", "even.paper.reviews", "even."])
def test_a_column_is_a_profile_and_known_ways(code: str) -> None:
    """Anything else behind a point is refused."""
    with pytest.raises(ConfigError, match="A column is a profile, then of"):
        comparison.split(code)


@pytest.mark.parametrize("extractor", ["mmr", "gumbel"])
def test_each_profile_is_shown_its_own_theme_again_and_again(shop: Shop, extractor: str) -> None:
    """Profiles of one aspect get evidence of their aspect; G_cos is the cosine by hand; a second call is the same."""
    codes = [f"theme-{k}.{extractor}.paper" for k in range(4)]
    once, again = (compared_by(shop, *codes, most=3) for _ in range(2))
    for k, (one, same) in enumerate(zip(once, again, strict=True)):
        assert [piece.aspect for piece in one.evidence] == [k, k, k]
        np.testing.assert_array_equal(one.round.selection.indices, same.round.selection.indices)
        z = one.round.z
        assert one.alignment == pytest.approx(z[k] / np.linalg.norm(z), abs=1e-12)


def test_what_profiles_share_is_counted_by_sentence(shop: Shop) -> None:
    """Equal profiles share everything, different aspects nothing; marks and matrices tell the same."""
    compared = compared_by(shop, "theme-0", "theme-0", "theme-1", most=4)
    assert comparison.shared_with(compared) == [[(1,)] * 4, [(0,)] * 4, [()] * 4]
    assert comparison.sentences_shared_with(compared) == [[(1,)] * 4, [(0,)] * 4, [()] * 4]
    found = comparison.overlap(compared)
    np.testing.assert_array_equal(found.chosen, [[4, 4, 0], [4, 4, 0], [0, 0, 4]])
    np.testing.assert_array_equal(found.jaccard, [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    assert found.cosine[0, 1] == pytest.approx(1.0)
    assert found.cosine[0, 2] < 0.5


@pytest.mark.parametrize("number", [0, 13])
def test_one_to_twelve_columns(shop: Shop, number: int) -> None:
    """None is no comparison, thirteen do not fit; one and twelve do."""
    with pytest.raises(ConfigError, match="1 to 12 profiles"):
        compared_by(shop, *["even"] * number)
    assert [len(compared_by(shop, *["even"] * fine)) for fine in (1, 12)] == [1, 12]


def test_whole_reviews_are_the_means_of_their_sentences(shop: Shop) -> None:
    """Each of 15 reviewers has one review of four sentences: phi is their mean, text and tokens are theirs together."""
    found = whole_reviews(shop.made)
    assert len(found.candidates) == 15
    np.testing.assert_array_equal(np.sort(np.concatenate(found.sentences)), np.arange(60))
    for row, own in enumerate(found.sentences):
        assert len(own) == 4
        np.testing.assert_allclose(found.candidates.phi[row], shop.made.phi[own].mean(axis=0))
        assert found.candidates.text is not None
        assert found.candidates.text[row].count("Sentence") == 4
    np.testing.assert_array_equal(found.candidates.tokens, 32)


def test_levels_and_extractors_stand_side_by_side(counted: Shop) -> None:
    """Points, sentences and reviews are different things, but their sentences overlap where they are the same ones."""
    codes = ("even.mmr.person", "even.mmr.paper", "even.mmr.reviews", "even.gumbel.reviews")
    compared = compared_by(counted, *codes, most=3)
    assert [one.kind for one in compared] == ["points", "sentences", "reviews", "reviews"]
    reviews = compared[2]
    assert len(reviews.rows) == 12
    assert len(reviews.evidence) == 3
    assert all(piece.text.count("Sentence") == 4 for piece in reviews.evidence)
    found = comparison.overlap(compared)
    assert found.chosen[1, 2] == 0
    for a, b in ((1, 2), (0, 2), (2, 3)):
        one, other = (set(compared[i].rows.tolist()) for i in (a, b))
        assert found.jaccard[a, b] == pytest.approx(len(one & other) / len(one | other))
    text = write_template(comparison.column_evidence(counted.made, reviews))
    assert text.paragraph


def test_stars_are_those_of_the_sentences_shown(shop: Shop) -> None:
    """Beside the product's own."""
    compared = compared_by(shop, "theme-0", "even", most=4)
    own, shown = comparison.stars(shop.made, compared)
    assert own.stars[0] == pytest.approx(20 / 60)
    assert shop.made.rating is not None
    for one, mix in zip(compared, shown, strict=True):
        assert mix.stars[4] == pytest.approx((shop.made.rating[one.rows] == 5).mean())


def test_evidence_is_interpreted_by_names_and_terms() -> None:
    """Aspects from 15 % on, the largest first, with terms that their names do not hold; the largest one always."""
    view = View.of(LABELS)
    assert comparison.interpretation(np.array([0.2, 0.05, 0.65, 0.1]), view, TERMS) == [
        (2, ("price", "sale")), (0, ("perfume",))
    ]  # fmt: skip
    assert comparison.interpretation(np.full(4, 0.25), view, TERMS, least=0.3) == [(0, ("perfume",))]


def test_the_table_holds_every_word_and_digit(shop: Shop) -> None:
    """CSV: w and G_cos come back exactly. LaTeX: balanced, and no special sign of the text is left bare."""
    compared = compared_by(shop, "theme-2", "mix-0-1", "even", most=3)
    texts = [write_template(comparison.column_evidence(shop.made, one)) for one in compared]
    table = table2.to_csv("made", "Soap #1", compared, texts, View.of(LABELS), TERMS)
    rows = list(csv.DictReader(io.StringIO(table)))
    for row, one in zip(rows, compared, strict=True):
        np.testing.assert_array_equal([float(x) for x in row["w"].split()], one.profile.w)
        np.testing.assert_array_equal([float(x) for x in row["z"].split()], one.round.z)
        assert float(row["g_cos"]) == one.alignment
        assert all(piece.text in row["evidence"] for piece in one.evidence)
    assert rows[0]["interpretation"] == "50% off (price, sale)"
    assert rows[0]["seed"] == "0"
    tex = table2.to_latex("Soap #1", compared, texts, View.of(LABELS), TERMS)
    well_formed(tex)
    assert r"50\% off" in tex
    assert r"Soap \#1" in tex
    assert r"$\mathbf e_{2}$" in tex


def test_the_table_says_built_and_given_names(shop: Shop) -> None:
    """A merged aspect appears once, with its sum; w stays by built aspect, and both names are in the file."""
    view = view_of(LABELS, [Edit("merge", (0, 3), "Body"), Edit("hide", (1,))])
    made = [profile(c, shop.made, view.choices) for c in ("mix-0-3", "theme-1")]
    assert [one.name for one in made] == ["Body: smell & scent and Body: skin", "lid_1 (hidden)"]
    compared = comparison.compare(shop, "p", [Column(one, "mmr", "paper") for one in made], 4)
    texts = [write_template(comparison.column_evidence(shop.made, one)) for one in compared]
    row = next(csv.DictReader(io.StringIO(table2.to_csv("made", "Soap #1", compared, texts, view, TERMS))))
    assert [float(x) for x in row["w"].split()] == [0.5, 0, 0, 0.5]
    assert row["interpretation"].startswith("Body (perfume, ")
    assert row["aspects"] == "e0 smell & scent (called Body); e1 lid_1 (hidden); e2 50% off; e3 skin (called Body)"
    tex = table2.to_latex("Soap #1", compared, texts, view, TERMS)
    assert r"e1 lid\_1 (hidden); e2 50\% off" in tex


def test_points_are_compared_as_people_are_shown_them(counted: Shop) -> None:
    """By default a profile is given points of its aspect with their counts; shared ones are counted by point."""
    compared = compared_by(counted, *(f"{code}.person" for code in ("theme-1", "theme-1", "theme-2")), most=4)
    one, same, other = compared
    assert [claim.aspect for claim in one.claims[:3]] == [1, 1, 1]
    assert len(one.evidence) > len(one.claims) == 4
    assert comparison.overlap(compared).chosen[0].tolist() == [4, 4, len(set(one.chosen) & set(other.chosen))]
    assert all(1 in also for also in comparison.shared_with(compared)[0])
    written = comparison.column_evidence(counted.made, one)
    assert written == comparison.column_evidence(counted.made, same)
    assert sorted(claim.point for claim in written.claims) == sorted(one.chosen)
    text = [write_template(comparison.column_evidence(counted.made, each)) for each in compared]
    rows = list(csv.DictReader(io.StringIO(table2.to_csv("made", "Soap", compared, text, View.of(LABELS), TERMS))))
    for row, each in zip(rows, compared, strict=True):
        assert row["points"].splitlines() == [table2.point(claim) for claim in each.claims]
    pair = next(claim for claim in one.claims if claim.opposed is not None)
    assert table2.point(pair).count("(") == 2
    tex = table2.to_latex("Soap", compared, text, View.of(LABELS), TERMS)
    assert tex.count(r"\textbf{Points.}") == 3
    assert "HIGH:" not in tex, "support levels within S_t belong to the paper's sentences"


def test_the_papers_sentences_stay_selectable(counted: Shop) -> None:
    """Preset `paper` chooses five single sentences whatever points there are, and its text speaks by support level."""
    made = profile("even", counted.made, LABELS)
    one = comparison.shown_to(counted, "p", made, comparison.settings("mmr", preset="paper"))
    assert (len(one.claims), len(one.evidence), one.paper) == (0, 5, True)
    plain = Shop()
    np.testing.assert_array_equal(
        one.round.selection.indices,
        comparison.shown_to(plain, "p", made, comparison.settings("mmr", preset="paper")).round.selection.indices,
    )
    text = write_template(comparison.column_evidence(counted.made, one))
    tex = table2.to_latex("Soap", [one], [text], View.of(LABELS), TERMS)
    assert any(f"{level}:" in tex for level in ("HIGH", "MID", "LOW"))


def test_the_table_is_what_can_be_computed_without_the_library(shop: Shop) -> None:
    """Greedy by hand in O(k^2 n) on the paper's settings: the same sentences, z and G_cos, to the digits printed."""
    how = comparison.settings("mmr", preset="paper")
    product, unit = shop.made, shop.made.s / np.linalg.norm(shop.made.s, axis=1, keepdims=True)
    for code, one in zip(PAPERS, compared_by(shop, *PAPERS), strict=True):
        w = {"theme-0": [1, 0, 0, 0], "theme-2": [0, 0, 1, 0], "mix-0-2": [0.5, 0, 0.5, 0], "even": [0.25] * 4}[code]
        rest, taken = list(range(60)), []
        while len(taken) < how.max_sentences:
            score = {
                j: how.trade_off * sum(a * b for a, b in zip(w, product.phi[j], strict=True))
                - (1 - how.trade_off) * max([0.0, *(float(unit[j] @ unit[i]) for i in taken)])
                for j in rest
            }
            best = max(score.values())
            tied = [j for j in rest if score[j] >= best - 1e-12]
            taken.append(min(tied, key=lambda j: product.tie_rank[j]))
            rest.remove(taken[-1])
        z = product.phi[taken].mean(axis=0)
        cosine = float(np.dot(w, z) / (np.linalg.norm(w) * np.linalg.norm(z)))
        assert one.chosen == taken
        np.testing.assert_allclose(one.round.z, z, atol=1e-12)
        assert one.alignment == pytest.approx(cosine, abs=1e-12)
        tex = table2.to_latex("Soap", [one], [write_template(evidence(shop, one))], View.of(LABELS), TERMS)
        assert f" & {cosine:.4f} & " in tex


PAPERS = ("theme-0", "theme-2", "mix-0-2", "even")


def evidence(shop: Shop, one: Compared) -> comparison.Evidence:
    """Return what a column is given, ready for a text."""
    return comparison.column_evidence(shop.made, one)


def well_formed(tex: str) -> None:
    """Every brace and environment closes where it should, and no special sign of a text is left bare."""
    body = "\n".join(line for line in tex.splitlines() if not line.startswith("%"))
    opened: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+\*?)\}", body):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []
    depth = 0
    for sign in re.sub(r"\\[{}]", "", body):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0
    outside = re.sub(r"(?<!\\)\$.*?(?<!\\)\$", "", body)
    assert not re.search(r"(?<!\\)[%#$_^]", outside)
    assert all(sign < "\u0180" or sign.isalpha() for sign in outside)


AWKWARD = (
    "50% off & more: “it's #1” — a_b ^ ~ {x} \\cmd <b> $5 … ★ \N{SMILING FACE WITH SUNGLASSES} naïve\x00\n\nnew\u200b"
)


def awkward_table(shop: Shop) -> str:
    """Return a table of texts with every sign that LaTeX minds."""
    compared = compared_by(shop, *PAPERS)
    texts = [replace(write_template(evidence(shop, one)), paragraph=AWKWARD, stages={}) for one in compared]
    return table2.to_latex(AWKWARD, compared, texts, View.of((AWKWARD, *LABELS[1:])), TERMS)


def test_awkward_signs_leave_the_table_well_formed(shop: Shop) -> None:
    """Markup, controls, quotation marks and emoji in titles, names and texts."""
    tex = awkward_table(shop)
    well_formed(tex)
    assert "[smiling face with sunglasses]" in tex
    assert "``it's \\#1''" in tex


LATEX = next(filter(None, map(shutil.which, ("pdflatex", "lualatex", "xelatex", "tectonic"))), None)


@pytest.mark.skipif(LATEX is None, reason="there is no LaTeX on this machine; the form of the table is tested instead")
def test_the_table_compiles(shop: Shop, tmp_path: Path) -> None:
    """A document with this table and booktabs goes through without an error."""
    head = "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{booktabs}\n\\begin{document}\n"
    (tmp_path / "table.tex").write_text(f"{head}{awkward_table(shop)}\\end{{document}}\n", encoding="utf-8")
    assert LATEX is not None
    options = [] if LATEX.endswith("tectonic") else ["-halt-on-error", "-interaction=nonstopmode"]
    done = subprocess.run([LATEX, *options, "table.tex"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


class Tags(HTMLParser):
    """Follows the tags of a page: each closes what was opened last."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Open an element, unless it stands alone."""
        if tag not in ("br", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the element opened last."""
        assert self.open.pop() == tag


def test_the_table_as_html_holds_the_texts_escaped(shop: Shop) -> None:
    """Well-formed; markup of a text is shown, never run."""
    compared = compared_by(shop, *PAPERS)
    texts: list[Summary] = [
        replace(write_template(evidence(shop, one)), paragraph="<script>1 & 2</script>", stages={}) for one in compared
    ]
    table = table2.to_html("Soap <1>", compared, texts, View.of(LABELS), TERMS)
    tags = Tags()
    tags.feed(table)
    assert tags.open == []
    assert "<script" not in table
    assert "&lt;script&gt;1 &amp; 2" in table
    assert "½ <b>e</b><sub>0</sub> + ½ <b>e</b><sub>2</sub>" in table
    assert all(f"<td>{simplex.cosine(one.profile.w, one.round.z):.4f}</td>" in table for one in compared)
