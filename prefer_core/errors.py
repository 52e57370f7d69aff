"""Every error that a person can meet, under one root.

The text of a `PreferError` is one sentence for people: the rule, the value found, and what to do about it. Pages catch
`PreferError` and nothing else; any other exception is a defect.
"""


class PreferError(Exception):
    """Root of all expected errors."""


class ConfigError(PreferError):
    """A setting has a value that cannot work."""


class DataError(PreferError):
    """Source reviews or arrays cannot be used as they are."""


class CorpusError(PreferError):
    """A corpus folder is missing, damaged, or of another format."""


class BackendError(PreferError):
    """A language model is missing, died, or gave no usable text."""


class StoreError(PreferError):
    """The ledger refused or could not keep something."""


class RefusedError(StoreError):
    """Something is refused for a reason that participants should know.

    Parameters
    ----------
    key : str
        Names the sentence among the texts of other languages.
    text : str
        The sentence.
    """

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.key = key
