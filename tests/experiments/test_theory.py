"""Facts about the theorems in numbers, recomputed from the rows."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from prefer_core.config import PRESETS
from prefer_core.experiments import simulator
from prefer_core.experiments.play import Run, play
from prefer_core.experiments.theory import theory
from prefer_core.types import ProductCorpus
from tests.shelf import Shelf

Make = Callable[..., ProductCorpus]


@pytest.mark.parametrize("drifts", [False, True])
def test_the_numbers_are_those_of_the_run(make_product: Make, drifts: bool) -> None:
    """Delta, c and V against a loop over the rows; regret stays under both bounds; V is 0 only for a fixed reader."""
    reader = simulator.drift(5, 0, 3, 11, 20) if drifts else simulator.single(5, 2)
    run = Run("lab", "made", "v", "P", reader, PRESETS["paper"], 40, 1, 10.0, 0.05)
    rows = list(play(Shelf(make_product(n=120)), run))
    found = theory(rows, run.settings)
    assert found["smallest weight (δ met)"] == min(row["min_w_after"] for row in rows)
    assert found["largest surprise (c met)"] == max(abs(row["feedback"] - row["baseline"]) for row in rows)
    moved = sum(np.abs(rows[t]["w_true"] - rows[t - 1]["w_true"]).sum() for t in range(1, 40))
    assert found["path variation V"] == pytest.approx(moved, abs=2e-3)
    assert (found["path variation V"] > 1.9) == drifts
    assert found["average regret"] <= found["bound, as set"] == pytest.approx(rows[-1]["bound"])
    assert found["bound, c met, best η₀"] < found["bound, as set"]
    assert found["ratings to 0.1, best η₀"] > 1000


def test_a_reader_without_surprises_promises_nothing_more(make_product: Make) -> None:
    """Sharpness 0 rates .5 always: c is 0 and no tuned step exists; no rows give no numbers."""
    run = Run("lab", "made", "v", "P", simulator.single(5, 2), PRESETS["paper"], 5, 1, 0.0, 0.0)
    rows = list(play(Shelf(make_product(n=60)), run))
    assert set(theory(rows, run.settings)) == {
        "smallest weight (δ met)", "largest surprise (c met)", "path variation V", "average regret", "bound, as set",
    }  # fmt: skip
    assert theory([], replace(run.settings)) == {}
