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
from pathlib import Path

import numpy as np

_WORDS = [
    "the",
    "lid",
    "of",
    "this",
    "kettle",
    "closes",
    "with",
    "a",
    "soft",
    "click",
    "and",
    "cord",
    "is",
    "far",
    "too",
    "short",
    "for",
    "us",
    "it",
    "smells",
    "glue",
    "after",
    "week",
    "we",
    "sent",
    "back",
    "because",
    "handle",
    "was",
    "cracked",
    "my",
    "flatmate",
    "noticed",
    "at",
    "once",
    "how",
    "quiet",
    "base",
    "switch",
    "looks",
    "better",
    "than",
]
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


def make(folder: Path, megabytes: int) -> tuple[Path, Path]:
    """Write the same reviews as JSONL and as CSV until the first has so many megabytes."""
    rng = np.random.default_rng(0)
    lines, table = folder / "made.jsonl", folder / "made.csv"
    with lines.open("w", encoding="utf-8") as one, table.open("w", encoding="utf-8", newline="") as other:
        number, rows = 0, None
        while one.tell() < megabytes << 20:
            for size in rng.integers(10, 90, 2000).tolist():
                text = " ".join(np.array(_WORDS)[rng.integers(0, len(_WORDS), size)])
                row = {
                    "parent_asin": f"B{number % 20_000:09}",
                    "user_id": f"U{number % 300_000:010}",
                    "rating": float(1 + number % 5),
                    "title": "A title, of five words",
                    "text": f'{text}.\nIt said "{number}".',
                    "timestamp": 1_500_000_000_000 + number * 1000,
                    "helpful_vote": number % 7,
                    "verified_purchase": number % 2 == 0,
                }
                one.write(json.dumps(row) + "\n")
                if rows is None:
                    rows = csv.DictWriter(other, list(row))
                    rows.writeheader()
                rows.writerow(row)
                number += 1
    return lines, table


def measure(script: str, path: Path) -> tuple[int, float, float, float]:
    """Return rows, seconds, seconds of processor time and peak MiB of a reading in a process of its own."""
    done = subprocess.run(  # our own interpreter
        [sys.executable, "-c", script + _TELL, str(path)], capture_output=True, text=True, check=True
    )
    rows, seconds, busy, peak = done.stdout.split()
    return int(rows), float(seconds), float(busy), float(peak)


def main() -> None:
    """Print a row a file."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--megabytes", type=int, default=500)
    given = options.parse_args()
    print("file         reader       MB       rows  seconds   CPU s rows/CPU s  peak MiB")
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        files = make(Path(folder), given.megabytes)
        print(f"made in {time.perf_counter() - began:.0f} s", file=sys.stderr)
        for path in files:
            for name, script in (("PREFER", _OURS), ("pyarrow", _ARROW)):
                rows, seconds, busy, peak = measure(script, path)
                size = path.stat().st_size / 1e6
                line = f"{path.name:12} {name:8} {size:6.0f} {rows:10,} {seconds:8.1f} {busy:7.1f}"
                print(f"{line} {rows / busy:10,.0f} {peak:9.0f}", flush=True)


if __name__ == "__main__":
    main()
