"""Bayesian networks in the interchange format BIF, read and written."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.io._words import Words, parsed, write_whole

_TOKEN = re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?\*/|[{}()\[\],;|]|[^\s{}()\[\],;|"]+|"', re.DOTALL)
_MOST_PROBABILITIES = 1 << 27
_PLAIN = re.compile(r'[^\s{}()\[\],;|"/][^\s{}()\[\],;|"]*')
_PUNCTUATION = frozenset("{}()[],;|")

SLACK = 1e-4
"""Most by which a row of decimals may miss one: rounding to four digits, not a mistake."""


@dataclass(frozen=True)
class BIFNetwork:
    """What a BIF file holds.

    Parameters
    ----------
    name : str
        Name of the network.
    variables : tuple of str
        The variables, in the order of the file.
    states : mapping of str to tuple of str
        States of each variable.
    parents : mapping of str to tuple of str
        Parents of each variable, in the order of the axes of its table.
    tables : mapping of str to ndarray
        Probabilities as they are written, with one axis for each parent and the variable's own as the last.
    """

    name: str
    variables: tuple[str, ...]
    states: Mapping[str, tuple[str, ...]]
    parents: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, np.ndarray]


def read_bif(path: str | os.PathLike[str]) -> BIFNetwork:
    """Read a Bayesian network from a BIF file.

    Understood are the rows ``(states of the parents) probabilities``, ``default`` and whole tables (``table``, the
    variable's own state changing slowest, as JavaBayes writes them), names in quotation marks, comments and
    properties; the latter two are passed over. Some two megabytes are read in a second.

    Parameters
    ----------
    path : str or path
        The file, UTF-8, plain or compressed.

    Returns
    -------
    BIFNetwork
        Names and numbers as they are in the file.

    Raises
    ------
    TreatiseError
        With the line and what is wrong there. A row of probabilities must sum to one within 0.0001.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treatise.io import read_bif
    >>> text = '''network rain { }
    ... variable rain { type discrete [ 2 ] { yes, no }; }
    ... variable grass { type discrete [ 2 ] { wet, dry }; }
    ... probability ( rain ) { table 0.2, 0.8; }
    ... probability ( grass | rain ) { (yes) 0.9, 0.1; (no) 0.3, 0.7; }
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "rain.bif")
    ...     _ = path.write_text(text)
    ...     network = read_bif(path)
    >>> network.parents["grass"], network.tables["grass"].tolist()
    (('rain',), [[0.9, 0.1], [0.3, 0.7]])
    """
    return parsed(Path(path), lambda text: _Reader(text).network(), "BIF file")


def write_bif(network: BIFNetwork, path: str | os.PathLike[str]) -> None:
    """Write a Bayesian network as a BIF file; :func:`read_bif` gives back the same numbers to the last bit.

    The file appears whole or not at all. Names that BIF could mistake are put in quotation marks, which not every
    other reader understands.

    Parameters
    ----------
    network : BIFNetwork
        The network.
    path : str or path
        Where to; a name that ends in ``.gz`` is compressed. A file that is there is replaced.
    """
    write_whole(Path(path), "".join(_pieces(network)))


class _Reader(Words):
    """What the words of a file say."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        for match in _TOKEN.finditer(text):
            word = match.group()
            if word == '"' or (word.startswith("/*") and not word.endswith("*/")):
                raise self._wrong("a quotation mark or a comment is not closed", match.start())
            if not word.startswith(("//", "/*")):
                self._words.append(word)
                self._starts.append(match.start())
        self._name = "unknown"
        self._states: dict[str, tuple[str, ...]] = {}
        self._parents: dict[str, tuple[str, ...]] = {}
        self._tables: dict[str, np.ndarray] = {}

    def network(self) -> BIFNetwork:
        while self._at < len(self._words):
            start, word = self._at, self._next("'network', 'variable' or 'probability'")
            if word == "network":
                self._read_network()
            elif word == "variable":
                self._read_variable()
            elif word == "probability":
                self._read_probability()
            else:
                self._at = start
                raise self._wrong(f"'network', 'variable' or 'probability' is expected, not {word!r}")
        if not self._states:
            raise TreatiseError("the file names no variable; this is no BIF file")
        for name in self._states:
            if name not in self._tables:
                raise TreatiseError(f"the variable {name!r} has no probabilities: the file is cut short or incomplete")
        return BIFNetwork(self._name, tuple(self._states), self._states, self._parents, self._tables)

    def _expect(self, word: str) -> None:
        if (found := self._next(repr(word))) != word:
            self._at -= 1
            raise self._wrong(f"{word!r} is expected, not {found!r}")

    def _word(self, what: str) -> str:
        word = self._next(what)
        if word in _PUNCTUATION:
            self._at -= 1
            raise self._wrong(f"{what} is expected, not {word!r}")
        return word[1:-1] if word[0] == '"' else word

    def _list(self, what: str, close: str) -> tuple[str, ...]:
        """Words up to ``close``, with or without commas between them."""
        words: list[str] = []
        while self._peek() != close:
            if words and self._peek() == ",":
                self._at += 1
            words.append(self._word(what))
        self._at += 1
        return tuple(words)

    def _passes_property(self) -> bool:
        if self._peek() != "property":
            return False
        while self._next("';'") != ";":
            pass
        return True

    def _read_network(self) -> None:
        self._name = self._word("the network's name")
        self._expect("{")
        while self._passes_property():
            pass
        self._expect("}")

    def _read_variable(self) -> None:
        start, name = self._at, self._word("a variable's name")
        if name in self._states:
            self._at = start
            raise self._wrong(f"the variable {name!r} is described twice")
        self._expect("{")
        states: tuple[str, ...] = ()
        while self._peek() != "}":
            if self._passes_property():
                continue
            self._expect("type")
            self._expect("discrete")
            self._expect("[")
            at, count = self._at, self._word("the number of states")
            self._expect("]")
            self._expect("{")
            states = self._list("a state", "}")
            self._expect(";")
            if count != str(len(states)) or len(set(states)) < len(states):
                self._at = at
                raise self._wrong(f"the variable {name!r} should have {count} different states; "
                                  f"listed are {', '.join(states)}")  # fmt: skip
        if not states:
            raise self._wrong(f"the variable {name!r} has no states")
        self._at += 1
        self._states[name] = states

    def _known(self, what: str) -> str:
        name = self._word(what)
        if name not in self._states:
            self._at -= 1
            raise self._wrong(f"{name!r} is no variable of this network")
        return name

    def _read_probability(self) -> None:
        self._expect("(")
        start, name = self._at, self._known("a variable")
        parents: list[str] = []
        if self._peek() == "|":
            self._at += 1
        while self._peek() != ")":
            if parents and self._peek() == ",":
                self._at += 1
            parents.append(self._known("a parent"))
        self._at += 1
        if name in self._tables or len({name, *parents}) <= len(parents):
            self._at = start
            again = "has its probabilities twice" if name in self._tables else "is given a parent twice, or itself"
            raise self._wrong(f"the variable {name!r} {again}")
        self._parents[name] = tuple(parents)
        self._tables[name] = self._table(name, start)

    def _table(self, name: str, start: int) -> np.ndarray:
        self._expect("{")
        parents = self._parents[name]
        places = [{state: i for i, state in enumerate(self._states[parent])} for parent in parents]
        shape = tuple(len(states) for states in places)
        n_states = len(self._states[name])
        if prod(shape) * n_states > _MOST_PROBABILITIES:
            raise self._wrong(f"{name!r} has more than {_MOST_PROBABILITIES} probabilities; take parents from it")
        table = np.full((prod(shape), n_states), np.nan)
        default: list[float] | None = None
        while (word := self._peek()) != "}":
            at = self._at
            if self._passes_property():
                continue
            self._at += 1
            if word == "(":
                row = self._row_of(name, parents, places)
                if not np.isnan(table[row, 0]):
                    self._at = at
                    raise self._wrong(f"these states of the parents of {name!r} have a row already")
                table[row] = self._numbers(name, n_states, at)
            elif word == "default":
                default = self._numbers(name, n_states, at)
            elif word == "table":
                # One row of a root; of others the own state changes slowest.
                whole = np.array(self._numbers(name, n_states, at, rows=len(table)))
                table[:] = whole.reshape(n_states, -1).T
            else:
                self._at = at
                raise self._wrong(f"a row of probabilities is expected, not {word!r}" if word else "the file ends "
                                  f"within the probabilities of {name!r}; it is cut short")  # fmt: skip
        self._at += 1
        missing = np.isnan(table[:, 0])
        if default is not None:
            table[missing] = default
        elif missing.any():
            self._at = start
            where = np.unravel_index(int(np.argmax(missing)), shape)
            states = ", ".join(self._states[parent][i] for parent, i in zip(parents, where))
            raise self._wrong(f"the probabilities of {name!r} lack the row ({states})")
        return table.reshape(*shape, n_states)

    def _row_of(self, name: str, parents: tuple[str, ...], places: list[dict[str, int]]) -> int:
        at = self._at
        states = self._list("a state", ")")
        if len(states) != len(parents):
            self._at = at
            raise self._wrong(f"{name!r} has {len(parents)} parents; the row gives {len(states)} states")
        row = 0
        for state, parent, place in zip(states, parents, places):
            if state not in place:
                self._at = at
                raise self._wrong(f"{state!r} is no state of {parent!r}; its states: {', '.join(place)}")
            row = row * len(place) + place[state]
        return row

    def _numbers(self, name: str, n_states: int, at: int, rows: int = 1) -> list[float]:
        """Probabilities up to the semicolon, of one row or of several with the own state changing slowest."""
        end = self._at
        while end < len(self._words) and self._words[end] not in (";", "}", "{"):
            end += 1
        written = [word for word in self._words[self._at : end] if word != ","]
        try:
            numbers = [float(word) for word in written]
        except ValueError:
            wrong = next(i for i in range(self._at, end) if self._words[i] != "," and not _is_number(self._words[i]))
            self._at = wrong
            raise self._wrong(f"{self._words[wrong]!r} is no number") from None
        if len(numbers) != n_states * rows:
            self._at = at
            raise self._wrong(f"{n_states * rows} probabilities of {name!r} are expected here, not {len(numbers)}")
        if not all(0.0 <= number <= 1.0 + SLACK for number in numbers):
            self._at = at
            raise self._wrong(f"a probability of {name!r} does not lie between 0 and 1")
        for row in range(rows):
            total = sum(numbers[row::rows])
            if abs(total - 1.0) > SLACK:
                self._at = at
                raise self._wrong(f"the probabilities of {name!r} sum to {total:.6g}, not to 1")
        self._at = end
        self._expect(";")
        return numbers


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _quoted(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    if '"' in name or "\n" in name:
        raise TreatiseError(f"the name {name!r} cannot be written: BIF knows no quotation marks or breaks in names")
    return f'"{name}"'


def _pieces(network: BIFNetwork) -> list[str]:
    pieces = [f"network {_quoted(network.name)} {{\n}}\n"]
    for name in network.variables:
        states = ", ".join(map(_quoted, network.states[name]))
        pieces.append(
            f"variable {_quoted(name)} {{\n  type discrete [ {len(network.states[name])} ] {{ {states} }};\n}}\n"
        )
    for name in network.variables:
        parents, table = network.parents[name], network.tables[name]
        given = " | " + ", ".join(map(_quoted, parents)) if parents else ""
        pieces.append(f"probability ( {_quoted(name)}{given} ) {{\n")
        if not parents:
            pieces.append(f"  table {', '.join(map(repr, table.tolist()))};\n")
        else:
            rows = table.reshape(-1, table.shape[-1]).tolist()
            states_of = [[_quoted(state) for state in network.states[parent]] for parent in parents]
            for states_at, row in zip(product(*states_of), rows):
                pieces.append(f"  ({', '.join(states_at)}) {', '.join(map(repr, row))};\n")
        pieces.append("}\n")
    return pieces
