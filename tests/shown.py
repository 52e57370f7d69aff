"""Points as rounds show them."""

from typing import Any

from prefer_core.types import ShownPoint


def shown_point(clause: str = "It runs large.", **changed: Any) -> ShownPoint:
    """Return a point that 3 of the 12 reviewers make who write about its aspect, of 100, with some values changed."""
    usual: dict[str, Any] = {
        "id": "s", "point": 0, "aspect": 0, "reviewers": 3, "about": 12, "total": 100, "cites": (0,)
    }  # fmt: skip
    return ShownPoint(clause=clause, **(usual | changed))
