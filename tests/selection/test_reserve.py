"""The place kept for dissent: always filled, exact in its propensity, and nothing else disturbed."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefer_core import session
from prefer_core.config import PRESETS, SessionSettings
from prefer_core.selection import EXTRACTORS, reserve
from prefer_core.types import Budget, Flag, ProductCorpus
from tests.shelf import Shelf

Make = Callable[..., ProductCorpus]
PERSON = PRESETS["person"]


def flagged(make: Make, share: float, flag: Flag = Flag.SAFETY, n: int = 200, seed: int = 0) -> ProductCorpus:
    """Return a product where `share` of the sentences carry a flag and lie in the last aspect."""
    rng = np.random.default_rng(seed)
    flags = np.zeros(n, dtype=np.int64)
    flags[rng.choice(n, round(share * n), replace=False)] = flag
    phi = rng.dirichlet(np.full(5, 0.4), n)
    phi[flags != 0] = [0.02, 0.02, 0.02, 0.02, 0.92]
    return make(n=n, phi=phi, flags=flags)


def proposed(product: ProductCorpus, w: list[float], number: int, chosen: SessionSettings) -> session.Round:
    """Return one round of a reader with preference w."""
    state = replace(session.updater(chosen).start(5, 3), w=np.array(w))
    return session.propose(Shelf(product), "P", state, chosen, number)


@pytest.mark.parametrize("extractor", sorted(EXTRACTORS))
def test_safety_complaints_are_in_every_summary_for_any_w(make_product: Make, extractor: str) -> None:
    """Where 5 % are safety complaints, each of 100 readers is shown one, those included who want anything else."""
    product = flagged(make_product, 0.05)
    rng = np.random.default_rng(1)
    chosen = replace(PERSON, extractor=extractor)
    missed = 0
    for number, w in enumerate([*np.eye(5), *rng.dirichlet(np.full(5, 0.3), 95)], start=1):
        found = proposed(product, w.tolist(), number, chosen).selection
        assert (product.flags[found.indices] & Flag.SAFETY).any()
        assert len(found) <= chosen.max_sentences
        assert product.tokens[found.indices].sum() <= chosen.max_tokens
        plain = proposed(product, w.tolist(), number, replace(chosen, reserve=False)).selection
        missed += not (product.flags[plain.indices] & Flag.SAFETY).any()
    assert missed > 30  # without the place most readers would not see one


def test_the_reserved_sentence_keeps_its_score_and_is_in_z(make_product: Make) -> None:
    """a(j) is Algorithm mmr-select's, the propensity 1, and z counts it like any other."""
    product = flagged(make_product, 0.05)
    found = proposed(product, [1.0, 0.0, 0.0, 0.0, 0.0], 1, PERSON)
    place = found.selection.reserved
    assert place == PERSON.max_sentences - 1
    row, before = found.selection.indices[place], found.selection.indices[:place]
    redundancy = max(0.0, max(float(product.unit[row] @ product.unit[i]) for i in before))
    expected = PERSON.trade_off * product.phi[row, 0] - (1 - PERSON.trade_off) * redundancy
    assert found.selection.scores[place] == pytest.approx(expected)
    assert found.selection.propensities[place] == 1.0
    np.testing.assert_allclose(found.z, found.alpha @ product.phi[found.selection.indices])
    told = session.evidence(product, found)
    assert [piece.reserved for piece in told] == [i == place for i in range(len(told))]


def test_the_places_before_are_as_without_the_reserve(make_product: Make) -> None:
    """The first k - 1 sentences, scores and propensities are those of the extractor alone."""
    product = flagged(make_product, 0.05)
    free = replace(PERSON, max_tokens=None)
    kept = proposed(product, [0.0, 1.0, 0.0, 0.0, 0.0], 2, free).selection
    alone = proposed(product, [0.0, 1.0, 0.0, 0.0, 0.0], 2, replace(free, reserve=False)).selection
    for name in ("indices", "scores", "propensities"):
        np.testing.assert_array_equal(getattr(kept, name)[:-1], getattr(alone, name)[:-1])


def test_no_place_is_taken_where_dissent_is_shown_anyway(make_product: Make) -> None:
    """A reader who wants the flagged aspect gets the extractor's own choice, unmarked."""
    product = flagged(make_product, 0.3)
    free = replace(PERSON, max_tokens=None, extractor="mmr")
    kept = proposed(product, [0.0, 0.0, 0.0, 0.0, 1.0], 1, free).selection
    alone = proposed(product, [0.0, 0.0, 0.0, 0.0, 1.0], 1, replace(free, reserve=False)).selection
    assert kept.reserved is None
    np.testing.assert_array_equal(kept.indices, alone.indices)


def test_safety_goes_before_negative_and_low_support_comes_last(make_product: Make) -> None:
    """The pool holds the first kind that the product has."""
    product = flagged(make_product, 0.05, Flag.NEGATIVE)
    flags = product.flags.copy()
    assert (reserve.dissent(product, Budget(4)) == (flags != 0)).all()
    flags[np.flatnonzero(flags == 0)[0]] = Flag.SAFETY
    assert reserve.dissent(replace(product, flags=flags), Budget(4)).sum() == 1
    bare = replace(product, flags=np.zeros_like(flags))
    pool = reserve.dissent(bare, Budget(4))
    rare = np.bincount(bare.dominant, minlength=5)[bare.dominant] <= 0.05 * len(bare)
    assert (pool == rare).all()


def test_the_papers_preset_and_products_without_flags_have_no_reserve(make_product: Make) -> None:
    """Preset `paper` follows the algorithm; what was never flagged cannot be reserved; one place is none to keep."""
    assert not PRESETS["paper"].reserve
    assert PERSON.reserve
    assert not reserve.dissent(make_product(), Budget(4)).any()
    assert not reserve.dissent(flagged(make_product, 0.05), Budget(1)).any()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(40, 120), st.floats(0.01, 0.2))
def test_budgets_hold_and_nothing_is_chosen_twice(seed: int, k: int, tokens: int, share: float) -> None:
    """Whatever the budget, it is kept, and the pool is served."""
    rng = np.random.default_rng(seed)
    n = 60
    flags = (rng.random(n) < share).astype(np.int64) * int(Flag.NEGATIVE)
    flags[0] = int(Flag.NEGATIVE)
    product = ProductCorpus(product_id="P", phi=rng.dirichlet(np.full(5, 0.4), n), s=rng.normal(size=(n, 8)),
                            tokens=rng.integers(4, 30, n), flags=flags)  # fmt: skip
    chosen = replace(PERSON, max_sentences=k, max_tokens=tokens)
    found = proposed(product, rng.dirichlet(np.ones(5)).tolist(), 1, chosen).selection
    assert len(set(found.indices.tolist())) == len(found) <= k
    assert product.tokens[found.indices].sum() <= tokens
    assert flags[found.indices].any()
