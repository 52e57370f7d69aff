"""Memory as it is told: of this process alone."""

import subprocess
import sys

import numpy as np

from prefer_core.data.machine import peak, resident

CHILD = "from prefer_core.data.machine import peak; print(peak())"


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
