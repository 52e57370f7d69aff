"""The system page's part about models."""

import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from prefer_core.rewriting.fetch import Fetching
from prefer_core.rewriting.models import MODELS
from prefer_core.ui import resources
from tests.ui.test_pages import SYSTEM, press, visible


class Watched(Fetching):
    """A fetch that only remembers what it was asked."""

    asked: tuple[str, ...] = ()

    def start(self, key: str) -> None:
        """Remember."""
        self.asked = (*self.asked, key)
        self.key, self.state, self.done, self.total = key, "fetching", 200 * 2**20, 800 * 2**20

    def stop(self) -> None:
        """Stop."""
        self.state = "stopped"


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    """Return the fetch that the page sees."""
    made = Watched()
    monkeypatch.setattr(resources, "fetching", lambda: made)
    return made


def test_size_and_licence_stand_before_the_button(app: Callable[[], AppTest], watched: Watched) -> None:
    """One model is named for this machine; the choice tells size, origin and licence; the fetch shows and stops."""
    at = app().run().switch_page(SYSTEM).run()
    assert not at.exception
    table = next(d.value for d in at.dataframe if "Licence" in d.value.columns)
    assert list(table["Model"]) == [known.name for known in MODELS.values()]
    assert list(table["Here"])[:2] == ["no", "no"]
    assert re.search(r"(For this machine|This machine) \(\d+ GiB of memory, \d+ cores\)", visible(at))
    at.selectbox[0].set_value("gemma-3-1b-it").run()
    assert "About 769 MiB from `ggml-org/gemma-3-1b-it-GGUF`" in visible(at)
    assert "Licence: Gemma terms of use, ai.google.dev/gemma/terms; by fetching you accept it" in visible(at)
    at = press(at, "Fetch about 769 MiB")
    assert watched.asked == ("gemma-3-1b-it",)
    at = press(at, "Stop")
    assert watched.state == "stopped"
    assert "what has come is kept" in visible(at)


def test_a_fetch_that_ended_says_how(app: Callable[[], AppTest], watched: Watched) -> None:
    """Failed: the child's sentence. Done: a button that makes a new writer from what is here."""
    watched.key, watched.state, watched.error = "gemma-3-1b-it", "failed", "The hub cannot be reached."
    at = app().run().switch_page(SYSTEM).run()
    assert "The hub cannot be reached." in visible(at)
    watched.state = "done"
    at = at.run()
    before = resources.writer()
    at = press(at, "Write with what is here now")
    assert not at.exception
    assert resources.writer() is not before
