"""Text written from the right is shown so, whatever stands around it."""

from types import SimpleNamespace
from typing import Any

from prefer_core.types import EvidenceSentence
from prefer_core.ui import html
from tests.shown import shown_point

ARABIC = "جودة الحقيبة ممتازة"


def test_review_text_finds_its_own_direction() -> None:
    """Cards and clauses let the browser tell the direction of a review's words from the words."""
    row = SimpleNamespace(mark=0, label="Bag")
    themes: Any = SimpleNamespace(row=lambda aspect: row)
    piece = EvidenceSentence(id="a", text=ARABIC, aspect=0, rating=5.0)
    rests = html.Basis("evidence-1", [piece], [(None, (0,))])
    assert f'<p dir="auto">{ARABIC}</p>' in html.cards(rests, themes)
    claim = shown_point(ARABIC)
    assert f'<span dir="auto">{ARABIC}</span>' in html.clause(claim, themes)
