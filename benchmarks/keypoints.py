"""Key points measured: whether the counts are right, the texts summarise, and follow the reader.

    python -m benchmarks keypoints --corpus FOLDER [--data REVIEWS]

With ``--data`` the decision who says a point is held against labels of products that no training saw
(`benchmarks/labels`: they name sentences by file, row and id; `weight` says for how many pairs of the corpus a row
stands). Everything else needs the corpus alone.
"""

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
from sklearn.metrics import roc_auc_score

from prefer_core import session
from prefer_core.config import PERSON, Pool
from prefer_core.corpus import Corpus, open_corpus
from prefer_core.encoders import entailment
from prefer_core.encoders.light import shared as light
from prefer_core.experiments import calibration
from prefer_core.experiments.population import KINDS, Population, population
from prefer_core.experiments.simulator import feedback
from prefer_core.insight.calibrated import settings_of
from prefer_core.keypoints.matching import GATE, decision
from prefer_core.keypoints.pool import pool_of
from prefer_core.types import FloatArray
from training.labels import sentence_texts

LABELS = Path(__file__).with_name("labels") / "keypoints.tsv"
LATER = (
    LABELS.with_name("keypoints_later.tsv"),
    LABELS.with_name("keypoints_third.tsv"),
    LABELS.with_name("keypoints_fourth.tsv"),
)
"""Labelled after a training each, of points that the model of then had chosen: draws of their own, told apart."""
TUNED = frozenset(("1081", "850", "872", "B003ELYQGG", "B000IYPNC8", "B001604R1G", "SAMPLE-KETTLE"))
"""Products on whose labels the threshold was set; the report is about the others."""
HARD = 0.55
"""Cosine from which a labelled pair belongs to the hard mix."""
FOLDS = (0, 3, 4, 5, 6, 7)
"""Splits of products and readers on whose held-out halves learning is compared."""


def matching(data: Path, labels: Path = LABELS) -> Iterator[str]:
    """Yield precision and recall of the counts on labelled pairs, weighted back to the mix of the corpora."""
    yield f"labels: {labels.name}"
    with labels.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    pairs, said, weight, product = [], [], [], []
    for row in rows:
        texts = sentence_texts(data, row["file"])
        if row["product"] not in TUNED and row["id"] in texts and row["point_id"] in texts:
            pairs.append((texts[row["id"]], texts[row["point_id"]]))
            said.append(row["label"].startswith("1"))
            weight.append(float(row["weight"]))
            product.append(row["product"])
    if not pairs:
        yield "matching: no review files here"
        return
    truth, mass, owner = np.array(said), np.array(weight), np.array(product)
    vectors = light().encode([text for pair in pairs for text in pair])
    cosine = (vectors[0::2] * vectors[1::2]).sum(axis=1)
    strength = decision().strength(entailment.shared().score(pairs), cosine)
    found = (strength >= 0) & (cosine >= GATE)

    def rates(at: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> tuple[float, float]:
        hit = (mass * (truth & found))[at].sum()
        return hit / max((mass * found)[at].sum(), 1e-9), hit / max((mass * truth)[at].sum(), 1e-9)

    every = np.ones(len(pairs), dtype=bool)
    names = np.unique(owner)
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(400):
        times = np.bincount(rng.integers(0, len(names), len(names)), minlength=len(names))
        picked = np.repeat(np.arange(len(pairs)), times[np.searchsorted(names, owner)])
        hit = (mass * (truth & found))[picked].sum()
        drawn.append((hit / max((mass * found)[picked].sum(), 1e-9), hit / max((mass * truth)[picked].sum(), 1e-9)))
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    precision, recall = rates(every)
    yield f"labelled pairs: {len(pairs)} of {len(names)} products, {truth.sum()} say the point"
    yield f"match precision: {precision:.3f} ({low[0]:.2f} to {high[0]:.2f})"
    yield f"match recall: {recall:.3f} ({low[1]:.2f} to {high[1]:.2f})"
    hard = cosine >= HARD
    yield (
        f"AUC, hard mix: {roc_auc_score(truth[hard], strength[hard]):.3f}, cosine alone "
        f"{roc_auc_score(truth[hard], cosine[hard]):.3f}, {hard.sum()} pairs"
    )
    for name in names:
        one, all_ = rates(owner == name)
        yield f"  {name}: precision {one:.2f}, recall {all_:.2f}, {(owner == name).sum()} pairs"


def default_rounds(corpus: Corpus, number: int = 400) -> Iterator[str]:
    """Yield what the statements of default rounds rest on: rounds 1 to 8 of the calibration's held-out readers."""
    how = settings_of(corpus.manifest)
    people = Population(corpus, "held-out")
    n, words, alone, place, played = [], [], 0, 0, 0
    while played < number:
        reader = people.reader(KINDS[place % len(people.kinds)], place)
        product_id = people.product(place)
        product, state, shown = corpus.product(product_id), None, []
        state = session.updater(how).start(corpus.n_aspects, place)
        for t in range(1, 9):
            one = session.propose(corpus, product_id, state, how, t, shown)
            shown.append(one.points.tolist())
            for claim in session.claims(product, one):
                if not claim.reserved:
                    n.append(claim.both)
                    words.append(claim.voice)
                    alone += claim.both == 1
            f = feedback(reader.at(t), one.z, 10.0, 0.05, session.generator(place, t, session.Stream.READER))
            state = session.rate(state, one, f, how)
            played += 1
        place += 1
    if not n:
        yield "default rounds: no key points in this corpus"
        return
    yield f"default rounds: {played}, statements {len(n)}, the reserved place apart"
    yield f"median N of a statement: {np.median(n):g}"
    yield f"statements of one reviewer: {alone / len(n):.3f}"


def following(corpus: Corpus) -> Iterator[str]:
    """Yield how the points shown follow a reader with .7 on one aspect, over all products and aspects."""
    shares, firsts, without, covered = [], [], 0, []
    for product_id in corpus.products["product_id"]:
        product = corpus.product(product_id)
        if not product.keypoints:
            continue
        pool = pool_of(product)
        for aspect in range(corpus.n_aspects):
            own = pool.candidates.dominant == aspect
            if own.sum() < 4:
                without += 1
                continue
            w = np.full(corpus.n_aspects, 0.3 / (corpus.n_aspects - 1))
            w[aspect] = 0.7
            told = _rounds(corpus, product_id, w, 5)
            on = [[bool(own[i]) for i in one.selection.indices] for one in told]
            shares += [np.mean(row[:4]) for row in on]
            firsts += [row[0] for row in on]
            wanted = {c for p in product.keypoints if p.aspect == aspect and not p.voice
                      for row in p.members for c in product.supporters[int(row)]}  # fmt: skip
            seen = {c for one in told for i in one.points for row in product.keypoints[int(i)].members
                    for c in product.supporters[int(row)]}  # fmt: skip
            if wanted:
                covered.append(len(wanted & seen) / len(wanted))
    yield f"product-aspect pairs with four candidates: {len(shares) // 5}, without: {without}"
    yield (
        f"points on the aspect at w = .7: {np.mean(shares):.3f}; rounds with three of four: "
        f"{np.mean(np.array(shares) >= 0.75):.3f}; first on it: {np.mean(firsts):.3f}"
    )
    yield (
        f"reviewers counted by the aspect's points that five rounds cover: {np.mean(covered):.3f} (lowest tenth "
        f"{np.quantile(covered, 0.1):.3f})"
    )


def learning(corpus: Corpus, each: int = 25) -> Iterator[str]:
    """Yield how well the learners find readers by points and by all sentences, of the same readers in one run.

    Held-out readers of every kind in the folds `FOLDS`, at the ratings for which the calibration's goals are set; the
    interval of the difference is a bootstrap over readers.
    """
    rng = np.random.default_rng(0)
    for learner, ratings in (("omd", 12), ("posterior", 10)):
        reached: dict[str, list[FloatArray]] = {"keypoints": [], "sentences": []}
        kinds: list[str] = []
        for fold in FOLDS:
            people = population(corpus, "held-out", fold)
            for pool, found in reached.items():
                settings = replace(PERSON[learner], pool=cast(Pool, pool))
                outcome = calibration.trial(corpus, people, settings, each, ratings)
                found.append(outcome.a_pref[:, -1])
            kinds += outcome.kinds
        points, sentences = (np.concatenate(found) for found in reached.values())
        drawn = rng.integers(len(points), size=(2000, len(points)))
        low, high = np.quantile(np.median(points[drawn], axis=1) - np.median(sentences[drawn], axis=1), (0.025, 0.975))
        by_kind = ", ".join(
            f"{kind} {np.median(points[of]):.3f} and {np.median(sentences[of]):.3f}"
            for kind in dict.fromkeys(kinds)
            for of in [np.array(kinds) == kind]
        )
        yield (
            f"{learner}, {len(points)} readers, median A_pref after {ratings} ratings: points {np.median(points):.3f}, "
            f"all sentences {np.median(sentences):.3f}, difference {low:.3f} to {high:.3f}; {by_kind}"
        )


def _rounds(corpus: Corpus, product_id: str, w: FloatArray, number: int) -> list[session.Round]:
    how = settings_of(corpus.manifest)
    state = replace(session.updater(how).start(corpus.n_aspects, 7), w=w)
    told: list[session.Round] = []
    for t in range(1, number + 1):
        shown = [one.points.tolist() for one in told]
        told.append(session.propose(corpus, product_id, state, how, t, shown))
    return told


def lines(folder: Path, data: Path | None) -> Iterator[str]:
    """Yield all figures of a corpus; those of the labels where `data` has the review files."""
    corpus = open_corpus(folder)
    if data is not None:
        yield from matching(data)
        for draw in LATER:
            yield from matching(data, draw)
    yield from default_rounds(corpus)
    yield from following(corpus)
    yield from learning(corpus)
