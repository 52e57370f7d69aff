"""Made reviews and a deterministic embedder, for tests where neither real text nor MiniLM is the fact under test."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.files.progress import Tick, silent

THEMES = {
    "smell": "scent coconut vanilla smell perfume strong fresh lasting",
    "lid": "lid cracked bottle pump leaked box broke arrived",
    "price": "price cheap dollars money sale cost store paid",
}


class BagOfWords:
    """Embeds a text as the unit sum of one fixed random vector a word."""

    name = "bag of words"

    def __init__(self) -> None:
        self.precision = "fp32"

    def count_tokens(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """Count words."""
        return np.array([len(text.split()) for text in texts], dtype=np.int32)

    def encode(self, texts: Sequence[str], tokens: NDArray[np.int32], tick: Tick = silent) -> NDArray[np.float32]:
        """Return unit vectors (n, 32)."""
        vectors = np.stack([sum((self._word(w) for w in text.lower().split()), np.zeros(32)) for text in texts])
        tick(len(texts), len(texts))
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    @staticmethod
    def _word(word: str) -> NDArray[np.float64]:
        return np.random.default_rng(list(sha256(word.encode()).digest()[:8])).normal(size=32)


def made_reviews(n: int = 60, seed: int = 0) -> list[dict[str, Any]]:
    """Return n reviews of four products on three themes, each of two sentences."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(n):
        parts = []
        for theme in rng.choice(list(THEMES), 2):
            words = rng.choice(THEMES[theme].split(), 5)
            parts.append(f"The {' '.join(words)} {number}.")
        rows.append(
            {
                "user_id": f"U{number % 40}",
                "parent_asin": f"P{number % 4}",
                "timestamp": 1_600_000_000_000 + number,
                "rating": float(1 + number % 5),
                "title": f"Title {number}",
                "text": " ".join(parts),
                "helpful_vote": number % 3,
                "verified_purchase": number % 2 == 0,
            }
        )
    return rows


def write_jsonl(path: Path, rows: Sequence[Any]) -> Path:
    """Write rows, or broken lines given as strings."""
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8")
    return path
