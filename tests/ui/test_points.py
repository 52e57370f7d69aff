"""Facts about the points of a summary: their rows, who was counted for them, and what readers correct."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from streamlit.testing.v1 import AppTest

from prefer_core.corpus import open_corpus
from prefer_core.store import Ledger, StoredRound
from prefer_core.types import EvidenceSentence
from prefer_core.ui import html
from prefer_core.ui.points import key_point
from tests.shown import shown_point
from tests.ui.test_pages import ledger, press, rate, start, visible

KETTLE = "SAMPLE-KETTLE"


def current(at: AppTest, home: Path) -> tuple[Ledger, StoredRound]:
    """Return the ledger and the round that is open on the page."""
    kept = ledger(home)
    token = at.query_params["reader"]
    found = kept.record_of(kept.resume(token if isinstance(token, str) else token[0])).opened
    assert found is not None
    return kept, found


def counts(at: AppTest) -> list[str]:
    """Return the labels of the counts that can be pressed."""
    return [b.label for b in at.button if (b.key or "").startswith("count-")]


def test_each_point_is_a_row_with_its_own_count(counted: Callable[[], AppTest], private_home: Path) -> None:
    """Counted points carry N of A as the round keeps it, opposed ones both N, single voices none to press."""
    at = start(counted)
    _, shown = current(at, private_home)
    assert shown.pool == "keypoints"
    assert len(shown.claims) == 4
    expected = []
    for claim in shown.claims:
        if claim.opposed is not None:
            expected += [str(side.reviewers) for side in claim.sides]
        elif not claim.voice:
            expected.append(str(claim.reviewers))
    assert sorted(label.split(" ")[0] for label in counts(at)) == sorted(expected)
    assert visible(at).count("1 reviewer<") >= sum(claim.voice for claim in shown.claims)


def test_markers_ascend_and_name_the_cards(counted: Callable[[], AppTest], private_home: Path) -> None:
    """In the paragraph the markers run 1, 2, 3 to the number of sentences; each leads to the card with its sentence."""
    import re

    at = start(counted)
    _, shown = current(at, private_home)
    text = visible(at)
    markers = [int(n) for n in re.findall(r'<a href="#evidence-1-(\d+)"', text)]
    assert markers == list(range(1, len(shown.evidence) + 1))
    assert [int(n) for n in re.findall(r'id="evidence-1-(\d+)"', text)] == markers


def test_a_counted_sentence_can_be_corrected_and_taken_back(counted: Callable[[], AppTest], private_home: Path) -> None:
    """A press on a count lists all its sentences; a correction is kept, shown as noted, and changes no count."""
    at = start(counted)
    kept, shown = current(at, private_home)
    before = counts(at)
    place, label = next((b.key, b.label) for b in at.button if (b.key or "").startswith("count-"))
    at = at.button(key=place).click().run()
    assert not at.exception
    offered = [b for b in at.button if b.label == "This one does not say that"]
    assert len(offered) == min(int(label.split(" ")[0]), 20)
    at = offered[-1].click().run()
    assert [b.label for b in at.button].count("Noted. Take back") == 1
    assert counts(at) == before
    [row] = kept.corrections()
    assert (row["label"], row["product"], row["readers"]) == (0, shown.product_id, 1)
    assert row["point_id"] in {one.id for claim in shown.claims for one in claim.sides}
    at = press(at, "Noted. Take back")
    assert kept.corrections() == []


def test_what_was_shown_is_not_shown_again_at_once(counted: Callable[[], AppTest], private_home: Path) -> None:
    """Over four rounds on one product no counted point comes twice while others are left, and repeats say so."""
    at = start(counted)
    seen: list[set[str]] = []
    for _ in range(4):
        kept, shown = current(at, private_home)
        ids = {claim.id for claim in shown.claims}
        again = ids & set().union(*seen)
        assert visible(at).count("shown before") >= len(again)
        seen.append(ids)
        at = rate(at, 60)
    token = at.query_params["reader"]
    session = kept.resume(token if isinstance(token, str) else token[0])
    now = kept.record_of(session).opened
    assert now is not None
    assert set().union(*seen) <= now.earlier
    assert len(seen[0] & seen[1]) <= 1


def test_a_key_point_is_found_by_its_sentence(counted_corpus: Path) -> None:
    """The position or the id of a representative finds its point; any other one finds none."""
    product = open_corpus(counted_corpus).product(KETTLE)
    assert product.ids is not None
    for point in product.keypoints:
        name = product.ids[point.representative]
        assert key_point(product, shown_point(id=name, position=point.representative)) is point
        assert key_point(product, shown_point(id=name)) is point, "rounds of old kept no position"
    others = set(range(len(product))) - {point.representative for point in product.keypoints}
    assert key_point(product, shown_point(id=product.ids[min(others)], position=min(others))) is None
    assert key_point(product, shown_point(id="gone")) is None


def test_a_row_without_a_model_escapes_what_reviewers_wrote() -> None:
    """Clause and aspect stand as text; a bar is as wide as N within A."""
    from prefer_core.aspects.names import View

    claim = shown_point("It is <b>big</b> & $5.")
    rests = html.Basis("e", [EvidenceSentence(id="s", text="x", aspect=0)], [(claim, (0,))])
    drawn = html.rows(rests, View.of(("Size <i>",)))
    assert "It is &lt;b&gt;big&lt;/b&gt; &amp; $5" in drawn
    assert "of 12 who write about size &lt;i&gt;" in drawn
    assert "width:25.0%" in drawn
    assert np.all([sign in html.label("a*b_$c") for sign in ("\\*", "\\_", "\\$")])
