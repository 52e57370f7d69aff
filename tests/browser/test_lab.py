"""The learning lab, driven as a visitor of the page does: drift, persona, stop, downloads, replay."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WIDE, App

PATIENT = 60_000
"""Milliseconds that a loaded machine may take."""
MOVED = """before => window.figure.isConnected
    && window.figure.querySelector(".line").getAttribute("points") !== before"""
"""A curve went on in the figure that was there, instead of a new figure being drawn."""
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def app(run_app: Callable[..., App]) -> App:
    """One app without a model for the whole file."""
    return run_app(PREFER_MODEL="none")


def opened(page: Page, app: App) -> Page:
    """Open the lab by its own address."""
    page.goto(f"{app.url}/Learning_lab")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=PATIENT)
    return page


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option of a select box."""
    page.get_by_role("combobox", name=re.compile(label)).first.click()
    page.get_by_role("option", name=option, exact=True).click()


def put(page: Page, label: str, value: int) -> None:
    """Type a number."""
    field = page.get_by_label(label, exact=True)
    field.fill(str(value))
    field.press("Enter")


def saved(page: Page, button: str) -> str:
    """Press a download button and return the file's text."""
    with page.expect_download() as found:
        page.get_by_role("button", name=button).click()
    return Path(found.value.path()).read_text("utf-8")


def test_a_drifting_reader_is_played_drawn_saved_and_replayed(app: App, tab: Callable[..., Page]) -> None:
    """Two learners, one seed, sixty ratings with a window: six figures, rows as CSV, figures, a visitor."""
    page = opened(tab(WIDE), app)
    choose(page, "Simulated reader", "drift")
    expect(page.get_by_text("Drift window, in ratings")).to_be_visible(timeout=PATIENT)
    put(page, "Ratings", 60)
    put(page, "Seeds", 1)
    expect(page.get_by_text("30", exact=True).first).to_be_visible(timeout=PATIENT)  # the window follows the length
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("120 of 120 ratings, done")).to_be_visible(timeout=PATIENT)
    expect(page.locator(".curves")).to_have_count(6, timeout=PATIENT)
    rows = list(csv.DictReader(io.StringIO(saved(page, "Rows (CSV)").removeprefix("\ufeff"))))
    assert len(rows) == 120
    assert {row["learner"] for row in rows} == {"omd", "posterior"}
    figures = saved(page, "Figures (HTML)")
    assert figures.count("<h2>") == 6
    assert "cdn.plot" not in figures.split("<h2>")[0]
    page.get_by_role("button", name="Replay", exact=True).click()
    expect(page.get_by_text("60 rated")).to_be_visible(timeout=PATIENT)
    token = parse_qs(urlsplit(page.url).query)["reader"][0]
    history = app.ledger().record_of(app.ledger().resume(token)).rated
    assert [r.feedback for r in history] == [float(r["feedback"]) for r in rows if r["learner"] == "omd"]


def test_a_real_reviewers_taste_is_stopped_and_kept(app: App, tab: Callable[..., Page]) -> None:
    """Curves go on; Stop ends a long run at once; what was played stays on the page and in the file."""
    page = opened(tab(), app)
    choose(page, "Simulated reader", "persona")
    put(page, "Ratings", 400)
    put(page, "Seeds", 20)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text(re.compile(r"of 16,000 ratings, running"))).to_be_visible(timeout=PATIENT)
    line = page.locator(".curves .line").first
    expect(line).to_be_attached(timeout=PATIENT)
    page.locator(".curves").first.evaluate("figure => { window.figure = figure; }")
    page.wait_for_function(MOVED, arg=line.get_attribute("points"), timeout=PATIENT)
    page.get_by_role("button", name="Stop", exact=True).click()
    told = page.get_by_text(re.compile(r"of 16,000 ratings, stopped"))
    expect(told).to_be_visible(timeout=PATIENT)
    played = int(str(told.inner_text()).split(" of ")[0].replace(",", ""))
    assert 0 < played < 16_000
    assert len(list(csv.DictReader(io.StringIO(saved(page, "Rows (CSV)").removeprefix("\ufeff"))))) == played
