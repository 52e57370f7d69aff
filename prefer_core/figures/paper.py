"""What the paper prints about its own corpus, All_Beauty, for holding a corpus of ours beside it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RawStatistics:
    """The raw files (Table all_beauty_stats), as printed: rounded to hundreds, tokens to 0.1 million."""

    users: int = 632_000
    items: int = 112_600
    ratings: int = 701_500
    review_tokens: int = 31_600_000
    metadata_tokens: int = 74_100_000


@dataclass(frozen=True)
class TableStatistics:
    """One of the two preprocessed tables.

    Attributes
    ----------
    units : int
        Reviews or sentences.
    mean_words : float
        Words a unit.
    mean_units_per_reviewer : float
        Units a user.
    max_units_per_product, max_units_per_reviewer : int
        Largest counts (all of these: Table preprocessed_corpus_stats).
    n_aspects : int
        K that the diagnostics favour (sec:offlineaspect_casestudy).
    variance_at_16 : float
        Share of the variance that 16 components hold (app:aspect-discovery-diagnostics).
    components_for : dict of float to int
        Components for a share of the variance (the same place; 50 % is not printed).
    """

    units: int
    mean_words: float
    mean_units_per_reviewer: float
    max_units_per_product: int
    max_units_per_reviewer: int
    n_aspects: int
    variance_at_16: float
    components_for: dict[float, int]


@dataclass(frozen=True)
class Cosines:
    """Cosine of pairs of 5,000 sampled reviews (Figure pairwise-cosine)."""

    mode: float = 0.120
    median: float = 0.1466
    mean: float = 0.1595


@dataclass(frozen=True)
class Stage:
    """One row of Table compute_resources: wall time in minutes, change of resident memory in GB."""

    stage: str
    component: str
    size: str
    worker: str
    minutes: float
    rss_change: float


RAW = RawStatistics()
TABLES = {
    "review": TableStatistics(583_190, 32.8, 1.09, 1_809, 156, 20, 0.48, {0.7: 58, 0.9: 166}),
    "sentence": TableStatistics(1_336_813, 13.3, 2.84, 4_852, 1_087, 10, 0.44, {0.7: 65, 0.9: 172}),
}
"""By unit."""

COSINES = Cosines()
N_COMPONENTS = 17
"""m (Table compute_resources)."""
TEMPERATURE = 29.48
"""tau* of the sentence-level space (Table compute_resources)."""

WORKERS = {
    "MC1": "Windows laptop, 16 logical cores, 31.26 GB, RTX 5070 Laptop GPU",
    "MC2": "macOS arm64, 8 cores, 8 GB",
}
COMPUTE = (
    Stage("Preprocessing", "Sentence table construction", "583,190 reviews", "MC1", 1.30, 0.90),
    Stage("Sentence embeddings", "Embedding creation", "1,336,813 sentences; batch size 128", "MC1", 58.06, 4.09),
    Stage("Review embeddings", "Embedding creation", "583,190 reviews; batch size 128", "MC1", 38.18, 1.51),
    Stage("Aspect discovery", "Load embeddings", "1,336,813 × 384 float32", "MC2", 0.026, -0.135),
    Stage("Aspect discovery", "Embedding diagnostics", "1,336,813 × 384 embeddings", "MC2", 0.264, -0.012),
    Stage("Aspect discovery", "PCA diagnostics", "1,336,813 × 384 embeddings", "MC2", 0.627, 0.345),
    Stage("Aspect discovery", "PCA transform", "17 components", "MC2", 0.433, 0.434),
    Stage("Aspect discovery", "K-selection", "K in 5, 10, 15, 20, 25", "MC2", 0.226, -0.478),
    Stage("Aspect discovery", "Final KMeans", "K = 10, 17 components, n_init = 10", "MC2", 0.191, 0.081),
    Stage("Aspect discovery", "Soft-assignment diagnostics", "τ in 1, 5, 10, 15, 20, 25, 29.48", "MC2", 0.029, 0.029),
    Stage("Aspect discovery", "Final soft assignment", "K = 10, τ = 29.48", "MC2", 0.028, -0.004),
    Stage("Online learning", "Cross-user heterogeneity", "4 profiles; 1 product; MMR", "MC2", 0.161, 0.263),
    Stage("Online learning", "Convergence run", "1 seed; 100 rounds; Gumbel; OMD", "MC2", 1.63, 0.098),
    Stage("Online learning", "Preference drift", "1 seed; 200 rounds; Gumbel; OMD", "MC2", 2.895, -0.254),
)
"""Table compute_resources."""
