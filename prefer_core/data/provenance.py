"""Where a corpus comes from: which others come from the same reviews, and the command that builds it."""

import shlex
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from prefer_core.data.columns import recognise
from prefer_core.errors import DataError

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


def build_command(
    manifest: Mapping[str, Any], out: str, unit: str | None = None, keep_words: Sequence[str] | None = None
) -> str:
    """Return the command that builds a corpus like this one, at the other level if `unit` says so.

    Parameters
    ----------
    manifest : mapping
        Of the corpus that is there.
    out : str
        Where the new one goes.
    unit : {"sentence", "review"} or None
        None keeps the unit, and with it the number of aspects that was asked for.
    keep_words : sequence of str, optional
        Product words that are no longer hidden; those of the corpus if left out.
    """
    config = manifest["config"]
    unit_is = unit or config["unit"]
    options = {
        "--source": manifest["origin"],
        "--map": _map(config["columns"]),
        "--one-product": config.get("one_product"),
        "--limit": config["limit"],
        "--language": config["text"]["language"],
        "--unit": unit_is if unit_is != "sentence" else None,
        "--aspects": config["aspects"]["n_aspects"] if unit_is == config["unit"] else None,
        **_preset_options(config["aspects"], keep_words),
        "--seed": config["seed"] or None,
        "--out": out,
    }
    words = [word for name, value in options.items() if value is not None for word in (name, str(value))]
    return shlex.join(["python", "precompute.py", *words])


def _preset_options(aspects: Mapping[str, Any], keep_words: Sequence[str] | None) -> dict[str, str | None]:
    """Return what the command says of the preset; a corpus from before there were presets is the paper's."""
    if aspects.get("preset", "paper") == "paper":
        return {"--preset": "paper"}
    anchors, kept = aspects["anchors"], ",".join(aspects["keep_words"] if keep_words is None else keep_words)
    return {"--anchors": None if anchors == "shopper" else anchors, "--keep-words": kept or None}


def _map(columns: Mapping[str, str]) -> str | None:
    """Return what --map must say; None where the names are recognised anyway."""
    try:
        if recognise(columns.values(), {}, needs_product="parent_asin" in columns) == columns:
            return None
    except DataError:  # the text or the product lies under a name that only --map tells
        pass
    return ",".join(f"{name}={column}" for name, column in columns.items())
