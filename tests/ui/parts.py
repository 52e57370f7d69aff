"""Pages in parts, opened at one of them."""

import json
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.ui.conftest import ROOT


def open_part(page: str, part: str) -> AppTest:
    """Return a page of the app at one of its parts; neither an exception nor an error stands on it."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run().switch_page(f"pages/{page}.py").run()
    at = at.segmented_control[0].set_value(part).run()
    assert not at.exception
    assert not at.error
    return at


def glides(at: AppTest) -> list[dict[str, Any]]:
    """Return what each figure that glides was given."""
    return [json.loads(one.proto.json) for one in at.get("bidi_component")]


def bars(at: AppTest) -> list[dict[str, Any]]:
    """Return the rows of the preference that a page draws: label, colour, now, and what else it shows."""
    rows: list[dict[str, Any]] = json.loads(at.get("bidi_component")[0].proto.json)["rows"]
    return rows
