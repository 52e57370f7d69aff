"""The aspect space page in a browser: cards, clouds and maps draw, a figure's numbers are taken along."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from prefer_core.corpus import open_corpus
from tests.browser.conftest import LAPTOP, App

WATCH = """bar => {
    window.seen = [];
    const look = () => {
        const width = bar.getBoundingClientRect().width;
        if (bar.isConnected && width !== seen.at(-1)) seen.push(width);
        requestAnimationFrame(look);
    };
    look();
}"""
"""Keeps every width that a bar has on its way."""
pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_every_part_draws_and_its_numbers_are_taken_along(
    run_app: Callable[..., App], tab: Callable[..., Page], sample_corpus: Path
) -> None:
    """Every aspect has a card; bars glide to those of the next; the cloud draws; numbers are those of the corpus."""
    corpus = open_corpus(sample_corpus)
    app = run_app(PREFER_MODEL="none")
    page = tab(LAPTOP)
    page.goto(f"{app.url}/Aspect_space")
    expect(page.locator(".p-aspects .p-card")).to_have_count(corpus.n_aspects)
    page.locator(".st-key-slices .bar").nth(1).evaluate(WATCH)
    page.get_by_test_id("stButtonGroup").get_by_text(corpus.labels[2], exact=True).click()
    expect(page.get_by_text(f"{100 * corpus.aspects['shares'][2]:.0f} % of all that is written")).to_be_visible()
    expect(page.locator(".p-line")).to_have_count(5)
    page.wait_for_function("seen.length > 8")
    widths = page.evaluate("seen")
    assert sorted(widths) in (widths, widths[::-1]), "the bar that was there glides from one width to the other"
    page.get_by_role("radio", name="How much of each").click()
    expect(page.get_by_text("Where an aspect is thin")).to_be_visible()
    with page.expect_download() as taken:
        page.get_by_test_id("stDownloadButton").nth(1).get_by_role("button").click()
    with Path(taken.value.path()).open(encoding="utf-8-sig", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["series"] == "sentences"]
    assert [float(row["x"]) for row in rows] == pytest.approx([100 * share for share in corpus.aspects["shares"]])
    for part, drawn in (("Map", ".gl-container canvas"), ("How sharp", ".heatmaplayer image"), ("How many", ".point")):
        page.get_by_role("radio", name=part, exact=True).click()
        expect(page.locator(drawn)).not_to_have_count(0)
    page.get_by_role("radio", name="Embeddings").click()
    expect(page.locator(".js-plotly-plot")).to_have_count(3)
    assert "Traceback" not in app.log()
