"""What a calibration should reach with held-out readers, and whether it did; and a calibration on a fresh split."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prefer_core.corpus import open_corpus
from prefer_core.experiments import compute
from prefer_core.experiments.calibration import DRIFT_WINDOW, calibrate


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
