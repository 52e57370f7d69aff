"""Are the aspects those that people name? Both presets beside K-means, BERTopic and NMF on labelled sentences.

`python -m benchmarks aspects --labels FILE ...`; the table goes to docs/aspect-quality.md.
"""

import importlib.util
import shlex
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects.anchors import anchor_words, middle_of_anchors, place_anchors, read_anchors
from prefer_core.aspects.diagnostics import Labelled, read_labelled, scores
from prefer_core.aspects.mask import Mask, find_product_words
from prefer_core.aspects.space import fit_anchored_space, fit_space
from prefer_core.config import AspectSettings
from prefer_core.encoders.embedders import MiniLM

SEEDS = range(5)
DOCUMENT = Path(__file__).parents[1] / "docs" / "aspect-quality.md"
COLUMNS = {
    "n_aspects": "K", "nmi": "NMI", "nmi_in_product": "NMI in product", "f1": "F1", "f1_weighted": "F1, weighted",
    "auc": "AUC", "auc_in_product": "AUC in product", "seed_ari": "seed ARI",
}  # fmt: skip


def run(files: Sequence[Path]) -> None:
    """Measure on every file and write the document."""
    parts = []
    for path in files:
        labelled = read_labelled(path)
        rows = {name: measured(find, labelled, SEEDS) for name, find in _ways(labelled).items()}
        parts.append(f"## {path.name}\n\n{_about(labelled)}\n\n{table(rows)}")
        print(parts[-1], flush=True)
    command = shlex.join(["python", "-m", "benchmarks", "aspects", "--labels", *(path.name for path in files)])
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_text(f"{_HEAD.format(command=command, seeds=len(SEEDS))}\n\n" + "\n\n".join(parts) + "\n", "utf-8")


_HEAD = """# Are the aspects those that people name?

Written by `{command}`. Aspects are found on all sentences of a file and scored on those to which people gave
exactly one class; means over {seeds} seeds. F1: after matching classes and aspects one to one, mean over classes
(weighted: by their sentences). AUC: for each class the membership that tells it apart best on the whole file. In
product: among the
sentences of one product only, so that telling products apart is worth nothing. Seed ARI: adjusted Rand index of the
largest memberships of two seeds. K counts "Other" in preset people; the peers are given preset people's K."""


def table(rows: dict[str, dict[str, float]]) -> str:
    """Return the measures as Markdown."""
    head = f"| way | {' | '.join(COLUMNS.values())} |\n| --- |{' --- |' * len(COLUMNS)}"
    lines = [
        f"| {name} | " + " | ".join(f"{row[c]:.0f}" if c == "n_aspects" else f"{row[c]:.3f}" for c in COLUMNS) + " |"
        for name, row in rows.items()
    ]
    return "\n".join([head, *lines])


def _about(labelled: Labelled) -> str:
    n, classes = int(labelled.single.sum()), len(set(labelled.classes) - {""})
    products = len(set(labelled.products))
    return f"{len(labelled.texts):,} sentences of {products} products, {n:,} of {classes} classes scored."


Find = Callable[[int], NDArray[np.float64]]
"""Finds aspects with a seed; returns the memberships (n, K) of all sentences."""


def measured(find: Find, labelled: Labelled, seeds: Sequence[int]) -> dict[str, float]:
    """Return the mean scores over seeds, the agreement of the partitions (seed_ari), and the mean number of aspects."""
    memberships = [np.asarray(find(seed)) for seed in seeds]
    rows = [scores(phi, labelled) for phi in memberships]
    return {
        "n_aspects": float(np.mean([phi.shape[1] for phi in memberships])),
        **{name: float(np.mean([row[name] for row in rows])) for name in rows[0]},
        "seed_ari": _agreement([phi.argmax(axis=1) for phi in memberships]),
    }


def _agreement(partitions: Sequence[NDArray[np.intp]]) -> float:
    """Return the mean adjusted Rand index of all pairs of partitions (n,)."""
    from sklearn.metrics import adjusted_rand_score

    pairs = [(a, b) for i, a in enumerate(partitions) for b in partitions[:i]]
    return float(np.mean([adjusted_rand_score(a, b) for a, b in pairs])) if pairs else 1.0


def _ways(labelled: Labelled) -> dict[str, Find]:
    texts, products = list(labelled.texts), list(labelled.products)
    embedder = MiniLM()
    plain = embedder.encode(texts, embedder.count_tokens(texts)).astype(np.float16)
    weights = np.ones(len(texts))

    def paper(n_aspects: int | None = None) -> Find:
        settings = AspectSettings(preset="paper", n_aspects=n_aspects)
        return lambda seed: fit_space(plain, weights, settings, seed).phi

    anchors = read_anchors("shopper")
    words = find_product_words(texts, products, {p: p for p in products}, anchor_words(anchors))
    forms = tuple(form for word in words for form in word.forms)
    masked = Mask(forms).apply_all(texts)
    hidden = embedder.encode(masked, embedder.count_tokens(masked)).astype(np.float16)
    placed, middle = place_anchors(anchors, embedder), middle_of_anchors(embedder)

    @cache
    def people(seed: int) -> NDArray[np.float64]:
        return fit_anchored_space(
            hidden, weights, placed, texts, products, AspectSettings(), seed, masked=forms, middle=middle
        ).phi

    k = people(0).shape[1]
    return {
        "preset people": people,
        "preset paper": paper(),
        "preset paper, same K": paper(k),
        "K-means, 384 dimensions": lambda seed: _kmeans(plain.astype(np.float64), k, seed),
        _bertopic_name(): lambda seed: _bertopic(texts, plain.astype(np.float32), k, seed),
        "NMF on tf-idf": lambda seed: _nmf(texts, k, seed),
    }


def _kmeans(vectors: NDArray[np.float64], k: int, seed: int) -> NDArray[np.float64]:
    from sklearn.cluster import KMeans

    fit = KMeans(k, n_init=10, random_state=seed).fit(vectors)
    return -fit.transform(vectors)


def _bertopic_name() -> str:
    there = importlib.util.find_spec("bertopic") is not None
    return "BERTopic, K-means form" if there else "BERTopic's K-means form by scikit-learn (5 components, K-means)"


def _bertopic(texts: list[str], vectors: NDArray[np.float32], k: int, seed: int) -> NDArray[np.float64]:
    """Return the negative distances to the topics' centres in BERTopic's reduced space."""
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA

    clusters = KMeans(k, n_init=10, random_state=seed)
    if importlib.util.find_spec("bertopic") is None:
        reduced = PCA(5, random_state=seed).fit_transform(vectors)
        return -clusters.fit(reduced).transform(reduced)
    from bertopic import BERTopic
    from umap import UMAP

    reducer = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed)
    BERTopic(umap_model=reducer, hdbscan_model=clusters).fit(texts, vectors)
    return -clusters.transform(reducer.embedding_)


def _nmf(texts: list[str], k: int, seed: int) -> NDArray[np.float64]:
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfVectorizer

    weighted = TfidfVectorizer(stop_words="english", min_df=3, sublinear_tf=True).fit_transform(texts)
    return NMF(k, random_state=seed, init="nndsvdar", max_iter=400).fit_transform(weighted)
