"""How work tells its caller how far it is, what each stage took, and progress on a terminal."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tqdm import tqdm

from prefer_core.files.machine import peak, resident

Tick = Callable[[int, int], None]
"""Called with (done, total); total is 0 while it is unknown."""

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total); total is 0 while it is unknown, and done = total = -1 ends the stage."""


def silent(done: int, total: int) -> None:
    """Ignore progress: the default where nobody watches."""


def no_progress(stage: str, done: int, total: int) -> None:
    """Ignore the progress of all stages."""


@dataclass(frozen=True)
class StageTime:
    """What one stage took: wall seconds, memory after it, its change and the highest of the process so far, in MiB."""

    stage: str
    seconds: float
    memory: float
    peak_memory: float
    memory_change: float


@dataclass
class Clock:
    """Times the stages and passes their progress on."""

    progress: Progress
    stages: list[StageTime] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[Tick]:
        """Time a block as the stage `name`; gives the callback for its progress."""
        self.progress(name, 0, 0)
        before, begun = resident(), time.perf_counter()
        yield lambda done, total: self.progress(name, done, total)
        seconds, memory = time.perf_counter() - begun, resident()
        self.stages.append(
            StageTime(name, round(seconds, 3), round(memory, 1), round(peak(), 1), round(memory - before, 1))
        )
        self.progress(name, -1, -1)


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
