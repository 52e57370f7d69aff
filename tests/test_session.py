"""Facts about one round."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from prefer_core import session
from prefer_core.config import PRESETS, SessionSettings
from prefer_core.errors import ConfigError, DataError
from prefer_core.simplex import cosine
from prefer_core.types import ProductCorpus
from tests.shelf import Shelf

Make = Callable[..., ProductCorpus]


def play(shelf: Shelf, settings: SessionSettings, ratings: list[float], seed: int = 5) -> list[list[float]]:
    """Play a session; return every w and z."""
    state = session.updater(settings).start(5, seed)
    trace = []
    for number, feedback in enumerate(ratings, start=1):
        proposal = session.propose(shelf, "P", state, settings, number)
        state = session.rate(state, proposal, feedback, settings)
        trace += [proposal.z.tolist(), state.w.tolist()]
    return trace


@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("extractor", ["mmr", "gumbel"])
def test_a_session_played_twice_is_equal_bit_for_bit(make_product: Make, preset: str, extractor: str) -> None:
    """A round depends on nothing but state, seed and number."""
    settings = replace(PRESETS[preset], extractor=extractor)
    ratings = [0.9, 0.2, 0.7, 0.4, 1.0]
    assert play(Shelf(make_product()), settings, ratings) == play(Shelf(make_product()), settings, ratings)


def test_another_seed_or_number_shows_other_evidence(make_product: Make) -> None:
    """The round's number is part of its randomness."""
    shelf, settings = Shelf(make_product(n=300)), PRESETS["person"]
    state = session.updater(settings).start(5, 1)
    first = session.propose(shelf, "P", state, settings, 1).selection.indices.tolist()
    assert first != session.propose(shelf, "P", state, settings, 2).selection.indices.tolist()
    assert first != session.propose(shelf, "P", replace(state, seed=2), settings, 1).selection.indices.tolist()


@pytest.mark.parametrize("weighting", ["uniform", "utility", "rank", "blend"])
def test_the_round_carries_its_own_profile(make_product: Make, weighting: str) -> None:
    """z is the alpha-weighted mean of the memberships that were selected."""
    product = make_product()
    settings = replace(PRESETS["person"], weighting=weighting)
    state = session.updater(settings).start(5, 1)
    proposal = session.propose(Shelf(product), "P", state, settings, 1)
    np.testing.assert_allclose(proposal.z, proposal.alpha @ product.phi[proposal.selection.indices])
    assert proposal.t == 1
    assert proposal.beta == pytest.approx(min(settings.beta_cap, 1 + settings.beta_growth * np.log(3)))


def test_a_consistent_reader_is_found(make_product: Make) -> None:
    """Ratings that follow one aspect pull the preference toward it, on a made product with clear aspects."""
    settings = PRESETS["person"]
    product = make_product(n=300, phi=np.random.default_rng(1).dirichlet(np.full(5, 0.1), 300))
    w_true = np.eye(5)[3]
    found = []
    for seed in range(10):
        state = session.updater(settings).start(5, seed)
        for number in range(1, 16):
            proposal = session.propose(Shelf(product), "P", state, settings, number)
            feedback = float(1 / (1 + np.exp(-10 * (w_true @ proposal.z - 1 / 5))))
            state = session.rate(state, proposal, feedback, settings)
        found.append(cosine(state.w, w_true))
    assert np.median(found) > 0.9


def test_a_product_smaller_than_k_gives_all_it_has(make_product: Make) -> None:
    """A budget of six on three sentences shows three."""
    settings = replace(PRESETS["person"], max_tokens=None)
    state = session.updater(settings).start(5, 1)
    assert len(session.propose(Shelf(make_product(n=3)), "P", state, settings, 1).selection) == 3


def test_a_product_with_nothing_that_fits_is_refused_in_words(make_product: Make) -> None:
    """No sentence within the token budget is a DataError that says what to do."""
    shelf = Shelf(make_product(n=2, title="Soap", tokens=np.array([500, 600])))
    state = session.updater(PRESETS["person"]).start(5, 1)
    with pytest.raises(DataError, match=r"Soap has no sentence .* choose another"):
        session.propose(shelf, "P", state, PRESETS["person"], 1)


def test_unknown_names_are_refused_with_those_that_exist() -> None:
    """A typing error in the settings lists the choices."""
    with pytest.raises(ConfigError, match="mmr, gumbel"):
        session.extractor(SessionSettings(extractor="greedy"))
    with pytest.raises(ConfigError, match="omd, posterior, static"):
        session.updater(SessionSettings(learner="bandit"))
