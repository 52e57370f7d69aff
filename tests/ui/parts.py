"""Pages in parts, opened at one of them."""

from streamlit.testing.v1 import AppTest

from tests.ui.conftest import ROOT


def open_part(page: str, part: str) -> AppTest:
    """Return a page of the app at one of its parts; neither an exception nor an error stands on it."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run().switch_page(f"pages/{page}.py").run()
    at = at.segmented_control[0].set_value(part).run()
    assert not at.exception
    assert not at.error
    return at
