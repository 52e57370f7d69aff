"""Simulated participants who play whole studies through the same code as people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from prefer_core.corpus import Corpus
from prefer_core.experiments import simulator
from prefer_core.experiments.simulator import SimulatedReader, feedback
from prefer_core.store import Ledger, StudyBook
from prefer_core.store.studies import Record, StoredStudy
from prefer_core.study.definition import Question, Study
from prefer_core.study.participation import Participation, Step
from prefer_core.types import FloatArray

BotKind = Literal["honest", "noisy", "drifting", "constant", "random"]
MIX: dict[BotKind, float] = {"honest": 0.4, "noisy": 0.2, "drifting": 0.2, "constant": 0.1, "random": 0.1}
"""Shares in a simulated study."""
CARELESS: tuple[BotKind, ...] = ("constant", "random")
SHARPNESS = 10.0
NOISE: dict[BotKind, float] = {"honest": 0.02, "noisy": 0.15, "drifting": 0.02}
"""Standard deviation of the noise on what a summary is worth to a bot (Eq. feedbackprotocol)."""


@dataclass
class Bot:
    """One simulated participant.

    Attributes
    ----------
    kind : str
        Honest, noisy and drifting ones rate by a hidden preference; constant and random ones do not read.
    reader : SimulatedReader
        The hidden preference.
    rng : numpy.random.Generator
        Of everything that this bot draws.
    """

    kind: BotKind
    reader: SimulatedReader
    rng: np.random.Generator
    rated: int = 0

    @property
    def careless(self) -> bool:
        """Whether the bot does not read."""
        return self.kind in CARELESS

    def rating(self, z: FloatArray) -> float:
        """Return the rating of a summary about z (K,), to the per cent as the slider has it."""
        if self.kind == "constant":
            return 0.8
        if self.kind == "random":
            return int(self.rng.integers(0, 101)) / 100
        return round(feedback(self.reader.at(self.rated), z, SHARPNESS, NOISE[self.kind], self.rng), 2)

    def seconds(self) -> float:
        """Return how long a summary is looked at: a median of 4 s for who does not read, of 14 s for who does."""
        return float(self.rng.lognormal(np.log(4.0 if self.careless else 14.0), 0.5))

    def answer(self, question: Question, expected: str | None) -> str:
        """Answer a question; who reads passes nearly every attention item."""
        if question.kind == "text":
            return ""
        values = question.values
        if self.kind == "constant":
            return values[-1]
        if self.kind == "random":
            return str(self.rng.choice(values))
        if expected is not None and self.rng.random() < 0.97:
            return expected
        if question.name.startswith("sus_"):
            against = int(question.name.removeprefix("sus_")) % 2 == 0
            return str(int(np.clip(round(self.rng.normal(2 if against else 4, 0.8)), 1, 5)))
        return str(self.rng.choice(values))


def make_bot(corpus: Corpus, kind: BotKind, rounds: int, seed: Sequence[int]) -> Bot:
    """Return a bot with a hidden preference of its own: for one aspect, for two, or for all in some measure."""
    rng = np.random.default_rng([*seed])
    one, other = (int(k) for k in rng.choice(corpus.cared_for, 2, replace=False))
    n = corpus.n_aspects
    wanted: SimulatedReader
    if kind == "drifting":
        middle = rounds // 2
        wanted = simulator.drift(n, one, other, max(1, middle - 1), middle + 1)
    else:
        draw = int(rng.integers(3))
        wanted = (simulator.single(n, one), simulator.two_aspects(n, one, other), simulator.diffuse(n, rng))[draw]
    return Bot(kind, wanted, rng)


def kinds_of(participants: int, seed: int) -> list[BotKind]:
    """Return a kind for each of some participants: shares as in MIX, order by lot."""
    names = list(MIX)
    counts = np.floor(np.array(list(MIX.values())) * participants).astype(int)
    counts[0] += participants - counts.sum()
    kinds = [kind for kind, count in zip(names, counts, strict=True) for _ in range(count)]
    return [kinds[i] for i in np.random.default_rng([seed, 7]).permutation(participants)]


def play(book: StudyBook, ledger: Ledger, corpus: Corpus, study: Study, stored: StoredStudy, bot: Bot) -> str:
    """Play a whole study as one participant; return the token of the link that was used."""
    [token] = book.invite(stored, kind="bot")
    participant = book.participant(token)
    book.log(participant, "bot", detail={"kind": bot.kind})
    going = Participation(book, ledger, corpus, study, participant)
    going.agree()
    while (step := going.step(record := going.record())).kind != "done":
        take(going, bot, step, record)
    going.finish()
    return token


def take(going: Participation, bot: Bot, step: Step, record: Record) -> None:
    """Take one step as a bot."""
    if step.kind == "questions":
        expected = None
        if step.name.startswith("attention-"):
            expected = going.study.attention[int(step.name.removeprefix("attention-")) - 1].expected
        going.answer(step, {q.name: bot.answer(q, expected) for q in step.questions})
        return
    assert step.slot is not None
    if not step.slot.practice and not step.slot.repeats:
        bot.rated += 1
    values = [bot.rating(one.stored.z) for one in going.show(step, record)]
    answers = {q.name: bot.answer(q, None) for q in step.questions}
    going.rate(step, values, seconds=bot.seconds(), answers=answers)
