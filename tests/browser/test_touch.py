"""Rating by hand: nothing is rated untouched, by mouse, finger or key; a finger that scrolls moves nothing."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import App

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def app(run_app: Callable[..., App]) -> App:
    """One app without a model for the whole file."""
    return run_app(PREFER_MODEL="none")


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """A phone with a touch screen."""
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield page
    context.close()


def begin(page: Page, app: App) -> str:
    """Start as a visitor; return the token in the address."""
    page.goto(app.url)
    page.get_by_role("button", name="Start as a visitor").click()
    expect(page.get_by_text("What reviewers say, for you")).to_be_visible()
    page.wait_for_url("**reader=**")
    expect(page.get_by_role("slider")).to_be_attached()
    page.get_by_role("slider").scroll_into_view_if_needed()
    page.wait_for_timeout(500)  # the page has come to rest
    return parse_qs(urlsplit(page.url).query)["reader"][0]


def rate_button(page: Page) -> Locator:
    """Return the button that rates."""
    return page.get_by_role("button", name="Rate", exact=True)


def expect_untouched(page: Page) -> None:
    """Wait for the next summary's button, which is off; for a moment the last one's stands beside it."""
    expect(rate_button(page)).to_have_count(1)
    expect(rate_button(page)).to_be_disabled()


def value(page: Page) -> int:
    """Return where the slider stands."""
    return int(page.get_by_role("slider").input_value())


def middle(page: Page) -> tuple[float, float]:
    """Return the middle of the slider's track, where the handle stands at 50."""
    box = page.locator('[class*="st-key-feedback-"] [role="group"]').bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def swipe(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Move one finger from here to there, as a touch screen reports it."""
    screen: Any = page.context.new_cdp_session(page)

    def tell(kind: str, *points: tuple[float, float]) -> None:
        screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    tell("touchStart", start)
    steps = 12
    for step in range(1, steps + 1):
        tell("touchMove", tuple(a + (b - a) * step / steps for a, b in zip(start, end, strict=True)))  # type: ignore[arg-type]
        page.wait_for_timeout(16)
    tell("touchEnd")
    page.wait_for_timeout(400)


def scrolled(page: Page) -> float:
    """Return how far the page is scrolled."""
    return float(page.evaluate("""document.querySelector('[data-testid="stMain"]').scrollTop"""))


def test_a_finger_that_scrolls_moves_no_rating(app: App, phone: Page) -> None:
    """A swipe up that begins on the handle, or beside it on the track, scrolls the page; the slider stays untouched."""
    begin(phone, app)
    x, y = middle(phone)
    for beside in (0, 110):
        before = scrolled(phone)
        swipe(phone, (x + beside, y), (x + beside + 6, y - 260))
        assert scrolled(phone) > before + 100
        assert value(phone) == 50
        expect(rate_button(phone)).to_be_disabled()
        phone.get_by_role("slider").scroll_into_view_if_needed()
        phone.wait_for_timeout(300)
        x, y = middle(phone)


def test_a_finger_sideways_rates(app: App, phone: Page) -> None:
    """Drawing the handle to the right, and a tap on the track, move it; then Rate is on and the start is logged."""
    token = begin(phone, app)
    expect(rate_button(phone)).to_be_disabled()
    x, y = middle(phone)
    swipe(phone, (x, y), (x + 100, y + 4))
    drawn = value(phone)
    assert 70 <= drawn <= 90
    expect(rate_button(phone)).to_be_enabled()
    x, y = middle(phone)
    phone.touchscreen.tap(x - 100, y)
    phone.wait_for_timeout(400)
    tapped = value(phone)
    assert 10 <= tapped <= 30
    rate_button(phone).tap()
    expect(phone.get_by_text("1 rated")).to_be_visible()
    expect_untouched(phone)
    session = app.ledger().resume(token)
    [row] = [row for row in app.ledger().export() if row["reader"] == session.pseudonym and row["feedback"] is not None]
    assert (row["feedback"], row["slider_start"]) == (tapped / 100, 0.5)


@pytest.mark.parametrize("means", ["button", "handle", "key", "there and back"])
def test_the_start_value_can_be_chosen(app: App, tab: Callable[..., Page], means: str) -> None:
    """By its own button, a press on the handle, a key that changes nothing, or a move away and back."""
    page = tab()
    token = begin(page, app)
    expect(rate_button(page)).to_be_disabled()
    if means == "button":
        page.get_by_role("button", name="50 % is right").click()
    elif means == "handle":
        page.mouse.click(*middle(page))
    else:
        page.get_by_role("slider").focus()
        for key in ["Enter"] if means == "key" else ["ArrowRight", "ArrowLeft"]:
            page.keyboard.press(key)
    expect(rate_button(page)).to_be_enabled()
    assert value(page) == 50
    rate_button(page).click()
    expect(page.get_by_text("1 rated")).to_be_visible()
    expect_untouched(page)
    assert [rated.feedback for rated in app.ledger().record_of(app.ledger().resume(token)).rated] == [0.5]


def test_a_tap_on_the_handle_chooses_the_start_value(app: App, phone: Page) -> None:
    """On a phone a tap on the handle says that it stands right."""
    begin(phone, app)
    phone.touchscreen.tap(*middle(phone))
    expect(rate_button(phone)).to_be_enabled()
    assert value(phone) == 50


def test_words_beside_the_slider_are_no_touch(app: App, tab: Callable[..., Page]) -> None:
    """A click on the question, and a Tab through slider and buttons, leave Rate off."""
    page = tab()
    begin(page, app)
    page.get_by_text("How useful is this summary to you?").click()
    page.get_by_role("slider").focus()
    page.keyboard.press("Tab")
    page.wait_for_timeout(500)
    expect(rate_button(page)).to_be_disabled()


def test_after_undo_and_another_page_the_slider_is_untouched_again(app: App, tab: Callable[..., Page]) -> None:
    """A slider that stands at its start once more must be touched once more."""
    page = tab()
    begin(page, app)
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    expect(rate_button(page)).to_be_enabled()
    page.get_by_role("link", name="System").click()
    expect(page.get_by_role("heading").first).to_be_visible()
    page.get_by_role("link", name="Rate summaries").click()
    expect(page.get_by_role("slider")).to_be_attached()
    expect(rate_button(page)).to_be_disabled()
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    expect(rate_button(page)).to_be_enabled()
    rate_button(page).click()
    expect(page.get_by_text("1 rated")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("0 rated")).to_be_visible()
    expect_untouched(page)
