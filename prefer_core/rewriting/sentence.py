"""From what a model wrote to one clean sentence, by rule."""

import re
from collections.abc import Sequence

from prefer_core.rewriting.lexicon import FILLERS, NEGATORS, UNREAL
from prefer_core.rewriting.words import VERBS, plain, tokens

_MARKS = re.compile(r"^[\s\-*•:,;.]*(?:that\s+)?", re.IGNORECASE)
_ASIDE = re.compile(
    r"^(?:yes|btw|also|well|honestly|okay|oh|funny|note|first|second|overall|on the other hand)\s?[,:]\s+(?:but\s+)?",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"(?<![0-9])[.!?](?=\s|$|['\"])|[.!?](?=\s|$)|[.!?](?=[A-Z])|\.\.+|…")
_CUTS = re.compile(
    r"(?:[,;]|\s+-)?\s+(?:and|or|so|because|which|although|while|plus)\s|[,;]\s(?!but)|\s-\s?|--", re.IGNORECASE
)
_JOINTS = re.compile(r",?\s(?:and|but|so|however)\s|[;,]\s|--", re.IGNORECASE)
_TOLD = re.compile(
    r"^they (?:also )?(?:learned|learnt|found|noticed|discovered|realized|realised|saw|know|knew|agree|admit|believe"
    r"|think|feel|felt|love|like|hate)(?: (?!that\b)[\w'-]+){0,5} that\s",
    re.IGNORECASE,
)
"""What a reviewer knows or thinks, the statement's own opening already says: the rest can stand alone."""

_PARENTHESES = re.compile(r"\s*\([^()]*\)")
_LAUGHS = re.compile(r"[\s,.;-]*\b(?:ha(?:ha)+|lol|lmao|omg)\b[!. ]*$", re.IGNORECASE)
_SO = re.compile(
    r"\b(is|are|was|were|it's|looks?|feels?|fits?|smells?)\sso\s(?!(?:that|much|many|far)\b)", re.IGNORECASE
)

_PHRASES = re.compile(r"\s(?:on|in|at|into|under|over|around|during|after|before)\s", re.IGNORECASE)

_PERSON = (
    (r"\b(i(?:'ve)?(?: \w+){1,5} for) me\b", r"\1 themselves"),
    (r"\b(i(?: (?!it\b)[\w'-]+){1,6} and) was\b", r"\1 were"),
    (r"\bwe (consumers|customers|users|women|men|people|buyers|readers)\b", r"\1"),
    (r"\bi\s+am\b|\bi'm\b|\bim\b|\bwe\s+are\b|\bwe're\b", "they are"),
    (r"\bi\s+was\b", "they were"),
    (r"\bi've\b|\bwe've\b", "they have"),
    (r"\bi'll\b|\bwe'll\b", "they will"),
    (r"\bi'd\b|\bwe'd\b", "they would"),
    (r"\bmyself\b", "themselves"),
    (r"\bourselves\b", "themselves"),
    (r"\bi\b|\bwe\b", "they"),
    (r"\bme\b", "them"),
    (r"\bmy\b|\bour\b", "their"),
    (r"\bmine\b|\bours\b", "theirs"),
)
_US = re.compile(r"\bus\b")


def statement_text(word: str, clause: str, verb: str = "say") -> str:
    """Return the full sentence for a clause.

    Examples
    --------
    >>> statement_text("One reviewer", "the lid cracks")
    'One reviewer says the lid cracks.'
    """
    return f"{word} {verb}{'s' if word == 'One reviewer' else ''} {clause.rstrip(' .!?')}."


def clauses(raw: str, sources: Sequence[str]) -> tuple[str, ...]:
    """Return the clause that a model wrote, cleaned and in the third person, then shorter forms of it.

    A shorter form ends where a part of the sentence ends, or leaves out fillers; each still has to pass every check,
    which a long copied or half-supported sentence often does only in a shorter form. Where something is negated or
    wished no closing phrase is cut: "not for tall people" is not "not".

    Examples
    --------
    >>> clauses(" It's soft on my skin, and the lid cracks.", ["It's soft on my skin, and the lid cracks"])
    ("it's soft on their skin, and the lid cracks", "it's soft on their skin", 'the lid cracks')
    """
    text = plain(raw.split("\n", 1)[0]).replace("’", "'")
    text = _LAUGHS.sub("", _PARENTHESES.sub("", text))
    text = _ASIDE.sub("", _MARKS.sub("", text, count=1), count=1)
    if stop := SENTENCE_END.search(text):
        text = text[: stop.start()]
    text = third_person(_lower_start(text.strip(" '\"-,;:"), sources))
    if not text:
        return ()
    tails = [text[match.end() :].strip() for match in _JOINTS.finditer(text)]
    if (told := _TOLD.match(text)) and not {t.word for t in tokens(told[0])} & (NEGATORS | UNREAL):
        tails.append(text[told.end() :])
    whole = [text, *_shorter(text, _CUTS), *(tail for tail in tails if len(tokens(tail)) >= 3)]
    lean = [_lean(one) for one in whole]
    if not {t.word for t in tokens(text)} & (NEGATORS | UNREAL):
        lean += [cut for cut in _shorter(_lean(text), _PHRASES) if tokens(cut)[-1].stem not in VERBS]
    return tuple(dict.fromkeys([*whole, *lean]))


def _shorter(text: str, cuts: re.Pattern[str]) -> list[str]:
    """Return what stands before each cut, longest first."""
    parts = [text[: match.start()].rstrip(" ,;-") for match in cuts.finditer(text)]
    return [part for part in reversed(parts) if len(tokens(part)) >= 3]


def _lean(text: str) -> str:
    """Leave out words that only fill or strengthen."""
    words = _SO.sub(r"\1 ", text).split()
    kept = (
        word
        for before, word in zip(["", *words], words, strict=False)
        if word.lower().strip(",") not in FILLERS - {"so"} or before.lower() in {"most", "more", "not"}
    )
    return " ".join(kept)


def third_person(text: str) -> str:
    """Turn what is left of the first person into reported speech.

    Examples
    --------
    >>> third_person("it came mid thigh on me because I'm tall")
    'it came mid thigh on them because they are tall'
    """
    for pattern, replacement in _PERSON:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    return _US.sub("them", text)


def _lower_start(text: str, sources: Sequence[str]) -> str:
    """Start in lower case, unless the word is a name: all capitals, or capitalised inside a source sentence."""
    first = text.split(" ", 1)[0] if text else ""
    if len(first) > 1 and not first[1:].islower() and "'" not in first:
        return text
    inside = ([w.strip(".,:;!?'") for w in source.split()[1:]] for source in sources if not source.isupper())
    if first[:1].isupper() and len(first) > 1 and any(first.strip(".,:;!?") in words for words in inside):
        return text
    return text[:1].lower() + text[1:]
