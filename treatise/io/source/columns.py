"""A column by its name or its number, in one wording for every kind of file."""

import difflib
from collections.abc import Iterable, Sequence

from treatise._core.errors import TreatiseError


def column_name(key: str | int, names: Sequence[str], owner: str) -> str:
    """The name of a column given by name, or by number from the left (0) or from the right (-1).

    Text that is an integer and no column's name counts as a number. ``owner`` is what has the columns, for the words
    of a refusal.
    """
    if isinstance(key, str):
        if key in names:
            return key
        try:
            number = int(key)
        except ValueError:
            raise TreatiseError(f"{owner} has no column {key!r}; {_suggestion(key, names)}") from None
    else:
        number = key
    if not -len(names) <= number < len(names):
        raise TreatiseError(
            f"{owner} has no column number {number}: its {len(names)} columns are numbered "
            f"0 to {len(names) - 1} from the left, -1 to -{len(names)} from the right"
        )
    return names[number]


def _suggestion(key: str, names: Sequence[str]) -> str:
    folded = {name.casefold(): name for name in reversed(names)}
    close = [folded[match] for match in difflib.get_close_matches(key.casefold(), folded, n=3)]
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    shown = ", ".join(map(repr, names[:10]))
    return f"its columns: {shown}" + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def refuse_patterns(names: Iterable[str]) -> None:
    """Refuse names that Polars takes for patterns: a column asked for by such a name would be several."""
    for name in names:
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            raise TreatiseError(f"a column is called {name!r}, a pattern that other columns' names fit too; rename it")
