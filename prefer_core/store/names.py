"""Pseudonyms that people can read aloud."""

import secrets
from collections.abc import Container

WORDS = (
    "amber", "aspen", "birch", "cedar", "clover", "coral", "cypress", "fern", "hazel", "heron", "indigo", "ivory",
    "jasper", "juniper", "laurel", "linden", "maple", "marble", "meadow", "olive", "opal", "pebble", "pine", "plum",
    "quartz", "river", "robin", "rowan", "saffron", "sage", "sparrow", "spruce", "thistle", "topaz", "willow", "wren",
)  # fmt: skip


def pseudonym(taken: Container[str]) -> str:
    """Draw a name such as ``maple-27`` that is not `taken`; numbers grow longer as they run out."""
    for digits in range(2, 12):
        for _ in range(64):
            name = f"{secrets.choice(WORDS)}-{secrets.randbelow(9 * 10 ** (digits - 1)) + 10 ** (digits - 1)}"
            if name not in taken:
                return name
    raise AssertionError("sixty-four draws at every length were taken")
