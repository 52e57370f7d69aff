"""How long work tells its caller how far it is."""

from collections.abc import Callable

Tick = Callable[[int, int], None]
"""Called with (done, total); total is 0 while it is unknown."""


def silent(done: int, total: int) -> None:
    """Ignore progress: the default where nobody watches."""
