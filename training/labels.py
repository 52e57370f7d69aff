"""Labelled pairs of a sentence and a point, and labels of whether a sentence can stand for one.

Texts of other people are not kept here. A label names its sentence by file, row and the id that the build gives it (a
hash of product and text); reading the labels reads the review files.
"""

import csv
import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "labels"


class Match(NamedTuple):
    """Whether a sentence of a product's reviews says a point; `kind` is a rough reason."""

    product: str
    point: str
    sentence: str
    label: int
    kind: str


class Useful(NamedTuple):
    """Whether a sentence tells a buyer something about the product; `kind` is g for yes, else why not."""

    product: str
    sentence: str
    label: int
    kind: str


_KINDS = {
    "s": "same", "p": "paraphrase", "c": "clause", "f": "firstperson",
}  # fmt: skip
_OTHER_KINDS = {
    "c": "other_claim", "o": "opposite", "d": "denied", "t": "topic", "x": "other_thing", "w": "wish", "g": "degree",
    "h": "hearsay", "b": "past",
}  # fmt: skip


def read_matches(path: Path) -> list[Match]:
    """Read pairs that carry their texts: source, product, point, sentence, label, kind; tab separated, unquoted."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Match(r["product"], r["point"], r["sentence"], int(r["label"]), r["kind"]) for r in rows]


def read_labels(data: Path, file: str = "matches.tsv") -> list[Match]:
    """Read our labelled pairs with their texts from the review files in `data`; an absent file has none."""
    found = []
    for row in _rows(file):
        texts = sentence_texts(data, row["file"])
        point, sentence = texts.get(row["point_id"]), texts.get(row["id"])
        if point is not None and sentence is not None:
            said, code = int(row["label"][0]), row["label"][1]
            found.append(Match(row["product"], point, sentence, said, (_KINDS if said else _OTHER_KINDS)[code]))
    return found


def read_written() -> list[Match]:
    """Read the pairs that were written for training: sets about one point, whose sentences differ in what decides."""
    found = []
    for row in _rows("written.tsv"):
        said, code = int(row["code"][0]), row["code"][1]
        kind = (_KINDS if said else _OTHER_KINDS)[code]
        found.append(Match(f"written {row['product']}", row["point"], row["sentence"], said, kind))
    return found


def read_useful(data: Path) -> list[Useful]:
    """Read our labels of single sentences, as `read_labels` does."""
    found = []
    for row in _rows("useful.tsv"):
        text = sentence_texts(data, row["file"]).get(row["id"])
        if text is not None:
            found.append(Useful(row["product"], text, int(row["label"] == "g"), row["label"]))
    return found


def _rows(file: str) -> Iterator[dict[str, str]]:
    with (FOLDER / file).open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


@cache
def sentence_texts(data: Path, file: str) -> dict[str, str]:
    """Return the sentences of a review file by id; empty where the file is absent."""
    from prefer_core.config import TextSettings
    from prefer_core.data.reviews import review_table
    from prefer_core.data.sentences import sentence_table
    from prefer_core.data.sources import read_source

    path = data / file
    if file != "sample" and not path.is_file():
        return {}
    if file.startswith("labels/"):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            return {row["id"]: row["text"] for row in map(json.loads, lines)}
    source = read_source(file if file == "sample" else str(path), {}, None)
    rows = sentence_table(review_table(source, TextSettings()).rows, TextSettings(), "sentence").rows
    return dict(zip(rows["id"], rows["text"], strict=True))
