"""Rows as CSV, and figures as HTML and, where a Chrome is, as PNG."""

import csv
import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import plotly.graph_objects as go

from prefer_core.experiments.play import COLUMNS, Row, Run

_PNG_SECONDS = 90
"""How long one figure may take a Chrome."""


def write_rows(file: Path, rows: Iterable[Row], columns: Sequence[str] = COLUMNS) -> None:
    """Write rows as CSV, numbers in full."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        out = csv.DictWriter(stream, columns, extrasaction="ignore")
        out.writeheader()
        out.writerows(rows)


def write_settings(file: Path, runs: Sequence[Run]) -> None:
    """Write what decided the rows beside what stands in them: rounds, noise, and every setting of each variant."""
    found = {
        run.variant: {
            "rounds": run.rounds, "sharpness": run.sharpness, "noise": run.noise, "settings": run.settings.to_dict(),
        }
        for run in runs
    }  # fmt: skip
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def write_figures(
    folder: Path, figures: Mapping[str, go.Figure], *, shared: bool = False, png: bool = True
) -> str | None:
    """Write each figure as HTML, and as PNG where that works; return why not, if it does not.

    With `shared` the pages read one copy of the drawing library that lies beside them.
    Without `png` there is only HTML.
    """
    trouble = None
    for name, figure in figures.items():
        figure.write_html(folder / f"{name}.html", include_plotlyjs="directory" if shared else True)
        if png and trouble is None:
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
