"""The compute table (paper, Table compute_resources): what ran here, on what, how long, and its memory."""

import csv
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from prefer_core.config import home
from prefer_core.files.folders import whole_file
from prefer_core.files.machine import machine, peak, resident

COLUMNS = ("stage", "component", "input", "worker", "seconds", "memory change MiB", "memory peak MiB", "ended")


def path() -> Path:
    """Return where the table of this computer is kept."""
    return home() / "compute.csv"


@contextmanager
def timed(stage: str, component: str, size: str) -> Iterator[None]:
    """Add one row to the table when the block ends without an error."""
    before, began = resident(), time.perf_counter()
    yield
    seconds, change = round(time.perf_counter() - began, 2), round(resident() - before, 1)
    row = (
        stage,
        component,
        size,
        machine(),
        seconds,
        change,
        round(peak(), 1),
        datetime.now().astimezone().isoformat(timespec="minutes"),
    )
    _with_todays_columns()
    with path().open("a", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerow(row)


def rows() -> list[dict[str, str]]:
    """Return the table, oldest row first; empty where nothing ran yet."""
    if not path().exists():
        return []
    with path().open(newline="", encoding="utf-8") as stream:
        return [{name: row.get(name) or "" for name in COLUMNS} for row in csv.DictReader(stream)]


def _with_todays_columns() -> None:
    """Begin the table, or write one of other columns anew under those of today."""
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.exists() and file.read_text(encoding="utf-8").splitlines()[:1] == [",".join(COLUMNS)]:
        return
    old = rows()
    with whole_file(file) as fresh, fresh.open("w", newline="", encoding="utf-8") as stream:
        out = csv.DictWriter(stream, COLUMNS)
        out.writeheader()
        out.writerows(old)
