"""Which desk the comparison page shows: product, columns and way of choosing, from widgets, a link or a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from prefer_core.corpus import Corpus
from prefer_core.errors import ConfigError
from prefer_core.insight import comparison, desk
from prefer_core.insight.comparison import EXTRACTOR, PRESET, SEED, Column, Preset
from prefer_core.selection import EXTRACTORS
from prefer_core.ui import desk_columns, products, resources
from prefer_core.ui.desk_columns import KEPT, LETTERS, WAYS, Shelf
from prefer_core.ui.reader import Reader


@dataclass(frozen=True)
class Choice:
    """Everything that decides what the page shows.

    Attributes
    ----------
    here : Shelf
        Corpus, product, and whose profiles there are.
    codes : list of str
        All columns that are asked for, as a link has them.
    letters, columns : list of str, list of Column
        Those that can be shown, with their letters.
    extractor, preset, most : str, str, int
        How evidence is chosen unless a column says otherwise.
    """

    here: Shelf
    codes: list[str]
    letters: list[str]
    columns: list[Column]
    extractor: str
    preset: Preset
    most: int

    @property
    def corpus(self) -> Corpus:
        """Whose reviews these are."""
        return self.here.corpus

    @property
    def product_id(self) -> str:
        """The product."""
        return self.here.product.product_id

    @property
    def titles(self) -> list[str]:
        """What each column is called: its letter and its profile."""
        return [f"{letter} · {name}" for letter, name in zip(self.letters, self.names, strict=True)]

    @property
    def names(self) -> list[str]:
        """The profiles in words, and how their evidence is chosen where that is not the desk's way."""
        return [self._name(one) for one in self.columns]

    def _name(self, one: Column) -> str:
        by = [] if one.extractor == self.extractor else [WAYS.get(one.extractor, one.extractor)]
        of = [] if one.preset == self.preset else [KEPT[one.preset].split(" (")[0]]
        return ", ".join([one.profile.name, *by, *of])

    def query(self) -> dict[str, str | list[str]]:
        """Return the query parameters that bring this comparison back; nothing about the reader is in them."""
        return {
            "corpus": self.corpus.id,
            "product": self.product_id,
            "profile": self.codes,
            "by": self.extractor,
            "of": self.preset,
            "k": str(self.most),
        }

    def desk(self) -> desk.Desk:
        """Return what is compared, as a file keeps it."""
        return desk.Desk(
            self.corpus.id, self.corpus.name, self.product_id, tuple(one.code for one in self.columns),
            tuple(one.profile.w for one in self.columns), self.extractor, self.preset, self.most,
        )  # fmt: skip


def link(choice: Choice) -> str:
    """Return an address that shows this comparison to anybody who can reach the app."""
    return resources.link("Compare_profiles", urlencode(choice.query(), doseq=True))


def choose(corpora: Sequence[Corpus], reader: Reader | None) -> Choice:
    """Ask for product, profiles and how evidence is chosen; start from what the link asks for."""
    _brought(corpora, reader)
    ids = [corpus.id for corpus in corpora]
    first, second, third, fourth, fifth = st.columns([3, 5, 2, 3, 2])
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
    names = sorted(EXTRACTORS, key=lambda name: name != EXTRACTOR)
    asked = _asked("by", names, "way of choosing evidence")
    extractor = third.selectbox(
        "Evidence by", names, names.index(asked) if asked else 0, key="compare-by",
        format_func=lambda name: WAYS.get(name, name),
        help=f"MMR always takes the best next one; Gumbel draws among the best, here with seed {SEED} for everybody.",
    )  # fmt: skip
    presets: list[Preset] = list(KEPT)  # type: ignore[arg-type]  # its keys are the presets
    asked = _asked("of", presets, "kind of evidence")
    preset = fourth.selectbox(
        "Evidence of", presets, [*map(str, presets)].index(asked or PRESET), key="compare-of",
        format_func=KEPT.__getitem__,
        help="Key points with counts, as on the rating page; single sentences with the numbers of the paper; or whole "
        "reviews with the same numbers, each about what its sentences are about on average.",
    )  # fmt: skip
    sizes = [str(k) for k in range(1, 11)]
    k = _asked("k", sizes, "number of points") or str(comparison.settings(preset=preset).max_sentences)
    unit = {"person": "Points", "paper": "Sentences", "reviews": "Reviews"}[preset]
    most = fifth.number_input(unit, 1, 10, int(k), key=f"compare-k-{preset}", help="How many a profile is given.")
    here = desk_columns.shelf(corpus, product_id, reader)
    codes = desk_columns.choose(here)
    letters, columns = [], []
    for letter, code in zip(LETTERS, codes, strict=False):
        try:
            columns.append(desk.column(code, corpus, product_id, here.people, extractor, preset))
            letters.append(letter)
        except ConfigError as error:
            st.warning(f"{letter} is left out. {error}")
    return Choice(here, codes, letters, columns, extractor, preset, int(most))


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


UPLOAD = "desk-file"
_TROUBLES = "desk-troubles"


def _brought(corpora: Sequence[Corpus], reader: Reader | None) -> None:
    """Bring back the desk of a file that was just chosen, before any widget is drawn; say what of it cannot be."""
    for trouble in st.session_state.pop(_TROUBLES, []):
        st.warning(trouble)
    file = st.session_state.get(UPLOAD)
    taken = f"{UPLOAD}-taken"
    if file is None or st.session_state.get(taken) == file.file_id:
        return
    st.session_state[taken] = file.file_id
    try:
        found = desk.read(file.getvalue().decode("utf-8", "replace"))
        corpus = next((one for one in corpora if one.id == found.corpus_id), None)
        if corpus is None:
            raise ConfigError(
                f"This desk compares profiles of reviews that are not open here ({found.corpus_name}, corpus "
                f"{found.corpus_id}); open those reviews to see it."
            )
        shelf = desk_columns.shelf(corpus, corpus.product(found.product_id).product_id, reader)
        codes, troubles = desk.at_home(found, corpus, shelf.people)
    except ConfigError as error:
        st.error(str(error))
        return
    desk_columns.put(corpus.id, codes)
    for trouble in troubles:
        st.warning(trouble)
    state = st.session_state
    if len(corpora) > 1:
        state["compare-corpus"] = corpus
    state[f"compare-product-{corpus.id}"] = found.product_id
    state["compare-by"], state["compare-of"] = found.extractor, found.preset
    if found.most is not None:
        state[f"compare-k-{found.preset}"] = found.most
