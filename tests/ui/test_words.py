"""Facts about the words that people read on the pages."""

import re
from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from prefer_core.ui import corpus_page, space_page
from tests.ui.parts import open_part
from tests.ui.test_pages import rate, start

PAGES = ("2_Compare_profiles", "4_Learning_lab", "8_System")
PARTS = [("3_Aspect_space", part) for part in space_page.SECTIONS] + [("6_Corpus", p) for p in corpus_page.SECTIONS]


def texts(at: AppTest) -> list[str]:
    """Return every text that the server sent: labels, hints, options, bodies."""
    found: list[str] = []

    def walk(node: Any) -> None:
        for descriptor, value in node.ListFields():
            if descriptor.name in ("id", "form_id", "theme", "spec"):
                continue
            for one in value if descriptor.is_repeated else [value]:
                if descriptor.message_type is not None and hasattr(one, "ListFields"):
                    walk(one)
                elif isinstance(one, str):
                    found.append(one)

    assert not at.exception
    for side in (at.main, at.sidebar):
        for element in side:
            if getattr(element, "proto", None) is not None:
                walk(element.proto)
    return found


def test_what_sentences_are_about_has_one_name(app: Callable[[], AppTest]) -> None:
    """The paper's word is aspect: no page and no part of one says theme (links do: theme-1), most say aspect."""
    at = rate(start(app), 90)
    pages = {"1_Rate_summaries": texts(at), "app": texts(app().run())}
    for name in PAGES:
        pages[name] = texts(app().run().switch_page(f"pages/{name}.py").run())
    for name, part in PARTS:
        pages[f"{name}, {part}"] = texts(open_part(name, part))
    said = {
        name: [t for t in found if re.search(r"\bthemes?\b(?!-\d)", t, re.IGNORECASE)] for name, found in pages.items()
    }
    assert {name: found for name, found in said.items() if found} == {}
    about = [name for name, found in pages.items() if re.search(r"\baspects?\b", " ".join(found), re.IGNORECASE)]
    assert len(about) > len(pages) / 2
