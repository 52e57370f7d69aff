"""The model that counts, on plain cases: what it must tell apart, alone and in company."""

import numpy as np
import pytest

from prefer_core.encoders.entailment import FOLDER, OPPOSES, SAYS, shared
from prefer_core.keypoints import says
from prefer_core.keypoints.matching import contradicting, decision

CASES = [
    ("it runs large", "It runs very large.", "It runs small."),
    ("it runs large", "I ordered a medium and it runs large on me.", "It fits true to size."),
    ("it is too tight", "The dress was way too tight on me.", "The dress was way too loose on me."),
    ("the fabric is soft", "I love how soft the fabric is!", "The fabric is stiff and scratchy."),
    ("the fabric is soft", "Super soft fabric and a great color.", "The fabric is not soft at all."),
    ("the lid leaks", "The lid leaked all over my bag.", "The lid never leaks."),
    ("the battery lasts long", "Battery life is great, it lasts for days.", "The battery life is too short."),
    ("it is easy to use", "Very easy to use, even for my dad.", "It is hard to use."),
    ("the sound is great", "These have great sound.", "The sound is terrible."),
    ("it smells good", "Smells so good!", "It smells awful."),
]


@pytest.mark.parametrize(("point", "same", "other"), CASES)
def test_a_paraphrase_says_the_point_and_its_opposite_does_not(point: str, same: str, other: str) -> None:
    """Sizes, negation and quality come apart in both directions."""
    assert says(point, [same, other]).tolist() == [True, False]


def test_general_praise_and_other_topics_do_not_say_a_point() -> None:
    """Nothing is counted for what is merely about the same product."""
    others = ["I love this dress!", "Fast delivery.", "I bought it for my sister.", "Great for the price.", ""]
    assert not says("the fabric is soft", others).any()


def test_no_sentences_give_no_answers() -> None:
    """An empty list is answered by an empty array of bool."""
    found = says("the lid leaks", [])
    assert found.shape == (0,)
    assert found.dtype == bool


def test_odd_texts_are_answered() -> None:
    """Emoji, a very long text, another script and control characters get an answer like any other."""
    odd = ["🙂" * 50, "the lid leaks " * 200, "蓋子漏水了。", "the\u202elid\x00leaks\n\n"]
    assert says("the lid leaks", odd).shape == (4,)


def test_probabilities_are_those_of_three_answers_and_hardly_depend_on_the_batch() -> None:
    """Rows sum to 1; a pair alone and among others gets nearly the same answer."""
    pairs = [(same, point) for point, same, _ in CASES] + [(other, point) for point, _, other in CASES]
    together = shared().probabilities(pairs)
    np.testing.assert_allclose(together.sum(axis=1), 1, atol=1e-5)
    alone = np.concatenate([shared().probabilities([pair]) for pair in pairs])
    # In int8 the scale of a batch's activations is common to its rows: an answer near even may tip.
    sure = np.abs(together[:, SAYS] - 0.5) > 0.1
    assert sure.mean() > 0.8
    assert ((together[:, SAYS] > 0.5) == (alone[:, SAYS] > 0.5))[sure].all()
    assert np.abs(together - alone)[:, SAYS].max() < 0.2
    assert together[len(CASES) :, OPPOSES].mean() > together[: len(CASES), OPPOSES].mean()


def test_points_that_contradict_are_paired_once() -> None:
    """Large and small are a pair, soft stands alone."""
    points = ["It runs very large.", "It runs very small.", "The fabric is soft."]
    vectors = np.eye(3) * 0.4 + 0.6
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert contradicting(points, vectors, shared()) == [(0, 1)]


def test_the_model_and_its_decision_lie_in_the_repository() -> None:
    """The file is that of the card, of a size that git carries well, and the decision is one of three numbers."""
    assert (FOLDER / "model.onnx").stat().st_size < 25_000_000
    assert (FOLDER / "README.md").is_file()
    assert 0 < decision().opposed < 1
