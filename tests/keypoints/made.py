"""A product whose points are known: sentences made of a topic and filler, and a judge that reads the topic."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from prefer_core.encoders.entailment import OPPOSES, OTHER, SAYS
from prefer_core.files.progress import Tick, silent
from prefer_core.keypoints.candidates import USEFUL
from prefer_core.keypoints.find import Material

TOPICS = {
    "The lid leaks a lot.": ("lid", "Mine spilled through the lid on day two, {}."),
    "It smells very sweet.": ("sweet", "I like the sweet smell of it, {}."),
    "It runs rather large.": ("large", "I had to send back the large one, {}."),
    "It runs rather small.": ("small", "Mine was far too small, {}."),
}
"""Sentence that can stand for the point, the word by which the judge knows it, and how others say it."""


class Judge:
    """An entailment model that knows one word a point; it counts the pairs it was asked."""

    digest = "made"

    def __init__(self) -> None:
        self.asked = 0

    def probabilities(self, pairs: Sequence[tuple[str, str]], tick: Tick = silent) -> NDArray[np.float32]:
        """Return probabilities (n, 3)."""
        self.asked += len(pairs)
        found = np.zeros((len(pairs), 3), dtype=np.float32)
        for row, (sentence, point) in zip(found, pairs, strict=True):
            row[self._relation(sentence, point)] = 1.0
        return found

    def _relation(self, sentence: str, point: str) -> int:
        if point == USEFUL:
            return SAYS
        word = TOPICS[point][0]
        if word in sentence:
            return SAYS
        sizes = {"large", "small"}
        other = sizes - {word} if word in sizes else set()
        return OPPOSES if any(size in sentence for size in other) else OTHER


def made(counts: dict[str, int], strangers: int = 10) -> tuple[Material, NDArray[np.float64]]:
    """Return a product's material and phi (n, 3): each topic said by so many reviewers, and strangers' sentences."""
    rng = np.random.default_rng(0)
    axes = np.eye(16)[: len(TOPICS) + 1]
    texts, vectors, aspects = [], [], []
    for place, (point, (_, way)) in enumerate(TOPICS.items()):
        for i in range(counts.get(point, 0)):
            texts.append(point if i == 0 else way.format(f"number {i}"))
            near = axes[min(place, 2)] + 0.15 * axes[place] + (0.05 if i else 0.0) * rng.normal(size=16)
            vectors.append(near)
            aspects.append(min(place, 2))
    for i in range(strangers):
        texts.append(f"I wrote this on a train, ride {i}.")
        vectors.append(axes[-1] + 0.3 * rng.normal(size=16))
        aspects.append(2)
    unit = np.array(vectors) / np.linalg.norm(vectors, axis=1, keepdims=True)
    phi = np.full((len(texts), 3), 0.1)
    phi[np.arange(len(texts)), aspects] = 0.8
    material = Material(texts, unit.astype(np.float32), [np.array([i]) for i in range(len(texts))],
                        np.zeros(len(texts), dtype=np.int64))  # fmt: skip
    return material, phi
