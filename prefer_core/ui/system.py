"""The system page's parts: which corpora, which versions, and the ledger (models: `ui.models`)."""

import io
import json
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pandas as pd
import streamlit as st

from prefer_core.corpus import Corpus
from prefer_core.data.spreadsheet import to_csv
from prefer_core.experiments.offpolicy import slate_feedback
from prefer_core.store.export import COLUMNS, CORRECTIONS
from prefer_core.ui import resources

PACKAGES = (
    "streamlit", "plotly", "sentence-transformers", "scikit-learn", "numpy", "pandas", "llama-cpp-python",
    "huggingface-hub", "SQLAlchemy", "torch",
)  # fmt: skip


def corpora() -> None:
    """List the corpora that are here, with how they were built."""
    st.markdown("### Reviews")
    opened, troubles = resources.corpora()
    for trouble in troubles:
        st.warning(trouble)
    if not opened and not troubles:
        st.info(resources.NO_REVIEWS)
    for corpus in opened:
        kind = " · written for this app" if corpus.is_sample else ""
        with st.expander(f"{corpus.name}{kind}", expanded=len(opened) == 1):
            _corpus(corpus)
    if opened:
        st.caption("What it took to build them, and what experiments took: page Corpus, Time and memory.")


def _corpus(corpus: Corpus) -> None:
    counts = corpus.manifest["counts"]
    for place, (label, number) in zip(
        st.columns(4),
        (
            ("Products", len(corpus.products)),
            ("Reviews", int(counts["reviews"])),
            ("Sentences", int(counts["sentences"])),
            ("Aspects", len(corpus.cared_for)),
        ),
        strict=True,
    ):
        place.metric(label, f"{number:,}")
    st.caption(f"Folder {corpus.path}, id {corpus.id}.")


def versions() -> None:
    """List the packages that matter, with their versions."""
    st.markdown("### Versions")
    found = []
    for name in PACKAGES:
        try:
            found.append({"package": name, "version": version(name)})
        except PackageNotFoundError:
            found.append({"package": name, "version": "not installed"})
    st.dataframe(pd.DataFrame(found), hide_index=True, width="stretch")


def ledger() -> None:
    """Show what the ledger holds, and offer it as CSV."""
    st.markdown("### Ledger")
    counts = resources.ledger().counts()
    for place, name in zip(st.columns(4), ("sessions", "rounds", "ratings", "deletions"), strict=True):
        place.metric(name.capitalize(), f"{counts[name]:,}")
    table = pd.DataFrame(resources.ledger().export(), columns=list(COLUMNS))
    if table.empty:
        st.caption("Readers have rated nothing yet; what was rated on the stage or replayed in the lab is no data.")
        return
    names = {corpus.id: json.dumps(corpus.view.key(), ensure_ascii=False) for corpus in resources.corpora()[0]}
    table["aspects"] = table["corpus"].map(names)
    st.download_button(
        "Download rounds and ratings (CSV)",
        to_csv(table),
        "prefer-ledger.csv",
        "text/csv",
        on_click="ignore",
    )
    if table["feedback"].notna().any():
        stream = io.BytesIO()
        np.savez_compressed(stream, **slate_feedback(table.to_dict("records")))
        st.download_button(
            "Download for Open Bandit Pipeline (NPZ, exact propensities)",
            stream.getvalue(),
            "prefer-slates.npz",
            "application/octet-stream",
            on_click="ignore",
        )
    if found := resources.ledger().corrections():
        st.download_button(
            f"Download {len(found)} correction{'s' * (len(found) > 1)} as labels for the next build (CSV)",
            to_csv(found, CORRECTIONS),
            "prefer-corrections.csv",
            "text/csv",
            on_click="ignore",
        )
    st.caption(
        "Each row says who rated: a person, a bot, a run of the learning lab, or somebody on a stage; and the study "
        "and arm, if there is one. Readers appear by their made-up names only; participant codes and links are not in "
        "the file."
    )
