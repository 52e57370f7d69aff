"""What a summary leaves out, played on the rating page."""

import re
from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from prefer_core.types import EvidenceSentence
from tests.ui.test_pages import ledger, rate, start, visible


def test_the_panel_follows_the_session_and_the_ledger_keeps_the_flag(
    app: Callable[[], AppTest], private_home: Path
) -> None:
    """The panel counts this summary's sentences; after a rating the meter speaks of two summaries; cards are marked."""
    at = start(app)
    assert not at.exception
    text = visible(at)
    assert "in this summary, from all its reviews" in text
    assert "of all sentences" in text
    kept = ledger(private_home)
    found = at.query_params["reader"]
    token = found if isinstance(found, str) else found[0]
    session = kept.resume(token)

    def rated() -> list[tuple[str, tuple[EvidenceSentence, ...]]]:
        return [(one.product_id, one.evidence) for one in kept.record(token).rated]

    current = kept.record_of(session).opened
    assert current is not None
    flags = [claim.reserved for claim in current.claims]
    assert sum(flags) <= 1
    assert text.count("shown whatever you prefer") == 2 * sum(flags), "on its row and over its cards"
    speak = re.search(r"(\d+) of (\d+) reviewers say one of these (\d) points; (\d+) of their sentences", text)
    assert speak is not None
    said_by, total, points, cited = map(int, speak.groups())
    assert (points, cited) == (len(current.claims), len(current.evidence))
    assert max(claim.both for claim in current.claims) <= said_by <= total
    assert rated() == []

    at = rate(at, 80)
    assert not at.exception
    assert "in the 2 summaries of this session" in visible(at)
    assert rated() == [(current.product_id, current.evidence)]
    kept.undo(session)
    assert rated() == []
