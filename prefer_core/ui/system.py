"""What runs here: who writes and which models there are, which corpora, which versions, and the ledger."""

import io
import json
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pandas as pd
import psutil
import streamlit as st

from prefer_core.corpus import Corpus
from prefer_core.data.spreadsheet import to_csv
from prefer_core.errors import PreferError
from prefer_core.experiments.offpolicy import slate_feedback
from prefer_core.files.machine import usable_cores
from prefer_core.rewriting.check import STRICT, best_name, figures
from prefer_core.rewriting.fetch import size_text
from prefer_core.rewriting.models import LAST_SEEN, MODELS, Model, present, recommended, resolve
from prefer_core.rewriting.template import NAME as WITHOUT_MODEL
from prefer_core.store.export import COLUMNS, CORRECTIONS
from prefer_core.ui import resources

POLL_SECONDS = 1.0
PACKAGES = (
    "streamlit", "plotly", "sentence-transformers", "scikit-learn", "numpy", "pandas", "llama-cpp-python",
    "huggingface-hub", "SQLAlchemy", "torch",
)  # fmt: skip


def model() -> None:
    """Say which model writes, and why it is the template where it is."""
    writer = resources.writer()
    st.markdown("### Who writes the summaries")
    name = "Rules, without a model" if writer.name == WITHOUT_MODEL else writer.name
    if not writer.note.startswith(name):
        st.markdown(f"**{name}**")
    if writer.note:
        st.markdown(writer.note)
    st.markdown(_check())
    waiting = writer.waiting
    under_way = f"{waiting} text{'s' * (waiting > 1)} being written or waiting."
    st.caption(under_way if waiting else "Nobody is waiting for a text.")


def _check() -> str:
    """Say which check lets texts through, and what it measured here."""
    model = resolve().model
    if model is None:
        return "Every clause stands as a reviewer wrote it."
    name = best_name(model.key) if model.style.follows else STRICT.name
    told = figures().get(name)
    how = f"It {told.words}" if told else "It was not measured here: run `python precompute.py --measure-check`"
    plain = " It passes clauses as reviewers wrote them, joined, and no free wording." if name == STRICT.name else ""
    return f"Check in force: **{name}**.{plain} {how}. What fails is written by rule."


def shelf() -> None:
    """List the models that are known, and say which one to take here."""
    st.markdown("### Models")
    memory = psutil.virtual_memory().total / 2**20
    st.markdown(recommended(memory, usable_cores())[1])
    rows = [_row(known, present(known) is not None) for known in MODELS.values()]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
    st.caption(
        f"Sizes as last seen on the hub ({LAST_SEEN}); the true ones are read when a model is fetched. Tokens a second "
        "are those of two laptop cores: measured for Gemma 3 270M, estimated from the file's size for the other "
        "Gemmas, a dash where neither was done. Longest text: in tokens. The first Gemma of the list that "
        "is here writes, unless `PREFER_MODEL` names another or `PREFER_LLM_URL` a server; a GGUF file is taken by "
        "its path."
    )


def fetching() -> None:
    """Offer a model that is not here, and show its fetch as it comes."""
    polling = resources.fetching().state == "fetching"
    here = {key: present(known) is not None for key, known in MODELS.items()}
    st.fragment(_fetch, run_every=POLL_SECONDS if polling else None)(here, polling)


def _row(known: Model, here: bool) -> dict[str, str]:
    return {
        "Model": known.name,
        "Here": "yes" if here else "no",
        "Size": size_text(known.size_mib),
        "Tokens/s": f"{known.speed:.0f}" if known.speed else "–",
        "Longest text": f"{known.context:,}",
        "Licence": known.licence.split(",")[0],
    }


def _fetch(here: dict[str, bool], polling: bool) -> None:
    """Offer what is not here, and show a fetch as it comes."""
    fetching = resources.fetching()
    if polling and fetching.state != "fetching":
        st.rerun()
    if fetching.state == "fetching":
        got = f"{fetching.done / 2**20:,.0f} of {fetching.total / 2**20:,.0f} MiB"
        st.progress(fetching.share, text=f"Fetching {MODELS[fetching.key].name}: {got}")
        st.button("Stop", on_click=fetching.stop)
        return
    if fetching.state == "failed":
        st.error(fetching.error)
    elif fetching.state == "stopped":
        st.info(f"{MODELS[fetching.key].name} was stopped; what has come is kept, and the next fetch goes on there.")
    elif fetching.state == "done":
        st.success(f"{MODELS[fetching.key].name} is here and checked.")
        st.button("Write with what is here now", on_click=resources.new_writer, type="primary")
    absent = [known for key, known in MODELS.items() if known.repository and not here[key]]
    if not absent:
        return
    wished = recommended(psutil.virtual_memory().total / 2**20, usable_cores())[0]
    keys = sorted((m.key for m in absent), key=lambda k: k != wished.key)
    key = st.selectbox("Fetch a model", keys, format_func=lambda k: MODELS[k].name)
    chosen = MODELS[key]
    st.caption(
        f"About {size_text(chosen.size_mib)} from `{chosen.repository}` on the Hugging Face hub. Licence: "
        f"{chosen.licence}; by fetching you accept it."
    )
    if st.button(f"Fetch about {size_text(chosen.size_mib)}"):
        try:
            fetching.start(key)
        except PreferError as error:
            st.error(str(error))
            return
        st.rerun()


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
