"""Reviews to sentences, beside pysbd on the same reviews."""

import time
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import accumulate

from benchmarks.measure import Result, median_seconds
from prefer_core.config import TextSettings
from prefer_core.data.reviews import review_table
from prefer_core.data.sentences import sentence_table
from prefer_core.data.sources import read_source
from prefer_core.data.splitting import split_sentences

PAPERS_REVIEWS_A_SECOND = 7477
"""How fast the paper's sentence table was made."""


def run() -> Result:
    """Split the cleaned reviews of the sample with both; the ratio is of splitting alone.

    Beside it stands the whole way from raw reviews to the sentence table: cleaning, splitting, flags, repeats.

    Raises
    ------
    RuntimeError
        If the peer is not installed.
    """
    if find_spec("pysbd") is None:
        raise RuntimeError("The benchmark `text` needs its peer; run: pip install -r benchmarks/requirements.txt.")
    import pysbd

    source, settings = read_source("sample"), TextSettings()
    texts = review_table(source, settings).rows["text"].tolist()
    peer = pysbd.Segmenter(language="en", clean=False)
    ours = median_seconds(lambda: [split_sentences(text) for text in texts], 5)
    whole = median_seconds(lambda: sentence_table(review_table(source, settings).rows, settings, "sentence"), 3)
    began = time.perf_counter()
    split = [peer.segment(text) for text in texts]
    theirs = time.perf_counter() - began
    agreement = f1([_ends(split_sentences(text)) for text in texts], [_ends(pieces) for pieces in split])
    return Result(
        "text",
        f"{len(texts)} reviews of the sample into sentences; ratio of splitting alone",
        f"{len(texts) / ours:,.0f} reviews/s (raw reviews to the sentence table: {len(texts) / whole:,.0f} reviews/s; "
        f"paper {PAPERS_REVIEWS_A_SECOND:,})",
        f"pysbd {len(texts) / theirs:,.0f} reviews/s; borders agree at F1 {agreement:.3f}",
        theirs / ours,
    )


def _ends(pieces: Sequence[str]) -> set[int]:
    """Return where sentences end, counted in letters and digits: both may drop marks and space between sentences."""
    return set(accumulate(sum(map(str.isalnum, piece)) for piece in pieces)) - {0}


def f1(ours: Sequence[set[int]], theirs: Sequence[set[int]]) -> float:
    """Return the agreement of the borders inside the reviews; the end of a review, which nobody can miss, is none."""
    inner = [(a - {max(a, default=0)}, b - {max(b, default=0)}) for a, b in zip(ours, theirs, strict=True)]
    return 2 * sum(len(a & b) for a, b in inner) / sum(len(a) + len(b) for a, b in inner)
