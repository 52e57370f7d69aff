"""The learning lab: what to play, playing it a little at a time, what came out, and what a calibration found."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import streamlit as st

from prefer_core.config import PRESETS, SessionSettings
from prefer_core.corpus import Corpus
from prefer_core.data.spreadsheet import to_csv
from prefer_core.errors import ConfigError
from prefer_core.experiments import gallery, simulator
from prefer_core.experiments.play import COLUMNS, Row, Run, play
from prefer_core.experiments.population import population
from prefer_core.experiments.simulator import Drifting, SimulatedReader, feedback
from prefer_core.experiments.theory import theory
from prefer_core.figures.learning import Curves
from prefer_core.insight.calibrated import report_of, settings_of
from prefer_core.learning import UPDATERS
from prefer_core.rewriting import write_template
from prefer_core.selection import EXTRACTORS
from prefer_core.session import Stream, generator
from prefer_core.store.ledger import proposer
from prefer_core.store.rows import round_evidence
from prefer_core.types import FloatArray
from prefer_core.ui import gliding, products, resources
from prefer_core.ui import reader as readers

JOB = "lab-job"
SLICE = 0.6
"""Seconds of playing between two drawings."""
SLOWEST = 3.0
"""Seconds of playing that a slow drawing may ask for: Stop must answer soon."""
MARKED = {t: f"after {t}" for t in (3, 5, 10, 20, 40, 100, 200)}
"""Ratings that the table of results shows, with the titles of their columns."""
WIDE = (gallery.WEIGHTS, gallery.REGRET)
"""Figures with a panel a variant, which take the whole width."""
READING = {
    gallery.KNOWN: "At 1 the learner's picture is the reader's own.",
    gallery.FITTING: "At 1 the evidence is about what the reader wants, in the same proportions.",
    gallery.RATINGS: "What the reader says to each summary, from 0 to 1.",
    gallery.SMALLEST: "While it is above the floor, any aspect can still come back.",
    gallery.WEIGHTS: "A learner does well where its solid lines reach the dotted ones.",
    gallery.REGRET: "What a rating has cost so far against the reader's own weights; it should fall toward zero. The "
    "bound of the theory is far above; the file of figures has both.",
}
"""One sentence a figure on how to read it."""


@dataclass
class Job:
    """Runs under way: their rows so far, and what is left to play."""

    corpus: Corpus
    runs: list[Run]
    labels: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)
    stopped: bool = False
    drawing: float = 0.0
    """Seconds that the latest drawing took: as long is played before the next, so a slow machine still gets on."""
    _rest: Iterator[Row] | None = None

    @property
    def total(self) -> int:
        """Rounds in all."""
        return sum(run.rounds for run in self.runs)

    @property
    def running(self) -> bool:
        """Whether there is something left to play."""
        return not self.stopped and len(self.rows) < self.total

    def advance(self, seconds: float) -> None:
        """Play for a while: all variants of one seed in step, then the next seed: learners stay side by side."""
        if self._rest is None:
            seeds = dict.fromkeys(run.seed for run in self.runs)
            self._rest = (row for seed in seeds for row in self._in_step([r for r in self.runs if r.seed == seed]))
        until = time.monotonic() + seconds
        while self.running and time.monotonic() < until:
            self.rows.append(next(self._rest))

    def _in_step(self, runs: Sequence[Run]) -> Iterator[Row]:
        return chain.from_iterable(zip(*(play(self.corpus, run) for run in runs), strict=True))


def current() -> Job | None:
    """Return the job of this tab."""
    job: Job | None = st.session_state.get(JOB)
    return job


def begin(corpus: Corpus, runs: list[Run]) -> None:
    """Put a new job in place of the old one."""
    if not runs:
        raise ConfigError("Choose at least one learner and one way of choosing evidence.")
    st.session_state[JOB] = Job(corpus, runs, corpus.view.choices)


def stop() -> None:
    """Stop the job and keep its rows; called by the button."""
    if job := current():
        job.stopped = True


def live(job: Job) -> None:
    """Draw the job, and go on playing while it runs."""
    st.fragment(_live, run_every=0.1 if job.running else None)(job, job.running)


def _live(job: Job, polling: bool) -> None:
    job.advance(max(SLICE, job.drawing))
    done, total = len(job.rows), job.total
    left, right = st.columns([5, 1], vertical_alignment="center")
    state = "stopped" if job.stopped else ("running" if job.running else "done")
    left.progress(done / total, f"{done:,} of {total:,} ratings, {state}")
    right.button("Stop", on_click=stop, disabled=not job.running, width="stretch", key="lab-stop")
    if job.rows:
        began = time.monotonic()
        _results(job)
        job.drawing = min(SLOWEST, time.monotonic() - began)
    if polling and not job.running:
        st.rerun()  # a whole run ends the polling


def _results(job: Job) -> None:
    drawn = drawings(job)
    st.caption("Line: mean over seeds. Band: one standard deviation to either side.")
    narrow = [item for item in drawn.items() if item[0] not in WIDE]
    wide = [item for item in drawn.items() if item[0] in WIDE]
    for start in range(0, len(narrow), 2):
        for place, (title, figure) in zip(st.columns(2, gap="medium"), narrow[start : start + 2], strict=False):
            with place:
                _figure(job, title, figure)
    for title, figure in wide:
        _figure(job, title, figure)
    st.markdown("**Alignment after some ratings**")
    columns = {name: st.column_config.NumberColumn(format="%.2f") for name in MARKED.values()}
    st.dataframe(marks(job.rows), hide_index=True, width="stretch", column_config=columns)
    st.caption("Medians over the seeds played so far.")
    if table := promises(job):
        st.markdown("**The theorems in numbers**")
        st.dataframe(table, hide_index=True, width="stretch")
        st.caption("Of the first seed. The bounds are for the worst case: they hold, and real runs stay far below.")


def _figure(job: Job, title: str, figure: Curves) -> None:
    st.markdown(f"**{title}**")
    st.caption(READING[title])
    gliding.curves(figure, f"lab-{title}", title, job.runs[0].rounds)


def drawings(job: Job) -> dict[str, Curves]:
    """Return the job's curves by title of their figure."""
    reader = job.runs[0].reader
    window = (reader.first, reader.last) if isinstance(reader, Drifting) else None
    return gallery.lab_curves(job.rows, job.runs[0].settings.floor, window, followed(job))


def promises(job: Job) -> list[dict[str, object]]:
    """Return what the theorems say about the first seed of each OMD run, where they apply."""
    found: list[dict[str, object]] = []
    for name, part in gallery.variants(job.rows).items():
        run = next(run for run in job.runs if run.variant == name)
        if run.settings.learner == "omd" and run.settings.decay > 0 and run.settings.floor > 0:
            numbers = theory([row for row in part if row["seed"] == run.seed], run.settings)
            found.append({"variant": name, **{key: float(f"{value:.3g}") for key, value in numbers.items()}})
    return found


def followed(job: Job) -> dict[int, str]:
    """Return the aspects whose weights are drawn: what the reader wants at the start and the end, at most three."""
    reader = job.runs[0].reader
    weights = reader.at(1) + reader.at(job.runs[0].rounds)
    wanted = np.argsort(-weights, kind="stable")[:3]
    return {int(k): job.labels[k] for k in wanted if weights[k] > 1e-9}


def marks(rows: list[Row]) -> list[dict[str, object]]:
    """Return a table of the variants: median A_pref and A_evid at a few ratings, over the seeds played that far."""
    found: list[dict[str, object]] = []
    for name, part in gallery.variants(rows).items():
        for shown, column in (("A_pref", "a_pref"), ("A_evid", "a_evid")):
            values = gallery.table(part, column)
            line: dict[str, object] = {"variant": name, "seeds": len(values), "median": shown}
            for t, title in MARKED.items():
                at = values[:, t - 1] if t <= values.shape[1] else values[:, :0]
                if np.isfinite(at).any():
                    line[title] = round(float(np.nanmedian(at)), 2)
            found.append(line)
    return found


def simplex_sliders(labels: tuple[str, ...]) -> FloatArray:
    """Let a person set the hidden preference: one slider an aspect, scaled to sum to one."""
    places = st.columns(5, gap="small")
    raw = np.array(
        [
            places[k % 5].slider(label, 0, 100, 100 if k == 0 else 0, key=f"lab-w-{k}", format="%d")
            for k, label in enumerate(labels)
        ],
        dtype=float,
    )
    if raw.sum() == 0:
        raise ConfigError("A reader must want something: move at least one slider above 0.")
    w: FloatArray = raw / raw.sum()
    return w


def parameters(base: SessionSettings) -> dict[str, Any]:
    """Let a person change the numbers that matter most; return those that differ from the preset."""
    first, second, third, fourth = st.columns(4)
    numbers: dict[str, Any] = {
        "step_size": first.number_input("η₀, OMD's first step", 0.1, 100.0, base.step_size, 0.5),
        "decay": second.number_input("c_η, decay of the step", 0.0, 10.0, base.decay, 0.05, format="%.3f"),
        "max_sentences": third.number_input("k, sentences a summary", 1, 20, base.max_sentences),
        "trade_off": fourth.number_input("λ, relevance", 0.0, 1.0, base.trade_off, 0.05),
        "beta_growth": first.number_input("β growth", 0.0, 100.0, base.beta_growth, 1.0),
        "ema_rate": second.number_input("ρ, EMA rate", 0.01, 1.0, base.ema_rate, 0.05),
        "exploration": third.number_input("width of the posterior's draws", 0.0, 3.0, base.exploration, 0.1),
        "forgetting": fourth.number_input("what the posterior keeps", 0.5, 1.0, base.forgetting, 0.01),
    }
    return {name: value for name, value in numbers.items() if value != getattr(base, name)}


KINDS = ("one aspect", "two aspects", "sliders", "diffuse", "persona", "drift")
NAMES = {"omd": "OMD", "mmr": "MMR", "gumbel": "Gumbel"}
"""How names are written that are not plain words."""


def named(name: str) -> str:
    """Return how a learner or an extractor is written."""
    return NAMES.get(name, name)


def choose_runs(corpus: Corpus) -> list[Run]:
    """Ask for product, reader, learners, extractor, length and numbers; return the runs that they make."""
    first, second, third, fourth = st.columns([4, 2, 3, 2])
    with first:
        product = products.pick(corpus, None, f"lab-product-{corpus.id}", titled=True)
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
        changed = parameters(base)
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
        return simulator.Fixed("sliders", simplex_sliders(labels))
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
            token = play_as_visitor(job.corpus, job.runs[chosen])
        readers.remember(token)
        st.switch_page("pages/1_Rate_summaries.py", query_params={readers.TOKEN: token})


def figures_page(job: Job) -> str:
    """Return all figures of a job as one page that needs no network."""
    body = "".join(
        f"<h2>{title}</h2>" + drawn.figure().to_html(full_html=False, include_plotlyjs=position == 0)
        for position, (title, drawn) in enumerate(drawings(job).items())
    )
    return f"<!doctype html><meta charset='utf-8'><title>PREFER, learning lab</title><body>{body}</body>"


def play_as_visitor(corpus: Corpus, run: Run) -> str:
    """Play a run into the ledger, marked as a replay, and return its token; w comes out bit for bit the same."""
    ledger = resources.ledger()
    session, token = ledger.start(corpus.id, corpus.n_aspects, run.settings, seed=run.seed, who="replay")
    propose = proposer(corpus, run.product, run.settings)
    for t in range(1, run.rounds + 1):
        stored = ledger.open(session, run.product, propose)
        text = write_template(round_evidence(corpus, stored))
        rng = generator(run.seed, t, Stream.READER)
        f = feedback(run.reader.at(t), stored.z, run.sharpness, run.noise, rng)
        ledger.rate(session, stored.number, f, shown=text.to_dict(), source="template")
    return token


MEASURED = {"single": "one aspect", "two": "two aspects", "diffuse": "diffuse", "persona": "real reviewer"}
LEARNERS = {"omd": "OMD", "posterior": "posterior"}


def calibration(corpus: Corpus, opened: bool) -> None:
    """Show what held-out readers reach with the numbers that the pages use, or how to find such numbers."""
    report = report_of(corpus.manifest)
    with st.expander("What to expect on these reviews", expanded=opened):
        if report is None:
            st.caption(
                "Not calibrated: the pages use numbers that suit most reviews. `precompute.py --calibrate` finds the "
                "ones that suit these, and what readers reach with them."
            )
            return
        table = reached(report)
        marks = {name: st.column_config.NumberColumn(format="%.2f") for name in table[0] if name.startswith("after")}
        st.dataframe(table, hide_index=True, width="stretch", column_config=marks)
        each = report["readers of each kind"]
        st.caption(
            f"Median A_pref of {each} simulated readers of each kind, on products and with tastes that the choice of "
            f"the numbers had not seen. {_back(report)}"
        )


def reached(report: Mapping[str, Any]) -> list[dict[str, object]]:
    """Return a line for each learner and kind of reader: median A_pref after some ratings."""
    lines: list[dict[str, object]] = []
    for learner, name in LEARNERS.items():
        found = report["held_out"][learner]
        kinds = {shown: found["by_kind"][kind] for kind, shown in MEASURED.items() if kind in found["by_kind"]}
        for reader, marks in {"all": found["median"], **kinds}.items():
            after = {f"after {t}": marks[t] for t in sorted(marks, key=int)}  # a manifest sorts its keys as text
            lines.append({"learner": name, "reader": reader, **after})
    return lines


def _back(report: Mapping[str, Any]) -> str:
    told = []
    for learner, drift in report["drift"].items():
        needed = drift["median_ratings"]
        told.append(f"{LEARNERS[learner]} {'does not get there' if needed is None else f'{needed:.0f}'}")
    return f"Ratings from the end of a drift back to 0.9: {', '.join(told)}."
