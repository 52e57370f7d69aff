"""A figure on a page: one sentence on how to read it, and a way to take it and its numbers along."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from prefer_core.data.spreadsheet import to_csv
from prefer_core.figures.tables import numbers
from prefer_core.figures.theme import large
from prefer_core.ui.page import PRESENT, SCREEN

_BUTTONS = [
    *("zoom2d", "pan2d", "select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d"),
    *("zoom3d", "pan3d", "orbitRotation", "tableRotation", "resetCameraDefault3d", "resetCameraLastSave3d"),
]


def chart(figure: go.Figure, name: str, read: str) -> None:
    """Draw a figure with the sentence on how to read it, and offer it as a page and its numbers as a table.

    The page needs no network. The camera in the figure's corner saves it as a picture.

    Parameters
    ----------
    name : str
        Short name in plain letters: key of the widget, name of the files.
    read : str
        One plain sentence.
    """
    config = _config(name)
    drawn = large(figure) if st.query_params.get(PRESENT) == SCREEN else figure
    st.plotly_chart(drawn, key=f"figure-{name}", theme=None, config=config, alt=read)
    read_below(lambda: figure, name, read)


def read_below(figure: Callable[[], go.Figure], name: str, read: str) -> None:
    """Write the sentence on how to read a figure, and offer the figure beside it."""
    words, buttons = st.columns([6, 1], gap="small")
    words.caption(read)
    with buttons:
        take_along(figure, name)


def take_along(figure: Callable[[], go.Figure], name: str) -> None:
    """Offer a figure as a page that needs no network, and its numbers as a table; it is made when it is asked for."""
    # The words are for who hears the page; the style sheet leaves the icons to the others.
    with st.container(horizontal=True, horizontal_alignment="right", gap=None, key=f"take-{name}"):
        st.download_button(
            f":material/download: Figure {name}, HTML",
            lambda: figure().to_html(include_plotlyjs=True, config=_config(name)),
            f"{name}.html", "text/html", help="Download this figure (HTML)", on_click="ignore",
            key=f"download-{name}", type="tertiary",
        )  # fmt: skip
        st.download_button(
            f":material/table: Numbers of {name}, CSV",
            lambda: to_csv(numbers(figure())),
            f"{name}.csv", "text/csv", help="Download its numbers (CSV)", on_click="ignore",
            key=f"numbers-{name}", type="tertiary",
        )  # fmt: skip


def _config(name: str) -> dict[str, Any]:
    picture = {"format": "png", "filename": name, "scale": 2}
    return {"displaylogo": False, "modeBarButtonsToRemove": _BUTTONS, "toImageButtonOptions": picture}
