"""Two made products, and a text as it is shown."""

from collections.abc import Callable, Sequence

import pytest

from prefer_core import session as core
from prefer_core.config import PRESETS
from prefer_core.store.ledger import Propose
from prefer_core.types import EvidenceSentence, LearnerState, ProductCorpus, Round, ShownPoint

SETTINGS = PRESETS["person"]
SHOWN = {"statements": [], "writer": "template"}


class Shelf:
    """Two made products."""

    def __init__(self, make: Callable[..., ProductCorpus]) -> None:
        self.products = {name: make(n=60, seed=i, product_id=name) for i, name in enumerate("PQ")}

    def product(self, product_id: str) -> ProductCorpus:
        """Return one product."""
        return self.products[product_id]

    def propose(self, product_id: str) -> Propose:
        """Return the proposer that the ledger asks for a new round."""

        def propose(
            state: LearnerState, number: int, shown: Sequence[Sequence[str]]
        ) -> tuple[Round, tuple[EvidenceSentence, ...], tuple[ShownPoint, ...]]:
            proposal = core.propose(self, product_id, state, SETTINGS, number)
            return proposal, core.evidence(self.product(product_id), proposal), ()

        return propose


@pytest.fixture
def shelf(make_product: Callable[..., ProductCorpus]) -> Shelf:
    """Two products of five aspects."""
    return Shelf(make_product)
