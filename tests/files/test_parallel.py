"""Chunks of work: the order of the items, whatever happens to the processes."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from prefer_core.config import TextSettings
from prefer_core.data.reviews import review_table
from prefer_core.data.sentences import Unit, sentence_table
from prefer_core.data.sources import read_source
from prefer_core.errors import DataError
from prefer_core.files import parallel


def squares(numbers: Sequence[int]) -> list[int]:
    return [number * number for number in numbers]


def dying(numbers: Sequence[int]) -> list[int]:
    """End the process without a word, unless it is the parent."""
    if multiprocessing.parent_process() is not None and 700 in numbers:
        os._exit(9)
    return list(numbers)


def refusing(numbers: Sequence[int]) -> list[int]:
    raise DataError("These numbers cannot be read.")


def sleeping(numbers: Sequence[int]) -> list[int]:
    time.sleep(600)
    return list(numbers)


def test_answers_come_in_order() -> None:
    """Two processes give what one gives, and the count of items done rises to their number."""
    ticks: list[tuple[int, int]] = []
    numbers = range(2300)
    pooled = list(parallel.map_chunks(squares, numbers, lambda *told: ticks.append(told), processes=2))
    assert pooled == list(parallel.map_chunks(squares, numbers, processes=1))
    assert [n for chunk in pooled for n in chunk] == [n * n for n in numbers]
    assert ticks == [(500, 2300), (1000, 2300), (1500, 2300), (2000, 2300), (2300, 2300)]
    assert not list(parallel.map_chunks(squares, []))


def test_a_dead_process_loses_nothing() -> None:
    """A process that dies in the second chunk: the parent does that chunk and the rest."""
    chunks = parallel.map_chunks(dying, range(3000), processes=2)
    assert [n for chunk in chunks for n in chunk] == list(range(3000))


def test_an_error_of_the_work_is_the_callers() -> None:
    """What is wrong with the data is said in the parent as it was said in the process."""
    with pytest.raises(DataError, match="These numbers cannot be read"):
        list(parallel.map_chunks(refusing, range(1000), processes=2))


@pytest.mark.slow
def test_processes_do_not_outlive_a_killed_parent() -> None:
    """After kill -9 of the parent its processes end by themselves, though their work goes on."""
    code = (
        "from prefer_core.files.parallel import map_chunks; from tests.files.test_parallel import sleeping\n"
        "list(map_chunks(sleeping, range(2000), processes=2))"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2])
    try:
        children = _until(lambda: psutil.Process(parent.pid).children(recursive=True), lambda found: len(found) >= 3)
        time.sleep(3)  # they have imported what they need and are at work
    finally:
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    _, alive = psutil.wait_procs(children, timeout=20)
    assert not alive


def _until(look, enough):  # type: ignore[no-untyped-def]
    end = time.monotonic() + 30
    while not enough(found := look()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


@pytest.mark.slow
def test_tables_do_not_depend_on_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reviews, sentences and whole reviews of the sample are the same with two processes and with none."""
    source, settings = read_source("sample"), TextSettings(language="en")
    units: tuple[Unit, ...] = ("sentence", "review")
    alone = review_table(source, settings)
    tables = [sentence_table(alone.rows, settings, unit) for unit in units]
    monkeypatch.setattr(parallel, "MANY", 1)
    monkeypatch.setattr(parallel, "usable_cores", lambda: 2)
    both = review_table(source, settings)
    assert both.rows.equals(alone.rows)
    assert both.counts == alone.counts
    for unit, table in zip(units, tables, strict=True):
        pooled = sentence_table(both.rows, settings, unit)
        assert pooled.rows.equals(table.rows)
        assert pooled.support.equals(table.support)
        assert pooled.counts == table.counts
