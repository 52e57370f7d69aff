"""Words of a sentence, their stems, and the short word lists that the checks share."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from prefer_core.rewriting import lexicon
from prefer_core.rewriting.lexicon import CONTRAST, STOP

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

_IRREGULAR = {
    "wore": "wear", "worn": "wear", "bought": "buy", "felt": "feel", "ran": "run", "broke": "break", "broken": "break",
    "made": "make", "kept": "keep", "held": "hold", "shrank": "shrink", "shrunk": "shrink", "came": "come",
    "fell": "fall", "fallen": "fall", "tore": "tear", "torn": "tear", "went": "go", "gone": "go", "gave": "give",
    "given": "give", "took": "take", "taken": "take", "left": "leave", "lost": "lose", "sent": "send", "stuck": "stick",
    "hung": "hang", "wives": "wife", "feet": "foot", "teeth": "tooth", "men": "man", "women": "woman",
    "children": "child", "saw": "see", "seen": "see", "sat": "sit", "paid": "pay", "smelt": "smell", "comfy": "comfort",
    "comfortable": "comfort", "comfortably": "comfort", "uncomfortable": "uncomfort", "colour": "color",
    "colours": "color", "colored": "color", "coloured": "color", "lasted": "last", "less": "less", "better": "better",
    "flattering": "flatter", "unflattering": "unflatter", "knew": "know", "known": "know", "grew": "grow",
    "grown": "grow", "chose": "choose", "chosen": "choose", "slept": "sleep", "meant": "mean", "read": "read",
    "washed": "wash", "fitting": "fit", "fitted": "fit", "during": "during", "clothing": "clothing",
    "jeans": "jean", "dries": "dry", "tried": "try", "tries": "try", "try": "try", "used": "use", "using": "use",
    "uses": "use", "ones": "one", "got": "get", "gotten": "get", "stung": "sting", "slid": "slide", "shone": "shine",
    "wrote": "write", "sold": "sell", "spent": "spend", "stood": "stand", "drew": "draw", "drove": "drive",
    "ate": "eat", "rode": "ride", "flew": "fly", "shook": "shake", "bent": "bend", "built": "build", "burnt": "burn",
    "dug": "dig", "fed": "feed", "hid": "hide", "led": "lead", "lit": "light", "met": "meet", "rose": "rise",
    "sank": "sink", "spoke": "speak", "swept": "sweep", "swung": "swing", "threw": "throw", "woke": "wake",
    "began": "begin", "begun": "begin", "split": "split", "hurt": "hurt", "shut": "shut", "cut": "cut", "put": "put",
    "hit": "hit", "spread": "spread", "brought": "bring", "caught": "catch", "rang": "ring", "bit": "bit",
    "died": "die", "blew": "blow", "blown": "blow", "tied": "tie", "froze": "freeze", "frozen": "freeze",
    "stole": "steal", "stolen": "steal", "taught": "teach", "fought": "fight", "crept": "creep", "bled": "bleed",
    "clung": "cling", "flung": "fling", "spun": "spin", "stank": "stink", "stunk": "stink", "struck": "strike",
    "strung": "string", "understood": "understand", "forgot": "forget", "forgotten": "forget", "drank": "drink",
    "quit": "quit", "burst": "burst", "beat": "beat", "cost": "cost",
    "shed": "shed", "overcame": "overcome", "withdrew": "withdraw", "swam": "swim", "sought": "seek",
}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """One word of a text.

    Attributes
    ----------
    word : str
        Case-folded, with a straight apostrophe.
    start, end : int
        Place in the text.
    clause, part : int
        Number of the clause (any comma or contrast word starts one) and of the part (full stops, semicolons and
        contrast words only, and not where the next clause starts with a pronoun that points back).
    """

    word: str
    start: int
    end: int
    clause: int
    part: int

    @property
    def content(self) -> bool:
        """Whether the word carries meaning of its own."""
        return self.word not in STOP and self.word.split("'")[0] not in STOP and not self.word.endswith("n't")

    @property
    def stem(self) -> str:
        """Light stem of the word."""
        return stem(self.word)


_FORMS = """
arise arose arisen|beat beaten|become became|bite bitten|breed bred|deal dealt|dream dreamt|drink drunk|drive driven
eat eaten|flee fled|fly flown|forgive forgave forgiven|hear heard|hide hidden|kneel knelt|lay laid|lean leant|leap leapt
learn learnt|lend lent|prove proven|ride ridden|ring rung|rise risen|sew sewn|shake shaken|sing sang sung|sink sunk
speak spoken|spill spilt|spoil spoilt|spring sprang sprung|swear swore sworn|swell swollen|swim swum|throw thrown
wake woken|weave wove woven|weep wept|win won|write written|undo undid undone|withstand withstood|draw drawn
mistake mistook mistaken|tell told|find found|upset upset|let let|spit spit"""
"""More verbs, each with the forms that no ending tells."""
_IRREGULAR.update(
    {form: verb for line in re.split(r"[|\n]", _FORMS.strip()) for verb, *forms in (line.split(),) for form in forms}
)

_BACK = frozenset({"it", "they", "this", "these", "that", "he", "she", "its", "their"})


def tokens(text: str) -> tuple[Token, ...]:
    """Split a text into words with their places and clauses.

    Examples
    --------
    >>> [(t.word, t.clause) for t in tokens("Soft, but it’s long.")]
    [('soft', 0), ('but', 1), ("it's", 1), ('long', 1)]
    """
    found: list[Token] = []
    clause = part = 0
    end = 0
    raw = list(_WORD.finditer(text))
    for i, match in enumerate(raw):
        word = fold(match.group())
        gap = text[end : match.start()]
        contrast = word in CONTRAST
        following = fold(raw[i + 1].group()).split("'")[0] if contrast and i + 1 < len(raw) else word.split("'")[0]
        hard = bool(found) and any(c in ".;!?…\n" for c in gap)
        if found and (hard or contrast or any(c in ",:()–—" for c in gap) or " - " in gap):
            clause += 1
            part += int((hard or contrast) and following not in _BACK)
        found.append(Token(word, match.start(), match.end(), clause, part))
        end = match.end()
    return tuple(found)


def fold(word: str) -> str:
    """Case-fold a word and straighten its apostrophe."""
    return unicodedata.normalize("NFKC", word).casefold().replace("’", "'")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Strip plural, -ing, -ed and -ly, so that forms of one word meet.

    Examples
    --------
    >>> [stem(w) for w in ("fits", "fitted", "easily", "smelled", "sizes", "wore")]
    ['fit', 'fit', 'easi', 'smell', 'siz', 'wear']
    """
    word = word.split("'")[0] if not word.endswith("n't") else word
    base = _IRREGULAR.get(word, word)
    if base.endswith(("ies", "ied")) and len(base) > 4:
        base = base[:-3] + "y"
    elif base.endswith(("sses", "xes", "zzes", "ches", "shes")):
        base = base[:-2]
    elif base.endswith("s") and not base.endswith(("ss", "us", "is")) and len(base) > 3:
        base = base[:-1]
    for suffix, least in (("ing", 6), ("ed", 5), ("ly", 5)):
        if base.endswith(suffix) and len(base) >= least and any(c in "aeiouy" for c in base[: -len(suffix)]):
            base = base[: -len(suffix)]
            if suffix != "ly" and len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
                base = base[:-1]
            break
    if base.endswith("e") and len(base) > 3:
        base = base[:-1]
    return base[:-1] + "i" if base.endswith("y") and len(base) > 2 else base


def content_stems(text: str) -> set[str]:
    """Stems of the words that carry meaning."""
    return {t.stem for t in tokens(text) if t.content}


PAST = frozenset(word for word in _IRREGULAR if not word.endswith(("s", "ing", "able", "ably")))
VAGUE = frozenset(map(stem, lexicon.VAGUE))
VERBS = frozenset(map(stem, lexicon.VERBS.union(*map(str.split, lexicon.lines_of("verbs.txt")))))
OPPOSITES = frozenset(pair for a, b in lexicon.OPPOSITES for pair in ((stem(a), stem(b)), (stem(b), stem(a))))


def plain(text: str) -> str:
    r"""Return a text on one line, in NFC, without control characters, with single quotes inside.

    Examples
    --------
    >>> plain('So\tsoft, “really”\u200b!')
    "So soft, 'really' !"
    """
    kept = (" " if unicodedata.category(c)[0] in "CZ" else c for c in unicodedata.normalize("NFC", text))
    return " ".join(re.sub(r'["“”„«»＂]', "'", "".join(kept)).split())


def sentences(text: str) -> list[str]:
    """Split a short text of ours into its sentences; quotes stay whole.

    Examples
    --------
    >>> sentences('Many like it. One says "No. 5 broke".')
    ['Many like it.', 'One says "No. 5 broke".']
    """
    parts: list[str] = []
    quoted, start = False, 0
    for i, c in enumerate(text):
        quoted ^= c == '"'
        if c in ".!?" and not quoted and (i + 1 == len(text) or text[i + 1 : i + 2].isspace()):
            parts.append(text[start : i + 1].strip())
            start = i + 1
    rest = text[start:].strip()
    return [p for p in (*parts, rest) if p]
