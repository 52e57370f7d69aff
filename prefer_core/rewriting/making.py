"""The writer of an application: whoever the ladder of `models.resolve` comes to, with its cache and logs."""

from dataclasses import replace
from pathlib import Path

from prefer_core.config import WritingSettings, home
from prefer_core.errors import BackendError
from prefer_core.rewriting import journal, models
from prefer_core.rewriting.base import Backend
from prefer_core.rewriting.cache import TextCache
from prefer_core.rewriting.models import Choice
from prefer_core.rewriting.server import ServerBackend
from prefer_core.rewriting.t5 import T5Process
from prefer_core.rewriting.worker import LlamaProcess
from prefer_core.rewriting.writer import Writer


def make_writer(settings: WritingSettings | None = None) -> Writer:
    """Return the writer that the environment asks for; its model starts with the first text."""
    limits = settings or WritingSettings()
    folder = home()
    journal.keep(folder / "logs")
    choice = models.resolve()
    model = choice.model
    if model is None:
        journal.LOG.info("%s", choice.note)
        return Writer(None, None, limits, note=choice.note)
    limits = patient(limits, max(c.model.patience for c in (choice, *choice.later.values()) if c.model is not None))

    def start() -> Backend:
        return backend(choice, limits, folder)

    return Writer(
        start,
        TextCache(folder / "texts", limits.cached_texts),
        limits,
        name=" and ".join(dict.fromkeys(c.model.name for c in (choice, *choice.later.values()) if c.model)),
        note=choice.note,
        style=model.style,
        fingerprint=choice.fingerprint,
    )


def backend(choice: Choice, settings: WritingSettings, folder: Path) -> Backend:
    """Make the backend of one model.

    Raises
    ------
    BackendError
        If there is none, or its file is not what it should be.
    """
    model = choice.model
    if model is None:
        raise BackendError(choice.note)
    if choice.address is not None:
        return ServerBackend(choice.address, settings, model.name, model.style.chat)
    path = models.locate(choice)
    if model.kind == "t5":
        return T5Process(path, settings, model.name, folder / "logs" / "t5.log")
    return LlamaProcess(path, settings, model.name, folder / "logs" / "llama.log", model.style.chat)


def patient(settings: WritingSettings, factor: float) -> WritingSettings:
    """Return the settings with time limits for a model that is `factor` times slower than the embedded one."""
    return replace(
        settings,
        start_timeout=settings.start_timeout * factor,
        job_timeout=settings.job_timeout * factor,
        call_timeout=settings.call_timeout * factor,
    )
