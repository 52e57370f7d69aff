"""Facts about how garbage is collected beside the visitors."""

import gc
import subprocess
import sys
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

SCRIPT = """
import gc, time
from prefer_core.ui import collecting
collecting.YOUNG_SECONDS, collecting.ALL_SECONDS = 0.05, 0.2
class Ring:
    def __init__(self): self.me = self
    def __del__(self): gone.append(1)
gone = []
kept = [[i] for i in range(5000)]
import threading
threading.Thread(target=collecting._collect, daemon=True).start()
time.sleep(0.2)
assert not gc.isenabled()
assert gc.get_freeze_count() > 5000
for _ in range(100): Ring()
deadline = time.monotonic() + 20
while len(gone) < 100 and time.monotonic() < deadline: time.sleep(0.05)
print(len(gone))
"""


def test_what_was_loaded_is_frozen_and_later_rings_are_collected() -> None:
    """With Python's own collector off, the timer frees objects that refer to each other."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "100"


def test_a_page_in_a_test_leaves_the_collector_alone(app: Callable[[], AppTest]) -> None:
    """Only a server has the timer: a page that a test runs shares the test's process."""
    app().run()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
