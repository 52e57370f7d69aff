"""The theorems in numbers: what held in a run (delta, c, V_T), and what they promise with it."""

from collections.abc import Sequence

import numpy as np

from prefer_core import simplex
from prefer_core.config import SessionSettings
from prefer_core.experiments import regret
from prefer_core.experiments.play import Row
from prefer_core.learning import loss

EPSILON = 0.1
"""The average regret that the sample complexity is asked for."""


def theory(rows: Sequence[Row], settings: SessionSettings) -> dict[str, float]:
    """Return what the theorems say about one seed of an OMD run.

    Parameters
    ----------
    rows : sequence of Row
        The rounds of one seed, in order, as `play` yields them.
    settings : SessionSettings
        The settings of the run; `floor` and `decay` must be above 0.

    Returns
    -------
    dict
        By name for people: smallest weight and largest surprise met (the delta and c that held), path variation V_T,
        average regret, its bound for delta, c and eta0 as set, the bound for the c met and the tuned eta0, and how many
        ratings bring the average regret to `EPSILON` with the tuned eta0 (Corollaries omd-sample-complexity-main and
        omd-dynamic-sample-complexity).
    """
    if not rows:
        return {}
    floor = float(min(row["w"].min() for row in rows))
    centred = np.clip([row["feedback"] - row["baseline"] for row in rows], -settings.clip, settings.clip)
    clip = float(np.abs(centred).max())
    path = np.array([simplex.project(row["w_true"], settings.floor) for row in rows])
    variation, rounds = float(loss.path_variation(path)[-1]), len(rows)
    bound = regret.dynamic_bound(rounds, settings.floor, settings.step_size, settings.decay, settings.clip, variation)
    numbers = {
        "smallest weight (δ met)": floor,
        "largest surprise (c met)": clip,
        "path variation V": variation,
        "average regret": float(rows[-1]["avg_regret"]),
        "bound, as set": bound / rounds,
    }
    if clip > 0:
        tuned = regret.dynamic_bound(rounds, settings.floor, None, settings.decay, clip, variation)
        needed = regret.sample_complexity(EPSILON, settings.floor, settings.decay, clip, variation)
        numbers |= {"bound, c met, best η₀": tuned / rounds, f"ratings to {EPSILON:g}, best η₀": needed}
    return numbers
