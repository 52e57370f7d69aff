"""Which words are hidden from the aspects, putting one back, and which anchors are no aspect here."""

from typing import Any

import streamlit as st

from prefer_core.aspects.kept_words import KeptWords
from prefer_core.corpus import Corpus
from prefer_core.data.provenance import build_command
from prefer_core.errors import PreferError
from prefer_core.ui.corpus_parts import file_name, save, table

_WHY = {
    "kind": "kind of product: often follows “this” or “these”",
    "brand": "name: written with a capital",
    "title": "stands in the titles of its products",
}
_QUALITY = {
    "nmi": "NMI", "nmi_in_product": "NMI in product", "f1": "F1", "auc": "AUC", "auc_in_product": "AUC in product",
}  # fmt: skip


def words(corpus: Corpus) -> None:
    """Show the hidden words, let a person choose those to put back, and give the command that does it."""
    if corpus.other is None:
        st.info("This corpus was built with preset paper: no words are hidden and no aspects were named beforehand.")
        return
    found: list[dict[str, Any]] = corpus.aspects["product_words"]
    st.markdown("**Words that are hidden from the aspects**")
    st.markdown(
        "Words that name a product or a brand are read as “item” when aspects are found, so that no aspect is a kind "
        "of product. The texts that are shown, the search and the summaries keep them."
    )
    if found:
        rows = [{"word": one["word"], "times": one["count"], "why": _WHY[one["why"]]} for one in found]
        table(rows)
        save("These words (CSV)", rows, f"{file_name(corpus)}-hidden-words")
        _put_back(corpus, [one["word"] for one in found])
    else:
        st.caption("No word was found that names a product or a brand.")
    dropped: dict[str, float] = corpus.aspects["dropped_anchors"]
    if dropped:
        st.markdown("**Named beforehand, but no aspect here**")
        by_share = sorted(dropped.items(), key=lambda one: (-one[1], one[0]))
        table([{"anchor": name, "sentences near it, %": 100 * share} for name, share in by_share])
        least = corpus.manifest["config"]["aspects"]["least_near"]
        st.caption(f"Under {least:.0%} of the sentences are near it, or other aspects are spoken of more.")


def quality(corpus: Corpus) -> None:
    """Show how well the aspects fit those that people named, where somebody had that measured."""
    found = corpus.manifest.get("quality")
    if not found:
        return
    st.markdown("**Do they fit what people named?**")
    table(
        [{"labels": name, "sentences": one["sentences"]} | {head: one[key] for key, head in _QUALITY.items()}
         for name, one in found.items()],
        dict.fromkeys(_QUALITY.values(), 2),
    )  # fmt: skip
    st.caption(
        "Measured on sentences that people gave one class each. 1 is best; chance is 0, for AUC .5. In product: among "
        "the sentences of one product."
    )


def _put_back(corpus: Corpus, hidden: list[str]) -> None:
    book = KeptWords(corpus.id)
    try:
        kept = book.read()
    except PreferError as error:
        st.error(str(error))
        return
    key = f"kept-words-{corpus.id}"
    chosen = st.multiselect(
        "Put back", hidden, [word for word in kept if word in hidden], key=key, on_change=_keep, args=(book, key),
        placeholder="Choose words that say something about a product",
    )  # fmt: skip
    if chosen:
        before = corpus.manifest["config"]["aspects"]["keep_words"]
        command = build_command(corpus.manifest, str(corpus.path), keep_words=[*before, *chosen])
        st.caption("Your choice is kept. Aspects are found by a build, so it is in force after:")
        st.code(command, language="shell")


def _keep(book: KeptWords, key: str) -> None:
    try:
        book.write(st.session_state[key])
    except PreferError as error:
        st.toast(str(error))
