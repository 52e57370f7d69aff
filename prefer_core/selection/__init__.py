"""Choosing the evidence S_t for one reader (paper, section personalized-extractive-selection)."""

from prefer_core.selection.base import Extractor
from prefer_core.selection.gumbel import Gumbel
from prefer_core.selection.mmr import MMR

EXTRACTORS: dict[str, type[MMR] | type[Gumbel]] = {"mmr": MMR, "gumbel": Gumbel}

__all__ = ["EXTRACTORS", "MMR", "Extractor", "Gumbel"]
