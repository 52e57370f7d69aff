"""A script for the stage: one TOML file, checked with line and remedy, then fitted to a corpus."""

from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import Literal

import numpy as np

from prefer_core.corpus import Corpus
from prefer_core.errors import ConfigError
from prefer_core.files.toml_tables import Place, at, content_of, lines_of, made, need, text_of
from prefer_core.types import FloatArray, ProductCorpus

_WHAT = "The stage script"

Kind = Literal["words", "product", "summary", "rate", "play", "compare", "crowd", "visitor"]

_USES: dict[str, tuple[str, ...]] = {
    "words": (), "product": ("product",), "summary": ("product",), "rate": ("product", "seed"),
    "play": ("product", "reader", "then", "turn", "rounds", "seed"), "compare": ("product", "readers"),
    "crowd": ("product", "seed"), "visitor": ("product",),
}  # fmt: skip
"""The keys that a kind of scene takes besides kind, heading, text and notes."""

PLACEHOLDERS = ("product", "reviews", "reader", "then")
_LOOKED_AT = 12
"""Products, the largest first, among which that of a script that names none is found."""
EVEN = "even"
"""The reader who wants nothing in particular."""


@dataclass(frozen=True)
class Settings:
    """Table ``[stage]``: what holds for the whole show.

    Attributes
    ----------
    title : str
        Name of the browser's window.
    corpus : str
        Folder of the corpus in PREFER_HOME, or its id; the first one if left out.
    product : str
        Product of all scenes that name none; if left out, that of the largest whose points count most reviewers.
    theme : {"dark", "light"}
        How the show begins; key t changes it.
    seed : int
        Seed of the sessions: with it a simulated reader plays the same each time.
    pace : float
        Seconds for which the simulated reader looks at a summary.
    idle : float
        Seconds after which a visitor who touches nothing counts as gone and is erased; 0 waits for Next visitor.
    address : str
        Address of this computer as phones reach it; found out if left out.
    """

    title: str = "PREFER"
    corpus: str = ""
    product: str = ""
    theme: Literal["dark", "light"] = "dark"
    seed: int = 1
    pace: float = 3.0
    idle: float = 120.0
    address: str = ""

    def __post_init__(self) -> None:
        need(self.seed >= 0, "seed", f"seed must not be negative, found {self.seed}.")
        need(0.5 <= self.pace <= 60, "pace", f"pace must lie between 0.5 and 60 seconds, found {self.pace:g}.")
        told = f"idle must lie between 10 and 3600 seconds, or be 0 for never, found {self.idle:g}."
        need(self.idle == 0 or 10 <= self.idle <= 3600, "idle", told)


@dataclass(frozen=True)
class Scene:
    """Table ``[[scenes]]``: one screen.

    Attributes
    ----------
    kind : str
        What is on it (docs/stage.md).
    heading, text : str
        The idea, and a line below it; {product}, {reviews}, {reader} and {then} are filled in.
    notes : str
        For the speaker only.
    product : str
        Id of the product, if not that of the show.
    reader, then : str
        What the simulated reader of a `play` cares about, and what after a change of mind: names of aspects, or "#1"
        for the one of which points count most reviewers of the product, "#2" for the second, and so on.
    turn : int
        Rating after which the reader changes their mind.
    rounds : int
        Ratings that a `play` has.
    seed : int
        Seed of this scene; that of the show if 0.
    readers : tuple of str
        The two that `compare` puts side by side; "even" is one who wants nothing in particular.
    """

    kind: Kind
    heading: str = ""
    text: str = ""
    notes: str = ""
    product: str = ""
    reader: str = ""
    then: str = ""
    turn: int = 6
    rounds: int = 10
    seed: int = 0
    readers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        plain = {one.name: one.default for one in fields(self)}
        for key in ("product", "reader", "then", "turn", "rounds", "seed", "readers"):
            given = getattr(self, key) != plain[key]
            takes = ", ".join(("heading", "text", "notes", *_USES[self.kind]))
            fits = key in _USES[self.kind] or not given
            need(fits, key, f"a scene of kind {self.kind!r} has no {key}; it takes {takes}.")
        for key in ("heading", "text"):
            try:
                names = [name for _, name, _, _ in Formatter().parse(getattr(self, key)) if name is not None]
            except ValueError:
                names = ["{"]
            wrong = next((name for name in names if name not in PLACEHOLDERS), None)
            known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
            need(wrong is None, key, f"{key} has {{{wrong}}}, which cannot be filled in; there are {known}.")
        need(self.kind != "play" or bool(self.reader), "kind", 'a play needs a reader, such as reader = "#1".')
        need(1 <= self.rounds <= 100, "rounds", f"rounds must lie between 1 and 100, found {self.rounds}.")
        inside = not self.then or 1 <= self.turn < self.rounds
        need(inside, "turn", f"turn must lie between 1 and rounds - 1, found {self.turn} of {self.rounds}.")
        two = self.kind != "compare" or len(self.readers) == 2
        need(two, "readers", f'compare needs two readers, found {len(self.readers)}: readers = ["#1", "#2"].')
        need(self.seed >= 0, "seed", f"seed must not be negative, found {self.seed}.")


@dataclass(frozen=True)
class Act:
    """A scene on a corpus: its product is there, its readers want aspects that there are.

    Attributes
    ----------
    scene : Scene
        As it was written.
    heading, text : str
        With everything filled in.
    product_id : str
        What is shown.
    wants : tuple of int or None
        The aspects of its readers: of `reader` and `then`, or of the two in `readers`; None for "even".
    seed : int
        Of its session.
    """

    scene: Scene
    heading: str
    text: str
    product_id: str
    wants: tuple[int | None, ...]
    seed: int


@dataclass(frozen=True)
class Script:
    """A whole file."""

    settings: Settings
    scenes: tuple[Scene, ...]
    text: str = field(default="", compare=False)

    @cached_property
    def lines(self) -> dict[Place, int]:
        """Where the keys stand."""
        return lines_of(self.text)

    def on(self, corpus: Corpus) -> tuple[Act, ...]:
        """Fit the script to a corpus.

        Raises
        ------
        ConfigError
            If the corpus lacks a product or an aspect; it names the line and what there is.
        """
        known = [str(name) for name in corpus.products["product_id"]]
        default = self.settings.product or _richest(corpus)
        if default not in known:
            raise self._missing(("stage", 0, "product"), "product", default, known, corpus.name)
        acts = []
        for i, scene in enumerate(self.scenes):
            chosen = scene.product or default
            if chosen not in known:
                raise self._missing(("scenes", i, "product"), "product", chosen, known, corpus.name)
            product = corpus.product(chosen)
            wished: dict[str, tuple[str, ...]] = {"readers": scene.readers}
            if not scene.readers:
                wished = {"reader": (scene.reader,), "then": (scene.then,)}
            wants = tuple(
                self._aspect(name, key, i, product, corpus) for key, names in wished.items() for name in names if name
            )
            words = _filled(product, wants, corpus)
            acts.append(
                Act(
                    scene, scene.heading.format_map(words), scene.text.format_map(words), chosen, wants,
                    scene.seed or self.settings.seed,
                )
            )  # fmt: skip
        return tuple(acts)

    def _aspect(self, name: str, key: str, index: int, product: ProductCorpus, corpus: Corpus) -> int | None:
        place = ("scenes", index, key)
        if name == EVEN and key == "readers":
            return None
        cared = list(corpus.cared_for)
        if name.startswith("#"):
            counted, mass = _counted(product, corpus), np.asarray(product.phi, dtype=np.float64).sum(axis=0)
            ranked = sorted(cared, key=lambda k: (-counted[k], -mass[k], k))
            if not name[1:].isdecimal() or not 1 <= int(name[1:]) <= len(ranked):
                said = f"{key} is {name!r}; #1 to #{len(ranked)} stand for the aspects of {corpus.name}."
                raise at(_WHAT, self.lines.get(place), said)
            return ranked[int(name[1:]) - 1]
        found = next((k for k in cared if corpus.labels[k].casefold() == name.casefold()), None)
        if found is None:
            raise self._missing(place, "aspect", name, [corpus.labels[k] for k in cared], corpus.name)
        return found

    def _missing(self, place: Place, what: str, name: str, known: list[str], corpus: str) -> ConfigError:
        close = get_close_matches(name, known, 1)
        some = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known[:8])}."
        return at(_WHAT, self.lines.get(place), f"{corpus} has no {what} {name!r}; {some}")


def read(path: Path) -> Script:
    """Read a script from a file."""
    return parse(text_of(path, _WHAT))


def parse(text: str) -> Script:
    """Read a script.

    Raises
    ------
    ConfigError
        If it is no TOML or cannot work; it names the line and what to do.
    """
    content = content_of(text, _WHAT, "assets/stage/default.toml")
    lines = lines_of(text)
    for key in content:
        if key not in ("stage", "scenes"):
            line = lines.get((key, 0, "")) or lines.get(("", 0, key))
            raise at(_WHAT, line, f"there is no table {key!r}; write [stage] or [[scenes]].")
    stage, scenes = content.get("stage", {}), content.get("scenes", [])
    if not isinstance(stage, dict):
        raise at(_WHAT, lines.get(("stage", 0, "")), "stage must be one table; write it as [stage].")
    if not isinstance(scenes, list) or not scenes or not all(isinstance(one, dict) for one in scenes):
        raise at(_WHAT, lines.get(("scenes", 0, "")), "there is no list of scenes; write each as [[scenes]].")
    return Script(
        made(Settings, "stage", 0, stage, lines, _WHAT),
        tuple(made(Scene, "scenes", i, one, lines, _WHAT) for i, one in enumerate(scenes)),
        text,
    )


def _counted(product: ProductCorpus, corpus: Corpus) -> FloatArray:
    """Return how many reviewers the points about each aspect count (K,), single voices aside; 0 for "other"."""
    found = np.zeros(corpus.n_aspects)
    for point in product.keypoints:
        if not point.voice and point.aspect != corpus.other:
            found[point.aspect] += point.reviewers
    return found


def _richest(corpus: Corpus) -> str:
    """Return, of the largest products, the one whose points about aspects count most reviewers."""
    largest = corpus.products.sort_values(["n_sentences", "product_id"], ascending=[False, True])["product_id"]
    names = [str(name) for name in largest.head(_LOOKED_AT)]
    return max(names, key=lambda name: float(_counted(corpus.product(name), corpus).sum()))


def _filled(product: ProductCorpus, wants: tuple[int | None, ...], corpus: Corpus) -> dict[str, str]:
    names = ["nothing in particular" if k is None else corpus.labels[k].lower() for k in wants]
    reviews = int(corpus.products.set_index("product_id")["n_reviews"][product.product_id])
    reader, then = [*names, "", ""][:2]
    return {"product": product.title or product.product_id, "reviews": f"{reviews:,}", "reader": reader, "then": then}
