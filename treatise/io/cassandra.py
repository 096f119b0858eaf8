"""Decision processes in the file format of Cassandra's pomdp-solve, read and written."""

import os
import re
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.io._words import Words, parsed, write_whole

_TOKEN = re.compile(r"#[^\n]*|:|[^\s:#]+")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_\-]*")
_HEADINGS = ("discount", "values", "states", "actions", "observations", "start", "T", "O", "R")
_RESERVED = frozenset((*_HEADINGS, "include", "exclude", "uniform", "identity", "reset", "reward", "cost"))
_MOST_ENTRIES = 1 << 26

SLACK = 1e-4
"""Most by which a row of decimals may miss one: rounding to a few digits, not a mistake. The rest is spread."""


@dataclass(frozen=True)
class ProcessFile:
    """What a file in Cassandra's format holds.

    Parameters
    ----------
    discount : float
        What a reward is worth one step later.
    states, actions : tuple of str
        Names; numbers from 0 where the file gives a count.
    observations : tuple of str or None
        Names; None where the file describes a process whose states are seen.
    start : ndarray of shape (n_states,)
        Probability of each state at the beginning.
    transitions : ndarray of shape (n_actions, n_states, n_states)
        Probability of the last index's state after an action in the middle index's state.
    sights : ndarray of shape (n_actions, n_states, n_observations) or None
        Probability of each observation in the state that an action has reached.
    rewards : ndarray of shape (n_states, n_actions, n_states)
        Mean reward of reaching a state from another by an action, over what is seen there; costs are negative.
    """

    discount: float
    states: tuple[str, ...]
    actions: tuple[str, ...]
    observations: tuple[str, ...] | None
    start: np.ndarray
    transitions: np.ndarray
    sights: np.ndarray | None
    rewards: np.ndarray


def read_cassandra(path: str | os.PathLike[str]) -> ProcessFile:
    """Read a decision process from a file in Cassandra's format, the usual one of POMDPs.

    The whole grammar is understood: names or counts, ``*``, ``uniform``, ``identity``, ``reset``, entries, rows and
    matrices, ``start``, ``start include`` and ``start exclude``, costs, comments; what comes later replaces what came
    before. Files without observations describe processes whose states are seen.

    Parameters
    ----------
    path : str or path
        The file, UTF-8, plain or compressed.

    Returns
    -------
    ProcessFile
        Rows of probabilities sum to one exactly.

    Raises
    ------
    TreatiseError
        With the line and what is wrong there. A row of probabilities must sum to one within 0.0001.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treatise.io import read_cassandra
    >>> text = '''discount: 0.75
    ... values: reward
    ... states: left right
    ... actions: listen open
    ... observations: left right
    ... T: listen identity
    ... T: open uniform
    ... O: listen
    ... 0.85 0.15
    ... 0.15 0.85
    ... O: open uniform
    ... R: listen : * : * : * -1
    ... R: open : left : * : * 10
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "door.pomdp")
    ...     _ = path.write_text(text)
    ...     process = read_cassandra(path)
    >>> process.states, process.rewards[:, :, 0].tolist()
    (('left', 'right'), [[-1.0, 10.0], [-1.0, 0.0]])
    """
    return parsed(Path(path), lambda text: _Reader(text).process(), "file in Cassandra's format")


def write_cassandra(process: ProcessFile, path: str | os.PathLike[str]) -> None:
    """Write a decision process in Cassandra's format.

    The file appears whole or not at all. Entries that are zero are left out.

    Parameters
    ----------
    process : ProcessFile
        The process.
    path : str or path
        Where to; a name that ends in ``.gz`` is compressed. A file that is there is replaced.
    """
    write_whole(Path(path), "".join(_pieces(process)))


class _Reader(Words):
    """What the words of a file say."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        found = [match for match in _TOKEN.finditer(text) if not match.group().startswith("#")]
        self._words = [match.group() for match in found]
        self._starts = [match.start() for match in found]
        self._discount: float | None = None
        self._sign = 1.0
        self._names: dict[str, tuple[str, ...]] = {}
        self._places: dict[str, dict[str, int]] = {}
        self._start: np.ndarray | None = None
        self._tables: dict[str, np.ndarray] = {}
        self._rewards: dict[int, np.ndarray] = {}

    def process(self) -> ProcessFile:
        while self._at < len(self._words):
            at, word = self._at, self._next("a heading")
            if word not in _HEADINGS:
                self._at = at
                raise self._wrong(f"one of {', '.join(_HEADINGS)} is expected, not {word[:40]!r}")
            if word == "start":
                self._read_start()
                continue
            self._expect(":")
            if word == "discount":
                self._discount = self._number("the discount")
                if not 0.0 <= self._discount <= 1.0:
                    self._at -= 1
                    raise self._wrong(f"the discount {self._discount:g} does not lie between 0 and 1")
            elif word == "values":
                self._read_values()
            elif word in ("states", "actions", "observations"):
                self._read_names(word, at)
            elif word == "R":
                self._read_reward(at)
            else:
                self._read_probabilities(word, at)
        return self._whole()

    def _whole(self) -> ProcessFile:
        if self._discount is None:
            raise TreatiseError("the file gives no discount; this is no file in Cassandra's format, or cut short")
        n_states, n_actions = self._count("states"), self._count("actions")
        transitions = self._checked("T", self._table("T"), "states")
        sights = self._checked("O", self._table("O"), "observations") if "observations" in self._names else None
        rewards = np.zeros((n_states, n_actions, n_states))
        for action, given in self._rewards.items():
            if given.shape[2] == 1 or sights is None:
                rewards[:, action] = given[:, :, 0]
            elif given.shape[1] == 1:
                rewards[:, action] = given[:, 0] @ sights[action].T
            else:
                rewards[:, action] = np.einsum("stz,tz->st", given, sights[action])
        return ProcessFile(
            self._discount, self._names["states"], self._names["actions"], self._names.get("observations"),
            self._first(), transitions, sights, self._sign * rewards,
        )  # fmt: skip

    def _expect(self, word: str) -> None:
        if (found := self._next(repr(word))) != word:
            self._at -= 1
            raise self._wrong(f"{word!r} is expected, not {found[:40]!r}")

    def _number(self, what: str) -> float:
        word = self._next(what)
        number = _as_number(word)
        if number is None:
            self._at -= 1
            raise self._wrong(f"{what} should be a number, not {word[:40]!r}")
        return number

    def _numbers(self, count: int, what: str) -> np.ndarray:
        # Asked of the words that are left before anything is made for them.
        if count > len(self._words) - self._at:
            raise self._wrong(f"{count} numbers are expected for {what}, and the file ends before")
        return np.array([self._number(what) for _ in range(count)])

    def _read_values(self) -> None:
        word = self._next("'reward' or 'cost'")
        if word not in ("reward", "cost"):
            self._at -= 1
            raise self._wrong(f"'reward' or 'cost' is expected, not {word[:40]!r}")
        self._sign = 1.0 if word == "reward" else -1.0

    def _listed(self) -> list[str]:
        """Words up to the next heading."""
        first = self._at
        while self._at < len(self._words) and not self._is_heading():
            self._at += 1
        return self._words[first : self._at]

    def _is_heading(self) -> bool:
        if self._peek() not in _HEADINGS:
            return False
        after = self._words[self._at + 1 : self._at + 2]
        return after == [":"] or (self._peek() == "start" and after in (["include"], ["exclude"]))

    def _read_names(self, kind: str, at: int) -> None:
        if kind in self._names:
            self._at = at
            raise self._wrong(f"{kind} are given twice")
        words = self._listed()
        if len(words) == 1 and words[0].isascii() and words[0].isdigit():
            count = int(words[0]) if len(words[0]) < 10 else _MOST_ENTRIES + 1
            if not 1 <= count <= _MOST_ENTRIES:
                self._at = at
                raise self._wrong(f"{words[0][:20]} {kind} are given; there must be one, and at most {_MOST_ENTRIES}")
            words = [str(number) for number in range(count)]
        elif not words or len(set(words)) < len(words) or not all(_NAME.fullmatch(word) for word in words):
            self._at = at
            raise self._wrong(f"{kind} need a count, or different names that begin with a letter")
        self._names[kind] = tuple(words)
        self._places[kind] = {name: place for place, name in enumerate(words)}

    def _count(self, kind: str) -> int:
        if kind not in self._names:
            raise self._wrong(f"the file gives no {kind} before they are needed")
        return len(self._names[kind])

    def _place(self, kind: str) -> slice | int:
        """What a name or a number stands for: one place, or all of them."""
        count, word = self._count(kind), self._next(f"one of the {kind}")
        if word == "*":
            return slice(None)
        place = self._places[kind].get(word)
        if place is None and word.isascii() and word.isdigit() and len(word) < 10:
            place = int(word)
        if place is None or place >= count:
            self._at -= 1
            known = ", ".join(self._names[kind][:5]) + (" ..." if count > 5 else "")
            raise self._wrong(f"{word[:40]!r} is none of the {count} {kind}: {known}")
        return place

    def _read_start(self) -> None:
        n_states = self._count("states")
        if self._peek() in ("include", "exclude"):
            included = self._next("") == "include"
            self._expect(":")
            chosen = np.full(n_states, not included)
            while self._at < len(self._words) and not self._is_heading():
                chosen[self._place("states")] = included
            if not chosen.any():
                raise self._wrong("no state is left to start in")
            self._start = chosen / chosen.sum()
            return
        self._expect(":")
        first, words = self._at, self._listed()
        if words == ["uniform"]:
            self._start = np.full(n_states, 1.0 / n_states)
        elif len(words) == 1 and n_states > 1:
            self._at = first
            self._start = np.zeros(n_states)
            self._start[self._place("states")] = 1.0
        else:
            self._at = first
            self._start = self._numbers(n_states, "start")
            self._check_row("start", self._start)
        self._start = self._start / self._start.sum()

    def _first(self) -> np.ndarray:
        n_states = self._count("states")
        return np.full(n_states, 1.0 / n_states) if self._start is None else self._start

    def _table(self, heading: str) -> np.ndarray:
        if heading not in self._tables:
            last = "states" if heading == "T" else "observations"
            shape = self._count("actions"), self._count("states"), self._count(last)
            if shape[0] * shape[1] * shape[2] > _MOST_ENTRIES:
                raise self._wrong(f"{heading} would have {shape[0]} x {shape[1]} x {shape[2]} entries: too many")
            self._tables[heading] = np.zeros(shape)
        return self._tables[heading]

    def _read_probabilities(self, heading: str, at: int) -> None:
        table = self._table(heading)
        last = "states" if heading == "T" else "observations"
        places: list[slice | int] = [self._place("actions")]
        for kind in ("states", last):
            if self._peek() != ":":
                break
            self._at += 1
            places.append(self._place(kind))
        what = f"{heading}, {len(places)} of 3 places given"
        n_states, n_last = table.shape[1:]
        word = self._peek()
        values: np.ndarray | float
        if len(places) == 3:
            values = self._number(what)
        elif word == "uniform":
            self._at += 1
            values = 1.0 / n_last
        elif word == "identity" and len(places) == 1 and n_states == n_last:
            self._at += 1
            values = np.eye(n_states)
        elif word == "reset" and heading == "T":
            self._at += 1
            values = self._first()
        else:
            values = self._numbers(n_last if len(places) == 2 else n_states * n_last, what)
            values = values if len(places) == 2 else values.reshape(n_states, n_last)
        if np.min(values) < 0.0 or np.max(values) > 1.0 + SLACK:
            self._at = at
            raise self._wrong(f"a probability of {heading} does not lie between 0 and 1")
        table[tuple(places)] = values

    def _checked(self, heading: str, table: np.ndarray, last: str) -> np.ndarray:
        """Rows that sum to one; nearly all do in the file, and the rest is spread."""
        sums = table.sum(axis=2)
        off = np.abs(sums - 1.0)
        if off.max() > SLACK:
            action, state = np.unravel_index(int(off.argmax()), off.shape)
            raise TreatiseError(
                f"the probabilities {heading} : {self._names['actions'][action]} : {self._names['states'][state]} of "
                f"all {last} sum to {sums[action, state]:.6g}, not to 1"
            )
        return table / sums[:, :, np.newaxis]

    def _check_row(self, heading: str, row: np.ndarray) -> None:
        if row.min() < 0.0 or abs(row.sum() - 1.0) > SLACK:
            raise self._wrong(f"the probabilities of {heading} sum to {row.sum():.6g}, not to 1, or one is negative")

    def _read_reward(self, at: int) -> None:
        n_states = self._count("states")
        n_observations = len(self._names.get("observations", ("",)))
        action = self._place("actions")
        places: list[slice | int] = []
        kinds = ("states", "states", "observations") if "observations" in self._names else ("states", "states")
        for kind in kinds:
            if self._peek() != ":":
                break
            self._at += 1
            places.append(self._place(kind))
        if not places:
            self._at = at
            raise self._wrong("R names an action alone; it needs the state as well")
        if len(places) == 3 or (len(places) == 2 and "observations" not in self._names):
            values = np.array(self._number("the reward")).reshape(1, 1)
        elif len(places) == 2:
            values = self._numbers(n_observations, "R : action : state : state").reshape(1, -1)
        else:
            values = self._numbers(n_states * n_observations, "R : action : state").reshape(n_states, -1)
        places += [slice(None)] * (3 - len(places))
        for each in range(self._count("actions"))[action] if isinstance(action, slice) else [action]:
            self._set_reward(each, places, values)

    def _set_reward(self, action: int, places: list[slice | int], values: np.ndarray) -> None:
        """Later entries replace earlier ones; an axis that nothing has told apart yet has the length one."""
        n_states, n_observations = self._count("states"), len(self._names.get("observations", ("",)))
        given = self._rewards.get(action, np.zeros((n_states, 1, 1)))
        shape = list(given.shape)
        for axis, length in ((1, n_states), (2, n_observations)):
            if isinstance(places[axis], int) or values.shape[axis - 1] > 1:
                shape[axis] = length
        if shape[0] * shape[1] * shape[2] > _MOST_ENTRIES:
            raise self._wrong("R tells apart too many pairs of states and observations")
        if tuple(shape) != given.shape:
            given = np.broadcast_to(given, shape).copy()
        where = tuple(place if shape[axis] > 1 or not axis else slice(None) for axis, place in enumerate(places))
        # One axis for each state that is reached and each observation, of length one where a place is named.
        target = given[tuple(slice(p, p + 1) if isinstance(p, int) else p for p in where)]
        target[...] = values
        self._rewards[action] = given


def _as_number(word: str) -> float | None:
    try:
        number = float(word)
    except ValueError:
        return None
    return number if isfinite(number) and "_" not in word else None


def _named(kind: str, names: tuple[str, ...]) -> str:
    if names == tuple(map(str, range(len(names)))):
        return f"{kind}: {len(names)}\n"
    for name in names:
        if not _NAME.fullmatch(name) or name in _RESERVED:
            raise TreatiseError(f"the name {name!r} cannot be written: it needs a letter, then letters, digits, - or _")
    return f"{kind}: {' '.join(names)}\n"


def _pieces(process: ProcessFile) -> list[str]:
    """The text; places are written as numbers."""
    pieces = [f"discount: {process.discount!r}\nvalues: reward\n", _named("states", process.states)]
    pieces.append(_named("actions", process.actions))
    if process.observations is not None:
        pieces.append(_named("observations", process.observations))
    pieces.append(f"start: {' '.join(map(repr, process.start.tolist()))}\n")
    tables = {"T": process.transitions, "O": process.sights}
    for heading, table in tables.items():
        if table is not None:
            for place, value in zip(np.argwhere(table).tolist(), table[table != 0.0].tolist()):
                pieces.append(f"{heading}: {' : '.join(map(str, place))} {value!r}\n")
    anything = "" if process.observations is None else " : *"
    rewards = process.rewards.transpose(1, 0, 2)
    for action, state in np.argwhere((rewards != 0.0).any(axis=2)).tolist():
        row = rewards[action, state].tolist()
        if len(set(row)) == 1:
            pieces.append(f"R: {action} : {state} : *{anything} {row[0]!r}\n")
        else:
            pieces += [f"R: {action} : {state} : {to}{anything} {value!r}\n" for to, value in enumerate(row) if value]
    return pieces
