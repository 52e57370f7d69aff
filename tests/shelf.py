"""One product under any name: the smallest thing that has products."""

from prefer_core.types import ProductCorpus


class Shelf:
    """Return the same product for every id."""

    def __init__(self, product: ProductCorpus) -> None:
        self._product = product

    def product(self, product_id: str) -> ProductCorpus:
        """Return the product."""
        return self._product
