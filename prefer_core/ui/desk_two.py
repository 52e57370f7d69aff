"""Two columns of a desk against each other, and one of them under other settings."""

from collections.abc import Sequence

import streamlit as st

from prefer_core.corpus import Corpus
from prefer_core.errors import ConfigError
from prefer_core.insight.comparison import Compared, Strip, sweep, whole_reviews
from prefer_core.insight.why import ITSELF, OTHER, Difference, differences, gained
from prefer_core.keypoints.pool import pool_of, total_reviewers
from prefer_core.rewriting import Summary
from prefer_core.rewriting.template import quotation
from prefer_core.types import QUOTED, ProductCorpus
from prefer_core.ui import desk_html, html
from prefer_core.ui.desk_columns import Shelf

MEMORY = "desk-why"
"""Where a tab keeps what differs between the two columns that were compared last: it takes up to a few seconds."""
SWEPT = {
    "lambda": "λ, relevance or variety",
    "k": "k, how many",
    "beta": "β, how strict a draw",
}


def why(
    here: Shelf, letters: Sequence[str], titles: Sequence[str], compared: Sequence[Compared], texts: Sequence[Summary]
) -> None:
    """Draw why two columns differ: what only one of them was given, then their texts word by word."""
    if len(compared) < 2:
        st.info("One profile differs from nobody; add another one.")
        return
    one, other = pair(titles)
    if one == other:
        st.info("These are the same column; choose two.")
        return
    st.markdown("**What only one of the two was given, and what would have brought it to the other**")
    try:
        with st.spinner("Trying changes of the weights…"):
            found = known_differences(here, compared[one], compared[other])
    except ConfigError as error:
        st.info(str(error))
    else:
        st.html(differences_table(here, found, (letters[one], letters[other]), (compared[one], compared[other])))
        st.caption(_READ)
    st.markdown("**The two texts, word by word**")
    left, right = st.columns(2, gap="medium")
    for place, title, body in zip(
        (left, right), (titles[one], titles[other]),
        desk_html.word_difference(texts[one].paragraph, texts[other].paragraph), strict=True,
    ):  # fmt: skip
        place.html(f'<p class="p-title">{html.plain(title)}</p><p class="p-text p-words" dir="auto">{body}</p>')
    st.caption("Struck through: words of the first only. Underlined: words of the second only.")


_READ = (
    "Relevance: how far it is about what the profile wants. Rank: its place by score when it was taken, or when it "
    "came nearest to that; * marks the place kept for safety, complaints and what few people say. Redundancy: its "
    "likeness to what had been taken before, 1 is the same. A dash: it was not on offer: another one of its aspect "
    "comes first, or it is a single voice on what the profile does not care for. Each change was tried by choosing "
    "again; points are hundredths of the whole weight."
)

PAIR = ("desk-one", "desk-other")


def pair(titles: Sequence[str]) -> tuple[int, int]:
    """Ask which two columns are compared."""
    places = list(range(len(titles)))
    for key, first in zip(PAIR, (0, 1), strict=True):
        if st.session_state.get(key, first) not in places:
            st.session_state[key] = min(first, places[-1])
    left, right = st.columns(2, gap="medium")
    one = left.selectbox("One", places, 0, format_func=lambda i: titles[i], key=PAIR[0])
    other = right.selectbox("and the other", places, 1, format_func=lambda i: titles[i], key=PAIR[1])
    return one, other


def known_differences(here: Shelf, one: Compared, other: Compared) -> list[Difference]:
    """Return why two columns differ; the last answer of this tab is remembered."""
    key = (here.corpus.id, here.product.product_id, *_way(one), *_way(other))
    held = st.session_state.get(MEMORY)
    if held is None or held[0] != key:
        held = (key, differences(here.corpus, here.product.product_id, one, other))
        st.session_state[MEMORY] = held
    found: list[Difference] = held[1]
    return found


def _way(one: Compared) -> tuple[object, ...]:
    return one.profile.w.tobytes(), one.how, one.preset


def differences_table(
    here: Shelf, found: Sequence[Difference], letters: tuple[str, str], pair: tuple[Compared, Compared]
) -> str:
    """Return the table of what only one of two columns was given."""
    corpus, product = here.corpus, here.product
    said = [_said(product, one.place, pair[0]) for one in found]
    counts = [
        count if one.prevalence is None else f"{count}, prevalence {one.prevalence:.2f}"
        for one, (_, count, _) in zip(found, said, strict=True)
    ]
    changes = []
    for one in found:
        lacks, giver = pair[1 - one.has], letters[one.has]
        changes.append(_change(one, lacks, giver, corpus))
    return desk_html.differences(
        found, letters, [words for words, _, _ in said], counts, changes,
        [corpus.view.row(aspect).mark for _, _, aspect in said],
    )  # fmt: skip


def _change(one: Difference, lacks: Compared, giver: str, corpus: Corpus) -> str:
    change = one.change
    if change is None:
        return "none of the changes that were tried"
    how = gained(lacks.profile.w, change.w, corpus.view.choices)
    toward = {OTHER: f", toward {giver}", ITSELF: ", toward what it is about"}.get(str(change.target), "")
    return f"{how}{toward}; {100 * change.moved:.1f} points move"


def _said(product: ProductCorpus, place: int, one: Compared) -> tuple[str, str, int]:
    """Return what a thing that was chosen says, by how many, and its aspect."""
    if one.kind == "points":
        point = product.keypoints[place]
        texts = product.text or [""] * len(product)
        words = (point.text or str(texts[point.representative])).rstrip(" .!;,")
        if point.opposed is not None:
            against = product.keypoints[point.opposed]
            words += f" / {(against.text or str(texts[against.representative])).rstrip(' .!;,')}"
        pool = pool_of(product)
        n = int(pool.reviewers[list(pool.points).index(place)])
        count = f"{n} of {total_reviewers(product)} reviewers"
        return f"“{quotation(words)}”" if point.form in QUOTED else words, count, point.aspect
    within = whole_reviews(product).candidates if one.preset == "reviews" else product
    text = str((within.text or [""] * len(within))[place])
    n = 1 if within.supporters is None else len(within.supporters[place])
    short = text if len(text) < 160 else f"{text[:157].rsplit(' ', 1)[0]} …"
    return short, f"{n} reviewer{'s' * (n > 1)}", int(within.dominant[place])


def other_settings(here: Shelf, titles: Sequence[str], compared: Sequence[Compared]) -> None:
    """Draw what one column would be given under other values of lambda, k or beta."""
    left, right = st.columns([2, 3], gap="medium", vertical_alignment="bottom")
    places = list(range(len(titles)))
    if st.session_state.get("desk-swept-of", 0) not in places:
        st.session_state["desk-swept-of"] = 0
    of = left.selectbox("Profile", places, 0, format_func=lambda i: titles[i], key="desk-swept-of")
    swept = right.segmented_control(
        "What changes", list(SWEPT), default="lambda", required=True, format_func=SWEPT.__getitem__, key="desk-swept"
    )
    one = compared[of]
    found = sweep(here.corpus, here.product.product_id, one, swept)
    st.html(strip_table(here, found, one))
    now = {"lambda": one.how.trade_off, "k": one.how.max_sentences, "beta": one.how.beta_cap}[swept]
    st.caption(f"{_reads(swept, found)} {_here(swept, now, one)}")


def strip_table(here: Shelf, found: Strip, one: Compared) -> str:
    """Return the strip of one column under other values."""
    said = [_said(here.product, place, one) for place in found.places]
    marks = [here.corpus.view.row(aspect).mark for _, _, aspect in said]
    return desk_html.strip(found, [f"{words} ({count})" for words, count, _ in said], marks)


def _reads(swept: str, found: Strip) -> str:
    ends = {
        "lambda": "At 0 only variety counts, at 1 only what the profile wants.",
        "k": "Each column gives one more.",
        "beta": "At 1 the draw hardly looks at the scores, at 200 it takes the best; the draw itself is the same.",
    }[swept]
    return f"A mark: given at this value. {ends}"


def _here(swept: str, now: float, one: Compared) -> str:
    if swept == "lambda" and one.how.focused_trade_off is not None:
        return (
            f"On this desk λ goes from {now:g} to {one.how.focused_trade_off:g} as a preference gets clear; here it "
            "stays at each value."
        )
    if swept == "beta" and one.how.extractor != "gumbel":
        return "On this desk the profile is given what MMR takes; here Gumbel draws."
    return f"On this desk it is {now:g}."
