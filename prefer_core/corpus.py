"""The corpus folder (format 2): what the offline build leaves and the pages open."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from prefer_core.aspects.names import View
from prefer_core.data.provenance import source_mark
from prefer_core.errors import CorpusError
from prefer_core.files.blocks import save
from prefer_core.files.folders import check_target, recover, replacing, sync, whole_file
from prefer_core.files.manifest import MANIFEST, digest_of, read_json, verify, write_json, write_manifest
from prefer_core.keypoints.table import read_points
from prefer_core.types import KeyPoint, ProductCorpus

FORMAT = 2
ARRAYS = ("embeddings", "reduced", "phi")
TABLES = ("sentences", "support", "products", "keypoints")
DOCUMENTS = ("aspects", "diagnostics")
FILES = (*(f"{n}.npy" for n in ARRAYS), *(f"{n}.parquet" for n in TABLES), *(f"{n}.json" for n in DOCUMENTS))
FILES_OF_FORMAT = {1: tuple(name for name in FILES if name != "keypoints.parquet"), FORMAT: FILES}
"""A corpus of format 1 opens without key points."""

TEXTS = "texts.parquet"
"""Clauses that a model made of key points; written later, with a digest of its own."""

_ROW_GROUP = 20_000
_PRODUCTS_KEPT = 32


@dataclass(frozen=True)
class CorpusParts:
    """Everything a corpus folder holds.

    Attributes
    ----------
    name : str
        Label for people.
    is_sample : bool
        Whether the reviews are the made-up ones that come with the project.
    source_digest : str
        SHA-256 of the source; part of the id, but not in the folder: the reviewer hashes are salted with it.
    settings : mapping
        What shaped the corpus, as plain values; goes into the corpus id.
    origin : str
        The source as it was given; kept for the remedy in error messages, not part of the id.
    counts : mapping of str to int
        Rows read, dropped and kept.
    embeddings : ndarray of shape (n, 384), float16
    reduced : ndarray of shape (n, m), float32
    phi : ndarray of shape (n, K), float32
    sentences, support, products : DataFrame
        As made by `data.sentences` and `data.stats`.
    keypoints : DataFrame
        As made by `keypoints.table`; `products` says where each product's rows begin and end.
    aspects, diagnostics : mapping
        Contents of the two JSON files; ``aspects["labels"]`` goes into the id.
    """

    name: str
    is_sample: bool
    source_digest: str
    settings: Mapping[str, Any]
    origin: str
    counts: Mapping[str, int]
    embeddings: NDArray[np.float16]
    reduced: NDArray[np.float32]
    phi: NDArray[np.float32]
    sentences: pd.DataFrame
    support: pd.DataFrame
    products: pd.DataFrame
    keypoints: pd.DataFrame
    aspects: Mapping[str, Any]
    diagnostics: Mapping[str, Any]


class Corpus:
    """An opened corpus folder; a value that all visitors may share.

    Attributes
    ----------
    path : Path
        The folder.
    manifest, aspects : dict
        Contents of ``manifest.json`` and ``aspects.json``.
    products : DataFrame
        One row a product, by position: product_id, title, n_sentences, n_reviews, n_reviewers, mean_rating, start,
        stop, support_start, support_stop, point_start, point_stop (not in format 1), aspect_mass (array of K, on the
        simplex).
    kinds : tuple of K str
        Kind of each aspect: "anchored", "free", or "other", which is about nothing in particular; in corpora of preset
        `paper` all are free.
    view : View
        How the aspects are shown; that of the build unless `named` gave another.
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self.aspects: dict[str, Any] = read_json(path / "aspects.json")
        self.products: pd.DataFrame = pq.read_table(path / "products.parquet").to_pandas()
        self._arrays = {name: np.load(path / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in ARRAYS}
        self.kinds: tuple[str, ...] = tuple(self.aspects.get("kinds") or ["free"] * len(self.aspects["labels"]))
        self.view = View.of(self.aspects["labels"], self.other)
        self._position = {product: row for row, product in enumerate(self.products["product_id"])}
        # Per corpus, not per class: a cache on the method would keep every corpus ever opened.
        self._cached: Callable[[str], ProductCorpus] = lru_cache(_PRODUCTS_KEPT)(self._read_product)

    @property
    def id(self) -> str:
        """Hash of what went in and came out; a preference vector belongs to one id."""
        return str(self.manifest["id"])

    @property
    def name(self) -> str:
        """Label for people."""
        whole = self.manifest["config"].get("unit") == "review"
        return f"{self.manifest['name']}, whole reviews" if whole else str(self.manifest["name"])

    @property
    def is_sample(self) -> bool:
        """Whether the reviews are the made-up ones that come with the project."""
        return bool(self.manifest["is_sample"])

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the K aspects as they are shown; `view.built` has those of the build."""
        return self.view.labels

    @property
    def terms(self) -> tuple[tuple[str, ...], ...]:
        """Words that set each of the K aspects apart, the strongest first."""
        return tuple(tuple(str(one["term"]) for one in found) for found in self.aspects["terms"])

    @property
    def n_aspects(self) -> int:
        """K."""
        return len(self.aspects["labels"])

    @property
    def other(self) -> int | None:
        """The aspect of kind "other", None where there is none."""
        return self.kinds.index("other") if "other" in self.kinds else None

    @property
    def cared_for(self) -> tuple[int, ...]:
        """The aspects that a reader can care about: all but "other"."""
        return tuple(k for k, kind in enumerate(self.kinds) if kind != "other")

    def named(self, view: View) -> "Corpus":
        """Return the same corpus, its arrays and products shared, under other names."""
        renamed = copy.copy(self)
        renamed.view = replace(view, other=self.other)
        return renamed

    @property
    def has_keypoints(self) -> bool:
        """Whether the build counted who says what; an older corpus has none."""
        return "point_start" in self.products

    def diagnostics(self) -> dict[str, Any]:
        """Read ``diagnostics.json``."""
        return read_json(self.path / "diagnostics.json")

    def array(self, name: str) -> NDArray[Any]:
        """Return `embeddings`, `reduced` or `phi` of all sentences, memory-mapped."""
        values: NDArray[Any] = self._arrays[name]
        return values

    def product(self, product_id: str) -> ProductCorpus:
        """Return one product; an unknown id is a CorpusError that names a few that exist."""
        if product_id not in self._position:
            some = ", ".join(list(self._position)[:3])
            raise CorpusError(f"There is no product {product_id!r} in this corpus; it has, for example, {some}.")
        return self._cached(product_id)

    def _read_product(self, product_id: str) -> ProductCorpus:
        row = self.products.iloc[self._position[product_id]]
        start, stop = int(row["start"]), int(row["stop"])
        sentences = _rows(self.path / "sentences.parquet", start, stop)
        support = _rows(self.path / "support.parquet", int(row["support_start"]), int(row["support_stop"]))
        codes, known = pd.factorize(support["reviewer"])
        cuts = np.searchsorted(support["sentence"].to_numpy(), np.arange(start + 1, stop))
        return ProductCorpus(
            product_id=product_id,
            title=str(row["title"]),
            text=sentences["text"].tolist(),
            phi=self._arrays["phi"][start:stop],
            s=self._arrays["reduced"][start:stop],
            tokens=sentences["tokens"].to_numpy(),
            reviewer=pd.Index(known).get_indexer(sentences["reviewer"]),
            rating=sentences["rating"].to_numpy(),
            time=sentences["time"].to_numpy(),
            verified=sentences["verified"].to_numpy(),
            helpful=sentences["helpful"].to_numpy(),
            flags=sentences["flags"].to_numpy(),
            supporters=[np.unique(part) for part in np.split(codes, cuts)],
            ids=sentences["id"].tolist(),
            review_title=sentences["review_title"].tolist(),
            n_reviewers=int(row["n_reviewers"]),
            digest=self.id,
            keypoints=self._points(row, start),
        )

    def _points(self, row: "pd.Series[Any]", start: int) -> tuple[KeyPoint, ...]:
        if not self.has_keypoints or row["point_start"] == row["point_stop"]:
            return ()
        first = int(row["point_start"])
        points = read_points(_rows(self.path / "keypoints.parquet", first, int(row["point_stop"])), start)
        return tuple(
            replace(point, text=found[0], writer=found[1])
            if (found := self._texts.get((str(row["product_id"]), place)))
            else point
            for place, point in enumerate(points)
        )

    @cached_property
    def _texts(self) -> dict[tuple[str, int], tuple[str, str]]:
        """Clause and model by product and point, as ``precompute.py --write`` left them; none of another corpus."""
        path = self.path / TEXTS
        if not path.is_file():
            return {}
        try:
            table = pq.read_table(path)
            if (table.schema.metadata or {}).get(b"corpus", b"").decode() != self.id:
                return {}
            rows = table.select(["product", "point", "clause", "model"]).to_pylist()
        except (OSError, pa.ArrowInvalid, KeyError) as error:
            raise CorpusError(
                f"{path} is damaged; delete it, or write the texts anew with: python precompute.py --write "
                f"--out {self.path}."
            ) from error
        return {(row["product"], row["point"]): (row["clause"], row["model"]) for row in rows}


def write_corpus(folder: Path, parts: CorpusParts, record: Callable[[], Mapping[str, Any]]) -> str:
    """Write a corpus folder as a whole or not at all.

    Parameters
    ----------
    record : callable
        Called when all files lie there; gives what else the manifest tells (versions, stage times), outside the id.

    Returns
    -------
    str
        The corpus id.
    """
    folder = folder.resolve()
    check_folder(folder)
    with replacing(folder, _is_whole) as building:
        for name in ARRAYS:
            save(building / f"{name}.npy", getattr(parts, name))
        for name in TABLES:
            table = pa.Table.from_pandas(getattr(parts, name), preserve_index=False)
            pq.write_table(table, building / f"{name}.parquet", row_group_size=_ROW_GROUP, compression="zstd")
        for name in DOCUMENTS:
            write_json(building / f"{name}.json", getattr(parts, name))
        manifest = {
            "format": FORMAT,
            "id": corpus_id(parts),
            "name": parts.name,
            "is_sample": parts.is_sample,
            "origin": parts.origin,
            "source_mark": source_mark(parts.source_digest),
            "config": dict(parts.settings),
            "counts": dict(parts.counts),
            **record(),
        }
        write_manifest(building, manifest, FILES)
        for name in (*FILES, MANIFEST, "."):
            sync(building / name)
        _verify(building)
    return str(manifest["id"])


def check_folder(folder: Path) -> None:
    """Refuse a target that cannot be written or is not a corpus folder, before the work of a build is done."""
    check_target(folder.resolve(), frozenset((*FILES, TEXTS, MANIFEST)))


def open_corpus(path: Path | str) -> Corpus:
    """Open a corpus folder, checking the SHA-256 of every file.

    Raises
    ------
    CorpusError
        If there is none, a file is missing or damaged, or the format is newer than this program.
    """
    folder = Path(path).expanduser().resolve()
    recover(folder, _is_whole)
    return Corpus(folder, _verify(folder))


def _verify(folder: Path) -> dict[str, Any]:
    return verify(folder, FILES_OF_FORMAT)


def annotate(folder: Path, name: str, block: Mapping[str, Any]) -> None:
    """Put findings about a whole corpus into its manifest; its id and content stay as they are."""
    manifest = {key: value for key, value in _verify(folder).items() if key != "digest"} | {name: dict(block)}
    with whole_file(folder / MANIFEST) as fresh:
        write_json(fresh, manifest | {"digest": digest_of(manifest)})


def corpus_id(parts: CorpusParts) -> str:
    """Hash what went in (source, settings) and what came out in words (sentences, titles, aspect names).

    No floats: their last bits differ between machines, and the same corpus must have the same id on all of them.
    """
    content = {
        "format": 1,  # key points left the id as it was, so that sessions go on
        "source": parts.source_digest,
        "settings": dict(parts.settings),
        "sentences": sha256("\n".join(parts.sentences["id"]).encode()).hexdigest(),
        "products": list(parts.products["title"]),
        "aspects": list(parts.aspects["labels"]),
    }
    return digest_of(content)[:16]


def _is_whole(folder: Path) -> bool:
    try:
        _verify(folder)
    except CorpusError:
        return False
    return True


def _rows(path: Path, start: int, stop: int) -> pd.DataFrame:
    """Read rows [start, stop) of a parquet file, touching only the row groups that hold them."""
    first, last = start // _ROW_GROUP, max(start, stop - 1) // _ROW_GROUP
    with pq.ParquetFile(path) as file:
        table: pa.Table = file.read_row_groups(list(range(first, last + 1)))
    return table.slice(start - first * _ROW_GROUP, stop - start).to_pandas()
