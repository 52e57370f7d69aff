"""What a person needs in order to trust an aspect, found once by the build: stability, slices, sentences, tastes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from prefer_core.aspects.cards import cards
from prefer_core.aspects.heterogeneity import heterogeneity
from prefer_core.aspects.slices import divisions, slices
from prefer_core.aspects.space import FittedSpace
from prefer_core.aspects.stability import stability
from prefer_core.config import AspectSettings
from prefer_core.data.reviews import ReviewTable
from prefer_core.data.sentences import SentenceTable


def audit(
    fitted: FittedSpace,
    reviews: ReviewTable,
    sentences: SentenceTable,
    categories: Mapping[str, str],
    settings: AspectSettings,
    seed: int,
) -> dict[str, Any]:
    """Return plain values: ``stability``, ``slices``, ``cards``, ``heterogeneity``, as their modules describe them."""
    at = sentences.support["sentence"].to_numpy(dtype=np.int64)
    centroids = fitted.space.centroids
    return {
        "stability": stability(fitted.reduced, sentences.weights, centroids, fitted.refit, settings, seed),
        "slices": [slices(fitted.phi, at, d) for d in divisions(reviews, sentences, categories)],
        "cards": cards(fitted.phi, fitted.reduced, centroids, sentences.rows, seed),
        "heterogeneity": heterogeneity(
            fitted.phi.astype(np.float32),
            at,
            pd.factorize(sentences.support["reviewer"])[0],
            pd.factorize(sentences.rows["product"])[0][at],
            seed,
        ),
    }
