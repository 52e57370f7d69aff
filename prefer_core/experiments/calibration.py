"""Which numbers find a real person within about ten ratings: synthetic readers on the corpus itself (B8).

Candidates play readers and products of the tuning half; the best of a small random search, by successive halving, play
the held-out half, which no choice has seen. What they reach there is the report: it goes into the corpus's manifest,
the pages take their preset from it, and "about n more ratings" is read off its held-out curve.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from prefer_core.config import PERSON, SessionSettings
from prefer_core.corpus import Corpus, open_corpus
from prefer_core.experiments import compute, simulator
from prefer_core.experiments.play import Run, play
from prefer_core.experiments.population import HALVES, Population, population
from prefer_core.files.progress import Tick, silent
from prefer_core.insight.calibrated import BLOCK
from prefer_core.types import FloatArray

SHARPNESS, NOISE = 10.0, 0.05
HORIZON = 40
MARKS = (3, 5, 10, 12, 15, 20, 40)
LEARNERS = ("omd", "posterior")
MARGIN = 0.03
"""By how much a candidate's score must beat the preset's."""
DRIFT_WINDOW = (21, 60)
"""The paper's forty rounds, begun as soon as the reader is known."""

CHOICES: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "omd": {
        "max_sentences": (4, 5),
        "trade_off": (0.4, 0.5, 0.6),
        "beta_cap": (20.0, 50.0),
        "beta_growth": (3.0, 5.0, 7.0, 10.0),
        "weighting": ("uniform", "utility", "rank"),
        "step_size": (10.0, 12.0, 15.0, 18.0),
        "decay": (0.05, 0.1, 0.25, 0.5),
        "ema_rate": (0.1, 0.2, 0.35, 0.5),
    },
    "posterior": {
        "trade_off": (0.5, 0.6, 0.7),
        "beta_growth": (7.0, 10.0, 15.0),
        "prior_scale": (1.5, 2.0, 3.0),
        "rating_noise": (0.3, 0.5, 0.7),
        "response": (7.0, 8.0, 10.0),
        "exploration": (0.3, 0.4, 0.6),
        "forgetting": (0.82, 0.85, 0.9),
    },
}
"""What the search tries. Each learner has a selection of its own, and for a reason.

Mirror descent locks in on the first aspect that is rated well, so its selection must stay soft for the first ratings
(small trade_off, slow beta). The posterior explores by its draws; a soft selection only blurs what they ask about.
"""


@dataclass(frozen=True)
class Outcome:
    """What one preset reached with many readers.

    Attributes
    ----------
    kinds : tuple of n str
        Kind of each reader.
    a_pref, a_evid, feedback : ndarray of shape (n, T)
        Alignment of w after each rating, alignment of what was shown for it, and the rating.
    """

    kinds: tuple[str, ...]
    a_pref: FloatArray
    a_evid: FloatArray
    feedback: FloatArray

    def median(self, t: int, *kinds: str) -> float:
        """Return the median A_pref after rating t, over all readers or those of some kinds."""
        return float(np.median(self._of(kinds, self.a_pref)[:, t - 1]))

    def worst_tenth(self, t: int, *kinds: str) -> float:
        """Return the A_pref after rating t that nine readers of ten reach."""
        return float(np.quantile(self._of(kinds, self.a_pref)[:, t - 1], 0.1))

    def shown(self, *kinds: str) -> float:
        """Return the median A_evid of rounds 8 to 12: how well the text follows a reader who is known by then."""
        return float(np.median(self._of(kinds, self.a_evid)[:, 7:12]))

    def mean_rating(self, rounds: int = 10) -> float:
        """Return the mean rating over the first rounds."""
        return float(self.feedback[:, :rounds].mean())

    def _of(self, kinds: Sequence[str], values: FloatArray) -> FloatArray:
        return values[[not kinds or kind in kinds for kind in self.kinds]]


def trial(
    corpus: Corpus, people: Population, settings: SessionSettings, each: int, rounds: int, sharpness: float = SHARPNESS
) -> Outcome:
    """Play `each` readers of every kind of one half, one product a reader, from the uniform start."""
    first = 1000 * (1 + people.fold)
    kinds, a_pref, a_evid, ratings = [], [], [], []
    for kind in people.kinds:
        for i in range(each):
            reader = people.reader(kind, i)
            run = Run(
                BLOCK, corpus.name, kind, people.product(i), reader, settings, rounds, first + i, sharpness, NOISE
            )
            rows = list(play(corpus, run))
            kinds.append(kind)
            a_pref.append([row["a_pref"] for row in rows])
            a_evid.append([row["a_evid"] for row in rows])
            ratings.append([row["feedback"] for row in rows])
    return Outcome(tuple(kinds), np.array(a_pref), np.array(a_evid), np.array(ratings))


def score_omd(outcome: Outcome) -> float:
    """Return how near OMD's targets are: median 0.8 and worst tenth 0.5 at 12, then how well readers were served.

    Served: the ratings of the first rounds, and how well the text follows a reader of one aspect once it is known.
    """
    median, tenth = outcome.median(12), outcome.worst_tenth(12)
    served = 0.2 * outcome.mean_rating() + 0.3 * outcome.shown("single")
    return min(median, 0.85) / 0.8 + min(tenth, 0.55) / 0.5 + served


def score_posterior(outcome: Outcome) -> float:
    """Return how near the posterior's targets are: 0.9 at 10 for focused readers, 0.85 for others, and good ratings.

    Ratings count for little: they lie far above OMD's anyway, and weighed more they favour a learner that explores too
    little for readers of many aspects.
    """
    focused = min(outcome.median(10, kind) for kind in ("single", "two"))
    others = min(outcome.median(10, kind) for kind in set(outcome.kinds) - {"single", "two"})
    served = 0.2 * outcome.mean_rating() + 0.3 * outcome.shown("single")
    return min(focused, 0.95) / 0.9 + min(others, 0.9) / 0.85 + served


SCORES: Mapping[str, Callable[[Outcome], float]] = {"omd": score_omd, "posterior": score_posterior}


def search(corpus: Corpus, people: Population, learner: str, *, candidates: int, tick: Tick) -> SessionSettings:
    """Return the best of the learner's own preset and random candidates around it.

    Few readers judge all of them; more judge the preset and the best quarter. A candidate replaces the preset only
    where it is better by `MARGIN`, about what luck alone does to the best of a quarter.
    """
    base, choices, score = PERSON[learner], CHOICES[learner], SCORES[learner]
    rng = np.random.default_rng([LEARNERS.index(learner) + 1, candidates])
    field = [base] + [
        replace(base, **{name: values[int(rng.integers(len(values)))] for name, values in choices.items()})
        for _ in range(candidates - 1)
    ]
    for each in (4, 24):
        scored = []
        for i, settings in enumerate(field):
            scored.append(score(trial(corpus, people, settings, each, 12)))
            tick(i + 1, len(field))
        ranked = [int(i) for i in np.argsort(-np.array(scored), kind="stable") if i > 0]
        best = [base, *(field[i] for i in ranked[: max(1, len(field) // 4)])]
        if each == 4:
            field = best
    return best[1] if max(scored[1:]) > scored[0] + MARGIN else base


def calibrate(
    corpus: Corpus, *, candidates: int = 24, each: int = 40, fold: int = 0, tick: Tick = silent
) -> dict[str, Any]:
    """Choose the presets of a corpus and return the report: presets, held-out curves and what was asked of whom.

    Another `fold` chooses and reports on a split, readers and seeds of its own.
    """
    began = time.perf_counter()
    tuning, others = (population(corpus, half, fold) for half in HALVES)
    found = {name: search(corpus, tuning, name, candidates=candidates, tick=tick) for name in LEARNERS}
    return {
        "fold": fold,
        "presets": {name: settings.to_dict() for name, settings in found.items()},
        "sharpness": SHARPNESS,
        "noise": NOISE,
        "readers of each kind": each,
        "products": {people.half: list(people.products) for people in (tuning, others)},
        "held_out": {name: held_out(corpus, others, settings, each, SHARPNESS) for name, settings in found.items()},
        "held_out_sharpness_3": {
            name: held_out(corpus, others, settings, each, 3.0) for name, settings in found.items()
        },
        "drift": {name: recovery(corpus, others, settings, each) for name, settings in found.items()},
        "seconds": round(time.perf_counter() - began, 1),
    }


def held_out(
    corpus: Corpus, people: Population, settings: SessionSettings, each: int, sharpness: float
) -> dict[str, Any]:
    """Return what a preset reaches with held-out readers: the median curve, and the marks by kind."""
    outcome = trial(corpus, people, settings, each, HORIZON, sharpness)
    kinds = list(dict.fromkeys(outcome.kinds))
    return {
        "curve": [round(outcome.median(t), 4) for t in range(1, HORIZON + 1)],
        "median": {str(t): round(outcome.median(t), 4) for t in MARKS},
        "worst_tenth": {str(t): round(outcome.worst_tenth(t), 4) for t in MARKS},
        "by_kind": {kind: {str(t): round(outcome.median(t, kind), 4) for t in MARKS} for kind in kinds},
        "a_evid_8_to_12": {kind: round(outcome.shown(kind), 4) for kind in kinds},
        "mean_rating_1_to_10": round(outcome.mean_rating(), 4),
    }


def recovery(corpus: Corpus, people: Population, settings: SessionSettings, each: int) -> dict[str, Any]:
    """Return how many ratings after a drift window half of the held-out readers need to be back at 0.9, if they are."""
    own = [people.fold] if people.fold else []
    first, last = DRIFT_WINDOW
    waits = []
    for i in range(each):
        one, other = np.random.default_rng([9, i, *own]).choice(list(corpus.cared_for), 2, replace=False)
        seed = i + 1000 * people.fold
        reader = simulator.drift(corpus.n_aspects, int(one), int(other), first, last)
        run = Run("drift", corpus.name, "", people.product(i), reader, settings, last + 30, seed, SHARPNESS, NOISE)
        after = [row["a_pref"] >= 0.9 for row in play(corpus, run)][last:]
        waits.append(after.index(True) + 1 if True in after else np.inf)
    typical = float(np.median(waits))
    within = float(np.mean(np.array(waits) <= 15))
    return {"window": [first, last], "median_ratings": typical if np.isfinite(typical) else None, "within_15": within}


@dataclass(frozen=True)
class Target:
    """One thing that held-out readers should find.

    Attributes
    ----------
    what : str
        In words.
    reached, goal : float
        What it came to, and the least it should.
    """

    what: str
    reached: float
    goal: float

    @property
    def met(self) -> bool:
        """Whether it was reached."""
        return self.reached >= self.goal

    def __str__(self) -> str:
        """Return one line for people."""
        return f"{'met   ' if self.met else 'MISSED'} {self.what}: {self.reached:.3f}, goal {self.goal:.3f}"


def targets(report: Mapping[str, Any]) -> list[Target]:
    """Return every target with what a calibration's report says of it, at the sharpness it was tuned for."""
    omd, posterior = report["held_out"]["omd"], report["held_out"]["posterior"]
    kinds = posterior["by_kind"]
    found = [
        Target("omd, median A_pref after 12 ratings", omd["median"]["12"], 0.8),
        Target("omd, worst tenth after 12 ratings", omd["worst_tenth"]["12"], 0.5),
        Target("posterior, median A_pref after 10 ratings, single", kinds["single"]["10"], 0.9),
        Target("posterior, median A_pref after 10 ratings, two", kinds["two"]["10"], 0.9),
        Target("posterior, median A_pref after 10 ratings, diffuse", kinds["diffuse"]["10"], 0.85),
    ]
    rating = Target(
        "posterior, mean rating of rounds 1 to 10 (goal: omd's)",
        posterior["mean_rating_1_to_10"],
        omd["mean_rating_1_to_10"],
    )
    back = Target(
        f"posterior, share of readers back at 0.9 within 15 ratings after a drift from {DRIFT_WINDOW[0]} to "
        f"{DRIFT_WINDOW[1]}",
        report["drift"]["posterior"]["within_15"],
        0.5,
    )
    return [*found, rating, back]


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Return the report in words: targets first, then the marks by kind, at both sharpnesses."""
    yield from map(str, targets(report))
    for key, sharpness in (("held_out", f"{report['sharpness']:g}"), ("held_out_sharpness_3", "3")):
        for learner, reached in report[key].items():
            for name, marks in {"all": reached["median"], **reached["by_kind"]}.items():
                at = "  ".join(f"{t}: {value:.3f}" for t, value in marks.items())
                yield f"sharpness {sharpness:>2}  {learner:9}  {name:7}  median A_pref at  {at}"
    for learner, drift in report["drift"].items():
        yield (
            f"drift  {learner:9}  median ratings back to 0.9: {drift['median_ratings']}  "
            f"within 15: {drift['within_15']:.3f}"
        )


def run(folder: str, out: Path, fold: int) -> list[str]:
    """Calibrate on a split of its own and write `calibration.json`; the corpus stays as it is.

    Fold 0 is what `precompute.py --calibrate` does. Any other fold asks whether its ranges and targets hold for
    products, readers and seeds that nobody has looked at.
    """
    corpus = open_corpus(folder)
    with compute.timed("Online experiments", "calibration", f"fold {fold}, {corpus.name}"):
        report = calibrate(corpus, fold=fold)
    out.mkdir(parents=True, exist_ok=True)
    (out / "calibration.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    return [*lines(report), f"results: {out / 'calibration.json'} (fold {fold}, {report['seconds']} s)"]
