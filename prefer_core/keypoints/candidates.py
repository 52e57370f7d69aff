"""Which sentences can stand for a key point: short whole clauses with one claim about the product.

The form is judged by rules on words and parts of speech (`form_of`); whether the claim helps somebody who thinks
of buying is judged by the entailment model (`useful`), which was trained on sentences that were labelled for it.
"""

import re
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from prefer_core.data.wordlist import words
from prefer_core.encoders.entailment import SAYS, Entailment
from prefer_core.types import FloatArray, Form, IntArray

WORDS = range(4, 15)
"""How many words a candidate has."""

USEFUL = "it tells a buyer something about the product"
"""The point that every useful candidate says; the model was trained on this wording."""

_SEVERAL = re.compile(r"[,;:()\[\]\"“”/*=~^_|<>?#+]|\s[-–—]+(?:\s|$)|--|\.\.|…|[.!]\s+\S|\d['’]\d|^\W*\d+\W")
"""Marks of lists, insertions, several sentences, questions and measures."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CONTRACTED = (("won't", "will not"), ("can't", "can not"), ("n't", " not"), ("'re", " are"), ("'ll", " will"),
               ("'ve", " have"), ("'d", " would"), ("'s", " is"))  # fmt: skip

_PEOPLE = words(
    """
    i im ive id ill me my mine myself we us our ours ourselves he him his himself she her hers herself your yours
    yourself youre youll
    """
)
_PRONOUNS = words("nothing everything something anything nobody everyone everybody someone somebody one each half most")
"""What the tagger takes for nouns and no article can stand before."""

_JOINED = words(
    """
    and but or nor plus however although though if unless because whether except while whereas yet than
    """
)
_ELSEWHERE = words("otherwise still again anyway instead likewise therefore thus other others another")
"""Words by which a sentence leans on one before it."""

_LEANING_EDGES = re.compile(
    r"^(?:(?:also|overall|honestly|basically),?\s+)+|(?:,?\s+(?:too|also|either|as well|tho|lol))+$", re.IGNORECASE
)
"""Words at the edges of a sentence that point to the one before it and say nothing themselves."""

_CUT_SHORT = words("a an the my your our their its and or but nor to of with because if than very so")
"""Words that no whole sentence ends with."""

_TAKES_UP = re.compile(r"^(?:and|but|so|or|plus|then|because)\b", re.IGNORECASE)
"""How a sentence begins that goes on with the one before it."""

_ADDS = re.compile(r"\balso\b|\bas well$", re.IGNORECASE)
"""What adds to a sentence before it: "it is quiet as well"."""

_QUOTED = range(5, 26)
"""Words of a sentence that may be quoted."""

_RELATIVE = words("that which who whose what how why")

_DEGREE = words(
    """
    absolutely beyond completely crazy extremely extra incredibly insanely literally lot lots so sooo soooo super
    totally way too
    amazing awesome awful excellent exceptional fantastic gorgeous great horrible incredible outstanding perfect
    perfectly stunning superb terrible wonderful tiny huge useless best worst ever most just only
    bit fairly kinda little moderately slightly somewhat
    """
)
"""Words of the utmost and of hedging."""

_COMPARING = frozenset(("JJR", "JJS", "RBR", "RBS"))
_FINITE = frozenset(("VBZ", "VBP", "VBD", "MD"))
_AUXILIARIES = words("is are was were am has have had does do did can could will would should may might must")
_SUBJECT_FIRST = frozenset(("DT", "PRP", "PRP$", "NN", "NNS", "NNP", "JJ", "EX", "PDT", "RB", "CD"))
_NOMINAL = frozenset(("NN", "NNS", "NNP", "PRP", "DT", "EX"))


def standing_alone(text: str) -> str:
    """Return a sentence without its last mark and without words at its edges that lean on the one before it.

    Examples
    --------
    >>> standing_alone("Also the tube was maybe half full."), standing_alone("Delivery was quick too!")
    ('the tube was maybe half full', 'Delivery was quick')
    """
    return _LEANING_EDGES.sub("", text.strip().rstrip(" .!?…,;:-–—"))


def form_of(text: str) -> Form | None:
    """Return the form of a sentence that can stand for a point: 4 to 14 impersonal words that state one thing.

    A clause has a subject and one finite verb; a bare one lacks the article of its subject, as notes do; a predicate
    begins with its verb, an adjective has none. They read on as "many say ...", "many say the ...", "many say it ...",
    "many find it ...". None: the sentence joins several things, speaks of people or of what would be, has a word twice,
    or adds to, or leans on another sentence.

    Examples
    --------
    >>> [form_of(s) for s in ("The lid leaks after a week.", "Fits true to size", "way too noisy for a flat")]
    ['clause', 'predicate', 'adjective']
    >>> [form_of(s) for s in ("Zipper broke after a week.", "Sleeves are too long", "Relief for cracked hands!")]
    ['bare', 'clause', None]
    >>> [form_of(s) for s in ("I love the lid", "Soft and warm, it fits", "Very soft fabric all around")]
    [None, None, None]
    """
    stated = text.strip().rstrip(" .!")
    if _SEVERAL.search(stated):
        return None
    found = [word.lower().replace("’", "'").replace("'", "") for word in _WORD.findall(stated)]
    if len(found) not in WORDS or _PEOPLE.intersection(found) or stated.isupper():
        return None
    if "would" in found or _ADDS.search(stated) or any(one == other for one, other in pairwise(found)):
        return None
    tagged = parts_of_speech(standing_alone(text))
    tokens, tags = [token.lower() for token, _ in tagged], [tag for _, tag in tagged]
    if _leans(tokens, tags) or _hangs(tokens, tags):
        return None
    verbs = _finite_verbs(tokens, tags)
    if len(verbs) == 1 and 0 < verbs[0] < len(tags) - 1 and tags[0] in _SUBJECT_FIRST:
        if not _has_subject(tags[: verbs[0]]):
            return None
        return "bare" if _lacks_article(tokens[: verbs[0]], tags[: verbs[0]]) else "clause"
    if verbs == [0] and tags[0] == "VBZ":
        return "predicate"
    return "adjective" if not verbs and _describes(tags) else None


def _hangs(tokens: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a sentence ends in a preposition behind an adjective: "beautiful on", not "easy to put on", "spot on"."""
    return tags[-2:] == ["JJ", "IN"] and tokens[-2] != "right"


def _has_subject(tags: Sequence[str]) -> bool:
    """Whether a noun stands before the verb that is no part of something else: not "simple to scrub since the top"."""
    place = next((i for i, tag in enumerate(tags) if tag in _NOMINAL), None)
    return place is not None and not {"IN", "TO", "VB"}.intersection(tags[:place])


def _lacks_article(tokens: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a subject is a singular noun without article, number or pronoun: "zipper", "left ear"."""
    core = tags[: next((i for i, tag in enumerate(tags) if tag in ("IN", "RB")), len(tags))]
    plain = all(tag in ("JJ", "NN", "VBN", "VBG") for tag in core)
    return plain and core[-1:] == ["NN"] and not _PRONOUNS.intersection(tokens)


def can_be_quoted(text: str) -> bool:
    """Whether a sentence is whole and short enough to be quoted, and neither a question nor the end of another.

    Examples
    --------
    >>> [can_be_quoted(s) for s in ("I wash it twice a week.", "i wash the garment once on the", "Why is that so?")]
    [True, False, False]
    """
    found = text.lower().rstrip(" .!…\"'").split()
    whole = found[-1:] and found[-1] not in _CUT_SHORT and text.count("(") == text.count(")")
    return bool(whole) and len(found) in _QUOTED and "?" not in text and not _TAKES_UP.match(text)


def _describes(tags: Sequence[str]) -> bool:
    """Whether a phrase without a verb is an adjective with its complement, not a noun with its adjective."""
    place = 0
    while place < len(tags) and tags[place] == "RB":
        place += 1
    behind = tags[place + 1 : place + 2]
    return place < len(tags) and tags[place] in ("JJ", "JJR") and behind[:1] in (["IN"], ["TO"], ["RB"], [])


def parts_of_speech(text: str) -> list[tuple[str, str]]:
    """Return words with their Penn tags; contractions are written out first."""
    spelt = text.replace("’", "'")
    spelt = re.sub(r"\b[Ww]ay (?=too|more)", "far ", spelt)  # the tagger takes "way" for a noun
    # A capital at the beginning makes the tagger see a name.
    spelt = spelt[:1].lower() + spelt[1:]
    for short, long in _CONTRACTED:
        spelt = re.sub(re.escape(short) + r"\b", long, spelt, flags=re.IGNORECASE)
    found: list[tuple[str, str]] = _tagger()(spelt)
    return found


@cache
def _tagger() -> Callable[[str], list[tuple[str, str]]]:
    from textblob.en import tag

    with warnings.catch_warnings():
        # It leaves the file of its lexicon open until it is collected.
        warnings.simplefilter("ignore", ResourceWarning)
        tag("it fits")
    tagger: Callable[[str], list[tuple[str, str]]] = tag
    return tagger


def _leans(tokens: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether something is joined on, compared with, or taken up from another sentence."""
    for place, token in enumerate(tokens):
        if token in _JOINED or token in _ELSEWHERE:
            return True
        # "a great shirt that runs large" makes two claims.
        if place and token in _RELATIVE:
            return True
        # "so" joins clauses, but not in "so soft".
        if token == "so" and tags[place + 1 : place + 2] not in (["JJ"], ["RB"], ["JJR"]):
            return True
        # "keeps you dry" is about the product, "you can see" is not.
        if token == "you" and not (place and tags[place - 1].startswith("VB")):
            return True
    return False


def _finite_verbs(tokens: Sequence[str], tags: Sequence[str]) -> list[int]:
    """Return the places of finite verbs, a chain of auxiliaries and its verb counted once.

    The tagger takes some verbs for nouns ("the lid leaks", "it dresses up"): a plural noun behind a singular one or a
    pronoun, and a singular noun behind a plural one, are read as verbs where no other verb is found and the sentence
    does not begin with a noun, as notes do ("spider legs after one coat").
    """
    found = [
        i for i, tag in enumerate(tags)
        if tokens[i] in _AUXILIARIES or (tag in _FINITE and not (tag == "VBD" and _qualifies(tags, i)))
    ]  # fmt: skip
    if not found:
        if tags[:1] in (["NN"], ["NNS"], ["JJ"]):
            return []
        pairs = pairwise(tags)
        for place, (before, here) in enumerate(pairs, 1):
            if (here == "NNS" and before in ("NN", "PRP", "NNP")) or (here in ("NN", "VB", "VBN") and before == "NNS"):
                return [place]
            if before == "PRP" and place == 1 and here in ("NN", "VB", "VBN"):
                return [place]
        return []
    chains = [found[0]]
    for last, verb in pairwise(found):
        if any(tag in _NOMINAL for tag in tags[last + 1 : verb]) or verb - last > 3:
            chains.append(verb)
    return chains


def _qualifies(tags: Sequence[str], place: int) -> bool:
    """Whether a participle that looks like a past tense belongs to a noun: "for cracked hands"."""
    return place > 0 and tags[place - 1] in ("IN", "DT", "PRP$") and tags[place + 1 : place + 2] in (["NN"], ["NNS"])


def useful(texts: Sequence[str], model: Entailment) -> NDArray[np.float32]:
    """Return for each candidate (n,) the probability that it tells a buyer something about the product."""
    return model.probabilities([(text, USEFUL) for text in texts])[:, SAYS]


def plain(text: str) -> bool:
    """Say whether a point is made in a plain degree: "the bottle is small", not "tiny" or "a bit small".

    Whoever says more than a plain point says the point as well, so plain ones count most people rightly. A comparison
    is none: who praises a screen does not find it nicer than another.

    >>> plain("The screen is good"), plain("It is a nicer screen"), plain("The screen is outstanding")
    (True, False, False)
    """
    if not _DEGREE.isdisjoint(word.lower() for word in _WORD.findall(text)):
        return False
    return not any(tag in _COMPARING for _, tag in parts_of_speech(text))


def thinned(
    vectors: FloatArray,
    density: FloatArray | IntArray,
    most: int,
    apart: float,
    contrary: frozenset[tuple[int, int]] = frozenset(),
) -> NDArray[np.intp]:
    """Return the places of the densest vectors, at most `most`, no two with a cosine of `apart` or more.

    Parameters
    ----------
    vectors : ndarray of shape (n, d)
        Unit vectors of the candidates.
    density : ndarray of shape (n,)
        How much is written near each, or another number by which they come first; ties go to the earlier one.
    contrary : set of (int, int)
        Pairs, the smaller place first, that may both stay however close they are: "quiet" lies near "noisy".
    """
    kept: list[int] = []
    for place in np.argsort(-np.asarray(density), kind="stable"):
        if len(kept) == most:
            break
        close = [other for other in kept if float(vectors[other] @ vectors[place]) >= apart]
        if all((min(int(place), other), max(int(place), other)) in contrary for other in close):
            kept.append(int(place))
    return np.array(kept, dtype=np.intp)
