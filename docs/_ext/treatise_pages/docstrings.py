"""Names of fitted attributes in docstrings: ``coef_`` in a sentence is a name, not a link to a target "coef"."""

import re
from typing import Any


def protect_names(app: Any, what: str, name: str, member: Any, options: Any, lines: list[str]) -> None:
    """Escape the final underscore of names in plain text; examples, literals and the names of fields stay."""
    in_example = False
    for number, line in enumerate(lines):
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>>"))
        if not in_example:
            field, colon, text = line.rpartition(" : ")
            lines[number] = field + colon + _escaped(text)


def _escaped(text: str) -> str:
    parts = re.split(r"(``.*?``|`[^`]*`)", text)
    return "".join(re.sub(r"(?<=\w)_(?!\w)", r"\\_", part) if i % 2 == 0 else part for i, part in enumerate(parts))
