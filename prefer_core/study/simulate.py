"""A study played by bots before anyone is invited: its data, how its arms differ, and the power of its design.

The unit is the participant: rounds of one person are not independent, so each arm's rounds are averaged first.
`interval`, `power` and `coverage` take one sample, differences within participants, or two, the means of two groups.
"""

import sqlite3
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from prefer_core.aspects.diagnostics import auc
from prefer_core.corpus import Corpus
from prefer_core.experiments import simulator
from prefer_core.experiments.simulator import SimulatedReader, feedback
from prefer_core.files.folders import whole_file
from prefer_core.files.progress import Tick, silent
from prefer_core.store import Ledger, StudyBook
from prefer_core.store.studies import ParticipantRecord, StoredStudy
from prefer_core.study.assignment import cells
from prefer_core.study.definition import Question, Study
from prefer_core.study.export import Row, bundle, tables
from prefer_core.study.participation import Participation, Step
from prefer_core.types import FloatArray

BotKind = Literal["honest", "noisy", "drifting", "constant", "random"]
MIX: dict[BotKind, float] = {"honest": 0.4, "noisy": 0.2, "drifting": 0.2, "constant": 0.1, "random": 0.1}
"""Shares in a simulated study."""
CARELESS: tuple[BotKind, ...] = ("constant", "random")
SHARPNESS = 10.0
NOISE: dict[BotKind, float] = {"honest": 0.02, "noisy": 0.15, "drifting": 0.02}
"""Standard deviation of the noise on what a summary is worth to a bot (Eq. feedbackprotocol)."""


@dataclass
class Bot:
    """One simulated participant.

    Attributes
    ----------
    kind : str
        Honest, noisy and drifting ones rate by a hidden preference; constant and random ones do not read.
    reader : SimulatedReader
        The hidden preference.
    rng : numpy.random.Generator
        Of everything that this bot draws.
    """

    kind: BotKind
    reader: SimulatedReader
    rng: np.random.Generator
    rated: int = 0

    @property
    def careless(self) -> bool:
        """Whether the bot does not read."""
        return self.kind in CARELESS

    def rating(self, z: FloatArray) -> float:
        """Return the rating of a summary about z (K,), to the per cent as the slider has it."""
        if self.kind == "constant":
            return 0.8
        if self.kind == "random":
            return int(self.rng.integers(0, 101)) / 100
        return round(feedback(self.reader.at(self.rated), z, SHARPNESS, NOISE[self.kind], self.rng), 2)

    def seconds(self) -> float:
        """Return how long a summary is looked at: a median of 4 s for who does not read, of 14 s for who does."""
        return float(self.rng.lognormal(np.log(4.0 if self.careless else 14.0), 0.5))

    def answer(self, question: Question, expected: str | None) -> str:
        """Answer a question; who reads passes nearly every attention item."""
        if question.kind == "text":
            return ""
        values = question.values
        if self.kind == "constant":
            return values[-1]
        if self.kind == "random":
            return str(self.rng.choice(values))
        if expected is not None and self.rng.random() < 0.97:
            return expected
        if question.name.startswith("sus_"):
            against = int(question.name.removeprefix("sus_")) % 2 == 0
            return str(int(np.clip(round(self.rng.normal(2 if against else 4, 0.8)), 1, 5)))
        return str(self.rng.choice(values))


def make_bot(corpus: Corpus, kind: BotKind, rounds: int, seed: Sequence[int]) -> Bot:
    """Return a bot with a hidden preference of its own: for one aspect, for two, or for all in some measure."""
    rng = np.random.default_rng([*seed])
    one, other = (int(k) for k in rng.choice(corpus.cared_for, 2, replace=False))
    n = corpus.n_aspects
    wanted: SimulatedReader
    if kind == "drifting":
        middle = rounds // 2
        wanted = simulator.drift(n, one, other, max(1, middle - 1), middle + 1)
    else:
        draw = int(rng.integers(3))
        wanted = (simulator.single(n, one), simulator.two_aspects(n, one, other), simulator.diffuse(n, rng))[draw]
    return Bot(kind, wanted, rng)


def kinds_of(participants: int, seed: int) -> list[BotKind]:
    """Return a kind for each of some participants: shares as in MIX, order by lot."""
    names = list(MIX)
    counts = np.floor(np.array(list(MIX.values())) * participants).astype(int)
    counts[0] += participants - counts.sum()
    kinds = [kind for kind, count in zip(names, counts, strict=True) for _ in range(count)]
    return [kinds[i] for i in np.random.default_rng([seed, 7]).permutation(participants)]


def play(book: StudyBook, ledger: Ledger, corpus: Corpus, study: Study, stored: StoredStudy, bot: Bot) -> str:
    """Play a whole study as one participant; return the token of the link that was used."""
    [token] = book.invite(stored, kind="bot")
    participant = book.participant(token)
    book.log(participant, "bot", detail={"kind": bot.kind})
    going = Participation(book, ledger, corpus, study, participant)
    going.agree()
    while (step := going.step(record := going.record())).kind != "done":
        take(going, bot, step, record)
    going.finish()
    return token


def take(going: Participation, bot: Bot, step: Step, record: ParticipantRecord) -> None:
    """Take one step as a bot."""
    if step.kind == "questions":
        expected = None
        if step.name.startswith("attention-"):
            expected = going.study.attention[int(step.name.removeprefix("attention-")) - 1].expected
        going.answer(step, {q.name: bot.answer(q, expected) for q in step.questions})
        return
    assert step.slot is not None
    if not step.slot.practice and not step.slot.repeats:
        bot.rated += 1
    values = [bot.rating(one.stored.z) for one in going.show(step, record)]
    answers = {q.name: bot.answer(q, None) for q in step.questions}
    going.rate(step, values, seconds=bot.seconds(), answers=answers)


LEVEL = 0.95
STUDIES = 500
"""How many studies are drawn to see how often the interval holds the truth."""


@dataclass(frozen=True)
class Interval:
    """A mean difference with the ends of its interval; `n` participants."""

    mean: float
    low: float
    high: float
    n: int


def interval(*samples: Sequence[float] | FloatArray, level: float = LEVEL) -> Interval | None:
    """Return the mean of paired differences with its t interval, or the difference of two means with Welch's.

    None where a sample has fewer than two values. For blind two-arm rounds one difference is a participant's mean of
    learner minus other. The interval holds for a study that ends at a number settled in advance; who stops when it
    looks good has a smaller chance than `level`.

    >>> interval([0.1, 0.2, 0.3]).mean
    0.2
    """
    if min(map(len, samples)) < 2:
        return None
    mean, half = _mean_and_half(*(np.asarray(one, dtype=np.float64) for one in samples), level=level)
    return Interval(round(float(mean), 12), float(mean - half), float(mean + half), sum(map(len, samples)))


def power(*samples: Sequence[float], n: int, seed: int = 0, studies: int = 2000) -> float:
    """Return the share of studies of `n` participants a sample whose interval leaves 0 out on the side of the mean.

    The studies are drawn, with replacement, from what simulated participants showed.
    """
    if n < 2 or min(map(len, samples)) < 2:
        return float("nan")
    mean, half = _mean_and_half(*_drawn(samples, n, seed, studies))
    return float((np.sign(_difference(*samples)) * mean > half).mean())


def coverage(*samples: Sequence[float], n: int, seed: int = 0, studies: int = STUDIES) -> float:
    """Return the share of studies, drawn as for `power`, whose interval holds the difference of the samples' means."""
    if n < 2 or min(map(len, samples)) < 2:
        return float("nan")
    mean, half = _mean_and_half(*_drawn(samples, n, seed, studies))
    truth = _difference(*samples)
    return float(((mean - half <= truth) & (truth <= mean + half)).mean())


def _drawn(samples: Sequence[Sequence[float]], n: int, seed: int, studies: int) -> list[FloatArray]:
    rng = np.random.default_rng(seed)
    return [rng.choice(np.asarray(one, dtype=np.float64), (studies, n)) for one in samples]


def _difference(*samples: Sequence[float] | FloatArray) -> FloatArray:
    """Return the means of one sample (..., n), or those of the first less those of the second."""
    means = [np.mean(one, axis=-1) for one in samples]
    difference: FloatArray = means[0] - means[1] if len(means) > 1 else means[0]
    return difference


def _mean_and_half(*samples: FloatArray, level: float = LEVEL) -> tuple[FloatArray, FloatArray]:
    """Return the differences of samples (..., n) and half the lengths of their intervals."""
    from scipy.stats import t  # type: ignore[import-untyped]  # it ships no types

    parts = [one.var(axis=-1, ddof=1) / one.shape[-1] for one in samples]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = [part**2 / (one.shape[-1] - 1) for part, one in zip(parts, samples, strict=True)]
        freedom = np.nan_to_num(sum(parts) ** 2 / sum(shares), nan=1.0)
    half: FloatArray = t.ppf(0.5 + level / 2, freedom) * np.sqrt(sum(parts))
    return _difference(*samples), half


POWER_GOAL = 0.8


def simulate(
    study: Study, corpus: Corpus, participants: int, out: Path, *, url: str | None = None, workers: int = 1,
    tick: Tick = silent,
) -> list[str]:  # fmt: skip
    """Let bots play a study, write ``export.zip``, and return what was found, a line each.

    Parameters
    ----------
    study, corpus : Study, Corpus
        The definition and its reviews.
    participants : int
        How many bots take part; places are made for all of them.
    out : Path
        Folder for the zip.
    url : str, optional
        Database that keeps the study; a throw-away one if left out.
    workers : int
        Bots that play at the same time.
    tick : Tick
        Told after each participant.
    """
    study.fit(corpus)
    file: Path | None = None
    with ExitStack() as stack:
        if url is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="prefer-study-"))
            file = Path(folder) / "study.db"
            url = f"sqlite:///{file}"
        book, ledger = StudyBook(url), Ledger(url)
        stack.callback(book.close)
        stack.callback(ledger.close)
        if file is not None:
            # While one connection stays in use, closing another does not write the whole log back each time.
            held = stack.enter_context(closing(sqlite3.connect(file)))
            held.execute("SELECT count(*) FROM studies").fetchone()
        stored = book.keep(study.about.name, study.text, study.digest, corpus.id, participants)
        begun = len(book.participants(stored))
        book.extend(stored, begun + participants)
        run(book, ledger, corpus, study, stored, participants, workers=workers, tick=tick)
        content = bundle(book, study, stored, corpus)
        found = tables(book, study, stored)
    out.mkdir(parents=True, exist_ok=True)
    with whole_file(out / "export.zip") as fresh:
        fresh.write_bytes(content)
    return report(study, found.wide, found.long)


def run(
    book: StudyBook, ledger: Ledger, corpus: Corpus, study: Study, stored: StoredStudy, participants: int, *,
    workers: int = 1, tick: Tick = silent,
) -> None:  # fmt: skip
    """Let bots of all kinds take part, `workers` at a time."""
    bots = [
        make_bot(corpus, kind, study.about.rounds, [study.about.seed, i])
        for i, kind in enumerate(kinds_of(participants, study.about.seed))
    ]
    with ThreadPoolExecutor(max_workers=workers) as pool:
        for done, _ in enumerate(pool.map(lambda bot: play(book, ledger, corpus, study, stored, bot), bots), start=1):
            tick(done, participants)


@dataclass(frozen=True)
class Contrast:
    """Two arms and how their ratings differ.

    Attributes
    ----------
    ours, theirs : str
        The arms: ratings of the first less ratings of the second.
    interval : Interval
        The difference.
    samples : tuple of sequence of float
        The differences within participants, or each arm's means where participants have one arm.
    groups, seed : int
        To how many conditions participants are dealt, and the seed of the studies that are drawn.
    """

    ours: str
    theirs: str
    interval: Interval
    samples: tuple[Sequence[float], ...]
    groups: int
    seed: int

    def power(self, participants: int) -> float:
        """Return the chance that the interval leaves 0 out with so many participants in all."""
        return power(*self.samples, n=participants // self.groups, seed=self.seed)

    def coverage(self, participants: int) -> float:
        """Return the share of STUDIES drawn studies whose interval holds the true difference."""
        return coverage(*self.samples, n=participants // self.groups, seed=self.seed)


def contrasts(study: Study, wide: Sequence[Row], long: Sequence[Row]) -> list[Contrast]:
    """Compare every arm with the last one named; arms that too few have rated are left out."""
    *names, theirs = (arm.name for arm in study.arms)
    means = arm_means(wide, long).values()
    between = study.about.design == "between"
    found = []
    for ours in names:
        if between:
            samples = tuple([value[arm] for value in means if arm in value] for arm in (ours, theirs))
        else:
            samples = ([value[ours] - value[theirs] for value in means if {ours, theirs} <= value.keys()],)
        difference = interval(*samples)
        if difference is not None:
            groups = len(cells(study)) if between else 1
            found.append(Contrast(ours, theirs, difference, samples, groups, study.about.seed))
    return found


def arm_means(wide: Sequence[Row], long: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Return each participant's mean rating by arm, of those who were not withdrawn; practice and repeats do not count.

    In blind two-arm rounds both sides of a round were rated together, so the difference of the means is the mean of
    the differences.
    """
    stays = {row["participant"] for row in wide if row["status"] != "withdrawn"}
    values: dict[str, dict[str, list[float]]] = {}
    for row in long:
        if row["participant"] in stays and row["rating"] is not None and not row["practice"] and not row["repeats"]:
            values.setdefault(row["participant"], {}).setdefault(row["arm"], []).append(row["rating"])
    return {who: {arm: float(np.mean(rated)) for arm, rated in arms.items()} for who, arms in values.items()}


def report(study: Study, wide: Sequence[Row], long: Sequence[Row]) -> list[str]:
    """Return what a simulated study found, a line each."""
    counted = [row for row in long if row["rating"] is not None]
    lines = [f"{len(wide)} participants, {len(counted)} ratings, {len({row['round_id'] for row in counted})} different"]
    sizes = {" > ".join(cell): 0 for cell in cells(study)}
    for row in wide:
        sizes[row["condition"]] += 1
    lines.append("Conditions: " + ", ".join(f"{name} {count}" for name, count in sizes.items()))
    for one in contrasts(study, wide, long):
        lines += _told(one, study.about.participants)
    scores = {
        careless: [
            r["reliability"] for r in wide if r["reliability"] is not None and (r["bot"] in CARELESS) == careless
        ]
        for careless in (False, True)
    }
    if all(scores.values()):
        told = auc(np.array([*scores[False], *scores[True]]), np.repeat([True, False], list(map(len, scores.values()))))
        lines.append(f"Careless bots told apart by reliability: AUC {told:.3f}")
    return lines


def _told(one: Contrast, places: int) -> list[str]:
    found = one.interval
    enough = next((n for n in _SIZES if one.power(n) >= POWER_GOAL), None)
    reached = f"{POWER_GOAL:.0%} from about {enough}" if enough else f"{POWER_GOAL:.0%} not even with {_SIZES[-1]}"
    return [
        f"Power, {one.ours} against {one.theirs}: bots differ by {found.mean:+.3f} "
        f"({found.low:+.3f} to {found.high:+.3f}, {found.n} participants); "
        f"{one.power(places):.0%} with {places} participants, {reached}",
        f"Coverage, {one.ours} against {one.theirs}: the 95 % interval holds the bots' true difference in "
        f"{one.coverage(places):.1%} of {STUDIES} studies of {places} participants",
    ]


_SIZES = (*range(8, 40, 4), *range(40, 100, 10), *range(100, 400, 25), *range(400, 1001, 100))
