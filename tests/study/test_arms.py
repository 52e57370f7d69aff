"""Facts about arms: every learner, extractor and starting profile is played to the end through the code for people."""

from pathlib import Path

import numpy as np
import pytest

from prefer_core.corpus import Corpus
from prefer_core.errors import ConfigError
from prefer_core.learning import UPDATERS, Posterior
from prefer_core.simplex import uniform
from prefer_core.study.definition import Arm, Quality, parse
from prefer_core.study.simulate import make_bot, play
from tests.study.conftest import Site, made_study
from tests.study.test_definition import EXAMPLE

PAPER = [
    Arm(f"{learner}-{extractor}", learner=learner, extractor=extractor, preset="paper")
    for learner in ("omd", "static")
    for extractor in ("gumbel", "mmr")
]


def test_the_papers_variants_the_posterior_and_a_profile_are_played_to_the_end(small: Corpus, tmp_path: Path) -> None:
    """One bot an arm: all rounds rated once, only learners move, and the profile is where its arm begins."""
    first = small.aspects["labels"][1]
    arms = (*PAPER, Arm("posterior", learner="posterior"), Arm("profile", learner="posterior", start={first: 0.8}))
    study = made_study(arms=arms, quality=Quality(repeats=0))
    site = Site(f"sqlite:///{tmp_path / 'l.db'}", small, study)
    for number in range(len(arms)):
        play(site.book, site.ledger, small, study, site.stored, make_bot(small, "honest", 4, [3, number]))
    records = site.book.records(site.stored)
    assert {arm for record in records for arm in record.sessions if ":" not in arm} == {arm.name for arm in arms}
    for record in records:
        assert "completed" in record.answers
        assert [one.feedback is None for one in record.placed] == [False] * 5
        [(name, session)] = [pair for pair in record.sessions.items() if ":" not in pair[0]]
        began = site.ledger.round(session, 1).w
        np.testing.assert_allclose(began, [0.1, 0.8, 0.1] if name == "profile" else uniform(3), atol=1e-3)
        moved = not np.array_equal(site.ledger.record_of(session).state.w, began)
        assert moved == (not name.startswith("static")), name
    for opened in site.opened:
        opened.close()


@pytest.mark.parametrize("learner", sorted(UPDATERS))
def test_every_learner_starts_from_a_profile(learner: str) -> None:
    """It is the first preference, above the floor; one of another length is refused."""
    wanted = (0.7, 0.3, 0.0)
    w = UPDATERS[learner](start_profile=wanted).start(3, 0).w
    np.testing.assert_allclose(w, wanted, atol=1e-3)
    assert w.sum() == pytest.approx(1)
    with pytest.raises(ConfigError, match="3 weights does not fit 4 aspects"):
        UPDATERS[learner](start_profile=wanted).start(4, 0)


def test_forgetting_leads_back_to_the_profile() -> None:
    """Ratings that say nothing leave the posterior's mean at its starting profile."""
    learner = Posterior(start_profile=(0.6, 0.3, 0.1), forgetting=0.5)
    state = learner.start(3, 0)
    mean, _ = learner.theta(state)
    fresh = learner._prior_shift(3)
    np.testing.assert_allclose(state.extra["shift"], fresh)
    np.testing.assert_allclose(learner._preference(mean), [0.6, 0.3, 0.1], atol=1e-3)


def test_a_profile_that_cannot_work_is_told_with_its_line(small: Corpus) -> None:
    """An aspect that is not there, and weights above one."""
    text = EXAMPLE.read_text(encoding="utf-8")
    wrong = text.replace('learner = "omd"', 'learner = "omd"\nstart = { "nothing" = 0.5 }')
    line = wrong.splitlines().index('start = { "nothing" = 0.5 }') + 1
    with pytest.raises(ConfigError, match=rf"line {line}: start is 'nothing'\. Choose one of"):
        parse(wrong).fit(small)
    with pytest.raises(ConfigError, match="sum to 1 at most"):
        parse(wrong.replace("0.5 }", "1.5 }"))
