"""A folder is replaced as a whole or not at all, wherever the work is cut off."""

import os
from pathlib import Path

import pytest

from prefer_core.errors import CorpusError
from prefer_core.files.folders import building_of, check_target, previous_of, recover, replacing


def _whole(folder: Path) -> bool:
    return (folder / "done").exists()


def _make(folder: Path, mark: str, *, done: bool = True) -> None:
    folder.mkdir(parents=True)
    (folder / "mark").write_text(mark)
    if done:
        (folder / "done").touch()


def _state(folder: Path) -> tuple[str | None, bool, bool]:
    mark = folder / "mark"
    return mark.read_text() if mark.exists() else None, building_of(folder).exists(), previous_of(folder).exists()


def test_new_content_replaces_old(tmp_path: Path) -> None:
    """After the block the folder holds the new content and nothing lies beside it."""
    folder = tmp_path / "deep" / "c"
    for mark in ("one", "two"):
        with replacing(folder, _whole) as building:
            (building / "mark").write_text(mark)
        assert _state(folder) == (mark, False, False)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_cut_off_block_leaves_the_old_content(tmp_path: Path, error: type[BaseException]) -> None:
    """Ctrl-C or a defect in the block changes nothing."""
    folder = tmp_path / "c"
    _make(folder, "old")

    def cut_off() -> None:
        with replacing(folder, _whole) as building:
            (building / "mark").write_text("new")
            raise error

    with pytest.raises(error):
        cut_off()
    assert _state(folder) == ("old", False, False)


def test_swap_cut_off_between_the_renames_is_finished(tmp_path: Path) -> None:
    """Old moved away, new whole: the new content takes its place."""
    folder = tmp_path / "c"
    _make(previous_of(folder), "old")
    _make(building_of(folder), "new")
    recover(folder, _whole)
    assert _state(folder) == ("new", False, False)


def test_swap_with_torn_new_content_is_undone(tmp_path: Path) -> None:
    """Old moved away, new not whole: the old content comes back."""
    folder = tmp_path / "c"
    _make(previous_of(folder), "old")
    _make(building_of(folder), "new", done=False)
    recover(folder, _whole)
    assert _state(folder) == ("old", True, False)


def test_leftover_of_a_finished_swap_is_removed(tmp_path: Path) -> None:
    """The new content is in place: the old one goes."""
    folder = tmp_path / "c"
    _make(folder, "new")
    _make(previous_of(folder), "old")
    recover(folder, _whole)
    assert _state(folder) == ("new", False, False)


def test_running_build_of_another_is_left_alone(tmp_path: Path) -> None:
    """While the folder is there, what is being built beside it is nobody else's business."""
    folder = tmp_path / "c"
    _make(folder, "old")
    _make(building_of(folder), "new")
    recover(folder, _whole)
    assert _state(folder) == ("old", True, False)


@pytest.mark.parametrize("names", [["holiday.jpg"], ["manifest.json"], ["manifest.json", "phi.npy", "notes.txt"]])
def test_foreign_folders_are_refused(tmp_path: Path, names: list[str]) -> None:
    """A folder that holds anything else is not overwritten, nor one with a lone manifest.json of some other program."""
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(CorpusError, match="is no corpus folder"):
        check_target(tmp_path, frozenset({"manifest.json", "phi.npy"}))


def test_files_are_refused_as_targets(tmp_path: Path) -> None:
    """--out that is a file is refused."""
    (tmp_path / "f").touch()
    with pytest.raises(CorpusError, match="is a file"):
        check_target(tmp_path / "f", frozenset())
    with pytest.raises(CorpusError, match="may not be written"):
        check_target(tmp_path / "f" / "deeper", frozenset())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission_is_told_before_any_work(tmp_path: Path) -> None:
    """A place without write permission is refused at once."""
    tmp_path.chmod(0o500)
    with pytest.raises(CorpusError, match="may not be written"):
        check_target(tmp_path / "c", frozenset())
    tmp_path.chmod(0o700)
