"""Which product and which profiles stand side by side: chosen on the page, carried by its link."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

import numpy as np
import streamlit as st

from prefer_core.corpus import Corpus
from prefer_core.errors import ConfigError
from prefer_core.insight import comparison
from prefer_core.insight.comparison import EXTRACTOR, FEWEST, MOST, PRESET, Preset, Profile
from prefer_core.selection import EXTRACTORS
from prefer_core.types import FloatArray, ProductCorpus
from prefer_core.ui import products

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
