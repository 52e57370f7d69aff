"""Values and protocols of rewriting: evidence in, summary out, and the one narrow door to a model."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

from prefer_core.errors import BackendError
from prefer_core.types import QUOTED, Form

Source = Literal["model", "template"]
Level = Literal["high", "mid", "low"]
Word = Literal["Many reviewers", "Some reviewers", "A few reviewers", "One reviewer"]

LEVELS: tuple[Level, ...] = ("high", "mid", "low")
"""The paper's support levels, in the order in which a summary speaks of them."""

WORDS: tuple[Word, ...] = ("Many reviewers", "Some reviewers", "A few reviewers", "One reviewer")


@dataclass(frozen=True)
class Claim:
    """One thing that a summary has to say, and by how many it is said.

    Attributes
    ----------
    clause : str
        What is said, in a reviewer's own words or as a model compressed them.
    form : Form
        How it reads on: "many say ...", "many say the ...", "many say it ...", "many find it ...", or quoted; of what
        is quoted some may be told in the third person.
    word : Word
        How many say it.
    reviewers, about, total : int
        N who say it, A who write about its aspect, M reviewers of the product.
    aspect : int
        Dominant aspect k.
    cites : tuple of int
        Places in S_t of the sentences behind it.
    point : int
        Place among the product's key points; -1 where a sentence stands for itself.
    reserved : bool
        Whether it took the place that is kept for dissent.
    tone : {-1, 0, 1} or None
        Whether it complains or praises; None where its words must tell.
    opposed : Claim or None
        What others say against it.
    """

    clause: str
    form: Form
    word: Word
    reviewers: int
    about: int
    total: int
    aspect: int
    cites: tuple[int, ...]
    point: int = -1
    reserved: bool = False
    tone: int | None = None
    opposed: "Claim | None" = None

    @property
    def reported(self) -> bool:
        """Whether it stands as a clause of its own; what does not is quoted."""
        return self.form not in QUOTED

    @property
    def free(self) -> bool:
        """Whether it may be joined with others: quotations and opposed pairs stand alone."""
        return self.reported and self.opposed is None

    @property
    def level(self) -> Level:
        """The paper's support level, which the word tells: many is high, some is mid, the others are low."""
        return LEVELS[min(WORDS.index(self.word), 2)]

    @property
    def said(self) -> str:
        """The word without its noun: "many", "some", "a few", "one"."""
        return self.word.removesuffix("s").removesuffix(" reviewer").lower()

    @property
    def all_cites(self) -> tuple[int, ...]:
        """Places in S_t behind the claim and what is said against it."""
        return self.cites + (self.opposed.cites if self.opposed is not None else ())

    def verb(self, verb: str) -> str:
        """Return a verb as it agrees with the word: "many say", "one says"."""
        return f"{verb}s" if self.said == "one" else verb


@dataclass(frozen=True)
class Evidence:
    """S_t and what it says, ready to be written up; it holds nothing about the reader.

    `text` are the s sentences of S_t, `claims` what the summary says, in its order.
    """

    product_id: str
    product_title: str
    text: tuple[str, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Statement:
    """One claim as it is shown: its sentence, its word, its place among the claims, citations and counts."""

    text: str
    word: str
    group: int
    cites: tuple[int, ...]
    source: Source
    reviewers: int = 0
    total: int = 0
    about: int = 0


@dataclass(frozen=True)
class Summary:
    """A summary as shown and as stored.

    Attributes
    ----------
    statements : tuple of Statement
        One for each claim.
    paragraph : str
        The polished text y_t.
    paragraph_source : {"model", "template"}
        Who wrote the paragraph: a model, if it wrote one of its sentences.
    writer : str
        Display name of who wrote.
    stages : dict of str to str
        Text of each stage of the paper: one for each support level ("high", "mid", "low"), then "stitch" and "final".
    paragraph_cites : tuple of tuple of int
        For each sentence of the paragraph, the places in S_t it rests on.
    sources : tuple of {"model", "template"}
        For each sentence of the paragraph, who wrote it.
    """

    statements: tuple[Statement, ...]
    paragraph: str
    paragraph_source: Source
    writer: str
    stages: dict[str, str] = field(default_factory=dict)
    paragraph_cites: tuple[tuple[int, ...], ...] = ()
    sources: tuple[Source, ...] = ()

    @property
    def model_share(self) -> float:
        """Share of the paragraph's sentences that the model wrote."""
        sources = self.sources or (self.paragraph_source,)
        return sum(source == "model" for source in sources) / len(sources)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Summary":
        """Make a summary from plain JSON values; wrong ones raise KeyError, TypeError or ValueError."""

        def source(value: object) -> Source:
            return "model" if value == "model" else "template"

        return cls(
            statements=tuple(
                Statement(**{**one, "cites": tuple(int(i) for i in one["cites"])}) for one in values["statements"]
            ),
            paragraph=str(values["paragraph"]),
            paragraph_source=source(values["paragraph_source"]),
            writer=str(values["writer"]),
            stages={str(k): str(v) for k, v in dict(values.get("stages", {})).items()},
            paragraph_cites=tuple(tuple(int(i) for i in part) for part in values.get("paragraph_cites", ())),
            sources=tuple(source(one) for one in values.get("sources", ())),
        )


@dataclass(frozen=True)
class Request:
    """One text that a model is asked for.

    Attributes
    ----------
    prefix, prompt : str
        The fixed part, which a backend may keep evaluated as long as no text depends on earlier calls, and the rest.
    max_tokens : int
        Longest text.
    stop : tuple of str
        Strings that end the text; they are no part of it.
    temperature : float
        0 takes the likeliest token each time.
    seed : int
        Of the sampling.
    chat : bool
        Whether prefix and prompt are a user's turn of a conversation; else they are continued as they stand.
    choices : tuple of str
        Instead of a text: how probable each of these words is as the first one. The only piece is then a JSON list.
    """

    prefix: str
    prompt: str
    max_tokens: int = 48
    stop: tuple[str, ...] = ()
    temperature: float = 0.0
    seed: int = 0
    chat: bool = False
    choices: tuple[str, ...] = ()


class Backend(Protocol):
    """A language model behind one narrow method."""

    name: str

    def write(self, request: Request) -> Iterator[str]:
        """Yield the text piece by piece; BackendError says in words why there is none. Closing it ends the text."""
        ...

    def close(self) -> None:
        """Give back whatever the backend holds; calling twice is fine."""
        ...


def probabilities(backend: Backend, request: Request) -> list[float]:
    """Return the probabilities of the request's choices; BackendError if the backend gives none."""
    try:
        found = [float(value) for value in json.loads("".join(backend.write(request)))]
    except (ValueError, TypeError):
        found = []
    if len(found) != len(request.choices):
        raise BackendError(f"{backend.name} does not tell how probable its words are.")
    return found
