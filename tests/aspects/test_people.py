"""Preset people: product words, anchors, anchored K-means, free clusters, "other"; and what it is given that is bad."""

from pathlib import Path

import numpy as np
import pytest

from prefer_core.aspects.anchors import Plan, anchor_vectors, anchor_words, fit_anchored, near_shares, read_anchors
from prefer_core.aspects.diagnostics import Labelled, auc, scores
from prefer_core.aspects.labels import FreeClusters, Texts
from prefer_core.aspects.mask import KeptWords, Mask, find_product_words
from prefer_core.aspects.membership import memberships
from prefer_core.aspects.space import OTHER, fit_anchored_space
from prefer_core.config import AspectSettings
from prefer_core.errors import ConfigError, CorpusError

THINGS = ("dress", "kettle", "Zorbo", "lamp")


def _reviews(n: int = 40) -> tuple[list[str], list[str]]:
    """Return sentences of four products, each calling its product by its own word; price and size belong to all."""
    frames = (
        "I like this {} a lot for the price", "this {} has a good size", "I bought the {} in town", "the price is low",
        "the size is right", "my {} came on time", "I use a {} each day",
    )  # fmt: skip
    texts, products = [], []
    for i in range(n):
        for k, thing in enumerate(THINGS):
            texts.append(frames[(i + k) % len(frames)].format(thing))
            products.append(f"P{k}")
    return texts, products


def _cloud(n: int = 600, d: int = 24, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return unit vectors around five orthogonal directions and a middle part, and the directions."""
    rng = np.random.default_rng(seed)
    directions = np.eye(d)[:5]
    which = rng.integers(0, 6, n)
    made = np.where((which < 5)[:, None], directions[np.minimum(which, 4)], 0) + 0.12 * rng.normal(size=(n, d)) + 0.3
    return made / np.linalg.norm(made, axis=1, keepdims=True), directions


def test_product_words_are_found_by_how_they_stand() -> None:
    """Nouns after "this" that belong to one product are kinds, a capital inside sentences is a brand; price is none."""
    found = {one.word: one.why for one in find_product_words(*_reviews())}
    assert found == {"dress": "kind", "kettle": "kind", "lamp": "kind", "zorbo": "kind"}
    assert "lamp" not in {one.word for one in find_product_words(*_reviews(), kept=["lamp"])}
    brand = find_product_words(["We like Zorbo best of all here", "Some lamp is here"] * 20, ["a", "b"] * 20)
    assert [(one.word, one.why) for one in brand] == [("zorbo", "brand")]


def test_one_product_and_no_product_words() -> None:
    """A corpus of one product has its kind masked; one of a single review each is judged without failing."""
    texts, _ = _reviews()
    one_kind = [text for text in texts if "kettle" in text or "price is" in text]
    assert [one.word for one in find_product_words(one_kind, ["P"] * len(one_kind))] == ["kettle"]
    many = [f"p{i}" for i in range(len(texts))]
    assert {one.word for one in find_product_words(texts, many)} >= {"dress", "kettle", "lamp"}
    assert find_product_words([], []) == ()


def test_masking_never_empties_a_sentence() -> None:
    """A text of which only product words would be left stays; words inside words and case do not matter."""
    mask = Mask({"dress", "dresses"})
    assert mask.apply("This dress dress is soft") == "This item is soft"
    assert mask.apply("DRESSES!") == "DRESSES!"
    assert mask.apply("I address the dress's seam") == "I address the item seam"


def test_the_shoppers_anchors_are_sound() -> None:
    """The list that comes along is read, all names differ, and none is called after a product word."""
    anchors = read_anchors("shopper")
    assert len({anchor.name for anchor in anchors}) == len(anchors) > 20
    assert {"price", "smell", "size"} <= anchor_words(anchors)
    assert read_anchors("none") == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[[anchor]\nname = 'a'", "is not TOML"),
        ("[[ancor]]\nname = 'a'\nphrases = ['b']", "'ancor'"),
        ("[[anchor]]\nname = 'a'\nphrase = ['b']", "'phrase' in anchor 1"),
        ("[[anchor]]\nname = 'a'\nphrases = []", "no phrases"),
        ("[[anchor]]\nphrases = ['b']", "no name"),
        ("", "holds no anchors"),
        ("[[anchor]]\nname='Fit'\nphrases=['b']\n[[anchor]]\nname='fit'\nphrases=['c']", "two anchors called fit"),
        ("[[anchor]]\nname='A'\nphrases=['b']\n[[anchor]]\nname='C'\nphrases=['B']", "A and C the same phrases"),
    ],
)
def test_a_wrong_anchors_file_is_one_sentence(tmp_path: Path, content: str, said: str) -> None:
    """Typos, unknown entries, empty lists and doubles are told with the place and the right form."""
    path = tmp_path / "mine.toml"
    path.write_text(content)
    with pytest.raises(ConfigError, match=said) as error:
        read_anchors(str(path))
    assert "[[anchor]] with name" in str(error.value)
    with pytest.raises(ConfigError, match="There is no anchors file"):
        read_anchors(str(tmp_path / "none.toml"))


def test_two_anchors_that_say_the_same_are_refused(tmp_path: Path) -> None:
    """Different words with one meaning are told by their vectors."""
    path = tmp_path / "mine.toml"
    path.write_text("[[anchor]]\nname='A'\nphrases=['b']\n[[anchor]]\nname='C'\nphrases=['d']")
    with pytest.raises(ConfigError, match="A and C say the same"):
        anchor_vectors(read_anchors(str(path)), np.array([[1.0, 0.0], [0.99, 0.05]]))


def test_anchored_centres_are_pulled_and_other_is_the_middle() -> None:
    """An anchored direction is the normalised mean of phrase and sentences; all lie at one distance from the middle."""
    vectors, directions = _cloud()
    middle = np.full(vectors.shape[1], 0.2)
    tilted = directions[0] + 0.5 * directions[1]
    anchor = (tilted / np.linalg.norm(tilted))[None]
    centroids = fit_anchored(vectors, Plan(anchor, 3, middle), np.ones(len(vectors)), 0, 5)
    assert centroids.shape == (5, vectors.shape[1])
    assert centroids[-1] == pytest.approx(middle)
    radius = np.linalg.norm(centroids[:-1] - middle, axis=1)
    assert radius == pytest.approx(np.full(4, radius[0]))
    free = fit_anchored(vectors, Plan(anchor, 3, middle, pull=0.0), np.ones(len(vectors)), 0, 5)
    held = fit_anchored(vectors, Plan(anchor, 3, middle, pull=1.0), np.ones(len(vectors)), 0, 5)

    def cosine(found: np.ndarray) -> float:
        return float((found[0] - middle) @ anchor[0] / np.linalg.norm(found[0] - middle))

    assert cosine(held) == pytest.approx(1)
    assert cosine(free) < cosine(centroids) < 1


def test_blocks_and_weights_do_not_change_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small blocks give the same centroids, a weight of two is a row that stands twice, and a seed repeats itself."""
    vectors, directions = _cloud(300)
    plan = Plan(directions[:3], 0, np.zeros(vectors.shape[1]))
    weights = np.where(np.arange(300) % 2, 2.0, 1.0)
    whole = fit_anchored(vectors, plan, weights, 0, 3)
    twice = fit_anchored(np.repeat(vectors, weights.astype(int), axis=0), plan, np.ones(int(weights.sum())), 0, 3)
    assert whole == pytest.approx(twice, abs=1e-3)
    monkeypatch.setattr("prefer_core.files.blocks.ROWS", 37)
    assert fit_anchored(vectors, plan, weights, 0, 3) == pytest.approx(whole)
    large = fit_anchored(vectors, plan, weights, 0, 3, most=100)
    assert np.abs(large - whole).max() < 0.1


def test_near_shares_count_the_nearest_anchor_only() -> None:
    """Shares are parts of all sentences, weights counted; what is near none counts nowhere."""
    vectors = np.array([[1.0, 0, 0], [0.9, 0.1, 0], [0, 1.0, 0], [0, 0, 1.0]])
    shares = near_shares(vectors, np.zeros(3), np.eye(3)[:2], np.array([1.0, 2.0, 1.0, 4.0]), 0.5)
    assert shares == pytest.approx([3 / 8, 1 / 8])


@pytest.mark.parametrize("n_aspects", [None, 2, 4])
def test_the_space_has_other_last_and_rows_on_the_simplex(n_aspects: int | None) -> None:
    """Kinds and names go with the columns; fewer aspects than anchors keep the most spoken of and name the rest."""
    vectors, directions = _cloud()
    anchors = {f"A{k}": direction for k, direction in enumerate(directions)}
    texts = [f"it says word{i % 7} and thing{i % 3}" for i in range(len(vectors))]
    products = [f"P{i % 5}" for i in range(len(vectors))]
    settings = AspectSettings(n_aspects=n_aspects, n_components=8, n_init=2)
    found = fit_anchored_space(vectors, np.ones(len(vectors)), anchors, texts, products, settings, 0)
    assert found.kinds[-1] == "other"
    assert found.names[-1] == OTHER
    assert found.phi.sum(axis=1) == pytest.approx(np.ones(len(vectors)))
    assert np.all(np.diff(found.shares[:-1]) <= 0)
    assert found.phi == pytest.approx(memberships(found.reduced, found.space.centroids, found.space.temperature))
    if n_aspects is not None:
        assert len(found.kinds) == n_aspects + 1
        assert len(found.dropped) == 5 - sum(kind == "anchored" for kind in found.kinds)
    again = fit_anchored_space(vectors, np.ones(len(vectors)), anchors, texts, products, settings, 0)
    assert np.array_equal(found.phi, again.phi)
    other_seed = fit_anchored_space(vectors, np.ones(len(vectors)), anchors, texts, products, settings, 7)
    assert len(other_seed.kinds) == len(found.kinds)


def test_without_anchors_all_are_free() -> None:
    """As for a corpus in another language: free clusters and "other"."""
    vectors, _ = _cloud(200)
    texts, products = ["nada de nada"] * 200, ["P"] * 200
    settings = AspectSettings(n_components=8, n_init=2, n_aspects=4)
    found = fit_anchored_space(vectors, np.ones(200), {}, texts, products, settings, 0)
    assert found.kinds == ("free",) * 4 + ("other",)


def test_free_clusters_are_judged_and_named() -> None:
    """A name's words stand in a tenth of the sentences, praise and product words are none; one product's is told."""
    texts = ["the strap feels tight", "a strap that is tight", "love this great zorbo"] * 10 + [
        "other words stand"
    ] * 90
    products = ["a", "b", "c"] * 10 + ["a", "b", "c"] * 30
    judge = FreeClusters(Texts(texts, products), masked=["zorbo"])
    straps = np.array([i for i in range(30) if i % 3 != 2])
    assert judge.name(straps) in ("Strap, tight", "Tight, strap")
    assert judge.is_aspect(straps)
    assert not judge.is_aspect(np.arange(30))  # a fourth of all: a catch-all
    praise = np.arange(2, 30, 3)
    assert judge.name(praise) is None
    assert judge.one_product(praise) == "c"
    assert not judge.is_aspect(praise)


def test_scores_are_those_of_their_definitions() -> None:
    """Perfect memberships score 1 everywhere; shuffled ones fall to chance."""
    rng = np.random.default_rng(0)
    classes = tuple(np.array(["price", "smell", "size"])[rng.integers(0, 3, 120)])
    products = tuple(np.array(["a", "b"])[rng.integers(0, 2, 120)])
    labelled = Labelled(("t",) * 120, products, np.ones(120, dtype=bool), classes)
    phi = np.array([[c == name for name in ("smell", "price", "size")] for c in classes], dtype=float)
    assert set(scores(phi, labelled).values()) == {1.0}
    chance = scores(rng.permutation(phi), labelled)
    assert chance["nmi"] < 0.1
    assert abs(chance["auc_in_product"] - 0.5) < 0.15
    assert auc(np.zeros(4), np.array([True, False, True, False])) == 0.5


def test_words_put_back_are_kept_beside_the_names(tmp_path: Path) -> None:
    """What was chosen is read again; a damaged file is one sentence."""
    book = KeptWords("c", tmp_path)
    assert book.read() == ()
    book.write(["lamp", "dress", "lamp"])
    assert KeptWords("c", tmp_path).read() == ("dress", "lamp")
    book.path.write_text("{broken")
    with pytest.raises(CorpusError, match="repair it, or move it away"):
        book.read()
