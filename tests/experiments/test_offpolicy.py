"""Facts about the export for off-policy evaluation: known values are recovered by inverse propensity."""

import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prefer_core.config import PRESETS
from prefer_core.errors import DataError
from prefer_core.experiments.offpolicy import slate_feedback
from prefer_core.experiments.simulator import feedback
from prefer_core.selection import Gumbel
from prefer_core.store import Ledger
from prefer_core.types import Budget, ProductCorpus

Make = Callable[..., ProductCorpus]
W_TRUE = np.array([0.7, 0.1, 0.1, 0.05, 0.05])
BETA, TRADE_OFF = 4.0, 0.7


def rate(product: ProductCorpus, slate: tuple[int, ...]) -> float:
    """What the reader says to a slate, without noise."""
    return feedback(W_TRUE, product.phi[list(slate)].mean(axis=0), 6.0, 0.0)


def logged(product: ProductCorpus, w: np.ndarray, rounds: int) -> list[dict[str, object]]:
    """Log rounds of Gumbel extraction as the ledger exports them."""
    chooser, rng = Gumbel(trade_off=TRADE_OFF, beta=BETA), np.random.default_rng(3)
    rows: list[dict[str, object]] = []
    for _ in range(rounds):
        found = chooser.select(product, w, Budget(2), rng=rng)
        rows.append(
            {
                "feedback": rate(product, tuple(found.indices.tolist())),
                "who": "bot",
                "w_used": json.dumps(w.tolist()),
                "choices": json.dumps([f"s{i}" for i in found.indices]),
                "propensities": json.dumps(found.propensities.tolist()),
            }
        )
    return rows


def slate_chance(product: ProductCorpus, w: np.ndarray, slate: tuple[int, ...], beta: float) -> float:
    """Return the chance of an ordered slate by the formula: a product of softmaxes of beta a(j) over the open ones."""
    unit, chance = product.s / np.linalg.norm(product.s, axis=1, keepdims=True), 1.0
    for place, chosen in enumerate(slate):
        redundancy = [max([0.0, *(float(unit[j] @ unit[i]) for i in slate[:place])]) for j in range(len(unit))]
        weight = np.exp(beta * (TRADE_OFF * product.phi @ w - (1 - TRADE_OFF) * np.array(redundancy)))
        weight[list(slate[:place])] = 0.0
        chance *= float(weight[chosen] / weight.sum())
    return chance


def by_ips(log: dict[str, Any], wanted: np.ndarray) -> tuple[float, float]:
    """Return Open Bandit Pipeline's `SlateStandardIPS`, mean over slates of reward times one ratio, and its error."""
    weighted = log["reward"] * wanted / log["pscore"]
    slates = np.array([weighted[log["slate_id"] == i].sum() for i in range(log["n_rounds"])])
    return float(slates.mean()), float(slates.std(ddof=1) / np.sqrt(len(slates)))


def test_a_known_policy_is_valued_from_another_ones_log(make_product: Make) -> None:
    """Six sentences, k = 2: IPS on 4,000 logged rounds is within 3.5 standard errors of the sum over all 30 slates."""
    product = make_product(n=6, seed=2)
    uniform, other = np.full(5, 0.2), np.array([0.6, 0.1, 0.1, 0.1, 0.1])
    slates = list(permutations(range(6), 2))
    chance = {s: slate_chance(product, other, s, 2 * BETA) for s in slates}
    assert sum(chance.values()) == pytest.approx(1)
    truth = sum(chance[s] * rate(product, s) for s in slates)
    log = slate_feedback(logged(product, uniform, 4000))
    names = [int(str(name)[1:]) for name in log["action_names"]]
    slot = [names[a] for a in log["action"]]
    pairs = [(slot[i], slot[i + 1]) for i in range(0, len(slot), 2)]
    value, error = by_ips(log, np.repeat([chance[p] for p in pairs], 2))
    assert abs(value - truth) < 3.5 * error
    assert error < 0.02
    own, own_error = by_ips(log, log["pscore"])
    plain = np.mean([rate(product, p) for p in pairs])
    assert own == pytest.approx(plain)
    assert abs(truth - own) > 3 * own_error, "the two policies must differ for the test to mean something"


def test_logged_propensities_are_those_of_the_policy_itself(make_product: Make) -> None:
    """Every logged slate's probability equals the one computed for its policy afterwards; cascades end in it."""
    product, w = make_product(n=6, seed=4), np.full(5, 0.2)
    rows = logged(product, w, 50)
    log = slate_feedback(rows)
    for slate, row in enumerate(rows):
        chosen = tuple(int(name[1:]) for name in json.loads(str(row["choices"])))
        own = log["slate_id"] == slate
        assert log["pscore"][own] == pytest.approx(slate_chance(product, w, chosen, BETA))
        assert log["pscore_cascade"][own][-1] == pytest.approx(log["pscore"][own][0])
        assert log["position"][own].tolist() == [0, 1]
        assert log["reward"][own].tolist() == [0.0, row["feedback"]]
    assert log["context"].shape == (50, 5)


def test_the_ledgers_own_export_is_read(make_product: Make, tmp_path: Path) -> None:
    """A real session goes out through the ledger with the propensities of its rounds; unrated rounds are left out."""
    from prefer_core import session as core

    product = make_product(n=20, ids=[f"s{i}" for i in range(20)])
    book = Ledger(f"sqlite:///{tmp_path / 'l.db'}")
    with pytest.raises(DataError, match="no rated round"):
        slate_feedback(book.export())
    settings = PRESETS["person"]
    session, _ = book.start("c", 5, settings, seed=7)

    class Shelf:
        def product(self, product_id: str) -> ProductCorpus:
            return product

    def propose(state, number, shown):  # type: ignore[no-untyped-def]
        proposal = core.propose(Shelf(), "P", state, settings, number)
        return proposal, core.evidence(product, proposal), []

    rounds = []
    for _ in range(3):
        rounds.append(book.open(session, "P", propose))
        book.rate(session, rounds[-1].number, 0.75, shown={}, source="template")
    book.open(session, "P", propose)
    log = slate_feedback(book.export())
    assert log["n_rounds"] == 3
    for slate, stored in enumerate(rounds):
        assert log["pscore"][log["slate_id"] == slate][0] == pytest.approx(np.prod(stored.propensities))


def test_the_export_is_what_open_bandit_pipeline_asks_for(make_product: Make) -> None:
    """Its keys, and its rules for slates: one pscore and each position once a slate, chances in (0, 1]."""
    log = slate_feedback(logged(make_product(n=6, seed=2), np.full(5, 0.2), 50))
    asked = {"n_rounds", "n_unique_action", "slate_id", "context", "action", "position", "reward", "pscore"}
    assert asked | {"pscore_cascade"} <= set(log)
    slots = ("slate_id", "action", "position", "reward", "pscore", "pscore_cascade")
    assert {log[name].shape for name in slots} == {(100,)}
    assert all(np.issubdtype(log[name].dtype, np.integer) for name in slots[:3])
    assert len(log["context"]) == log["n_rounds"] == 50
    assert len({*zip(log["slate_id"].tolist(), log["position"].tolist(), strict=True)}) == 100
    assert log["position"].min() == 0
    assert log["action"].max() == log["n_unique_action"] - 1
    for name in ("pscore", "pscore_cascade"):
        assert np.all((log[name] > 0) & (log[name] <= 1))
    assert np.all(log["pscore"] <= log["pscore_cascade"] + 1e-15)
    slates = log["pscore"].reshape(50, 2)
    assert np.array_equal(slates[:, 0], slates[:, 1])
    np.testing.assert_allclose(slates[:, 1], log["pscore_cascade"].reshape(50, 2)[:, 1])
    assert np.all((log["reward"] >= 0) & (log["reward"] <= 1))


def test_the_file_is_read_back(make_product: Make, tmp_path: Path) -> None:
    """What is downloaded comes back equal, and needs no pickle."""
    log = slate_feedback(logged(make_product(n=6, seed=2), np.full(5, 0.2), 20))
    np.savez_compressed(tmp_path / "a.npz", **log)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as found:
        assert set(found.files) == log.keys()
        for key, value in log.items():
            np.testing.assert_array_equal(found[key], value)
