"""A run made plain: text that every encoder accepts, numbers that are finite or absent."""

import math
import re
from dataclasses import fields, is_dataclass
from typing import Any

# Control characters and lone surrogates can stand in a user's file, but in no HTML page and no UTF-8 file.
# Marks that reverse the direction of text could make a name or a command read as another one; scripts
# written from right to left do not need them.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")

# A cell of a table can hold a whole book; a page shows where it begins.
LONGEST_TEXT = 2000


def plain(value: Any) -> Any:
    """A copy of a record: unprintable characters became U+FFFD, very long texts are cut, infinite numbers are None."""
    if is_dataclass(value) and not isinstance(value, type):
        return type(value)(**{field.name: plain(getattr(value, field.name)) for field in fields(value)})
    if isinstance(value, dict):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(plain(item) for item in value)
    if isinstance(value, str):
        whole = len(value) <= LONGEST_TEXT
        return UNPRINTABLE.sub("�", value if whole else value[:LONGEST_TEXT] + "…")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
