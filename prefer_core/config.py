"""Settings of every stage: one frozen dataclass each, with the defaults here and nowhere else."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, Self

from prefer_core.errors import ConfigError

Weighting = Literal["uniform", "utility", "rank", "blend"]
Pool = Literal["sentences", "keypoints"]


def home(environment: Mapping[str, str] | None = None) -> Path:
    """Return the folder for built things: PREFER_HOME (of `os.environ` if left out), else `.prefer` in this folder."""
    values = os.environ if environment is None else environment
    return Path(values.get("PREFER_HOME") or ".prefer")


def slider_start(environment: Mapping[str, str] | None = None) -> float | None:
    """Return where sliders of new sessions begin, in [0, 1]: PREFER_SLIDER_START in percent, or None for `random`.

    >>> slider_start({}), slider_start({"PREFER_SLIDER_START": "0"}), slider_start({"PREFER_SLIDER_START": "random"})
    (0.5, 0.0, None)
    """
    values = os.environ if environment is None else environment
    given = values.get("PREFER_SLIDER_START", "").strip().removesuffix("%").strip()
    if given == "random":
        return None
    try:
        start = float(given or 50)
    except ValueError:
        start = -1.0
    _require(0 <= start <= 100, "PREFER_SLIDER_START takes a percentage from 0 to 100, or `random`", given)
    return start / 100


class _Settings:
    """Shared by all settings: plain dicts in and out."""

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]  # every subclass is a dataclass

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make settings from plain values; an unknown name is a ConfigError that lists the known ones."""
        known = [f.name for f in fields(cls)]  # type: ignore[arg-type]  # every subclass is a dataclass
        unknown = sorted(set(values) - set(known))
        if unknown:
            raise ConfigError(f"{cls.__name__} has no setting {', '.join(unknown)}; it knows {', '.join(known)}.")
        return cls(**values)


def _require(condition: bool, rule: str, found: object) -> None:
    if not condition:
        raise ConfigError(f"{rule}, found {found!r}.")


@dataclass(frozen=True)
class TextSettings(_Settings):
    """From reviews to sentences (DESIGN: review table, text)."""

    min_review_characters: int = 3
    min_words: int = 4
    max_sentences: int = 20
    max_sentence_words: int = 80
    language: str | None = None
    """Code of the one language to keep (en); None keeps all."""

    def __post_init__(self) -> None:
        _require(self.min_words >= 1, "min_words must be at least 1", self.min_words)
        _require(self.max_sentences >= 1, "max_sentences must be at least 1", self.max_sentences)
        _require(self.max_sentence_words >= self.min_words, "max_sentence_words is too small", self.max_sentence_words)


@dataclass(frozen=True)
class AspectSettings(_Settings):
    """From sentence vectors to soft aspect memberships.

    Preset `paper` is the paper's pipeline: K-means on 17 components, K by three metrics. Preset `people` hides product
    words, looks for anchored aspects beside free ones, takes as many as are found again, and tells what is about
    nothing in particular apart. What only `people` reads is left out of the plain values of `paper`, so that corpora of
    that preset keep their ids.
    """

    embedder: str = "minilm"
    n_components: int | None = None
    """Principal components kept; left out: 17 for `paper`, 32 for `people`, whose anchors are told apart better so."""
    n_aspects: int | None = None
    candidates: tuple[int, ...] = (5, 10, 15, 20, 25)
    mass_ratio: float = 10.0
    n_init: int = 10
    metric_sample: int = 5000
    cluster_sample: int = 100_000
    """K-means tries its starts on at most so many sentences; the best goes on over all of them."""
    naming_sample: int = 100_000
    """Names and examples of aspects are made from at most so many sentences."""
    n_terms: int = 8
    preset: Literal["paper", "people"] = "people"
    anchors: str = "shopper"
    """`shopper` (the list that comes along), `none`, or the path of a TOML file."""
    mask: bool = True
    """Whether words that name the kind of product or a brand are hidden from the aspect vectors."""
    keep_words: tuple[str, ...] = ()
    """Words that are not hidden, whatever the rule says: a person has put them back."""
    pull: float = 0.5
    """Weight of an anchor's phrases in its centroid; the mean of its sentences has the rest."""
    near: float = 0.25
    """Least cosine at which a sentence is near a centre."""
    least_near: float = 0.01
    """Part of all sentences that must be near an anchor; others are dropped."""
    fewest: int = 8
    most: int = 14
    """Between how many aspects, besides "other", the choice of K lies."""

    def __post_init__(self) -> None:
        _require(self.preset in ("paper", "people"), "preset must be paper or people", self.preset)
        if self.n_components is None:
            object.__setattr__(self, "n_components", 17 if self.preset == "paper" else 32)
        _require(self.components >= 1, "n_components must be at least 1", self.components)
        _require(
            self.n_aspects is None or self.n_aspects >= 2, "the number of aspects must be at least 2", self.n_aspects
        )
        _require(self.mass_ratio > 1, "mass_ratio must be above 1", self.mass_ratio)
        _require(0 <= self.pull <= 1, "pull must lie between 0 and 1", self.pull)
        _require(2 <= self.fewest <= self.most, "fewest must lie between 2 and most", self.fewest)

    @property
    def components(self) -> int:
        """Principal components kept."""
        return self.n_components or 0

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that matter to the preset as plain values."""
        values = super().to_dict()
        return {name: value for name, value in values.items() if self.preset == "people" or name not in _PEOPLE_ONLY}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make settings from plain values; those without a preset are the paper's."""
        return super().from_dict({"preset": "paper"} | dict(values))


_PEOPLE_ONLY = frozenset({"preset", "anchors", "mask", "keep_words", "pull", "near", "least_near", "fewest", "most"})


@dataclass(frozen=True)
class ReviewerSettings(_Settings):
    """How the tastes of reviewers are told apart (paper, Figure user_heterogeneity)."""

    least_sentences: int = 5
    """Sentences that a reviewer must have written to be counted."""
    least_reviewers: int = 20
    """Reviewers below which there are no groups."""
    concentrated_below: float = 0.20
    intermediate: tuple[float, float] = (0.35, 0.65)
    diffuse_above: float = 0.80
    """Quantiles of the normalised entropy that border the groups."""
    sample: int = 1000
    """Reviewers stored one by one, for the maps."""


@dataclass(frozen=True)
class KeyPointSettings(_Settings):
    """From sentences to key points (DESIGN: key points)."""

    least_reviewers: int = 20
    """Reviewers below which a product has no points."""
    useful: float = 0.5
    """Least probability that a sentence tells a buyer something."""
    candidates: int = 60
    """Candidates that are matched: the densest."""
    near: float = 0.6
    """Cosine from which a sentence counts for the density of a candidate."""
    apart: float = 0.75
    """Cosine that two candidates stay below."""
    least_gain: int = 3
    """Reviewers that a further point must add."""
    most: int = 60
    cited: int = 4
    """Most sentences shown for a point, each of another reviewer."""
    voices_below: int = 6
    """Aspects with fewer points get single voices up to this number."""
    safety_voices: int = 8
    """Most single voices taken for what they say about safety."""


@dataclass(frozen=True)
class BuildConfig(_Settings):
    """One offline build."""

    source: str
    out: str
    unit: Literal["sentence", "review"] = "sentence"
    limit: int | None = None
    seed: int = 0
    columns: Mapping[str, str] = field(default_factory=dict)
    one_product: str | None = None
    """Name of the product that all reviews are of, where no column tells it."""
    strict: bool = False
    """Whether a source of which more than 5 % is lost stops the build."""
    text: TextSettings = field(default_factory=TextSettings)
    aspects: AspectSettings = field(default_factory=AspectSettings)
    keypoints: KeyPointSettings | None = field(default_factory=KeyPointSettings)
    """None builds no key points."""

    def __post_init__(self) -> None:
        _require(self.unit in ("sentence", "review"), "unit must be sentence or review", self.unit)
        _require(self.limit is None or self.limit >= 1, "limit must be at least 1", self.limit)
        _require(self.seed >= 0, "seed must not be negative", self.seed)

    @property
    def preset(self) -> str:
        """`paper` or `people`: how aspects are found."""
        return self.aspects.preset

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return super().to_dict() | {"aspects": self.aspects.to_dict()}


@dataclass(frozen=True)
class SessionSettings(_Settings):
    """How a round selects evidence and learns from its rating."""

    extractor: str = "gumbel"
    learner: str = "omd"
    pool: Pool = "sentences"
    """What is selected: single sentences, or key points with the sentences that say them."""
    max_sentences: int = 4
    """k: sentences or key points a round."""
    max_tokens: int | None = 240
    trade_off: float = 0.4
    prevalence: float = 0.0
    """Weight in Rel of how common a key point is."""
    focused_trade_off: float | None = None
    focused_beta: float | None = None
    focused_prevalence: float | None = None
    """Where lambda, beta and the prevalence's weight go as the preference becomes clear; None leaves them alone."""
    beta_cap: float = 50.0
    beta_growth: float = 7.0
    weighting: Weighting = "uniform"
    utility_weight: float = 5.0
    rank_decay: float = 0.3
    step_size: float = 10.0
    decay: float = 0.05
    floor: float = 1e-4
    baseline: Literal["ema", "mean"] = "ema"
    ema_rate: float = 0.35
    clip: float = 1.0
    prior_scale: float = 2.0
    common_scale: float = 0.5
    rating_noise: float = 0.5
    response: float = 8.0
    forgetting: float = 0.85
    exploration: float = 0.4
    second_share: float = 0.15
    reserve: bool = True
    """Whether one place is kept for safety, negative or low-support evidence where the product has it."""
    slider_start: float | None = 0.5
    """Where the rating slider begins, in [0, 1]; None draws it anew for each round."""

    def __post_init__(self) -> None:
        start = self.slider_start
        _require(start is None or 0 <= start <= 1, "slider_start must lie in [0, 1]", start)


PRESETS: dict[str, SessionSettings] = {
    "paper": SessionSettings(
        max_sentences=5,
        max_tokens=None,
        trade_off=0.95,
        beta_cap=50.0,
        beta_growth=5.0,
        weighting="uniform",
        step_size=2.0,
        decay=0.002,
        ema_rate=0.2,
        reserve=False,
    ),
    "person": SessionSettings(
        pool="keypoints",
        weighting="rank",
        prevalence=0.5,
        focused_trade_off=0.9,
        focused_beta=50.0,
        focused_prevalence=0.1,
    ),
}
"""`paper` follows the paper's figures; `person` learns within about ten ratings and is what the pages use."""

PERSON: dict[str, SessionSettings] = {
    "omd": PRESETS["person"],
    "posterior": replace(
        PRESETS["person"], learner="posterior", trade_off=0.6, beta_growth=10.0, weighting="uniform", ema_rate=0.1
    ),
}
"""Preset `person`, learner by learner: the posterior explores by its draws and wants a sharper selection than OMD.

OMD overshoots where its baseline lags: a reader of several aspects is then given the first one alone. Hence a quick
baseline, a modest step, and evidence that counts by rank: the reserved place comes last and says least.
"""


@dataclass(frozen=True)
class SupportSettings(_Settings):
    """When a statement says many, some, or a few (DESIGN: words and counts)."""

    many_share: float = 0.20
    many_least: int = 5
    some_share: float = 0.05
    some_least: int = 3


@dataclass(frozen=True)
class WritingSettings(_Settings):
    """How a model writes and how long it may take."""

    candidates: int = 4
    """Ways that a base model is asked to join two claims."""
    temperature: float = 0.3
    """Of the second try of an instruct model; the first takes the likeliest words."""
    start_timeout: float = 60.0
    job_timeout: float = 60.0
    call_timeout: float = 30.0
    context: int = 4096
    cached_texts: int = 2000
