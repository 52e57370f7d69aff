"""The compute table (paper, Table compute_resources): what ran here, on what, how long, and its memory."""

import csv
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from prefer_core.config import home

COLUMNS = ("stage", "component", "input", "worker", "seconds", "memory change MiB", "ended")


def path() -> Path:
    """Return where the table of this computer is kept."""
    return home() / "compute.csv"


@contextmanager
def timed(stage: str, component: str, size: str) -> Iterator[None]:
    """Add one row to the table when the block ends without an error."""
    process = psutil.Process()
    memory, began = process.memory_info().rss, time.perf_counter()
    yield
    seconds = round(time.perf_counter() - began, 2)
    change = round((process.memory_info().rss - memory) / 2**20, 1)
    worker = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = not file.exists()
    with file.open("a", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream)
        if fresh:
            out.writerow(COLUMNS)
        out.writerow((stage, component, size, worker, seconds, change, time.strftime("%Y-%m-%d %H:%M")))


def rows() -> list[dict[str, str]]:
    """Return the table, oldest row first; empty where nothing ran yet."""
    if not path().exists():
        return []
    with path().open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))
