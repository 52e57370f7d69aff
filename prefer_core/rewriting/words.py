"""Words of a sentence, their stems, and the short word lists that the checks share."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

STOP = frozenset(
    """a an the this that these those it its he him his she her hers they them their theirs themselves itself himself
    herself i me my mine myself we us our ours ourselves you your yours yourself one ones someone anyone everyone
    somebody anybody who whom whose which what where when why how there here and or but nor so yet if as at by for from
    in into of off on onto out over to up upon with within about above across after again against along among around
    because before behind below between both during each either else ever every few further had has have having do does
    did doing done be am is are was were been being can could may might must shall should will would also any all more
    most much many some such than then though although through too under until very while whether just even only own
    same other another still already rather quite really get gets got getting let lets put s t d m re ve ll am im ive
    reviewer reviewers review reviews people person customer customers user users buyer buyers wearer wearers say says
    said saying tell tells told report reports mention mentions note notes noted find finds found think thinks feel
    feels felt product products item items thing things something everything anything way lot lots bit kind sort
    however therefore overall especially well de like im id ill isn aren wasn weren don doesn didn won hasn haven
    hadn couldn wouldn shouldn ain neither without not no never none cannot dont doesnt didnt cant wont isnt wasnt
    arent werent wouldnt couldnt shouldnt havent hasnt hadnt hardly barely""".split()
)

NEGATORS = frozenset(
    """not no never none nor neither cannot without hardly barely dont doesnt didnt cant wont isnt wasnt arent werent
    wouldnt couldnt shouldnt havent hasnt hadnt lack lacks lacked lacking""".split()
)

UNREAL = frozenset(
    """wish wishes wished if would could should might hope hopes hoped hoping thought expected expecting expect supposed
    unless until almost nearly instead maybe perhaps worried afraid id""".split()
)
"""Words that take what follows out of the world of facts."""

CONTRAST = frozenset("but although though however except yet while whereas unlike despite than".split())

FIRST_PERSON = frozenset(
    """i me my mine myself we us our ours ourselves im ive i'm i've i'd i'll we're we've we'd we'll""".split()
)

SECOND_PERSON = frozenset("""you your yours yourself u ur you're you've you'd you'll""".split())

INTENSE = frozenset(
    """very really so super extremely incredibly totally absolutely highly truly insanely amazingly definitely too
    quite completely perfectly""".split()
)
"""Words that strengthen; a text may use one only where its evidence does."""

FINITE = frozenset(
    """is are was were has have had does do did can could will would should might must may cannot isn't aren't wasn't
    weren't hasn't haven't hadn't doesn't don't didn't can't couldn't won't wouldn't shouldn't it's that's there's
    they're they've they'd they'll he's she's who's""".split()
)

VERBS = frozenset(
    """fit run look feel smell last work come make keep hold stai go need show hang stretch shrink wash dri leav break
    crack tear fall rid sit hit cover hid wear lov lik hat enjoi want wish hop think recommend bui return arriv appear
    seem stick give take tast cost rins clean peel fad bleed itch scratch bunch wrinkl pill pull drap flow flatter add
    get let help caus dry burn turn play sound charg connect start stop download read load run drain us try prefer
    order receiv expect includ contain requir stand match suit rub slip slid clog leak lather provid deserv compar
    accentuat complement move adore say mean tend draw reveal appreciat like love use regret size ship chang hate""".split()
)
"""Stems of verbs that reviews are made of; a clause needs a verb."""

VAGUE = frozenset(
    """good great nice love like bad ok okay amazing awesome perfect excellent best better beautiful lovely recommend
    happy glad pleas wonderful fantastic favorit purchas bui order definit absolut product work""".split()
)
"""Stems that alone tell a reader nothing about a product."""

OPPOSITES: tuple[tuple[str, str], ...] = (
    ("good", "bad"), ("great", "terribl"), ("love", "hate"), ("soft", "rough"), ("soft", "scratchi"), ("soft", "stiff"),
    ("big", "small"), ("larg", "small"), ("long", "short"), ("loose", "tight"), ("thick", "thin"), ("heavi", "light"),
    ("cheap", "expensiv"), ("easi", "hard"), ("easi", "difficult"), ("fast", "slow"), ("loud", "quiet"),
    ("bright", "dark"), ("wet", "dry"), ("hot", "cold"), ("warm", "cold"), ("strong", "weak"), ("high", "low"),
    ("comfort", "uncomfort"), ("flatter", "unflatter"), ("happi", "unhappi"), ("happi", "disappoint"), ("more", "less"),
    ("best", "worst"), ("better", "wors"), ("sturdi", "flimsi"), ("clean", "dirti"), ("smooth", "rough"),
    ("wide", "narrow"), ("early", "late"), ("new", "old"), ("right", "wrong"), ("pleasant", "unpleasant"),
    ("fit", "unfit"), ("up", "down"), ("alway", "never"), ("perfect", "imperfect"), ("reliabl", "unreliabl"),
)  # fmt: skip

_IRREGULAR = {
    "wore": "wear", "worn": "wear", "bought": "bui", "felt": "feel", "ran": "run", "broke": "break", "broken": "break",
    "made": "make", "kept": "keep", "held": "hold", "shrank": "shrink", "shrunk": "shrink", "came": "come",
    "fell": "fall", "fallen": "fall", "tore": "tear", "torn": "tear", "went": "go", "gone": "go", "gave": "give",
    "given": "give", "took": "take", "taken": "take", "left": "leav", "lost": "lose", "sent": "send", "stuck": "stick",
    "hung": "hang", "wives": "wife", "feet": "foot", "teeth": "tooth", "men": "man", "women": "woman",
    "children": "child", "saw": "see", "seen": "see", "sat": "sit", "paid": "pai", "smelt": "smell", "comfy": "comfort",
    "comfortable": "comfort", "comfortably": "comfort", "uncomfortable": "uncomfort", "colour": "color",
    "colours": "color", "colored": "color", "coloured": "color", "lasted": "last", "less": "less", "better": "better",
    "flattering": "flatter", "unflattering": "unflatter", "knew": "know", "known": "know", "grew": "grow",
    "grown": "grow", "chose": "choos", "chosen": "choos", "slept": "sleep", "meant": "mean", "read": "read",
    "washed": "wash", "fitting": "fit", "fitted": "fit", "during": "during", "clothing": "clothing",
    "jeans": "jean", "dries": "dri", "tried": "try", "tries": "try", "try": "try", "used": "use", "using": "use",
    "uses": "use", "ones": "one",
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


_BACK = frozenset("it they this these that he she its their".split())


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
    ['fit', 'fit', 'easi', 'smell', 'size', 'wear']
    """
    word = word.split("'")[0] if not word.endswith("n't") else word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    base = word
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
    if base.endswith("e") and len(base) > 3 and word != base:
        base = base[:-1]
    elif base.endswith("e") and len(base) > 3:
        base = base[:-1]
    return base[:-1] + "i" if base.endswith("y") and len(base) > 2 else base


def content_stems(text: str) -> set[str]:
    """Stems of the words that carry meaning."""
    return {t.stem for t in tokens(text) if t.content}


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
