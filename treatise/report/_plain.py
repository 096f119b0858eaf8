"""A run made plain: text that every encoder accepts, numbers that are finite or absent."""

import math
import re
from typing import Any

# Control characters and lone surrogates can stand in a user's file, but in no HTML page and no UTF-8 file.
# Marks that reverse the direction of text could make a name or a command read as another one; scripts
# written from right to left do not need them.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def plain(value: Any) -> Any:
    """A copy in which unprintable characters became U+FFFD and numbers that are not finite became None."""
    if isinstance(value, dict):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return UNPRINTABLE.sub("�", value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
