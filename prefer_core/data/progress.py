"""How work tells its caller how far it is, and what each stage took."""

import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil

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
    """What one stage took: wall seconds, memory after it and the highest memory of the process so far, in MiB."""

    stage: str
    seconds: float
    memory: float
    peak_memory: float


@dataclass
class Clock:
    """Times the stages and passes their progress on."""

    progress: Progress
    stages: list[StageTime] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[Tick]:
        """Time a block as the stage `name`; gives the callback for its progress."""
        self.progress(name, 0, 0)
        begun = time.perf_counter()
        yield lambda done, total: self.progress(name, done, total)
        memory = psutil.Process().memory_info().rss / 2**20
        # ru_maxrss is in KiB, but in bytes on macOS.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
        self.stages.append(
            StageTime(name, round(time.perf_counter() - begun, 3), round(memory, 1), round(max(peak, memory), 1))
        )
        self.progress(name, -1, -1)
