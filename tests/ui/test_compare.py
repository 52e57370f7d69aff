"""Facts about the comparison page, through Streamlit's own test client."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from prefer_core.corpus import Corpus, open_corpus
from prefer_core.errors import ConfigError
from prefer_core.insight import desk
from prefer_core.insight.desk import Desk
from prefer_core.insight.profiles import People
from prefer_core.store import Ledger
from prefer_core.ui import compare as page
from prefer_core.ui import desk_report
from tests.ui.conftest import ROOT

PAGE = "pages/2_Compare_profiles.py"


@pytest.fixture
def corpus(sample_corpus: Path) -> Corpus:
    return open_corpus(sample_corpus)


def compare(app: Callable[[], AppTest] | AppTest, **query: Any) -> AppTest:
    """Open the page, as a link with this query would."""
    at = app if isinstance(app, AppTest) else app().run()
    for name, value in query.items():
        at.query_params[name] = value
    at = at.switch_page(PAGE).run()
    assert not at.exception
    return at


def markup(at: AppTest) -> str:
    """Everything drawn as HTML."""
    return "".join(element.proto.body for element in at.get("html"))


def codes_of(at: AppTest) -> list[str]:
    """Return the columns in the page's address."""
    held = at.query_params["profile"]
    return [held] if isinstance(held, str) else list(held)


def part(at: AppTest, name: str) -> AppTest:
    """Turn to a part of the page."""
    at = at.segmented_control[0].set_value(name).run()
    assert not at.exception
    return at


def test_the_first_visit_shows_three_different_summaries(app: Callable[[], AppTest]) -> None:
    """Three profiles, two of what the product is most about, each with its text; the link names them and no reader."""
    at = compare(app)
    assert not at.error
    assert not at.warning
    drawn = markup(at)
    assert all(f">{letter} · " in drawn for letter in "ABC")
    assert [code.split("-")[0] for code in at.query_params["profile"]] == ["theme", "theme", "even"]
    assert "reader=" not in at.code[0].value
    assert "Every draw has seed 0" in " ".join(caption.value for caption in at.caption)


def test_a_link_brings_the_comparison_back(app: Callable[[], AppTest]) -> None:
    """Profiles, extractor and size come from the link, and the evidence is the same on a second visit."""
    query = {"profile": ["mix-1-4", "own-10-0-0-0-0-0-0-0-90.mmr"], "by": "gumbel", "of": "paper", "k": "3"}
    first, second = compare(app, **query), compare(app, **query)
    assert first.query_params["profile"] == query["profile"]
    assert [box.value for box in first.selectbox if box.key == "compare-by"] == ["gumbel"]
    assert markup(first) == markup(second)
    assert markup(first).count('<article class="p-card') == 6
    assert "B · Own weights, MMR" in markup(first)


def test_a_broken_link_says_so_and_shows_something(app: Callable[[], AppTest]) -> None:
    """Nonsense in every parameter costs a warning each, never the page; a session that was erased is nonsense, too."""
    codes = ["theme-77", "x", "even", "even.magic", "saved-maple-27", "mine"]
    at = compare(app, corpus="nothing", product="<b>no</b>", profile=codes, by="magic", of="all", k="-4")
    assert not at.error
    assert len(at.warning) == 10
    assert codes_of(at) == ["even"]
    assert ">A · " in markup(at)


def test_one_and_twelve_profiles_in_every_part(app: Callable[[], AppTest]) -> None:
    """One has nothing to share, twelve stand in rows of four; a thirteenth is named and left out."""
    at = compare(app, profile=["theme-1"])
    for name in page.PARTS:
        at = part(at, name)
        assert not at.error
    codes = [f"theme-{k}" for k in range(8)] + ["even", "reviewer-0", "mix-0-1", "diffuse-0", "even.paper"]
    at = compare(app, profile=codes)
    assert "asks for 13 profiles; the first 12" in at.warning[0].value
    for name in page.PARTS:
        at = part(at, name)
        assert not at.error
    assert next(button for button in at.button if button.key == "desk-me").disabled
    at = part(at, "Overlap")
    assert markup(at).count('<table class="p-heat p-square p-dense">') == 3
    assert markup(at).count("<td") == 3 * 144


def test_a_product_of_three_sentences_in_every_part(three_sentences: str) -> None:
    """Nine columns of all ways of choosing share what little there is; no part fails."""
    codes = [f"{who}.{of}" for who in ("theme-0", "mix-0-1", "even") for of in ("person", "paper", "reviews")]
    at = compare(
        AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run(), product=three_sentences, profile=codes
    )
    assert codes_of(at) == codes
    for name in page.PARTS:
        at = part(at, name)
        assert not at.error


@pytest.mark.parametrize(("of", "marks"), [("paper", 2), ("person", 4)])
def test_equal_profiles_share_all_their_evidence(app: Callable[[], AppTest], of: str, marks: int) -> None:
    """Every card of two equal profiles is marked as shared, of points each row as well; the matrices are full."""
    at = compare(app, profile=["theme-1", "theme-1"], of=of, k="2")
    drawn = markup(at)
    assert drawn.count("also B") == marks
    assert drawn.count("also A") == marks
    assert drawn.count(" p-shared") == drawn.count("<article")
    drawn = markup(part(at, "Overlap"))
    assert drawn.count(">1.00</td>") == 8
    assert drawn.count(">2</td>") == 4
    assert "Both were given the same" in markup(part(at, "Why two differ"))


def test_why_two_differ_names_what_each_alone_was_given(app: Callable[[], AppTest]) -> None:
    """A row for each with its numbers, and the two texts with what only one of them says."""
    at = part(compare(app, profile=["theme-1", "even"]), "Why two differ")
    drawn = markup(at)
    table = drawn[drawn.index('<table class="p-why">') :]
    assert table.count("only A") > 0
    assert table.count("only A") == table.count("only B")
    assert table.count("points move") == 2 * table.count("only A")
    assert "<del>" in drawn
    assert "<ins>" in drawn
    at = part(compare(app, profile=["even", "even.paper"]), "Why two differ")
    assert "One chooses among points, the other among sentences" in at.info[0].value
    assert "<del>" in markup(at)


def test_other_settings_are_a_strip(app: Callable[[], AppTest]) -> None:
    """Values across, what is given down; each of the three can be changed."""
    at = part(compare(app, profile=["theme-1"]), "Other settings")
    for swept, columns in (("lambda", 11), ("k", 10), ("beta", 8)):
        at = next(c for c in at.segmented_control if c.key == "desk-swept").set_value(swept).run()
        assert not at.exception
        assert markup(at).count('<th scope="col">') == columns


def test_weights_of_zero_are_refused_in_one_sentence(app: Callable[[], AppTest]) -> None:
    """Somebody who wants nothing gets a sentence; the others stay."""
    at = compare(app, profile=["own-1-0-0-0-0-0-0-0-0", "even"])
    at.slider[0].set_value(0)
    at.run()
    assert not at.exception
    assert "A is left out. A reader must want something" in at.warning[0].value
    assert ">B · " in markup(at)


def test_columns_are_changed_added_and_taken_away(app: Callable[[], AppTest]) -> None:
    """What stands on a button follows its widgets at once; the link follows the buttons."""
    at = compare(app, profile=["theme-1", "even"])
    kind = next(box for box in at.selectbox if box.label == "Profile")
    at = kind.set_value("mix").run()
    assert at.query_params["profile"][0].startswith("mix-")
    assert "A · " in markup(at)
    at = next(button for button in at.button if button.label == "Take away").click().run()
    assert codes_of(at) == ["even"]
    assert next(button for button in at.button if button.label == "Take away").disabled


@pytest.fixture
def rated(app: Callable[[], AppTest]) -> AppTest:
    """A tab whose visitor has rated one summary."""
    at = app().run()
    at = next(b for b in at.button if b.label == "Start as a visitor").click().run()
    at = at.switch_page("pages/1_Rate_summaries.py").run()
    at.slider[0].set_value(95).run()
    return next(b for b in at.button if b.label == "Rate").click().run()


def test_the_visitor_is_one_press_away_and_never_in_a_link(rated: AppTest, private_home: Path) -> None:
    """The own profile is a column with the learned weights; the link says `mine`, which is whoever opens it."""
    at = compare(rated)
    ledger = Ledger(f"sqlite:///{private_home / 'ledger.db'}")
    session = ledger.resume(at.session_state["reader"])
    at = next(button for button in at.button if button.key == "desk-me").click().run()
    assert not at.exception
    assert at.query_params["profile"][-1] == "mine"
    assert "D · You, after 1 rating" in markup(at)
    link = next(code.value for code in at.code if "profile=" in code.value)
    assert "profile=mine" in link
    assert session.pseudonym not in link
    assert at.session_state["reader"] not in link
    shown = part(at, "Aspects and stars")
    own = markup(shown)[markup(shown).index("D · You") :]
    assert f">{100 * ledger.record_of(session).state.w.max():.0f}</td>" in own


def test_a_saved_session_is_there_while_its_reader_allows_it(
    rated: AppTest, app: Callable[[], AppTest], private_home: Path
) -> None:
    """Another tab finds it by its made-up name, at two moments; once erased, one sentence and the other columns."""
    ledger = Ledger(f"sqlite:///{private_home / 'ledger.db'}")
    session = ledger.resume(rated.session_state["reader"])
    code = f"saved-{session.pseudonym}"
    assert "does not allow it" in compare(app, profile=[code, "even"]).warning[0].value
    box = next(one for one in rated.checkbox if one.key == f"allow-{session.id}")
    assert not box.check().run().exception
    at = compare(app, profile=[f"{code}-0", code, "even"])
    assert not at.warning
    assert f"B · {session.pseudonym}, after 1 rating" in markup(at)
    ledger.erase(session)
    at = at.run()
    assert not at.exception
    assert [w.value.split(".")[0] for w in at.warning] == ["A is left out", "B is left out"]
    assert ">C · No preference" in markup(at)


def test_a_desk_comes_back_from_its_file_and_its_report(
    app: Callable[[], AppTest], corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file of the page is made; desk and report hold the same columns, and the report needs nothing else."""
    made: dict[str, Any] = {}
    original = desk_report.Files.all.fget
    assert original is not None

    def kept(files: desk_report.Files) -> Any:
        made.update({name: make for _, make, name, _ in original(files)})
        return original(files)

    monkeypatch.setattr(desk_report.Files, "all", property(kept))
    codes = ["theme-1", "mix-1-3.paper", "even.gumbel", "even.reviews"]
    compare(app, profile=codes, k="3")
    files = {name: make() for name, make in made.items()}
    report, held = files["desk.html"], desk.read(files["desk.json"])
    again = desk.read(report)
    assert held.columns == again.columns == tuple(codes)
    assert (held.most, held.preset) == (3, "person")
    for one, other in zip(held.weights, again.weights, strict=True):
        np.testing.assert_array_equal(one, other)
    assert desk.at_home(held, corpus, People()) == (codes, [])
    assert not any(word in report for word in ("http://", "https://", "<link", "src=", "@import"))
    assert report.count("<article") > 8
    assert "As in the paper&#x27;s Table 2" in report or "As in the paper's Table 2" in report
    assert files["profiles.tex"].count(r"\textbf{Generated summary.}") == 4
    assert files["profiles.csv"].count("\r\n") == 5
    assert files["profiles.html"].count("Generated summary.") == 4


def test_a_desk_of_other_reviews_is_refused(corpus: Corpus) -> None:
    """In one sentence that names them; a product that is not here as well."""
    held = Desk("0" * 16, "shoes", "P", ("even",), (np.full(9, 1 / 9),))
    with pytest.raises(ConfigError, match=r"other reviews \(shoes, corpus 0000000000000000\).*open those reviews"):
        desk.at_home(held, corpus, People())


def test_what_of_a_desk_is_gone_is_said_and_the_rest_comes_back(corpus: Corpus) -> None:
    """A visitor's preference that moved on comes back as it was; an erased session does not, file or not."""
    product_id = str(corpus.products["product_id"][0])
    w = np.random.default_rng(0).dirichlet(np.ones(corpus.n_aspects))
    held = Desk(corpus.id, corpus.name, product_id, ("mine.gumbel", "saved-maple-27", "even"), (w, w, w))
    codes, troubles = desk.at_home(desk.read(held.to_json()), corpus, People(mine=[w[::-1]]))
    assert len(codes) == 2
    assert codes[0].startswith("own-")
    assert codes[0].endswith(".gumbel")
    found = desk.column(codes[0], corpus, product_id, People(), "mmr", "person")
    np.testing.assert_allclose(found.profile.w, w, atol=1e-7)
    assert found.extractor == "gumbel"
    assert "was deleted" in troubles[0]
    assert desk.at_home(held, corpus, People(mine=[w]))[0][0] == "mine.gumbel"


GOOD = json.loads(Desk("id", "name", "P", ("even",), (np.full(3, 1 / 3),)).to_json())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no desk"),
        ("[]", "holds no desk"),
        ("<html></html>", "holds no desk"),
        (json.dumps(GOOD | {"kind": "else"}), "holds no desk"),
        (json.dumps(GOOD | {"columns": 3}), "holds no desk"),
        (json.dumps(GOOD | {"columns": [{"code": "even", "w": ["a"]}]}), "holds no desk"),
        (json.dumps(GOOD | {"version": 9}), "newer version"),
        (json.dumps(GOOD | {"columns": []}), "1 to 12 profiles"),
        (json.dumps(GOOD | {"columns": GOOD["columns"] * 13}), "1 to 12 profiles"),
        (json.dumps(GOOD | {"by": "magic"}), "not known here"),
        (json.dumps(GOOD | {"k": 99}), "1 to 10 points"),
    ],
)
def test_a_file_that_is_no_desk_is_refused_in_one_sentence(text: str, said: str) -> None:
    """Whatever stands in it."""
    with pytest.raises(ConfigError, match=said):
        desk.read(text)
