"""Aspect names: class TF-IDF by hand, distinct and readable labels."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from prefer_core.aspects.labels import Sentences, class_tf_idf, name_aspects
from prefer_core.aspects.words import base_forms, words_of

TEXTS = [
    "The scent of coconut is great.",
    "Lovely coconut scent, I love it.",
    "The scents last and the coconut is great.",
    "The lid cracked and the pump is great.",
    "Its lid broke, I love the pump.",
    "Both lids cracked near the pump.",
]


def _names(texts: Sequence[str] = TEXTS, products: str = "PQRPQR") -> list[str]:
    phi = np.repeat(np.eye(2), 3, axis=0) * 0.8 + 0.1
    named = name_aspects(Sentences(texts, list(products), phi, np.ones(len(texts))), _anywhere, 4)
    return [name.label for name in named]


def _anywhere(words: Sequence[str]) -> NDArray[np.float64]:
    return np.full((len(words), 2), 0.5)


def test_class_tf_idf_by_hand() -> None:
    """tf times log(1 + A / f): 2/4 log(1 + 4/2) for a word of one class, 2/4 log(1 + 4/6) for a shared one."""
    one, two = class_tf_idf([{"lid": 2, "box": 2}, {"box": 4}])
    assert one == pytest.approx({"lid": 0.5 * np.log(3), "box": 0.5 * np.log(5 / 3)})
    assert two == pytest.approx({"box": np.log(5 / 3)})


def test_labels_name_what_the_sentences_are_about() -> None:
    """Words of praise and stop words do not name an aspect; inflected forms count together."""
    assert _names() == ["Coconut, scent", "Lid, pump"]


def test_labels_are_distinct() -> None:
    """Two aspects with the same words get different labels."""
    labels = _names(["the coconut scent lotion jar"] * 6)
    assert len(set(labels)) == 2


def test_a_word_of_one_product_steps_back() -> None:
    """The brand that only one product's reviewers use does not name the aspect where another word does."""
    brand = [f"Zorba scent number {word}" for word in "abcdef"]
    other = [f"The scent of rose {word}" for word in "abcdef"]
    phi = np.repeat([[0.9, 0.1]], 12, axis=0)
    phi[-1] = [0.1, 0.9]
    products = ["P"] * 6 + ["Q", "R", "S"] * 2
    named = name_aspects(Sentences(brand + other, products, phi, np.ones(12)), _anywhere, 4)
    assert "zorba" not in named[0].label.lower()


def test_a_word_that_lies_elsewhere_steps_back() -> None:
    """Of two equal words the one whose own vector lies in the aspect comes first."""

    def place(words: Sequence[str]) -> NDArray[np.float64]:
        return np.array([[0.9, 0.1] if word == "scent" else [0.01, 0.99] for word in words])

    phi = np.repeat(np.eye(2), 3, axis=0) * 0.8 + 0.1
    named = name_aspects(Sentences(TEXTS, list("PQRPQR"), phi, np.ones(6)), place, 4)
    assert named[0].terms[0][0] == "scent"


def test_examples_belong_to_the_aspect_and_differ_in_product() -> None:
    """Examples are rows that the aspect dominates, of different products."""
    phi = np.repeat(np.eye(2), 3, axis=0) * 0.8 + 0.1
    named = name_aspects(Sentences(TEXTS, list("PQRPQR"), phi, np.ones(6)), _anywhere, 4, n_examples=2)
    assert set(named[0].examples) <= {0, 1, 2}
    assert len(named[1].examples) == 2


def test_an_aspect_without_words_is_numbered() -> None:
    """An aspect of sentences without any word that carries meaning is called by its number."""
    assert _names(["I like it so much"] * 6) == ["Aspect 1", "Aspect 2"]


def test_words_and_bases() -> None:
    """Stop words and possessives go; plurals and verb forms fold to a base that occurs."""
    assert words_of("The bottle's lids weren't great") == {"bottle", "lids", "great"}
    counts = dict.fromkeys(["lid", "lids", "smell", "smelling", "fit", "fitting", "fittings", "use", "dress"], 1)
    bases = base_forms(counts)
    assert (bases["lids"], bases["smelling"], bases["fittings"], bases["dress"]) == ("lid", "smell", "fit", "dress")
