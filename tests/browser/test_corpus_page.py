"""The corpus page in a browser: every part draws, a figure and a table are taken along."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import LAPTOP, App

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_every_part_draws_and_is_taken_along(run_app: Callable[..., App], tab: Callable[..., Page]) -> None:
    """Points, bars and maps stand on the page; a downloaded figure holds its own drawing code, a table its numbers."""
    app = run_app(PREFER_MODEL="none")
    page = tab(LAPTOP)
    page.goto(f"{app.url}/Corpus")
    expect(page.get_by_text("What is left after preparation")).to_be_visible()
    with page.expect_download() as taken:
        page.get_by_role("button", name="All four tables (CSV)").click()
    with Path(taken.value.path()).open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    ratings = {row["column"]: row["value"] for row in rows if row["statistic"] == "Ratings"}
    assert {column: float(value) for column, value in ratings.items()} == {"here": 1_260, "paper": 701_500}
    page.get_by_role("radio", name="Reviewers").click()
    expect(page.get_by_text("Is it taste or chance?")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(6)
    expect(page.locator(".scatterlayer .point")).not_to_have_count(0)
    with page.expect_download() as taken:
        page.get_by_test_id("stDownloadButton").first.get_by_role("button").click()
    assert taken.value.suggested_filename == "sample-sentences-reviewers.html"
    text = Path(taken.value.path()).read_text(encoding="utf-8")
    assert "normalised entropy" in text
    assert 'src="http' not in text
    assert len(text) > 1_000_000
    page.get_by_role("radio", name="Sentences or reviews").click()
    expect(page.get_by_text("--unit review")).to_be_visible()
    page.get_by_role("radio", name="Time and memory").click()
    expect(page.get_by_text("compare rates, not seconds")).to_be_visible()
    assert "Traceback" not in app.log()
