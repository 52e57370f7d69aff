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
"""Seconds before each further try; in all well under a second, so that a reader hears of a failure at once."""

_LOCAL = ("127.0.0.1", "localhost", "::1")
_NO_THINKING = {"chat_template_kwargs": {"enable_thinking": False}}
"""How llama-server and vLLM are told not to think; servers that do not know the field leave it alone."""


@dataclass(frozen=True)
class Address:
    """Where a server is and how it is spoken to.

    Attributes
    ----------
    url : str
        Up to and with ``/v1``.
    model : str
        Which of its models; empty takes the one it has.
    key : str
        Sent as a bearer token; empty sends a word that says there is none.
    """

    url: str
    model: str = ""
    key: str = ""

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "Address":
        """Take PREFER_LLM_URL, PREFER_LLM_MODEL and PREFER_LLM_KEY.

        Raises
        ------
        BackendError
            If the address is none.
        """
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

    Parameters
    ----------
    address : Address
        Where it is.
    settings : WritingSettings
        `call_timeout` limits the silence, `job_timeout` a whole text.
    name : str
        Display name of the model.
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
                        limit = f"{self._settings.job_timeout:g}"
                        raise BackendError(f"{self._who} took longer than {limit} s for one text.")
                    if not event.choices:  # the closing event of some servers only counts tokens
                        continue
                    choice = event.choices[0]
                    finished |= choice.finish_reason is not None
                    piece = choice.delta.content if request.chat else choice.text
                    if piece:
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
        mass = dict.fromkeys(request.choices, 0.0)
        for token, logprob in likeliest.items():
            word = token.strip(" ▁Ġ").lower()
            for choice in mass:
                if word and choice.lower() == word:
                    mass[choice] += math.exp(logprob)
        return list(mass.values())

    def _ask(self, request: Request, *, stream: bool) -> Any:
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
        for wait in (*_WAITS, None):
            try:
                return self._create(request, text, asked)
            except Exception as error:
                if wait is None or not _passes(error):
                    raise
                time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _create(self, request: Request, text: str, asked: dict[str, Any]) -> Any:
        if self._client is None:
            self._client = _client(self._address, self._settings.call_timeout)
        if request.chat:
            if request.choices:
                asked = asked | {"logprobs": True, "top_logprobs": 20}
            turn = [{"role": "user", "content": text}]
            return self._client.chat.completions.create(messages=turn, extra_body=_NO_THINKING, **asked)
        if request.choices:
            asked = asked | {"logprobs": 20}
        return self._client.completions.create(prompt=text, **asked)

    @contextlib.contextmanager
    def _in_words(self) -> Iterator[None]:
        """Turn what the client raises into one sentence with the remedy."""
        import httpx2
        import openai

        try:
            yield
        except (openai.APITimeoutError, httpx2.TimeoutException):
            raise BackendError(f"{self._who} sent nothing for {self._settings.call_timeout:g} s.") from None
        except openai.APIConnectionError as error:
            reason = error.__cause__ or error
            raise BackendError(
                f"{self._who} cannot be reached ({reason}); start it, or unset PREFER_LLM_URL."
            ) from None
        except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
            raise BackendError(
                f"{self._who} refuses the key ({error.status_code}); set PREFER_LLM_KEY to one it knows."
            ) from None
        except openai.NotFoundError:
            raise BackendError(
                f"{self._who} has no such address or model (404); see PREFER_LLM_URL, which ends with /v1, and "
                "PREFER_LLM_MODEL."
            ) from None
        except openai.APIStatusError as error:
            detail = _brief(error.body)
            raise BackendError(
                f"{self._who} answered {error.status_code}{f': {detail}' if detail else ''}; look at its own log."
            ) from None
        except httpx2.HTTPError:
            raise BackendError(f"{self._who} broke off in mid-text.") from None
        except openai.APIError as error:
            raise BackendError(f"{self._who} reports: {_brief(error.message)}.") from None
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            raise BackendError(
                f"{self._who} does not speak the OpenAI protocol; see that PREFER_LLM_URL ends where its /v1 is."
            ) from None


def _passes(error: Exception) -> bool:
    """Whether the same request may succeed in a moment: a busy or starting server, but no silent one."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return False
    passing = (openai.APIConnectionError, openai.InternalServerError, openai.RateLimitError, openai.ConflictError)
    return isinstance(error, passing)


def served_model(address: Address, timeout: float = 1.5) -> str:
    """Return what the server calls its model; an empty string if it does not answer in time."""
    import httpx2
    import openai

    try:
        with _client(address, timeout) as client:
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


def _brief(error: object) -> str:
    said = error.get("message", error) if isinstance(error, dict) else error
    return " ".join(str(said or "").split())[:160].rstrip(".")
