"""Every proposition, lemma, theorem and corollary of the paper's appendix B as a property, named by its label."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize
from scipy.stats import chisquare

from prefer_core import simplex
from prefer_core.errors import ConfigError
from prefer_core.experiments import regret
from prefer_core.learning import OMD
from prefer_core.learning.loss import path_variation, surrogate_loss
from prefer_core.learning.loss import regret as total_regret
from prefer_core.learning.omd import entropic_step
from prefer_core.learning.profile import WEIGHTINGS, aspect_profile
from prefer_core.selection import MMR, Gumbel
from prefer_core.types import Budget, ProductCorpus

FLOOR = 1e-3
seeds = st.integers(0, 2**32 - 1)
many = settings(max_examples=100, deadline=None)


def inside(rng: np.random.Generator, k: int, floor: float = FLOOR) -> np.ndarray:
    """Draw a point of the truncated simplex, often near its corners."""
    return simplex.project(rng.dirichlet(np.full(k, 0.3)) + 1e-300, floor)


def objective(relevance: np.ndarray, similarity: np.ndarray, chosen: frozenset[int], trade_off: float) -> float:
    """J_t(S) as section personalized-extractive-selection writes it."""
    pairs = sum(similarity[i, j] for i, j in combinations(sorted(chosen), 2))
    return float(trade_off * sum(relevance[i] for i in chosen) - (1 - trade_off) * pairs)


@many
@given(seeds, st.floats(0, 1))
def test_prop_submodular_extractive(seed: int, trade_off: float) -> None:
    """With sim >= 0 gains shrink as the set grows; if relevance outweighs all similarity, J never falls."""
    rng = np.random.default_rng(seed)
    n = 6
    s = np.abs(rng.normal(size=(n, 3)))
    s /= np.linalg.norm(s, axis=1, keepdims=True)
    similarity, relevance = s @ s.T, rng.uniform(size=n)
    everything = [frozenset(c) for size in range(n) for c in combinations(range(n), size)]
    value = {c: objective(relevance, similarity, c, trade_off) for c in [*everything, frozenset(range(n))]}
    monotone = all(
        trade_off * relevance[j] >= (1 - trade_off) * (similarity[j].sum() - similarity[j, j]) for j in range(n)
    )
    for large in everything:
        for j in set(range(n)) - large:
            gain = value[large | {j}] - value[large]
            if monotone:
                assert gain >= -1e-12
            for i in large:
                small = large - {i}
                assert value[small | {j}] - value[small] >= gain - 1e-12


@many
@given(seeds, st.floats(0, 1))
def test_prop_mmr_monotone(seed: int, trade_off: float) -> None:
    """A(j; A) >= a(j; B) for A inside B; the scores that MMR reports along its own path never rise."""
    rng = np.random.default_rng(seed)
    product = ProductCorpus(phi=rng.dirichlet(np.ones(4), 12), s=rng.normal(size=(12, 3)), tokens=np.full(12, 5))
    w = rng.dirichlet(np.ones(4))
    scores = MMR(trade_off=trade_off).select(product, w, Budget(8)).scores
    assert np.all(np.diff(scores) <= 1e-12)
    order = rng.permutation(12)
    j = order[-1]
    previous = math.inf
    for size in range(8):
        redundancy = max([0.0, *(product.unit[order[:size]] @ product.unit[j])])
        score = trade_off * product.phi[j] @ w - (1 - trade_off) * redundancy
        assert score <= previous + 1e-12
        previous = score


def test_prop_gumbel_boltzmann() -> None:
    """The second choice, given the first, has the frequencies of Eq. gumbel-softmax (chi-square, 20,000 draws)."""
    rng = np.random.default_rng(4)
    product = ProductCorpus(phi=rng.dirichlet(np.ones(3), 5), s=rng.normal(size=(5, 3)), tokens=np.full(5, 5))
    w, beta, trade_off = np.array([0.6, 0.3, 0.1]), 5.0, 0.7
    chooser = Gumbel(trade_off=trade_off, beta=beta)
    draws = np.array([chooser.select(product, w, Budget(2), rng=rng).indices for _ in range(20_000)])
    for first in range(5):
        others = np.array([j for j in range(5) if j != first])
        similar = np.maximum(0, product.unit[others] @ product.unit[first])
        law = np.exp(beta * (trade_off * product.phi[others] @ w - (1 - trade_off) * similar))
        second = draws[draws[:, 0] == first, 1]
        counts = np.array([(second == j).sum() for j in others])
        assert chisquare(counts, law / law.sum() * counts.sum()).pvalue > 1e-3


@many
@given(seeds)
def test_beta_to_infinity_is_mmr(seed: int) -> None:
    """The Boltzmann policy concentrates on the greedy maximiser."""
    rng = np.random.default_rng(seed)
    product = ProductCorpus(phi=rng.dirichlet(np.ones(4), 20), s=rng.normal(size=(20, 5)), tokens=np.full(20, 5))
    w = rng.dirichlet(np.ones(4))
    greedy = MMR(trade_off=0.8).select(product, w, Budget(5))
    sharp = Gumbel(trade_off=0.8, beta=1e12).select(product, w, Budget(5), rng=rng)
    assert sharp.indices.tolist() == greedy.indices.tolist()


@many
@given(seeds, st.sampled_from(WEIGHTINGS), st.floats(0, 1), st.floats(0.01, 1), st.sampled_from(["ema", "mean"]))
def test_lem_bounded_feedback(seed: int, weighting: str, f: float, clip: float, baseline: str) -> None:
    """Profiles lie on the simplex, baselines in [0, 1], and |f~| <= min(1, c)."""
    rng = np.random.default_rng(seed)
    _, z = aspect_profile(rng.dirichlet(np.ones(5), 3), rng.normal(size=3), weighting)
    simplex.check(z)
    learner = OMD(clip=clip, baseline=baseline)
    state = learner.start(5, 0)
    for rating in (f, *rng.uniform(size=5)):
        assert abs(learner.learn(state, z, float(rating))[1].centred) <= min(1.0, clip)
        state = learner.update(state, z, float(rating))
        assert 0 <= state.baseline <= 1


@many
@given(seeds, st.floats(-1, 1), st.integers(2, 12))
def test_lem_surrogate_loss_properties(seed: int, centred: float, k: int) -> None:
    """-|f~| <= l(w) <= |f~| on the whole simplex."""
    rng = np.random.default_rng(seed)
    loss = surrogate_loss(rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k)), centred)
    assert abs(float(loss)) <= abs(centred) + 1e-15


@settings(max_examples=25, deadline=None)
@given(seeds, st.integers(2, 6))
def test_lem_dualofl1(seed: int, k: int) -> None:
    """A linear program over the l1 ball finds max |g_k|."""
    g = np.random.default_rng(seed).normal(size=k)
    # v = p - q with p, q >= 0 and sum(p + q) <= 1
    found = linprog(np.concatenate([-g, g]), A_ub=np.ones((1, 2 * k)), b_ub=[1.0], bounds=(0, None))
    assert -found.fun == pytest.approx(np.abs(g).max(), rel=1e-7)


@many
@given(seeds, st.floats(0, 1), st.floats(0.05, 1))
def test_lem_gradient_bound(seed: int, f: float, clip: float) -> None:
    """The gradient -f~ z, taken by finite differences of the loss, is at most c in every coordinate."""
    rng = np.random.default_rng(seed)
    z, w = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4))
    centred = OMD(clip=clip).learn(OMD().start(4, 0), z, f)[1].centred
    for k in range(4):
        nudged = w + np.eye(4)[k]
        slope = float(surrogate_loss(nudged, z, centred) - surrogate_loss(w, z, centred))
        assert abs(slope) <= clip + 1e-12


def negative_entropy(w: np.ndarray) -> float:
    """d(w) of lemma negative-entropy-dgf."""
    return float(np.sum(w * np.log(w)))


@many
@given(seeds, st.integers(2, 10), st.floats(0, 1))
def test_lem_negative_entropy_dgf(seed: int, k: int, mix: float) -> None:
    """1-strong convexity in l1: d((1-a)u + a v) + a (1-a) / 2 |u - v|^2 <= (1-a) d(u) + a d(v)."""
    rng = np.random.default_rng(seed)
    u, v = inside(rng, k), inside(rng, k)
    between = negative_entropy((1 - mix) * u + mix * v)
    chord = (1 - mix) * negative_entropy(u) + mix * negative_entropy(v)
    assert between + mix * (1 - mix) / 2 * np.abs(u - v).sum() ** 2 <= chord + 1e-12


@many
@given(seeds, st.integers(2, 10))
def test_prop_kl_bregman(seed: int, k: int) -> None:
    """d(u) - d(w) - grad d(w) . (u - w) is KL(u || w)."""
    rng = np.random.default_rng(seed)
    u, w = inside(rng, k), inside(rng, k)
    bregman = negative_entropy(u) - negative_entropy(w) - (np.log(w) + 1) @ (u - w)
    assert simplex.kl(u, w) == pytest.approx(bregman, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(seeds, st.floats(-1, 1), st.floats(0.1, 5))
def test_prop_eg_update(seed: int, centred: float, eta: float) -> None:
    """No point that a general solver finds has a lower value of Eq. omd-update than the closed form."""
    rng = np.random.default_rng(seed)
    w, z = inside(rng, 4, 0.01), rng.dirichlet(np.ones(4))

    def value(v: np.ndarray) -> float:
        return float(-eta * centred * z @ v + np.sum(v * np.log(v / w)))

    start = simplex.project(rng.dirichlet(np.ones(4)), 1e-3)
    sums = {"type": "eq", "fun": lambda v: v.sum() - 1}
    found = minimize(value, start, bounds=[(1e-9, 1)] * 4, constraints=sums, method="SLSQP")
    closed = entropic_step(w, z, centred, eta, floor=0)
    assert value(closed) <= found.fun + 1e-9
    np.testing.assert_allclose(closed, found.x, atol=2e-3)


def run_omd(rng: np.random.Generator, rounds: int, k: int, eta0: float, decay: float, moves: int) -> tuple[float, ...]:
    """Play OMD against adversarial profiles and ratings; return regret, variation and largest |f~|."""
    learner = OMD(step_size=eta0, decay=decay, floor=FLOOR)
    state = learner.start(k, 0)
    corners = [inside(rng, k) for _ in range(moves + 1)]
    w_true = np.array([corners[t * (moves + 1) // rounds] for t in range(rounds)])
    steps = []
    for t in range(rounds):
        # An adversary likes what the reader hates.
        z = rng.dirichlet(np.full(k, 0.2))
        f = float(z @ w_true[t] > z @ state.w) if rng.uniform() < 0.7 else float(rng.uniform())
        steps.append(learner.learn(state, z, f)[1])
        state = learner.update(state, z, f)
    w, z_all = np.array([s.w_before for s in steps]), np.array([s.z for s in steps])
    centred = np.array([s.centred for s in steps])
    total = total_regret(w, z_all, centred, w_true)[-1]
    return float(total), float(path_variation(w_true)[-1]), float(np.abs(centred).max())


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(1, 80), st.integers(2, 8), st.floats(0.05, 30), st.floats(1e-3, 2))
def test_thm_omd_regret_main(seed: int, rounds: int, k: int, eta0: float, decay: float) -> None:
    """Static regret stays under its bound for any eta0, T = 1 and K = 2 included; the tuned eta0 gives the least."""
    total, _, clip = run_omd(np.random.default_rng(seed), rounds, k, eta0, decay, 0)
    assume(clip > 0)
    assert total <= regret.static_bound(rounds, FLOOR, eta0, decay, clip) + 1e-9
    tuned = regret.static_bound(rounds, FLOOR, None, decay, clip)
    written = 2 * clip * math.sqrt(math.log(1 / FLOOR) / decay) * math.sqrt(1 + decay * rounds)
    assert tuned == pytest.approx(written)
    assert tuned <= regret.static_bound(rounds, FLOOR, eta0, decay, clip) + 1e-9


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(2, 80), st.integers(2, 8), st.floats(0.05, 30), st.floats(1e-3, 2), st.integers(1, 5))
def test_thm_omd_dynamic_regret(seed: int, rounds: int, k: int, eta0: float, decay: float, moves: int) -> None:
    """Dynamic regret of a reader who jumps stays under its bound; without a move it is the static bound."""
    total, variation, clip = run_omd(np.random.default_rng(seed), rounds, k, eta0, decay, moves)
    assume(clip > 0)
    assert total <= regret.dynamic_bound(rounds, FLOOR, eta0, decay, clip, variation) + 1e-9
    tuned = regret.tuned_step(FLOOR, decay, clip, variation)
    assert regret.dynamic_bound(rounds, FLOOR, None, decay, clip, variation) == pytest.approx(
        regret.dynamic_bound(rounds, FLOOR, tuned, decay, clip, variation)
    )
    assert regret.dynamic_bound(rounds, FLOOR, eta0, decay, clip, 0.0) == regret.static_bound(
        rounds, FLOOR, eta0, decay, clip
    )


@many
@given(st.floats(0.01, 1), st.floats(1e-6, 0.4), st.floats(1e-4, 5), st.floats(0.1, 1))
def test_cor_omd_sample_complexity_main(epsilon: float, floor: float, decay: float, clip: float) -> None:
    """After so many rounds the tuned average bound is epsilon, and one hundredth earlier it is not."""
    rounds = regret.sample_complexity(epsilon, floor, decay, clip)
    later, earlier = math.ceil(rounds), int(0.99 * rounds) - 1
    assert regret.static_bound(later, floor, None, decay, clip) / later <= epsilon * (1 + 1e-9)
    if earlier >= 1:
        assert regret.static_bound(earlier, floor, None, decay, clip) / earlier > epsilon


@many
@given(st.floats(0.01, 1), st.floats(1e-6, 0.4), st.floats(1e-4, 5), st.floats(0.1, 1), st.floats(0, 10))
def test_cor_omd_dynamic_sample_complexity(
    epsilon: float, floor: float, decay: float, clip: float, variation: float
) -> None:
    """It solves the proof's quadratic, and needs no fewer rounds than without drift."""
    rounds = regret.sample_complexity(epsilon, floor, decay, clip, variation)
    a = math.log(1 / floor) + (1 + math.log(1 / floor)) * variation
    assert epsilon**2 * rounds**2 - 4 * clip**2 * a * rounds - 4 * clip**2 * a / decay == pytest.approx(
        0, abs=1e-6 * epsilon**2 * rounds**2
    )
    assert rounds >= regret.sample_complexity(epsilon, floor, decay, clip) * (1 - 1e-12)


@many
@given(seeds, st.integers(2, 10))
def test_lem_entropy_bregman_lipschitz(seed: int, k: int) -> None:
    """KL(. || w) changes by at most (1 + log(1 / delta)) |u - v|_1 on the truncated simplex."""
    rng = np.random.default_rng(seed)
    u, v, w = inside(rng, k), inside(rng, k), inside(rng, k)
    change = abs(simplex.kl(u, w) - simplex.kl(v, w))
    assert change <= regret.lipschitz(FLOOR) * np.abs(u - v).sum() + 1e-12


@many
@given(seeds, st.integers(2, 10), st.floats(-1, 1), st.floats(0.01, 50))
def test_lem_omd_one_step(seed: int, k: int, centred: float, eta: float) -> None:
    """The one-step inequality holds for every comparator of the truncated simplex, floor and huge steps included."""
    rng = np.random.default_rng(seed)
    w, z, u = inside(rng, k), rng.dirichlet(np.full(k, 0.3)), inside(rng, k)
    after = entropic_step(w, z, centred, eta, floor=FLOOR)
    left = eta * -centred * z @ (w - u)
    largest = np.abs(centred * z).max()
    assert left <= simplex.kl(u, w) - simplex.kl(u, after) + eta**2 / 2 * largest**2 + 1e-9


def test_lem_omd_one_step_needs_assumption_1() -> None:
    """At a corner that the floor forbids the inequality fails: why comparators are projected."""
    w, z, corner = np.array([0.5, 0.5]), np.array([1.0, 0.0]), np.array([0.0, 1.0])
    floor, eta, centred = 0.4, 0.5, -1.0
    for _ in range(3):
        w = entropic_step(w, z, centred, eta, floor=floor)
    after = entropic_step(w, z, centred, eta, floor=floor)
    left = eta * -centred * z @ (w - corner)
    assert left > simplex.kl(corner, w) - simplex.kl(corner, after) + eta**2 / 2


@many
@given(seeds, st.integers(2, 10))
def test_lem_omd_kl_delta(seed: int, k: int) -> None:
    """KL(u || w) <= log(1 / delta) for any u of the simplex, corners included."""
    rng = np.random.default_rng(seed)
    w = inside(rng, k)
    for u in (rng.dirichlet(np.full(k, 0.2)), np.eye(k)[int(rng.integers(k))]):
        assert simplex.kl(u, w) <= math.log(1 / FLOOR) + 1e-12


@pytest.mark.parametrize("floor", [0.0, 1.0, -0.1, float("nan")])
def test_a_bound_without_a_floor_is_refused(floor: float) -> None:
    """Delta must lie in (0, 1): the error gives the value."""
    with pytest.raises(ConfigError, match="floor must lie between 0 and 1"):
        regret.static_bound(10, floor, 1.0, 0.1, 1.0)
