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

import numpy as np

from prefer_core.corpus import Corpus
from prefer_core.files.folders import whole_file
from prefer_core.files.progress import Tick, silent
from prefer_core.store import Ledger, StudyBook
from prefer_core.store.studies import StoredStudy
from prefer_core.study.assignment import cells
from prefer_core.study.bots import CARELESS, kinds_of, make_bot, play
from prefer_core.study.definition import Study
from prefer_core.study.export import Row, bundle, tables
from prefer_core.study.reliability import auc
from prefer_core.types import FloatArray

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
        lines.append(f"Careless bots told apart by reliability: AUC {auc(scores[False], scores[True]):.3f}")
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
