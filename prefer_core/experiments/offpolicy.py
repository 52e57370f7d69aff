"""Logged rounds for off-policy evaluation, with exact propensities, as Open Bandit Pipeline reads slates (B11).

The keys are those of ``obp.dataset.SyntheticSlateBanditDataset``: one row a slot, ``pscore`` the probability of the
whole ordered slate, ``pscore_cascade`` that of the slots so far. Propensities are those of the extractor given the w it
used; for the posterior learner that w is a Thompson draw: they hold given the draw and are not the marginal over draws.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

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


KEYS = (
    "n_rounds", "n_unique_action", "action_names", "context", "slate_id", "action", "position", "reward", "pscore",
    "pscore_cascade",
)  # fmt: skip


def read_slates(file: Path | BinaryIO) -> dict[str, Any]:
    """Read a file of `slate_feedback` as Open Bandit Pipeline would take it, and check what estimators rely on.

    Open Bandit Pipeline itself does not run on today's Python.

    Returns
    -------
    dict
        Of the same keys and values as `slate_feedback` gave.

    Raises
    ------
    DataError
        If the file is none, a key is missing, or the propensities do not hold together.
    """
    try:
        content = io.BytesIO(file.read_bytes() if isinstance(file, Path) else file.read())
        with np.load(content, allow_pickle=False) as stored:
            found: dict[str, Any] = {key: stored[key] for key in stored.files}
    except (OSError, ValueError, zipfile.BadZipFile):
        raise DataError("This is no file of slates; download it again from the System page.") from None
    if missing := [key for key in KEYS if key not in found]:
        raise DataError(f"The file of slates lacks {', '.join(missing)}; download it again from the System page.")
    found |= {key: int(found[key]) for key in ("n_rounds", "n_unique_action")}
    _check_slates(found)
    return found


def _check_slates(found: Mapping[str, Any]) -> None:
    """Require that slots count up from 0 in every slate, and that the last cascade is the slate's probability."""
    slates, position = found["slate_id"], found["position"]
    starts = np.flatnonzero(np.diff(slates, prepend=-1))
    ends = np.append(starts[1:], len(slates)) - 1
    lengths = ends - starts + 1
    rules = {
        "slots that count up": np.array_equal(position, np.concatenate([np.arange(length) for length in lengths])),
        "one slate a round": len(starts) == found["n_rounds"] == len(found["context"]),
        "actions that have a name": found["action"].max() < found["n_unique_action"] == len(found["action_names"]),
        "probabilities above 0 and up to 1": bool(
            ((found["pscore"] > 0) & (found["pscore_cascade"] <= 1 + 1e-12)).all()
        ),
        "a cascade that ends in the slate's own": np.allclose(found["pscore_cascade"][ends], found["pscore"][ends]),
        "ratings from 0 to 1": bool(((found["reward"] >= 0) & (found["reward"] <= 1)).all()),
    }
    if broken := [rule for rule, holds in rules.items() if not holds]:
        raise DataError(f"The file of slates does not have {' and '.join(broken)}; download it again.")
