"""Facts about why two columns differ: the numbers are the selection's own, and each change brings its thing in."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from prefer_core import session
from prefer_core.config import PRESETS
from prefer_core.errors import ConfigError
from prefer_core.insight import comparison, why
from prefer_core.insight.comparison import VALUES, Column, Compared, sweep
from prefer_core.insight.profiles import Profile
from prefer_core.types import Flag, FloatArray, ProductCorpus
from tests.insight.made import Shop, counted_shop

Make = Callable[..., ProductCorpus]


def given_to(shop: Shop, *codes: str, most: int | None = 4) -> list[Compared]:
    """Return what columns are given."""
    return comparison.compare(shop, "p", [shop.column(code) for code in codes], most)


@pytest.mark.parametrize("way", ["mmr.person", "gumbel.person", "mmr.paper", "gumbel.paper", "mmr.reviews"])
def test_scores_at_each_step_are_those_the_selection_recorded(way: str) -> None:
    """The loop run again sees, at each place, the very score that was kept, the reserved place's included."""
    shop = counted_shop()
    shop.made = replace(shop.made, flags=np.where(np.arange(60) == 37, int(Flag.NEGATIVE), 0))
    for code in ("theme-1", "mix-0-2", "even"):
        [one] = given_to(shop, f"{code}.{way}")
        product = comparison.AsReviews(shop).product("p") if way.endswith("reviews") else shop.made
        among = why.choosing(product, one)
        taken = one.round.selection
        scores = why.scores_at(among, taken)
        np.testing.assert_array_equal(
            [score[j] for score, j in zip(scores, taken.indices, strict=True)], taken.scores
        )  # fmt: skip
        tell = why.weighed(among, taken)
        for step, j in enumerate(taken.indices):
            seen = tell(int(j))
            assert seen is not None
            assert (seen.step, seen.gap) == (step, 0)
            if "mmr" in way:
                assert seen.rank == 1
            near = [float(among.candidates.unit[j] @ among.candidates.unit[i]) for i in taken.indices[:step]]
            assert seen.redundancy == pytest.approx(max([0.0, *near]))


@pytest.mark.parametrize("way", ["mmr.person", "gumbel.person", "mmr.paper", "mmr.reviews"])
@pytest.mark.parametrize(("a", "b"), [("theme-1", "theme-2"), ("even", "theme-3"), ("mix-0-2", "even")])
def test_every_change_brings_its_thing_in(way: str, a: str, b: str) -> None:
    """A round proposed with the changed preference has it; toward the other column's w there is always a way."""
    shop = counted_shop()
    one, other = given_to(shop, f"{a}.{way}", f"{b}.{way}")
    found = why.differences(shop, "p", one, other)
    apart = set(map(int, one.round.selection.indices)) ^ set(map(int, other.round.selection.indices))
    assert {each.candidate for each in found} == apart
    for each in found:
        lacks = (one, other)[1 - each.has]
        assert each.change is not None
        w = each.change.w
        assert w.min() >= 0
        assert w.sum() == pytest.approx(1)
        assert np.abs(w - lacks.profile.w).sum() / 2 == pytest.approx(each.change.moved)
        changed = comparison.shown_to(shop, "p", Profile("", "", w), lacks.how, lacks.preset)
        assert each.candidate in changed.round.selection.indices
        phi = why.choosing(_product(shop, way), lacks).candidates.phi[each.candidate]
        assert each.relevance == pytest.approx((float(phi @ one.profile.w), float(phi @ other.profile.w)))


def _product(shop: Shop, way: str) -> ProductCorpus:
    return comparison.AsReviews(shop).product("p") if way.endswith("reviews") else shop.made


class One:
    """A shop with one product."""

    def __init__(self, product: ProductCorpus) -> None:
        self.made = product

    def product(self, product_id: str) -> ProductCorpus:
        """Return it."""
        return self.made


@pytest.mark.parametrize("seed", range(2))
def test_the_change_is_the_smallest_of_all_that_are_tried(make_product: Make, seed: int) -> None:
    """Brute force over the same lines, 400 steps each, by whole rounds: nothing smaller lets the thing in."""
    shop = One(make_product(n=30, n_aspects=3, seed=seed))
    how = comparison.settings("mmr", 3, "paper")
    v, w = np.array([0.8, 0.1, 0.1]), np.array([0.1, 0.2, 0.7])
    columns = [Column(Profile("", "", each), "mmr", "paper") for each in (v, w)]
    one, other = comparison.compare(shop, "P", columns, 3)
    found = why.differences(shop, "P", one, other)
    assert found
    start = session.start(3, comparison.SEED, how)

    def chosen(x: FloatArray) -> set[int]:
        made = session.propose(shop, "P", replace(start, w=x), how, 1)
        return {int(j) for j in made.selection.indices}

    for each in found:
        lacks, giver = (w, v) if each.has == 0 else (v, w)
        ends = [*np.eye(3), giver, shop.made.phi[each.candidate]]
        sizes = []
        for end in ends:
            reach = np.abs(end - lacks).sum() / 2
            inside = (
                share for share in np.linspace(0, 1, 401) if each.candidate in chosen((1 - share) * lacks + share * end)
            )
            share = next(inside, None)
            sizes += [] if share is None else [share * reach]
        assert each.change is not None
        assert each.change.moved == pytest.approx(min(sizes), abs=4e-3)


def test_what_cannot_be_compared_is_refused() -> None:
    """Ranks among sentences say nothing about ranks among points."""
    shop = counted_shop()
    with pytest.raises(ConfigError, match="One chooses among points, the other among sentences"):
        why.differences(shop, "p", *given_to(shop, "even.person", "even.paper"))


def test_equal_columns_differ_in_nothing() -> None:
    """No rows, no search."""
    shop = counted_shop()
    assert why.differences(shop, "p", *given_to(shop, "even", "even")) == []


def test_a_product_of_three_sentences(make_product: Make) -> None:
    """Everybody is given all three: no difference, full overlap."""
    shop = One(make_product(n=3, n_aspects=4))
    columns = [Column(Profile("", "", w), "mmr", of) for w in np.eye(4)[:2] for of in ("person", "paper")]
    compared = comparison.compare(shop, "P", columns)
    assert all(sorted(one.chosen) == [0, 1, 2] for one in compared)
    np.testing.assert_array_equal(comparison.overlap(compared).jaccard, np.ones((4, 4)))
    assert why.differences(shop, "P", compared[0], compared[2]) == []
    assert len(sweep(shop, "P", compared[0], "k").columns[-1].chosen) == 3


@pytest.mark.parametrize("swept", VALUES)
def test_a_strip_is_the_selection_at_each_value(swept: str) -> None:
    """Each column is a round with that value and all else the same; every thing chosen anywhere has a row."""
    shop = counted_shop()
    [one] = given_to(shop, "theme-1.person")
    found = sweep(shop, "p", one, swept)
    base = replace(PRESETS["person"], learner="static", beta_growth=1e6, extractor="mmr")
    for value, column in zip(found.values, found.columns, strict=True):
        how = {
            "lambda": replace(base, trade_off=value, focused_trade_off=None),
            "k": replace(base, max_sentences=int(value)),
            "beta": replace(base, extractor="gumbel", beta_cap=value, focused_beta=None),
        }[swept]
        start = replace(session.start(4, 0, how), w=one.profile.w)
        made = session.propose(shop, "p", start, how, 1)
        np.testing.assert_array_equal(column.round.selection.indices, made.selection.indices)
    rows = np.array([found.has(place) for place in found.places])
    assert rows.sum() == sum(len(column.chosen) for column in found.columns)
    assert list(rows.sum(axis=1)) == sorted(rows.sum(axis=1), reverse=True)


def test_a_change_is_told_by_what_gains() -> None:
    """The aspects that gain half a point or more, the largest first; a tiny one is told all the same."""
    before = np.array([0.5, 0.3, 0.2])
    assert why.gained(before, np.array([0.4, 0.39, 0.21]), ("a", "b", "c")) == "b 30 % to 39 %, c 20 % to 21 %"
    assert why.gained(before, np.array([0.498, 0.301, 0.201]), ("a", "b", "c")) in ("b 30 % to 30 %", "c 20 % to 20 %")
