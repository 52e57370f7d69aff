"""Any server that speaks the OpenAI protocol: llama.cpp's own, vLLM, Ollama (PREFER_LLM_URL)."""

import contextlib
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from prefer_core.config import WritingSettings
from prefer_core.errors import BackendError

_PASSING = (408, 429, 500, 502, 503, 504)
_WAITS = (0.1, 0.3)
"""Seconds before each further try; in all well under a second, so that a reader hears of a failure at once."""

_LOCAL = ("127.0.0.1", "localhost", "::1")


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
        Sent as a bearer token; empty sends none.
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
    """A `Backend` that asks a server; texts come as a stream, so that silence is noticed and sentences show early.

    Parameters
    ----------
    address : Address
        Where it is.
    settings : WritingSettings
        `call_timeout` limits the silence, `job_timeout` a whole text.
    name : str
        Display name of the model.
    chat : bool
        Whether prompts are a user's turn; else they are continued as they stand.
    """

    def __init__(self, address: Address, settings: WritingSettings, name: str, chat: bool = True) -> None:
        self.name = name
        self._address = address
        self._settings = settings
        self._chat = chat

    def complete(
        self, prefix: str, prompt: str, *, max_tokens: int, stop: Sequence[str], temperature: float, seed: int
    ) -> str:
        """Return the model's continuation; see `base.Backend`. A text that breaks off is asked for once more."""
        asked = {"max_tokens": max_tokens, "stop": list(stop), "temperature": temperature, "seed": seed}
        with contextlib.suppress(_BrokeOffError):
            return "".join(self._pieces(prefix + prompt, asked))
        return "".join(self._pieces(prefix + prompt, asked))

    def stream(
        self, prefix: str, prompt: str, *, max_tokens: int, stop: Sequence[str], temperature: float, seed: int
    ) -> Iterator[str]:
        """Yield the model's continuation as it is written; see `base.Streaming`."""
        asked = {"max_tokens": max_tokens, "stop": list(stop), "temperature": temperature, "seed": seed}
        yield from self._pieces(prefix + prompt, asked)

    def close(self) -> None:
        """Nothing is held between calls."""

    def _pieces(self, text: str, asked: Mapping[str, Any]) -> Iterator[str]:
        body: dict[str, Any] = {**asked, "stream": True}
        if self._address.model:
            body["model"] = self._address.model
        if self._chat:
            path, body["messages"] = "/chat/completions", [{"role": "user", "content": text}]
        else:
            path, body["prompt"] = "/completions", text
        deadline = time.monotonic() + self._settings.job_timeout
        try:
            with self._open(path, body) as answer:
                yield from self._read(answer, deadline)
        except TimeoutError:
            limit = f"{self._settings.call_timeout:g}"
            raise BackendError(f"The model server at {self._address.host} sent nothing for {limit} s.") from None
        except (OSError, http.client.HTTPException):
            raise _BrokeOffError(f"The model server at {self._address.host} broke off in mid-text.") from None

    def _read(self, answer: http.client.HTTPResponse, deadline: float) -> Iterator[str]:
        """Yield the pieces of one stream of events."""
        finished = False
        for line in answer:
            if time.monotonic() > deadline:
                limit = f"{self._settings.job_timeout:g}"
                raise BackendError(f"The model server at {self._address.host} took longer than {limit} s for one text.")
            if not line.startswith(b"data:"):
                continue
            data = line[5:].strip()
            if data == b"[DONE]":
                return
            piece, reason = self._piece(data)
            finished |= reason is not None
            if piece:
                yield piece
        if not finished:
            raise _BrokeOffError(f"The model server at {self._address.host} broke off in mid-text.")

    def _piece(self, data: bytes) -> tuple[str, object]:
        try:
            event = json.loads(data)
            if "error" in event:
                raise BackendError(f"The model server at {self._address.host} reports: {_brief(event['error'])}.")
            if not event["choices"]:  # the closing event of some servers only counts tokens
                return "", None
            choice = event["choices"][0]
            piece = choice["delta"].get("content") if self._chat else choice["text"]
            return str(piece or ""), choice.get("finish_reason")
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            raise BackendError(
                f"The model server at {self._address.host} does not speak the OpenAI protocol; see that "
                "PREFER_LLM_URL ends where its /v1 is."
            ) from None

    def _open(self, path: str, body: dict[str, Any]) -> http.client.HTTPResponse:
        """Send the request, once more after a passing trouble."""
        for wait in (*_WAITS, None):
            try:
                return _send(self._address, path, body, self._settings.call_timeout)
            except TimeoutError:
                raise
            except urllib.error.HTTPError as error:
                with error:
                    trouble = self._refused(error)
                if error.code not in _PASSING or wait is None:
                    raise trouble from None
            except OSError as error:
                reason = getattr(error, "reason", error)
                if isinstance(reason, TimeoutError):
                    raise reason from None
                if wait is None:
                    raise BackendError(
                        f"The model server at {self._address.host} cannot be reached ({reason}); start it, or unset "
                        "PREFER_LLM_URL."
                    ) from None
            time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _refused(self, error: urllib.error.HTTPError) -> BackendError:
        server = f"The model server at {self._address.host}"
        if error.code in (401, 403):
            return BackendError(f"{server} refuses the key ({error.code}); set PREFER_LLM_KEY to one it knows.")
        if error.code == 404:
            return BackendError(
                f"{server} has no such address or model (404); see PREFER_LLM_URL, which ends with /v1, and "
                "PREFER_LLM_MODEL."
            )
        detail = ""
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            detail = f": {_brief(json.loads(error.read(2000)).get('error', ''))}"
        return BackendError(f"{server} answered {error.code}{detail}; look at its own log.")


class _BrokeOffError(BackendError):
    """The stream ended before the text did."""


def served_model(address: Address, timeout: float = 1.5) -> str:
    """Return what the server calls its model; an empty string if it does not answer in time."""
    try:
        with _send(address, "/models", None, timeout) as answer:
            return str(json.loads(answer.read(200_000))["data"][0]["id"])
    except (OSError, ValueError, http.client.HTTPException, KeyError, TypeError, IndexError):
        return ""


def _send(address: Address, path: str, body: dict[str, Any] | None, timeout: float) -> http.client.HTTPResponse:
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
    if address.key:
        headers["Authorization"] = f"Bearer {address.key}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{address.url}{path}", data, headers)
    # A proxy of the environment is no way to this very computer.
    proxies = urllib.request.ProxyHandler({} if urlsplit(address.url).hostname in _LOCAL else None)
    answer: http.client.HTTPResponse = urllib.request.build_opener(proxies).open(request, timeout=timeout)
    return answer


def _brief(error: object) -> str:
    said = error.get("message", error) if isinstance(error, dict) else error
    return " ".join(str(said).split())[:160].rstrip(".")
