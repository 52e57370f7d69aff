"""Reading a large file, beside pyarrow alone: `python -m benchmarks.reading [--megabytes 500]`.

The files are made in a temporary folder and deleted. Each reading runs in a process of its own, so that its peak of
memory is its own.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import numpy as np

_WORDS = """the lid of this kettle closes with a soft click and cord is far too short for us it smells glue after week
    we sent back because handle was cracked my flatmate noticed at once how quiet base switch looks better than"""
_OURS = """
import sys, time, resource
from prefer_core.data.sources import read_source
began = time.perf_counter()
rows = len(read_source(sys.argv[1]).rows)
"""
_ARROW = """
import sys, time, resource
import pyarrow.csv, pyarrow.json
began = time.perf_counter()
if sys.argv[1].endswith(".csv"):
    options = pyarrow.csv.ParseOptions(newlines_in_values=True)
    rows = len(pyarrow.csv.read_csv(sys.argv[1], parse_options=options))
else:
    rows = len(pyarrow.json.read_json(sys.argv[1]))
"""
_TELL = """
used = resource.getrusage(resource.RUSAGE_SELF)
print(rows, time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def made_texts(rng: np.random.Generator) -> list[str]:
    """Return 5,000 texts of 10 to 90 words."""
    words = np.array(_WORDS.split())
    sizes = rng.integers(10, 90, 5000).tolist()
    return [" ".join(words[rng.integers(0, len(words), size)]) for size in sizes]


def make(folder: Path, megabytes: int, texts: Sequence[str]) -> tuple[Path, Path]:
    """Write the same reviews as JSONL and as CSV until the first has so many megabytes; no two texts are the same."""
    lines, table = folder / "made.jsonl", folder / "made.csv"
    with lines.open("w", encoding="utf-8") as one, table.open("w", encoding="utf-8", newline="") as other:
        rows = csv.writer(other)
        for number in count():
            row = {
                "parent_asin": f"B{number % 20_000:09}",
                "user_id": f"U{number % 300_000:010}",
                "rating": float(1 + number % 5),
                "title": "A title, of five words",
                "text": f'{texts[number % len(texts)]}\nIt said "{number}".',
                "timestamp": 1_500_000_000_000 + number * 1000,
                "helpful_vote": number % 7,
                "verified_purchase": number % 2 == 0,
            }
            if number == 0:
                rows.writerow(row)
            one.write(json.dumps(row) + "\n")
            rows.writerow(row.values())
            if number % 5000 == 0 and one.tell() >= megabytes << 20:
                break
    return lines, table


def measure(script: str, path: Path) -> tuple[int, float, float, float]:
    """Return rows, seconds, seconds of processor time and peak MiB of a reading in a process of its own."""
    done = subprocess.run(  # our own interpreter
        [sys.executable, "-c", script + _TELL, str(path)], capture_output=True, text=True, check=True
    )
    rows, seconds, busy, peak = done.stdout.split()
    return int(rows), float(seconds), float(busy), float(peak)


def main() -> None:
    """Print a row a file and reader, and below each pair how many times pyarrow alone ours takes."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--megabytes", type=int, default=500)
    options.add_argument(
        "--texts", type=Path, metavar="FILE", help="a review file whose texts are taken, not made ones"
    )
    given = options.parse_args()
    texts = made_texts(np.random.default_rng(0)) if given.texts is None else _texts_of(given.texts)
    print("file         reader       MB       rows  seconds   CPU s rows/CPU s  peak MiB")
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        files = make(Path(folder), given.megabytes, texts)
        print(f"made in {time.perf_counter() - began:.0f} s", file=sys.stderr)
        for path in files:
            found = {}
            for name, script in (("PREFER", _OURS), ("pyarrow", _ARROW)):
                rows, seconds, busy, peak = found[name] = measure(script, path)
                size = path.stat().st_size / 1e6
                line = f"{path.name:12} {name:8} {size:6.0f} {rows:10,} {seconds:8.1f} {busy:7.1f}"
                print(f"{line} {rows / busy:10,.0f} {peak:9.0f}", flush=True)
            ours, theirs = found.values()
            times, work, memory = (ours[place] / theirs[place] for place in (1, 2, 3))
            print(f"{path.name:12} {'ratio':8} {'':17} {times:8.1f} {work:7.1f} {'':10} {memory:9.1f}", flush=True)


def _texts_of(path: Path) -> list[str]:
    from prefer_core.data.sources import read_source

    return list(read_source(str(path)).rows["text"])


if __name__ == "__main__":
    main()
