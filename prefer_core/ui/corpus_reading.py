"""The corpus page's part on reading: which columns, which rules, what was lost and why, what was repeated."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from prefer_core.corpus import Corpus
from prefer_core.data.losses import MUCH
from prefer_core.figures.tables import Row
from prefer_core.ui.corpus_parts import file_name, kept, save, table

_KINDS = {
    "flood": "same text by many accounts",
    "filler": "same text about several products",
    "account": "one account repeats itself",
}


def reading(corpus: Corpus, others: Sequence[Corpus]) -> None:
    """Show what was read of the source and what was lost on the way, with examples."""
    found = kept(corpus, "reading", "columns")
    if found is None:
        return
    counts = corpus.manifest["counts"]
    lost = found["lost"]
    st.markdown(
        f"**{counts['lines read']:,} rows were read, {counts['reviews']:,} reviews came of them.** "
        f"{100 * lost:.1f} % of the rows were lost though they were wanted; repeats and languages left out on purpose "
        "do not count."
    )
    if lost > MUCH:
        st.warning("More than a twentieth of the rows gave no review. The examples below show why.")
    if found["language_note"]:
        st.warning(found["language_note"])
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown("**Columns of the source**")
        table(found["columns"])
    with right:
        st.markdown("**What was decided for whole columns**")
        for note in found["notes"]:  # names of columns stand in them: text, not Markdown
            st.text(note)
    losses = _losses(counts, found["examples"])
    st.markdown("**What was left out, with the first examples**")
    if losses:
        table(losses)
        save("This table (CSV)", losses, f"{file_name(corpus)}-left-out")
    else:
        st.caption("Nothing was left out.")
    _repeated(found, corpus)


def _losses(counts: Mapping[str, int], examples: Mapping[str, Sequence[str]]) -> list[Row]:
    return [
        {"reason": reason, "count": counts.get(reason, 0)}
        | {f"example {number}": dict(enumerate(texts)).get(number - 1, "") for number in (1, 2, 3)}
        for reason, texts in examples.items()
    ]


def _repeated(found: Mapping[str, Any], corpus: Corpus) -> None:
    if found["floods"]:
        rows = [
            {
                "what": _KINDS[flood["kind"]], "text": flood["text"], "reviews": flood["reviews"],
                "accounts": flood["accounts"], "products": flood["products"], "first": _day(flood["first"]),
                "last": _day(flood["last"]),
            }
            for flood in found["floods"]
        ]  # fmt: skip
        st.markdown("**Texts that were repeated**")
        st.caption("Each counts once: the copies are reviews of their products, but no sentence has them as support.")
        table(rows)
        save("This table (CSV)", rows, f"{file_name(corpus)}-repeated")
    if found["accounts"]:
        st.markdown("**Accounts with a hundred reviews or more**")
        table(found["accounts"])


def _day(milliseconds: int) -> str | None:
    return None if milliseconds < 0 else datetime.fromtimestamp(milliseconds / 1000, tz=UTC).date().isoformat()
