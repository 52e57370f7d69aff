"""A sample corpus whose points were counted by likeness: real sentences and real counts, whatever the model says."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from prefer_core.config import AspectSettings, BuildConfig
from prefer_core.encoders.light import shared as light
from prefer_core.files.progress import Tick, silent
from prefer_core.keypoints.candidates import USEFUL
from prefer_core.keypoints.matching import Decision
from prefer_core.pipeline import build

_LIKE = 0.5
_AGAINST = re.compile(r"n't\b|\b(not|no|never|too|hard|loud|racket|weak|small|cheap|greasy|sticky)\b", re.IGNORECASE)


class ByLikeness:
    """Stands in for the entailment model: alike is the same, alike with and without a negation is the opposite."""

    digest = "likeness"
    _vectors: ClassVar[dict[str, NDArray[np.float32]]] = {}
    """Of each text that was met: most come back with every question of a build."""

    def __init__(self, threads: int = 1) -> None:
        pass

    def require(self) -> None:
        """Nothing is needed."""

    def probabilities(self, pairs: Sequence[tuple[str, str]], tick: Tick = silent) -> NDArray[np.float32]:
        """Return the probabilities (n, 3) of the same, of something else, of the opposite."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        if new := [text for text in texts if text not in self._vectors]:
            self._vectors.update(zip(new, light().encode(new), strict=True))
        found = np.zeros((len(pairs), 3), dtype=np.float32)
        for row, (one, other) in enumerate(pairs):
            if other == USEFUL:
                found[row, 0] = 1.0
                continue
            alike = float(self._vectors[one] @ self._vectors[other]) >= _LIKE
            against = bool(_AGAINST.search(one)) != bool(_AGAINST.search(other))
            found[row, (2 if against else 0) if alike else 1] = 1.0
        tick(len(pairs), len(pairs))
        return found

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Return the probabilities (n,) of the same."""
        return self.probabilities(pairs)[:, 0]


def build_counted(folder: Path) -> Path:
    """Build the sample with points counted by likeness into a folder, and return it."""
    settled = Decision(cosine=0.0, threshold=0.0, opposed=0.5)
    with (
        patch("prefer_core.pipeline.Entailment", ByLikeness),
        patch("prefer_core.keypoints.matching.decision", lambda: settled),
        patch("prefer_core.keypoints.find.decision", lambda: settled),
    ):
        build(BuildConfig(source="sample", out=str(folder), aspects=AspectSettings(n_aspects=8)))
    return folder
