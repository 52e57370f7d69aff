"""Try a study before anyone is invited: `python -m prefer_core.study simulate FILE --participants 200 --out DIR`."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from prefer_core.config import home
from prefer_core.corpus import Corpus, open_corpus
from prefer_core.errors import CorpusError, PreferError
from prefer_core.study.definition import read
from prefer_core.study.simulate import simulate
from prefer_core.study.texts import missing

SAMPLE = "sample"


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    args = argparse.ArgumentParser(prog="python -m prefer_core.study", description="Studies with people.")
    commands = args.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="check a definition")
    play = commands.add_parser("simulate", help="let bots take part, write export.zip, tell the power of the design")
    for one in (check, play):
        one.add_argument("definition", type=Path, metavar="FILE", help="the study as TOML")
        one.add_argument("--corpus", type=Path, metavar="DIR", help="corpus folder, instead of the one that it names")
    play.add_argument("--participants", type=int, default=200, metavar="N", help="bots (%(default)s)")
    play.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for export.zip")
    play.add_argument("--workers", type=int, default=1, metavar="N", help="bots at the same time (%(default)s)")
    play.add_argument("--database", metavar="URL", help="keep the study in this database; it is thrown away otherwise")
    return args


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status."""
    options = parser().parse_args(arguments)
    try:
        study = read(options.definition)
        corpus = _corpus(options.corpus, study.about.corpus)
        products = len(study.fit(corpus))
        if options.command == "check":
            print(f"The study {study.about.name} can run on {corpus.name} ({products} products): {study.digest[:12]}")
            language = study.about.language
            if left := missing(language):
                print(f"Shown in English, since assets/study/texts/{language}.toml leaves them out: {', '.join(left)}")
            return 0
        with tqdm(total=options.participants, desc="participants", file=sys.stderr) as bar:
            lines = simulate(
                study, corpus, options.participants, options.out, url=options.database, workers=options.workers,
                tick=lambda done, total: bar.update(done - bar.n),
            )  # fmt: skip
    except PreferError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(lines))
    print(f"export: {options.out / 'export.zip'}")
    return 0


def _corpus(folder: Path | None, name: str) -> Corpus:
    """Open the study's corpus: a folder by its path, or by its name in PREFER_HOME; the sample is built if needed."""
    named = os.environ.get("PREFER_CORPUS")
    if folder is not None or (named and Path(named).name == name):
        return open_corpus(folder or Path(str(named)))
    there = home() / name
    if name == SAMPLE and not (there / "manifest.json").exists():
        command = [sys.executable, "precompute.py", "--source", SAMPLE, "--out", str(there), "--aspects", "8"]
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode:
            raise CorpusError(f"The sample could not be built; run: {' '.join(command[1:])}.")
    return open_corpus(there)


if __name__ == "__main__":
    sys.exit(main())
