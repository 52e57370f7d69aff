"""What a build found, as the pages show it: stored findings, tables, files to take along."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pandas as pd
import streamlit as st

from prefer_core.corpus import Corpus
from prefer_core.data.provenance import build_command
from prefer_core.data.spreadsheet import to_csv
from prefer_core.figures.tables import Row

_LONG, _WIDE = 60, 340
"""Texts of more characters than that leave the other columns their place, by so many pixels."""
_WHOLE = 20
"""Rows of a table that is drawn whole; a longer one scrolls."""
_PERCENT = ", %"
"""How the name of a column of per cents ends."""


def kept(corpus: Corpus, name: str, needed: str) -> dict[str, Any] | None:
    """Return a block of the diagnostics; where an older build has none, say how to get it and return None."""
    found: dict[str, Any] = corpus.diagnostics().get(name, {})
    if needed in found:
        return found
    st.info("This corpus was built before these statistics were kept. To have them, build it again:")
    st.code(build_command(corpus.manifest, str(corpus.path)), language="bash", wrap_lines=True)
    return None


def unit(corpus: Corpus) -> str:
    """Return what the units of a corpus are: sentence or review."""
    return str(corpus.manifest["config"]["unit"])


def file_name(corpus: Corpus) -> str:
    """Return how the names of files about this corpus begin."""
    return f"{corpus.manifest['name']}-{unit(corpus)}s"


def table(rows: Sequence[Row], places: Mapping[str, int] | None = None) -> None:
    """Draw rows as a table, numbers to two places at most, or to as many as `places` says of a column.

    What stands in a column named "..., %" is shown with that sign behind it, without places.
    """
    frame, exact = pd.DataFrame(rows), places or {}
    formats = {c: _format(c, frame[c], exact) for c in frame.select_dtypes("number").columns}
    shown = {c: st.column_config.NumberColumn(c.removesuffix(_PERCENT), format=form) for c, form in formats.items()}
    shown |= {c: st.column_config.TextColumn(width=_WIDE) for c in frame if _is_long(frame[c]) and c not in formats}
    rounded = frame.round({c: exact.get(c, 2) for c in formats})
    high: Literal["content", "auto"] = "content" if len(rows) <= _WHOLE else "auto"
    st.dataframe(rounded, hide_index=True, width="stretch", height=high, column_config=shown, placeholder="–")


def _format(name: str, column: pd.Series, exact: Mapping[str, int]) -> str:
    if name.endswith(_PERCENT):
        return f"%.{exact.get(name, 0)}f %%"
    if name in exact:
        return f"%.{exact[name]}f"
    # Numbers with places line up; a thousand has its comma.
    return "%.2f" if (column.abs() < 1000).all() and (column.round(2) % 1 > 0).all() else "localized"


def _is_long(column: pd.Series) -> bool:
    return bool((column.map(str).str.len() > _LONG).any())


def save(label: str, rows: Sequence[Row], name: str) -> None:
    """Offer rows as a CSV file."""
    st.download_button(label, to_csv(rows), f"{name}.csv", "text/csv", on_click="ignore")
