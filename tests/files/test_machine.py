"""Memory as it is told: of this process alone."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from prefer_core.files import machine
from prefer_core.files.machine import may_have_bf16, peak, resident

CHILD = "from prefer_core.files.machine import peak; print(peak())"


def test_the_peak_is_this_process_alone() -> None:
    """It follows what was held and let go, and a child does not count what its parent holds."""
    before = peak()
    held = np.ones(40 * 2**20)  # 320 MiB
    assert peak() >= before
    assert peak() >= 300
    assert resident() >= 300
    child = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True)
    assert float(child.stdout) < 250
    del held
    assert peak() >= 300


@pytest.mark.parametrize(
    ("told", "may"),
    [
        ("model name\t: AMD EPYC\nflags\t\t: fpu avx2 fma\n", False),
        ("model name\t: Xeon\nflags\t\t: fpu avx2 amx_bf16 amx_tile\n", True),
        ("processor\t: 0\nFeatures\t: fp asimd i8mm bf16\n", True),
        ("processor\t: 0\n", True),
        (None, True),
    ],
)
def test_bf16_is_ruled_out_only_by_a_list_without_it(
    told: str | None, may: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Features of Intel, AMD and ARM as Linux lists them; where nothing is listed, or no file is there, it may be."""
    if told is not None:
        (tmp_path / "cpuinfo").write_text(told)
    monkeypatch.setattr(machine, "_CPU", tmp_path / "cpuinfo")
    assert may_have_bf16() is may
