"""Run an experiment: `python -m prefer_core.experiments --corpus DIR --experiment convergence --seeds 10 --out DIR`."""

import argparse
import csv
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import plotly.graph_objects as go
from tqdm import tqdm

from prefer_core.config import PRESETS
from prefer_core.corpus import open_corpus
from prefer_core.errors import ConfigError, PreferError
from prefer_core.experiments import compute, fewsum, summaries, targets
from prefer_core.experiments.gallery import figures_of
from prefer_core.experiments.paper import EXPERIMENTS, WINDOW, execute, plan
from prefer_core.experiments.play import COLUMNS, Row
from prefer_core.experiments.summary import lines

TEXTS: dict[str, Callable[[argparse.Namespace, Path], list[str]]] = {
    "summaries": lambda options, out: summaries.run(
        options.corpus, out, max(1, options.sets), options.models, options.draw
    ),
    "fewsum": lambda options, out: fewsum.run(Path(options.data), out),
    "calibration": lambda options, out: targets.run(options.corpus, out, options.fold),
}
"""Experiments that end in lines and a file of numbers instead of rows."""


_PNG_SECONDS = 90
"""How long one figure may take a Chrome."""


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
    args.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (%(default)s)")
    return args


def run(options: argparse.Namespace) -> list[Row]:
    """Play the experiment with a progress bar; return all rows in order."""
    corpus = open_corpus(options.corpus)
    runs = plan(corpus, options.experiment, options.seeds)
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


def write_rows(file: Path, rows: Iterable[Row]) -> None:
    """Write rows as CSV, numbers in full."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        out = csv.DictWriter(stream, COLUMNS, extrasaction="ignore")
        out.writeheader()
        out.writerows(rows)


def write_figures(folder: Path, figures: dict[str, go.Figure]) -> str | None:
    """Write each figure as HTML, and as PNG where that works; return why not, if it does not."""
    trouble = None
    for name, figure in figures.items():
        figure.write_html(folder / f"{name}.html", include_plotlyjs=True)
        if trouble is None:
            reason = _not_drawn(figure, folder / f"{name}.png")
            if reason is not None:
                trouble = f"Figures are HTML only; PNG needs kaleido and a Chrome ({reason})."
    return trouble


def _not_drawn(figure: go.Figure, path: Path) -> str | None:
    """Write a figure as PNG; return why it could not be."""
    found: list[str] = []

    def draw() -> None:
        try:
            figure.write_image(path, width=1100, scale=2)
        except Exception as error:  # noqa: BLE001  # the browser's library raises many kinds of its own
            found.append((str(error).strip().splitlines() or [type(error).__name__])[0])

    # A Chrome that has lost a message is waited for without end, and so is its library at the end of the program.
    drawing = threading.Thread(target=draw, daemon=True)
    drawing.start()
    drawing.join(_PNG_SECONDS)
    return f"it did not answer in {_PNG_SECONDS} s" if drawing.is_alive() else next(iter(found), None)


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
        labels = open_corpus(options.corpus).labels
        figures = figures_of(options.experiment, rows, PRESETS["paper"].floor, WINDOW, labels)
        trouble = write_figures(out, figures)
    except PreferError as error:
        print(f"experiments: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"experiments: cannot write to {options.out}: {error.strerror}.", file=sys.stderr)
        return 2
    if trouble:
        print(trouble)
    for line in lines(options.experiment, rows):
        print(line)
    print(f"results: {options.out} ({len(rows)} rows, {len(figures)} figures)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
