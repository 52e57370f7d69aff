"""The parts of the rating page, down to the numbers behind a round."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from prefer_core import simplex
from prefer_core.aspects.names import View
from prefer_core.experiments.regret import static_bound
from prefer_core.figures import learning as figures
from prefer_core.insight.calibrated import ratings_left
from prefer_core.insight.hindsight import drift_alarm, hindsight
from prefer_core.learning.receipt import sentence
from prefer_core.rewriting import Job, Summary, write_template
from prefer_core.types import FloatArray, ProductCorpus, Step
from prefer_core.ui import gliding, html, points, products, resources, slider
from prefer_core.ui.account import start_over
from prefer_core.ui.charts import read_below, take_along
from prefer_core.ui.reader import Reader
from prefer_core.ui.rounds import FOCUS, OpenRound, credible, undo

POLL_SECONDS = 0.4
_LEADING, _LINES_HIGH = 3, 340
"""Aspects whose lines have a colour and a name, and the height of the lines where their width is 800."""


def pick_product(reader: Reader) -> str:
    """Let the reader search for a product; the one opened last stands first."""
    opened = reader.record.opened
    first = None if opened is None else opened.product_id
    return products.pick(reader.corpus, first, f"product-{reader.session.id}")


def summary_card(shown: OpenRound) -> None:
    """Draw the text, as far as it is written, its points with their counts, and the slider that rates it."""
    with st.container(border=True, key="summary-card"):
        polling = shown.writing
        st.fragment(_text, run_every=POLL_SECONDS if polling else None)(shown, polling)
        points.rows(shown)
        st.fragment(slider.rate_by_hand)(shown)  # nothing else on the page follows the slider


def begin_at_slider(shown: OpenRound) -> None:
    """After a rating, put the keyboard on the next summary's slider and a phone's screen on its first line."""
    slider.guard()
    name = slider.name(shown)
    if not st.session_state.pop(FOCUS, False):
        return
    with st.container(key="begin"):
        st.html(
            f"""<script>
            (function begin(tries) {{
                const slider = document.querySelector('.st-key-{name} :is(input, [role="slider"])');
                if (!slider) {{ if (tries) setTimeout(begin, 60, tries - 1); return; }}
                slider.focus({{preventScroll: true}});
                const card = document.querySelector('.st-key-rating');
                if (card && card.getBoundingClientRect().top < 0 && innerWidth < 700)
                    card.scrollIntoView({{block: 'start'}});
            }})(40);
            </script>""",
            unsafe_allow_javascript=True,
        )


def _text(shown: OpenRound, polling: bool) -> None:
    # What a model writes takes the place of the draft: room for a text a quarter longer keeps the slider where it is.
    reserve = ""
    if resources.writer().has_model:
        draft = write_template(shown.evidence).paragraph
        reserve = draft + draft[: len(draft) // 4]
    st.html(f'<p class="p-title">What reviewers say, for you</p>{html.paragraph(shown.summary, shown.basis, reserve)}')
    rest = " You can rate at any time." if shown.writing else ""
    who = html.plain(writer_line(shown.job, shown.summary) + rest)
    st.html(f'<p class="p-writer" title="{who}">{who}</p>')
    if polling and not shown.writing:
        st.rerun()  # a whole run keeps the finished text and ends the polling


def writer_line(job: Job | None, summary: Summary) -> str:
    """Say who wrote a text, or how far the model is with it."""
    writer = resources.writer()
    if job is not None and not job.finished:
        place = f"{job.place} before you" if job.state == "queued" and job.place else job.stage
        left = job.seconds_left
        about = f", about {max(1, round(left))} s more" if left else ""
        return f"A draft in reviewers' own words. {writer.name}: {place}{about}."
    plain = "In reviewers' own words, joined by rule, without a model."
    total = len(summary.sources) or len(summary.statements)
    by_model = round(summary.model_share * total)
    if job is not None and job.error:
        how = f"{by_model} of {total} sentences by {summary.writer}, the others in reviewers' own words"
        return f"{how}: {job.error}" if by_model else f"{plain} {job.error}"
    if by_model == 0:
        return plain
    if by_model == total:
        return f"Written by {summary.writer}, checked against the evidence."
    return f"{by_model} of {total} sentences by {summary.writer}, checked; the others in reviewers' own words."


def last_rating(reader: Reader, product: ProductCorpus) -> None:
    """Say what the latest rating did, with a way back."""
    if not reader.record.rated:
        st.caption("Rate this summary and see here what your rating changed.")
        return
    themes = reader.corpus.view
    rated, step = reader.record.rated[-1], reader.record.steps[-1]
    dominant = [int(themes.place[aspect]) for aspect in rated.aspects]
    units = "points" if rated.claims else "sentences"
    told = sentence(themes.fold_step(step), themes.names, dominant, html.IN_ENGLISH, themes.never_named, units)
    other = None if rated.product_id == product.product_id else reader.corpus.product(rated.product_id).title
    where = "" if other is None else f" That was {other}."
    left, right = st.columns([5, 1], vertical_alignment="center")
    with left:
        st.html(
            f'<p class="p-moved">{html.plain(told)}</p><p class="p-quiet">Last rating {100 * step.feedback:.0f} %, '
            f"your usual before it {100 * step.baseline:.0f} %.{html.plain(where)}</p>"
        )
    right.button("Undo", on_click=undo, args=(reader,), help="Take back the latest rating.", width="stretch")


def preference_panel(shown: OpenRound) -> None:
    """Draw what is known about the reader: bars with what was shown, and the way there."""
    themes, history = shown.reader.corpus.view, shown.reader.record.rated
    last = _last(shown.reader)
    now = themes.fold(shown.stored.w)
    trail = themes.fold(np.array([simplex.uniform(len(themes.built)), *(r.w_after for r in history)]))
    reader, so_far = shown.reader, len(history)
    left = ratings_left(reader.corpus.manifest, reader.session.settings.learner, so_far)
    rest = f"about {left} more rating{'s' if left > 1 else ''}" if left else f"{so_far} rated"
    st.markdown(f"Round **{so_far + 1}** · {rest}", help=f"{_horizon(left)}{_at_the_start(themes)}")
    z = themes.fold(_profile(shown, last))
    before = None if last is None else themes.fold(last.w_before)
    likely, end = credible(reader), gliding.top(trail, z)
    gliding.preference(
        themes, now, "bars", "Your preference for each aspect, in per cent",
        before=before, shown=z, likely=likely, end=end,
    )  # fmt: skip
    read = "Bar: you now." if last is None else "Bar: you now. Outline: before your last rating."
    read += " Diamond: what the summary is about."
    read = read if likely is None else f"{read} Line: where your weight lies with 90 % probability."
    read_below(lambda: figures.preference_bars(themes.names, now, before, z, likely, themes.marks), "preferences", read)
    words, buttons = st.columns([6, 1], gap="small")
    words.markdown("**How it moved, rating by rating**")
    with buttons:
        take_along(lambda: figures.preference_lines(themes.names, trail, themes.marks), "preferences-over-ratings")
    leading = np.argsort(-now, kind="stable")[: _LEADING if history else 0].tolist()
    gliding.lines(
        themes, trail, leading, "lines", "Your preference for each aspect after each rating",
        rounds=max(3, so_far), end=gliding.top(trail), high=_LINES_HIGH,
    )  # fmt: skip


def _at_the_start(themes: View) -> str:
    added = "; aspects that are shown together are added up" if len(themes.rows) < len(themes.built) else ""
    return f"What you care about is learned from your ratings. At the start all aspects weigh the same{added}."


def _last(reader: Reader) -> Step | None:
    """Return the learning step of the latest rating."""
    return reader.record.steps[-1] if reader.record.rated else None


def _profile(shown: OpenRound, last: Step | None) -> FloatArray:
    """Head the panel; return z (K,) of the summary on screen, or of the one rated last if the reader asks for it."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown("**What you care about**", width="content")
        if last is None:
            return shown.stored.z
        here, back = "This summary", "Last rated"
        chosen = st.segmented_control(
            "Diamonds of", [here, back], default=here, label_visibility="collapsed", key="compare", required=True,
            width="content",
        )  # fmt: skip
    return last.z if chosen == back else shown.stored.z


def _horizon(left: int | None) -> str:
    if left is None:
        return ""
    if left == 0:
        return "A typical simulated reader of these reviews has been found by now. "
    return "How many ratings a typical simulated reader of these reviews still needs until it is clear what they want. "


def drift_offer(reader: Reader) -> None:
    """Ask, where ratings have been falling behind, whether the reader looks for something else now."""
    if not drift_alarm([step.centred for step in reader.record.steps]):
        return
    said, fresh, faster = st.columns([6, 2, 3], vertical_alignment="center")
    said.caption("Your last ratings were lower than usual. Are you looking for something else now?")
    fresh.button("Start over", on_click=start_over, args=(reader, reader.session.settings.learner), key="drift-reset")
    if reader.session.settings.learner != "posterior":
        faster.button("Start over, learn faster", on_click=start_over, args=(reader, "posterior"), key="drift-faster")


def numbers(shown: OpenRound) -> None:
    """Explain the numbers of the latest rating, and of the round that is open."""
    with st.expander("The numbers of this round"):
        rows = [
            (
                "β, sharpness of choice",
                _number(shown.stored.beta),
                f"How strictly the best-scoring {'points' if shown.stored.claims else 'sentences'} are taken; it grows "
                "with your ratings.",
            )
        ]
        taken = shown.reader.record.steps
        if taken:
            step = taken[-1]
            rows = [
                ("f, your rating", f"{step.feedback:.2f}", "What you set on the slider, from 0 to 1."),
                ("b, expected", f"{step.baseline:.3f}", "Your usual rating: a moving average that starts at 0.5."),
                (
                    "f̃ = f − b, surprise",
                    f"{step.centred:+.3f}",
                    "Above zero, what was shown gains weight; below, it loses.",
                ),
                (
                    "η, step size",
                    f"{step.step_size:.3f}",
                    "How far one rating may move your preferences; it shrinks slowly.",
                ),
                *rows,
            ]
            if step.floor_acted:
                rows.append(
                    (
                        "δ, floor",
                        f"{shown.reader.session.settings.floor:g}",
                        "An aspect reached the smallest weight and was kept there, so that it can come back.",
                    )
                )
            rows += _looking_back(shown.reader, taken)
        st.html(html.facts(rows))


def _looking_back(reader: Reader, taken: Sequence[Step]) -> list[tuple[str, str, str]]:
    settings = reader.session.settings
    found = hindsight(taken, settings.floor)
    if found is None:
        return []
    bound = ""
    if settings.learner == "omd" and settings.floor > 0 and settings.decay > 0:
        most = static_bound(len(taken), settings.floor, settings.step_size, settings.decay, settings.clip)
        bound = f" It can never be above {most / len(taken):.2f}."
    best = int(np.argmax(found.best))
    theme = "nothing in particular" if best == reader.corpus.other else reader.corpus.labels[best]
    return [
        (
            "regret",
            f"{found.average_regret:+.3f}",
            f"A rating, against always wanting {theme}: best in hindsight.{bound}",
        ),
        ("min w", f"{found.smallest:.2g}", "The smallest weight that any aspect has had."),
    ]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
