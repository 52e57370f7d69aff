"""Facts about the pages, played through Streamlit's own test client on a real corpus."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from prefer_core.store import Ledger
from tests.ui.parts import bars

ROOT = Path(__file__).resolve().parents[2]
RATE = "pages/1_Rate_summaries.py"
SYSTEM = "pages/8_System.py"
HEAVY = ("torch", "sentence_transformers", "llama_cpp", "sklearn")


def press(at: AppTest, label: str) -> AppTest:
    """Press a button by its label."""
    return next(b for b in at.button if b.label == label).click().run()


def visible(at: AppTest) -> str:
    """Return all text on the page."""
    pieces = [*at.markdown, *at.caption, *at.info, *at.error, *at.warning]
    return "\n".join([*(str(p.value) for p in pieces), *(h.proto.body for h in at.get("html"))])


def start(app: Callable[[], AppTest]) -> AppTest:
    """Begin as a visitor and go to the rating page."""
    at = press(app().run(), "Start as a visitor")
    assert not at.exception
    return at.switch_page(RATE).run()


def rate(at: AppTest, value: int) -> AppTest:
    """Set the slider and rate."""
    at.slider[0].set_value(value).run()
    return press(at, "Rate")


def ledger(home: Path) -> Ledger:
    """Open the ledger that the app writes."""
    return Ledger(f"sqlite:///{home / 'ledger.db'}")


def test_home_says_what_this_is_and_starts(app: Callable[[], AppTest]) -> None:
    """A newcomer reads one sentence, what is kept, and can start; nothing is written before."""
    at = app().run()
    assert not at.exception
    text = visible(at)
    assert "learn what you care about" in text
    assert "What is kept on this computer" in text
    assert "written for this app" in text
    assert "without a model" in text


def test_the_rating_page_without_a_reader_offers_a_start(app: Callable[[], AppTest]) -> None:
    """A deep link with no session is an invitation, not an error."""
    at = app().run().switch_page(RATE).run()
    assert not at.exception
    at = press(at, "Start as a visitor")
    assert at.slider
    assert "Evidence" in visible(at)


def test_five_ratings_move_the_preference_and_a_refresh_keeps_it(
    app: Callable[[], AppTest], private_home: Path
) -> None:
    """What the page shows is what the ledger replays; a new tab with the token is where the old one was."""
    at = start(app)
    for value in (90, 20, 75, 40, 100):
        at = rate(at, value)
        assert not at.exception
        assert not at.error
    token = at.query_params["reader"][0] if isinstance(at.query_params["reader"], list) else at.query_params["reader"]
    book = ledger(private_home)
    session = book.resume(token)
    history = book.record_of(session).rated
    assert [r.feedback for r in history] == [0.9, 0.2, 0.75, 0.4, 1.0]
    assert "· 5 rated" in visible(at)
    np.testing.assert_allclose([row["now"] for row in bars(at)], book.record_of(session).state.w)
    np.testing.assert_allclose([row["before"] for row in bars(at)], history[-2].w_after)

    again = app()
    again.query_params["reader"] = token
    again = again.run().switch_page(RATE)
    again.query_params["reader"] = token
    again = again.run()
    assert "· 5 rated" in visible(again)
    assert book.record_of(session).opened.number == 6  # type: ignore[union-attr]


def test_undo_takes_back_the_latest_rating(app: Callable[[], AppTest], private_home: Path) -> None:
    """After Undo the round that was rated is open again and the preference is as before."""
    at = start(app)
    at = rate(at, 90)
    at = press(at, "Undo")
    assert not at.exception
    assert "· 0 rated" in visible(at)
    assert ledger(private_home).counts()["rounds"] >= 1


def test_changing_the_product_keeps_the_count(app: Callable[[], AppTest]) -> None:
    """Another product opens another summary in the same round; going back shows the first one again."""
    at = start(app)
    first = [h.proto.body for h in at.get("html") if "p-card" in h.proto.body]
    products = at.selectbox[0].options
    at = at.selectbox[0].select_index(1).run()
    other = [h.proto.body for h in at.get("html") if "p-card" in h.proto.body]
    assert other != first
    assert len(products) == 15
    assert "Round **1**" in visible(at)
    at = at.selectbox[0].select_index(0).run()
    assert [h.proto.body for h in at.get("html") if "p-card" in h.proto.body] == first


def test_deleting_removes_every_row_and_says_so(app: Callable[[], AppTest], private_home: Path) -> None:
    """The button waits for the tick; afterwards the ledger holds nothing of the reader and the page says it."""
    at = rate(start(app), 80)
    assert next(b for b in at.button if b.label == "Delete my data").disabled
    at = next(c for c in at.checkbox if c.label.startswith("Yes, delete")).check().run()
    at = press(at, "Delete my data")
    assert not at.exception
    assert "Deleted:" in visible(at)
    assert "1 ratings" in visible(at)
    counts = ledger(private_home).counts()
    assert (counts["sessions"], counts["rounds"], counts["ratings"], counts["deletions"]) == (0, 0, 0, 1)


def test_starting_over_is_a_new_reader(app: Callable[[], AppTest], private_home: Path) -> None:
    """Start over gives another pseudonym without ratings; the old rows stay."""
    at = rate(start(app), 80)
    at.session_state["account"] = True
    at = press(at.run(), "Start over")
    assert at.session_state["account"] is False, "the popup closes"
    assert "· 0 rated" in visible(at)
    counts = ledger(private_home).counts()
    assert (counts["sessions"], counts["ratings"]) == (2, 1)


def test_a_used_participant_code_opens_nobodys_session(app: Callable[[], AppTest], private_home: Path) -> None:
    """Another spelling is the same code; whoever it was goes on by their link, and the code alone only starts anew."""
    at = app().run()
    at.text_input[0].set_value("P-07")
    press(at, "Start with this code")
    at = app().run()
    at.text_input[0].set_value(" p-07 ")
    at = press(at, "Start with this code")
    assert "open the link that you got then" in visible(at)
    assert ledger(private_home).counts()["sessions"] == 1
    press(at, "Start anew with this code")
    assert ledger(private_home).counts()["sessions"] == 2


def test_an_address_is_no_participant_code(app: Callable[[], AppTest], private_home: Path) -> None:
    """An e-mail address is refused with the reason, and no session begins."""
    at = app().run()
    at.text_input[0].set_value("anna@example.org")
    at = press(at, "Start with this code")
    assert "looks like an e-mail address" in visible(at)
    assert ledger(private_home).counts()["sessions"] == 0


def test_an_unknown_resume_link_is_told_in_one_sentence(app: Callable[[], AppTest]) -> None:
    """A wrong token is an error in words, and the home page still works."""
    at = app()
    at.query_params["reader"] = "nonsense"
    at = at.run()
    assert not at.exception
    assert "resume link is not known" in visible(at)
    assert any(b.label == "Start as a visitor" for b in at.button)


def test_without_a_corpus_the_home_page_says_what_to_run(
    app: Callable[[], AppTest], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No corpus, or a damaged one, is a sentence with the command."""
    monkeypatch.delenv("PREFER_CORPUS")
    at = app().run()
    assert not at.exception
    assert "precompute.py --source sample" in visible(at)
    monkeypatch.setenv("PREFER_CORPUS", str(tmp_path / "nowhere"))
    at = app().run()
    assert not at.exception
    assert "nowhere" in visible(at)


def test_review_text_is_never_markup(app: Callable[[], AppTest]) -> None:
    """Cards hold escaped text: the only tags are the page's own, the only script is the slider's."""
    at = start(app)
    script = f"<script>{(ROOT / 'assets' / 'slider.js').read_text('utf-8')}</script>"
    for body in (h.proto.body for h in at.get("html") if h.proto.body != script):
        assert set(re.findall(r"<\s*([a-zA-Z]+)", body)) <= {
            "p", "div", "span", "sup", "a", "b", "article", "header", "footer", "table", "tbody", "tr", "td", "style",
            "section",
        }  # fmt: skip


def test_the_system_page_shows_model_corpus_versions_and_ledger(app: Callable[[], AppTest]) -> None:
    """Every part of the system page is there, and the counts are the ledger's."""
    at = rate(start(app), 70)
    at = at.switch_page(SYSTEM).run()
    assert not at.exception
    metrics = {m.label: m.value for m in at.metric}
    assert metrics["Sessions"] == "1"
    assert metrics["Ratings"] == "1"
    assert metrics["Products"] == "15"
    versions = next(d.value for d in at.dataframe if "version" in d.value.columns)
    assert isinstance(versions, pd.DataFrame)
    assert versions.set_index("package").loc["streamlit", "version"] == "1.67.0"
    # What builds and experiments took stands on one page only, which is named.
    assert not any("seconds" in str(column).lower() for d in at.dataframe for column in d.value.columns)
    assert "page Corpus, Time and memory" in visible(at)


def test_the_page_process_loads_no_heavy_package(sample_corpus: Path, tmp_path: Path) -> None:
    """Home and every page run without torch, sentence_transformers, llama_cpp or sklearn."""
    program = f"""
import sys
from streamlit.testing.v1 import AppTest
at = AppTest.from_file("app.py", default_timeout=60).run()
next(b for b in at.button if b.label == "Start as a visitor").click().run()
for page in {sorted(f"pages/{p.name}" for p in (ROOT / "pages").glob("*.py"))!r}:
    at.switch_page(page).run()
    assert not at.exception, page
print(",".join(m for m in {HEAVY!r} if m in sys.modules) or "none")
"""
    chosen = {"PREFER_HOME": str(tmp_path / "h"), "PREFER_CORPUS": str(sample_corpus), "PREFER_MODEL": "none"}
    environment = os.environ | chosen | {"PYTHONPATH": "."}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip().splitlines()[-1:] == ["none"], done.stdout + done.stderr


def test_nothing_is_rated_untouched_and_the_start_is_set_and_kept(
    app: Callable[[], AppTest], private_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rate is off at first; the start value is chosen by its button; where the slider began stands in the export."""
    monkeypatch.setenv("PREFER_SLIDER_START", "20")
    at = start(app)
    assert at.slider[0].value == 20
    assert list(at.run().slider[0].proto.default) == [20], "a browser that missed the first run shows the start as well"
    assert next(b for b in at.button if b.label == "Rate").disabled
    at = press(press(at, "20 % is right"), "Rate")
    assert next(b for b in at.button if b.label == "Rate").disabled
    at = rate(at, 70)
    kept = [(row["feedback"], row["slider_start"]) for row in ledger(private_home).export()]
    assert kept == [(0.2, 0.2), (0.7, 0.2), (None, None)]


def test_a_start_drawn_for_each_round(
    app: Callable[[], AppTest], private_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `random` each round's slider begins where the session's seed says, and a reload changes nothing."""
    monkeypatch.setenv("PREFER_SLIDER_START", "random")
    at = start(app)
    begins = []
    for _ in range(3):
        begins.append(at.slider[0].value)
        assert at.run().slider[0].value == begins[-1]
        at = press(press(at, f"{begins[-1]} % is right"), "Rate")
    assert len(set(begins)) > 1, "two of three may be equal by chance"
    assert [row["slider_start"] for row in ledger(private_home).export()][:3] == [value / 100 for value in begins]
