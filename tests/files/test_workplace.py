"""The place of a build beside its corpus folder: one build at a time, pieces kept for the next."""

from pathlib import Path

import pytest

from prefer_core.errors import CorpusError, DataError
from prefer_core.files.workplace import has_pieces, work_of, workplace


def _with_piece(folder: Path, error: BaseException | None) -> None:
    with workplace(folder) as work:
        (work / "piece").write_text("finished")
        if error is not None:
            raise error


@pytest.mark.parametrize(
    ("error", "stays"),
    [(None, False), (DataError("no"), False), (CorpusError("full"), True), (KeyboardInterrupt(), True)],
)
def test_pieces_stay_where_the_next_build_can_use_them(
    tmp_path: Path, error: BaseException | None, stays: bool
) -> None:
    """They go after a good end and where source or settings cannot work; after all else they stay."""
    folder = tmp_path / "c"
    if error is None:
        _with_piece(folder, error)
    else:
        with pytest.raises(type(error)):
            _with_piece(folder, error)
    assert has_pieces(folder) is stays
    assert work_of(folder).exists() is stays


def test_nothing_stays_of_a_build_that_had_done_nothing(tmp_path: Path) -> None:
    """A build that was stopped before its first piece leaves no folder."""
    with pytest.raises(KeyboardInterrupt), workplace(tmp_path / "c"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_second_build_into_one_folder_is_refused(tmp_path: Path) -> None:
    """It is told which process is at work; the first goes on, and the folder is free after it."""
    with workplace(tmp_path / "c") as work:
        with (
            pytest.raises(CorpusError, match=r"Another build \(process \d+\) is writing to"),
            workplace(tmp_path / "c"),
        ):
            pass
        assert work.is_dir()
        with workplace(tmp_path / "other"):
            pass
    with workplace(tmp_path / "c"):
        pass


def test_a_place_that_cannot_be_made(tmp_path: Path) -> None:
    """One sentence with the remedy."""
    (tmp_path / "file").write_text("")
    with pytest.raises(CorpusError, match="cannot be written"), workplace(tmp_path / "file" / "c"):
        pass
