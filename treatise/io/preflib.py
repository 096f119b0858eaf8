"""Rankings in the format of PrefLib, read and written: strict or with ties, complete or not."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from treatise._core.errors import TreatiseError
from treatise.io._words import parsed, write_whole

ENDINGS = (".soc", ".soi", ".toc", ".toi")
"""Strict or tied orders, complete or incomplete."""
_MOST = 1 << 62
_NAME = re.compile(r"ALTERNATIVE NAME (\d+)")
_LINE = re.compile(r"\s*(\d+)\s*:(.*)")
_GROUP = re.compile(r"\s*(?:(\d+)|\{([\d\s,]*)\})\s*(?:,|$)")

Order = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class PrefLibRankings:
    """What a PrefLib file of orders holds.

    Parameters
    ----------
    title : str
        Name of the data.
    alternatives : tuple of str
        Names of the items.
    orders : tuple of tuples of tuples of int
        The distinct orders, each a tuple of groups of equal rank, the best first; items are positions in
        ``alternatives``.
    counts : tuple of int
        How many voters gave each order.
    """

    title: str
    alternatives: tuple[str, ...]
    orders: tuple[Order, ...]
    counts: tuple[int, ...]

    @property
    def ending(self) -> str:
        """The ending of such a file: ``.soc``, ``.soi``, ``.toc`` or ``.toi``."""
        tied = any(len(group) > 1 for order in self.orders for group in order)
        whole = all(sum(map(len, order)) == len(self.alternatives) for order in self.orders)
        return f".{'t' if tied else 's'}o{'c' if whole else 'i'}"


def is_preflib(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds orders of PrefLib, by its name."""
    return any(ending in ENDINGS for ending in map(str.lower, Path(path).suffixes))


def read_preflib(path: str | os.PathLike[str]) -> PrefLibRankings:
    """Read rankings from a file of PrefLib.

    Parameters
    ----------
    path : str or path
        A file of orders (``.soc``, ``.soi``, ``.toc`` or ``.toi``), UTF-8, plain or compressed.

    Returns
    -------
    PrefLibRankings

    Raises
    ------
    TreatiseError
        With the line and what is wrong there.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treatise.io import read_preflib
    >>> text = '''# TITLE: lunch
    ... # NUMBER ALTERNATIVES: 3
    ... # ALTERNATIVE NAME 1: soup
    ... # ALTERNATIVE NAME 2: rice
    ... # ALTERNATIVE NAME 3: fish
    ... 4: 2,1,3
    ... 1: 3,{1,2}
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "lunch.toc")
    ...     _ = path.write_text(text)
    ...     votes = read_preflib(path)
    >>> votes.orders, votes.counts
    ((((1,), (0,), (2,)), ((2,), (0, 1))), (4, 1))
    """
    return parsed(Path(path), _parsed, "PrefLib file")


def write_preflib(rankings: PrefLibRankings, path: str | os.PathLike[str]) -> None:
    """Write rankings as a file of PrefLib; :func:`read_preflib` gives back the same.

    The file appears whole or not at all.

    Parameters
    ----------
    rankings : PrefLibRankings
        The rankings.
    path : str or path
        Where to; its ending should be ``rankings.ending``, and ``.gz`` behind that compresses it.
    """
    path = Path(path)
    for name in (rankings.title, *rankings.alternatives):
        if name != " ".join(name.split("\n")).strip() or "\r" in name:
            raise TreatiseError(f"{name!r} has line breaks or blanks at its ends, which PrefLib cannot hold")
    lines = [
        f"# FILE NAME: {path.name}",
        f"# TITLE: {rankings.title}",
        f"# DATA TYPE: {rankings.ending[1:]}",
        f"# NUMBER ALTERNATIVES: {len(rankings.alternatives)}",
        f"# NUMBER VOTERS: {sum(rankings.counts)}",
        f"# NUMBER UNIQUE ORDERS: {len(rankings.orders)}",
        *(f"# ALTERNATIVE NAME {number}: {name}" for number, name in enumerate(rankings.alternatives, 1)),
        *(f"{count}: {_written(order)}" for order, count in zip(rankings.orders, rankings.counts, strict=True)),
    ]
    write_whole(path, "\n".join(lines) + "\n")


def _written(order: Order) -> str:
    groups = (",".join(str(item + 1) for item in group) for group in order)
    return ",".join(text if len(group) == 1 else f"{{{text}}}" for group, text in zip(order, groups))


def _parsed(text: str) -> PrefLibRankings:
    title, number, names = "", None, dict[int, str]()
    orders, counts = list[Order](), list[int]()
    for place, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        if line.startswith("#"):
            key, _, value = (part.strip() for part in line[1:].partition(":"))
            if key == "TITLE":
                title = value
            elif key == "NUMBER ALTERNATIVES":
                number = _whole(value, place)
                if number > len(text):  # what is not named gets a name, which would fill the memory
                    raise TreatiseError(f"line {place}: {number} alternatives are more than the file can speak of")
            elif match := _NAME.fullmatch(key):
                names[_whole(match[1], place)] = value
            continue
        if number is None:
            raise TreatiseError(
                f"line {place} comes before '# NUMBER ALTERNATIVES: '; this is no PrefLib file of the form in use "
                "since 2022"
            )
        match = _LINE.fullmatch(line)
        if match is None:
            raise TreatiseError(
                f"line {place} is no order: it must read 'voters: item,item,...', as in '4: 2,1,{{3,5}}'"
            )
        counts.append(_whole(match[1], place))
        orders.append(_order(match[2], number, place))
    if number is None or not orders:
        raise TreatiseError("there is no order; a PrefLib file has a line 'voters: item,item,...' for each")
    if any(not 1 <= named <= number for named in names):
        raise TreatiseError(f"an alternative {max(names)} is named where there are {number}")
    alternatives = tuple(names.get(at, str(at)) for at in range(1, number + 1))
    return PrefLibRankings(title, alternatives, tuple(orders), tuple(counts))


def _whole(word: str, place: int) -> int:
    if not word.isascii() or not word.isdigit() or len(word) > 18:
        raise TreatiseError(f"line {place}: {word[:40]!r} must be a whole number below {_MOST}")
    return int(word)


def _order(text: str, number: int, place: int) -> Order:
    groups, at, seen = list[tuple[int, ...]](), 0, set[int]()
    text = text.strip()
    while at < len(text):
        match = _GROUP.match(text, at)
        if match is None:
            raise TreatiseError(f"line {place}: {text[at : at + 20]!r} is no item, nor items in braces")
        words = [match[1]] if match[1] else [word.strip() for word in match[2].split(",") if word.strip()]
        group = tuple(_whole(word, place) - 1 for word in words)
        for item in group:
            if not 0 <= item < number:
                raise TreatiseError(f"line {place} names alternative {item + 1}; they run from 1 to {number}")
            if item in seen:
                raise TreatiseError(f"line {place} names alternative {item + 1} twice")
            seen.add(item)
        if group:
            groups.append(group)
        at = match.end()
    if not groups:
        raise TreatiseError(f"line {place} orders nothing")
    return tuple(groups)
