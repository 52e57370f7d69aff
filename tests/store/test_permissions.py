"""Facts about what readers allow others: nothing until they say so, their last word holds, erasure ends it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from prefer_core.config import PRESETS
from prefer_core.errors import StoreError
from prefer_core.store import Ledger
from prefer_core.store.ledger import proposer
from prefer_core.types import ProductCorpus
from tests.shelf import Shelf


def test_a_session_is_for_comparison_while_its_reader_says_so(tmp_path: Path) -> None:
    """No at first, then yes, then no again; sessions of another corpus are never in the list."""
    ledger = Ledger(f"sqlite:///{tmp_path / 'ledger.db'}")
    session, token = ledger.start("corpus", 4, PRESETS["person"])
    assert not ledger.record(token).comparable
    other, _ = ledger.start("elsewhere", 4, PRESETS["person"])
    ledger.allow_comparison(other, True)
    assert ledger.for_comparison("corpus") == []
    ledger.allow_comparison(session, True)
    assert [one.pseudonym for one in ledger.for_comparison("corpus")] == [session.pseudonym]
    ledger.allow_comparison(session, False)
    assert not ledger.record(token).comparable
    assert ledger.for_comparison("corpus") == []
    ledger.allow_comparison(session, True)
    _, counts = ledger.erase(session)
    assert counts["permissions"] == 3
    assert ledger.for_comparison("corpus") == []
    with pytest.raises(StoreError, match="has been deleted"):
        ledger.allow_comparison(session, True)


def test_moments_are_the_start_and_each_rating_in_force(
    tmp_path: Path, make_product: Callable[..., ProductCorpus]
) -> None:
    """An undone rating is no moment."""
    ledger = Ledger(f"sqlite:///{tmp_path / 'ledger.db'}")
    settings = PRESETS["person"]
    session, token = ledger.start("corpus", 5, settings)
    propose = proposer(Shelf(make_product(n=60)), "P", settings)
    after = [np.full(5, 0.2)]
    for feedback in (0.9, 0.1, 0.8):
        number = ledger.open(session, "P", propose).number
        after.append(ledger.rate(session, number, feedback, shown={}, source="template").state.w)
    ledger.undo(session)
    np.testing.assert_array_equal(ledger.record_of(session).moments, after[:3])
    np.testing.assert_array_equal(ledger.record(token).moments, after[:3])
