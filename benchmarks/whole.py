"""A made corpus of the paper's size through the offline build: `python -m benchmarks.whole [REVIEWS]`.

Prints what each stage took and the highest memory. The words are made up and so are their vectors: MiniLM would take
hours for so many sentences, and its memory does not grow with them.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

REVIEWS, ITEMS, USERS, SEED = 583_190, 112_600, 535_000, 0
_TOPICS, _WORDS, _COMMON = 12, 400, 300


class MadeVectors:
    """Embeds a text as the sum of one random vector a word (hashed), in the 384 dimensions of MiniLM."""

    name = "made vectors"

    def __init__(self) -> None:
        from sklearn.feature_extraction.text import HashingVectorizer

        self.precision = "fp32"
        self._words = HashingVectorizer(n_features=2**13, alternate_sign=False, dtype=np.float32)
        self._vectors = np.random.default_rng(SEED).standard_normal((2**13, 384), dtype=np.float32)

    def count_tokens(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """Count words."""
        return np.array([len(text.split()) for text in texts], dtype=np.int32)

    def encode(self, texts: Sequence[str], tokens: NDArray[np.int32], tick: Any = None) -> NDArray[np.float32]:
        """Return unit vectors (n, 384)."""
        found: NDArray[np.float32] = self._words.transform(texts) @ self._vectors
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)


def write_reviews(path: Path, n: int) -> None:
    """Write n reviews of one to six sentences, each about one of twelve topics, in the form of Amazon Reviews 2023."""
    rng = np.random.default_rng(SEED)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    made = ["".join(letters[rng.integers(26, size=rng.integers(3, 9))]) for _ in range(_TOPICS * _WORDS + _COMMON)]
    common, topics = made[:_COMMON], np.array(made[_COMMON:]).reshape(_TOPICS, _WORDS)
    # Few products have most reviews, as in the paper's corpus.
    popular = np.minimum((ITEMS * rng.random(n) ** 3).astype(int), ITEMS - 1)
    with path.open("w", encoding="utf-8") as stream:
        for number in range(n):
            sentences = []
            for _ in range(min(6, rng.geometric(0.42))):
                topic, size = rng.integers(_TOPICS), rng.integers(7, 20)
                words = topics[topic, rng.integers(_WORDS, size=size)]
                filler = rng.random(size) < 0.45
                chosen = [
                    common[i] if f else w
                    for w, f, i in zip(words, filler, rng.integers(_COMMON, size=size), strict=True)
                ]
                sentences.append(" ".join(chosen).capitalize() + ".")
            row = {
                "user_id": f"U{rng.integers(USERS)}",
                "parent_asin": f"B{popular[number]:09d}",
                "timestamp": 1_500_000_000_000 + number,
                "rating": float(rng.integers(1, 6)),
                "title": sentences[0][:30],
                "text": " ".join(sentences),
                "helpful_vote": int(rng.integers(3)),
                "verified_purchase": bool(rng.random() < 0.9),
            }
            stream.write(json.dumps(row) + "\n")


def build_made(source: str, out: str) -> None:
    """Build with made vectors and print the stages."""
    from prefer_core.config import AspectSettings, BuildConfig
    from prefer_core.encoders.embedders import EMBEDDERS
    from prefer_core.pipeline import build

    EMBEDDERS["made"] = MadeVectors
    report = build(BuildConfig(source=source, out=out, aspects=AspectSettings(embedder="made", preset="paper")))
    print(f"{report.counts['reviews']:,} reviews, {report.n_sentences:,} sentences, {report.n_products:,} products")
    for stage in report.stages:
        print(f"{stage.stage:12} {stage.seconds:8.1f} s  {stage.memory:7.0f} MiB after, {stage.peak_memory:7.0f} peak")


def main() -> int:
    """Make the reviews, build in a process of its own."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else REVIEWS
    with tempfile.TemporaryDirectory() as place:
        source, out = Path(place) / "made.jsonl", Path(place) / "corpus"
        write_reviews(source, n)
        print(f"{source.stat().st_size / 1e6:.0f} MB of made reviews", flush=True)
        return subprocess.run([sys.executable, "-m", "benchmarks.whole", "build", source, out], check=False).returncode


if __name__ == "__main__":
    if sys.argv[1:2] == ["build"]:
        build_made(*sys.argv[2:4])
    else:
        sys.exit(main())
