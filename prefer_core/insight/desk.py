"""A whole desk as one file: what is compared, so that the same columns come back elsewhere.

The file is JSON, or an HTML report that carries it. It holds every preference in full; a link holds codes only.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from prefer_core import simplex
from prefer_core.corpus import Corpus
from prefer_core.errors import ConfigError
from prefer_core.insight.comparison import EXTRACTOR, MOST, PRESET, SEED, Column, Preset, split
from prefer_core.insight.profiles import People, Profile, exact, profile
from prefer_core.selection import EXTRACTORS
from prefer_core.types import FloatArray

KIND = "prefer-desk"
VERSION = 1
_IN_REPORT = re.compile(rf'<script type="application/json" id="{KIND}">(.*?)</script>', re.DOTALL)
_SAME = 1e-9


@dataclass(frozen=True)
class Desk:
    """What a desk compares.

    Attributes
    ----------
    corpus_id, corpus_name : str
        Whose preferences these are, and what people call those reviews.
    product_id : str
        The product.
    columns : tuple of N str
        Codes of the columns.
    weights : tuple of N ndarray of shape (K,)
        The preference of each.
    extractor, preset : str
        How evidence is chosen where a column does not say otherwise.
    most : int or None
        Points, sentences or reviews a column; None leaves it to what is chosen.
    """

    corpus_id: str
    corpus_name: str
    product_id: str
    columns: tuple[str, ...]
    weights: tuple[FloatArray, ...]
    extractor: str = EXTRACTOR
    preset: Preset = PRESET
    most: int | None = None

    def to_json(self, names: tuple[str, ...] = ()) -> str:
        """Return the text of a file; `names` are what the columns are called, for whoever reads it."""
        columns = [
            {"code": code, "name": name, "w": w.tolist()}
            for code, w, name in zip(self.columns, self.weights, names or self.columns, strict=True)
        ]
        held = {
            "kind": KIND, "version": VERSION, "corpus": {"id": self.corpus_id, "name": self.corpus_name},
            "product": self.product_id, "by": self.extractor, "of": self.preset, "k": self.most, "seed": SEED,
            "columns": columns,
        }  # fmt: skip
        return json.dumps(held, ensure_ascii=False, indent=1)


def in_report(text: str) -> str:
    """Return a desk's JSON as it stands inside an HTML report; no text in it can end the element."""
    safe = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return f'<script type="application/json" id="{KIND}">{safe}</script>'


def read(text: str) -> Desk:
    """Read a desk from a file or a report.

    Raises
    ------
    ConfigError
        If it is none, in one sentence with the remedy.
    """
    found = _IN_REPORT.search(text)
    try:
        held: Any = json.loads(found.group(1) if found else text)
        if held["kind"] != KIND:
            raise ValueError(held["kind"])
        if held["version"] > VERSION:
            raise ConfigError("This desk was saved by a newer version of PREFER; bring this one up to date.")
        columns = held["columns"]
        weights = tuple(np.array(one["w"], dtype=np.float64) for one in columns)
        made = Desk(
            corpus_id=str(held["corpus"]["id"]),
            corpus_name=str(held["corpus"]["name"]),
            product_id=str(held["product"]),
            columns=tuple(str(one["code"]) for one in columns),
            weights=weights,
            extractor=str(held["by"]),
            preset=held["of"],
            most=None if held["k"] is None else int(held["k"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConfigError(
            "This file holds no desk; choose one that this page saved as a desk or as a report (HTML)."
        ) from error
    if not 1 <= len(made.columns) <= MOST:
        raise ConfigError(f"A desk holds 1 to {MOST} profiles, this file {len(made.columns)}; choose another file.")
    if made.extractor not in EXTRACTORS or made.preset not in get_args(Preset):
        raise ConfigError("This desk chooses evidence in a way that is not known here; choose another file.")
    if made.most is not None and not 1 <= made.most <= 10:
        raise ConfigError(f"A desk shows 1 to 10 points a profile, this file {made.most}; choose another file.")
    return made


def at_home(desk: Desk, corpus: Corpus, people: People) -> tuple[list[str], list[str]]:
    """Return the columns of a desk that can be shown on its corpus, and a sentence for each that cannot.

    A preference of the visitor's own that has moved on comes back as own weights, as it was when the desk was saved. A
    saved session that is gone stays gone, though its weights are in the file.

    Raises
    ------
    ConfigError
        If the desk belongs to another corpus, or has no product of this one.
    """
    if desk.corpus_id != corpus.id:
        raise ConfigError(
            f"This desk compares profiles of other reviews ({desk.corpus_name}, corpus {desk.corpus_id}), whose "
            "aspects are not these; open those reviews to see it."
        )
    corpus.product(desk.product_id)  # an unknown one is refused
    fine, troubles = [], []
    for code, w in zip(desk.columns, desk.weights, strict=True):
        name, *way = code.split(".")
        try:
            split(code)
            if len(w) != corpus.n_aspects or not np.isfinite(w).all() or w.min() < 0 or w.sum() <= 0:
                raise ConfigError(f"The profile {code[:40]!r} has no weights for {corpus.n_aspects} aspects.")
            fine.append(".".join([_code(name, simplex.normalise(w), corpus, desk.product_id, people), *way]))
        except ConfigError as error:
            troubles.append(str(error))
    if not fine:
        raise ConfigError(f"No profile of this desk can be shown: {troubles[0]}")
    return fine, troubles


def _code(name: str, w: FloatArray, corpus: Corpus, product_id: str, people: People) -> str:
    product = corpus.product(product_id)
    if name.startswith("mine"):
        try:
            now = profile(name, product, corpus.view.choices, people)
        except ConfigError:
            return exact(w)
        return name if np.abs(now.w - w).max() <= _SAME else exact(w)
    profile(name, product, corpus.view.choices, people)
    return name


def column(code: str, corpus: Corpus, product_id: str, people: People, extractor: str, preset: Preset) -> Column:
    """Return the column that a code stands for on a desk whose way of choosing is `extractor` and `preset`."""
    name, by, of = split(code)
    found: Profile = profile(name, corpus.product(product_id), corpus.view.choices, people)
    return Column(found, by or extractor, of or preset, code)
