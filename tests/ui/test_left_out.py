"""What a summary leaves out, played on the rating page."""

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

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
    session = kept.resume(found if isinstance(found, str) else found[0])
    current = kept.current(session)
    assert current is not None
    flags = [piece["reserved"] for piece in current.evidence]
    assert sum(flags) <= 1
    assert text.count("kept for dissent") == sum(flags)
    assert kept.rated_evidence(session) == []

    at = rate(at, 80)
    assert not at.exception
    assert "in the 2 summaries of this session" in visible(at)
    assert kept.rated_evidence(session) == [(current.product_id, current.evidence)]
    kept.undo(session)
    assert kept.rated_evidence(session) == []


def test_a_switch_hides_the_statements_or_the_paragraph(app: Callable[[], AppTest]) -> None:
    """As statements there is no running text, as a paragraph no statement; markers lead to the evidence in both."""
    at = start(app)
    assert 'class="p-statement"' in visible(at)
    form = next(g for g in at.get("button_group") if g.key == "form")
    form.set_value("paragraph").run()
    text = visible(at)
    assert not at.exception
    assert 'class="p-statement"' not in text
    assert 'class="p-running"' in text
    assert '<a href="#evidence-1-1"' in text
    next(g for g in at.get("button_group") if g.key == "form").set_value("statements").run()
    text = visible(at)
    assert 'class="p-statement"' in text
    assert 'class="p-running"' not in text
