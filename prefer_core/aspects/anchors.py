"""Aspects that a person names beforehand by a few phrases, and the spherical K-means that finds them beside free ones.

Everything is seen from the middle of what reviews speak of (the mean of the shopper's anchors; where there are none, of
the corpus): seen from the mean of restaurant reviews, food would be no direction. Directions are found on unit vectors:
an anchored centroid is pulled toward its phrases, a free one is the mean of its sentences. All centroids then lie at
one distance from the middle, and the middle itself is the centre of "other": a sentence that says nothing in particular
is nearer to it than to any aspect.
"""

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects.names import LONGEST
from prefer_core.aspects.words import words_of
from prefer_core.encoders.embedders import Embedder
from prefer_core.errors import ConfigError
from prefer_core.files.blocks import blocks, sampled_rows, unit_rows
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


PULL = 0.5
"""Weight of an anchor's phrases in its centroid; the mean of its sentences has the rest."""
NEAR = 0.25
"""Least cosine at which a sentence is near a centre; farther ones move no centroid."""
BEYOND = 1.25
"""How far beyond the mean reach of their sentences the centroids lie. At 1 many sentences that people gave no aspect
still have one; at 1.5 "other" takes one in five of those that they gave one (labelled electronics)."""

_MOST_STEPS = 30
_STILL = 1e-6
_RADIUS_STEPS = 30
_FIRST_RADIUS = 0.7  # quantile of the sentences' reach from which the radius is sought


@dataclass(frozen=True)
class Plan:
    """What is looked for: anchors, and how many free clusters beside them.

    Attributes
    ----------
    anchors : ndarray of shape (A, m)
        Unit directions of the anchors in the reduced space, from the middle.
    n_free : int
        Clusters without an anchor.
    middle : ndarray of shape (m,)
        From where everything is seen, and the centre of "other".
    pull, near : float
        As `PULL` and `NEAR`.
    """

    anchors: NDArray[np.float64]
    n_free: int
    middle: NDArray[np.float64]
    pull: float = PULL
    near: float = NEAR

    @property
    def n_aspects(self) -> int:
        """Aspects besides "other"."""
        return len(self.anchors) + self.n_free


def near_shares(
    vectors: FloatArray, middle: FloatArray, anchors: FloatArray, weights: FloatArray, near: float = NEAR
) -> NDArray[np.float64]:
    """Return for each anchor (A,) the part of all sentences (weights counted) that are nearest to it, and near it.

    Told in the whole space of the embedding: in a few components everything looks near.

    Parameters
    ----------
    vectors : ndarray of shape (n, d)
        Unit sentence vectors.
    middle : ndarray of shape (d,)
        From where cosines are taken.
    anchors : ndarray of shape (A, d)
        Unit vectors of the anchors.
    """
    directions = unit_rows(np.asarray(anchors, dtype=np.float64) - middle)
    mass = np.zeros(len(anchors))
    done = 0
    for block in blocks(vectors, np.float64):
        cosine = unit_rows(block - middle) @ directions.T
        first = cosine.argmax(axis=1)
        is_near = cosine[np.arange(len(block)), first] >= near
        weight = weights[done : done + len(block)]
        mass += np.bincount(first[is_near], weights=weight[is_near], minlength=len(anchors))
        done += len(block)
    return mass / float(weights.sum())


def fit_anchored(
    s: FloatArray, plan: Plan, weights: FloatArray, seed: int, n_init: int, most: int | None = None
) -> NDArray[np.float64]:
    """Return the centroids (A + F + 1, m): anchored, free, and last that of "other", which is the middle.

    Parameters
    ----------
    s : ndarray of shape (n, m)
        Reduced vectors.
    weights : ndarray of shape (n,)
        How often each sentence was written.
    n_init : int
        Random starts of the free clusters; anchored ones have one start.
    most : int, optional
        Where there are more vectors than this, the starts are tried on a seeded sample of this size, and the best goes
        on over all vectors.

    Raises
    ------
    ConfigError
        If there are more free clusters asked for than different vectors.
    """
    rows = np.arange(len(s))
    if most is not None and len(s) > most:
        rows = sampled_rows(len(s), most, seed)
    points, weight = np.asarray(s[rows], dtype=np.float64) - plan.middle, np.asarray(weights, dtype=np.float64)[rows]
    if len(points) < 10 * plan.n_aspects and len(np.unique(points, axis=0)) < plan.n_free:
        raise ConfigError(
            f"{plan.n_free} free aspects cannot be made of {len(points)} sentences; ask for fewer with --aspects."
        )
    best, directions = -np.inf, plan.anchors
    for start in range(n_init if plan.n_free else 1):
        begun = _begin(unit_rows(points), plan, weight, np.random.default_rng([seed, start]))
        found, worth = _go_on(points, begun, plan, weight)
        if worth > best:
            best, directions = worth, found
    if len(rows) < len(s):
        directions, _ = _go_on(s, directions, plan, np.asarray(weights, dtype=np.float64), plan.middle)
    aspects = directions * _radius(points, directions, weight)
    return np.vstack([aspects, np.zeros(aspects.shape[1])]) + plan.middle


def _begin(
    unit: NDArray[np.float64], plan: Plan, weights: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Put free centres on sentences far from all others, drawn as K-means++ draws them."""
    centres = list(plan.anchors)
    for _ in range(plan.n_free):
        far = weights * (1 - np.max(unit @ np.array(centres).T, axis=1)) ** 2 if centres else weights
        centres.append(unit[rng.choice(len(unit), p=far / far.sum())])
    return np.array(centres)


def _go_on(
    s: FloatArray,
    directions: NDArray[np.float64],
    plan: Plan,
    weights: NDArray[np.float64],
    middle: NDArray[np.float64] | float = 0.0,
) -> tuple[NDArray[np.float64], float]:
    """Move the directions until they stand still; return them and the sum of cosines, none counted below `near`."""
    n_anchors = len(plan.anchors)
    worth = 0.0
    for _ in range(_MOST_STEPS):
        sums, worth = np.zeros_like(directions), 0.0
        for rows, block in _unit_blocks(s, middle):
            cosine = block @ directions.T
            first = cosine.argmax(axis=1)
            top = cosine[np.arange(len(block)), first]
            is_near = top >= plan.near
            share = np.zeros_like(cosine)
            share[np.flatnonzero(is_near), first[is_near]] = weights[rows][is_near]
            sums += share.T @ block
            worth += float(weights[rows] @ np.maximum(top, plan.near))
        lonely = ~sums.any(axis=1, keepdims=True)
        means = np.where(lonely, directions, unit_rows(sums))
        pulled = plan.pull * plan.anchors + (1 - plan.pull) * means[:n_anchors]
        moved = np.concatenate([unit_rows(pulled), means[n_anchors:]])
        change = float(((moved - directions) ** 2).sum())
        directions = moved
        if change <= _STILL:
            break
    return directions, worth


def _radius(s: NDArray[np.float64], directions: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Return how far from the middle the centroids lie: `BEYOND` times the mean reach of the sentences near one.

    The reach of a sentence is its largest product with a direction. A centroid at distance r is nearer than the middle
    where the reach is above r / 2, so the mean reach is the fixed point of: mean over the sentences above half of it.
    """
    reach = (s @ directions.T).max(axis=1)
    radius = float(np.quantile(reach, _FIRST_RADIUS))
    for _ in range(_RADIUS_STEPS):
        inside = reach > radius / 2
        if radius <= 0 or not inside.any():
            break
        again = float(np.average(reach[inside], weights=weights[inside]))
        if abs(again - radius) <= _STILL:
            break
        radius = again
    return BEYOND * radius if radius > 0 else float(np.linalg.norm(s, axis=1).mean()) or 1.0


def _unit_blocks(s: FloatArray, middle: NDArray[np.float64] | float) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield the places of a block of vectors, and their unit directions from the middle."""
    done = 0
    for block in blocks(s, np.float64):
        yield slice(done, done + len(block)), unit_rows(block - middle)
        done += len(block)
