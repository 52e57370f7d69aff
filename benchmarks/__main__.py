"""Run benchmarks: `python -m benchmarks NAME`, or all of them with a table in benchmarks/RESULTS.md."""

import argparse
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from benchmarks import aspects, desk, embedding, keypoints, opening, rounds, selection, space, text
from benchmarks.measure import Result
from prefer_core.files.machine import machine

BENCHMARKS: dict[str, Callable[[], Result]] = {
    "selection": selection.run,
    "round": rounds.one_round,
    "experiments": rounds.experiments,
    "text": text.run,
    "embedding": embedding.run,
    "aspect_space": space.run,
    "open_product": opening.run,
    "desk": desk.run,
}
PACKAGES = ("numpy", "scikit-learn", "onnxruntime", "torch", "sentence-transformers")
RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "name",
        nargs="?",
        choices=sorted([*BENCHMARKS, "aspects", "keypoints"]),
        help="one benchmark; all but `aspects` and `keypoints` if left out",
    )
    parser.add_argument("--corpus", type=Path, metavar="FOLDER", help="corpus folder, for `keypoints` and `desk`")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="review files that labels name, for `keypoints`")
    parser.add_argument(
        "--labels", type=Path, nargs="+", metavar="FILE", help="labelled sentences, for `aspects`: JSON Lines, also .gz"
    )
    options = parser.parse_args()
    asked = options.name
    if asked == "aspects":
        if not options.labels:
            parser.error("aspects needs --labels FILE")
        aspects.run(options.labels)
        return 0
    if asked == "keypoints":
        if options.corpus is None:
            parser.error("keypoints needs --corpus FOLDER")
        for line in keypoints.lines(options.corpus, options.data):
            print(line)
        return 0
    if asked == "desk" and options.corpus is not None:
        print(desk.run(options.corpus))
        return 0
    results = [BENCHMARKS[name]() for name in ([asked] if asked else BENCHMARKS)]
    for result in results:
        print(f"{result.name}: {result.ours} against {result.theirs}")
        print(f"{result.name}: ratio {result.ratio:.2f}")
    if asked is None:
        RESULTS.write_text(table(results), encoding="utf-8")
    return 0


def table(results: list[Result]) -> str:
    """Return the results as Markdown."""
    where = f"{machine()}, Python {platform.python_version()}"
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    rows = "\n".join(f"| {r.name} | {r.what} | {r.ours} | {r.theirs} | {r.ratio:.2f} |" for r in results)
    return (
        "# Benchmarks\n\nWritten by `make bench`. Medians over several runs in one process; "
        "a ratio over 1 is better than the peer.\n\n"
        f"Machine: {where}. {versions}.\n\n"
        f"| name | what | ours | peer | ratio |\n| --- | --- | --- | --- | --- |\n{rows}\n"
    )


if __name__ == "__main__":
    sys.exit(main())
