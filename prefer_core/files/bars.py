"""Progress on a terminal."""

import sys

from tqdm import tqdm


class Bars:
    """One progress bar a stage, on standard error where that is a terminal."""

    def __init__(self) -> None:
        self._bar: tqdm | None = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is; done = total = -1 ends it."""
        if self._bar is None:
            self._bar = tqdm(desc=f"{stage:12}", file=sys.stderr, disable=None, dynamic_ncols=True)
        bar = self._bar
        if total > 0:
            bar.total = total
        if done >= 0:
            bar.n = done
            bar.refresh() if total == done else bar.update(0)
        else:
            bar.total = bar.n = max(bar.n, bar.total or 0, 1)
            bar.close()
            self._bar = None

    def clear(self) -> None:
        """Take away the bar of a stage that was cut off."""
        if self._bar is not None:
            self._bar.leave = False
            self._bar.close()
            self._bar = None
