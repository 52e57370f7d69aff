"""The experiment `fewsum`: our generic summary beside lead, random and LexRank, against three human summaries each.

The data are groups of eight reviews with three summaries by people. A generic reader is the uniform w; the aspects are
found in the sentences of all groups. Every extract may grow to the length of the group's human summaries.
"""

import csv
import importlib.util
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from prefer_core import session
from prefer_core.aspects.space import fit_space
from prefer_core.config import PRESETS, AspectSettings, SessionSettings, WritingSettings
from prefer_core.data.flags import flag_sentence
from prefer_core.data.splitting import split_sentences
from prefer_core.encoders import light
from prefer_core.errors import ConfigError, DataError
from prefer_core.keypoints.candidates import form_of
from prefer_core.rewriting import models, template, write
from prefer_core.rewriting.base import Backend, Evidence
from prefer_core.rewriting.check import best
from prefer_core.rewriting.evidence import gather
from prefer_core.rewriting.models import Choice
from prefer_core.types import Budget, EvidenceSentence, Flag, ProductCorpus, ShownPoint

FILE = "fewsum.json"
MEASURES = ("rouge1", "rouge2", "rougeL")
_REVIEWS = tuple(f"rev{i}" for i in range(1, 9))
_HUMAN = ("summ1", "summ2", "summ3")
_LEAST_WORDS = 4
_SENTENCES = 5
_ASPECTS = 5


@dataclass(frozen=True)
class Group:
    """Eight reviews of one product and three summaries by people.

    Attributes
    ----------
    name : str
        Id of the product.
    reviews : tuple of tuple of str
        The sentences of each review.
    ratings : tuple of float
        Stars of each review.
    human : tuple of str
        The summaries.
    """

    name: str
    reviews: tuple[tuple[str, ...], ...]
    ratings: tuple[float, ...]
    human: tuple[str, ...]

    @property
    def sentences(self) -> list[str]:
        """All sentences, review after review."""
        return [one for review in self.reviews for one in review]

    @property
    def length(self) -> int:
        """Mean length of the human summaries in words."""
        return round(sum(len(one.split()) for one in self.human) / len(self.human))


def read(file: Path) -> list[Group]:
    """Return the groups of a tab-separated file.

    Raises
    ------
    DataError
        If the file is missing or lacks a column.
    """
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t"))
        return [_group(row) for row in rows]
    except (OSError, KeyError, ValueError) as error:
        raise DataError(
            f"{file} is no table of groups ({type(error).__name__}); it needs group_id, rev1 to rev8, summ1 to summ3 "
            "and rating1 to rating8, parted by tabs."
        ) from error


def run(file: Path, out: Path, seed: int = 0) -> list[str]:
    """Score every summariser that is here; write the file, return a table to print.

    Raises
    ------
    PreferError
        If the data cannot be read, a package is missing or a model cannot be started.
    """
    for package, name in (("rouge_score", "rouge-score"), ("lexrank", "lexrank")):
        if importlib.util.find_spec(package) is None:
            raise ConfigError(f"The experiment needs {name}; run: pip install -r benchmarks/requirements.txt.")
    groups = read(file)
    if not groups:
        raise DataError(f"{file} holds no group.")
    texts = {
        "lead": [_fitting(_lead(group), group.length) for group in groups],
        "random": [_fitting(_shuffled(group, seed, i), group.length) for i, group in enumerate(groups)],
        "LexRank": _lexrank(groups),
        **_ours(groups, seed),
    }
    found = {name: score(made, groups) for name, made in texts.items()}
    out.mkdir(parents=True, exist_ok=True)
    (out / FILE).write_text(json.dumps({"groups": len(groups), "scores": found}, indent=2) + "\n", encoding="utf-8")
    return [*table(found), f"results: {out / FILE}"]


def score(made: Sequence[str], groups: Sequence[Group]) -> dict[str, float]:
    """Return mean F of ROUGE-1, -2 and -L, each summary held against every human one, and its mean length."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(list(MEASURES), use_stemmer=True)
    pairs = [(human, text) for text, group in zip(made, groups, strict=True) for human in group.human]
    rows = [scorer.score(human, text) for human, text in pairs]
    means = {name: float(np.mean([row[name].fmeasure for row in rows])) for name in MEASURES}
    return means | {"words": float(np.mean([len(text.split()) for text in made]))}


def table(found: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return the scores as lines of equal columns."""
    lines = [f"{'summariser':<34}{'ROUGE-1':>9}{'ROUGE-2':>9}{'ROUGE-L':>9}{'words':>7}"]
    for name, row in found.items():
        values = "".join(f"{row[measure]:>9.3f}" for measure in MEASURES)
        lines.append(f"{name:<34}{values}{row['words']:>7.0f}")
    return lines


def _group(row: Mapping[str, str]) -> Group:
    reviews = tuple(tuple(_sentences(row[name])) for name in _REVIEWS)
    ratings = tuple(float(row[f"rating{i}"] or "nan") for i in range(1, 9))
    return Group(row["group_id"], reviews, ratings, tuple(row[name] for name in _HUMAN))


def _sentences(text: str) -> list[str]:
    found = [" ".join(one.split()) for one in split_sentences(text)]
    return [one for one in found if len(one.split()) >= _LEAST_WORDS]


def _lead(group: Group) -> list[str]:
    """Return the first sentences of the reviews, then the second ones, and so on."""
    longest = max(map(len, group.reviews), default=0)
    return [review[i] for i in range(longest) for review in group.reviews if i < len(review)]


def _shuffled(group: Group, seed: int, number: int) -> list[str]:
    order = np.random.default_rng([seed, number]).permutation(len(group.sentences))
    return [group.sentences[int(i)] for i in order]


def _fitting(ordered: Sequence[str], length: int) -> str:
    """Take sentences in order as long as they fit, at least one."""
    taken: list[str] = []
    used = 0
    for one in ordered:
        words = len(one.split())
        if not taken or used + words <= length:
            taken.append(one)
            used += words
    return " ".join(taken)


def _lexrank(groups: Sequence[Group]) -> list[str]:
    from lexrank import STOPWORDS, LexRank

    ranker = LexRank([group.sentences for group in groups], stopwords=STOPWORDS["en"])
    texts = []
    for group in groups:
        ranks = ranker.rank_sentences(group.sentences, threshold=None, fast_power_method=False)
        texts.append(_fitting([group.sentences[int(i)] for i in np.argsort(-ranks, kind="stable")], group.length))
    return texts


def _ours(groups: Sequence[Group], seed: int) -> dict[str, list[str]]:
    """Return our texts by name: the evidence itself, the template's and, where there is one, the model's paragraphs."""
    settings = PRESETS["person"]
    found = list(_evidence(groups, settings, seed))
    texts = {
        "ours, evidence": [_fitting(one.text, group.length) for one, group in zip(found, groups, strict=True)],
        "ours, template": [template.write(one).paragraph for one in found],
    }
    choice = models.resolve()
    if choice.model is None:
        return texts
    backend = models.backend(choice)
    try:
        texts[f"ours, {choice.model.name}"] = [_written(one, backend, choice) for one in found]
    finally:
        backend.close()
    return texts


def _written(evidence: Evidence, backend: Backend, choice: Choice) -> str:
    assert choice.model is not None
    style = choice.model.style
    judge = best(choice.model.key, backend, style.chat)
    texts = list(write.write(evidence, backend, style, WritingSettings.in_force(), lambda stage: None, judge))
    return (texts or [template.write(evidence)])[-1].paragraph


def _evidence(groups: Sequence[Group], settings: SessionSettings, seed: int) -> Iterator[Evidence]:
    """Yield S_t of each group for the uniform reader."""
    sentences = [one for group in groups for one in group.sentences]
    vectors = light.shared().encode(sentences)
    aspects = AspectSettings(n_components=min(17, len(sentences) - 1), n_aspects=_ASPECTS, preset="paper")
    fitted = fit_space(vectors, np.ones(len(sentences)), aspects, seed)
    start = 0
    for number, group in enumerate(groups):
        rows = slice(start, start + len(group.sentences))
        start = rows.stop
        writer = np.repeat(np.arange(len(group.reviews)), [len(review) for review in group.reviews])
        flags = [int(flag_sentence(text, group.ratings[w])) for text, w in zip(sentences[rows], writer, strict=True)]
        product = ProductCorpus(
            product_id=group.name,
            text=sentences[rows],
            phi=fitted.phi[rows],
            s=fitted.reduced[rows],
            tokens=np.array([len(one.split()) for one in sentences[rows]]),
            reviewer=writer,
            flags=np.array(flags),
        )
        uniform = np.full(_ASPECTS, 1 / _ASPECTS)
        rng = session.generator(seed, number + 1, session.Stream.SELECTION)
        chosen = session.extractor(settings).select(product, uniform, Budget(_SENTENCES), t=1, rng=rng)
        yield _said(product, [int(row) for row in chosen.indices], len(group.reviews))


def _said(product: ProductCorpus, chosen: Sequence[int], total: int) -> Evidence:
    """Return what the chosen sentences say: those that can stand as a clause do, the others are quoted.

    Eight reviews are too few for key points, so each is what one reviewer says.
    """
    assert product.text is not None
    texts = [product.text[row] for row in chosen]
    pieces = [
        EvidenceSentence(id=str(row), text=text, aspect=int(product.dominant[row]))
        for text, row in zip(texts, chosen, strict=True)
    ]
    claims = [
        ShownPoint(
            id=str(row), clause=text, form=form_of(text) or "quote", reviewers=1, about=total, total=total,
            aspect=int(product.dominant[row]), cites=(place,), point=-1,
            negative=bool(product.flags is not None and product.flags[row] & Flag.NEGATIVE),
        )
        for place, (text, row) in enumerate(zip(texts, chosen, strict=True))
    ]  # fmt: skip
    return gather(product.product_id, "", pieces, claims)
