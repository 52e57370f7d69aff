"""Made pairs of a claim and its opposite: a claim of a review with one word turned round, or told with a word like it.

Reviews that were labelled hold few plain opposites ("the sound is great", "the sound is terrible"), and a small encoder
takes such words for the same.
"""

import random
import re
from collections.abc import Iterator, Sequence

OPPOSITES = (
    ("good great nice excellent fantastic wonderful amazing", "bad terrible poor awful horrible disappointing"),
    ("easy simple effortless", "hard difficult tricky"),
    ("easily", "hardly"),
    ("fast quick", "slow"),
    ("quickly", "slowly"),
    ("soft silky", "rough stiff scratchy"),
    ("large big huge roomy", "small tiny little"),
    ("tight snug", "loose baggy"),
    ("long", "short"),
    ("comfortable comfy", "uncomfortable"),
    ("cheap inexpensive affordable", "expensive pricey overpriced"),
    ("quiet silent", "loud noisy"),
    ("light lightweight", "heavy"),
    ("thick", "thin"),
    ("strong", "weak faint"),
    ("bright vibrant vivid", "dull faded"),
    ("sturdy durable solid", "flimsy fragile"),
    ("flattering", "unflattering"),
    ("beautiful pretty gorgeous cute stunning", "ugly unattractive"),
    ("warm", "cold"),
    ("dry", "wet"),
    ("clear sharp", "blurry"),
    ("reliable", "unreliable"),
    ("well", "badly poorly"),
    ("high", "low"),
    ("gentle mild", "harsh"),
    ("wide", "narrow"),
    ("better", "worse"),
    ("best", "worst"),
    ("useful handy", "useless"),
    ("clean", "dirty messy"),
    ("true", "untrue"),
    ("always", "never"),
    ("smooth", "bumpy"),
    ("greasy sticky oily", "clean dry"),
    ("open", "closed"),
    ("cool", "hot"),
    ("full", "empty"),
    ("fresh", "stale"),
    ("safe", "dangerous"),
)
"""Words on either side say much the same; across they say the opposite."""

_AUXILIARY = re.compile(r"\b(is|are|was|were|does|do|did|can|will|would|has|have)\b(?! not|n't)", re.IGNORECASE)

_SIDES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
for _one, _other in OPPOSITES:
    for _same, _contrary in ((_one, _other), (_other, _one)):
        for _word in _same.split():
            _SIDES.setdefault(_word, (tuple(_same.split()), tuple(_contrary.split())))


def made_pairs(claims: Sequence[str], rng: random.Random) -> Iterator[tuple[str, str, bool]]:
    """Yield (sentence, point, whether it says it): each claim against its opposite, both ways, and a word like it."""
    for claim in claims:
        words = [m for m in re.finditer(r"[a-z]+", claim.lower()) if m[0] in _SIDES]
        if len(words) == 1:
            same, contrary = _SIDES[words[0][0]]
            turned = _put(claim, words[0], rng.choice(contrary))
            yield turned, claim, False
            yield claim, turned, False
            like = [word for word in same if word != words[0][0]]
            if like:
                yield _put(claim, words[0], rng.choice(like)), claim, True
        if rng.random() < 0.3 and len(_AUXILIARY.findall(claim)) == 1:
            denied = _AUXILIARY.sub(r"\1 not", claim, count=1)
            yield (denied, claim, False) if rng.random() < 0.5 else (claim, denied, False)


_FRAMES = ("It is {}", "They are {}", "It feels {}", "It is {} in use", "The whole thing is {}", "This one is {}")
_STRESS = ("", "very ", "so ", "really ", "extremely ", "quite ", "rather ", "surprisingly ")
_DENIALS = ("not {}", "not {} at all", "never {}", "anything but {}")


def framed_pairs(rng: random.Random, number: int = 24) -> Iterator[tuple[str, str, bool]]:
    """Yield (sentence, point, whether it says it) for every pair of opposites, in plain frames.

    What is not loud is quiet; what is not quiet is not said to be quiet.
    """

    def told(word: str) -> str:
        return rng.choice(_FRAMES).format(rng.choice(_STRESS) + word) + "."

    def denied(word: str) -> str:
        return rng.choice(_FRAMES).format(rng.choice(_DENIALS).format(word)) + "."

    for one, other in OPPOSITES:
        sides = (one.split(), other.split())
        for _ in range(number):
            same, contrary = sides if rng.random() < 0.5 else sides[::-1]
            a, like, b = rng.choice(same), rng.choice(same), rng.choice(contrary)
            made = rng.random()
            if made < 0.45:
                yield told(b), told(a), False
            elif made < 0.7:
                yield told(like), told(a), True
            elif made < 0.85:
                yield denied(b), told(a), True
            else:
                yield denied(like), told(a), False


def _put(claim: str, place: "re.Match[str]", word: str) -> str:
    return claim[: place.start()] + word + claim[place.end() :]
