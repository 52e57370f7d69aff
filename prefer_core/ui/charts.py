"""A figure on a page: one sentence on how to read it, and a way to take it and its numbers along."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from prefer_core.figures.numbers import numbers

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
    picture = {"format": "png", "filename": name, "scale": 2}
    config = {"displaylogo": False, "modeBarButtonsToRemove": _BUTTONS, "toImageButtonOptions": picture}
    st.plotly_chart(figure, key=f"figure-{name}", config=config, alt=read)
    words, buttons = st.columns([6, 1], gap="small")
    words.caption(read)
    with buttons.container(horizontal=True, horizontal_alignment="right", gap=None):
        st.download_button(
            ":material/download:", lambda: figure.to_html(include_plotlyjs=True, config=config), f"{name}.html",
            "text/html", help="Download this figure (HTML)", on_click="ignore", key=f"download-{name}", type="tertiary",
        )  # fmt: skip
        st.download_button(
            ":material/table:", lambda: pd.DataFrame(numbers(figure)).to_csv(index=False), f"{name}.csv", "text/csv",
            help="Download its numbers (CSV)", on_click="ignore", key=f"numbers-{name}", type="tertiary",
        )  # fmt: skip
