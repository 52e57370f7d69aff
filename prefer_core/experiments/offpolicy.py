"""Logged rounds for off-policy evaluation, with exact propensities, as Open Bandit Pipeline reads slates (B11).

The keys are those of ``obp.dataset.SyntheticSlateBanditDataset``: one row a slot, ``pscore`` the probability of the
whole ordered slate, ``pscore_cascade`` that of the slots so far. Propensities are those of the extractor given the w it
used; for the posterior learner that w is a Thompson draw: they hold given the draw and are not the marginal over draws.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from prefer_core.errors import DataError
from prefer_core.types import FloatArray


def slate_feedback(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the rated rounds of a ledger's export (`Ledger.export`) as slate bandit feedback.

    Returns
    -------
    dict
        ``n_rounds``, ``n_unique_action``, ``action_names`` (ids of sentences, or of key points), and one value a
        slot: ``slate_id``, ``action``, ``position``, ``reward`` (the rating, on the last slot: it is of the whole
        slate), ``pscore``, ``pscore_cascade``; a row a slate: ``context`` (the preference used) and
        ``who`` (person, bot, replay).
    """
    rated = [row for row in rows if row["feedback"] is not None]
    used = [json.loads(row["w_used"]) for row in rated]
    longest = max(map(len, used), default=0)  # a ledger may hold corpora of several sizes
    if not rated:
        raise DataError("There is no rated round to export yet; rate a summary first.")
    names: dict[str, int] = {}
    slots: dict[str, list[Any]] = {key: [] for key in ("slate_id", "action", "position", "reward", "pscore")}
    cascades: list[FloatArray] = []
    for slate, row in enumerate(rated):
        ids, chances = json.loads(row["choices"]), np.array(json.loads(row["propensities"]))
        cascades.append(np.cumprod(chances))
        for position, name in enumerate(ids):
            slots["slate_id"].append(slate)
            slots["action"].append(names.setdefault(name, len(names)))
            slots["position"].append(position)
            slots["reward"].append(row["feedback"] if position == len(ids) - 1 else 0.0)
            slots["pscore"].append(cascades[-1][-1])
    return {
        "n_rounds": len(rated),
        "n_unique_action": len(names),
        "action_names": np.array(list(names)),
        "who": np.array([str(row["who"]) for row in rated]),
        "context": np.array([[*w, *[0.0] * (longest - len(w))] for w in used]),
        "pscore_cascade": np.concatenate(cascades),
        **{key: np.array(values) for key, values in slots.items()},
    }
