"""Run an experiment: `python -m prefer_core.experiments --corpus DIR --experiment convergence --seeds 10 --out DIR`."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import get_args

from tqdm import tqdm

from prefer_core.config import PRESETS, Weighting
from prefer_core.corpus import open_corpus
from prefer_core.errors import ConfigError, PreferError
from prefer_core.experiments import calibration, compute, fewsum, reproduction, summaries
from prefer_core.experiments.gallery import figures_of
from prefer_core.experiments.paper import EXPERIMENTS, WINDOW, Setup, execute, plan
from prefer_core.experiments.play import Row
from prefer_core.experiments.results import lines, write_figures, write_rows, write_settings

TEXTS: dict[str, Callable[[argparse.Namespace, Path], list[str]]] = {
    "summaries": lambda options, out: summaries.run(
        options.corpus, out, max(1, options.sets), options.models, options.draw
    ),
    "fewsum": lambda options, out: fewsum.run(Path(options.data), out),
    "calibration": lambda options, out: calibration.run(options.corpus, out, options.fold),
    "table2": lambda options, out: reproduction.run_table(options.corpus, out, setup_of(options)),
    "paper": lambda options, out: reproduction.run(
        options.corpus, out, options.reviews, options.seeds, setup_of(options), options.workers, png=options.png
    ),
}
"""Experiments that end in lines and a file of numbers instead of rows."""


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    args = argparse.ArgumentParser(prog="python -m prefer_core.experiments", description="The paper's experiments.")
    args.add_argument(
        "--corpus",
        metavar="DIR",
        help="corpus folder, built by precompute.py; all but fewsum need it; summaries takes several, with commas",
    )
    args.add_argument("--data", metavar="FILE", help="groups of reviews with human summaries, for fewsum")
    args.add_argument("--experiment", required=True, choices=(*EXPERIMENTS, *TEXTS), help="which one")
    args.add_argument("--seeds", type=int, default=10, metavar="N", help="seeds of each variant (%(default)s)")
    args.add_argument("--product", metavar="ID", help="product that is shown (the mixed pool, or the largest)")
    args.add_argument(
        "--aspects", type=_pair, metavar="A,B", help="aspects wanted before and after the drift (the product's largest)"
    )
    args.add_argument(
        "--window", type=_pair, default=WINDOW, metavar="FIRST,LAST", help="rounds of the drift (81,120, ours)"
    )
    args.add_argument("--noise", type=float, metavar="S", help="sigma of simulated ratings (0; 0.05 in horizon)")
    args.add_argument("--sharpness", type=float, default=10.0, metavar="G", help="gamma of ratings (%(default)s, ours)")
    args.add_argument("--weighting", choices=get_args(Weighting), help="weights alpha of what was shown (uniform)")
    args.add_argument("--baseline", choices=("ema", "mean"), help="what a rating is compared with (ema)")
    args.add_argument(
        "--reviews",
        metavar="DIR",
        help="the same reviews built with --unit review, for the paper's review-level figures",
    )
    args.add_argument("--sets", type=int, default=60, metavar="N", help="evidence sets of summaries (%(default)s)")
    args.add_argument(
        "--draw", type=int, default=0, metavar="N", help="another number draws other sets of summaries (%(default)s)"
    )
    args.add_argument(
        "--models",
        type=lambda value: tuple(name.strip() for name in value.split(",") if name.strip()),
        default=(),
        metavar="A,B",
        help="models of summaries, as PREFER_MODEL takes them (the one of the environment)",
    )
    args.add_argument(
        "--marks", metavar="FILE", help="read a sheet of marks of summaries back instead of writing texts"
    )
    args.add_argument("--fold", type=int, default=1, metavar="N", help="split of calibration, from 0 (%(default)s)")
    args.add_argument("--out", required=True, metavar="DIR", help="folder for rows.csv and the figures")
    args.add_argument("--no-png", dest="png", action="store_false", help="figures as HTML only, which needs no Chrome")
    args.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (%(default)s)")
    return args


def _pair(value: str) -> tuple[int, int]:
    try:
        one, other = (int(part) for part in value.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value!r} is not two numbers with a comma between") from None
    return one, other


def setup_of(options: argparse.Namespace) -> Setup:
    """Return what the options ask of an experiment."""
    asked = {"weighting": options.weighting, "baseline": options.baseline}
    return Setup(
        product=options.product,
        aspects=options.aspects,
        window=options.window,
        sharpness=options.sharpness,
        noise=options.noise,
        changed={name: value for name, value in asked.items() if value is not None},
    )


def run(options: argparse.Namespace) -> list[Row]:
    """Play the experiment with a progress bar; return all rows in order."""
    corpus = open_corpus(options.corpus)
    runs = plan(corpus, options.experiment, options.seeds, setup_of(options))
    rounds = sum(one.rounds for one in runs)
    out = Path(options.out)
    _no_file(out)
    rows: list[Row] = []
    with (
        compute.timed("Online experiments", options.experiment, f"{len(runs)} runs, {rounds} rounds, {corpus.name}"),
        tqdm(total=rounds, desc=options.experiment, unit="round", file=sys.stderr) as bar,
    ):
        for part in execute(corpus.path, runs, min(options.workers, len(runs))):
            rows += part
            bar.update(len(part))
    return rows


def _named(options: argparse.Namespace) -> None:
    """Require what the experiment reads: fewsum a file of groups, every other a corpus."""
    needed, kind = ("data", "file") if options.experiment == "fewsum" else ("corpus", "folder")
    if not getattr(options, needed):
        raise ConfigError(f"The experiment {options.experiment} needs --{needed}; name its {kind}.")


def _no_file(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise ConfigError(f"{out} is a file; name a folder for the results.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = parser().parse_args(arguments)
    out = Path(options.out)
    try:
        if options.marks:
            print("\n".join(summaries.read_marks(Path(options.marks))))
            return 0
        _named(options)
        if options.experiment in TEXTS:
            _no_file(out)
            print("\n".join(TEXTS[options.experiment](options, out)))
            return 0
        rows = run(options)
        out.mkdir(parents=True, exist_ok=True)
        write_rows(out / "rows.csv", rows)
        corpus = open_corpus(options.corpus)
        write_settings(out / "settings.json", plan(corpus, options.experiment, options.seeds, setup_of(options)))
        figures = figures_of(options.experiment, rows, PRESETS["paper"].floor, options.window, corpus.labels)
        trouble = write_figures(out, figures, png=options.png)
    except PreferError as error:
        print(f"experiments: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"experiments: cannot write to {options.out}: {error.strerror}.", file=sys.stderr)
        return 2
    if trouble:
        print(trouble)
    for line in lines(options.experiment, rows, options.window):
        print(line)
    print(f"results: {options.out} ({len(rows)} rows, {len(figures)} figures)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
