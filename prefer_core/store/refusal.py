"""What participants are told when something is refused."""

from prefer_core.errors import StoreError


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
