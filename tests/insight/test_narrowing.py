"""What was shown, held against the product's own mix."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from prefer_core import session
from prefer_core.insight.narrowing import flagged_share, mix, narrowing, product_mix
from prefer_core.types import EvidenceSentence, Flag, ProductCorpus

Make = Callable[..., ProductCorpus]


piece = session.sentence


@pytest.fixture
def product(make_product: Make) -> ProductCorpus:
    """Return 100 sentences with stars, some of them unknown."""
    rng = np.random.default_rng(2)
    return make_product(n=100, rating=np.where(rng.random(100) < 0.1, np.nan, rng.integers(1, 6, 100)))


def test_all_sentences_are_no_distance_away(product: ProductCorpus) -> None:
    """Who has seen everything, in however many rounds and however often, has seen the product's mix."""
    everything = [piece(product, row) for row in range(100)]
    found = narrowing([(product, shown) for shown in (everything[:40], everything[20:], everything)])
    assert found.sentences == 100
    assert found.themes == pytest.approx(0, abs=1e-12)
    assert found.stars == pytest.approx(0, abs=1e-12)
    assert found.themes_chance == pytest.approx(0, abs=1e-12)


def test_one_theme_is_as_far_as_the_others_weigh(product: ProductCorpus) -> None:
    """Shown a single aspect, the distance is the share of all others, and above chance."""
    theme = int(np.bincount(product.dominant).argmax())
    rows = np.flatnonzero(product.dominant == theme)
    found = narrowing([(product, [piece(product, row) for row in rows])])
    assert found.themes == pytest.approx(1 - len(rows) / 100)
    assert found.themes > found.themes_chance > 0


def test_chance_is_what_random_picks_give(product: ProductCorpus) -> None:
    """The stated chance agrees with other random draws of the same size."""
    rng = np.random.default_rng(99)
    own = np.bincount(product.dominant, minlength=5) / 100
    drawn = [np.bincount(product.dominant[rng.choice(100, 4, replace=False)], minlength=5) / 4 for _ in range(2000)]
    expected = np.mean([np.abs(one - own).sum() / 2 for one in drawn])
    found = narrowing([(product, [piece(product, row) for row in range(4)])])
    assert found.themes_chance == pytest.approx(expected, abs=0.03)


def test_another_product_is_no_narrowing(product: ProductCorpus, make_product: Make) -> None:
    """Everything of one product and one aspect of another: the distance is that of the second, by its part."""
    other = replace(make_product(n=100, seed=7), product_id="other")
    theme = int(np.bincount(other.dominant).argmax())
    rows = np.flatnonzero(other.dominant == theme)
    whole = [piece(product, row) for row in range(100)]
    part = [piece(other, row) for row in rows]
    found = narrowing([(product, whole), (other, part)])
    assert (found.products, found.sentences) == (2, 100 + len(rows))
    own = [np.bincount(p.dominant, minlength=5) / 100 for p in (product, other)]
    mixed = (100 * own[0] + len(rows) * own[1]) / (100 + len(rows))
    shown = (100 * own[0] + len(rows) * np.eye(5)[theme]) / (100 + len(rows))
    assert found.themes == pytest.approx(np.abs(shown - mixed).sum() / 2)
    assert narrowing([(product, whole[:30]), (other, part[:1])]).themes_chance > 0


def test_shares_sum_to_one_and_unknown_stars_count_nowhere(product: ProductCorpus) -> None:
    """Aspects and known stars are shares; without any stars the distance is no number."""
    own = product_mix(product)
    assert own.themes.sum() == pytest.approx(1)
    assert own.stars.sum() == pytest.approx(1)
    assert not mix([0, 1], [np.nan, np.nan], 2).stars.any()
    bare = narrowing([(product, [EvidenceSentence(id="1", text="", aspect=0)])])
    assert np.isnan(bare.stars)


def test_flagged_share(make_product: Make) -> None:
    """A flag's share counts sentences that carry it, alone or with another."""
    flags = np.array([0, 1, 2, 3])
    assert flagged_share(make_product(n=4, flags=flags), Flag.SAFETY) == 0.5
    assert flagged_share(make_product(n=4), Flag.SAFETY) == 0.0
