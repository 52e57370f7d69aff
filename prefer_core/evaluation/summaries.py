"""How far summaries can be trusted, counted on seeded evidence sets of a corpus.

A set is one product and one profile (one aspect, two aspects half and half, or even). For each writer the texts are
checked sentence by sentence; what the checker itself is worth is counted by `planted`.
"""

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from prefer_core import session, simplex
from prefer_core.aspects import light
from prefer_core.aspects.space import AspectSpace
from prefer_core.config import PRESETS, WritingSettings
from prefer_core.corpus import Corpus
from prefer_core.errors import DataError
from prefer_core.evaluation import planted
from prefer_core.evaluation.drafts import Recorder, supported_drafts
from prefer_core.evaluation.texts import Written
from prefer_core.rewriting import hierarchical, template
from prefer_core.rewriting.base import Backend, Evidence, Summary
from prefer_core.rewriting.form import QUOTE, clause_of, first_person, longest_run, loops
from prefer_core.rewriting.gather import gather
from prefer_core.rewriting.grounding import check
from prefer_core.rewriting.meaning import shared
from prefer_core.rewriting.prompts import Style
from prefer_core.rewriting.words import sentences, tokens
from prefer_core.types import FloatArray

_LEAST_SENTENCES = 20


@dataclass(frozen=True)
class EvidenceSet:
    """One set: who wants what of which product, the evidence chosen for it, and z (K,)."""

    profile: str
    evidence: Evidence
    z: FloatArray


def evidence_sets(corpus: Corpus, count: int, seed: int = 0) -> Iterator[EvidenceSet]:
    """Yield `count` sets: products and profiles drawn at random among products of 20 sentences or more.

    Raises
    ------
    DataError
        If no product has so many.
    """
    rng = np.random.default_rng([seed, count])
    settings = PRESETS["person"]
    rich = corpus.products[corpus.products["n_sentences"] >= _LEAST_SENTENCES]
    if rich.empty:
        raise DataError(f"No product of {corpus.name} has {_LEAST_SENTENCES} sentences; build a larger corpus.")
    ids = [str(name) for name in rich["product_id"]]
    for number in range(count):
        product_id = ids[int(rng.integers(len(ids)))]
        one, other = (int(k) for k in rng.choice(list(corpus.cared_for), 2, replace=False))
        w = np.zeros(corpus.n_aspects)
        kind = number % 3
        w[[one, other] if kind == 1 else [one]] = 1.0
        if kind == 2:
            w[:] = 1.0
        name = (f"aspect {one}", f"aspects {one} and {other}", "even")[kind]
        start = session.updater(settings).start(corpus.n_aspects, seed)
        state = replace(start, w=simplex.project(w / w.sum(), settings.floor))
        proposed = session.propose(corpus, product_id, state, settings, number + 1)
        found = gather(corpus.product(product_id), proposed.selection, corpus.labels_in_texts)
        yield EvidenceSet(name, found, proposed.z)


def measure(
    sets: Sequence[EvidenceSet],
    space: AspectSpace,
    backend: Backend | None,
    style: Style | None,
) -> tuple[dict[str, Any], list[Written]]:
    """Let one writer write up all sets; return its figures and its texts, as they were shown.

    Parameters
    ----------
    sets : sequence of EvidenceSet
        What to write about.
    space : AspectSpace
        Of the corpus; gives the aspects of a text.
    backend, style : Backend and Style, or None
        Who writes; the template if None.
    """
    settings = WritingSettings()
    rows, written = [], []
    for one in sets:
        row, summary = _one(one, space, backend, style, settings)
        rows.append(row)
        written.append((one.profile, one.evidence, summary))
    sums = {key: sum(row[key] for row in rows) for key in ("sentences", "supported", "drafts", "drafts_supported",
            "quantifier_errors", "first_person", "loops", "model")}  # fmt: skip
    timed = [row for row in rows if backend is not None]
    figures = {
        "sets": len(rows),
        "sentences": sums["sentences"],
        "supported_raw": sums["drafts_supported"] / sums["drafts"] if sums["drafts"] else None,
        "supported_shown": sums["supported"] / max(1, sums["sentences"]),
        "quantifier_errors": sums["quantifier_errors"],
        "first_person": sums["first_person"],
        "looping_or_empty": sums["loops"],
        "copied_run_max": max(row["copied"] for row in rows),
        "model_share": sums["model"] / max(1, sums["sentences"]),
        "median_words": statistics.median(row["words"] for row in rows),
        "median_seconds": statistics.median(row["last"] for row in timed) if timed else 0.0,
        "median_seconds_first": statistics.median(row["first"] for row in timed) if timed else 0.0,
        "cosine_text": statistics.mean(row["cosine_text"] for row in rows),
        "cosine_evidence": statistics.mean(row["cosine_evidence"] for row in rows),
        **_checker(),
    }
    return figures, written


def _checker() -> dict[str, float]:
    """Return what the checker flags of the report half and, with "_held", of the rows of another hand.

    Of falsehoods those whose untruth it names; of true paraphrases all that fail.
    """
    report = [row for row in planted.judge(planted.cases()) if row.half == "report"]
    found = {}
    for end, rows in (("", report), ("_held", planted.judge(planted.cases(planted.HELD)))):
        false = [row for row in rows if row.kind != "true"]
        true = [row for row in rows if row.kind == "true"]
        found["false_flagged" + end] = sum(r.flagged - r.form_only for r in false) / sum(r.n for r in false)
        found["true_flagged" + end] = sum(r.flagged for r in true) / sum(r.n for r in true)
    return found


def _one(
    one: EvidenceSet, space: AspectSpace, backend: Backend | None, style: Style | None, settings: WritingSettings
) -> tuple[dict[str, Any], Summary]:
    begun = time.monotonic()
    first = 0.0
    summary = template.write(one.evidence)
    drafts: list[bool] = []
    if backend is not None and style is not None:
        recorder = Recorder(backend)
        for summary in hierarchical.write(one.evidence, recorder, style, settings):
            if summary.model_share > 0 and not first:
                first = time.monotonic() - begun
        drafts = supported_drafts(one.evidence, recorder, style, settings)
    last = time.monotonic() - begun
    row = {**_read(one.evidence, summary, settings), **_cosines(one, summary, space), "first": first or last,
           "last": last, "drafts": len(drafts), "drafts_supported": sum(drafts)}  # fmt: skip
    return row, summary


def _read(evidence: Evidence, summary: Summary, settings: WritingSettings) -> dict[str, Any]:
    """Count what one shown text does, statement by statement."""
    supported, wrong, copied = 0, 0, 0
    for one in summary.statements:
        group = evidence.groups[one.group]
        cited = [evidence.text[i] for i in one.cites]
        allowed = (evidence.label(group),) if one.source == "template" else ()
        supported += check(one.text, cited, settings, allowed=allowed, meaning=shared()).ok
        wrong += one.word != evidence.word(group, one.cites) or not one.text.startswith(one.word)
        bare = clause_of(QUOTE.sub(" ", one.text))
        copied = max([copied, *(longest_run(bare, source) for source in cited)])
    shown = sentences(summary.paragraph)
    return {
        "sentences": len(summary.statements),
        "supported": supported,
        "quantifier_errors": wrong,
        "first_person": sum(bool(first_person(text)) for text in (*shown, *(s.text for s in summary.statements))),
        "loops": sum(loops(QUOTE.sub(" ", s.text)) or not s.text.strip() for s in summary.statements),
        "copied": copied,
        "words": len(tokens(summary.paragraph)),
        "model": sum(s.source == "model" for s in summary.statements),
    }


_ENCODER = light.shared()


def _cosines(one: EvidenceSet, summary: Summary, space: AspectSpace) -> dict[str, float]:
    """Cosine with z of the mean aspects of the text's clauses, and of the evidence read by the same encoder."""

    def against_z(texts: Sequence[str]) -> float:
        phi = space.memberships(space.reduce(_ENCODER.encode(texts))).mean(axis=0)
        return float(phi @ one.z / (np.linalg.norm(phi) * np.linalg.norm(one.z)))

    said = [clause_of(s.text) or s.text for s in summary.statements]
    return {"cosine_text": against_z(said), "cosine_evidence": against_z(one.evidence.text)}
