"""The child process that holds llama.cpp: ``python -m prefer_core.rewriting.llama_main MODEL``.

It speaks JSON lines: a request on stdin, an answer on stdout. llama.cpp prints on file descriptor 1, so the protocol
keeps a copy of it and everything else goes to stderr. When stdin closes, the parent is gone or wants us gone: the
process ends at once, also in the middle of a text.
"""

import argparse
import json
import os
import queue
import sys
import threading
from typing import Any, TextIO

SELF_TEST = "The museum by the river opens at nine, and the café beside it serves soup until late in the afternoon."


class Engine:
    """One model, evaluated so that a text never depends on the calls before it.

    The fixed prefix is evaluated alone, once; before each call the KV cache is cut back to the prefix's length. A
    plain prefix match would also keep whatever the last prompt happened to share, and other batch sizes give other
    last bits.
    """

    def __init__(self, path: str, context: int, threads: int) -> None:
        from llama_cpp import Llama

        self._llama: Any = Llama(
            path,
            n_ctx=context,
            n_threads=threads,
            n_threads_batch=threads,
            verbose=False,
            logits_all=False,
            swa_full=True,  # a sliding-window cache could not be cut back to the prefix
        )
        self._prefix: str | None = None
        self._tokens: list[int] = []

    def complete(
        self, prefix: str, prompt: str, max_tokens: int, stop: list[str], temperature: float, seed: int
    ) -> dict[str, Any]:
        """Return the text and how many tokens were read and written."""
        if prefix != self._prefix:
            self._prefix = None
            self._tokens = self._llama.tokenize(prefix.encode(), add_bos=True)
            self._llama.reset()
            self._llama.eval(self._tokens)
            self._prefix = prefix
        self._llama.n_tokens = len(self._tokens)
        tokens = self._llama.tokenize(prompt.encode(), add_bos=False)
        room = self._llama.n_ctx() - len(self._tokens) - len(tokens)
        if room < max_tokens:
            raise ValueError(f"The prompt has {len(tokens)} tokens; {room + len(tokens) - max_tokens} fit.")
        answer = self._llama.create_completion(
            self._tokens + tokens, max_tokens=max_tokens, stop=stop, temperature=temperature, seed=seed
        )
        written = answer["usage"]["completion_tokens"]
        return {"text": answer["choices"][0]["text"], "read": len(tokens), "written": written}


def cores() -> int:
    """Return a thread count near the physical cores this process may use."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Two threads on one core slow llama.cpp down; machines above four logical cores usually pair them.
    return allowed if allowed <= 4 else allowed // 2


def serve(engine: Engine, requests: "queue.Queue[str]", out: TextIO) -> None:
    """Answer requests one by one, for ever."""
    while True:
        line = requests.get()
        try:
            answer = engine.complete(**json.loads(line))
        except Exception as error:  # noqa: BLE001  # whatever a native library raises must reach the parent in words
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=out, flush=True)


def _listen(requests: "queue.Queue[str]") -> None:
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)


def main() -> None:
    """Load the model, test it with a prompt of more than fourteen tokens, and serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--context", type=int, default=2048)
    arguments = parser.parse_args()
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    requests: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    try:
        engine = Engine(arguments.model, arguments.context, cores())
        engine.complete("", SELF_TEST, 1, [], 0.0, 0)
    except Exception as error:  # noqa: BLE001  # as above: the parent shows it as one sentence
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), file=out, flush=True)
        os._exit(1)
    print(json.dumps({"ready": True}), file=out, flush=True)
    serve(engine, requests, out)


if __name__ == "__main__":
    main()
