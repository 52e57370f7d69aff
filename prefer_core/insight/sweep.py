"""One profile under many values of lambda, k or beta: what stays, what comes and goes, and how well it fits."""

from dataclasses import dataclass, replace

from prefer_core.config import SessionSettings
from prefer_core.insight.comparison import Compared, shown_to
from prefer_core.session import Products

VALUES: dict[str, tuple[float, ...]] = {
    "lambda": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    "k": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    "beta": (1, 2, 5, 10, 20, 50, 100, 200),
}
"""What is tried of each."""


@dataclass(frozen=True)
class Strip:
    """What one profile is given at each of V values.

    Attributes
    ----------
    swept : {"lambda", "k", "beta"}
    values : tuple of V float
    columns : tuple of V Compared
    places : tuple of int
        Everything that was chosen at any of them (as `Compared.chosen`): what is there most often first.
    """

    swept: str
    values: tuple[float, ...]
    columns: tuple[Compared, ...]
    places: tuple[int, ...]

    def has(self, place: int) -> list[bool]:
        """Return at which values a thing was chosen (V)."""
        return [place in one.chosen for one in self.columns]


def sweep(corpus: Products, product_id: str, one: Compared, swept: str) -> Strip:
    """Select evidence for the profile of a column at each value, all else as the column has it.

    A value of lambda or beta holds as it is: it does not move as the preference gets clear. beta is for Gumbel, which
    takes MMR's place for it. Draws are those of every column.
    """
    tried = VALUES[swept]
    columns = tuple(
        shown_to(corpus, product_id, one.profile, _changed(one.how, swept, value), one.preset) for value in tried
    )
    first: dict[int, int] = {}
    count: dict[int, int] = {}
    for at, column in enumerate(columns):
        for place in column.chosen:
            first.setdefault(place, at)
            count[place] = count.get(place, 0) + 1
    order = sorted(count, key=lambda place: (-count[place], first[place], place))
    return Strip(swept, tried, columns, tuple(order))


def _changed(how: SessionSettings, swept: str, value: float) -> SessionSettings:
    if swept == "lambda":
        return replace(how, trade_off=float(value), focused_trade_off=None)
    if swept == "k":
        return replace(how, max_sentences=int(value))
    return replace(how, extractor="gumbel", beta_cap=float(value), focused_beta=None)
