"""Which corpora come from the same reviews, without telling which reviews."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

_SAME = ("columns", "limit", "text")


def source_mark(digest: str) -> str:
    """Return a mark of a source that two corpora can be compared by.

    The digest itself salts the reviewer hashes and must not stand in a corpus; a hash of it gives nothing away.
    """
    return sha256(f"prefer source mark\0{digest}".encode()).hexdigest()[:16]


def is_other_level(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two manifests tell of the same reviews, read with the same settings, as sentences and as whole reviews.

    Seeds and the settings of the aspect space may differ: K is chosen for each level on its own.
    """
    if not one.get("source_mark") or one["source_mark"] != other.get("source_mark"):
        return False
    mine, theirs = one["config"], other["config"]
    return mine["unit"] != theirs["unit"] and all(mine[name] == theirs[name] for name in _SAME)
