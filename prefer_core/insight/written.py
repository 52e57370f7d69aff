"""A round of the ledger, ready to be written up."""

from prefer_core.corpus import Corpus
from prefer_core.rewriting import Evidence, gather
from prefer_core.store import StoredRound


def evidence_of(corpus: Corpus, stored: StoredRound) -> Evidence:
    """Return a stored round's evidence and points as they were shown, in the order in which a text tells them."""
    title = corpus.product(stored.product_id).title
    return gather(stored.product_id, title, stored.evidence, stored.claims, corpus.labels_in_texts)
