"""The points of a summary in a browser: counts that open, corrections that stay, and room for all of it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import LAPTOP, App
from tests.browser.test_journey import begin, rate

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NOT_SAID, NOTED = "This one does not say that", "Noted. Take back"


@pytest.fixture(scope="module")
def app(run_app: Callable[..., App], counted_corpus: Path) -> App:
    """One app without a model, on reviews whose points are counted."""
    return run_app(PREFER_MODEL="none", PREFER_CORPUS=str(counted_corpus))


def counts(page: Page):  # type: ignore[no-untyped-def]
    """Return the counts that can be pressed."""
    return page.locator(".st-key-points").get_by_role("button")


def choose(page: Page, product: str) -> None:
    """Open another product by typing a part of its name."""
    text = page.locator(".p-text").first
    before = text.inner_text()
    page.get_by_role("combobox", name="Product").fill(product)
    page.keyboard.press("Enter")
    expect(text).not_to_have_text(before, use_inner_text=True)


def drawn(page: Page, found: Locator) -> int:
    """Return how many there are once no more come: a page is drawn piece by piece."""
    expect(found.first).to_be_visible()
    before = -1
    while before != found.count():
        before = found.count()
        page.wait_for_timeout(1000)
    return before


def test_a_count_opens_and_a_correction_outlives_a_reload(app: App, tab: Callable[..., Page]) -> None:
    """Product, count, sentence, correction; after a reload the sentence is still noted, and can be taken back."""
    page = tab(LAPTOP)
    begin(page, app)
    choose(page, "Headphones")
    drawn(page, counts(page))
    before = counts(page).all_inner_texts()
    counts(page).first.click()
    dialog = page.get_by_role("dialog")
    offered = dialog.get_by_role("button", name=NOT_SAID)
    said = drawn(page, offered)
    offered.nth(1).click()
    expect(dialog.get_by_role("button", name=NOTED)).to_have_count(1)
    expect(offered).to_have_count(said - 1)
    assert len(app.ledger().corrections()) == 1
    page.reload()
    drawn(page, counts(page))
    assert counts(page).all_inner_texts() == before, "a correction changes no count"
    counts(page).first.click()
    expect(dialog.get_by_role("button", name=NOTED)).to_have_count(1)
    dialog.get_by_role("button", name=NOTED).click()
    expect(offered).to_have_count(said)
    assert app.ledger().corrections() == []


def rest(page: Page) -> None:
    """Wait until the page is drawn whole: what still comes would close an open list, or open a closed window."""
    for _ in range(2):  # a part of the page may ask for one more run as it appears
        page.locator('[data-test-script-state="notRunning"]').wait_for()
        page.wait_for_timeout(500)


def test_a_count_can_be_corrected_by_keyboard_alone(app: App, tab: Callable[..., Page]) -> None:
    """Enter opens the list, Tab leads through it, Enter corrects, Escape closes and gives the page back."""
    page = tab(LAPTOP)
    begin(page, app)
    counts(page).first.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name=NOT_SAID).first).to_be_visible()
    for _ in range(6):
        page.keyboard.press("Tab")
        if dialog.get_by_role("button", name=NOT_SAID).first.evaluate("b => b === document.activeElement"):
            break
    expect(dialog.get_by_role("button", name=NOT_SAID).first).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("button", name=NOTED)).to_have_count(1)
    rest(page)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Rate", exact=True)).to_be_visible()
    rate(page, high=True, count=1)
    expect(dialog).to_have_count(0)


def test_paragraph_points_slider_and_bars_fit_a_laptop_screen(app: App, tab: Callable[..., Page]) -> None:
    """At 1280x800 all of a summary of four points is on the screen, in the first round and in the next."""
    page = tab(LAPTOP)
    begin(page, app)
    for count in (0, 1):
        if count:
            rate(page, high=True, count=count)
        expect(page.locator(".st-key-points .p-clause")).to_have_count(4)
        for part in (".p-text", ".st-key-points", ".bars"):
            box = page.locator(part).first.bounding_box()
            assert box is not None
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= 800, part
        for button in (page.get_by_role("slider"), page.get_by_role("button", name="Rate", exact=True)):
            box = button.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= 800


@pytest.mark.parametrize(("width", "height"), [(390, 844), (640, 400), (195, 422)])
def test_a_phone_and_a_zoomed_page_can_be_used(app: App, tab: Callable[..., Page], width: int, height: int) -> None:
    """Nothing sticks out to the side, and the product can be pressed: no header lies over it."""
    page = tab({"width": width, "height": height})
    begin(page, app)
    rest(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    product = page.get_by_role("combobox", name="Product")
    box = product.bounding_box()
    assert box is not None
    product.click(timeout=20_000)
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Escape")
    begins = page.locator(".p-title").bounding_box()
    assert begins is not None
    assert begins["y"] > box["y"]


def test_starting_over_closes_its_popup(app: App, tab: Callable[..., Page]) -> None:
    """After Start over the new summary is free, and the page says what happened."""
    page = tab(LAPTOP)
    begin(page, app)
    page.get_by_role("button", name="Reader ").click()
    page.get_by_role("button", name="Start over", exact=True).click()
    expect(page.get_by_text("You start over as a new reader")).to_be_visible()
    expect(page.get_by_role("button", name="Start over", exact=True)).not_to_be_visible()


def test_nobody_sees_a_stack_trace(app: App) -> None:
    """After all of this the server has logged no traceback."""
    assert "Traceback" not in app.log()
