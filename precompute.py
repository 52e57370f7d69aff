"""Build a corpus folder from reviews: `python precompute.py --source sample --out .prefer/sample`."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from prefer_core.aspects.names import NameBook
from prefer_core.config import (
    AspectSettings,
    BuildConfig,
    Components,
    KeyPointSettings,
    TextSettings,
    WritingSettings,
)
from prefer_core.corpus import annotate, open_corpus
from prefer_core.data.reading_report import loss_lines, much_lost
from prefer_core.errors import PreferError
from prefer_core.experiments import check_figures
from prefer_core.experiments.calibration import calibrate, targets
from prefer_core.files.progress import Bars
from prefer_core.files.workplace import has_pieces
from prefer_core.insight.calibrated import BLOCK
from prefer_core.insight.warm import chosen_products, warm, write_ahead
from prefer_core.pipeline import BuildReport, build, measure_quality
from prefer_core.rewriting import check, make_writer, models, points
from prefer_core.rewriting.fetch import describe, fetch, fetchable
from prefer_core.rewriting.models import MODELS
from prefer_core.stage import play, script

STAGES = {
    "read": "reviews from the source",
    "clean": "duplicates, markup, sentences, repeats",
    "embed": "vectors of the sentences",
    "mask": "vectors for the aspects, with product words hidden",
    "reduce": "principal components",
    "choose K": "number of aspects: by what is found again (people), by three metrics (paper)",
    "cluster": "K-means on all sentences; anchored and free in preset people",
    "memberships": "temperature and soft aspect memberships",
    "audit": "stability over reruns, slices, sentences for the cards, tastes",
    "key points": "what several reviewers of a product say, and who",
    "label": "names, terms, examples, diagnostics",
    "write": "corpus folder, checked and put in place",
}


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    args = argparse.ArgumentParser(
        prog="precompute.py",
        description="Turn product reviews into a corpus folder: sentences, embeddings, latent aspects.",
        epilog="example: python precompute.py --source my.csv --map text=review,product=prod_id --out .prefer/mine",
    )
    args.add_argument(
        "--source",
        metavar="SRC",
        help="`sample` (made-up reviews that come with the project), `amazon:CATEGORY` (Amazon Reviews 2023, fetched "
        "from the hub once), or a .jsonl, .json, .csv, .tsv or .parquet file, also packed (gz, bz2, xz, zip); "
        "X.meta.jsonl beside X.jsonl gives product titles",
    )
    args.add_argument("--out", metavar="DIR", help="corpus folder; replaced as a whole if it is one already")
    args.add_argument("--limit", type=int, metavar="N", help="read at most N reviews")
    args.add_argument(
        "--map",
        type=_mapping,
        default={},
        metavar="NAME=COLUMN,...",
        help="which column holds what, where names are not recognised: text, product, user, rating, title, time, "
        "helpful, verified, category, product_title, negative (what was bad, beside a text of what was good)",
    )
    args.add_argument(
        "--one-product",
        metavar="NAME",
        help="name of the product that all reviews are of, where no column tells it",
    )
    args.add_argument(
        "--strict",
        action="store_true",
        help="stop, writing nothing, if more than 5 %% of the rows give no review; repeats and languages left out on "
        "purpose do not count",
    )
    args.add_argument(
        "--n-components",
        type=_components,
        default=argparse.SUPPRESS,
        metavar="M",
        help="principal components kept: a number, a share of the variance such as 0.5, or `curve` for where the "
        "explained variance bends (32, or 17 in preset paper)",
    )
    args.add_argument(
        "--candidates",
        dest="candidates",
        type=_numbers,
        default=argparse.SUPPRESS,
        metavar="K,K",
        help="numbers of aspects that preset paper tries (5,10,15,20,25)",
    )
    args.add_argument(
        "--mass-ratio",
        type=float,
        default=argparse.SUPPRESS,
        metavar="R",
        help="r: how many times the mass of the second aspect the first has at the median gap; sets tau (10)",
    )
    args.add_argument(
        "--min-words", type=int, default=argparse.SUPPRESS, metavar="N", help="words that a sentence needs (4)"
    )
    args.add_argument(
        "--max-sentences",
        type=int,
        default=argparse.SUPPRESS,
        metavar="N",
        help="sentences that a review may give (20)",
    )
    args.add_argument(
        "--aspects",
        dest="n_aspects",
        type=_aspects,
        default=argparse.SUPPRESS,
        metavar="K",
        help="number of aspects besides `Other`, or `auto` to choose: 8 to 14 by what is found again, in preset paper "
        "by three metrics (auto)",
    )
    args.add_argument(
        "--preset",
        choices=("people", "paper"),
        default=argparse.SUPPRESS,
        help="how aspects are found: people hides product words, looks for anchored and free aspects and tells apart "
        "what is about nothing in particular; paper follows the paper (people)",
    )
    args.add_argument(
        "--anchors",
        default=argparse.SUPPRESS,
        metavar="shopper|none|FILE",
        help="aspects named beforehand: the list that comes along, none, or a TOML file with [[anchor]] tables of name "
        "and phrases; in preset people (shopper)",
    )
    args.add_argument(
        "--keep-words",
        type=_words,
        default=argparse.SUPPRESS,
        metavar="WORD,WORD",
        help="words that are not hidden as product words, whatever the rule says",
    )
    args.add_argument(
        "--unit",
        choices=("sentence", "review"),
        default="sentence",
        help="what is selected and clustered (%(default)s)",
    )
    args.add_argument("--no-keypoints", action="store_true", help="look for no key points; summaries quote sentences")
    args.add_argument(
        "--calibrate",
        action="store_true",
        help="afterwards let simulated readers choose the numbers with which people are found fastest on this corpus",
    )
    args.add_argument(
        "--labels",
        metavar="FILE",
        help="afterwards, or without --source on the corpus that is there, score the aspects on sentences that people "
        "labelled (JSON Lines with product, text, classes and single); the Aspect space page shows the scores",
    )
    args.add_argument(
        "--warm",
        action="store_true",
        help="afterwards, or without --source on the corpus that is there, have the texts of corner, mixed and uniform "
        "profiles written, so that pages find them at once",
    )
    args.add_argument(
        "--warm-products",
        default="3",
        metavar="N|ID,ID",
        help="for which products: the N with most sentences, or these (%(default)s)",
    )
    args.add_argument(
        "--stage",
        metavar="FILE",
        help="with --warm: prepare the texts of this stage script (docs/stage.md) instead of those of products",
    )
    args.add_argument(
        "--write",
        action="store_true",
        help="afterwards, or without --source on the corpus that is there, have an instruct model write the texts of "
        "key points into texts.parquet beside the corpus, and the paragraphs as --warm does",
    )
    args.add_argument("--model", metavar="NAME", help="which model writes, as PREFER_MODEL takes it (the best here)")
    args.add_argument(
        "--measure-check",
        nargs="?",
        const="",
        metavar="DIR",
        help="measure each check of texts that is here on labelled rows, and on the rewrites by hand in DIR if it is "
        "given; the application then uses the best",
    )
    args.add_argument(
        "--fetch-model",
        metavar="NAME",
        help="fetch a language model into PREFER_HOME/models: "
        + "; ".join(describe(model) for model in MODELS.values() if model.repository),
    )
    args.add_argument(
        "--language",
        default=argparse.SUPPRESS,
        metavar="CODE",
        help="drop reviews in other languages than this one, such as en",
    )
    args.add_argument(
        "--embedder",
        default=argparse.SUPPRESS,
        choices=("minilm", "multilingual"),
        help="model of the sentence vectors: minilm reads English, multilingual 15 languages, without key points "
        "(minilm, with --language of another one multilingual)",
    )
    args.add_argument("--seed", type=int, default=0, metavar="S", help="seed of sampling and clustering (%(default)s)")
    return args


def _mapping(value: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in value.split(",") if pair.strip()]
    if not all(name.strip() and column.strip() for name, _, column in pairs):
        raise argparse.ArgumentTypeError(f"{value!r} is not of the form text=COLUMN,product=COLUMN")
    return {name.strip(): column.strip() for name, _, column in pairs}


def _words(value: str) -> tuple[str, ...]:
    return tuple(word.strip().casefold() for word in value.split(",") if word.strip())


def _numbers(value: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in value.split(",") if part.strip())
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value!r} is not a list of whole numbers with commas between") from None


def _components(value: str) -> Components:
    if value == "curve":
        return "curve"
    try:
        return float(value) if "." in value else int(value)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{value!r} is neither a whole number, a share of the variance such as 0.5, nor `curve`"
        ) from None


def _aspects(value: str) -> int | None:
    if value == "auto":
        return None
    try:
        return int(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value!r} is neither a number nor `auto`") from None


def report(done: BuildReport) -> None:
    """Print what was dropped and why, with examples, what was decided, what each stage took, and the aspects found."""
    for line in loss_lines(done.counts, done.reading["examples"]):
        print(line)
    for note in done.notes:
        print(note)
    print(f"\n{'stage':12}  {'seconds':>8}  {'peak MiB':>8}  what")
    for stage in done.stages:
        print(f"{stage.stage:12}  {stage.seconds:8.2f}  {stage.peak_memory:8.0f}  {STAGES[stage.stage]}")
    print(f"{'all':12}  {sum(stage.seconds for stage in done.stages):8.2f}\n")
    print("aspects:", "; ".join(done.labels))
    if warning := much_lost(done.reading):
        print(warning)


def calibrated(folder: Path, bars: Bars) -> dict[str, Any]:
    """Calibrate the corpus that was just built and put the report into its manifest."""
    found = calibrate(open_corpus(folder), tick=lambda done, total: bars("calibrate", done, total))
    bars("calibrate", -1, -1)
    annotate(folder.resolve(), BLOCK, found)
    return found


def report_calibration(found: dict[str, Any]) -> None:
    """Print what held-out readers reach with the numbers chosen."""
    print(f"calibrated in {found['seconds']} s, for readers and products that the choice has not seen:")
    for learner, reached in found["held_out"].items():
        marks = ", ".join(f"{value:.2f} at {t}" for t, value in reached["median"].items())
        print(f"  {learner}: median A_pref {marks}; mean rating 1-10 {reached['mean_rating_1_to_10']:.2f}")
    for target in targets(found):
        print(f"  {target}")


def _stop(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def fetched(name: str, bars: Bars) -> None:
    """Fetch a model, saying first how large it is and under which terms it comes."""
    print(describe(fetchable(name)), flush=True)
    path = fetch(name, tick=lambda done, total: bars("fetch", done, total))
    bars("fetch", -1, -1)
    print(f"model: {path}")


def warmed(folder: Path, wish: str, stage: str | None, bars: Bars) -> None:
    """Have texts written ahead, of a stage script or else of products, and print what came of it."""
    corpus = open_corpus(folder)
    # The pages show the names that people gave, and a text is kept under the names in it.
    corpus = corpus.named(NameBook(corpus.id, corpus.labels).view())
    tick = partial(bars, "warm")
    writer = make_writer()
    try:
        if stage is None:
            products = chosen_products(corpus, wish)
            found, of = warm(corpus, writer, products, tick), f"{len(products)} products"
        else:
            acts = script.read(Path(stage).expanduser()).on(corpus)
            asked = list(play.texts(corpus, acts))
            found, of = write_ahead(writer, asked, len(asked), tick), f"{len(acts)} scenes"
    finally:
        writer.close()
    bars("warm", -1, -1)
    print(
        f"warmed {found.asked} texts of {of} with {writer.name} in {found.seconds} s: "
        f"{found.cached} were there, {found.failed} fell to the template"
    )
    for reason in found.reasons:
        print(f"  {reason}")


def written(folder: Path, name: str | None, bars: Bars) -> None:
    """Have texts of points written and print what came of it; without an instruct model say so and write nothing."""
    choice = models.resolve(os.environ if name is None else {**os.environ, "PREFER_MODEL": name})
    model = choice.model
    if model is None or not model.style.follows:
        reason = choice.note if model is None else f"{model.name} joins clauses and compresses nothing."
        print(f"texts of points: none written, since no instruct model is here. {reason}")
        return
    corpus = open_corpus(folder)
    settings = WritingSettings.in_force()
    backend = models.backend(choice, settings)
    try:
        judge = check.best(model.key, backend, model.style.chat)
        tick = partial(bars, "write")
        found = points.write_all(corpus, backend, model.style, judge, settings, tick=tick)
    finally:
        backend.close()
    bars("write", -1, -1)
    path = points.store(folder.resolve(), corpus.id, found)
    print(f"texts of points: {len(found)} by {model.name}, checked by {judge.name}: {path}")


def measured(folder: str, bars: Bars) -> None:
    """Measure the checks and print the table."""
    lines = check_figures.run(Path(folder).expanduser() if folder else None, partial(bars, "check"))
    bars("check", -1, -1)
    print("\n".join(lines))


def given(options: argparse.Namespace, kind: type) -> dict[str, Any]:
    """Return the settings of a stage that the command line names: they come before those of a file."""
    return {one.name: getattr(options, one.name) for one in fields(kind) if one.name in options}


def encoder_for(options: argparse.Namespace) -> dict[str, Any]:
    """Return the embedder that a language named on the command line asks for, if it is not English."""
    return {"embedder": "multilingual"} if getattr(options, "language", "en") != "en" else {}


def built(options: argparse.Namespace, bars: Bars) -> str:
    """Build the corpus, print what was done, and return the closing line."""
    config = BuildConfig(
        source=options.source,
        out=options.out,
        unit=options.unit,
        limit=options.limit,
        seed=options.seed,
        columns=options.map,
        one_product=options.one_product,
        strict=options.strict,
        text=TextSettings.in_force(**given(options, TextSettings)),
        keypoints=None if options.no_keypoints else KeyPointSettings.in_force(),
        aspects=AspectSettings.in_force(**encoder_for(options) | given(options, AspectSettings)),
    )
    done = build(config, bars, tell=lambda line: print(line, flush=True))
    found = calibrated(Path(options.out).expanduser(), bars) if options.calibrate else None
    report(done)
    if found is not None:
        report_calibration(found)
    return f"corpus: {options.out} ({done.n_sentences} sentences, {done.n_products} products, {done.n_aspects} aspects)"


def carry_out(options: argparse.Namespace, bars: Bars, closing: list[str]) -> None:
    """Do what the options ask for, in the order in which one needs the other; `closing` takes a build's last line."""
    folder = Path(options.out).expanduser() if options.out else None
    if options.fetch_model:
        fetched(options.fetch_model, bars)
    if options.source:
        closing.append(built(options, bars))
    if folder is not None and options.labels:
        found = measure_quality(folder, Path(options.labels).expanduser())
        print("labels:", ", ".join(f"{name} {value:.3f}" for name, value in found.items()))
    if options.measure_check is not None:
        measured(options.measure_check, bars)
    if folder is not None and options.write:
        written(folder, options.model, bars)
    if folder is not None and (options.warm or (options.write and models.resolve().model is not None)):
        warmed(folder, options.warm_products, options.stage, bars)


def _left_behind(out: str | None, is_built: bool) -> str:
    """Say what a run that was stopped leaves."""
    if is_built:
        return "the corpus stands"
    if out and has_pieces(Path(out).expanduser().resolve()):
        return "nothing was written yet; the same command goes on with what was embedded"
    return "nothing was written"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    described = parser()
    options = described.parse_args(arguments)
    later = options.warm or options.write or options.labels
    if not (options.source or later or options.fetch_model or options.measure_check is not None):
        described.error(
            "the following arguments are required: --source (or --warm, --write, --labels, --fetch-model, "
            "--measure-check)"
        )
    if (options.source or later) and not options.out:
        described.error("the following arguments are required: --out")
    if options.stage and not options.warm:
        described.error("--stage prepares the texts of a script: add --warm")
    signal.signal(signal.SIGTERM, _stop)
    bars = Bars()
    closing: list[str] = []
    try:
        carry_out(options, bars, closing)
    except PreferError as error:
        bars.clear()
        print(f"precompute.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        bars.clear()
        print(f"precompute.py: stopped; {_left_behind(options.out, bool(closing))}.", file=sys.stderr)
        return 130
    print(*closing, sep="\n", end="\n" if closing else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
