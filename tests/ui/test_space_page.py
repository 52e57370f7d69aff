"""The aspect space page on real builds, in every part, and on a corpus of an older version."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from prefer_core.aspects.mask import KeptWords
from prefer_core.aspects.names import NameBook
from prefer_core.config import AspectSettings
from prefer_core.corpus import FILES, annotate, open_corpus
from prefer_core.figures import paper
from prefer_core.figures.theme import HIDDEN_INK, colour
from prefer_core.files.manifest import MANIFEST, write_json, write_manifest
from prefer_core.ui.space_page import overview_rows, product_rows, sampled
from tests.built import SmallCorpora
from tests.data.made import made_reviews
from tests.ui.parts import glides, open_part

FIGURES = {"Aspects": 1, "How much of each": 1, "Map": 1, "How sharp": 4, "How many": 1, "Embeddings": 3}


@pytest.fixture
def made(private_home: Path, small_corpora: SmallCorpora, words_only: None) -> Path:
    """Return a corpus of 160 made reviews in an otherwise empty home."""
    settings = AspectSettings(embedder="words", n_components=6, n_aspects=3, preset="paper")
    return small_corpora.copy(made_reviews(160), settings, private_home / "made")


def _open(part: str) -> AppTest:
    return open_part("3_Aspect_space", part)


def _text(at: AppTest) -> str:
    pieces = [*at.markdown, *at.caption, *at.info, *at.code]
    return "\n".join([*(str(p.value) for p in pieces), *(h.proto.body for h in at.get("html"))])


def test_every_part_draws_its_figures_with_their_numbers(made: Path) -> None:
    """Each figure of each part has a sentence, a button for itself and one for its numbers, each named apart."""
    for part, figures in FIGURES.items():
        at = _open(part)
        assert len(at.get("plotly_chart")) + len(glides(at)) == figures
        labels = [button.proto.label for button in at.get("download_button")]
        for words in (":material/download: Figure ", ":material/table: Numbers of "):
            assert sum(label.startswith(words) for label in labels) == figures
        assert len(set(labels)) == len(labels)
        assert len(at.caption) >= figures


def test_every_view_of_the_map_says_that_distances_are_not_aspects(made: Path) -> None:
    """Three, five, and pairs of components draw the same sampled sentences, each with the warning."""
    at = _open("Map")
    for view, trace in (("Three components", "scatter3d"), ("Five components", "scatter3d"), ("Pairs", "splom")):
        at = at.segmented_control(key="space-view").set_value(view).run()
        assert not at.exception
        drawn = json.loads(at.get("plotly_chart")[0].proto.spec)["data"]
        assert {one["type"] for one in drawn} == {trace}
        assert "Distances in a projection are not aspects" in _text(at)


def test_the_sample_of_sentences_is_that_of_the_arrays(made: Path) -> None:
    """Text, vector and memberships of a sampled place belong to one sentence of the corpus."""
    corpus = open_corpus(made)
    reduced, phi, texts = sampled(corpus.id, corpus)
    table = pd.read_parquet(made / "sentences.parquet")
    assert len(texts) == len(table)
    places = {text: i for i, text in enumerate(table["text"])}
    at = [places[text] for text in texts]
    assert sorted(at) == list(range(len(table)))
    np.testing.assert_array_equal(reduced, corpus.array("reduced")[at])
    np.testing.assert_array_equal(phi, corpus.array("phi")[at])


def test_a_card_tells_what_the_build_found(made: Path) -> None:
    """The chosen aspect's share, stability and sentences stand on the page, of the kind that was asked for."""
    corpus = open_corpus(made)
    found = corpus.diagnostics()
    at = _open("Aspects")
    at = at.pills(key=f"space-aspect-{corpus.id}").set_value(1).run()
    at = at.segmented_control(key="space-kind").set_value("boundary").run()
    assert not at.exception
    text = _text(at)
    assert f"{100 * corpus.aspects['shares'][1]:.0f} % of all that is written" in text
    one = found["stability"]["aspects"][1]
    assert f"again in {one['found']} of {2 * found['stability']['runs']} repetitions" in text
    for sentence in found["cards"][1]["boundary"]:
        assert sentence["text"] in text
    assert at.dataframe[0].value["product"].tolist() == [row["product"] for row in product_rows(corpus, 1)]


def test_the_table_of_cards_counts_as_the_build_did(made: Path) -> None:
    """Shares sum to one; thin parts are counted over all divisions; products stand by falling share."""
    corpus = open_corpus(made)
    rows = overview_rows(corpus, corpus.diagnostics())
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert [row["built as"] for row in rows] == list(corpus.view.built)
    assert {row["of parts"] for row in rows} == {sum(len(d["parts"]) for d in corpus.diagnostics()["slices"])}
    for k in range(3):
        listed = [row["about it, %"] / 100 for row in product_rows(corpus, k)]
        stored = sorted((mass[k] for mass in corpus.products["aspect_mass"]), reverse=True)
        assert listed == pytest.approx(stored)


def test_k_set_by_hand_is_said_with_what_the_rule_would_take(made: Path) -> None:
    """The page says that K was set, and names the K with the best mean rank of the table."""
    at = _open("How many")
    table = at.dataframe[0].value.set_index("K")
    assert table["used"].to_dict() == {k: "yes" if k == 3 else "" for k in table.index}
    best = table["mean rank"].idxmin()
    assert f"K = 3 was set by hand; of these the rule takes {best}." in _text(at)


def test_the_papers_figures_stand_beside(made: Path) -> None:
    """Variance, components, cosines and temperature of the paper are on the page where ours are."""
    text = _text(_open("Embeddings"))
    for printed in ("16 hold 44 %", "paper 65", "paper 172", "0.120", "0.1466", "0.1595"):
        assert printed in text
    assert str(paper.TEMPERATURE) in _text(_open("How sharp"))


def test_merged_aspects_are_one_in_figures_and_apart_on_cards(made: Path) -> None:
    """Under a merge the map and the mass have one series less, summed, in the first one's colour; cards stay K."""
    corpus = open_corpus(made)
    NameBook(corpus.id, corpus.view.built).add("merge", (0, 2), "Both")
    drawn = json.loads(_open("Map").get("plotly_chart")[0].proto.spec)["data"]
    assert {one["name"]: one["marker"]["color"] for one in drawn} == {"Both": colour(0), corpus.labels[1]: colour(1)}
    bars, _ = json.loads(_open("How much of each").get("plotly_chart")[0].proto.spec)["data"]
    shares = corpus.aspects["shares"]
    assert bars["x"] == pytest.approx([100 * (shares[0] + shares[2]), 100 * shares[1]])
    at = _open("Aspects")
    assert at.pills[0].options == [f"Both: {corpus.labels[0]}", corpus.labels[1], f"Both: {corpus.labels[2]}"]
    assert "as built" in _text(at)


def test_names_and_search_stand_on_the_page(made: Path) -> None:
    """A name typed in the part Names is the name of the card; a word is found where it stands."""
    at = _open("Names")
    built = open_corpus(made).labels[1]
    field = next(one for one in at.text_input if one.label == f"Name of {built}")
    assert not field.set_value("Renamed").run().exception
    assert _open("Aspects").pills[0].options[1] == "Renamed"
    at = _open("Search")
    at = at.segmented_control(key="search-mode").set_value("words").run()
    at = at.text_input(key="search-query").set_value("coconut").run()
    texts = pd.read_parquet(made / "sentences.parquet")["text"]
    assert f"{texts.str.contains('coconut').sum():,} found" in _text(at)


def test_an_older_corpus_says_what_to_run(made: Path) -> None:
    """Without the audit, what can be shown is shown, and the rest is a sentence with the command."""
    manifest = json.loads((made / MANIFEST).read_text("utf-8"))
    diagnostics = json.loads((made / "diagnostics.json").read_text("utf-8"))
    for name in ("stability", "slices", "cards", "temperatures", "top_membership"):
        del diagnostics[name]
    write_json(made / "diagnostics.json", diagnostics)
    write_manifest(made, {key: value for key, value in manifest.items() if key not in ("digest", "files")}, FILES)
    older = {"Aspects": 0, "How much of each": 1, "How sharp": 0}
    for part, figures in older.items():
        at = _open(part)
        assert "built before" in at.info[0].value
        assert "precompute.py --source" in at.code[0].value
        assert len(at.get("plotly_chart")) == figures
    for part in FIGURES.keys() - older.keys():
        assert len(_open(part).get("plotly_chart")) == FIGURES[part]


@pytest.fixture
def people(private_home: Path, small_corpora: SmallCorpora, words_only: None) -> Path:
    """Return a corpus of made reviews with preset people, one of its words a product's."""
    rows = made_reviews(120)
    for number, row in enumerate(rows):
        row["text"] += f" This {('kettle', 'lamp')[number % 4 // 2]} is what shop {number} sent."
    settings = AspectSettings(embedder="words", n_components=6, n_aspects=3, n_init=2)
    return small_corpora.copy(rows, settings, private_home / "made")


def test_cards_tell_the_kind_of_each_aspect_and_the_quality(people: Path) -> None:
    """Other is grey and said to be near no aspect; the scores on labelled sentences stand below where there are any."""
    annotate(people, "quality", {"mine": {"nmi": 0.5, "sentences": 7} | dict.fromkeys(("f1", "auc"), 0.6)
                                 | dict.fromkeys(("nmi_in_product", "auc_in_product"), 0.7)})  # fmt: skip
    at = _open("Aspects")
    assert not at.exception
    text = _text(at)
    assert "About nothing in particular" in text
    assert f"border-color:{HIDDEN_INK}" in text
    assert at.dataframe[0].value["AUC in product"].tolist() == [0.7]
    table = _open("How many").dataframe[0].value
    assert table["used"].tolist() == ["yes"]
    assert table["Agreement"].notna().all()


def test_a_hidden_word_is_put_back_by_the_command_shown(people: Path) -> None:
    """Hidden words are listed; one that is chosen is kept beside the names and stands in the command."""
    at = _open("Hidden words")
    assert not at.exception
    assert set(at.dataframe[0].value["word"]) == {"kettle", "lamp"}
    at.multiselect[0].select("lamp").run()
    assert not at.exception
    assert "--keep-words lamp" in at.code[0].value
    assert KeptWords(open_corpus(people).id).read() == ("lamp",)


def test_a_corpus_of_preset_paper_hides_no_words(made: Path) -> None:
    """The part says that no words are hidden there."""
    assert "preset paper" in _open("Hidden words").info[0].value
