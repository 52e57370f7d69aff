"""What the rating page does in a run, early and late in a session: `python -m benchmarks.release FOLDER`.

FOLDER is a corpus. The page runs in Streamlit's own test client, on a ledger of its own, without a model. That client
always runs the whole page, after a slider release too, where a browser has only the slider's part run: what a release
costs there is told by `benchmarks.load`.
"""

import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from sqlalchemy import event
from sqlalchemy.engine import Engine
from streamlit.testing.v1 import AppTest  # noqa: TID251 - a page is what is measured

from prefer_core.learning import OMD

APP = Path(__file__).parents[1] / "app.py"
PAGE = "pages/1_Rate_summaries.py"
RATINGS = (70, 20, 90, 60, 40, 80, 30, 75, 55, 65)
"""Given again and again, on one product."""
RATED = (10, 60)
"""Ratings that the session has when it is measured."""
RUNS = 15


@contextmanager
def counting() -> Iterator[Counter[str]]:
    """Count connections to the ledger, reads of ratings, learning steps and replays from the first rating."""
    found: Counter[str] = Counter()

    def connected(*_: object) -> None:
        found["connections"] += 1

    def asked(_: object, __: object, statement: str, *___: object) -> None:
        words = " ".join(statement.split())
        found["statements"] += not words.startswith(("BEGIN", "PRAGMA"))
        found["ratings reads"] += words.startswith("SELECT ratings.id, ")

    begin, learn = OMD.start, OMD.learn

    def started(self: OMD, n_aspects: int, seed: int) -> object:
        found["replays"] += 1
        return begin(self, n_aspects, seed)

    def learned(self: OMD, *given: object) -> object:
        found["learning steps"] += 1
        return learn(self, *given)  # type: ignore[arg-type]

    event.listen(Engine, "connect", connected)
    event.listen(Engine, "before_cursor_execute", asked)
    try:
        with patch.object(OMD, "start", started), patch.object(OMD, "learn", learned):
            yield found
    finally:
        event.remove(Engine, "connect", connected)
        event.remove(Engine, "before_cursor_execute", asked)


def rate(page: AppTest, value: int) -> AppTest:
    """Set the slider, which turns Rate on, and press it; the last run is that of Rate."""
    page = page.slider[0].set_value(value).run()
    return next(button for button in page.button if button.label == "Rate").click()


def measure(folder: Path) -> dict[str, dict[str, float]]:
    """Return the counts of one run of the whole page and of one press of Rate, and their median times.

    On a machine that is busy with other things only the processor's time tells something.
    """
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(PREFER_HOME=home, PREFER_CORPUS=str(folder), PREFER_MODEL="none")
        page = AppTest.from_file(str(APP), default_timeout=60).run()
        page = next(b for b in page.button if b.label == "Start as a visitor").click().run().switch_page(PAGE).run()
        figures, rated = {}, 0
        for length in RATED:
            while rated < length:
                page = rate(page, RATINGS[rated % len(RATINGS)]).run()
                rated += 1
            figures[f"page, {rated} ratings"] = _timed(lambda turn, page=page: page.slider[0].set_value(51 + turn))
            figures[f"Rate, {rated} ratings"] = _timed(lambda turn, page=page: rate(page, 51 + turn))
            rated += RUNS
            assert not page.exception
    return figures


def _timed(act: Callable[[int], AppTest]) -> dict[str, float]:
    """Return the counts of the last of some runs, and the medians of their times."""
    times, busy = [], []
    for turn in range(RUNS):
        ready = act(turn)
        with counting() as found:
            began, begun = time.perf_counter(), time.process_time()
            ready.run()
            times.append(1000 * (time.perf_counter() - began))
            busy.append(1000 * (time.process_time() - begun))
    return {**found, "milliseconds": statistics.median(times), "milliseconds of processor": statistics.median(busy)}


def main() -> None:
    """Print one line for each action."""
    for name, found in measure(Path(sys.argv[1]).resolve()).items():
        print(f"{name}: " + ", ".join(f"{what} {number:.0f}" for what, number in found.items()))


if __name__ == "__main__":
    main()
