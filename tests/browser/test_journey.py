"""The main journey, played by a person's means: mouse, keyboard, refresh, a second tab."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def app(run_app: Callable[..., App]) -> App:
    """One app without a model for the whole file."""
    return run_app(PREFER_MODEL="none")


def begin(page: Page, app: App) -> str:
    """Start as a visitor; return the token in the address."""
    page.goto(app.url)
    page.get_by_role("button", name="Start as a visitor").click()
    expect(page.get_by_text("What reviewers say, for you")).to_be_visible()
    page.wait_for_url("**reader=**")
    return parse_qs(urlsplit(page.url).query)["reader"][0]


def rate(page: Page, high: bool, count: int) -> None:
    """Set the slider by keyboard, press the button, wait for the next round."""
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("End" if high else "Home")
    expect(page.get_by_test_id("stSliderThumbValue")).to_have_text("100 %" if high else "0 %")
    page.get_by_role("button", name="Rate", exact=True).click()
    expect(page.get_by_text(f"{count} rated")).to_be_visible()


_WATCH = """() => {
    window.widths = [];
    const watch = () => { widths.push(bars.map((bar) => bar.offsetWidth)); requestAnimationFrame(watch); };
    watch();
}"""


def test_bars_glide_to_where_a_rating_moves_them(app: App, tab: Callable[..., Page]) -> None:
    """The bar that a rating moves most is the same element as before, and passes through widths between the two."""
    page = tab()
    begin(page, app)
    expect(page.locator(".bars .number").first).to_have_text(re.compile(r"\d %"))
    page.locator(".bars .bar").evaluate_all("bars => { window.bars = bars; }")
    page.evaluate(_WATCH)
    rate(page, high=True, count=1)
    page.wait_for_timeout(1500)
    assert page.evaluate("bars.every((bar) => bar.isConnected)")
    widths = np.array(page.evaluate("widths"))
    most = int(np.argmax(np.abs(widths[-1] - widths[0])))
    low, high = sorted((widths[0][most], widths[-1][most]))
    between = {width for width in widths[:, most].tolist() if low < width < high}
    assert len(between) >= 2


def test_five_ratings_that_favour_one_aspect_find_it(app: App, tab: Callable[..., Page]) -> None:
    """Rating by one aspect moves w toward it; a refresh and another browser show the same."""
    page = tab()
    token = begin(page, app)
    book = app.ledger()
    session = book.resume(token)
    start = book.record_of(session).opened
    assert start is not None
    favourite = int(np.argmax(start.z))
    for count in range(1, 6):
        shown = book.record_of(session).opened
        assert shown is not None
        rate(page, bool(shown.z[favourite] > 1 / len(shown.z)), count)
    w = book.record_of(session).state.w
    assert np.argmax(w) == favourite
    assert w[favourite] > 1.5 / len(w)
    page.reload()
    expect(page.get_by_text("5 rated")).to_be_visible()
    other = tab()
    other.goto(f"{app.url}/?reader={token}")
    other.get_by_role("button", name="Go on").click()
    expect(other.get_by_text("5 rated")).to_be_visible()
    assert book.counts()["ratings"] >= 5


def test_a_double_click_counts_once(app: App, tab: Callable[..., Page]) -> None:
    """Two fast clicks on the button are one rating."""
    page = tab()
    token = begin(page, app)
    page.get_by_role("button", name="50 % is right").click()
    expect(page.get_by_role("button", name="Rate", exact=True)).to_be_enabled()
    page.get_by_role("button", name="Rate", exact=True).dblclick()
    expect(page.get_by_text("1 rated")).to_be_visible()
    page.wait_for_timeout(1500)
    session = app.ledger().resume(token)
    assert len(app.ledger().record_of(session).rated) == 1


def test_a_second_tab_cannot_rate_a_summary_that_was_replaced(app: App, tab: Callable[..., Page]) -> None:
    """Two tabs of one reader: the one left behind is told, and nothing is counted twice."""
    page = tab()
    token = begin(page, app)
    second = page.context.new_page()
    second.goto(f"{app.url}/Rate_summaries?reader={token}")
    expect(second.get_by_text("What reviewers say, for you")).to_be_visible()
    second.get_by_role("button", name="50 % is right").click()
    expect(second.get_by_role("button", name="Rate", exact=True)).to_be_enabled()
    rate(page, high=True, count=1)
    second.get_by_role("button", name="Rate", exact=True).click()
    expect(second.get_by_text("rated already").or_(second.get_by_text("was opened since"))).to_be_visible()
    assert len(app.ledger().record_of(app.ledger().resume(token)).rated) == 1


def test_a_round_can_be_rated_without_a_mouse(app: App, tab: Callable[..., Page]) -> None:
    """Tab leads from the slider to the button; arrows, Enter; then the next round's slider has the keyboard."""
    page = tab()
    token = begin(page, app)
    slider = page.get_by_role("slider", name="How useful is this summary to you?")
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("stSliderThumbValue")).to_have_text("60 %")
    expect(page.get_by_role("button", name="Rate", exact=True)).to_be_enabled()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Rate", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Last rating 60 %")).to_be_visible()
    expect(page.get_by_role("slider", name="How useful is this summary to you?")).to_be_focused()
    expect(page.get_by_test_id("stSliderThumbValue")).to_have_text("50 %")
    session = app.ledger().resume(token)
    assert [rated.feedback for rated in app.ledger().record_of(session).rated] == [0.6]


def test_the_round_takes_one_line_and_figures_can_be_taken_along_by_name(app: App, tab: Callable[..., Page]) -> None:
    """After a rating nothing of the panel's head wraps on a laptop, and each download says what it is of."""
    page = tab()
    begin(page, app)
    rate(page, high=True, count=1)
    for text in ("Round 2", "What you care about", "How it moved, rating by rating"):
        box = page.get_by_text(text, exact=text != "Round 2").first.bounding_box()
        assert box is not None
        assert box["height"] < 30, text
    for name in ("Figure preferences, HTML", "Numbers of preferences-over-ratings, CSV"):
        expect(page.get_by_role("button", name=name)).to_be_visible()
    with page.expect_download() as taken:
        page.get_by_role("button", name="Numbers of preferences, CSV").click()
    assert len(Path(taken.value.path()).read_text(encoding="utf-8").splitlines()) > 20


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_follow_the_system(app: App, tab: Callable[..., Page], scheme: Literal["light", "dark"]) -> None:
    """Ground and text are apart in either look, and figures and marks are turned over together in the dark."""
    page = tab()
    page.emulate_media(color_scheme=scheme)
    begin(page, app)
    expect(page.locator(".bars .bar").first).to_be_visible()
    ground, ink, *turned = (
        page.locator(what).first.evaluate(f"element => getComputedStyle(element).{style}")
        for what, style in (
            (".stApp", "backgroundColor"), (".p-title", "color"), (".bars .bar", "filter"), (".p-chip", "filter"),
            (".p-dot", "filter"),
        )
    )  # fmt: skip
    bright = [sum(map(int, re.findall(r"\d+", value)[:3])) / 765 for value in (ground, ink)]
    assert (max(bright) - min(bright)) > 0.7
    assert (bright[0] < bright[1]) == (scheme == "dark")
    assert len(set(turned)) == 1
    assert ("invert" in turned[0]) == (scheme == "dark")


def test_nobody_sees_a_stack_trace(app: App) -> None:
    """After all of this the server has logged no traceback."""
    assert "Traceback" not in app.log()
