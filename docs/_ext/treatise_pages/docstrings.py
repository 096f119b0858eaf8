"""What docstrings mean: ``coef_`` in a sentence is a name, not a link to "coef", and |x| is a norm."""

import re
from typing import Any


def protect_names(app: Any, what: str, name: str, member: Any, options: Any, lines: list[str]) -> None:
    """Escape the final underscore of names, and bars, in plain text; examples, literals and fields' names stay."""
    in_example = False
    for number, line in enumerate(lines):
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>>"))
        if not in_example:
            field, colon, text = line.rpartition(" : ")
            lines[number] = field + colon + _escaped(text)


def _escaped(text: str) -> str:
    plain_and_literal = re.split(r"(``.*?``|`[^`]*`)", text)
    plain_and_literal[::2] = [re.sub(r"((?<=\w)_(?!\w)|\|)", r"\\\1", plain) for plain in plain_and_literal[::2]]
    return "".join(plain_and_literal)
