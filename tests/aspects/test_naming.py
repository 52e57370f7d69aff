"""Facts about names, merging and hiding: a view, so nothing that is stored ever changes."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prefer_core.aspects.names import HIDDEN, HIDDEN_MARK, Edit, View, clean_name, edited, in_force, view_of
from prefer_core.errors import ConfigError

BUILT = ("Dry, lather", "Jar, tube", "Skin, rash", "Colour, dark", "Smell, scent", "Price, cost")
K = len(BUILT)
ASPECT = st.integers(0, K - 1)
ATTEMPTS = st.lists(
    st.builds(
        Edit,
        st.sampled_from(["rename", "merge", "split", "hide", "show", "undo"]),
        st.lists(ASPECT, min_size=1, max_size=3).map(tuple),
        st.sampled_from([f"Name {i}" for i in range(12)]),
    ),
    max_size=14,
)
WEIGHTS = st.lists(st.floats(0, 1), min_size=K, max_size=K).map(np.array)

BUSY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Machines that run tests may be slow."""


def made(attempts: list[Edit]) -> list[Edit]:
    """Keep the attempts that can be made, each where it stands."""
    kept: list[Edit] = []
    for edit in attempts:
        try:
            view_of(BUILT, [*kept, edit])
        except ConfigError:
            continue
        kept.append(edit)
    return kept


@BUSY
@given(ATTEMPTS, WEIGHTS)
def test_rows_part_the_built_aspects_and_fold_sums_them(attempts: list[Edit], w: np.ndarray) -> None:
    """After any edits each built aspect is in exactly one row, and a row's value is the sum of its members'."""
    view = view_of(BUILT, made(attempts))
    assert sorted(k for row in view.rows for k in row.members) == list(range(K))
    folded = view.fold(w)
    assert folded.shape == (len(view.rows),)
    for value, row in zip(folded, view.rows, strict=True):
        assert value == pytest.approx(sum(w[k] for k in row.members), abs=1e-12)
        assert len(row.members) > 1 or value == w[row.members[0]]
        assert all(view.row(k) == row for k in row.members)
    assert len({name.casefold() for name in view.names}) == len(view.names)
    assert len(set(view.choices)) == K


@BUSY
@given(ATTEMPTS)
def test_undoing_every_edit_gives_the_build_back(attempts: list[Edit]) -> None:
    """As many undos as edits in force restore the view of the build, step by step; one more is refused."""
    edits = made(attempts)
    views = [view_of(BUILT, in_force(edits)[:n]) for n in range(len(in_force(edits)) + 1)]
    for expected in reversed(views):
        assert view_of(BUILT, edits) == expected
        edits = [*edits, Edit("undo")]
    with pytest.raises(ConfigError, match="nothing to undo"):
        view_of(BUILT, edits)


@BUSY
@given(ATTEMPTS, st.lists(ASPECT, min_size=2, max_size=4, unique=True), WEIGHTS)
def test_merge_then_split_gives_view_and_w_back(attempts: list[Edit], chosen: list[int], w: np.ndarray) -> None:
    """Merging single aspects and splitting them again restores names, what is hidden, and every bit of w."""
    edits = made(attempts)
    before = view_of(BUILT, edits)
    if any(len(before.group(k).members) > 1 for k in chosen):
        return
    stored = w.copy()
    merged = edited(before, Edit("merge", tuple(chosen), "All in one"))
    assert len(merged.row(chosen[0]).members) == len(chosen)
    merged.fold(w)
    after = edited(merged, Edit("split", (chosen[0],)))
    assert after == before
    np.testing.assert_array_equal(w, stored)
    np.testing.assert_array_equal(after.fold(w), before.fold(stored))


def test_fold_works_on_the_last_axis_and_keeps_the_whole() -> None:
    """Rows of a matrix of memberships are folded each for itself, and still sum to one."""
    phi = np.random.default_rng(0).dirichlet(np.full(K, 0.5), 7)
    view = view_of(BUILT, [Edit("merge", (1, 4), "Pack"), Edit("hide", (2,)), Edit("hide", (5,))])
    assert view.names == ("Dry, lather", "Pack", "Colour, dark", HIDDEN)
    assert view.marks == (0, 1, 3, HIDDEN_MARK)
    folded = view.fold(phi)
    np.testing.assert_allclose(
        folded, np.column_stack([phi[:, 0], phi[:, 1] + phi[:, 4], phi[:, 3], phi[:, 2] + phi[:, 5]]), atol=1e-15
    )
    np.testing.assert_allclose(folded.sum(axis=1), 1)


def test_an_unchanged_view_folds_to_the_same_array() -> None:
    """Without edits the numbers on the page are the stored ones, bit for bit."""
    w = np.random.default_rng(0).dirichlet(np.ones(K))
    assert View.of(BUILT).fold(w) is w
    assert not View.of(BUILT).changed


def test_a_merged_theme_keeps_the_names_of_its_members() -> None:
    """Where one built aspect is chosen, merged members are told apart; a hidden one says so."""
    view = view_of(BUILT, [Edit("rename", (0,), "Lather"), Edit("merge", (0, 1), "Use"), Edit("hide", (3,))])
    assert view.labels[:2] == ("Use", "Use")
    assert view.choices[:4] == ("Use: Lather", "Use: Jar, tube", "Skin, rash", "Colour, dark (hidden)")
    assert view.key()[0] == {"aspect": 0, "built": "Dry, lather", "given": "Use", "hidden": False}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "at least one letter or digit"),
        (" \u200b\t", "at least one letter or digit"),
        ("...", "at least one letter or digit"),
        ("x" * 41, "at most 40 characters, found 41"),
        ("Jar, TUBE", "called Jar, TUBE already"),
        ("hidden aspects", "called hidden aspects already"),
        ("<b>Fit</b>", "not '<'"),
        ("Fit \u202egnol", "not '\\\\u202e'"),
        ("Fit \U0001f600", "not '\\\\U0001f600'"),
        ("F\u0317\u0318\u0319\u031ait", "not"),
        ("$x_1$", "not '\\$'"),
    ],
)
def test_names_that_are_none_are_refused_in_a_sentence(name: str, said: str) -> None:
    """Empty, overlong, duplicate and odd names each get one sentence with the rule."""
    with pytest.raises(ConfigError, match=said) as caught:
        clean_name(name, View.of(BUILT), [0])
    assert str(caught.value).endswith((".", "two.", "it."))


def test_a_name_is_kept_in_one_form() -> None:
    """Decomposed, wide and mathematical letters become the plain ones; other scripts stay as they are."""
    view = View.of(BUILT)
    assert clean_name("  Gro\u0308\u00dfe \uff26it\u3000\U0001d405 ", view, [0]) == "Größe Fit F"
    assert clean_name("دوام", view, [0]) == "دوام"
    assert clean_name("Dry, LATHER", view, [0]) == "Dry, LATHER"


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (Edit("merge", (1,), "x"), "at least two"),
        (Edit("merge", (1, 1), "x"), "at least two"),
        (Edit("split", (1,)), "only a merged aspect"),
        (Edit("show", (1,)), "shown already"),
        (Edit("rename", (1, 2), "x"), "Choose one aspect"),
        (Edit("rename", (9,), "x"), "found \\[9\\]"),
        (Edit("hide"), "found none"),
        (Edit("paint", (0,)), "no edit 'paint'"),
        (Edit("undo"), "nothing to undo"),
    ],
)
def test_edits_that_cannot_be_made_say_why(edit: Edit, said: str) -> None:
    """Each impossible edit is one sentence."""
    with pytest.raises(ConfigError, match=said):
        view_of(BUILT, [edit])


def test_one_theme_always_stays_shown() -> None:
    """Hiding the last aspect is refused."""
    with pytest.raises(ConfigError, match="must stay shown"):
        view_of(BUILT, [Edit("hide", (k,)) for k in range(K)])
