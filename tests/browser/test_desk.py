"""One journey over the comparison page: a desk is made, taken along, and brought back in another tab."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def test_a_desk_is_made_taken_along_and_brought_back(
    run_app: Callable[..., App], tab: Callable[..., Page], tmp_path: Path
) -> None:
    """The report opens without the app and reaches for nothing; its desk comes back with columns and settings."""
    app = run_app(PREFER_MODEL="none")
    page = tab()
    page.goto(f"{app.url}/Compare_profiles?profile=theme-1&profile=theme-3.gumbel&k=3")
    expect(page.get_by_text("A · ", exact=False).first).to_be_visible()
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("menuitem", name="One more profile").or_(page.get_by_text("One more profile")).first.click()
    expect(page.get_by_role("button", name="C · ")).to_be_visible()
    page.get_by_role("radio", name="Why two differ").click()
    expect(page.locator(".p-why tbody tr").first).to_be_visible()
    expect(page.locator(".p-words ins").first).to_be_visible()
    with page.expect_download() as taken:
        page.get_by_role("button", name="Whole desk (report, HTML)").click()
    report = tmp_path / "desk.html"
    taken.value.save_as(report)

    asked: list[str] = []
    alone = tab()
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(report.as_uri())
    expect(alone.locator(".p-heat").first).to_be_visible()
    expect(alone.locator(".p-why tbody tr").first).to_be_visible()
    assert asked == [report.as_uri()]

    other = tab()
    other.goto(f"{app.url}/Compare_profiles")
    expect(other.get_by_role("button", name="C · No preference")).to_be_visible()
    other.locator('input[type="file"]').set_input_files(report)
    expect(other.get_by_role("button", name="B · ").filter(has_text="Gumbel")).to_be_visible()
    expect(other.get_by_role("spinbutton", name="Points")).to_have_value("3")
    other.reload()
    expect(other.get_by_role("button", name="B · ").filter(has_text="Gumbel")).to_be_visible()
