"""Anchors: aspects that a person names beforehand, each by a few phrases as reviewers would write them."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects.names import LONGEST
from prefer_core.aspects.words import words_of
from prefer_core.encoders.embedders import Embedder
from prefer_core.errors import ConfigError
from prefer_core.types import FloatArray

SHOPPER = Path(__file__).resolve().parents[2] / "assets" / "anchors" / "shopper.toml"
NONE = "none"
SAME = 0.95
"""Cosine from which two anchors say the same."""

_EXAMPLE = 'each anchor is [[anchor]] with name = "Price" and phrases = ["good value for the money"]'


@dataclass(frozen=True)
class Anchor:
    """An aspect named beforehand.

    Attributes
    ----------
    name : str
        What people call it.
    phrases : tuple of str
        How reviewers speak of it.
    """

    name: str
    phrases: tuple[str, ...]


def read_anchors(choice: str) -> tuple[Anchor, ...]:
    """Return the anchors of a choice: ``shopper`` (the list that comes along), ``none``, or the path of a TOML file.

    Raises
    ------
    ConfigError
        If the file cannot be read or holds anything else than anchors; the message says where and what is meant.
    """
    if choice == NONE:
        return ()
    path = SHOPPER if choice == "shopper" else Path(choice).expanduser()
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(
            f"There is no anchors file {choice}; give shopper, none or the path of a TOML file."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The anchors file {path} cannot be read ({error}); give a text file in UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"The anchors file {path} is not TOML: {error}; {_EXAMPLE}.") from None
    return _checked(content, path)


def _checked(content: dict[str, Any], path: Path) -> tuple[Anchor, ...]:
    def wrong(what: str) -> ConfigError:
        return ConfigError(f"The anchors file {path} {what}; {_EXAMPLE}.")

    if unknown := sorted(set(content) - {"anchor"}):
        raise wrong(f"has an entry {unknown[0]!r} that is none")
    rows = content.get("anchor", [])
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise wrong("holds no anchors")
    anchors = [_anchor(row, number, wrong) for number, row in enumerate(rows, 1)]
    for i, one in enumerate(anchors):
        for other in anchors[:i]:
            if one.name.casefold() == other.name.casefold():
                raise wrong(f"has two anchors called {one.name}")
            if set(map(str.casefold, one.phrases)) == set(map(str.casefold, other.phrases)):
                raise wrong(f"gives {other.name} and {one.name} the same phrases")
    return tuple(anchors)


def _anchor(row: dict[str, Any], number: int, wrong: Callable[[str], ConfigError]) -> Anchor:
    if unknown := sorted(set(row) - {"name", "phrases"}):
        raise wrong(f"has an entry {unknown[0]!r} in anchor {number} that is none")
    name, phrases = row.get("name"), row.get("phrases")
    if not isinstance(name, str) or not 0 < len(name.strip()) <= LONGEST:
        raise wrong(f"gives anchor {number} no name of 1 to {LONGEST} characters")
    listed = phrases if isinstance(phrases, list) else []
    if not listed or not all(isinstance(phrase, str) and any(map(str.isalpha, phrase)) for phrase in listed):
        raise wrong(f"gives anchor {number}, {name}, no phrases, or one without a word")
    return Anchor(" ".join(name.split()), tuple(" ".join(phrase.split()) for phrase in listed))


def anchor_words(anchors: Sequence[Anchor]) -> frozenset[str]:
    """Return the words of all names and phrases; none of them is taken for a product."""
    return frozenset(word for one in anchors for text in (one.name, *one.phrases) for word in words_of(text))


def place_anchors(anchors: Sequence[Anchor], embedder: Embedder) -> dict[str, NDArray[np.float64]]:
    """Return the unit vector (d,) of each anchor by its name; ConfigError if two say the same."""
    if not anchors:
        return {}
    phrases = [phrase for anchor in anchors for phrase in anchor.phrases]
    vectors = anchor_vectors(anchors, embedder.encode(phrases, embedder.count_tokens(phrases)))
    return {anchor.name: vector for anchor, vector in zip(anchors, vectors, strict=True)}


def middle_of_anchors(embedder: Embedder) -> NDArray[np.float64]:
    """Return the mean (d,) of the shopper's anchors, all of equal weight: the middle of what reviews speak of."""
    middle: NDArray[np.float64] = np.mean(list(place_anchors(read_anchors("shopper"), embedder).values()), axis=0)
    return middle


def anchor_vectors(anchors: Sequence[Anchor], phrase_vectors: FloatArray) -> NDArray[np.float64]:
    """Return one unit vector an anchor (A, d): the mean of its phrases, given in order (p, d).

    Raises
    ------
    ConfigError
        If two anchors say the same.
    """
    sizes = [len(one.phrases) for one in anchors]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(int)
    means = np.add.reduceat(np.asarray(phrase_vectors, dtype=np.float64), starts, axis=0)
    unit: NDArray[np.float64] = means / np.linalg.norm(means, axis=1, keepdims=True)
    alike = np.triu(unit @ unit.T, 1)
    if len(anchors) > 1 and alike.max() >= SAME:
        i, j = divmod(int(alike.argmax()), len(anchors))
        raise ConfigError(
            f"The anchors {anchors[i].name} and {anchors[j].name} say the same (cosine {alike.max():.2f}); "
            "leave one of them out or give it phrases of its own."
        )
    return unit
