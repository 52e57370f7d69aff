"""The learning lab's inputs, and the visitor's replay of one of its runs."""

from dataclasses import replace

import numpy as np
import streamlit as st

from prefer_core.config import PRESETS
from prefer_core.corpus import Corpus
from prefer_core.data.spreadsheet import to_csv
from prefer_core.experiments import simulator
from prefer_core.experiments.play import COLUMNS, Run
from prefer_core.experiments.population import population
from prefer_core.experiments.simulator import SimulatedReader, feedback
from prefer_core.insight.calibrated import settings_of
from prefer_core.learning import UPDATERS
from prefer_core.rewriting import write_template
from prefer_core.selection import EXTRACTORS
from prefer_core.session import Stream, generator
from prefer_core.ui import lab, resources
from prefer_core.ui import reader as readers
from prefer_core.ui.lab import Job
from prefer_core.ui.rounds import evidence_of, proposer

KINDS = ("one aspect", "two aspects", "sliders", "diffuse", "persona", "drift")
NAMES = {"omd": "OMD", "mmr": "MMR", "gumbel": "Gumbel"}
"""How names are written that are not plain words."""


def named(name: str) -> str:
    """Return how a learner or an extractor is written."""
    return NAMES.get(name, name)


def choose_runs(corpus: Corpus) -> list[Run]:
    """Ask for product, reader, learners, extractor, length and numbers; return the runs that they make."""
    table = corpus.products.sort_values("n_sentences", ascending=False, kind="stable")
    titles = dict(zip(table["product_id"], table["title"], strict=True))
    first, second, third, fourth = st.columns([3, 2, 3, 2])
    product = first.selectbox("Product", list(titles), format_func=titles.__getitem__)
    kind = second.selectbox("Simulated reader", KINDS)
    learners = third.multiselect("Learners", sorted(UPDATERS), ["omd", "posterior"], format_func=named)
    extractors = fourth.multiselect("Evidence chosen by", sorted(EXTRACTORS), ["gumbel"], format_func=named)
    long = kind == "drift"
    main, first, second = st.columns([6, 2, 2])
    rounds = first.number_input("Ratings", 1, 400, 200 if long else 40, key=f"lab-rounds-{long}")
    seeds = second.number_input("Seeds", 1, 20, 5)
    with main:
        reader = _reader(corpus, kind, rounds)
    with st.expander("Parameters"):
        first, second, third, _ = st.columns(4)
        names = {"person": "for people, calibrated if it was", "paper": "near the paper's figures"}
        preset = first.selectbox("Preset", list(names), format_func=names.__getitem__)
        sharpness = second.number_input("γ, sharpness of ratings", 0.0, 100.0, 10.0, 1.0)
        noise = third.number_input("Noise on what is felt", 0.0, 1.0, 0.05, 0.01)
        base = PRESETS["paper"] if preset == "paper" else settings_of(corpus.manifest)
        changed = lab.parameters(base)
        if preset == "paper":
            st.caption(
                "The paper prints none of these numbers: they are ours. What differs from the paper, and why, stands "
                "in docs/paper.md. MMR depends on how ties are broken: here it is played in one order, by the "
                "experiments on the command line in ten."
            )
        if preset == "person":
            st.caption("The numbers are OMD's. The posterior has its own, except for those you change.")
    own = {name: base if preset == "paper" else settings_of(corpus.manifest, name) for name in learners}
    settings = {name: replace(own[name], **changed, learner=name) for name in learners}
    return [
        Run(
            "lab", corpus.name, f"{named(learner)} · {named(extractor)}", product, reader,
            replace(settings[learner], extractor=extractor), rounds, seed, sharpness, noise,
        )
        for learner in learners
        for extractor in extractors
        for seed in range(seeds)
    ]  # fmt: skip


def _reader(corpus: Corpus, kind: str, rounds: int) -> SimulatedReader:
    labels, k = corpus.view.choices, corpus.n_aspects
    if kind == "sliders":
        return simulator.Fixed("sliders", lab.simplex_sliders(labels))
    first, second, third = st.columns(3)
    if kind in ("diffuse", "persona"):
        number = int(first.number_input(f"Which {kind} reader", 0, 999, 0))
        people = population(corpus, "held-out")
        return (
            people.reader(kind, number)
            if kind in people.kinds
            else simulator.persona(np.empty((0, k)), generator(0, 0, Stream.READER))
        )
    wanted = corpus.cared_for
    one = first.selectbox("Wants", wanted, format_func=lambda a: labels[a])
    if kind == "one aspect":
        return simulator.single(k, one)
    other = second.selectbox(
        "and then" if kind == "drift" else "and", wanted, min(1, len(wanted) - 1), format_func=lambda a: labels[a]
    )
    if kind == "two aspects":
        return simulator.two_aspects(k, one, other)
    last = max(2, rounds)
    window = third.slider("Drift window, in ratings", 1, last, (min(81, last // 2), min(120, last)))
    return simulator.drift(k, one, other, *window)


def outputs(job: Job) -> None:
    """Offer the rows, the figures, and one run as a visitor."""
    first, second, third, fourth = st.columns([1, 1, 2, 1], vertical_alignment="bottom")
    first.download_button(
        "Rows (CSV)", to_csv(job.rows, COLUMNS), "rows.csv", "text/csv", on_click="ignore", width="stretch"
    )
    second.download_button(
        "Figures (HTML)", lambda: figures_page(job), "figures.html", "text/html", on_click="ignore", width="stretch"
    )
    names = [f"{run.variant}, seed {run.seed}" for run in job.runs]
    chosen = third.selectbox("Replay a run as a visitor", range(len(names)), format_func=names.__getitem__)
    if fourth.button("Replay", width="stretch"):
        with st.spinner("Rating as this visitor…"):
            token = replay(job.corpus, job.runs[chosen])
        readers.remember(token)
        st.switch_page("pages/1_Rate_summaries.py", query_params={readers.TOKEN: token})


def figures_page(job: Job) -> str:
    """Return all figures of a job as one page that needs no network."""
    body = "".join(
        f"<h2>{title}</h2>" + figure.to_html(full_html=False, include_plotlyjs=position == 0)
        for position, (title, figure) in enumerate(lab.figures(job).items())
    )
    return f"<!doctype html><meta charset='utf-8'><title>PREFER, learning lab</title><body>{body}</body>"


def replay(corpus: Corpus, run: Run) -> str:
    """Play a run into the ledger as a visitor's session and return its token; w comes out bit for bit the same."""
    ledger = resources.ledger()
    session, token = ledger.start(corpus.id, corpus.n_aspects, run.settings, seed=run.seed)
    propose = proposer(corpus, run.product, run.settings)
    for t in range(1, run.rounds + 1):
        stored = ledger.open(session, run.product, propose)
        text = write_template(evidence_of(corpus, stored))
        rng = generator(run.seed, t, Stream.READER)
        f = feedback(run.reader.at(t), stored.z, run.sharpness, run.noise, rng)
        ledger.rate(session, stored.number, f, shown=text.to_dict(), source="template")
    return token
