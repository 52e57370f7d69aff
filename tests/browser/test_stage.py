"""The stage, walked by clicker, and every page, in a browser that reaches nothing but this computer."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import App

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SCREEN = {"width": 1920, "height": 1080}
SMALLEST = """() => {
    const roots = [document.querySelector('.stMain'), ...[...document.querySelectorAll('.stMain *')]
        .map(e => e.shadowRoot).filter(Boolean)];
    const sizes = [];
    for (const root of roots) for (const e of root.querySelectorAll('*')) {
        const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
        const box = e.getBoundingClientRect();
        const there = !['STYLE', 'SCRIPT'].includes(e.tagName) && e.checkVisibility({visibilityProperty: true});
        const scale = e.ownerSVGElement ? e.ownerSVGElement.getBoundingClientRect().width / 800 : 1;
        if (own && there && box.width > 2 && box.height > 2 && !e.closest('[data-testid="stIconMaterial"]'))
            sizes.push([parseFloat(getComputedStyle(e).fontSize) * scale, e.textContent.trim().slice(0, 40)]);
    }
    return sizes.sort((a, b) => a[0] - b[0])[0];
}"""


@pytest.fixture(scope="module")
def app(run_app: Callable[..., App]) -> App:
    """One app without a model."""
    return run_app(PREFER_MODEL="none")


def alone(page: Page, app: App) -> list[str]:
    """Let a tab reach the app only; return what else it asks for."""
    elsewhere: list[str] = []

    def only_here(route: Route) -> None:
        if route.request.url.startswith((app.url, "data:", "blob:")):
            route.continue_()
        else:
            elsewhere.append(route.request.url)
            route.abort()

    page.context.route("**/*", only_here)
    return elsewhere


def test_the_default_script_is_walked_by_clicker_without_a_network(app: App, tab: Callable[..., Page]) -> None:
    """Page Down leads through every scene; nothing is below 20 px, nothing needs scrolling, no other host is asked."""
    page = tab(SCREEN)
    page.set_default_timeout(120_000)
    elsewhere = alone(page, app)
    page.goto(f"{app.url}/?present=1")
    for scene in range(1, 10):
        expect(page.get_by_text(f"Scene {scene} of 9")).to_be_visible(timeout=120_000)
        expect(page.locator(".s-heading")).to_be_visible()
        if scene in (4, 5, 9):
            expect(page.get_by_text("How useful is this summary to you?")).to_be_visible(timeout=120_000)
            expect(page.locator(".bar").first).to_be_attached(timeout=120_000)
        size, text = page.evaluate(SMALLEST)
        assert size >= 20, text
        assert page.evaluate("document.querySelector('.stMain').scrollHeight - innerHeight") <= 20, scene
        assert page.locator('[data-testid="stSidebar"]').count() == 0 or not page.get_by_text("Rate summaries").count()
        if scene == 8:
            expect(page.get_by_alt_text("The link as a code to scan")).to_be_visible(timeout=120_000)
        if scene < 9:
            page.keyboard.press(("PageDown", "ArrowRight", "Space")[scene % 3])
    page.keyboard.press("PageUp")
    expect(page.get_by_text("Scene 8 of 9")).to_be_visible(timeout=120_000)
    page.keyboard.press("n")
    expect(page.get_by_text("Phones need the network of this computer")).to_be_visible(timeout=120_000)
    page.keyboard.press("n")
    ground = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    assert page.evaluate(ground) == "rgb(15, 15, 22)"
    page.keyboard.press("t")
    page.wait_for_function(f"{ground} === 'rgb(255, 255, 255)'")
    page.keyboard.press("b")
    assert page.locator("#stage-blank").count() == 1
    page.keyboard.press("b")
    assert page.locator("#stage-blank").count() == 0
    # A phone rates what is on the screen, on its own small page.
    link = page.locator(".s-link").inner_text()
    phone = tab({"width": 390, "height": 844})
    phone.goto(f"http://127.0.0.1:{link.split(':')[1]}")
    phone.get_by_role("slider").focus()
    phone.keyboard.press("End")
    phone.get_by_role("button", name="Rate").click()
    expect(phone.get_by_text("Thank you. Watch the screen.")).to_be_visible()
    expect(page.get_by_text("1 rated this summary, 100 % on average")).to_be_visible(timeout=120_000)
    assert elsewhere == []
    assert "Traceback" not in app.log()


def test_no_page_asks_another_computer(app: App, tab: Callable[..., Page]) -> None:
    """Every page stands with a browser that reaches nothing but the app, from its first byte on."""
    page = tab()
    page.set_default_timeout(120_000)
    elsewhere = alone(page, app)
    titles = {
        "": "Review summaries that learn", "Rate_summaries": "Rate summaries", "Compare_profiles": "Compare profiles",
        "Aspect_space": "Aspect space", "Learning_lab": "Learning lab", "Corpus": "Corpus", "Study": "Study",
        "System": "System",
    }  # fmt: skip
    for path, title in titles.items():
        page.goto(f"{app.url}/{path}")
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible(timeout=120_000)
        page.wait_for_load_state("networkidle")
    assert elsewhere == []


AT_FIRST_SIGHT = """addEventListener("DOMContentLoaded", () => {
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    const seen = new MutationObserver(() => {
        if (!document.querySelector(".s-where")?.checkVisibility({visibilityProperty: true})) return;
        seen.disconnect();
        window.pressedAt = document.querySelector(".s-where").textContent;
        for (const key of ["PageDown", "ArrowRight", "PageDown", "PageUp"]) press(key);
    });
    seen.observe(document, {subtree: true, childList: true, attributes: true});
})"""


@pytest.mark.parametrize("slower", [1, 6])
def test_no_press_of_the_clicker_is_lost(app: App, tab: Callable[..., Page], slower: int) -> None:
    """Each of four presses at the first sight of the first scene counts, on a fast and on a slow computer."""
    page = tab(SCREEN)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.add_init_script(AT_FIRST_SIGHT)
    page.goto(f"{app.url}/?present=1")
    expect(page.get_by_text("Scene 3 of 9")).to_be_visible(timeout=120_000)
    assert page.evaluate("window.pressedAt").startswith("Scene 1 of 9")
    for key in ("PageDown", "PageDown", "PageDown", "PageUp"):
        page.keyboard.press(key)
    expect(page.get_by_text("Scene 5 of 9")).to_be_visible(timeout=120_000)
    # At the first scene nothing is behind: such a press is not kept for later.
    for key in ("PageUp",) * 6 + ("PageDown",):
        page.keyboard.press(key)
    expect(page.get_by_text("Scene 2 of 9")).to_be_visible(timeout=120_000)
    page.wait_for_timeout(1500)
    expect(page.get_by_text("Scene 2 of 9")).to_be_visible()
    assert "Traceback" not in app.log()
