"""Facts about what a script shows: a simulated reader plays the same each time, and its texts are known beforehand."""

from pathlib import Path

import numpy as np
import pytest

from prefer_core.config import WritingSettings
from prefer_core.corpus import Corpus, open_corpus
from prefer_core.insight.warm import write_ahead
from prefer_core.rewriting import Writer
from prefer_core.rewriting.cache import TextCache
from prefer_core.rewriting.fake import FakeBackend
from prefer_core.stage import play
from prefer_core.stage.script import Act, parse
from prefer_core.store import Ledger
from prefer_core.store.ledger import proposer
from prefer_core.store.rows import round_evidence

SCRIPT = """
[[scenes]]
kind = "summary"
[[scenes]]
kind = "play"
reader = "#3"
then = "#2"
turn = 2
rounds = 4
[[scenes]]
kind = "compare"
readers = ["#2", "even"]
"""


@pytest.fixture
def corpus(sample_corpus: Path) -> Corpus:
    """Return the sample."""
    return open_corpus(sample_corpus)


@pytest.fixture
def acts(corpus: Corpus) -> tuple[Act, ...]:
    """Return a short show."""
    return parse(SCRIPT).on(corpus)


def test_every_text_of_a_script_is_prepared(corpus: Corpus, acts: tuple[Act, ...], tmp_path: Path) -> None:
    """After warming, a show that nobody interrupts asks a model for nothing; its session is marked as the stage's."""
    first = Writer(
        lambda: FakeBackend(default=lambda prompt: f" {prompt.splitlines()[0]}"), TextCache(tmp_path / "texts"),
        WritingSettings(candidates=1), name="Fake model",
    )  # fmt: skip
    asked = list(play.texts(corpus, acts))
    assert len(asked) == 1 + 5 + 2
    write_ahead(first, asked, len(asked))
    first.close()
    silent = FakeBackend(default=lambda prompt: pytest.fail("the model was asked"))
    page = Writer(lambda: silent, TextCache(tmp_path / "texts"), WritingSettings(candidates=1), name="Fake model")
    ledger = Ledger(f"sqlite:///{tmp_path / 'ledger.db'}")
    act = acts[1]
    session, token = play.begin(ledger, corpus, act)
    assert session.who == "stage"
    reader = play.reader(act, corpus.n_aspects)
    assert reader is not None
    assert [int(np.argmax(reader.at(t))) for t in (1, 2, 3, 4)] == [act.wants[0]] * 2 + [act.wants[1]] * 2
    for _ in range(act.scene.rounds):
        shown = ledger.open(session, act.product_id, proposer(corpus, act.product_id, session.settings))
        job = page.submit(round_evidence(corpus, shown))
        assert (job.state, job.cached) == ("done", True)
        said = play.rating(reader, session, shown) / 100
        ledger.rate(session, shown.number, said, shown=job.summary.to_dict(), source="model")
    assert page.submit(play.generic(corpus, acts[0])[0]).cached
    assert len(ledger.record(token).rated) == 4
    page.close()
    assert {row["who"] for row in ledger.export()} == {"stage"}
    ledger.start(corpus.id, corpus.n_aspects, session.settings, who="replay")
    assert ledger.counts()["sessions"] == 2
