"""Facts about regret without an oracle and the drift alarm, on the paper's drift protocol."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from prefer_core import session
from prefer_core.config import PRESETS
from prefer_core.experiments import regret, simulator
from prefer_core.experiments.play import Run, play
from prefer_core.insight.hindsight import alarm_rounds, hindsight
from prefer_core.learning import OMD
from prefer_core.types import ProductCorpus
from tests.shelf import Shelf

Make = Callable[..., ProductCorpus]


def test_hindsight_is_regret_against_the_best_corner() -> None:
    """Against every corner of the truncated simplex in turn: none beats the one it names."""
    learner, rng = OMD(step_size=5.0), np.random.default_rng(1)
    state, steps = learner.start(4, 0), []
    for _ in range(15):
        steps.append(learner.learn(state, rng.dirichlet(np.ones(4)), float(rng.uniform()))[1])
        state = learner.update(state, steps[-1].z, steps[-1].feedback)
    found = hindsight(steps, 1e-4)
    assert found is not None
    losses = []
    for k in range(4):
        corner = np.full(4, 1e-4)
        corner[k] = 1 - 3e-4
        losses.append(sum(-s.centred * (s.w_before - corner) @ s.z for s in steps))
    assert found.average_regret == pytest.approx(max(losses) / 15)
    assert found.average_regret <= regret.static_bound(15, 1e-4, 5.0, 0.002, 1.0) / 15
    assert found.smallest == min(s.w_after.min() for s in steps)
    assert hindsight([], 1e-4) is None


def surprises(make_product: Make, reader: simulator.SimulatedReader, seed: int) -> list[float]:
    """Play the paper's 200 rounds with noise 0.05 and return f~."""
    product = make_product(n=300, phi=np.random.default_rng(1).dirichlet(np.full(5, 0.15), 300))
    settings = replace(PRESETS["paper"], extractor="gumbel")
    run = Run("drift", "made", "", "P", reader, settings, 200, seed, 10.0, 0.05)
    return [row["feedback"] - row["baseline"] for row in play(Shelf(product), run)]


def test_the_alarm_rings_in_the_drift_and_not_before(make_product: Make) -> None:
    """All ten drifting readers are noticed within 45 rounds of the window's start, and none from round 30 to 80."""
    delays, early = [], 0
    for seed in range(10):
        heard = alarm_rounds(surprises(make_product, simulator.drift(5, 0, 3, 81, 120), seed))
        early += any(30 <= t <= 80 for t in heard)
        delays.append(next(t for t in heard if t > 80) - 81)
    assert max(delays) <= 45
    assert early == 0


def test_readers_who_stay_are_rarely_asked(make_product: Make) -> None:
    """Of ten readers who want the same for 200 rounds, at most one is ever asked after round 30."""
    asked = sum(
        any(t > 30 for t in alarm_rounds(surprises(make_product, simulator.single(5, 0), seed))) for seed in range(10)
    )
    assert asked <= 1


def test_the_session_folds_into_steps(make_product: Make) -> None:
    """Steps explained one after another are those of the session."""
    product = make_product(n=50)
    settings = PRESETS["person"]
    state, steps = session.updater(settings).start(5, 1), []
    for t in range(1, 6):
        proposal = session.propose(Shelf(product), "P", state, settings, t)
        steps.append(session.learn(state, proposal, 0.5, settings)[1])
        state = session.rate(state, proposal, 0.5, settings)
        assert steps[-1].w_after.tolist() == state.w.tolist()
