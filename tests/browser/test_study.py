"""A study played in a browser: a participant's way with a refresh and a killed server, and a researcher's."""

import io
import os
import signal
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from prefer_core.store import StudyBook
from tests.browser.conftest import App

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DEFINITION = """
[study]
name = "journey"
title = "Journey"
corpus = "sample"
rounds = 5
participants = 4
consent = "Do you agree?"
completion_code = "C-77"

[products]
in_a_row = 5

[[arms]]
name = "arm-learns"

[[arms]]
name = "arm-generic"
learner = "static"

[quality]
repeats = 0

[[after]]
name = "remarks"
text = "Anything?"
kind = "text"
"""


def rate(page: Page) -> None:
    """Move the slider by keyboard and send."""
    _begun(page)
    slider, send = page.get_by_role("slider"), page.get_by_role("button", name="Send")
    before = page.locator('[role="progressbar"]').first.get_attribute("aria-valuenow")
    slider.focus()
    page.keyboard.press("End")
    expect(send).to_be_enabled()
    send.click()
    expect(page.locator('[role="progressbar"]').first).not_to_have_attribute("aria-valuenow", str(before))


def _begun(page: Page) -> None:
    """Wait until the round before is gone from the screen: its button is enabled, that of a new round is not."""
    expect(page.locator("button:enabled", has_text="Send")).to_have_count(0)
    expect(page.get_by_role("slider")).to_have_count(1)


def summary(page: Page) -> str:
    """Return the text of the round that has just begun."""
    _begun(page)
    return page.locator(".p-text").first.inner_text()


def test_a_study_from_definition_to_data(run_app: Callable[..., App], tab: Callable[..., Page]) -> None:
    """Define, invite, take part with a refresh and a killed server between, monitor, close, export."""
    app = run_app(PREFER_MODEL="none")
    desk = tab()
    desk.goto(f"{app.url}/Study")
    desk.get_by_role("textbox", name="Definition").fill(DEFINITION)
    desk.keyboard.press("Control+Enter")
    desk.get_by_role("button", name="Keep").click()
    expect(desk.get_by_text("Kept: journey")).to_be_visible()

    phone = tab({"width": 390, "height": 844})
    phone.goto(f"{app.url}/Study?join=journey")
    phone.get_by_role("button", name="I agree and take part").click()
    expect(phone.get_by_text("This is for practice")).to_be_visible()
    phone.wait_for_url("**p=**")
    link = phone.url
    rate(phone)
    rate(phone)
    text = summary(phone)
    phone.reload()
    expect(phone.locator(".p-text").first).to_have_text(text)
    rate(phone)
    text = summary(phone)

    os.kill(app.process.pid, signal.SIGKILL)
    app.process.wait(10)
    again = run_app(PREFER_MODEL="none", PREFER_DATABASE_URL=f"sqlite:///{app.home / 'ledger.db'}")
    phone = tab({"width": 390, "height": 844})
    phone.goto(link.replace(app.url, again.url))
    expect(phone.locator(".p-text").first).to_have_text(text)
    for _ in range(3):
        for hidden in ("arm-learns", "arm-generic", "omd"):
            assert hidden not in phone.content()
            assert hidden not in phone.url
        expect(phone.get_by_role("link", name="Compare profiles")).to_have_count(0)
        rate(phone)
    phone.get_by_role("textbox", name="Anything?").fill("=1+1 \u05e9\u05dc\u05d5\u05dd 🙂")
    phone.get_by_role("button", name="Go on").click()
    expect(phone.get_by_text("C-77")).to_be_visible()

    book = StudyBook(f"sqlite:///{app.home / 'ledger.db'}")
    [record] = book.records(book.study("journey"))
    rated = [one.slot for one in record.placed if one.feedback == 1.0]
    assert rated == ["practice", *(f"round-{i}" for i in range(1, 6))]

    desk = tab()
    desk.goto(f"{again.url}/Study")
    desk.get_by_text("Monitor", exact=True).click()
    expect(desk.get_by_text("Ratings a minute")).to_be_visible()
    desk.get_by_role("button", name="Close the study").click()
    expect(desk.get_by_text("Mean rating of each arm by round.").first).to_be_visible()
    desk.get_by_text("Export", exact=True).click()
    desk.get_by_role("button", name="Prepare the export").click()
    with desk.expect_download() as taken:
        desk.get_by_role("button", name="Download export.zip").click()
    with zipfile.ZipFile(io.BytesIO(Path(taken.value.path()).read_bytes())) as archive:
        assert "'=1+1 \u05e9\u05dc\u05d5\u05dd 🙂" in archive.read("wide.csv").decode("utf-8-sig")
    assert "Traceback" not in again.log()
