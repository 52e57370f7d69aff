"""Key points of a whole corpus: product by product, kept on disk as they are found, and the table that is stored."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from prefer_core.config import KeyPointSettings
from prefer_core.encoders.entailment import Entailment
from prefer_core.files.folders import whole_file
from prefer_core.files.progress import Tick, silent
from prefer_core.keypoints.find import Matched, Material, key_points, match
from prefer_core.types import FloatArray, IntArray, KeyPoint

COLUMNS = (
    "product", "sentence", "aspect", "negative", "reviewers", "about", "opposed", "voice", "form", "members", "scores",
)  # fmt: skip
"""One row a point; `sentence` and `members` are rows of the sentence table, `opposed` a place among the product's."""


@dataclass(frozen=True)
class Products:
    """The sentences of a corpus, product by product.

    Attributes
    ----------
    names : sequence of P str
        Product ids, in the order of the sentences.
    starts : ndarray of shape (P + 1,)
        Where each product's sentences begin; the last is n.
    texts, ids : Series of n str
        Sentences and their ids.
    vectors : ndarray of shape (n, d)
        Unit vectors, possibly memory-mapped.
    flags : ndarray of shape (n,)
        `Flag` bits.
    support : DataFrame
        Every occurrence: sentence (row) and reviewer, sorted by sentence.
    """

    names: Sequence[str]
    starts: IntArray
    texts: "pd.Series[str]"
    ids: "pd.Series[str]"
    vectors: FloatArray
    flags: IntArray
    support: pd.DataFrame

    def material(self, place: int) -> Material:
        """Return the sentences of one product."""
        start, stop = int(self.starts[place]), int(self.starts[place + 1])
        rows = self.support["sentence"].to_numpy()
        first, last = np.searchsorted(rows, (start, stop))
        codes = pd.factorize(self.support["reviewer"].iloc[first:last])[0]
        cuts = np.searchsorted(rows[first:last], np.arange(start + 1, stop))
        return Material(
            texts=self.texts.iloc[start:stop].tolist(),
            vectors=np.asarray(self.vectors[start:stop], dtype=np.float32),
            supporters=[np.unique(part) for part in np.split(codes, cuts)],
            flags=self.flags[start:stop],
        )

    def reviewers(self) -> IntArray:
        """Return how many reviewers each product has (P,)."""
        owner = np.searchsorted(self.starts, self.support["sentence"].to_numpy(), side="right") - 1
        found = pd.DataFrame({"product": owner, "reviewer": self.support["reviewer"].to_numpy()})
        counts = found.groupby("product")["reviewer"].nunique()
        return np.asarray(counts.reindex(range(len(self.names)), fill_value=0))


def match_all(
    products: Products, model: Entailment | None, settings: KeyPointSettings, work: Path, tick: Tick = silent
) -> Iterator[Matched | None]:
    """Yield what was matched for each product; None for those of too few reviewers.

    A product that a build before was cut off behind is taken from `work`, if its sentences, the settings and the model
    are the same.
    """
    folder = work / "keypoints"
    folder.mkdir(parents=True, exist_ok=True)
    enough = products.reviewers() >= settings.least_reviewers
    sizes = np.diff(products.starts) * enough
    total, done = int(sizes.sum()), 0
    for place in range(len(products.names)):
        if not enough[place]:
            yield None
            continue
        start, stop = int(products.starts[place]), int(products.starts[place + 1])
        key = _key(products.ids.iloc[start:stop], model, settings)
        path = folder / f"{key}.npz"
        found = _kept(path)
        if found is None:
            size, before = stop - start, done

            def told(part: int, of: int, size: int = size, before: int = before) -> None:
                tick(before + size * part // max(of, 1), total)

            found = match(products.material(place), model, settings, told)
            _keep(path, found)
        done += stop - start
        tick(done, total)
        yield found


def points_table(
    products: Products, matched: Sequence[Matched | None], phi: FloatArray, settings: KeyPointSettings
) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Return the table of all points (COLUMNS), and where each product's begin (P + 1,)."""
    rows: list[tuple[Any, ...]] = []
    cuts = [0]
    for place, found in enumerate(matched):
        start, stop = int(products.starts[place]), int(products.starts[place + 1])
        if found is not None:
            points = key_points(products.material(place), found, np.asarray(phi[start:stop]), settings)
            rows += [
                _row(products.names[place], start, point, found.scores[i] if i < len(found.scores) else None)
                for i, point in enumerate(points)
            ]
        cuts.append(len(rows))
    return pd.DataFrame(rows, columns=list(COLUMNS)), np.array(cuts)


def read_points(table: pd.DataFrame, start: int) -> tuple[KeyPoint, ...]:
    """Return the points of one product from its rows of the table; `start` is its first sentence."""
    return tuple(
        KeyPoint(
            representative=int(row.sentence) - start,
            aspect=int(row.aspect),
            negative=bool(row.negative),
            reviewers=int(row.reviewers),
            about=int(row.about),
            members=np.asarray(row.members, dtype=np.int64) - start,
            opposed=None if row.opposed < 0 else int(row.opposed),
            voice=bool(row.voice),
            form=row.form,
        )
        for row in table.itertuples()
    )


def _row(product: str, start: int, point: KeyPoint, scores: NDArray[np.float32] | None) -> tuple[Any, ...]:
    return (
        product,
        start + point.representative,
        point.aspect,
        point.negative,
        point.reviewers,
        point.about,
        -1 if point.opposed is None else point.opposed,
        point.voice,
        point.form,
        (point.members + start).astype(np.int32).tolist(),
        [99.0] if scores is None else scores.astype(np.float32).tolist(),
    )


def _key(ids: "pd.Series[str]", model: Entailment | None, settings: KeyPointSettings) -> str:
    known = sha256("\0".join(ids).encode())
    known.update(json.dumps(settings.to_dict(), sort_keys=True).encode())
    known.update(b"" if model is None else model.digest.encode())
    return known.hexdigest()[:24]


def _keep(path: Path, found: Matched) -> None:
    lengths = np.array([len(part) for part in found.members], dtype=np.int64)
    arrays: dict[str, Any] = {
        "lengths": lengths,
        "members": np.concatenate([*found.members, np.zeros(0, dtype=np.int64)]),
        "scores": np.concatenate([*found.scores, np.zeros(0, dtype=np.float32)]),
    }
    arrays |= {f.name: getattr(found, f.name) for f in fields(found) if f.name not in arrays}
    with whole_file(path) as fresh, fresh.open("wb") as stream:
        np.savez(stream, **arrays)


def _kept(path: Path) -> Matched | None:
    try:
        with np.load(path, allow_pickle=False) as part:
            cuts = np.cumsum(part["lengths"])[:-1]
            split = {name: np.split(part[name], cuts) if len(part["lengths"]) else [] for name in ("members", "scores")}
            members, scores = split["members"], split["scores"]
            return Matched(
                part["useful"], part["density"], part["quotable"], part["chosen"], members, scores, part["opposed"]
            )
    except (OSError, ValueError, KeyError, BadZipFile):
        return None
