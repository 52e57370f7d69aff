"""The compute table: rows are added, and older tables keep theirs."""

import mmap
from pathlib import Path

import numpy as np
import pytest

from prefer_core.experiments import compute


def test_a_block_adds_one_row_and_a_failed_one_none(private_home: Path) -> None:
    """Stage, size, machine, seconds, change and peak of memory; what ended with an error did not run."""
    assert compute.rows() == []
    with compute.timed("Online learning", "drift", "1 run"):
        # Pages of its own: what an allocator gives may have been resident before.
        held = mmap.mmap(-1, 40 * 2**20)
        np.frombuffer(held, dtype=np.uint8)[:] = 1
    with pytest.raises(ZeroDivisionError), compute.timed("Online learning", "none", ""):
        raise ZeroDivisionError
    (row,) = compute.rows()
    assert (row["stage"], row["component"], row["input"]) == ("Online learning", "drift", "1 run")
    assert "cores" in row["worker"]
    assert 30 < float(row["memory change MiB"]) < 80
    assert float(row["memory peak MiB"]) >= len(held) / 2**20
    assert float(row["seconds"]) >= 0


def test_a_table_of_other_columns_keeps_its_rows(private_home: Path) -> None:
    """A table written without the peak gets the column, with nothing in the rows that did not measure it."""
    private_home.mkdir()
    compute.path().write_text(
        'stage,component,input,worker,seconds,memory change MiB,ended\nA,b,"1, 2",m,3.5,-1.0,2026-01-02 03:04\n',
        encoding="utf-8",
    )
    with compute.timed("B", "c", "d"):
        pass
    old, new = compute.rows()
    assert old == {
        "stage": "A", "component": "b", "input": "1, 2", "worker": "m", "seconds": "3.5", "memory change MiB": "-1.0",
        "memory peak MiB": "", "ended": "2026-01-02 03:04",
    }  # fmt: skip
    assert new["stage"] == "B"
