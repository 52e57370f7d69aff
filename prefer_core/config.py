"""Settings of every stage: one frozen dataclass each, with the defaults here and nowhere else.

A file ``prefer.toml`` in the folder where PREFER is started, or the one that PREFER_CONFIG names, changes them; options
of the command line come before it. ``python -m prefer_core.config`` prints what is in force.
"""

import json
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

from prefer_core.errors import ConfigError

Weighting = Literal["uniform", "utility", "rank", "blend"]
Pool = Literal["sentences", "keypoints"]
Components = int | float | Literal["curve"]
"""m as a number, as a share of the variance between 0 and 1, or where the curve of the explained variance bends."""

CONFIG = "prefer.toml"
NO_FILE = "none"
"""What PREFER_CONFIG says where no file shall be read, and what a file says for a setting that may be left out."""


def home(environment: Mapping[str, str] | None = None) -> Path:
    """Return the folder for built things: PREFER_HOME (of `os.environ` if left out), else `.prefer` in this folder."""
    values = os.environ if environment is None else environment
    return Path(values.get("PREFER_HOME") or ".prefer")


def config_file() -> Path | None:
    """Return the file with settings: what PREFER_CONFIG names, else `prefer.toml` in this folder, else None."""
    named = os.environ.get("PREFER_CONFIG")
    if named == NO_FILE:
        return None
    if named and not Path(named).is_file():
        raise ConfigError(f"PREFER_CONFIG names {named}, which is no file; name one, or unset it.")
    file = Path(named or CONFIG)
    return file if file.is_file() else None


def overrides(section: str) -> dict[str, Any]:
    """Return what the file with settings says in a section such as ``text`` or ``session.person``; empty without one.

    Raises
    ------
    ConfigError
        If the file is no TOML, or has a section, a name or a value that there is not.
    """
    file = config_file()
    if file is None:
        return {}
    stamp = file.stat()
    return dict(_sections(file, stamp.st_mtime_ns, stamp.st_size).get(section, {}))


@lru_cache(8)
def _sections(file: Path, changed: int, size: int) -> Mapping[str, Mapping[str, Any]]:
    """Return the checked values of a file by section; read anew when the file has changed."""
    try:
        with file.open("rb") as stream:
            read = tomllib.load(stream)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file} cannot be read as TOML: {error}.") from error
    flat: dict[str, Any] = {}
    for name, table in read.items():
        if name == "session" and isinstance(table, dict):
            flat |= {f"session.{preset}": values for preset, values in table.items()}
        else:
            flat[name] = table
    kinds = sections()
    for name, table in flat.items():
        if name not in kinds or not isinstance(table, dict):
            raise ConfigError(f"{file} has no use for {name!r}; its sections are {', '.join(kinds)}.")
    return {name: _checked(kinds[name], table, f"{file}, [{name}]") for name, table in flat.items()}


def _checked(kind: "type[_Settings]", table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the values of one section as its dataclass takes them."""
    hints = {name: hint for name, hint in get_type_hints(kind).items() if get_origin(hint) is not ClassVar}
    if unknown := sorted(set(table) - set(hints)):
        raise ConfigError(f"{where} has no setting {', '.join(unknown)}; it knows {', '.join(hints)}.")
    found = {}
    for name, value in table.items():
        fits, taken = _taken(value, hints[name])
        if not fits:
            raise ConfigError(f"{where}: {name} = {value!r} is not of its kind, {_named(hints[name])}.")
        found[name] = taken
    return found


def _taken(value: Any, hint: Any) -> tuple[bool, Any]:
    """Return whether a TOML value fits a type, and the value as that type."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        if NoneType in inner and value == NO_FILE:
            return True, None
        return next((found for part in inner if (found := _taken(value, part))[0]), (False, value))
    if origin is Literal:
        return value in inner, value
    if origin is tuple:
        parts = [inner[0]] * len(value) if inner[-1] is ... and isinstance(value, list) else list(inner)
        if not isinstance(value, list) or len(value) != len(parts):
            return False, value
        taken = [_taken(item, part) for item, part in zip(value, parts, strict=True)]
        return all(fits for fits, _ in taken), tuple(item for _, item in taken)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool), value
    return type(value) is hint, value


def _named(hint: Any) -> str:
    """Return a type in words for people.

    >>> _named(int | None), _named(tuple[int, ...])
    ('a whole number or "none"', 'a list')
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(_named(part) for part in inner)
    if origin is Literal:
        return " or ".join(f'"{value}"' for value in inner)
    if origin is tuple:
        return "a list"
    return {int: "a whole number", float: "a number", bool: "true or false", str: "a text", NoneType: '"none"'}[hint]


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
    """Shared by all settings: plain dicts in and out, and what a file says."""

    SECTION: ClassVar[str] = ""
    """Where a file has these settings."""

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

    @classmethod
    def from_toml(cls, file: Path) -> Self:
        """Make settings from their section of a file; what it leaves out has its default."""
        if not file.is_file():
            raise ConfigError(f"There is no file {file} with settings.")
        stamp = file.stat()
        return cls(**_sections(file, stamp.st_mtime_ns, stamp.st_size).get(cls.SECTION, {}))

    @classmethod
    def in_force(cls, **given: Any) -> Self:
        """Return the settings in force: the defaults, changed by the file, changed by what is given here."""
        return cls(**(overrides(cls.SECTION) | given))


def _require(condition: bool, rule: str, found: object) -> None:
    if not condition:
        raise ConfigError(f"{rule}, found {found!r}.")


@dataclass(frozen=True)
class TextSettings(_Settings):
    """From reviews to sentences (DESIGN: review table, text)."""

    SECTION: ClassVar[str] = "text"

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

    SECTION: ClassVar[str] = "aspects"

    embedder: str = "minilm"
    n_components: Components | None = None
    """Principal components kept (see `Components`); left out: 17 for `paper`, 32 for `people`, whose anchors are told
    apart better so."""
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
        m = self.components
        _require(
            m == "curve" or (isinstance(m, float) and 0 < m < 1) or (isinstance(m, int) and m >= 1),
            "n_components must be a whole number of at least 1, a share of the variance between 0 and 1, or curve",
            m,
        )
        _require(
            self.n_aspects is None or self.n_aspects >= 2, "the number of aspects must be at least 2", self.n_aspects
        )
        _require(self.mass_ratio > 1, "mass_ratio must be above 1", self.mass_ratio)
        _require(0 <= self.pull <= 1, "pull must lie between 0 and 1", self.pull)
        _require(2 <= self.fewest <= self.most, "fewest must lie between 2 and most", self.fewest)

    @property
    def components(self) -> Components:
        """Principal components kept, as a number or as the rule that finds it."""
        return 0 if self.n_components is None else self.n_components

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

    SECTION: ClassVar[str] = "reviewers"

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

    SECTION: ClassVar[str] = "keypoints"

    least_reviewers: int = 20
    """Reviewers below which a product has no points."""
    useful: float = 0.5
    """Least probability that a candidate tells a buyer something."""
    useful_quote: float = 0.8
    """The same of a sentence that is quoted as a single voice."""
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
    start_profile: tuple[float, ...] = ()
    """w_1, one weight an aspect; empty for an even start."""

    def __post_init__(self) -> None:
        start = self.slider_start
        _require(start is None or 0 <= start <= 1, "slider_start must lie in [0, 1]", start)
        first = tuple(self.start_profile)  # a ledger keeps it as a list
        fits = not first or (min(first) >= 0 and abs(sum(first) - 1) < 1e-6)
        _require(fits, "the weights of start_profile must not be negative and must sum to 1", first)
        object.__setattr__(self, "start_profile", first)


_PRESETS: dict[str, SessionSettings] = {
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
"""`paper` comes near the paper's figures with numbers of ours: the paper prints no step size, decay, k, lambda, cap and
growth of beta, EMA rate. `person` learns within about ten ratings and is what the pages use."""

_PERSON: dict[str, SessionSettings] = {
    "omd": _PRESETS["person"],
    "posterior": replace(
        _PRESETS["person"], learner="posterior", trade_off=0.6, beta_growth=10.0, weighting="uniform", ema_rate=0.1
    ),
}
"""Preset `person`, learner by learner: the posterior explores by its draws and wants a sharper selection than OMD.

OMD overshoots where its baseline lags: a reader of several aspects is then given the first one alone. Hence a quick
baseline, a modest step, and evidence that counts by rank: the reserved place comes last and says least.
"""


class _InForce(Mapping[str, SessionSettings]):
    """Presets by name, each changed by its section of the file with settings, which is read when one is asked for."""

    def __init__(self, built_in: Mapping[str, SessionSettings], places: Mapping[str, str]) -> None:
        self._built_in, self._sections = built_in, places

    def __getitem__(self, name: str) -> SessionSettings:
        return replace(self._built_in[name], **overrides(self._sections[name]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._built_in)

    def __len__(self) -> int:
        return len(self._built_in)


SESSION_SECTIONS = {"paper": "session.paper", "person": "session.person", "posterior": "session.posterior"}
"""Where a file has the presets: those of people by OMD and by the Bayesian learner apart."""

PRESETS: Mapping[str, SessionSettings] = _InForce(_PRESETS, SESSION_SECTIONS)
"""`paper` and `person` as they are in force."""
PERSON: Mapping[str, SessionSettings] = _InForce(
    _PERSON, {"omd": SESSION_SECTIONS["person"], "posterior": SESSION_SECTIONS["posterior"]}
)
"""Preset `person` as it is in force, learner by learner."""


@dataclass(frozen=True)
class SupportSettings(_Settings):
    """When a statement says many, some, or a few (DESIGN: words and counts)."""

    SECTION: ClassVar[str] = "support"

    many_share: float = 0.20
    many_least: int = 5
    some_share: float = 0.05
    some_least: int = 3


@dataclass(frozen=True)
class WritingSettings(_Settings):
    """How a model writes and how long it may take."""

    SECTION: ClassVar[str] = "writing"

    candidates: int = 4
    """Ways that a base model is asked to join two claims."""
    temperature: float = 0.3
    """Of the second try of an instruct model; the first takes the likeliest words."""
    start_timeout: float = 60.0
    job_timeout: float = 60.0
    call_timeout: float = 30.0
    context: int = 4096
    cached_texts: int = 2000


def sections() -> dict[str, type[_Settings]]:
    """Return what a file may hold: the dataclass of each section by its name."""
    stages = (TextSettings, AspectSettings, KeyPointSettings, ReviewerSettings, SupportSettings, WritingSettings)
    return {kind.SECTION: kind for kind in stages} | dict.fromkeys(SESSION_SECTIONS.values(), SessionSettings)


def in_force() -> str:
    """Return all settings as a file would have them; what no file changes stands behind a ``#``."""
    presets = {**{SESSION_SECTIONS[name]: PRESETS[name] for name in PRESETS},
               SESSION_SECTIONS["posterior"]: PERSON["posterior"]}  # fmt: skip
    file = config_file()
    lines = [
        f"# Settings in force; file: {file or 'none'}. Lines behind # are the defaults.",
        f"# PREFER_HOME: {home()}",
    ]
    for name, kind in sections().items():
        set_there = overrides(name)
        values: _Settings = presets.get(name) or kind.in_force()
        lines += ["", f"[{name}]"]
        for one in fields(values):  # type: ignore[arg-type]  # every subclass is a dataclass
            mark = "" if one.name in set_there else "# "
            lines.append(f"{mark}{one.name} = {_toml(getattr(values, one.name))}")
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if value is None:
        return f'"{NO_FILE}"'
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool) else repr(value)


if __name__ == "__main__":
    try:
        sys.stdout.write(in_force())
    except ConfigError as error:
        sys.exit(f"settings: {error}")
