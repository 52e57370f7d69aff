"""Work on many items, in chunks, on every core this process may use; the answers come in the order of the items."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import TypeVar

from prefer_core.files.machine import usable_cores
from prefer_core.files.progress import Tick, silent

Item = TypeVar("Item")
Answer = TypeVar("Answer")

CHUNK = 500
"""Items a chunk."""
MANY = 10_000
"""Items from which processes are worth their start (about a second)."""


def map_chunks(
    work: Callable[[Sequence[Item]], Answer], items: Sequence[Item], tick: Tick = silent, processes: int | None = None
) -> Iterator[Answer]:
    """Yield `work(chunk)` for chunks of `CHUNK` items, in order; no item, no chunk.

    Should a process of the pool die (no memory, a caller whose script cannot be imported again), the rest is done here.

    Parameters
    ----------
    work : callable
        A function of a module, or a `functools.partial` of one: the processes import it anew.
    items : sequence or DataFrame
        What to work on, in order; a chunk of it is taken when its turn is near.
    tick : callable
        Told after every chunk how many items are done.
    processes : int, optional
        How many processes to use; by default one a core from `MANY` items on, else none but this one.
    """
    count = processes or (usable_cores() if len(items) >= MANY else 1)
    places = [slice(start, min(start + CHUNK, len(items))) for start in range(0, len(items), CHUNK)]
    answers = (work(items[place]) for place in places) if count == 1 else _pooled(work, items, places, count)
    for place, answer in zip(places, answers, strict=True):
        yield answer
        tick(place.stop, len(items))


def _pooled(
    work: Callable[[Sequence[Item]], Answer], items: Sequence[Item], places: Sequence[slice], count: int
) -> Iterator[Answer]:
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_stand_by)
    waiting: dict[int, Future[Answer]] = {}
    broken = False
    try:
        for number in range(len(places)):
            try:
                for ahead in range(number, min(number + 4 * count, len(places))):
                    if ahead not in waiting and not broken:
                        waiting[ahead] = pool.submit(work, items[places[ahead]])
                answer = waiting.pop(number).result() if number in waiting else work(items[places[number]])
            except BrokenProcessPool:
                broken, waiting, answer = True, {}, work(items[places[number]])
            yield answer
    finally:
        pool.shutdown(cancel_futures=True)


def _stand_by() -> None:
    """Leave Ctrl+C to the parent, and do not outlive it: one that was killed cannot tell its pool to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    Thread(target=watch, daemon=True).start()
