"""How work tells its caller how far it is, and what each stage took."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

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
