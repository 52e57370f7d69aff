"""What all visitors share: corpora, the ledger, and the writer. Never a reader's own data."""

import os
import threading
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st

from prefer_core.aspects.names import NameBook, view_of
from prefer_core.config import home
from prefer_core.corpus import Corpus, open_corpus
from prefer_core.errors import CorpusError, PreferError
from prefer_core.rewriting import Writer, make_writer
from prefer_core.rewriting.fetch import Fetching
from prefer_core.store import Ledger, StudyBook

NO_REVIEWS = "There are no reviews here yet. Run `python precompute.py --source sample --out .prefer/sample`."
SAMPLE = "sample"
ASSETS = Path(__file__).resolve().parents[2] / "assets"
"""Where drawings, scripts and style sheets lie."""


def link(page: str, query: str) -> str:
    """Return an address that opens a page of this app in any browser; the home page is called ""."""
    here = urlsplit(st.context.url or "http://localhost:8501/")
    return f"{here.scheme}://{here.netloc}/{page}?{query}"


def corpus_folders() -> list[Path]:
    """Return the folders that may hold a corpus: PREFER_CORPUS alone if it is set, else those in PREFER_HOME."""
    named = os.environ.get("PREFER_CORPUS")
    if named:
        return [Path(named)]
    found = sorted(
        p.parent for p in home().glob("*/manifest.json") if p.parent.suffix not in (".building", ".previous")
    )
    return sorted(found, key=lambda p: (p.name != SAMPLE, p.name))


@st.cache_resource(show_spinner="Opening the reviews…", max_entries=8)
def _open(folder: str, changed: float) -> Corpus:
    return open_corpus(Path(folder))


@st.cache_resource(show_spinner=False, max_entries=16)
def _named(_corpus: Corpus, folder: str, changed: float, names: str) -> Corpus:
    """Return an opened corpus under the names in the text of its file; the same object while nothing changes."""
    book = name_book(_corpus)
    return _corpus.named(view_of(book.built, book.read(names)))


def name_book(corpus: Corpus) -> NameBook:
    """Return where the names that people give to a corpus's aspects are kept."""
    return NameBook(corpus.id, corpus.view.built)


def corpora() -> tuple[list[Corpus], list[str]]:
    """Open every corpus there is, under the names people gave; return them with a sentence for each trouble."""
    opened, troubles = [], []
    for folder in corpus_folders():
        manifest = folder / "manifest.json"
        try:
            changed = manifest.stat().st_mtime if manifest.exists() else 0.0
            opened.append(_open(str(folder), changed))
            opened[-1] = _named(opened[-1], str(folder), changed, name_book(opened[-1]).text())
        except PreferError as error:
            troubles.append(str(error))
    return opened, troubles


def available() -> list[Corpus]:
    """Return the corpora there are, and show one sentence for each that could not be opened."""
    opened, troubles = corpora()
    for trouble in troubles:
        st.warning(trouble)
    return opened


def required() -> list[Corpus]:
    """Return the corpora there are, like `available`; CorpusError with the command where there is none."""
    opened = available()
    if not opened:
        raise CorpusError(NO_REVIEWS)
    return opened


def corpus_of(corpus_id: str) -> Corpus:
    """Return the corpus of an id; CorpusError with the remedy if it is not here."""
    for corpus in corpora()[0]:
        if corpus.id == corpus_id:
            return corpus
    raise CorpusError(
        f"The reviews of this session (corpus {corpus_id}) are not here any more; start a new one from the home page."
    )


@st.cache_resource(show_spinner=False)
def ledger() -> Ledger:
    """Return the ledger, in PREFER_DATABASE_URL or PREFER_HOME."""
    return Ledger(_database())


@st.cache_resource(show_spinner=False)
def studies() -> StudyBook:
    """Return the studies, in the same database."""
    return StudyBook(_database())


def _database() -> str:
    return os.environ.get("PREFER_DATABASE_URL") or f"sqlite:///{(home() / 'ledger.db').resolve()}"


@st.cache_resource(show_spinner=False)
def writer() -> Writer:
    """Return the one writer that all visitors share."""
    return make_writer()


def new_writer() -> None:
    """Close the writer; the next page makes one from what is here then."""
    old = writer()
    writer.clear()
    # The text in the making may take a while to end; the page does not wait for it.
    threading.Thread(target=old.close, daemon=True).start()


@st.cache_resource(show_spinner=False)
def fetching() -> Fetching:
    """Return the one fetch of a model that all visitors see."""
    return Fetching()
