"""Statistics of a corpus, as in the paper's Tables all_beauty_stats and preprocessed_corpus_stats; histograms."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from prefer_core.data.sentences import SentenceTable
from prefer_core.data.sources import NOBODY, Source
from prefer_core.data.values import count_tokens
from prefer_core.types import IntArray

MARKS = (0.5, 0.9, 0.99)
"""Parts of the whole whose largest value is told beside a histogram."""


def log_edges(largest: int) -> IntArray:
    """Return whole numbers from 1 to beyond `largest`, each about sqrt(2) times the one before.

    >>> log_edges(20).tolist()
    [1, 2, 3, 4, 6, 8, 11, 16, 23]
    """
    steps = 2 * np.log2(max(largest, 1)) + 2
    edges: IntArray = np.unique(np.round(2.0 ** (np.arange(int(steps) + 1) / 2))).astype(np.int64)
    return edges[: int(np.searchsorted(edges, largest, side="right")) + 1]


def log_histogram(values: IntArray) -> dict[str, Any]:
    """Count positive whole numbers in bins [edge, next edge).

    Returns
    -------
    dict
        edges (B + 1), counts (B), and `at_most`: for 50, 90 and 99 % of the values, the number they do not exceed.

    Examples
    --------
    >>> log_histogram(np.array([1, 1, 1, 5]))
    {'edges': [1, 2, 3, 4, 6], 'counts': [3, 0, 0, 1], 'at_most': {'0.5': 1, '0.9': 5, '0.99': 5}}
    """
    values = np.asarray(values, dtype=np.int64)
    values = values[values >= 1]
    edges = log_edges(int(values.max(initial=1)))
    counts, _ = np.histogram(values, bins=np.append(edges[:-1], edges[-1] - 0.5))
    at_most = np.quantile(values, MARKS, method="inverted_cdf") if len(values) else np.ones(len(MARKS))
    return {
        "edges": edges.tolist(),
        "counts": counts.tolist(),
        "at_most": {str(mark): int(value) for mark, value in zip(MARKS, at_most, strict=True)},
    }


def product_table(reviews: pd.DataFrame, sentences: SentenceTable, titles: Mapping[str, str]) -> pd.DataFrame:
    """Describe every product that has a sentence, in the order of the sentence table.

    Parameters
    ----------
    reviews : DataFrame
        Rows of the review table.

    Returns
    -------
    DataFrame
        product_id, title, n_sentences, n_reviews, n_reviewers, mean_rating (NaN if no stars are known), start, stop
        (slice of the sentences), support_start, support_stop (slice of the support rows).
    """
    products = sentences.rows["product"]
    sizes = products.value_counts(sort=False).loc[products.drop_duplicates()]
    grouped = reviews.groupby("product")
    owner = products.to_numpy()[sentences.support["sentence"].to_numpy()]
    behind = pd.Series(owner).value_counts(sort=False).loc[sizes.index].to_numpy()
    return pd.DataFrame(
        {
            "product_id": sizes.index.to_numpy(),
            "title": [titles[product] for product in sizes.index],
            "n_sentences": sizes.to_numpy(),
            "n_reviews": grouped.size().loc[sizes.index].to_numpy(),
            "n_reviewers": grouped["reviewer"].nunique().loc[sizes.index].to_numpy(),
            "mean_rating": grouped["rating"].mean().loc[sizes.index].to_numpy(),
            "start": np.cumsum(sizes.to_numpy()) - sizes.to_numpy(),
            "stop": np.cumsum(sizes.to_numpy()),
            "support_start": np.cumsum(behind) - behind,
            "support_stop": np.cumsum(behind),
        }
    )


def corpus_statistics(
    raw: Mapping[str, Any], reviews: pd.DataFrame, sentences: SentenceTable
) -> dict[str, dict[str, Any]]:
    """Count both tables, repeats included (paper, Tables all_beauty_stats, preprocessed_corpus_stats).

    Parameters
    ----------
    raw : mapping
        What `raw_statistics` counted in the source.
    reviews : DataFrame
        Rows of the review table.

    Returns
    -------
    dict
        raw (as given), reviews, units: units, reviewers, products, mean_words, mean_units_per_reviewer,
        max_units_per_product, max_units_per_reviewer, and three histograms of `log_histogram`: words (of a unit),
        per_product, per_reviewer (units).
    """
    at = sentences.support["sentence"].to_numpy()
    units = pd.DataFrame(
        {
            "product": sentences.rows["product"].to_numpy()[at],
            "reviewer": sentences.support["reviewer"].to_numpy(),
            "words": _words(sentences.rows["text"])[at],
        }
    )
    whole = reviews[["product", "reviewer"]].assign(words=_words(reviews["text"]))
    return {"raw": dict(raw), "reviews": _describe(whole), "units": _describe(units)}


def raw_statistics(source: Source) -> dict[str, Any]:
    """Count what the files hold before anything is left out.

    Returns
    -------
    dict
        ratings (rows that can be read), users and items (distinct ones, of rows with a product and a text; users None
        where the source names none), review_tokens, metadata_tokens (of the items' records; None without such a file).
    """
    users = source.rows["user_id"]
    return {
        "ratings": source.counts["lines read"] - source.counts["broken lines"],
        "users": int(users[~users.str.startswith(NOBODY)].nunique()) if source.has_users else None,
        "items": int(source.rows["parent_asin"].nunique()),
        "review_tokens": sum(map(count_tokens, source.rows["text"])),
        "metadata_tokens": source.metadata_tokens,
    }


def _words(texts: pd.Series) -> NDArray[np.int64]:
    return np.fromiter((len(text.split()) for text in texts), dtype=np.int64, count=len(texts))


def _describe(units: pd.DataFrame) -> dict[str, Any]:
    by_reviewer = units["reviewer"].value_counts()
    by_product = units["product"].value_counts()
    return {
        "units": len(units),
        "reviewers": len(by_reviewer),
        "products": len(by_product),
        "mean_words": float(units["words"].mean()),
        "mean_units_per_reviewer": float(by_reviewer.mean()),
        "max_units_per_product": int(by_product.max()),
        "max_units_per_reviewer": int(by_reviewer.max()),
        "words": log_histogram(units["words"].to_numpy()),
        "per_product": log_histogram(by_product.to_numpy()),
        "per_reviewer": log_histogram(by_reviewer.to_numpy()),
    }
