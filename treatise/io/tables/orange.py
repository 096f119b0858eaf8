"""The headers of Orange's files: three records of names, types and roles, or one of names with both as a prefix."""

import re
from typing import NamedTuple

from treatise.io.source import Records

_TYPES = {
    **dict.fromkeys(("c", "continuous", "n", "numeric"), "number"),
    **dict.fromkeys(("d", "discrete", "categorical"), "category"),
    **dict.fromkeys(("s", "string", "text"), "text"),
    **dict.fromkeys(("t", "time"), "time"),
}
_ROLES = {
    **dict.fromkeys(("class", "c"), "class"),
    **dict.fromkeys(("meta", "m"), "meta"),
    **dict.fromkeys(("ignore", "i", "skip"), "ignore"),
    **dict.fromkeys(("weight", "w"), "weight"),
}
_ASIDE = {"meta": "is meta data by the file's header", "ignore": "is to be ignored by the file's header"}
_ASIDE["weight"] = "holds weights by the file's header"
_PREFIXED = re.compile(r"(?=[^#])(?P<role>[cmiw])?(?P<type>[CNDST])?#(?P<name>\S.*)")
_RECORDS = 3


class OrangeHeader(NamedTuple):
    """What the header of a file of Orange says."""

    names: tuple[str | None, ...]
    records: int
    """How many of the file's records it takes."""
    as_text: frozenset[str]
    """Columns of categories or text, digits though they may be."""
    target: str | None
    asides: dict[str, str]
    """Columns that are not to be predicted from, and why."""


def orange_header(records: Records) -> OrangeHeader | None:
    """The header of a file of Orange, if it has one.

    Parameters
    ----------
    records : Records
        Of the file, or of its beginning.
    """
    first = records.first()
    prefixed = _prefixed(first)
    if prefixed is not None:
        return prefixed
    if records.n_records <= _RECORDS:
        return None
    _, types, roles = records.cells(limit=_RECORDS).rows()
    kinds = [_type(cell or "") for cell in types]
    parts = [_role(cell or "") for cell in roles]
    if None in kinds or None in parts or not any(kinds) or (all(roles) and "class" not in roles):
        return None
    # A list of values tells a type only beside words that do.
    if not any((cell or "").lower() in _TYPES for cell in types):
        return None
    return _header(first, kinds, parts, _RECORDS)


def _prefixed(cells: tuple[str | None, ...]) -> OrangeHeader | None:
    """A header of names with prefixes: every cell has one, or one tells a role; ``C#4`` may be a key of a piano."""
    found = [_PREFIXED.fullmatch(cell or "") for cell in cells]
    if not (all(found) or any(match and match["role"] for match in found)):
        return None
    names = tuple(match["name"] if match else cell for match, cell in zip(found, cells))
    kinds = [_TYPES[match["type"].lower()] if match and match["type"] else "" for match in found]
    roles = [_ROLES[match["role"]] if match and match["role"] else "" for match in found]
    return _header(names, kinds, roles, 1)


def _header(names: tuple[str | None, ...], kinds: list, roles: list, records: int) -> OrangeHeader:
    known = [name or f"column_{i}" for i, name in enumerate(names)]
    return OrangeHeader(
        names,
        records,
        frozenset(name for name, kind in zip(known, kinds) if kind in ("category", "text")),
        next((name for name, role in zip(known, roles) if role == "class"), None),
        {name: _ASIDE[role] for name, role in zip(known, roles) if role in _ASIDE},
    )


def _type(cell: str) -> str | None:
    """What a cell of the second record says: a type, nothing, or a list of values; None for anything else."""
    if not cell:
        return ""
    if cell.lower() in _TYPES:
        return _TYPES[cell.lower()]
    return "category" if re.fullmatch(r"\S+( \S+)+", cell) else None


def _role(cell: str) -> str | None:
    """What a cell of the third record says; ``attribute=value`` says nothing of the role."""
    found = ""
    for word in cell.split():
        if word.lower() in _ROLES:
            found = _ROLES[word.lower()]
        elif "=" not in word and not re.fullmatch(r"-[a-z]+", word):
            return None
    return found
