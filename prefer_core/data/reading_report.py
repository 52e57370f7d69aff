"""What a build tells people about its source: which columns, which rules, what was lost and why, with examples."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from prefer_core.data.columns import SAID
from prefer_core.data.language import shares
from prefer_core.data.losses import MUCH, share_lost
from prefer_core.data.reviews import ReviewTable
from prefer_core.data.sentences import SentenceTable
from prefer_core.data.sources import Source

_SPOKEN = 300
"""Reviews in which the languages are looked for, spread evenly."""
_SOME = 0.1
"""Share of reviews in another language from which a person is told."""
_MOST_SHOWN = 50
"""Floods and accounts that are kept for the pages."""

NAMES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "es": "Spanish", "fa": "Persian",
    "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian", "it": "Italian",
    "ja": "Japanese", "km": "Khmer", "ko": "Korean", "lo": "Lao", "my": "Burmese", "nl": "Dutch", "pl": "Polish",
    "pt": "Portuguese", "ru": "Russian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian",
    "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
_UNSPACED = ("zh", "ja", "th", "lo", "km", "my")
_CUT_AT_SPACES = ("lo", "km")
"""Languages that write few stops, no spaces between words, and have no kept segmenter."""
MULTILINGUAL = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())  # noqa: SIM905
"""What the embedder `multilingual` reads."""
SPOKEN_BY_THE_EMBEDDER = "en"
"""MiniLM was trained on English."""


def reading_report(
    source: Source, reviews: ReviewTable, sentences: SentenceTable, embedder: str = "minilm"
) -> dict[str, Any]:
    """Return plain values for the diagnostics of a corpus.

    Returns
    -------
    dict
        columns (rows of what, column, told by), notes (how the file was read and what was decided), lost (share of rows
        that gave no review although they were wanted), examples (by reason, three each), floods, accounts (with a
        hundred reviews or more), languages (share by code, of a sample), language_note (empty where all is English).
    """
    counts = {**source.counts, **reviews.counts}
    texts = reviews.rows["text"]
    languages = shares(texts.iloc[:: max(1, len(texts) // _SPOKEN)].tolist())
    return {
        "columns": [
            {"what": SAID.get(choice.standard, choice.standard), "column": choice.column, "told by": choice.why}
            for choice in source.choices
        ],
        "notes": list(source.notes),
        "lost": share_lost(counts["lines read"], len(reviews.rows), counts),
        "examples": source.losses.merge(reviews.losses).merge(sentences.losses).examples,
        "floods": [asdict(flood) for flood in reviews.floods[:_MOST_SHOWN]],
        "accounts": list(reviews.busy[:_MOST_SHOWN]),
        "languages": languages,
        "language_note": language_note(languages, embedder),
    }


def language_note(languages: Mapping[str, float], embedder: str = "minilm") -> str:
    """Say which languages the build does not read well, what that costs, and what to do.

    >>> language_note({"en": 1.0})
    ''
    >>> language_note({"de": 0.8, "en": 0.2})
    'About 80 % of the reviews are in German. The sentence vectors come from MiniLM, which was trained on English: aspects, close sentences and counts are unreliable for them. Build with --embedder multilingual, or keep the English ones alone with --language en.'
    """  # noqa: E501  # the sentence is the value
    others = {code: share for code, share in languages.items() if code != SPOKEN_BY_THE_EMBEDDER and share >= _SOME}
    if not others:
        return ""
    named = " and ".join(NAMES.get(code, code) for code in others)
    note = f"About {100 * sum(others.values()):.0f} % of the reviews are in {named}. "
    reads = MULTILINGUAL if embedder == "multilingual" else frozenset({SPOKEN_BY_THE_EMBEDDER})
    unread = [NAMES.get(code, code) for code in others if code not in reads]
    if embedder == "multilingual":
        note += (
            "The sentence vectors come from a multilingual model, coarser than the English one. Aspects get no anchors "
            "and no hidden product words, complaints and dangers are flagged by English words and stars, and there are "
            "no key points: summaries quote single sentences. "
        )
        note += f"The model does not know {' and '.join(unread)}: aspects are unreliable for it. " if unread else ""
    else:
        note += (
            "The sentence vectors come from MiniLM, which was trained on English: aspects, close sentences and counts "
            "are unreliable for them. "
        )
    if any(code in _UNSPACED for code in others):
        note += "Words of scripts without spaces between them are counted by letters. "
    if spaced := [NAMES[code] for code in others if code in _CUT_AT_SPACES]:
        note += (
            f"No segmenter knows where sentences of {' and '.join(spaced)} end: they are cut at stops and at spaces, "
            "which may halve one. Put a stop behind each sentence of the file, or build with --unit review. "
        )
    if embedder == "multilingual":
        return note.rstrip()
    advice = "Build with --embedder multilingual" if MULTILINGUAL & others.keys() else ""
    if languages.get(SPOKEN_BY_THE_EMBEDDER, 0.0) >= _SOME:
        keep = "keep the English ones alone with --language en."
        return note + (f"{advice}, or {keep}" if advice else keep.capitalize())
    return note + (f"{advice}." if advice else "There is no model for them here: read what is shown as quotations.")


def loss_lines(counts: Mapping[str, int], examples: Mapping[str, Iterable[str]]) -> list[str]:
    """Return counts with their examples below, line by line, as they are printed at the end of a build."""
    lines = []
    for name, count in counts.items():
        if count:
            lines.append(f"{count:>10,}  {name}")
            lines += [f"{'':12}e.g. {example}" for example in examples.get(name, ())]
    return lines


def much_lost(report: Mapping[str, Any]) -> str:
    """Return a sentence if more than a twentieth of the rows were lost, else nothing."""
    if report["lost"] <= MUCH:
        return ""
    return (
        f"Attention: {100 * report['lost']:.1f} % of the rows gave no review; the reasons and examples stand above. "
        "--strict stops such a build."
    )
