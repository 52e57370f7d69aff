"""How long the server takes for a scene of the stage: `python -m benchmarks.stage CORPUS [SCRIPT]`.

CORPUS is a folder. The page runs in Streamlit's own test client, on a ledger of its own; all texts are there already,
as after `precompute.py --warm --stage`, here by rule. Of each scene is measured: the first time that it is shown, drawn
again as when a clicker comes back to it, and, where it has a slider, rated.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest  # noqa: TID251 - a page is what is measured

ROOT = Path(__file__).parents[1]
RUNS = 5


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds that something takes by the clock, and those of the processor."""
    began, begun = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - began, time.process_time() - begun


def press(page: AppTest, label: str) -> AppTest:
    """Press a button by its label."""
    return next(button for button in page.button if button.label == label).click().run()


def rated(page: AppTest, value: int) -> None:
    """Move the slider and press Rate: two runs of the page."""
    page.slider[0].set_value(value).run()
    press(page, "Rate")


def main() -> None:
    """Print a line for each scene: medians, in milliseconds."""
    script = Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "assets" / "stage" / "default.toml")
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(
            PREFER_HOME=home, PREFER_CORPUS=str(Path(sys.argv[1]).resolve()), PREFER_MODEL="none",
            PREFER_STAGE=str(script),
        )  # fmt: skip
        page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
        page.query_params["present"] = "1"
        first = timed(page.run)
        number = 1
        while True:
            again = [timed(page.run) for _ in range(RUNS)]
            line = f"scene {number}: first {_told([first])}; drawn {_told(again)}"
            if page.slider:
                if any(button.label == "Take over" for button in page.button):
                    press(page, "Take over")
                line += f"; rated {_told([timed(lambda v=value: rated(page, v)) for value in range(10, 10 + RUNS)])}"
            assert not page.exception
            print(line, flush=True)
            following = next(button for button in page.button if button.label == "Next")
            if following.disabled:
                break
            first = timed(following.click().run)
            number += 1


def _told(times: list[tuple[float, float]]) -> str:
    clock, processor = (1000 * statistics.median(column) for column in zip(*times, strict=True))
    return f"{clock:.0f} ms, {processor:.0f} ms of processor"


if __name__ == "__main__":
    main()
