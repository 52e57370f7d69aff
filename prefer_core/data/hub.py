"""Reviews from the Hugging Face hub: one category of Amazon Reviews 2023, fetched once and kept in the hub's cache."""

import re
from collections.abc import Callable
from pathlib import Path

from prefer_core.errors import DataError

PREFIX = "amazon:"
REPOSITORY = "McAuley-Lab/Amazon-Reviews-2023"

_FILES = ("raw/review_categories/{}.jsonl", "raw/meta_categories/meta_{}.jsonl")


def fetch_category(source: str) -> tuple[Path, Path]:
    """Fetch the reviews and the product data of ``amazon:CATEGORY``.

    The hub's own bars tell the progress; a fetch that was cut off goes on where it was, and what has been fetched is
    used without a network.

    Returns
    -------
    tuple of Path
        The files of reviews and of product data.

    Raises
    ------
    DataError
        If the name is no category, or the hub cannot be reached and the files are not in the cache.
    """
    category = source.removeprefix(PREFIX)
    if not re.fullmatch(r"[A-Za-z0-9_]+", category):
        raise DataError(f"{source!r} names no category; write it as on the hub, for example amazon:All_Beauty.")
    from huggingface_hub import hf_hub_download

    reviews, meta = (_fetch(hf_hub_download, category, name.format(category)) for name in _FILES)
    return reviews, meta


def _fetch(download: Callable[..., str], category: str, name: str) -> Path:
    from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(download(REPOSITORY, name, repo_type="dataset"))
    except LocalEntryNotFoundError:
        raise DataError(
            f"amazon:{category} is not on this computer yet and the hub cannot be reached; connect to the network "
            f"once, or fetch {name} of {REPOSITORY} elsewhere and give its path with --source."
        ) from None
    except EntryNotFoundError:
        raise DataError(
            f"{REPOSITORY} has no category {category!r}; names are written as there, for example amazon:All_Beauty."
        ) from None
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else "no answer"
        raise DataError(f"The hub refused {name} ({status}); try again later, it goes on where it stopped.") from None
    except OSError as error:
        raise DataError(
            f"{name} could not be fetched ({error}); see that there is room and network, then run it again: "
            "it goes on where it stopped."
        ) from None
