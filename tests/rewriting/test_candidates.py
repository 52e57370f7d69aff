"""The search for a statement: in what order candidates are asked for, and when one is given up."""

from dataclasses import replace

from prefer_core.rewriting.candidates import Search
from prefer_core.rewriting.hierarchical import write
from prefer_core.rewriting.prompts import BASE
from tests.rewriting.conftest import make_evidence

NOTE = "The seams of the arms were almost in the front at the chest so moving was hard, but the wool is warm."


class Streams:
    """A model that streams its answers word by word; keeps how many words of each were read."""

    name = "stream"

    def __init__(self, answers):
        self.answers = list(answers)
        self.seeds: list[int] = []
        self.read: list[int] = []

    def stream(self, prefix, prompt, *, max_tokens, stop, temperature, seed):
        """Yield the next answer word by word."""
        self.seeds.append(seed)
        self.read.append(0)
        for word in (self.answers.pop(0) if self.answers else "").split():
            self.read[-1] += 1
            yield f" {word}"

    def complete(self, prefix, prompt, **asked):
        """Return the next answer."""
        return "".join(self.stream(prefix, prompt, **asked))

    def close(self):
        """Nothing to close."""


def test_a_candidate_ends_where_the_rest_is_of_no_use(quick):
    """A text is given up at the end of its first sentence; a copy is read whole, lest its forms be broken."""
    model = Streams([NOTE, "the wool is warm. They love the boat and the pond."])
    search = Search(make_evidence((NOTE,)), 0, model, BASE, quick)
    search.first()
    search.rest()
    assert model.read[:2] == [len(NOTE.split()), 5]
    assert search.best.statement is not None
    assert search.best.statement.text.endswith("the wool is warm.")


def test_a_model_that_repeats_itself_is_asked_no_third_time(quick):
    """Where the first sampling gives the greedy text again, no other sampling follows: the openings do."""
    model = Streams(["the boat leaks."] * 9)
    search = Search(make_evidence(("So cute!",)), 0, model, BASE, replace(quick, candidates=4))
    search.first()
    search.rest()
    assert model.seeds == [0, 1]
    assert search.best.statement is None


def test_each_group_is_tried_once_before_any_is_tried_twice(quick):
    """The second group's greedy text comes before the first group's sampled one, and is shown first."""
    evidence = make_evidence(("The lid cracked after two weeks.", "I love the sweet smell."))
    model = Streams(["the boat leaks.", "they love the sweet smell.", "the lid cracked after two weeks."])
    found = list(write(evidence, model, BASE, quick))
    assert model.seeds[:3] == [0, 0, 1]
    assert [[s.source for s in one.statements] for one in found[:3]] == [
        ["template", "template"],
        ["template", "model"],
        ["model", "model"],
    ]
