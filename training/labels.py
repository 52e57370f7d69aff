"""Labelled pairs of a sentence and a point."""

import csv
import gzip
from pathlib import Path
from typing import NamedTuple


class Match(NamedTuple):
    """Whether a sentence of a product's reviews says a point; `kind` is a rough reason."""

    product: str
    point: str
    sentence: str
    label: int
    kind: str


def read_matches(path: Path) -> list[Match]:
    """Read pairs that carry their texts: source, product, point, sentence, label, kind; tab separated, unquoted."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Match(r["product"], r["point"], r["sentence"], int(r["label"]), r["kind"]) for r in rows]


def read_labels(folder: Path, data: Path) -> list[Match]:
    """Read labels that name their sentence by file and row."""
    raise NotImplementedError
