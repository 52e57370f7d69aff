"""What a study is: one TOML file, checked with line and remedy, known by its digest."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from prefer_core.config import PRESETS, SessionSettings
from prefer_core.corpus import Corpus
from prefer_core.errors import ConfigError
from prefer_core.files.manifest import digest_of
from prefer_core.files.toml_tables import Place, WrongValueError, at, content_of, lines_of, made, need, one_of, text_of
from prefer_core.insight.calibrated import settings_of
from prefer_core.learning import UPDATERS
from prefer_core.selection import EXTRACTORS
from prefer_core.study.texts import ENGLISH, languages, texts

Design = Literal["between", "within", "pairs"]
_WHAT = "The study"
REPEAT_GAP = 3
"""Rounds that lie at least between a summary and its hidden repeat."""


def _name(value: str, key: str = "name") -> None:
    fits = 0 < len(value) <= 40 and all(c.isascii() and (c.isalnum() or c in "-_") for c in value)
    need(fits, key, f"{key} is {value!r}; use 1 to 40 letters, digits, - and _ without spaces.")


@dataclass(frozen=True)
class About:
    """Table ``[study]``: what the study is called, how it runs, and what people read.

    Attributes
    ----------
    name, title : str
        Name in links and files; title that participants see.
    corpus : str
        Folder of the corpus in PREFER_HOME, or its id.
    design : {"between", "within", "pairs"}
        One arm a participant; all arms one after the other, in balanced orders; or two arms side by side in each round,
        sides at random.
    rounds : int
        Rounds that a participant rates, without practice and hidden repeats.
    participants : int
        Places: later visitors are told that the study is full. The researcher can add places.
    seed : int
        Decides blocks, products, sides and slider starts.
    practice : bool
        Whether a round that counts for nothing comes first.
    instructions, consent : str
        Read before the first round; consent is asked for with its own text.
    withdrawal : {"keep", "erase"}
        What happens to the data of a participant who withdraws; the page says it.
    sus : bool
        Whether the System Usability Scale is asked at the end.
    completion_code, return_link : str
        What a participant gets at the end; ``{code}`` in the link stands for the code that came with their own link.
    live_charts : bool
        Whether ratings by arm are shown to the researcher before the study is closed.
    language : str
        Of what participants read around these texts; `texts.languages` lists what there is.
    reveal : {"never", "end"}
        Whether the last page tells participants the names of their arms, with their mean ratings.
    """

    name: str
    title: str
    corpus: str
    consent: str
    design: Design = "between"
    rounds: int = 10
    participants: int = 40
    seed: int = 0
    practice: bool = True
    instructions: str = ""
    withdrawal: Literal["keep", "erase"] = "erase"
    sus: bool = False
    completion_code: str = ""
    return_link: str = ""
    live_charts: bool = False
    language: str = ENGLISH
    reveal: Literal["never", "end"] = "never"

    def __post_init__(self) -> None:
        _name(self.name)
        need(bool(self.title.strip()), "title", "title is empty; say what participants see.")
        need(bool(self.consent.strip()), "consent", "consent is empty; nobody takes part without a text to agree to.")
        need(1 <= self.rounds <= 200, "rounds", f"rounds must lie between 1 and 200, found {self.rounds}.")
        need(self.participants >= 1, "participants", f"participants must be at least 1, found {self.participants}.")
        one_of(self.language, languages(), "language")
        need(self.seed >= 0, "seed", f"seed must not be negative, found {self.seed}.")
        ends = bool(self.completion_code) or bool(self.return_link)
        need(ends, "completion_code", "there is neither completion_code nor return_link; give one of them.")
        safe = not self.return_link or self.return_link.startswith(("https://", "http://"))
        need(safe, "return_link", f"return_link is {self.return_link!r}; begin it with https://.")


@dataclass(frozen=True)
class Products:
    """Table ``[products]``: which products a participant reads about.

    Attributes
    ----------
    choose : {"fixed", "drawn", "balanced"}
        The list in its order; some of it by lot; or in turn, so that each product comes up equally often in each arm.
    ids : tuple of str
        The products to choose from; all of the corpus if left out.
    in_a_row : int
        Rounds on one product before the next one.
    """

    choose: Literal["fixed", "drawn", "balanced"] = "balanced"
    ids: tuple[str, ...] = ()
    in_a_row: int = 1

    def __post_init__(self) -> None:
        need(self.in_a_row >= 1, "in_a_row", f"in_a_row must be at least 1, found {self.in_a_row}.")
        twice = next((one for one in self.ids if self.ids.count(one) > 1), None)
        need(twice is None, "ids", f"ids names {twice} twice; name each product once.")
        need(self.choose != "fixed" or bool(self.ids), "choose", "choose is 'fixed' without ids; list the products.")


SHOWS = ("preferences", "receipt", "pages")
"""What an arm may show: the bars of what was learned, what the last rating changed, the app's other pages."""


@dataclass(frozen=True)
class Arm:
    """Table ``[[arms]]``: one way of making summaries.

    Attributes
    ----------
    name : str
        For the researcher; participants see it at the end at most, and only with ``reveal = "end"``.
    learner, extractor : str
        Names in `UPDATERS` and `EXTRACTORS`; learner "static" is the generic summary.
    text : {"template", "model"}
        Joined by rule, or written by the language model that is in force.
    preset : {"person", "paper"}
        Where the other settings come from; "person" takes those calibrated for the corpus.
    settings : dict
        Single session settings on top.
    start : dict
        Weights of aspects before the first rating, by name; what is left is spread over the others. Even if empty.
    shows : tuple of str
        What participants of the arm see beside the summary (SHOWS).
    """

    name: str
    learner: str = "omd"
    extractor: str = "gumbel"
    text: Literal["template", "model"] = "template"
    preset: Literal["person", "paper"] = "person"
    settings: dict[str, Any] = field(default_factory=dict)
    start: dict[str, Any] = field(default_factory=dict)
    shows: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _name(self.name)
        one_of(self.learner, list(UPDATERS), "learner")
        one_of(self.extractor, list(EXTRACTORS), "extractor")
        for one in self.shows:
            one_of(one, SHOWS, "shows")
        weights = list(self.start.values())
        fits = all(isinstance(one, int | float) and one >= 0 for one in weights) and sum(weights) <= 1
        need(fits, "start", "the weights in start must be numbers from 0 that sum to 1 at most.")
        known = [f.name for f in fields(SessionSettings) if f.name not in ("learner", "extractor", "start_profile")]
        for key in self.settings:
            one_of(key, known, "settings")

    def session_settings(self, corpus: Corpus) -> SessionSettings:
        """Return the settings of a session of this arm."""
        start = PRESETS["paper"] if self.preset == "paper" else settings_of(corpus.manifest, self.learner)
        values = start.to_dict() | {"learner": self.learner, "extractor": self.extractor} | self.settings
        return SessionSettings.from_dict(values | {"start_profile": self._profile(corpus.aspects["labels"])})

    def _profile(self, labels: Sequence[str]) -> tuple[float, ...]:
        """Return the weight of each aspect before the first rating; empty for an even start."""
        for name in self.start:
            one_of(name, labels, "start")
        if not self.start:
            return ()
        left = 1.0 - sum(self.start.values())
        others = len(labels) - len(self.start)
        need(others > 0 or abs(left) < 1e-9, "start", "start names all aspects; their weights must sum to 1.")
        return tuple(float(self.start[name]) if name in self.start else left / others for name in labels)


@dataclass(frozen=True)
class Question:
    """Tables ``[[before]]``, ``[[each_round]]``, ``[[after]]``: one question.

    Attributes
    ----------
    name, text : str
        Column in the data; what is asked.
    kind : {"scale", "choice", "text"}
        Points from 1 between two named ends; one of some options; free words.
    points, low, high : int, str, str
        Of a scale.
    options : tuple of str
        Of a choice.
    required : bool
        Whether it must be answered; free words never must.
    """

    name: str
    text: str
    kind: Literal["scale", "choice", "text"] = "scale"
    points: int = 5
    low: str = "not at all"
    high: str = "very much"
    options: tuple[str, ...] = ()
    required: bool = True

    def __post_init__(self) -> None:
        _name(self.name)
        need(bool(self.text.strip()), "text", "text is empty; write the question.")
        need(2 <= self.points <= 11, "points", f"points must lie between 2 and 11, found {self.points}.")
        enough = self.kind != "choice" or len(set(self.options)) >= 2
        need(enough, "options", "a choice needs at least two different options.")

    @property
    def values(self) -> tuple[str, ...]:
        """The answers there are; empty for free words."""
        if self.kind == "text":
            return ()
        return self.options if self.kind == "choice" else tuple(str(i) for i in range(1, self.points + 1))


@dataclass(frozen=True)
class Attention:
    """Table ``[[attention]]``: an item that shows whether its text was read.

    Attributes
    ----------
    text : str
        What is asked; it names the answer that is wanted.
    options : tuple of str
        Answers to choose from.
    expected : str
        The one that is wanted.
    after_round : int
        Round after which it comes.
    """

    text: str
    options: tuple[str, ...]
    expected: str
    after_round: int

    def __post_init__(self) -> None:
        need(len(set(self.options)) >= 2, "options", "an attention item needs at least two different options.")
        fits = self.expected in self.options
        need(fits, "expected", f"expected is {self.expected!r}, which is none of the options.")


@dataclass(frozen=True)
class Quality:
    """Table ``[quality]``: what tells careful participants from others.

    Attributes
    ----------
    repeats : int
        Rounds that are shown a second time, unannounced.
    seconds : float
        Reading time of a summary below which a round counts as not read.
    random_start : bool
        Whether the slider starts at random places; they are recorded either way.
    """

    repeats: int = 1
    seconds: float = 4.0
    random_start: bool = True

    def __post_init__(self) -> None:
        need(self.repeats >= 0, "repeats", f"repeats must not be negative, found {self.repeats}.")
        need(self.seconds >= 0, "seconds", f"seconds must not be negative, found {self.seconds}.")


SUS = tuple(f"sus_{i}" for i in range(1, 11))
"""The items of the System Usability Scale (Brooke 1996): odd ones speak for the system, even ones against it."""


@dataclass(frozen=True)
class Study:
    """A whole definition.

    Attributes
    ----------
    about, products, arms, before, each_round, after, attention, quality
        The tables of the file.
    text : str
        The file as it was written.
    """

    about: About
    arms: tuple[Arm, ...]
    products: Products = field(default_factory=Products)
    quality: Quality = field(default_factory=Quality)
    before: tuple[Question, ...] = ()
    each_round: tuple[Question, ...] = ()
    after: tuple[Question, ...] = ()
    attention: tuple[Attention, ...] = ()
    text: str = field(default="", compare=False)

    @property
    def digest(self) -> str:
        """SHA-256 of what the file means: comments and order of keys do not matter."""
        return digest_of({key: value for key, value in asdict(self).items() if key != "text"})

    @property
    def closing(self) -> tuple[Question, ...]:
        """The questions after the last round."""
        return (*self.after, *self.sus)

    @property
    def sus(self) -> tuple[Question, ...]:
        """The System Usability Scale in the language of the study, if it is asked."""
        if not self.about.sus:
            return ()
        words = texts(self.about.language)
        return tuple(Question(name, words[name], "scale", 5, words["sus_low"], words["sus_high"]) for name in SUS)

    def arm(self, name: str) -> Arm:
        """Return the arm of a name."""
        return next(arm for arm in self.arms if arm.name == name)

    @property
    def products_needed(self) -> int:
        """How many products one participant reads about, practice included."""
        blocks = len(self.arms) if self.about.design == "within" else 1
        return blocks * -(-self.about.rounds // blocks // self.products.in_a_row) + self.about.practice

    def fit(self, corpus: Corpus) -> tuple[str, ...]:
        """Check that arms and products fit a corpus; return the products to choose from. ConfigError with the line."""
        lines = lines_of(self.text)
        for i, arm in enumerate(self.arms):
            try:
                session = arm.session_settings(corpus)
                UPDATERS[arm.learner](**{f.name: getattr(session, f.name) for f in fields(UPDATERS[arm.learner])})
            except WrongValueError as error:
                raise _at(lines.get(("arms", i, error.key)) or lines.get(("arms", i, "")), str(error)) from None
            except ConfigError as error:
                raise _at(lines.get(("arms", i, "settings")) or lines.get(("arms", i, "")), str(error)) from None
        return self.pool(corpus)

    def pool(self, corpus: Corpus) -> tuple[str, ...]:
        """Return the products to choose from on a corpus, largest first where none are named.

        Raises
        ------
        ConfigError
            If one is not there, or if they are too few for the design.
        """
        there = corpus.products.sort_values(["n_sentences", "product_id"], ascending=[False, True])["product_id"]
        known = list(there)
        lines = lines_of(self.text)
        for one in self.products.ids:
            if one not in known:
                close = get_close_matches(one, known, 1)
                guess = f"; did you mean {close[0]!r}?" if close else "."
                raise _at(lines.get(("products", 0, "ids")), f"there is no product {one!r} in {corpus.name}{guess}")
        pool = self.products.ids or tuple(known)
        if len(pool) < self.products_needed:
            raise _at(
                lines.get(("products", 0, "ids")) or lines.get(("study", 0, "rounds")),
                f"the design needs {self.products_needed} products for each participant and there are {len(pool)}; "
                "name more, lower rounds, or raise in_a_row in [products].",
            )
        return pool


def read(path: Path) -> Study:
    """Read a definition from a file."""
    return parse(text_of(path, _WHAT))


_TABLES: dict[str, type] = {
    "study": About, "products": Products, "quality": Quality, "arms": Arm, "before": Question, "each_round": Question,
    "after": Question, "attention": Attention,
}  # fmt: skip
_SINGLE = ("study", "products", "quality")


def parse(text: str) -> Study:
    """Read a definition.

    Raises
    ------
    ConfigError
        If it is no TOML or cannot work; it names the line and what to do.
    """
    content = content_of(text, _WHAT, "assets/study/example.toml")
    lines = lines_of(text)
    for key in content:
        if key not in _TABLES:
            close = get_close_matches(key, list(_TABLES), 1)
            guess = f"did you mean [{close[0]}]?" if close else f"there are {', '.join(_TABLES)}."
            raise _at(lines.get((key, 0, "")) or lines.get(("", 0, key)), f"there is no table {key!r}; {guess}")
    if "study" not in content or not content.get("arms"):
        raise ConfigError("The study needs a table [study] and at least one [[arms]]; see assets/study/example.toml.")
    parts: dict[str, Any] = {}
    spoken = content["study"].get("language") if isinstance(content["study"], dict) else None
    words = texts(spoken if spoken in languages() else ENGLISH)
    for name, values in content.items():
        if name in _SINGLE:
            if not isinstance(values, dict):
                raise _at(lines.get((name, 0, "")), f"{name} must be one table; write it as [{name}].")
            parts["about" if name == "study" else name] = _made(name, 0, values, lines, words)
        else:
            if not isinstance(values, list) or not all(isinstance(one, dict) for one in values):
                raise _at(lines.get((name, 0, "")), f"{name} must be a list of tables; write each as [[{name}]].")
            parts[name] = tuple(_made(name, i, one, lines, words) for i, one in enumerate(values))
    study = Study(**parts, text=text)
    _whole(study, lines)
    return study


def _arms_together(study: Study, lines: Mapping[Place, int]) -> None:
    """Check what concerns all arms."""
    about, arms = study.about, study.arms
    names = [arm.name for arm in arms]
    for i, arm in enumerate(arms):
        if arm.name in names[:i]:
            raise _at(lines.get(("arms", i, "name")), f"two arms are called {arm.name!r}; rename one.")
        if about.design == "pairs" and arm.shows:
            raise _at(lines.get(("arms", i, "shows")), "design 'pairs' is blind; remove shows or choose another one.")
    here = lines.get(("study", 0, "design")) or lines.get(("study", 0, ""))
    if about.design == "pairs" and len(arms) != 2:
        raise _at(here, f"design 'pairs' needs exactly two arms, found {len(arms)}; remove or add some.")
    if about.design == "within" and about.rounds % len(arms):
        raise _at(
            lines.get(("study", 0, "rounds")) or here,
            f"design 'within' splits {about.rounds} rounds over {len(arms)} arms; give a multiple of {len(arms)}.",
        )


def _whole(study: Study, lines: Mapping[Place, int]) -> None:
    """Check what concerns several tables."""
    _arms_together(study, lines)
    about = study.about
    here = lines.get(("study", 0, "design")) or lines.get(("study", 0, ""))
    asked = [("before", i, q) for i, q in enumerate(study.before)] + [
        ("after", i, q) for i, q in enumerate(study.after)
    ]
    asked += [("each_round", i, q) for i, q in enumerate(study.each_round)]
    taken = set(SUS)
    for table, i, question in asked:
        if question.name in taken:
            raise _at(lines.get((table, i, "name")), f"two questions are called {question.name!r}; rename one.")
        taken.add(question.name)
    for i, item in enumerate(study.attention):
        if not 1 <= item.after_round <= about.rounds:
            raise _at(
                lines.get(("attention", i, "after_round")),
                f"after_round is {item.after_round}; there are rounds 1 to {about.rounds}.",
            )
    if study.quality.repeats > max(0, about.rounds - REPEAT_GAP):
        raise _at(
            lines.get(("quality", 0, "repeats")) or here,
            f"{study.quality.repeats} repeats need at least {study.quality.repeats + REPEAT_GAP} rounds, found "
            f"{about.rounds}; lower repeats in [quality] or raise rounds.",
        )


def _made(
    table: str, index: int, values: Mapping[str, Any], lines: Mapping[Place, int], words: Mapping[str, str]
) -> Any:  # fmt: skip
    kind = _TABLES[table]
    if kind is Question:
        values = {"low": words["not_at_all"], "high": words["very_much"], **values}
    return made(kind, table, index, values, lines, _WHAT)


def _at(line: int | None, text: str) -> ConfigError:
    return at(_WHAT, line, text)
