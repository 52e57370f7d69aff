"""The experiment `summaries`: what each writer makes of the same evidence, in figures and blind for people to mark.

A set is one product and one profile (one aspect, two aspects half and half, or even). No figure comes from the check
that let the text through: they count words, runs, numbers of reviewers and seconds. Whether a text is true and worth
reading is for people, who are given the texts without the writers' names; `read_marks` reads their marks back.
"""

import csv
import json
import os
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np

from prefer_core import session, simplex
from prefer_core.config import PRESETS, WritingSettings
from prefer_core.corpus import Corpus, open_corpus
from prefer_core.errors import ConfigError, DataError
from prefer_core.experiments import compute
from prefer_core.rewriting import check, models, template, write
from prefer_core.rewriting.base import Backend, Evidence, Summary
from prefer_core.rewriting.check import STRICT, Check
from prefer_core.rewriting.evidence import gather
from prefer_core.rewriting.models import Choice
from prefer_core.rewriting.prompts import Style
from prefer_core.rewriting.words import sentences
from prefer_core.types import ProductCorpus, Round

FILE, BLIND, KEY, MARKS = "summaries.json", "blind.md", "key.json", "marks.csv"
BESIDE = "side_by_side.md"

_BESIDE = 10
"""Sets whose texts are also written out with their writers."""

_LEAST_SENTENCES = 20
_ROUNDS = 3
_PERSON = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Ww]e|[Oo]ur|us)\b")
_QUANTITY = re.compile(
    r"\b(many|some|a few|one|another)\b(?=(?:\s+other)?\s+(?:reviewers?\s+)?(?:also\s+)?"
    r"(?:say|find|note|add|think|mention|report|write|feel|state|agree)s?\b|\s+reviewers?\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class EvidenceSet:
    """One set: who wants what of which product, what was chosen, and how much of the product that covers.

    Attributes
    ----------
    profile : str
        In words.
    evidence : Evidence
        What the summary has to say.
    covered : float
        Reviewers counted by the chosen points, as a share of those counted by any point of the product.
    """

    profile: str
    evidence: Evidence
    covered: float


@dataclass(frozen=True)
class Written:
    """One text of one writer."""

    writer: str
    one: EvidenceSet
    summary: Summary
    seconds_first: float
    seconds_last: float


def evidence_sets(corpus: Corpus, count: int, seed: int = 0) -> Iterator[EvidenceSet]:
    """Yield `count` sets: products and profiles drawn at random, each at the first to third proposal to such a reader.

    Raises
    ------
    DataError
        If no product has key points or `_LEAST_SENTENCES` sentences.
    """
    rng = np.random.default_rng([seed, count])
    settings = PRESETS["person"]
    rich = corpus.products[corpus.products["n_sentences"] >= _LEAST_SENTENCES]
    ids = [str(name) for name in rich["product_id"]]
    pointed = [name for name in ids if any(not p.voice for p in corpus.product(name).keypoints)]
    ids = pointed or ids
    if not ids:
        raise DataError(f"No product of {corpus.name} has {_LEAST_SENTENCES} sentences; build a larger corpus.")
    for number in range(count):
        product = corpus.product(ids[int(rng.integers(len(ids)))])
        one, other = (int(k) for k in rng.choice(list(corpus.cared_for), 2, replace=False))
        w = np.zeros(corpus.n_aspects)
        kind = number % 3
        w[[one, other] if kind == 1 else [one]] = 1.0
        if kind == 2:
            w[:] = 1.0
        labels = corpus.labels
        name = (labels[one], f"{labels[one]} and {labels[other]}", "no preference")[kind]
        start = session.start(corpus.n_aspects, seed, settings)
        state = replace(start, w=simplex.project(w / w.sum(), settings.floor))
        shown: list[list[int]] = []
        for turn in range(1 + number // 3 % _ROUNDS):
            proposed = session.propose(corpus, product.product_id, state, settings, number + 1 + turn, shown)
            shown.append([int(i) for i in proposed.points])
        told = gather(
            product.product_id,
            product.title,
            session.evidence(product, proposed),
            session.claims(product, proposed),
            scores=proposed.selection.scores.tolist(),
        )
        yield EvidenceSet(name, told, _covered(product, proposed))


def _covered(product: ProductCorpus, proposed: Round) -> float:
    def reviewers(places: Sequence[int]) -> set[int]:
        rows = {int(row) for place in places for row in product.keypoints[place].members}
        if product.supporters is not None:
            return {int(code) for row in rows for code in product.supporters[row]}
        return rows

    chosen = [int(place) for place in proposed.points]
    chosen += [other for place in chosen if (other := product.keypoints[place].opposed) is not None]
    everybody = reviewers([i for i, point in enumerate(product.keypoints) if not point.voice])
    return len(reviewers(chosen) & everybody) / len(everybody) if everybody else 0.0


def written_by(
    writer: str, sets: Sequence[EvidenceSet], backend: Backend | None, style: Style | None, judge: Check
) -> list[Written]:
    """Return the texts of one writer; the template's without a backend."""
    made = []
    for one in sets:
        begun = time.monotonic()
        first = 0.0
        summary = template.write(one.evidence)
        if backend is not None and style is not None:
            settings = WritingSettings.in_force()
            for better in write.write(one.evidence, backend, style, settings, lambda stage: None, judge):
                summary = better
                first = first or time.monotonic() - begun
        made.append(Written(writer, one, summary, first, time.monotonic() - begun))
    return made


def measure(written: Sequence[Written], again: Sequence[Written] = ()) -> dict[str, Any]:
    """Return the figures of one writer.

    Parameters
    ----------
    again : sequence of Written
        The first of these sets with their claims in the opposite order, for the effect of order.
    """
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyser = SentimentIntensityAnalyzer()
    rows = [_row(one, analyser) for one in written]
    with_model = [one for one in written if one.summary.model_share > 0]
    return {
        "sets": len(rows),
        "with_model_sentence": len(with_model) / max(1, len(rows)),
        "model_share": statistics.mean(one.summary.model_share for one in written),
        "seconds_first": statistics.median([one.seconds_first for one in with_model] or [0.0]),
        "seconds_last": statistics.median(one.seconds_last for one in written),
        "seconds_last_p95": float(np.quantile([one.seconds_last for one in written], 0.95)),
        "copied_run_max": max(row["copied"] for row in rows),
        "first_person": sum(row["person"] for row in rows),
        "word_errors": sum(row["words"] for row in rows),
        "tone_shift": statistics.mean(row["tone"] for row in rows),
        "median_words": statistics.median(row["length"] for row in rows),
        "covered": statistics.mean(one.one.covered for one in written),
        "order_agreement": (
            statistics.mean(
                _shared(a.summary.paragraph, b.summary.paragraph) for a, b in zip(written, again, strict=False)
            )
            if again
            else None
        ),
    }


def _row(one: Written, analyser: Any) -> dict[str, Any]:
    """Count what one text does, without the check."""
    summary, evidence = one.summary, one.one.evidence
    parts = sentences(summary.paragraph)
    errors = 0
    for text, cites in zip(parts, summary.paragraph_cites, strict=False):
        claims = [claim for claim in evidence.claims if set(claim.all_cites) <= set(cites)]
        if any(claim.opposed is not None for claim in claims):
            continue  # numbers stand there
        said = Counter(match.lower().replace("another", "one") for match in _QUANTITY.findall(text))
        wanted = Counter(claim.said for claim in claims)
        errors += any(said[word] > wanted[word] for word in said) or any(not said[word] for word in wanted)
    bare = [re.sub(r'"[^"]*"', " ", text) for text in parts]
    by_model = [text for text, source in zip(bare, summary.sources, strict=False) if source == "model"]
    stand = {_words(claim.clause) for claim in evidence.claims}
    polarity = [analyser.polarity_scores(text)["compound"] for text in parts]
    counted = [analyser.polarity_scores(text)["compound"] for text in evidence.text]
    return {
        "words": errors,
        "person": sum(bool(_PERSON.search(text)) for text in bare),
        "copied": max([0, *(_run(text, source, stand) for text in by_model for source in evidence.text)]),
        "tone": statistics.mean(polarity or [0.0]) - statistics.mean(counted or [0.0]),
        "length": len(summary.paragraph.split()),
    }


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", text.lower()))


def _run(text: str, source: str, stand: set[tuple[str, ...]]) -> int:
    """Return the longest run of words that a text shares with a source which is no claim's own clause."""
    one, other = _words(text), _words(source)
    if other in stand:
        return 0
    return SequenceMatcher(None, one, other, autojunk=False).find_longest_match().size


def _shared(one: str, other: str) -> float:
    """Return how many words two texts share: F of the counts, in [0, 1]."""
    a, b = Counter(_words(one)), Counter(_words(other))
    return 2 * sum((a & b).values()) / max(1, sum(a.values()) + sum(b.values()))


def run(corpora: str, out: Path, count: int, names: Sequence[str] = (), draw: int = 0) -> list[str]:
    """Let the template and some models write; write figures and blind texts, return lines to print.

    Parameters
    ----------
    corpora : str
        Corpus folders with commas between them; each gives as many sets.
    count : int
        Evidence sets; each writer gets the same ones.
    draw : int
        Which products and profiles: another number draws others.
    names : sequence of str
        Models as PREFER_MODEL takes them; empty for the one that the environment names.

    Raises
    ------
    PreferError
        If the corpus cannot be read, or a model is unknown or cannot be started.
    """
    opened = [open_corpus(folder) for folder in corpora.split(",")]
    notes: list[str] = []
    with compute.timed("Online experiments", "summaries", f"{count} evidence sets, {opened[0].name}"):
        sets = [one for corpus in opened for one in evidence_sets(corpus, -(-count // len(opened)), draw)][:count]
        texts = written_by(template.NAME, sets, None, None, STRICT)
        found = {template.NAME: measure(texts)}
        for name in names or (None,):
            choice = models.resolve(os.environ if name is None else {**os.environ, "PREFER_MODEL": name})
            if choice.model is None and name is not None:
                raise ConfigError(choice.note)
            if choice.model is None:
                notes.append(choice.note)
                continue
            for label, made, again in _with_checks(choice, sets):
                found[label] = measure(made, again)
                texts += made
    out.mkdir(parents=True, exist_ok=True)
    (out / FILE).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    write_blind(out, texts)
    (out / BESIDE).write_text(side_by_side(texts, sets[:_BESIDE]), encoding="utf-8")
    lines = [
        f"{name}: " + ", ".join(f"{k} {v:.3g}" for k, v in row.items() if v is not None) for name, row in found.items()
    ]
    return [
        *notes,
        *lines,
        f"results: {out / FILE}; to be marked: {out / BLIND}, {out / MARKS}; key: {out / KEY}; "
        f"side by side: {out / BESIDE}",
    ]


def _with_checks(choice: Choice, sets: Sequence[EvidenceSet]) -> Iterator[tuple[str, list[Written], list[Written]]]:
    """Yield the texts of one model under each check that lets it through, and those with the claims turned round."""
    model = choice.model
    assert model is not None
    backend = models.backend(choice)
    turned = [replace(one, evidence=replace(one.evidence, claims=tuple(reversed(one.evidence.claims)))) for one in sets]
    try:
        # The model's start is no part of any text's time.
        model.style.warm(backend)
        checks: list[Check] = [STRICT]
        if model.style.follows:
            best = check.best(model.key, backend, model.style.chat)
            checks += [best] if best.name != STRICT.name else []
        for judge in checks:
            label = f"{model.name}, {judge.name}"
            made = written_by(label, sets, backend, model.style, judge)
            yield label, made, written_by(label, turned[: len(sets) // 3], backend, model.style, judge)
    finally:
        backend.close()


def side_by_side(texts: Sequence[Written], sets: Sequence[EvidenceSet]) -> str:
    """Return what each writer made of the same evidence, set by set, as Markdown."""
    parts = ["# The same evidence by each writer\n"]
    for number, one in enumerate(sets, 1):
        parts.append(f"## {number}. {one.evidence.product_title}, {one.profile}\n")
        for text in texts:
            if text.one is one:
                share = f" ({text.summary.model_share:.0%} of the sentences by the model)" if text.seconds_first else ""
                parts.append(f"**{text.writer}**{share}: {text.summary.paragraph}\n")
    return "\n".join(parts)


# Blind marks.


def write_blind(out: Path, texts: Sequence[Written], seed: int = 0) -> None:
    """Write texts without their writers, in random order, a sheet for marks, and the key in a file of its own."""
    order = np.random.default_rng(seed).permutation(len(texts))
    parts = [
        "# Texts to be marked\n\nOf each sentence: is it true (is it what that many say), is it whole (good English)? "
        "Of each text: is it worth reading for a shopper? Write 1 or 0 into marks.csv.\n"
    ]
    key = {}
    with (out / MARKS).open("w", newline="", encoding="utf-8") as stream:
        sheet = csv.writer(stream)
        sheet.writerow(("text", "sentence", "true", "whole", "worth"))
        for number, place in enumerate(order, 1):
            one = texts[int(place)]
            key[str(number)] = {
                "writer": one.writer,
                "set": int(place) % max(1, len({id(t.one) for t in texts})),
                "sources": list(one.summary.sources),
            }
            evidence = one.one.evidence
            said = [
                f"- {claim.word} ({claim.reviewers} of {claim.about}): {claim.clause}"
                + (f" | against it {claim.opposed.reviewers}: {claim.opposed.clause}" if claim.opposed else "")
                for claim in evidence.claims
            ]
            told = sentences(one.summary.paragraph)
            parts.append(f"## {number}. {evidence.product_title}\n")
            parts.append("\n".join(f"{i}. {text}" for i, text in enumerate(told, 1)) + "\n")
            parts.append("\n".join(said) + "\n")
            for i in range(1, len(told) + 1):
                sheet.writerow((number, i, "", "", "" if i == 1 else "-"))
    (out / BLIND).write_text("\n".join(parts), encoding="utf-8")
    (out / KEY).write_text(json.dumps(key, indent=1) + "\n", encoding="utf-8")


def read_marks(file: Path) -> list[str]:
    """Return, writer by writer, what the marks of a sheet come to, with 95 % intervals.

    Raises
    ------
    DataError
        If the sheet or the key beside it cannot be read, or a mark is missing.
    """
    try:
        key = json.loads((file.parent / KEY).read_text(encoding="utf-8"))
        with file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        marks: dict[str, dict[str, list[int]]] = {}
        for row in rows:
            entry = key[row["text"]]
            who = marks.setdefault(entry["writer"], {"true": [], "whole": [], "worth": [], "true, model's": []})
            who["true"].append(int(row["true"]))
            who["whole"].append(int(row["whole"]))
            if row["worth"] not in ("", "-"):
                who["worth"].append(int(row["worth"]))
            if entry["sources"][int(row["sentence"]) - 1 : int(row["sentence"])] == ["model"]:
                who["true, model's"].append(int(row["true"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{file} cannot be read as a sheet of marks ({type(error).__name__}: {error}); every sentence needs 1 or 0 "
            f"under true and whole, every text under worth, and {KEY} must lie beside it."
        ) from error
    return [
        f"{writer}: " + ", ".join(f"{name} {_share(values)}" for name, values in found.items() if values)
        for writer, found in sorted(marks.items())
    ]


def _share(values: Sequence[int]) -> str:
    low, high = wilson(sum(values), len(values))
    return f"{sum(values)} of {len(values)} ({sum(values) / len(values):.0%}, {low:.0%} to {high:.0%})"


def wilson(good: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share by Wilson's score.

    Examples
    --------
    >>> tuple(round(limit, 3) for limit in wilson(57, 60))
    (0.863, 0.983)
    """
    from scipy.stats import binomtest  # type: ignore[import-untyped]  # it ships no types

    found = binomtest(good, n).proportion_ci(method="wilson")
    return float(found.low), float(found.high)
