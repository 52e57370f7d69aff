"""Facts about what a study's numbers are worth: intervals, reliability, power."""

import numpy as np
import pytest

from prefer_core import session as core
from prefer_core.corpus import Corpus
from prefer_core.study.definition import Attention
from prefer_core.study.reliability import reliability, sus_score
from prefer_core.study.simulate import SHARPNESS, coverage, interval, make_bot, power
from tests.study.conftest import made_study


def test_the_paired_interval_is_students() -> None:
    """Mean and ends against values worked out by hand: t(.975, 2) = 4.302653, standard error .0577350."""
    found = interval([0.1, 0.2, 0.3])
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.2 - 4.302653 * 0.0577350, 0.2 + 4.302653 * 0.0577350), abs=1e-6)
    assert interval([0.1]) is None


def test_the_unpaired_interval_is_welchs() -> None:
    """Against scipy's own."""
    from scipy import stats

    rng = np.random.default_rng(0)
    one, other = rng.normal(0.6, 0.1, 20), rng.normal(0.5, 0.3, 9)
    found = interval(list(one), list(other))
    expected = stats.ttest_ind(one, other, equal_var=False).confidence_interval()
    assert found is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_power_is_what_the_noncentral_t_says() -> None:
    """For normal differences the drawn studies agree with the textbook within two hundredths."""
    from scipy import stats

    pool = np.random.default_rng(1).normal(0.5, 1.0, 20_000)
    pool = (pool - pool.mean()) / pool.std() + 0.5
    n = 30
    theory = stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, 0.5 * np.sqrt(n))
    assert power(list(pool), n=n, studies=8000) == pytest.approx(theory, abs=0.02)
    theory = stats.nct.sf(stats.t.ppf(0.975, 2 * n - 2), 2 * n - 2, 0.5 * np.sqrt(n / 2))
    assert power(list(pool), list(pool - 0.5), n=n, studies=8000) == pytest.approx(theory, abs=0.02)


def pair_difference(corpus: Corpus, number: int, rounds: int = 6) -> float:
    """Play one bot's blind two-arm rounds through `session`; return its mean rating of the learner less the other."""
    study = made_study("pairs")
    settings = [arm.session_settings(corpus) for arm in study.arms]
    states = [core.updater(one).start(corpus.n_aspects, number) for one in settings]
    bot = make_bot(corpus, ("honest", "noisy", "drifting")[number % 3], rounds, [11, number])
    products = list(corpus.products["product_id"])
    found = []
    for t in range(1, rounds + 1):
        bot.rated = t
        product = products[(number + t // 4) % len(products)]
        values = []
        for arm, one in enumerate(settings):
            proposal = core.propose(corpus, product, states[arm], one, t)
            values.append(bot.rating(proposal.z))
            states[arm] = core.rate(states[arm], proposal, values[-1], one)
        found.append(values[0] - values[1])
    return float(np.mean(found))


@pytest.mark.slow
def test_the_interval_of_blind_pairs_covers_the_truth(small: Corpus) -> None:
    """In studies of 24 participants the interval holds the truth in 93 to 97 of 100.

    Participants are drawn from 400 who were played for real; their mean difference is then the truth. There are 20,000
    studies: with 500, chance alone leaves that range once in about 65 runs although the coverage is 95 in 100.
    """
    played = np.array([pair_difference(small, number) for number in range(400)])
    assert SHARPNESS > 0
    assert played.std() > 0.01
    covered = coverage(list(played), n=24, seed=5, studies=20_000)
    assert 0.93 <= covered <= 0.97, covered
    assert coverage(list(played), n=24, seed=5, studies=500) == pytest.approx(covered, abs=0.03)


def test_coverage_is_what_was_drawn() -> None:
    """Normal values give 95 in 100, in pairs and in groups; a few outliers in small studies give clearly fewer."""
    rng = np.random.default_rng(2)
    one, other = list(rng.normal(0.6, 0.1, 2000)), list(rng.normal(0.5, 0.3, 2000))
    assert coverage(one, n=20, studies=4000) == pytest.approx(0.95, abs=0.012)
    assert coverage(one, other, n=15, studies=2000) == pytest.approx(0.95, abs=0.015)
    assert coverage([0.0] * 97 + [1.0] * 3, n=10, studies=2000) < 0.5


def test_reasons_name_what_was_wrong() -> None:
    """A careful participant has none; one who did not read has all of them."""
    study = made_study(attention=(Attention("Choose b.", ("a", "b"), "b", 2),))
    agrees = {f"sus_{i}": 5 for i in range(1, 11)}
    careful = {f"sus_{i}": 4 if i % 2 else 2 for i in range(1, 11)}
    good = reliability(
        study, [0.2, 0.8, 0.5], [9, 12, 20], [(0.8, 0.75)], {"attention-1": {"attention_1": "b"}, "after": careful}
    )
    bad = reliability(
        study, [0.5, 0.5, 0.5], [1, 1, 9], [(0.1, 0.9)], {"attention-1": {"attention_1": "a"}, "after": agrees}
    )
    assert good is not None
    assert bad is not None
    assert good.score > 0.9
    assert good.reasons == ()
    assert bad.score < 0.2
    assert bad.reasons == (
        "1 of 1 attention items failed",
        "the same summary was rated 80 % apart",
        "nearly the same rating every time",
        "2 of 3 summaries in view for less than 4 s",
        "agrees with opposite statements",
    )
    assert reliability(study, [], [], [], {}) is None


def test_the_usability_score_is_brookes() -> None:
    """Best, worst and middle answers give 100, 0 and 50; a gap gives none."""
    best = {f"sus_{i}": 5 if i % 2 else 1 for i in range(1, 11)}
    assert sus_score(best) == 100
    assert sus_score({name: 6 - value for name, value in best.items()}) == 0
    assert sus_score(dict.fromkeys(best, 3)) == 50
    assert sus_score({}) is None
