"""Profiles side by side: choosing them, carried by the link; texts, evidence, overlap; the table to take away."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

import numpy as np
import pandas as pd
import streamlit as st

from prefer_core.corpus import Corpus
from prefer_core.data.spreadsheet import MARK
from prefer_core.errors import ConfigError
from prefer_core.figures.comparison import profiles
from prefer_core.insight import comparison, table2
from prefer_core.insight.comparison import EXTRACTOR, FEWEST, MOST, PRESET, Compared, Preset, Profile
from prefer_core.rewriting import Evidence, Job
from prefer_core.selection import EXTRACTORS
from prefer_core.types import FloatArray, ProductCorpus
from prefer_core.ui import html, products, resources
from prefer_core.ui.charts import chart
from prefer_core.ui.rating import POLL_SECONDS, writer_line

KINDS = {
    "theme": "one aspect",
    "mix": "two aspects, half and half",
    "even": "no preference",
    "own": "own weights",
    "reviewer": "a reviewer",
}
PRESETS: dict[Preset, str] = {"person": "key points", "paper": "sentences (paper)"}
LETTERS = "ABCD"


@dataclass(frozen=True)
class Choice:
    """Everything that decides what the page shows."""

    corpus: Corpus
    product_id: str
    profiles: list[Profile]
    extractor: str
    preset: Preset
    most: int

    def query(self) -> dict[str, str | list[str]]:
        """Return the query parameters that bring this comparison back; nothing about the reader is in them."""
        return {
            "corpus": self.corpus.id,
            "product": self.product_id,
            "profile": [one.code for one in self.profiles],
            "by": self.extractor,
            "of": self.preset,
            "k": str(self.most),
        }


def link(choice: Choice) -> str:
    """Return an address that shows this comparison to anybody who can reach the app."""
    here = urlsplit(st.context.url or "http://localhost:8501/Compare_profiles")
    return f"{here.scheme}://{here.netloc}/Compare_profiles?{urlencode(choice.query(), doseq=True)}"


def choose(corpora: Sequence[Corpus]) -> Choice:
    """Ask for product, profiles and extractor; start from what the link asks for."""
    ids = [corpus.id for corpus in corpora]
    first, second, third, fourth, fifth, sixth = st.columns([3, 4, 2, 2, 2, 2])
    asked = _asked("corpus", ids, "reviews")
    corpus = corpora[0]
    if len(corpora) > 1:
        corpus = first.selectbox(
            "Reviews", corpora, ids.index(asked) if asked else 0, format_func=lambda c: c.name, key="compare-corpus"
        )
    else:
        first.text_input("Reviews", corpus.name, disabled=True)
    asked = _asked("product", corpus.products["product_id"].tolist(), "product")
    with second:
        product_id = products.pick(corpus, asked, f"compare-product-{corpus.id}", titled=True)
    product = corpus.product(product_id)
    codes = _asked_codes(product, corpus)
    tastes = comparison.reviewers(product)
    number = third.selectbox(
        "Profiles", range(FEWEST, MOST + 1), min(max(len(codes), FEWEST), MOST) - FEWEST, key="compare-n"
    )
    names = sorted(EXTRACTORS, key=lambda name: name != EXTRACTOR)
    asked = _asked("by", names, "way of choosing evidence")
    extractor = fourth.selectbox(
        "Evidence by", names, names.index(asked) if asked else 0, key="compare-by",
        format_func=lambda name: {"mmr": "MMR", "gumbel": "Gumbel"}.get(name, name),
        help="MMR always takes the best next sentence; Gumbel draws among the best ones, here with a fixed seed.",
    )  # fmt: skip
    presets = list(PRESETS)
    asked = _asked("of", presets, "kind of evidence")
    preset = fifth.selectbox(
        "Evidence of", presets, [*map(str, presets)].index(asked or PRESET), key="compare-of",
        format_func=PRESETS.__getitem__,
        help="Key points with counts, as on the rating page, or single sentences with the settings of the paper.",
    )  # fmt: skip
    sizes = [str(k) for k in range(1, 11)]
    k = _asked("k", sizes, "number of points") or str(comparison.settings(preset=preset).max_sentences)
    most = sixth.number_input(
        "Points" if preset == "person" else "Sentences", 1, 10, int(k), key=f"compare-k-{preset}",
        help="How many a profile is given.",
    )  # fmt: skip
    places = st.columns(number, gap="medium")
    profiles = []
    for i, place in enumerate(places):
        with place:
            profiles.append(_profile(i, codes[i] if i < len(codes) else "even", product, tastes, corpus))
    return Choice(corpus, product_id, profiles, extractor, preset, int(most))


def remember(choice: Choice) -> None:
    """Put the comparison into the page's address, so that a refresh keeps it."""
    for name, value in choice.query().items():
        if st.query_params.get_all(name) != (value if isinstance(value, list) else [value]):
            st.query_params[name] = value


def _asked(name: str, known: Sequence[str], what: str) -> str | None:
    """Return what the link asks for, or None; say so where there is no such thing."""
    value = st.query_params.get(name)
    if value is None or value in known:
        return value
    st.warning(f"The link asks for a {what} that is not here ({value[:40]}); the first one is shown.")
    del st.query_params[name]
    return None


def _asked_codes(product: ProductCorpus, corpus: Corpus) -> list[str]:
    labels, wanted = corpus.view.choices, corpus.cared_for
    standard = [f"theme-{wanted[0]}", f"theme-{wanted[min(2, len(wanted) - 1)]}", "even"]
    asked = st.query_params.get_all("profile")
    fine = []
    for code in asked[:MOST]:
        try:
            comparison.profile(code[:200], product, labels)
        except ConfigError as error:
            st.warning(f"The link is not right here: {error}")
        else:
            fine.append(code)
    return fine if len(fine) >= FEWEST else [*fine, *standard][: len(standard)]


def _profile(i: int, code: str, product: ProductCorpus, tastes: FloatArray, corpus: Corpus) -> Profile:
    """Draw one profile's inputs; `code` is where they start, `tastes` (R, K) are those of the product's reviewers."""
    labels, k, wanted = corpus.view.choices, corpus.n_aspects, corpus.cared_for
    kind, _, rest = code.partition("-")
    numbers = [int(part) for part in rest.split("-")] if rest else []
    kinds = [name for name in KINDS if name != "reviewer" or len(tastes)]
    key = f"compare-{i}-{corpus.id}"
    chosen = st.selectbox(
        f"Profile {LETTERS[i]}", kinds, kinds.index(kind) if kind in kinds else 0, format_func=KINDS.__getitem__,
        key=f"{key}-kind", help=None if len(tastes) else "No reviewer here wrote three sentences about this product.",
    )  # fmt: skip
    mine = numbers if kind == chosen else []
    if chosen == "theme":
        made = [_theme("Aspect", mine[0] if mine else wanted[i % len(wanted)], labels, f"{key}-one", wanted)]
    elif chosen == "mix":
        first, second = st.columns(2)
        with first:
            one = _theme("Aspect", mine[0] if mine else wanted[0], labels, f"{key}-one", wanted)
        with second:
            rest_of = [a for a in wanted if a != one]
            other = mine[1] if mine and mine[1] != one else rest_of[min(1, len(rest_of) - 1)]
            made = [one, _theme("and", other, labels, f"{key}-two", rest_of)]
    elif chosen == "own":
        made = _own(mine or [100 if a == i % k else 20 for a in range(k)], labels, key)
    elif chosen == "reviewer":
        made = [_reviewer(mine[0] if mine else 0, tastes, labels, f"{key}-who-{product.product_id}")]
    else:
        made = []
        st.text_input("Aspect", "all weigh the same", disabled=True, key=f"{key}-same")
    return comparison.profile("-".join([chosen, *map(str, made)]), product, labels)


def _theme(name: str, first: int, labels: Sequence[str], key: str, among: Sequence[int]) -> int:
    options = list(among)
    start = options.index(first) if first in options else 0
    chosen: int = st.selectbox(name, options, start, format_func=lambda a: labels[a], key=key)
    return chosen


def _own(start: Sequence[int], labels: Sequence[str], key: str) -> list[int]:
    st.html('<p class="p-label">Weights</p>')
    with st.popover("Set weights", width="stretch"):
        values = [
            st.slider(label, 0, 100, min(start[a], 100), key=f"{key}-own-{a}", format="%d")
            for a, label in enumerate(labels)
        ]
    if not any(values):
        raise ConfigError("A reader must want something: move at least one weight above 0.")
    return values


def _reviewer(first: int, tastes: FloatArray, labels: Sequence[str], key: str) -> int:
    def name(i: int) -> str:
        return f"Reviewer {i + 1}, mostly {labels[int(np.argmax(tastes[i]))]}"

    chosen: int = st.selectbox(
        "Who", range(len(tastes)), min(first, len(tastes) - 1), format_func=name, key=key,
        help="The mean membership of what this reviewer wrote, over at least three sentences.",
    )  # fmt: skip
    return chosen


JOBS = "compare-jobs"


def show(choice: Choice) -> None:
    """Draw everything about a comparison."""
    how = comparison.settings(choice.extractor, choice.most, choice.preset)
    compared = comparison.compare(choice.corpus, choice.product_id, choice.profiles, how)
    product = choice.corpus.product(choice.product_id)
    written = [comparison.evidence_of(product, one, choice.corpus.labels_in_texts) for one in compared]
    jobs = _jobs(choice, written)
    if choice.preset == "person" and not product.keypoints:
        st.caption("Fewer than 20 people review this product, so nothing is counted: sentences speak for themselves.")
    polling = any(not job.finished for job in jobs)
    st.fragment(_texts, run_every=POLL_SECONDS if polling else None)(choice, compared, written, jobs, polling)
    _figure(choice, compared)
    _evidence(choice, compared, written)
    _overlap(compared)
    _downloads(choice, compared, jobs)


def _jobs(choice: Choice, written: Sequence[Evidence]) -> list[Job]:
    """Ask for the texts, once each; what the page no longer shows is given up."""
    held: dict[tuple[str, Evidence], Job] = st.session_state.setdefault(JOBS, {})
    wanted: dict[tuple[str, Evidence], Job] = {}
    keys = []
    for one in written:
        key = (choice.corpus.id, one)
        keys.append(key)
        if key in wanted:
            continue
        known = held.get(key)
        if known is None or known.state in ("cancelled", "failed"):
            known = resources.writer().submit(one)
        wanted[key] = known
    for key, job in held.items():
        if key not in wanted:
            job.cancel()
    st.session_state[JOBS] = wanted
    return [wanted[key] for key in keys]


def _basis(i: int, one: Compared, written: Evidence) -> html.Basis:
    return html.basis(f"evidence-{LETTERS[i]}", one.evidence, one.claims, written)


def _marks(compared: Sequence[Compared], i: int, rests: html.Basis) -> list[str]:
    """Say, for each group of a profile's evidence, who else was given it."""
    one = compared[i]
    also = dict(zip(one.chosen, comparison.shared_with(compared)[i], strict=True))
    places = [
        int(claim["point"]) if claim is not None else int(one.round.evidence[at[0]]) for claim, at in rests.groups
    ]
    return [f"also {', '.join(LETTERS[j] for j in also[place])}" if also[place] else "" for place in places]


def _figure(choice: Choice, compared: list[Compared]) -> None:
    st.markdown("**What each wants, and what it was shown**")
    w = np.array([one.profile.w for one in compared])
    z = np.array([one.round.z for one in compared])
    view = choice.corpus.view
    figure = profiles([one.profile.name for one in compared], view.names, view.fold(w), view.fold(z), view.marks)
    last = LETTERS[len(compared) - 1]
    chart(
        figure, "profiles",
        f"Bar: what the profile wants. Diamond: what its evidence is about. From left to right A to {last}.",
    )  # fmt: skip


def _texts(choice: Choice, compared: list[Compared], written: list[Evidence], jobs: list[Job], polling: bool) -> None:
    places = st.container(key="compare-texts").columns(len(jobs), gap="medium")
    view = choice.corpus.view
    for i, (place, one, job) in enumerate(zip(places, compared, jobs, strict=True)):
        rests = _basis(i, one, written[i])
        with place, st.container(border=True, height="stretch"):
            title = f'<p class="p-title">{LETTERS[i]} · {html.plain(one.profile.name)}</p>'
            rows = html.rows(rests, view, _marks(compared, i, rests)) if rests.claims else ""
            st.html(f'<div class="p-narrow">{title}{html.paragraph(job.summary, rests)}{rows}</div>')
            st.caption(
                f"Wish and evidence agree by **{one.alignment:.3f}**.",
                help="G_cos, the cosine of the profile w and the aspect profile z of its evidence; 1 is the same mix.",
            )
            st.caption(writer_line(job, job.summary))
    if polling and all(job.finished for job in jobs):
        st.rerun()


def _evidence(choice: Choice, compared: list[Compared], written: list[Evidence]) -> None:
    st.markdown("**Evidence**", help="The sentences each summary rests on. A mark says which others were given it too.")
    for i, (place, one) in enumerate(zip(st.columns(len(compared), gap="medium"), compared, strict=True)):
        rests = _basis(i, one, written[i])
        body = html.cards(rests, choice.corpus.view, _marks(compared, i, rests))
        place.html(f'<div class="p-narrow">{body}</div>')


def _overlap(compared: list[Compared]) -> None:
    letters = list(LETTERS[: len(compared)])
    common, cosines = comparison.overlap(compared)
    first, second = st.columns(2, gap="medium")
    units = "Points" if all(one.claims for one in compared) else "Sentences"
    first.markdown(f"**{units} in common**", help=f"The diagonal is how many {units.lower()} a profile was given.")
    first.dataframe(pd.DataFrame(common, index=letters, columns=letters), width="stretch")
    second.markdown("**How alike the evidence is**", help="Cosine of the profiles z: 1 is the same mix of aspects.")
    second.dataframe(pd.DataFrame(cosines, index=letters, columns=letters).round(3), width="stretch")


def _downloads(choice: Choice, compared: list[Compared], jobs: list[Job]) -> None:
    product = choice.corpus.product(choice.product_id)
    title, view = product.title or choice.product_id, choice.corpus.view

    # Made when asked for: the texts may have come on meanwhile.
    def as_csv() -> str:
        return MARK + table2.to_csv(choice.corpus.name, title, compared, [job.summary for job in jobs], view)

    def as_latex() -> str:
        return table2.to_latex(title, compared, [job.summary for job in jobs], view)

    first, second, rest = st.columns([1, 1, 3], vertical_alignment="bottom")
    first.download_button("Table (CSV)", as_csv, "profiles.csv", "text/csv", on_click="ignore", width="stretch")
    second.download_button("Table (LaTeX)", as_latex, "profiles.tex", "text/plain", on_click="ignore", width="stretch")
    with rest:
        st.caption("A link to this comparison; it holds nothing about you.")
        st.code(link(choice), language=None)
