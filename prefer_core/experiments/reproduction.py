"""Every figure and table of the paper, drawn from a corpus of ours, with what the paper prints beside it."""

import html
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go

from prefer_core.aspects.diagnostics import pair_cosines
from prefer_core.aspects.membership import temperature_sweep
from prefer_core.aspects.reduction import fit_reduction
from prefer_core.aspects.space import AspectSpace
from prefer_core.config import PRESETS
from prefer_core.corpus import Corpus, open_corpus
from prefer_core.data import spreadsheet
from prefer_core.errors import ConfigError
from prefer_core.experiments import compute
from prefer_core.experiments.gallery import figures_of
from prefer_core.experiments.paper import AS_WE_CHOSE, Setup, execute, plan, shown_product
from prefer_core.experiments.play import COLUMNS, Row, Run
from prefer_core.experiments.results import lines, write_figures, write_rows, write_settings
from prefer_core.figures import corpus as corpus_figures
from prefer_core.figures import membership, paper, space, tables
from prefer_core.files.machine import machine, resident
from prefer_core.insight import comparison, table2
from prefer_core.insight.comparison import Column, Compared
from prefer_core.insight.profiles import profile
from prefer_core.rewriting import make_writer

G_COS = (0.9995, 0.9914, 0.7527, 0.9897)
"""Printed G_cos of e_a, e_b, their mix, and the uniform preference (Table cross_user_heterogeneity)."""
PLAYED = ("convergence", "drift", "heterogeneity")
"""Experiments whose rows the figures are drawn from."""

_SAMPLE, _COLUMNS = 1500, 240
"""Units in the clouds, and columns of the heat maps."""
_PER = {"words": ("words", "units"), "per_product": ("units of a product", "products"),
        "per_reviewer": ("units of a reviewer", "reviewers")}  # fmt: skip
"""The three panels of Figure corpus_diagnostics: what is counted, and what the bars count."""


@dataclass
class Book:
    """The folder of results: what has been written, under the paper's labels.

    Attributes
    ----------
    folder : Path
        Where everything goes.
    png : bool
        Whether figures are written as PNG beside the HTML.
    entries : list of dict
        One row a file: the paper's label, what it shows, the file's name.
    values : list of dict
        One row a printed number: where the paper has it, what it is, its value, ours, and of which corpus.
    notes : list of str
        What could not be drawn and why.
    """

    folder: Path
    png: bool = True
    entries: list[dict[str, str]] = field(default_factory=list)
    values: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def figure(self, label: str, shows: str, name: str, figure: go.Figure) -> None:
        """Write one figure."""
        trouble = write_figures(self.folder, {name: figure}, shared=True, png=self.png)
        if trouble is not None:
            self.png = False  # what failed once takes as long to fail again
            self.notes.append(trouble)
        self.entries.append({"paper": label, "shows": shows, "file": f"{name}.html"})

    def table(self, label: str, shows: str, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write one table."""
        self.text(label, shows, f"{name}.csv", spreadsheet.to_csv(rows))

    def text(self, label: str, shows: str, file: str, text: str) -> None:
        """Write one file as it is."""
        (self.folder / file).write_text(text, encoding="utf-8", newline="")
        self.entries.append({"paper": label, "shows": shows, "file": file})

    def value(self, label: str, what: str, printed: float, here: float | None, corpus: str) -> None:
        """Keep a number of the paper with ours."""
        self.values.append({"paper has it in": label, "what": what, "paper": printed, "here": here, "corpus": corpus})

    def close(self, title: str) -> None:
        """Write the numbers side by side, and one page that leads to everything."""
        self.table("all numbers that the paper prints", "the paper's value beside ours", "values", self.values)
        (self.folder / "index.html").write_text(_page(title, self), encoding="utf-8")


def run(
    folder: str,
    out: Path,
    reviews: str | None = None,
    seeds: int = 10,
    setup: Setup = AS_WE_CHOSE,
    workers: int = 1,
    *,
    png: bool = True,
) -> list[str]:
    """Write every figure and table of the paper into `out`; return what to print.

    Parameters
    ----------
    folder : str
        Corpus of sentences; the paper's pipeline is ``precompute.py --preset paper``.
    reviews : str or None
        The same reviews with ``--unit review``: several of the paper's figures are of whole reviews.
    """
    corpus = open_corpus(folder)
    levels = {unit_of(corpus): corpus}
    if reviews is not None:
        other = open_corpus(reviews)
        if unit_of(other) != "review":
            raise ConfigError(f"--reviews names {reviews}, whose units are sentences; build it with --unit review.")
        levels["review"] = other
    out.mkdir(parents=True, exist_ok=True)
    book = Book(out, png)
    if "review" not in levels:
        book.notes.append(
            "No review-level figures: build the same reviews with --unit review and name the folder with --reviews."
        )
    for unit, one in levels.items():
        offline(book, one, unit)
    statistics(book, corpus)
    heterogeneity(book, corpus, setup)
    told = online(book, corpus, seeds, setup, workers)
    resources(book, levels, setup)
    book.close(f"{corpus.name}: the paper's figures and tables, with what the paper prints beside ours")
    return [
        *told,
        *book.notes,
        f"results: {out / 'index.html'} ({len(book.entries)} files, {len(book.values)} numbers)",
    ]


def unit_of(corpus: Corpus) -> str:
    """Return what the units of a corpus are: sentence or review."""
    return str(corpus.manifest["config"]["unit"])


def offline(book: Book, corpus: Corpus, unit: str) -> None:
    """Write what the paper shows of the embedding and of the aspects, for one level."""
    found, printed, view = corpus.diagnostics(), paper.TABLES[unit], corpus.view
    at = np.random.default_rng(0).permutation(len(corpus.array("phi")))[:_SAMPLE]
    reduced, phi = np.asarray(corpus.array("reduced")[at]), view.fold(np.asarray(corpus.array("phi")[at]))
    kept = reduced.shape[1]
    if kept >= 3:
        book.figure("Figure review_sentence_pca_compare", f"{unit}s by aspect at three components", f"clouds_{unit}s",
                    corpus_figures.clusters(reduced, phi, view.names, view.marks))  # fmt: skip
    if kept >= 5:
        book.figure("Figure pca-5d-review", f"{unit}s at five components", f"five_components_{unit}s",
                    space.five_components(reduced))  # fmt: skip
    book.figure("Figure pca_spectrum_appendix a", f"eigenvalues, {unit}s", f"spectrum_{unit}s",
                space.spectrum(found["spectrum"], kept))  # fmt: skip
    book.figure("Figure pca_spectrum_appendix b", f"cumulative variance, {unit}s", f"variance_{unit}s",
                space.cumulative(found["cumulative_variance"], kept, printed))  # fmt: skip
    book.figure("Figure pairwise-cosine", f"cosines of pairs, {unit}s", f"cosines_{unit}s",
                space.cosines(found["cosines"]))  # fmt: skip
    book.figure("Figure k-selection-review", f"three metrics over K, {unit}s", f"k_sweep_{unit}s",
                space.sweep(found["k_sweep"], corpus.n_aspects, printed.n_aspects))  # fmt: skip
    book.table("Figure k-selection-review", f"the same as numbers, {unit}s", f"k_sweep_{unit}s",
               space.sweep_table(found["k_sweep"], corpus.n_aspects))  # fmt: skip
    book.figure("Figure soft_assignment_compare", f"memberships of {_COLUMNS} {unit}s", f"memberships_{unit}s",
                corpus_figures.membership_map(phi[:_COLUMNS], view.names, view.marks))  # fmt: skip
    book.figure("Figure aspect_diagnostics a", f"largest membership, {unit}s", f"top_membership_{unit}s",
                membership.top_memberships(found["top_membership"]))  # fmt: skip
    mass = np.stack(corpus.products["aspect_mass"].to_list())
    book.figure("Figure aspect_diagnostics b", f"mass of the aspects, {unit}s", f"aspect_mass_{unit}s",
                membership.mass(corpus.aspects["shares"], mass, view.built))  # fmt: skip
    book.table("Appendix tausoftaspectmembership", f"the sweep over tau, {unit}s", f"temperatures_{unit}s",
               membership.temperature_table(found["temperatures"]))  # fmt: skip
    here, cumulative = f"{corpus.name}, {unit}s", found["cumulative_variance"]
    place = "Appendix aspect-discovery-diagnostics"
    book.value(place, "variance at 16 components", printed.variance_at_16, found["variance_at"]["16"], here)
    for share, count in printed.components_for.items():
        book.value(place, f"components for {share:.0%} of the variance", count,
                   int(np.searchsorted(cumulative, share)) + 1, here)  # fmt: skip
    how = "K, set by hand here" if corpus.manifest["config"]["aspects"]["n_aspects"] else "K, chosen by the metrics"
    book.value(place, how, printed.n_aspects, corpus.n_aspects, here)
    if unit == "review":
        for mark, value in vars(paper.COSINES).items():
            book.value("Figure pairwise-cosine", f"{mark} cosine", value, found["cosines"][mark], here)
    else:
        book.value("Table compute_resources", "m", paper.N_COMPONENTS, kept, here)
        book.value("Table compute_resources", "tau", paper.TEMPERATURE, found["temperature"], here)


def statistics(book: Book, corpus: Corpus) -> None:
    """Write the paper's tables of the corpus, its three distributions, and how reviewers differ."""
    found = corpus.diagnostics()["statistics"]
    raw = tables.raw_table(found["raw"], "here")
    prepared = tables.preprocessed_table(found, unit_of(corpus))
    book.table("Table all_beauty_stats", "the raw files", "raw_statistics", raw)
    book.table("Table preprocessed_corpus_stats", "the two prepared tables", "prepared_statistics", prepared)
    for row in raw:
        book.value("Table all_beauty_stats", row[""], row["paper"], row["here"], corpus.name)
    for row in prepared:
        for level in tables.LEVELS.values():
            if f"{level}s" in row:
                book.value("Table preprocessed_corpus_stats", f"{row['']}, {level}s", row[f"paper, {level}s"],
                           row[f"{level}s"], corpus.name)  # fmt: skip
    for name, (counted, of) in _PER.items():
        figure = corpus_figures.distribution(found["reviews"][name], counted, of, log=name != "words")
        book.figure("Figure corpus_diagnostics", f"{of} by {counted}, reviews", f"corpus_{name}", figure)
    tastes = corpus.diagnostics().get("heterogeneity", {})
    if "groups" not in tastes:
        book.notes.append("No figure of reviewers: too few wrote enough sentences to be told apart.")
        return
    figure = corpus_figures.profile_map(corpus.view.fold_tastes(tastes), corpus.view.names, corpus.view.marks)
    book.figure("Figure user_heterogeneity", "tastes of sampled reviewers", "reviewers", figure)


def heterogeneity(book: Book, corpus: Corpus, setup: Setup) -> None:
    """Write Table cross_user_heterogeneity with its texts, G_cos beside the printed one."""
    compared, files = profiles_table(corpus, setup)
    for (file, text), kind in zip(files.items(), ("profiles with evidence, texts and G_cos", "the same as LaTeX",
                                                  "the same as HTML"), strict=True):  # fmt: skip
        book.text("Table cross_user_heterogeneity", kind, file, text)
    for each, printed in zip(compared, G_COS, strict=True):
        book.value("Table cross_user_heterogeneity", f"G_cos, {each.profile.name}", printed, each.alignment,
                   f"{corpus.name}, {corpus.product(shown_product(corpus, setup)).title}")  # fmt: skip


def profiles_table(corpus: Corpus, setup: Setup) -> tuple[list[Compared], dict[str, str]]:
    """Return the four columns of Table cross_user_heterogeneity, and its files by name: CSV, LaTeX, HTML."""
    product = corpus.product(shown_product(corpus, setup))
    one, other = setup.aspects or (0, min(2, corpus.n_aspects - 1))
    codes = (f"theme-{one}", f"theme-{other}", f"mix-{one}-{other}", "even")
    columns = [Column(profile(code, product, corpus.labels), "mmr", "paper", code) for code in codes]
    compared = comparison.compare(corpus, product.product_id, columns)
    writer = make_writer()
    try:
        jobs = [writer.submit(comparison.column_evidence(product, each)) for each in compared]
        for job in jobs:
            job.wait()
        texts = [job.summary for job in jobs]
    finally:
        writer.close()
    title = product.title or product.product_id
    told = (compared, texts, corpus.view, corpus.terms)
    return compared, {
        "profiles.csv": table2.to_csv(corpus.name, title, *told),
        "profiles.tex": table2.to_latex(title, *told),
        "profiles.html": f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"{table2.to_html(title, *told)}</html>\n",
    }


def run_table(folder: str, out: Path, setup: Setup = AS_WE_CHOSE) -> list[str]:
    """Write Table cross_user_heterogeneity alone into `out`; return what to print."""
    corpus = open_corpus(folder)
    compared, files = profiles_table(corpus, setup)
    out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (out / name).write_text(text, encoding="utf-8", newline="")
    printed = zip(compared, G_COS, strict=True)
    return [
        *(f"{one.profile.name}: G_cos {one.alignment:.4f}, the paper's {theirs}" for one, theirs in printed),
        f"results: {', '.join(str(out / name) for name in files)}",
    ]


def online(book: Book, corpus: Corpus, seeds: int, setup: Setup, workers: int) -> list[str]:
    """Play the paper's experiments; write their rows and figures and return their summaries."""
    told: list[str] = []
    for experiment in PLAYED:
        runs = plan(corpus, experiment, seeds, setup)
        rows = _played(corpus, runs, workers)
        write_rows(book.folder / f"{experiment}.csv", rows, COLUMNS)
        write_settings(book.folder / f"{experiment}-settings.json", runs)
        book.entries.append({"paper": _LABELS[experiment][""], "shows": "rows", "file": f"{experiment}.csv"})
        drawn = figures_of(experiment, rows, PRESETS["paper"].floor, setup.window, corpus.labels)
        for name, figure in drawn.items():
            label = _LABELS[experiment].get(name.removeprefix(f"{experiment}_"), _LABELS[experiment][""])
            book.figure(label, name.replace("_", " "), name, figure)
        summary = lines(experiment, rows, setup.window)
        book.text(_LABELS[experiment][""], "in numbers", f"{experiment}.txt", "\n".join(summary) + "\n")
        told += summary
    return told


_LABELS = {
    "convergence": {
        "": "Section convergence_seeds", "alignment": "Figure convergence_seeds",
        "average_regret": "Figure avg_regret_diagnostic", "smallest_coordinate": "Figure truncated_simplex_diagnostic",
    },
    "drift": {
        "": "Section adaptive_preferences", "tracking": "Figure preference_drift_alignment",
        "alignment": "Figure preference_drift_alignmentAt", "feedback": "Figure drift_feedback",
        "average_regret": "Figure drift_avg_regret", "smallest_coordinate": "Figure preference_drift_simplex",
    },
    "heterogeneity": {"": "Table cross_user_heterogeneity"},
}  # fmt: skip
"""The paper's label of each figure by its name, and of the experiment itself."""


def resources(book: Book, levels: Mapping[str, Corpus], setup: Setup) -> None:
    """Write Table compute_resources under the paper's names.

    What a build does in one go is measured here step by step; of the experiments one seed stands beside one seed.
    """
    rows = [row for one in levels.values() for row in tables.build_rows(one.manifest)]
    corpus = next(iter(levels.values()))
    measured: list[dict[str, str]] = []
    space_ = AspectSpace.from_dict(corpus.aspects)
    stored, reduced = corpus.array("embeddings"), np.asarray(corpus.array("reduced"))
    size = f"{len(stored):,} × {stored.shape[1]}"
    with _measured(measured, "Aspect discovery", "Load embeddings", f"{size} float32"):
        vectors = np.asarray(stored, dtype=np.float32)
    steps: tuple[tuple[str, str, Callable[[], object]], ...] = (
        ("Embedding diagnostics", f"{size} embeddings", lambda: pair_cosines(vectors, 0)),
        ("PCA diagnostics", f"{size} embeddings", lambda: fit_reduction(vectors, vectors.shape[1])),
        ("PCA transform", f"{reduced.shape[1]} components", lambda: space_.reduce(vectors)),
        ("Soft-assignment diagnostics", "τ in 1, 5, 10, 15, 20, 25 and ours",
         lambda: temperature_sweep(reduced, space_.centroids, space_.temperature, 0)),
        ("Final soft assignment", f"K = {corpus.n_aspects}", lambda: space_.memberships(reduced)),
    )  # fmt: skip
    for component, what, work in steps:
        with _measured(measured, "Aspect discovery", component, what):
            work()
    for component, what, runs in _single_runs(corpus, setup):
        with _measured(measured, "Online learning", component, what):
            _played(corpus, runs, 1)
    stepwise = {row["component"] for row in measured}
    rows = [row for row in rows if row["component"] not in stepwise] + tables.played_rows(measured)
    book.table("Table compute_resources", "time and memory of each step", "compute", rows)


def _single_runs(corpus: Corpus, setup: Setup) -> Iterator[tuple[str, str, list[Run]]]:
    """Yield the paper's three measured experiments: one seed, Gumbel, OMD; four profiles with MMR."""
    profiles = [run for run in plan(corpus, "heterogeneity", 1, setup) if run.variant == "MMR" and run.tie_order == 0]
    yield "Cross-user heterogeneity", f"{len(profiles)} profiles; 1 product; MMR", profiles
    for experiment, component in (("convergence", "Convergence run"), ("drift", "Preference drift")):
        runs = [run for run in plan(corpus, experiment, 1, setup) if run.variant == "PREFER-Gumbel"]
        yield component, f"1 seed; {runs[0].rounds} rounds; Gumbel; OMD", runs


@contextmanager
def _measured(rows: list[dict[str, str]], stage: str, component: str, size: str) -> Iterator[None]:
    before, began = resident(), time.perf_counter()
    yield
    seconds = time.perf_counter() - began
    cells = (stage, component, size, machine(), f"{seconds:.4f}", f"{resident() - before:.1f}", "", "")
    rows.append(dict(zip(compute.COLUMNS, cells, strict=True)))


def _played(corpus: Corpus, runs: Sequence[Run], workers: int) -> list[Row]:
    return [row for part in execute(corpus.path, runs, min(workers, len(runs))) for row in part]


def _page(title: str, book: Book) -> str:
    """Return the page that leads to every file, with the paper's numbers beside ours."""

    def cells(values: Sequence[str], tag: str = "td") -> str:
        return "<tr>" + "".join(f"<{tag}>{value}</{tag}>" for value in values) + "</tr>"

    def number(value: Any) -> str:
        return "–" if value is None else f"{value:,.4g}" if isinstance(value, float) else f"{value:,}"

    files = [
        cells([html.escape(e["paper"]), html.escape(e["shows"]), f'<a href="{e["file"]}">{html.escape(e["file"])}</a>'])
        for e in book.entries
    ]
    values = [
        cells([*(html.escape(str(v[k])) for k in ("paper has it in", "what")), number(v["paper"]), number(v["here"]),
               html.escape(str(v["corpus"]))])
        for v in book.values
    ]  # fmt: skip
    notes = "".join(f"<p>{html.escape(note)}</p>" for note in book.notes)
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{html.escape(title)}</title>"
        "<style>body{font-family:system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}"
        "table{border-collapse:collapse;margin:1rem 0}td,th{text-align:left;padding:.25rem .8rem;"
        "border-bottom:1px solid #ddd}</style>"
        f"<h1>{html.escape(title)}</h1>"
        "<p>Step size, k, lambda and the other numbers of preset <code>paper</code> are ours: "
        "the paper prints none of them. "
        f"What differs from the paper and why stands in docs/paper.md of the project.</p>{notes}"
        f"<h2>Numbers that the paper prints</h2><table>{cells(['in', 'what', 'paper', 'here', 'corpus'], 'th')}"
        f"{''.join(values)}</table>"
        f"<h2>Figures and tables</h2><table>{cells(['paper', 'shows', 'file'], 'th')}{''.join(files)}</table></html>\n"
    )
