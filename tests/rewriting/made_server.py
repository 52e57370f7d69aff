"""A small server that speaks the OpenAI protocol, and misbehaves on request."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread


class ModelServer(ThreadingHTTPServer):
    """Answers each request with the next behaviour of `plan`, the last one for ever.

    A behaviour is "ok", "500", "401", "404", "hang", "half", "nothing", "nonsense", "error" or "slow".
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.plan = ["ok"]
        self.text = "It is soft and the lid cracked."
        self.model = "made-model"
        self.requests: list[tuple[str, dict, str]] = []
        self.over = Event()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer

    def do_GET(self) -> None:
        self._json(200, {"data": [{"id": self.server.model}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, body, self.headers.get("Authorization", "")))
        how = self.server.plan.pop(0) if len(self.server.plan) > 1 else self.server.plan[0]
        if how == "hang":
            self.server.over.wait(30)
        elif how.isdigit():
            self._json(int(how), {"error": {"message": "the model fell over"}})
        elif not body.get("stream"):
            self._json(200, {"choices": [self._likely("messages" in body)]})
        else:
            self._stream(how, "messages" in body)

    def _likely(self, chat: bool) -> dict:
        """Tell the likeliest first words: "Yes" for sure."""
        if chat:
            first = {"token": "Yes", "logprob": 0.0, "top_logprobs": [{"token": "Yes", "logprob": 0.0}]}
            return {
                "index": 0,
                "finish_reason": "stop",
                "message": {"content": "Yes"},
                "logprobs": {"content": [first]},
            }
        told = {"tokens": ["Yes"], "token_logprobs": [0.0], "top_logprobs": [{" Yes": 0.0}]}
        return {"index": 0, "finish_reason": "length", "text": "Yes", "logprobs": told}

    def _json(self, status: int, values: dict) -> None:
        raw = json.dumps(values).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _stream(self, how: str, chat: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        if how == "nonsense":
            self.wfile.write(b"data: <html>\n\n")
        elif how == "error":
            self._event({"error": {"message": "out of memory"}})
        elif how == "think":
            for word in self.server.text.split():
                self._event({"choices": [{"delta": {"reasoning_content": word, "content": None}}]})
            self._event({"choices": [{"delta": {}, "finish_reason": "length"}]})
        elif how != "nothing":
            words = self.server.text.split(" ")
            for i, word in enumerate(words[:2] if how == "half" else words):
                piece = word if i == 0 else f" {word}"
                self._event({"choices": [{"delta": {"content": piece}} if chat else {"text": piece}]})
                if how == "slow":
                    time.sleep(0.2)
            if how != "half":
                last = {"finish_reason": "stop"} | ({"delta": {}} if chat else {"text": ""})
                self._event({"choices": [last]})
                self._event({"choices": [], "usage": {}})
                self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, values: dict) -> None:
        self.wfile.write(f": comment\n\ndata: {json.dumps(values)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[ModelServer]:
    """Run a server."""
    server = ModelServer()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
