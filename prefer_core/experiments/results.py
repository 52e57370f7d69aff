"""What a folder of results holds: rows, settings, figures, and the lines that sum them up."""

import csv
import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import plotly.graph_objects as go

from prefer_core.experiments.gallery import table, variants
from prefer_core.experiments.paper import WINDOW
from prefer_core.experiments.play import COLUMNS, Row, Run
from prefer_core.insight.hindsight import alarm_rounds

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


MARKS = (3, 5, 10, 15, 20, 40)


CONVERGED = 0.9
"""A_pref from which a run counts as converged."""


def lines(experiment: str, rows: Sequence[Row], window: tuple[int, int] = WINDOW) -> list[str]:
    """Return the summary of an experiment, one line a variant."""
    if experiment == "heterogeneity":
        return list(_heterogeneity(rows))
    if experiment == "horizon":
        return list(_horizon(rows))
    marks = (80, 120, 135, 200) if experiment == "drift" else (10, 50, 100)
    drifted = window if experiment == "drift" else None
    learning = {name: part for name, part in variants(rows).items() if part[0]["learner"] != "static"}
    return [
        *(_curve(name, part, marks) for name, part in variants(rows).items()),
        *(spread(name, part) for name, part in learning.items()),
        *(alarm(name, part, drifted) for name, part in learning.items()),
    ]


def spread(name: str, rows: Sequence[Row]) -> str:
    """Return in words how A_pref at the end differs over seeds or, where ties are broken in several orders, over these.

    Mean and deviation hide that MMR either converges or sticks, so both ends and the number converged are told.
    """
    last = table(rows, "a_pref")[:, -1]
    over = "tie orders" if len({row["tie_order"] for row in rows}) > 1 else "seeds"
    return (
        f"{name:14} A_pref at the end over {len(last)} {over}: median {np.median(last):.3f}, {last.min():.3f} to "
        f"{last.max():.3f}; at least {CONVERGED} in {(last >= CONVERGED).sum()} of {len(last)}"
    )


def alarm(name: str, rows: Sequence[Row], window: tuple[int, int] | None) -> str:
    """Return in words when the drift alarm would have asked: false alarms, and the delay where there is a drift.

    A false alarm rings before the window, or at all where the reader stays; the delay counts ratings from the first
    one of the window to the first alarm.
    """
    heard = [alarm_rounds(list(centred)) for centred in table(rows, "feedback") - table(rows, "baseline")]
    first = np.inf if window is None else window[0]
    false = sum(any(t < first for t in rounds) for rounds in heard)
    told = f"{name:14} alarm: false in {false} of {len(heard)} seeds"
    if window is None:
        return told
    delays = [min((t for t in rounds if t >= first), default=np.inf) - first + 1 for rounds in heard]
    rung = [delay for delay in delays if np.isfinite(delay)]
    after = f", {np.median(rung):.0f} ratings (at most {max(rung):.0f}) after the drift began" if rung else ""
    return f"{told}; heard in {len(rung)} of {len(heard)}{after}"


def _curve(name: str, rows: Sequence[Row], marks: Sequence[int]) -> str:
    pref, evid, regret = (table(rows, column) for column in ("a_pref", "a_evid", "avg_regret"))
    low, after = table(rows, "min_w_step").min(), table(rows, "min_w_after").min()
    shown = [t for t in marks if t <= pref.shape[1]]
    at = "  ".join(
        f"t={t}: A_pref {pref[:, t - 1].mean():.3f}±{pref[:, t - 1].std():.3f}"
        f" A_evid {evid[:, t - 1].mean():.3f}±{evid[:, t - 1].std():.3f} regret {regret[:, t - 1].mean():.4f}"
        for t in shown
    )
    bound = table(rows, "bound")[:, -1].mean()
    return f"{name:14} {at}  min w step {low:.2e} after {after:.2e}  bound {bound:.2f}"


def _heterogeneity(rows: Sequence[Row]) -> Iterator[str]:
    for name, part in variants(rows).items():
        for reader in dict.fromkeys(row["reader"] for row in part):
            values = [row["a_evid"] for row in part if row["reader"] == reader]
            yield f"{name:8} {reader:10} G_cos {np.mean(values):.4f} ± {np.std(values):.4f}"


def _horizon(rows: Sequence[Row]) -> Iterator[str]:
    for learner in dict.fromkeys(row["learner"] for row in rows):
        own = [row for row in rows if row["learner"] == learner]
        parts = variants(own).values()
        pref, evid, ratings = (np.vstack([table(part, c) for part in parts]) for c in ("a_pref", "a_evid", "feedback"))
        marks = [t for t in MARKS if t <= pref.shape[1]]
        at = "  ".join(
            f"t={t}: A_pref {np.median(pref[:, t - 1]):.2f} ({np.quantile(pref[:, t - 1], 0.1):.2f})"
            f" A_evid {np.median(evid[:, t - 1]):.2f}"
            for t in marks
        )
        yield f"{learner:10} {at}  mean rating 1-10 {ratings[:, :10].mean():.3f}"
    for name, part in variants(rows).items():
        yield alarm(name, part, None)
