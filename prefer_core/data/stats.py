"""Statistics of a corpus, as in the paper's Table preprocessed_corpus_stats."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from prefer_core.data.sentences import SentenceTable


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


def corpus_statistics(reviews: pd.DataFrame, sentences: SentenceTable) -> dict[str, dict[str, Any]]:
    """Count both tables, repeats included."""
    at = sentences.support["sentence"].to_numpy()
    units = pd.DataFrame(
        {
            "product": sentences.rows["product"].to_numpy()[at],
            "reviewer": sentences.support["reviewer"].to_numpy(),
            "words": sentences.rows["text"].str.split().str.len().to_numpy()[at],
        }
    )
    whole = reviews[["product", "reviewer"]].assign(words=reviews["text"].str.split().str.len())
    return {"reviews": _describe(whole), "sentences": _describe(units)}


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
    }
