"""Facts about evidence selection, against a direct reading of the paper's algorithms."""

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from prefer_core.errors import ConfigError, DataError
from prefer_core.selection import EXTRACTORS, MMR, Gumbel
from prefer_core.types import Budget, ProductCorpus

Make = Callable[..., ProductCorpus]


def similarity(product: ProductCorpus, i: int, j: int) -> float:
    """sim(i, j), straight from its definition."""
    a, b = product.s[i], product.s[j]
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def direct_score(product: ProductCorpus, w: np.ndarray, chosen: list[int], j: int, trade_off: float) -> float:
    """a(j) with the redundancy computed anew from all pairs: the O(k^2 n) rule."""
    redundancy = max([0.0, *(similarity(product, i, j) for i in chosen)])
    relevance = sum(w[k] * product.phi[j, k] for k in range(len(w)))
    return float(trade_off * relevance - (1 - trade_off) * redundancy)


def direct_mmr(product: ProductCorpus, w: np.ndarray, budget: Budget, trade_off: float) -> list[int]:
    """Algorithm mmr-select, line by line."""
    chosen: list[int] = []
    used = 0
    for _ in range(budget.max_sentences):
        open_ = [
            j
            for j in range(len(product))
            if j not in chosen and (budget.max_tokens is None or used + product.tokens[j] <= budget.max_tokens)
        ]
        if not open_:
            break
        best = max(open_, key=lambda j: direct_score(product, w, chosen, j, trade_off))
        chosen.append(best)
        used += int(product.tokens[best])
    return chosen


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("trade_off", [0.0, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("max_tokens", [None, 60])
def test_mmr_equals_the_direct_rule(make_product: Make, seed: int, trade_off: float, max_tokens: int | None) -> None:
    """Cached redundancy changes the cost, not the choice."""
    product = make_product(seed=seed)
    w = np.random.default_rng(seed + 100).dirichlet(np.ones(5))
    budget = Budget(7, max_tokens)
    found = MMR(trade_off=trade_off).select(product, w, budget)
    if trade_off > 0:
        assert found.indices.tolist() == direct_mmr(product, w, budget, trade_off)
    expected = [
        direct_score(product, w, found.indices[:i].tolist(), int(j), trade_off) for i, j in enumerate(found.indices)
    ]
    np.testing.assert_allclose(found.scores, expected, atol=1e-12)


def test_gumbel_frequencies_follow_the_boltzmann_law(make_product: Make) -> None:
    """Over 100,000 draws the first choice has the frequencies of Eq. gumbel-softmax (chi-square)."""
    product = make_product(n=8, seed=3)
    w = np.array([0.5, 0.2, 0.1, 0.1, 0.1])
    chooser = Gumbel(trade_off=0.8, beta=6.0)
    rng = np.random.default_rng(11)
    draws = 100_000
    first = np.array([chooser.select(product, w, Budget(1), rng=rng).indices[0] for _ in range(draws)])
    score = 0.8 * product.phi @ w
    law = np.exp(6.0 * score) / np.exp(6.0 * score).sum()
    counts = np.bincount(first, minlength=8)
    assert chisquare(counts, law * draws).pvalue > 1e-3


def test_gumbel_pairs_have_the_product_of_their_propensities(make_product: Make) -> None:
    """The logged propensities are the probabilities of whole sequences, redundancy and budget included."""
    product = make_product(n=4, seed=5, tokens=np.array([5, 6, 7, 30]))
    w = np.array([0.4, 0.3, 0.1, 0.1, 0.1])
    chooser = Gumbel(trade_off=0.6, beta=4.0)
    budget = Budget(2, max_tokens=20)
    rng = np.random.default_rng(2)
    draws = 20_000
    seen: dict[tuple[int, ...], int] = {}
    probability: dict[tuple[int, ...], float] = {}
    for _ in range(draws):
        found = chooser.select(product, w, budget, rng=rng)
        key = tuple(found.indices.tolist())
        seen[key] = seen.get(key, 0) + 1
        probability[key] = float(found.propensities.prod())
    assert set(seen) == set(permutations(range(3), 2))
    assert sum(probability.values()) == pytest.approx(1)
    keys = list(seen)
    assert chisquare([seen[k] for k in keys], [probability[k] * draws for k in keys]).pvalue > 1e-3


def test_gumbel_at_infinite_beta_is_mmr(make_product: Make) -> None:
    """As beta grows the stochastic rule becomes the deterministic one (section contextual extraction)."""
    for seed in range(10):
        product = make_product(seed=seed)
        w = np.random.default_rng(seed).dirichlet(np.ones(5))
        sharp = Gumbel(trade_off=0.7, beta=1e9).select(product, w, Budget(6), rng=np.random.default_rng(0))
        assert sharp.indices.tolist() == MMR(trade_off=0.7).select(product, w, Budget(6)).indices.tolist()
        np.testing.assert_allclose(sharp.propensities, 1)


def test_beta_follows_its_schedule(make_product: Make) -> None:
    """beta_t = min(cap, 1 + growth log(t + 2)) in round t."""
    chooser = Gumbel(beta_cap=9.0, beta_growth=5.0)
    assert chooser.beta_at(1) == pytest.approx(1 + 5 * np.log(3))
    assert chooser.beta_at(1000) == 9.0


@pytest.mark.parametrize("name", sorted(EXTRACTORS))
@pytest.mark.parametrize("seed", range(5))
def test_every_extractor_keeps_the_contract(make_product: Make, name: str, seed: int) -> None:
    """No repeats, budgets kept, stops only when nothing fits, inputs unchanged, same seed same answer."""
    product = make_product(n=15, seed=seed)
    before = (product.phi.copy(), product.s.copy(), product.tokens.copy())
    w = np.random.default_rng(seed).dirichlet(np.ones(5))
    for budget in (Budget(4), Budget(30), Budget(10, 40), Budget(3, 1)):
        chooser = EXTRACTORS[name](trade_off=0.7)
        found = chooser.select(product, w, budget, t=3, rng=np.random.default_rng(9))
        again = chooser.select(product, w, budget, t=3, rng=np.random.default_rng(9))
        assert found.indices.tolist() == again.indices.tolist()
        assert len(set(found.indices.tolist())) == len(found) == len(found.scores) == len(found.propensities)
        used = product.tokens[found.indices].sum()
        assert len(found) <= budget.max_sentences
        assert np.all((found.propensities > 0) & (found.propensities <= 1))
        if budget.max_tokens is not None:
            assert used <= budget.max_tokens
        rest = np.setdiff1d(np.arange(15), found.indices)
        fits = rest[product.tokens[rest] <= (np.inf if budget.max_tokens is None else budget.max_tokens - used)]
        assert len(found) == budget.max_sentences or len(fits) == 0
    for old, new in zip(before, (product.phi, product.s, product.tokens), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("name", sorted(EXTRACTORS))
@pytest.mark.parametrize("seed", range(5))
def test_the_first_place_is_for_those_who_lead(make_product: Make, name: str, seed: int) -> None:
    """Whatever scores best, one of `lead` comes first, the others compete as ever; none of them open: as without."""
    product = make_product(n=15, seed=seed)
    w, budget = np.random.default_rng(seed).dirichlet(np.ones(5)), Budget(4)
    worst = np.argsort(product.phi @ w)[:2]
    lead = np.isin(np.arange(15), worst)
    chooser = EXTRACTORS[name](trade_off=0.7)
    found = chooser.select(product, w, budget, rng=np.random.default_rng(1), lead=lead)
    assert found.indices[0] in worst
    assert len(found) == 4
    if name == "mmr":
        assert found.propensities[0] == 1.0
    plain = chooser.select(product, w, budget, rng=np.random.default_rng(1))
    nobody = chooser.select(product, w, budget, rng=np.random.default_rng(1), lead=np.zeros(15, dtype=bool))
    assert nobody.indices.tolist() == plain.indices.tolist()


@pytest.mark.parametrize("name", sorted(EXTRACTORS))
def test_every_extractor_refuses_what_cannot_work(make_product: Make, name: str) -> None:
    """A trade-off outside [0, 1] and a preference of another length are errors in words."""
    with pytest.raises(ConfigError, match="trade_off"):
        EXTRACTORS[name](trade_off=1.5)
    with pytest.raises(DataError, match="aspects"):
        EXTRACTORS[name]().select(make_product(), np.ones(3) / 3, Budget(2))


def test_ties_of_a_uniform_reader_are_exact_and_broken_by_the_corpus(make_product: Make) -> None:
    """At uniform w every relevance is 1/K; the corpus digest, not the run's seed, decides."""
    rng = np.random.default_rng(0)
    phi = rng.dirichlet(np.ones(5), 200).astype(np.float32)
    product = make_product(n=200, phi=phi, digest="abc")
    w = np.full(5, 0.2)
    assert np.ptp(product.phi @ w) < 1e-12
    one = MMR().select(product, w, Budget(1), rng=np.random.default_rng(1)).indices[0]
    two = MMR().select(product, w, Budget(1), rng=np.random.default_rng(2)).indices[0]
    others = {
        int(MMR().select(make_product(n=200, phi=phi, digest=d), w, Budget(1)).indices[0]) for d in ("x", "y", "z")
    }
    assert one == two == np.argmin(product.tie_rank)
    assert len(others | {int(one)}) > 1


def test_zero_vectors_are_similar_to_nothing(make_product: Make) -> None:
    """A sentence at the origin of the reduced space has similarity 0, not NaN."""
    s = np.random.default_rng(0).normal(size=(5, 3))
    s[2] = 0
    found = MMR(trade_off=0.5).select(make_product(n=5, s=s), np.full(5, 0.2), Budget(5))
    assert np.all(np.isfinite(found.scores))
    assert sorted(found.indices.tolist()) == [0, 1, 2, 3, 4]
