"""Preferences to compare, and the short codes that stand for them in links and files.

A code is ``even``, ``theme-3``, ``mix-1-4``, ``own-50-30-20`` (one whole number an aspect, scaled to sum to one),
``reviewer-7`` (the taste of a reviewer of the product), ``concentrated-2``, ``intermediate-5`` or ``diffuse-0`` (a
reviewer of the corpus, by how widely the taste is spread), ``mine`` (who opens it) or ``saved-maple-27`` (a session
whose reader allowed it). The last two may end with a number of ratings: ``mine-3`` is the preference after the third.
Aspects and reviewers count from 0.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from prefer_core import simplex
from prefer_core.aspects.heterogeneity import GROUPS, entropies, product_tastes
from prefer_core.errors import ConfigError
from prefer_core.types import FloatArray, ProductCorpus

FORM = (
    "even, theme-3, mix-1-4, own-50-30-20, reviewer-7, concentrated-2, intermediate-5, diffuse-0, mine, mine-3 or "
    "saved-maple-27"
)
SCALE = 10**8
"""What the whole numbers of an exact ``own-...`` sum to, about."""

Moments = Sequence[FloatArray]
"""A reader's preference at the start and after each rating in force, oldest first."""


@dataclass(frozen=True)
class Profile:
    """One preference to compare.

    Attributes
    ----------
    code : str
        The profile in a link.
    name : str
        The profile in words.
    w : ndarray of shape (K,)
        On the simplex.
    """

    code: str
    name: str
    w: FloatArray


def nobody(name: str) -> Moments | None:
    """Know no saved session."""
    return None


@dataclass(frozen=True)
class People:
    """Real people whose preferences are at hand.

    Attributes
    ----------
    groups : mapping of str to ndarray of shape (R, K)
        Reviewers of the corpus: concentrated, intermediate, diffuse; each by rising entropy.
    mine : Moments or None
        Of who looks at the page, if that is a reader of these reviews.
    saved : callable
        From the made-up name of a session to its moments; None where there is no such session, or not for others.
    """

    groups: Mapping[str, FloatArray] = field(default_factory=dict)
    mine: Moments | None = None
    saved: Callable[[str], Moments | None] = nobody


def reviewers(product: ProductCorpus) -> FloatArray:
    """Return the taste of each reviewer with three sentences or more on this product (R, K)."""
    return product_tastes([product])


def sampled_groups(heterogeneity: Mapping[str, Any]) -> dict[str, FloatArray]:
    """Return the sampled reviewers of each group by rising entropy, as a build found them; empty where they are few."""
    sample = heterogeneity.get("sample")
    if sample is None:
        return {}
    means, group = np.array(sample["profiles"], dtype=np.float64), np.array(sample["group"])
    found = {}
    for place, name in enumerate(GROUPS):
        own = means[group == place]
        if len(own):
            own = own / own.sum(axis=1, keepdims=True)
            found[name] = own[np.argsort(entropies(own), kind="stable")]
    return found


def exact(w: FloatArray) -> str:
    """Return a code of own weights that gives `w` back within 1e-7.

    >>> exact(np.array([0.25, 0.75]))
    'own-25000000-75000000'
    """
    return "-".join(["own", *(str(round(SCALE * float(x))) for x in w)])


def profile(code: str, product: ProductCorpus, labels: Sequence[str], people: People | None = None) -> Profile:
    """Return the profile that a code stands for.

    Parameters
    ----------
    code : str
    product : ProductCorpus
        Where it will be used; its reviewers may be profiles.
    labels : sequence of K str
        Names of the aspects.
    people : People, optional
        Whom codes of people may name.

    Raises
    ------
    ConfigError
        If it stands for none here; the message names the forms there are, or says what is gone.
    """
    people = people or People()
    k = product.n_aspects
    kind, _, rest = code.partition("-")
    if kind in ("mine", "saved"):
        return _of_reader(code, kind, rest, people, k)
    numbers = [int(part) for part in rest.split("-") if part.isdecimal() and len(part) < 10]
    whole = rest == "-".join(map(str, numbers)) or not rest
    if kind == "even" and not rest:
        return Profile(code, "No preference", simplex.uniform(k))
    if whole and kind == "theme" and len(numbers) == 1 and numbers[0] < k:
        return Profile(code, labels[numbers[0]], simplex.corner(k, numbers[0]))
    if whole and kind == "mix" and len(set(numbers)) == len(numbers) == 2 and max(numbers) < k:
        one, other = numbers
        return Profile(
            code, f"{labels[one]} and {labels[other]}", 0.5 * (simplex.corner(k, one) + simplex.corner(k, other))
        )
    if whole and kind == "own" and len(numbers) == k:
        if not any(numbers):
            raise ConfigError("A reader must want something: move at least one weight above 0.")
        return Profile(code, "Own weights", simplex.normalise(np.array(numbers, dtype=float)))
    if whole and kind == "reviewer" and len(numbers) == 1:
        tastes = reviewers(product)
        if numbers[0] < len(tastes):
            return Profile(code, f"Reviewer {numbers[0] + 1}", simplex.normalise(tastes[numbers[0]]))
    if whole and kind in people.groups and len(numbers) == 1 and numbers[0] < len(people.groups[kind]):
        w = simplex.normalise(people.groups[kind][numbers[0]])
        return Profile(code, f"{kind.capitalize()} reviewer {numbers[0] + 1}", w)
    raise ConfigError(f"There is no profile {code!r} for this product of {k} aspects; a profile is {FORM}.")


def _of_reader(code: str, kind: str, rest: str, people: People, k: int) -> Profile:
    parts = [part for part in rest.split("-") if part]
    who, moments = "You", people.mine
    if kind == "saved":
        name, parts = "-".join(parts[:2]), parts[2:]
        who, moments = name, people.saved(name)
        if moments is None:
            raise ConfigError(
                f"The session {name[:40]!r} is not here for comparison: it was deleted, or its reader does not allow "
                "it. Choose another profile."
            )
    elif moments is None:
        raise ConfigError(
            "Your own profile is not at hand: nobody is reading these reviews in this tab; start on the home page."
        )
    if len(moments[0]) != k:
        raise ConfigError(f"The profile {code!r} has {len(moments[0])} aspects, this product {k}; choose another one.")
    last = len(moments) - 1
    if not parts:
        return Profile(code, f"{who}, after {_ratings(last)}", moments[last])
    if len(parts) > 1 or not parts[0].isdecimal() or len(parts[0]) > 6 or int(parts[0]) > last:
        raise ConfigError(f"There is no profile {code!r}: {who} has {_ratings(last)}; a profile is {FORM}.")
    at = int(parts[0])
    return Profile(code, f"{who}, at the start" if at == 0 else f"{who}, after {_ratings(at)}", moments[at])


def _ratings(number: int) -> str:
    return f"{number} rating{'s' * (number != 1)}"
