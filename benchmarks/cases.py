"""What comes of each file of a folder of awkward ones: `python -m benchmarks.cases ../shared/cases [--before TREE]`.

With --before the same files are read by another version of the project, unpacked in the folder TREE (for example by
`git archive VERSION | tar x -C TREE`), and both lines stand below each other.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

_KINDS = (".csv", ".tsv", ".json", ".jsonl", ".jsonl.gz", ".csv.gz", ".parquet")
_PATIENCE = 300


def outcome(path: Path) -> str:
    """Read one file down to its sentences and say in one line what came of it."""
    from prefer_core.config import TextSettings
    from prefer_core.data.reviews import review_table
    from prefer_core.data.sentences import sentence_table
    from prefer_core.data.sources import read_source
    from prefer_core.errors import PreferError

    began = time.perf_counter()
    try:
        source = read_source(str(path))
        reviews = review_table(source, TextSettings())
        found = sentence_table(reviews.rows, TextSettings(), "sentence")
    except PreferError as error:
        return f"refused: {str(error).replace(str(path), path.name)[:160]}"
    rows, times = source.rows, source.rows["timestamp"]
    known = times[times >= 0]
    years = f"{_year(known.min())} to {_year(known.max())}" if len(known) else "no times"
    lost = {name: n for name, n in {**source.counts, **reviews.counts}.items() if n and name != "lines read"}
    told = [*getattr(source, "notes", ()), *(f"{n} {name}" for name, n in lost.items())]
    return (
        f"{source.counts['lines read']} rows, {len(rows)} reviews, {rows['parent_asin'].nunique()} products, stars "
        f"{rows['rating'].min():g} to {rows['rating'].max():g} ({int(rows['rating'].isna().sum())} unknown), {years} "
        f"({int((times < 0).sum())} unknown), {len(found.rows)} sentences of {len(found.support)}, "
        f"{time.perf_counter() - began:.1f} s" + (f"; {'; '.join(told)}" if told else "")
    )


def _year(milliseconds: int) -> str:
    return str(1970 + int(milliseconds) // 31_556_952_000)


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--before", type=Path, metavar="TREE")
    options.add_argument("--as-json", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    files = sorted(file for file in given.folder.iterdir() if file.name.endswith(_KINDS) and ".meta." not in file.name)
    if given.as_json:
        for file in files:
            print(json.dumps([file.name, outcome(file)]), flush=True)
        return
    before = _by(given.before, given.folder) if given.before else {}
    for file in files:
        print(file.name)
        if before:
            print(f"  before: {before.get(file.name, 'no answer')}")
        print(f"  {'now:    ' if before else ''}{outcome(file)}", flush=True)


def _by(tree: Path, folder: Path) -> dict[str, str]:
    command = [sys.executable, str(Path(__file__).resolve()), str(folder.resolve()), "--as-json"]
    environment = os.environ | {"PYTHONPATH": str(tree.resolve())}
    done = subprocess.run(  # our own interpreter and file
        command, cwd=tree, env=environment, capture_output=True, text=True, timeout=_PATIENCE, check=False
    )
    return dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))


if __name__ == "__main__":
    main()
