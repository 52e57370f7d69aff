"""Any server that speaks the OpenAI protocol: llama.cpp's own, vLLM, Ollama (PREFER_LLM_URL)."""

import contextlib
import json
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from prefer_core.config import WritingSettings
from prefer_core.errors import BackendError
from prefer_core.rewriting.base import Request

_WAITS = (0.1, 0.3)
"""Seconds before each further try; in all well under a second, so that a reader hears of a failure at once.

The client's own tries wait longer, and it asks a silent server again.
"""

_LOCAL = ("127.0.0.1", "localhost", "::1")
_NO_THINKING = {"chat_template_kwargs": {"enable_thinking": False}}
"""How llama-server and vLLM are told not to think; servers that do not know the field leave it alone."""


@dataclass(frozen=True)
class Address:
    """Where a server is (up to and with ``/v1``), which of its models is meant, and its key; both may be empty."""

    url: str
    model: str = ""
    key: str = ""

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "Address":
        """Take PREFER_LLM_URL, PREFER_LLM_MODEL and PREFER_LLM_KEY; BackendError if the address is none."""
        given = environment.get("PREFER_LLM_URL", "").strip().rstrip("/")
        parts = urlsplit(given)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BackendError(f"PREFER_LLM_URL is {given!r}; write it as http://127.0.0.1:8080/v1.")
        url = given if parts.path else f"{given}/v1"
        return cls(url, environment.get("PREFER_LLM_MODEL", "").strip(), environment.get("PREFER_LLM_KEY", "").strip())

    @property
    def host(self) -> str:
        """Host and port, for people."""
        return urlsplit(self.url).netloc.rpartition("@")[2]


class ServerBackend:
    """A `Backend` that asks a server through the `openai` client, which is loaded with the first text.

    Of the settings `call_timeout` limits the silence, `job_timeout` a whole text.
    """

    def __init__(self, address: Address, settings: WritingSettings, name: str) -> None:
        self.name = name
        self._address = address
        self._settings = settings
        self._client: Any = None

    def write(self, request: Request) -> Iterator[str]:
        """Yield the model's text as it is written; see `base.Backend`. Thoughts that come apart are never text."""
        with self._in_words():
            if request.choices:
                yield json.dumps(self._first(request))
                return
            deadline = time.monotonic() + self._settings.job_timeout
            finished = False
            with self._ask(request, stream=True) as events:
                for event in events:
                    if time.monotonic() > deadline:
                        limit = f"{self._settings.job_timeout:g} s"
                        raise BackendError(f"{self._who} took longer than {limit} for one text.")
                    for choice in event.choices[:1]:  # the closing event of some servers has none and counts tokens
                        finished |= choice.finish_reason is not None
                        if piece := choice.delta.content if request.chat else choice.text:
                            yield str(piece)
            if not finished:
                raise BackendError(f"{self._who} broke off in mid-text.")

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    @property
    def _who(self) -> str:
        return f"The model server at {self._address.host}"

    def _first(self, request: Request) -> list[float]:
        """Return the probabilities of the first word, which servers tell as the likeliest tokens with their logs."""
        answer = self._ask(request, stream=False)
        told = answer.choices[0].logprobs
        if told is None:
            raise BackendError(f"{self._who} does not tell how probable its words are; see its option logprobs.")
        if request.chat:
            likeliest = {one.token: one.logprob for one in told.content[0].top_logprobs}
        else:
            likeliest = dict(told.top_logprobs[0])
        found = [(token.strip(" ▁Ġ").lower(), math.exp(logprob)) for token, logprob in likeliest.items()]
        return [sum((mass for word, mass in found if word == choice.lower()), 0.0) for choice in request.choices]

    def _ask(self, request: Request, *, stream: bool) -> Any:
        """Return the client's answer; a passing trouble is tried again at once."""
        if self._client is None:
            self._client = _client(self._address, self._settings.call_timeout)
        text = request.prefix + request.prompt
        asked: dict[str, Any] = {
            "model": self._address.model or "default",
            "max_tokens": 1 if request.choices else request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
            "stream": stream,
        }
        if request.stop:
            asked["stop"] = list(request.stop)[:4]  # the protocol takes no more
        if request.chat:
            asked |= {"messages": [{"role": "user", "content": text}], "extra_body": _NO_THINKING}
            asked |= {"logprobs": True, "top_logprobs": 20} if request.choices else {}
            create = self._client.chat.completions.create
        else:
            asked |= {"prompt": text} | ({"logprobs": 20} if request.choices else {})
            create = self._client.completions.create
        import openai

        passing = (openai.APIConnectionError, openai.InternalServerError, openai.RateLimitError, openai.ConflictError)
        for wait in _WAITS:
            try:
                return create(**asked)
            except passing as error:
                # A busy or starting server may answer in a moment, one that was silent for long will not.
                if isinstance(error, openai.APITimeoutError):
                    raise
                time.sleep(wait)
        return create(**asked)

    @contextlib.contextmanager
    def _in_words(self) -> Iterator[None]:
        """Turn what the client raises into one sentence with the remedy."""
        import httpx2
        import openai

        try:
            yield
        except Exception as error:
            status = getattr(error, "status_code", "")
            told = (
                ((openai.APITimeoutError, httpx2.TimeoutException),
                 f"sent nothing for {self._settings.call_timeout:g} s."),
                (openai.APIConnectionError,
                 f"cannot be reached ({error.__cause__ or error}); start it, or unset PREFER_LLM_URL."),
                ((openai.AuthenticationError, openai.PermissionDeniedError),
                 f"refuses the key ({status}); set PREFER_LLM_KEY to one it knows."),
                (openai.NotFoundError,
                 "has no such address or model (404); see PREFER_LLM_URL, which ends with /v1, and PREFER_LLM_MODEL."),
                (openai.APIStatusError, f"answered {status}: {_brief(error)}; look at its own log."),
                (httpx2.HTTPError, "broke off in mid-text."),
                (openai.APIError, f"reports: {_brief(error)}."),
                ((ValueError, KeyError, TypeError, IndexError, AttributeError),
                 "does not speak the OpenAI protocol; see that PREFER_LLM_URL ends where its /v1 is."),
            )  # fmt: skip
            said = next((words for kinds, words in told if isinstance(error, kinds)), None)
            if said is None:
                raise
            raise BackendError(f"{self._who} {said}") from None


def served_model(address: Address) -> str:
    """Return what the server calls its model; an empty string if it does not answer in 1.5 s."""
    import httpx2
    import openai

    try:
        with _client(address, 1.5) as client:
            return str(client.models.list().data[0].id)
    except (openai.OpenAIError, httpx2.HTTPError, ValueError, TypeError, IndexError, AttributeError):
        return ""


def _client(address: Address, timeout: float) -> Any:
    import httpx2
    import openai

    # A proxy of the environment is no way to this very computer.
    local = urlsplit(address.url).hostname in _LOCAL
    return openai.OpenAI(
        base_url=address.url,
        api_key=address.key or "none",
        timeout=timeout,
        max_retries=0,
        http_client=httpx2.Client(trust_env=not local, timeout=timeout),
    )


def _brief(error: Any) -> str:
    """Return what a server says of its error, on one short line."""
    body = getattr(error, "body", None)
    said = body.get("message", body) if isinstance(body, dict) else body or getattr(error, "message", "")
    return " ".join(str(said).split())[:160].rstrip(".")
