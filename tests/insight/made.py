"""One made product whose sentences are each about one of four aspects."""

from dataclasses import replace

import numpy as np

from prefer_core.insight.comparison import Column, split
from prefer_core.insight.profiles import People, profile
from prefer_core.types import KeyPoint, ProductCorpus

LABELS = ("smell & scent", "lid_1", "50% off", "skin")
TERMS = (("perfume", "scent"), ("cap",), ("price", "sale"), ("soft", "skin"))


class Shop:
    """One product of 60 sentences by 15 reviewers with four each."""

    def __init__(self) -> None:
        rng = np.random.default_rng(3)
        phi = np.full((60, 4), 0.05)
        phi[np.arange(60), np.arange(60) % 4] = 0.85
        s = rng.normal(size=(60, 5))
        self.made = ProductCorpus(
            product_id="p",
            title="Soap #1",
            text=[f"Sentence {i} says something about aspect {i % 4}." for i in range(60)],
            phi=phi,
            s=s / np.linalg.norm(s, axis=1, keepdims=True),
            tokens=np.full(60, 8),
            reviewer=np.arange(60) // 4,
            rating=np.where(np.arange(60) // 4 % 3 == 0, 1.0, 5.0),
            n_reviewers=15,
        )

    def product(self, product_id: str) -> ProductCorpus:
        """Return the product."""
        return self.made

    def column(self, code: str, people: People | None = None) -> Column:
        """Return the column of a code, by MMR from key points unless it says otherwise."""
        name, by, of = split(code)
        return Column(profile(name, self.made, LABELS, people), by or "mmr", of or "person", code)


def counted_shop() -> Shop:
    """Return the same shop with four key points an aspect, two of them against each other, and a single voice."""
    shop = Shop()
    made = []
    for place in range(16):
        aspect = place % 4
        rows = np.array([row for row in range(place, 60, 16) if row % 4 == aspect])
        against = {1: 5, 5: 1}.get(place)
        made.append(KeyPoint(int(rows[0]), aspect, False, len(rows) + 1, 15, rows, opposed=against))
    made.append(KeyPoint(59, 3, True, 1, 15, np.array([59]), voice=True))
    shop.made = replace(shop.made, keypoints=tuple(made))
    return shop
