"""Which sentences can stand for a key point: short whole clauses with one claim about the product.

The form is judged by rules on words and parts of speech (`form_of`); whether the claim helps somebody who thinks
of buying is judged by the entailment model (`useful`), which was trained on sentences that were labelled for it.
"""

import re
import warnings
from collections.abc import Callable, Container, Sequence
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

_SEVERAL = re.compile(
    r"[,;:()\[\]\"“”/*=~^_|<>?#+&\u2190-\U0010ffff]|\s[-–—]+(?:\s|$)|--|\.\.|…|[.!]\s+\S|\d['’]\d|^\W*\d+\W"
)
"""Marks of lists, insertions, several sentences, questions, measures and pictures."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CONTRACTED = (("won't", "will not"), ("can't", "can not"), ("n't", " not"), ("'re", " are"), ("'ll", " will"),
               ("'ve", " have"), ("'d", " would"), ("'m", " am"), ("'s", " is"))  # fmt: skip

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
    r"^(?:(?:also|overall|honestly|basically),?\s+)+|(?:,?\s+(?:too|also|either|as well|tho|lol|haha))+$", re.IGNORECASE
)
"""Words at the edges of a sentence that point to the one before it and say nothing themselves."""

_CUT_SHORT = words("a an the my your our their its and or but nor to of with because if than very so")
"""Words that no whole sentence ends with."""

_TAKES_UP = re.compile(r"^(?:and|but|so|or|plus|then|because|also|however)\b", re.IGNORECASE)
"""How a sentence begins that goes on with the one before it."""

_ADDS = re.compile(r"\balso\b|\bas well$", re.IGNORECASE)
"""What adds to a sentence before it: "it is quiet as well"."""

_SPLICED = re.compile(r", (?:i|it|she|he|they|you|we|this|my|their)\b", re.IGNORECASE)
"""Where a second sentence begins behind a comma, as people write."""

_HANGS_ON = words("though either anyway otherwise tho")
"""Words that set a sentence against the one before it."""

_DEFINITE = re.compile(r"\b(?:the|its|this|these)\s+([^\W_]+(?:\s+[^\W_]+)?)")
_SEVERAL_SAY = 2
"""Reviewers from whom on what they call "the ..." is a part of the product."""

OF_PEOPLE = words(
    """
    skin hair face scalp complexion forehead neck lashes lips cheeks chin eyelids eyes ears hands arms head nails legs
    """
)
"""What belongs to reviewers, not to the product: "their skin feels soft"."""

_OF_WRITER = words("i we my our")
_NAMES_IT = words("it its this these them")
"""Pronouns for the product."""

_NEEDS_MORE = words("a an the of to for with without from at than into as and or but")
"""Words that no whole clause ends with, unless a verb takes them: "fun to play with"."""

_QUOTED = range(5, 26)
"""Words of a sentence that may be quoted."""

_LONGEST_TOLD = 22
"""Words of one that may be told in the third person."""

_BORDERS = words(", but because though although while when if")
"""Where a sentence goes on with another clause."""

_SUBJECT_PRONOUNS = words("i we it they you he she there")
_OTHERS = words("they them their theirs themselves he him his she her")
_PAST = words("was were had did")

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
_NOMINAL = frozenset(("NN", "NNS", "NNP", "PRP", "DT", "EX"))
_LETTERS = {
    "DT": "D", "PDT": "D", "PRP$": "D", "JJ": "A", "JJR": "A", "JJS": "A", "CD": "A", "VBN": "A", "VBG": "G", "NN": "N",
    "NNS": "N", "NNP": "N", "NNPS": "N", "PRP": "P", "EX": "P", "RB": "R", "RBR": "R", "RBS": "R", "IN": "I", "TO": "I",
}  # fmt: skip
"""Parts of speech in one letter, so that a phrase is a word and its grammar a pattern."""

_LETTER_OF = {"of": "O", "about": "O", "itself": "S", "themselves": "S"}
_PARTS = words("top back front bottom inside outside")
"""Parts of things that the tagger takes for adjectives and adverbs."""

_NOUN = "D*[RAGN]*[NG]"
_SUBJECT = rf"(?:(?:{_NOUN}|D[RA]*A|D)(?:[IR]{_NOUN}|O(?:{_NOUN}|P|D))*S?|P|G(?:P|{_NOUN})?I?)R*"
"""What a verb may stand behind: "this", "the lid of the jar really", "cleaning it"; not "the too itself"."""

_BEHIND_A_LEAD = re.compile(rf"R?(?:I(?:{_NOUN}|P|D[RA]*))*{_SUBJECT}")
_BEHIND_ANY_LEAD = re.compile(rf"(?:R|I(?:{_NOUN}|P|D[RA]*)|{_NOUN}(?=P|D))*{_SUBJECT}")
"""How a sentence may begin before its verb: "by lunch they", "some days it"."""

_MASS = words(
    "quality value money stuff fun material fabric cotton leather plastic silk wool metal care work help size"
)
"""Nouns that need no article: "it is good quality", but "it is a flattering blouse"."""

_FEELING = words("happy sad glad disappointed pleased satisfied excited impressed sorry surprised thankful curious")
"""What people are, not products: "very happy with it"."""

_STANDS_FOR = words("it this that these those they them some")
"""Pronouns; a clause that stands alone has one of them at most."""


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
    tokens, tags = _tagged(standing_alone(text))
    if (
        _insists(tokens, tags)
        or _leans(tokens, tags)
        or _hangs(tokens, tags)
        or _dangles(tokens, tags)
        or _breaks_off(text, tokens, tags)
    ):
        return None
    verbs = _finite_verbs(tokens, tags)
    if len(verbs) == 1 and 0 < verbs[0] < len(tags) - 1:
        subject = slice(int(tokens[0] in ("even", "only")), verbs[0])
        if not re.fullmatch(_SUBJECT, _letters(tokens[subject], tags[subject])) or _slips(tokens, tags, verbs[0]):
            return None
        return "bare" if _lacks_article(tokens[: verbs[0]], tags[: verbs[0]]) else "clause"
    if verbs == [0] and tags[0] == "VBZ":
        return None if tags[1] in ("VBD", "VBN") or _slips(tokens, tags, 0) else "predicate"
    return "adjective" if not verbs and _describes(tokens, tags) else None


def form_of_voice(text: str, parts: Container[str] = ()) -> Form | None:
    """Return the form of what only one reviewer says: reported in the present, in their own words what happened once.

    "It leaks at the seams" is about the product; "the noise was just gone" is an episode of which nobody knows the
    beginning. Of sentences that are quoted, those with a subject and a verb in each part may be told in the third
    person, as they stand or with the subject that they lack. None: it runs on without a mark, breaks off, or does not
    stand alone.

    Parameters
    ----------
    parts : container of str
        What several reviewers call "the ..." (`parts_of`): an episode of one of them needs no beginning.

    Examples
    --------
    >>> [form_of_voice(s) for s in ("The lid leaks when it is hot.", "The lid leaks badly", "Steam got out of it.")]
    ['told', 'clause', 'quote']
    >>> [form_of_voice("The pump broke after a week.", parts) for parts in ((), ("pump",))]
    [None, 'told']
    >>> form_of_voice("itching gone hair soft what else is there")
    """
    form = form_of(text)
    tokens, tags = _tagged(text.strip().rstrip(" .!"))
    if _insists(tokens, tags):
        return None
    takes_article = _takes_article(tokens, tags, parts)
    present = "VBD" not in tags and not _PAST.intersection(tokens)
    if form is not None and present and tokens[0] != "they" and (form != "bare" or takes_article):
        return form
    if _breaks_off(text, tokens, tags) or not _stands_alone(text, tokens, tags, parts):
        return None
    if _can_be_told(text, tokens, tags):
        return "told"
    # The tagger takes the verb of "stings every time" for a noun.
    begins_with_verb = tags[0] == "VBZ" and tags[1] not in (*_FINITE, "VBN")
    if (begins_with_verb or tags[:2] == ["NNS", "DT"]) and _can_be_told(text, ["it", *tokens], ["PRP", *tags]):
        return "told predicate"
    if takes_article and _can_be_told(text, ["the", *tokens], ["DT", *tags]):
        return "told bare"
    return None if _runs_on(tokens, tags) else "quote"


def _takes_article(tokens: Sequence[str], tags: Sequence[str], parts: Container[str]) -> bool:
    """Whether the subject of a note is a part of the product or of its writer: "zipper broke", not "rain came in"."""
    verb = _first_verb(tokens, tags)
    noun = re.match("[AGN]*N", _letters(tokens[:verb], tags[:verb]))
    return noun is not None and any(word in parts or word in OF_PEOPLE for word in tokens[: noun.end()])


def parts_of(texts: Sequence[str], supporters: Sequence[IntArray]) -> frozenset[str]:
    """Return the words that several reviewers put behind "the": parts of a product and what it is used with.

    Parameters
    ----------
    supporters : sequence of n int arrays
        Codes of the reviewers who wrote each sentence.

    Examples
    --------
    >>> sorted(parts_of(["The lid leaks.", "I lost the blue lid.", "The hives went."], [[0], [1], [2]]))
    ['lid']
    """
    found: dict[str, set[int]] = {}
    for text, codes in zip(texts, supporters, strict=True):
        for behind in _DEFINITE.findall(text.lower()):
            for word in behind.split():
                found.setdefault(word, set()).update(int(code) for code in codes)
    return frozenset(word for word, by in found.items() if len(by) >= _SEVERAL_SAY)


def _insists(tokens: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether "do" stresses a verb, against something that was said before: "it does come off with vinegar"."""
    return any(
        token in ("do", "does", "did") and (behind in ("VB", "VBP") or (behind == "NN" and word not in _PRONOUNS))
        for token, word, behind in zip(tokens, tokens[1:], tags[1:], strict=False)
    )


def _stands_alone(text: str, tokens: Sequence[str], tags: Sequence[str], parts: Container[str]) -> bool:
    """Whether a sentence can be understood without those around it, and is about the product from its beginning.

    What begins with its writer ("I", "my", a past tense without a subject) or tells what "the ..." did must name the
    product, or a part of it, before its second clause.
    """
    spliced = _SPLICED.search(text) and tags[0] not in ("IN", "WRB")  # not "when it is hot, it leaks"
    leans = _dangles(tokens, tags) or _adds(text) or _HANGS_ON.intersection(tokens) or tokens[-1] in ("after", "before")
    if spliced or leans:
        return False
    letters = _letters(tokens, tags)
    if not _tells_something(tokens, tags, letters):
        return False
    cut = next((i for i, token in enumerate(tokens) if i and _next_clause(tokens, tags, i)), len(tokens))
    first = tokens[:cut]
    if first[0] == "it" and re.fullmatch("Px[DRA]*N+", letters[:cut]):
        return False  # "it's a red spot" is not about the product
    past = not _PAST.isdisjoint(first) or bool({"VBD", "VBN"}.intersection(tags[:cut]))
    by_writer = tokens[0] in _OF_WRITER or tags[0] in ("VBD", "MD")
    if not by_writer and not (tokens[0] == "the" and past):
        return True
    named = (word for behind in _DEFINITE.findall(" ".join(first)) for word in behind.split())
    return not _NAMES_IT.isdisjoint(first) or any(word in parts for word in named)


def _tells_something(tokens: Sequence[str], tags: Sequence[str], letters: str) -> bool:
    """Whether a sentence has a verb, or is an adjective with what goes with it, or says what there is "no" of."""
    noted = tags[0] == "NNS" and tokens[1:2] != ["of"]
    verbal = noted or any(tag[0] in "VM" and tag != "VBG" for tag in tags) or _first_verb(tokens, tags) > 0
    return verbal or tokens[0] == "no" or re.match("R*A(?!A*N)", letters) is not None


def _next_clause(tokens: Sequence[str], tags: Sequence[str], place: int) -> bool:
    """Whether another clause begins at a place: behind a comma, at "because", at "and" before its own subject."""
    if tokens[place] in (",", "because", "but", "although", "though") or _so_joins(tokens, tags, place):
        return True
    return tokens[place] == "and" and tags[place + 1 : place + 2] in (["PRP"], ["PRP$"], ["DT"], ["EX"])


def _tagged(text: str) -> tuple[list[str], list[str]]:
    tagged = parts_of_speech(text)
    return [token.lower() for token, _ in tagged], [tag for _, tag in tagged]


def _letters(tokens: Sequence[str], tags: Sequence[str]) -> str:
    letters = ""
    for token, tag in zip(tokens, tags, strict=True):
        # The tagger takes "the fit" and "the handle" for verbs.
        noun = letters[-1:] in ("D", "A", "N") and (tag == "VB" or token in _PARTS)
        verbal = not letters and tag == "NN" and token.endswith("ing")
        letters += "N" if noun else "G" if verbal else _LETTER_OF.get(token) or _LETTERS.get(tag, "x")
    return letters


def _slips(tokens: Sequence[str], tags: Sequence[str], verb: int) -> bool:
    """Whether a clause has a slip of the pen: number and verb disagree, or a noun lacks its article."""
    heads = [tag for tag in tags[:verb] if tag in ("NN", "NNS")]
    if heads and "IN" not in tags[:verb]:
        wrong = {"NN": ("are", "were", "have", "do"), "NNS": ("is", "was", "has", "does")}[heads[-1]]
        if tokens[verb] in wrong or (heads[-1] == "NNS" and tags[verb] == "VBZ"):
            return True
    behind = _letters(tokens[verb + 1 :], tags[verb + 1 :])
    bare = re.match("R*(A+)N$", behind)
    return tokens[verb] in ("is", "was") and bare is not None and tags[-1] == "NN" and tokens[-1] not in _MASS


def _adds(text: str) -> bool:
    """Whether a sentence adds to the one before it: "it is quiet as well", "also the lid"."""
    return bool(_ADDS.search(text) or _LEANING_EDGES.search(text.rstrip(" .!")))


def _hangs(tokens: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a sentence ends in mid-thought: "beautiful on", "nice too for", not "easy to put on", "spot on"."""
    if len(tokens[-1]) == 1 or (tokens[-1] in _NEEDS_MORE and not tags[-2:][0].startswith("VB")):
        return True
    return tags[-1] == "IN" and tags[-2:][0] in ("JJ", "JJR", "RBR") and tokens[-2] not in ("right", "spot")


def _breaks_off(text: str, tokens: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a text without a full stop ends in a piece of a word, or in one that another must follow."""
    if text.rstrip()[-1:] in (*".!?…\"'", ""):
        return False
    from textblob.en import lexicon

    return tags[-1] in ("DT", "CC", "PRP$") or (tokens[-1].isalpha() and tokens[-1] not in lexicon)


def _dangles(tokens: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a pronoun is left without what it stands for: "this calmed it down", not "it shrinks if you wash it"."""
    bare = [
        place
        for place, token in enumerate(tokens)
        if token in _STANDS_FOR
        and (tags[place] == "PRP" or _LETTERS.get((*tags, "")[place + 1], "x") not in "ARN")
        and not (token == "that" and tags[place] == "IN")
    ]
    found = {"they" if tokens[place] == "them" else tokens[place] for place in bare}
    return len(found) > 1 or (bool(bare) and bare[0] > 0 and found != {"it"})


def _lacks_article(tokens: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a subject is a singular noun without article, number or pronoun: "zipper", "left ear"."""
    core = tags[: next((i for i, tag in enumerate(tags) if tag in ("IN", "RB")), len(tags))]
    plain = all(tag in ("JJ", "NN", "VBN", "VBG") for tag in core)
    if tokens[0].endswith("ing") and tags[1:2] in (["RB"], ["IN"]):
        return False  # "sizing down helps"
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


def _can_be_told(text: str, tokens: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether each part of a sentence has a subject and a verb, and nobody but its writer could be meant by "they"."""
    if (
        len(text.split()) > _LONGEST_TOLD
        or not can_be_quoted(text)
        or not re.fullmatch(r"[\w\s,'’$%-]*[.!]?", text.strip())
    ):
        return False
    if not _OTHERS.isdisjoint(tokens) or ("and", "no") in pairwise(tokens):
        return False
    cuts = [i for i, token in enumerate(tokens) if token in _BORDERS or _so_joins(tokens, tags, i)]
    parts = zip([0, *(i + 1 for i in cuts)], [*cuts, len(tokens)], strict=True)
    return all(_states(tokens[start:stop], tags[start:stop]) for start, stop in parts if stop > start)


def _runs_on(tokens: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether what precedes the first verb is no subject, or a phrase goes on with "and" as if it were a clause."""
    verb = _first_verb(tokens, tags)
    letters = _letters(tokens[:verb], tags[:verb])
    # "soft what else is there": a question word joins on to a verb or a preposition, not to a noun.
    asking = [tag[0] == "W" and before in ("A", "N", "G") for tag, before in zip(tags, f" {letters}", strict=False)]
    marks = [p for p in range(verb) if tokens[p] in _JOINED or (letters[p] == "x" and not asking[p])]
    mark = marks[0] if marks else None
    if mark is None:
        return verb > 0 and not _BEHIND_ANY_LEAD.fullmatch(letters)
    return letters[0] == "I" and tokens[mark : mark + 2] in ([",", "and"], [",", "but"])


def _states(tokens: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a whole subject stands before the first verb of a part of a sentence."""
    start = int(tokens[0] in _JOINED)
    verb = _first_verb(tokens, tags)
    subject, kinds = tokens[start:verb], tags[start:verb]
    if not subject or not _BEHIND_A_LEAD.fullmatch(_letters(subject, kinds)) or _lacks_article(subject, kinds):
        return False
    sure = kinds[0] in ("DT", "PRP$") or kinds[-1] == "PRP"
    return sure or tags[verb] in _FINITE or tokens[verb] in _AUXILIARIES


def _first_verb(tokens: Sequence[str], tags: Sequence[str]) -> int:
    """Return the place of the first finite verb, 0 for none; the word behind a pronoun is one whatever its tag."""
    behind = next((i for i, token in enumerate(tokens, 1) if token in _SUBJECT_PRONOUNS), len(tags))
    while tags[behind : behind + 1] == ["RB"]:
        behind += 1
    pronoun = [behind] if behind < len(tags) and tags[behind][0] in "VMNIJ" else []
    return min([*_finite_verbs(tokens, tags)[:1], *pronoun], default=0)


def _describes(tokens: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a phrase without a verb is an adjective with its complement, of a product, not a noun or a feeling."""
    begun = re.match("R?R?A(?=[IO]|$)|R?AR(?=I)", _letters(tokens, tags))
    place = begun.end() - 1 if begun else 0
    return begun is not None and tags[place] in ("JJ", "JJR") and _FEELING.isdisjoint(tokens[: place + 1])


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
        if place and (token in _RELATIVE or (token == "one" and tokens[place - 1] in ("this", "that"))):
            return True
        if _so_joins(tokens, tags, place):
            return True
        # "keeps you dry" is about the product, "you can see" is not.
        if token == "you" and not (place and tags[place - 1].startswith("VB")):
            return True
    return False


def _so_joins(tokens: Sequence[str], tags: Sequence[str], place: int) -> bool:
    """Whether "so" stands at a place and joins clauses, as it does not in "so soft"."""
    return tokens[place] == "so" and tags[place + 1 : place + 2] not in (["JJ"], ["RB"], ["JJR"], ["VBN"])


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


def plural(texts: Sequence[str]) -> bool:
    """Whether a product is called "they" or "these" more often than "it" or "this" where a sentence begins with it.

    >>> plural(["They fit.", "These are loud.", "It broke."]), plural(["This is warm."])
    (True, False)
    """
    begins = [_of_one_or_many(text) for text in texts]
    return begins.count("many") > begins.count("one")


def of_other_number(text: str, form: Form, several: bool) -> bool:
    """Whether a point calls a product "it" that reviewers call "they", or the other way round.

    >>> of_other_number("Drops the signal", "predicate", True), of_other_number("They fit", "clause", True)
    (True, False)
    """
    number = "one" if form in ("predicate", "adjective") else _of_one_or_many(text)
    return number == ("one" if several else "many")


def _of_one_or_many(text: str) -> str:
    begin = re.match(r"(?:(?:it|this)|(they|these))\b", text, re.IGNORECASE)
    return "" if begin is None else "many" if begin[1] else "one"


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
