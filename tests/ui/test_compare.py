"""Facts about the comparison page, through Streamlit's own test client."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

PAGE = "pages/2_Compare_profiles.py"


def compare(app: Callable[[], AppTest], **query: Any) -> AppTest:
    """Open the page, as a link with this query would."""
    at = app().run()
    for name, value in query.items():
        at.query_params[name] = value
    at = at.switch_page(PAGE).run()
    assert not at.exception
    return at


def markup(at: AppTest) -> str:
    """Everything drawn as HTML."""
    return "".join(element.proto.body for element in at.get("html"))


def test_the_first_visit_shows_three_different_summaries(app: Callable[[], AppTest]) -> None:
    """Three profiles, each with summary and evidence; the link names them."""
    at = compare(app)
    assert not at.error
    assert not at.warning
    drawn = markup(at)
    assert all(f">{letter} · " in drawn for letter in "ABC")
    assert at.query_params["profile"] == ["theme-0", "theme-2", "even"]
    assert "reader=" not in at.code[0].value


def test_a_link_brings_the_comparison_back(app: Callable[[], AppTest]) -> None:
    """Profiles, extractor and size come from the link, and the evidence is the same on a second visit."""
    query = {"profile": ["mix-1-4", "own-10-0-0-0-0-0-0-0-90"], "by": "gumbel", "of": "paper", "k": "3"}
    first, second = compare(app, **query), compare(app, **query)
    assert first.query_params["profile"] == query["profile"]
    assert [box.value for box in first.selectbox if box.label == "Evidence by"] == ["gumbel"]
    assert markup(first) == markup(second)
    assert markup(first).count('<article class="p-card"') == 6


def test_a_broken_link_says_so_and_shows_something(app: Callable[[], AppTest]) -> None:
    """Nonsense in every parameter costs a warning each, never the page."""
    at = compare(
        app, corpus="nothing", product="<b>no</b>", profile=["theme-77", "x", "even"], by="magic", of="all", k="-4"
    )
    assert not at.error
    assert len(at.warning) == 7
    assert len(at.query_params["profile"]) >= 2
    assert ">B · " in markup(at)


@pytest.mark.parametrize(("of", "marks"), [("paper", 2), ("person", 4)])
def test_equal_profiles_share_all_their_evidence(app: Callable[[], AppTest], of: str, marks: int) -> None:
    """Every card of two equal profiles is marked as shared, of points each row as well; the matrix is full."""
    at = compare(app, profile=["theme-1", "theme-1"], of=of, k="2")
    drawn = markup(at)
    assert drawn.count("also B") == marks
    assert drawn.count("also A") == marks
    assert at.dataframe[0].value.to_numpy().tolist() == [[2, 2], [2, 2]]


def test_weights_of_zero_are_refused_in_one_sentence(app: Callable[[], AppTest]) -> None:
    """Somebody who wants nothing gets a sentence."""
    at = compare(app, profile=["own-1-0-0-0-0-0-0-0-0", "even"])
    at.slider[0].set_value(0)
    at.run()
    assert not at.exception
    assert "move at least one weight above 0" in at.error[0].value
