"""A log of events in a compact form that chunks are added to and logs of parts merge into."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from treatise.applications.event_log._log_loops import dense_codes, rows_by_entity
from treatise.applications.event_log.reading import frame_of, present, seconds_of

MISSING = -1
WHOLE = 2.0**53
"""Below it, a floating-point number can hold every whole number."""


class _Dictionary:
    """Values of a column and the numbers that stand for them, in the order of their first appearance."""

    def __init__(self) -> None:
        self.code_of: dict[str, int] = {}
        self.whole = True
        """Whether every value seen was a whole number."""

    def codes(self, column: pl.Series) -> np.ndarray:
        """Numbers of the values of a column; -1 where it is missing."""
        if column.dtype.is_float():
            column = column.fill_nan(None)
            if bool(((column % 1 == 0) & (column.abs() < WHOLE)).all()):
                column = column.cast(pl.Int64)  # whole numbers with gaps, as pandas has them
        if column.dtype.is_integer() and column.dtype != pl.UInt64:
            here = column.is_not_null().to_numpy()
            numbers = column.fill_null(0).cast(pl.Int64).to_numpy()
            local, firsts = dense_codes(numbers)
            words = pl.Series(numbers[firsts]).cast(pl.String).to_list()
            local[~here] = len(words)
        else:
            self.whole = self.whole and column.null_count() == len(column)
            fractions = column.dtype.is_float()
            coded = column.cast(pl.String).replace("", None).cast(pl.Categorical)
            known = coded.drop_nulls().unique()
            words = known.cast(pl.String).to_list()
            if fractions:  # as another chunk writes it that has whole numbers alone
                words = [word.removesuffix(".0") for word in words]
            numbers = known.to_physical().to_numpy()
            place = np.zeros(int(numbers.max(initial=0)) + 1, dtype=np.int32)
            place[numbers] = np.arange(len(words), dtype=np.int32)
            local = place[coded.to_physical().fill_null(0).to_numpy()]
            local[coded.is_null().to_numpy()] = len(words)
        return np.append(self.enter(words, used=np.bincount(local, minlength=len(words) + 1)[:-1]), np.int32(MISSING))[
            local
        ]

    def enter(self, words: list[str], used: np.ndarray | None = None) -> np.ndarray:
        """The numbers of words, new ones for new words; words that no row holds are left out."""
        if used is not None:
            words = [word for word, rows in zip(words, used) if rows]
        known = self.code_of
        if known:
            numbers = [known.setdefault(word, len(known)) for word in words]
        else:
            known.update(zip(words, range(len(words))))
            numbers = list(range(len(words)))
        if used is None:
            return np.array(numbers, dtype=np.int32)
        codes = np.full(len(used), MISSING, dtype=np.int32)
        codes[used > 0] = numbers
        return codes

    def order(self) -> tuple[pl.Series, np.ndarray]:
        """The values in their own order, and the place of each number in it: the same whatever came first."""
        values = pl.Series(list(self.code_of), dtype=pl.String)
        if self.whole and len(values):
            values = values.cast(pl.Int64)
        order = values.arg_sort().to_numpy()
        place = np.empty(len(values) + 1, dtype=np.int32)
        place[order], place[-1] = np.arange(len(values), dtype=np.int32), MISSING  # -1 finds the last place
        return values.gather(order), place


@dataclass(frozen=True, eq=False)
class SortedLog:
    """Events by entity and, within an entity, by time: what features are computed from.

    Attributes
    ----------
    entities : polars.Series
        The entities, in their own order.
    starts : ndarray of int64
        Where the events of each entity begin; one more than there are entities.
    times : ndarray of int64
        Microseconds since 1970, or since the zero of numeric times.
    values : dict of str to polars.Series
        The values of every field, in their own order.
    codes : dict of str to ndarray of int32
        Which value each event has; -1 where it is missing.
    """

    entities: pl.Series
    starts: np.ndarray
    times: np.ndarray
    values: dict[str, pl.Series]
    codes: dict[str, np.ndarray]


class EventLog:
    """Events of many entities in a compact form: one pass over the log, chunk by chunk or in parts that are merged.

    An event takes 12 bytes and 4 for each field; values are kept once. Chunks may come in any order, and events in any
    order within them: what is computed of a log depends on which events it has and on nothing else.

    Parameters
    ----------
    entity : str
        The column that says whose event it is.
    time : str
        The column of its time: dates with times, text that can be read as such, or numbers, which are seconds. Times
        with a zone count as the clock on its walls shows them.
    fields : sequence of str
        Columns of categories: text, whole numbers, Boolean. A missing or empty cell is no value.

    Examples
    --------
    >>> from treatise.applications import EventLog
    >>> morning = EventLog("account", "at", ["device"])
    >>> morning.add({"account": ["ann", "bob"], "at": [0, 5], "device": ["phone", None]}).n_events
    2
    >>> evening = EventLog("account", "at", ["device"]).add({"account": ["ann"], "at": [7], "device": ["desk"]})
    >>> whole = morning.merge(evening)
    >>> whole.n_events, whole.n_entities
    (3, 2)
    """

    def __init__(self, entity: str, time: str, fields: Iterable[str]) -> None:
        self.entity, self.time, self.fields = entity, time, tuple(fields)
        repeated = [name for name in {entity, time} if name in self.fields] + ([entity] if entity == time else [])
        if repeated or len(set(self.fields)) < len(self.fields):
            raise ValueError(f"entity, time and fields are different columns; got {entity!r}, {time!r}, {self.fields}")
        self.clock: str | None = None
        """ "date" or "number", as the times of the first chunk are."""
        self._dictionaries = {name: _Dictionary() for name in (entity, *self.fields)}
        self._codes: dict[str, list[np.ndarray]] = {name: [] for name in (entity, *self.fields)}
        self._times: list[np.ndarray] = []

    @property
    def n_events(self) -> int:
        """Events seen so far."""
        return sum(map(len, self._times))

    @property
    def n_entities(self) -> int:
        """Entities seen so far."""
        return len(self._dictionaries[self.entity].code_of)

    def add(self, chunk: Any) -> "EventLog":
        """Add events.

        Parameters
        ----------
        chunk : data frame of Polars, pandas or Arrow, or mapping of columns
            Events, with the columns of the log and perhaps others.

        Returns
        -------
        self
        """
        frame = frame_of(chunk, (self.entity, self.time, *self.fields))
        times, clock = seconds_of(frame[self.time])
        present(frame[self.entity], "entity")
        self._same_clock(clock, len(times))
        for name, codes in self._codes.items():
            codes.append(self._dictionaries[name].codes(frame[name]))
        self._times.append(times)
        return self

    def _same_clock(self, clock: str | None, n_events: int) -> None:
        if n_events and clock is not None:
            if self.clock not in (None, clock):
                raise ValueError(
                    f"column {self.time!r} has a {self.clock} for time in one part and a {clock} in another; "
                    "read both alike"
                )
            self.clock = clock

    def merge(self, other: "EventLog") -> "EventLog":
        """Add the events of another log with the same columns.

        Parameters
        ----------
        other : EventLog
            Stays as it is.

        Returns
        -------
        self
        """
        mine, theirs = (self.entity, self.time, self.fields), (other.entity, other.time, other.fields)
        if mine != theirs:
            raise ValueError(f"logs of other columns cannot be merged: {mine} and {theirs}")
        self._same_clock(other.clock, other.n_events)
        for name, dictionary in self._dictionaries.items():
            new = other._dictionaries[name]
            place = np.append(dictionary.enter(list(new.code_of)), np.int32(MISSING))
            dictionary.whole = dictionary.whole and new.whole
            self._codes[name] += [place[codes] for codes in other._codes[name]]
        self._times += other._times
        return self

    def n_values(self, field: str) -> int:
        """Different values of a field."""
        return len(self._dictionaries[field].code_of)

    def value_counts(self, field: str) -> dict[str, int]:
        """How many events have each value of a field.

        Parameters
        ----------
        field : str
            A field of the log.

        Returns
        -------
        counts : dict of str to int
        """
        words = self._dictionaries[field].code_of
        counts = np.zeros(len(words) + 1, dtype=np.int64)
        for codes in self._codes[field]:
            counts += np.bincount(codes + 1, minlength=len(counts))
        return dict(zip(words, counts[1:].tolist()))

    def sorted(self) -> SortedLog:
        """The events by entity and time."""
        if not self.n_events:
            raise ValueError("the log has no events")
        times = np.concatenate(self._times)
        entities, place = self._dictionaries[self.entity].order()
        whose = place[np.concatenate(self._codes[self.entity])]
        by_time = np.arange(len(times)) if (np.diff(times) >= 0).all() else np.argsort(times, kind="stable")
        starts, rows = rows_by_entity(whose, by_time, len(entities))
        values, codes = {}, {}
        for name in self.fields:
            values[name], place = self._dictionaries[name].order()
            codes[name] = place[np.concatenate(self._codes[name])[rows]]
        return SortedLog(entities, starts, times[rows], values, codes)


def collect_log(log: Any, entity: str, time: str, fields: Iterable[str]) -> EventLog:
    """A log in compact form from whatever holds its events.

    Parameters
    ----------
    log : EventLog, data frame, mapping of columns, Dask data frame, or iterable of such chunks
        Events. The partitions of a Dask data frame are made compact where they lie, and merged two by two.
    entity, time, fields
        As :class:`EventLog` takes them.

    Returns
    -------
    EventLog
    """
    fields = tuple(fields)
    if isinstance(log, EventLog):
        return EventLog(entity, time, fields).merge(_narrowed(log, fields)) if log.fields != fields else log
    if hasattr(log, "to_delayed"):
        return _over_partitions(log, entity, time, fields)
    whole = EventLog(entity, time, fields)
    for chunk in chunks_of(log):
        whole.add(chunk)
    return whole


def is_chunk(log: Any) -> bool:
    """Whether it is one table of events, rather than several; what is neither is refused."""
    if isinstance(log, (Mapping, pl.LazyFrame)) or hasattr(log, "columns"):
        return True
    if isinstance(log, Iterable) and not isinstance(log, (str, bytes, np.ndarray)):
        return False
    raise ValueError(f"a log is a data frame, a mapping of columns, or an iterable of them; got {type(log).__name__}")


def chunks_of(log: Any) -> Iterator[Any]:
    """The chunks of a log: itself, if it is one."""
    if is_chunk(log):
        yield log
    else:
        yield from log


def _narrowed(log: EventLog, fields: tuple[str, ...]) -> EventLog:
    """The same events with some of the fields; shares its arrays."""
    missing = [name for name in fields if name not in log.fields]
    if missing:
        raise ValueError(f"the log has no field {missing[0]!r}; it has {', '.join(log.fields)}")
    few = EventLog(log.entity, log.time, fields)
    few.clock, few._times = log.clock, log._times
    for name in (log.entity, *fields):
        few._dictionaries[name], few._codes[name] = log._dictionaries[name], log._codes[name]
    return few


def _over_partitions(log: Any, entity: str, time: str, fields: tuple[str, ...]) -> EventLog:
    from dask import delayed

    parts = [delayed(_log_of_part)(part, entity, time, fields) for part in log.to_delayed()]
    while len(parts) > 1:
        pairs = [delayed(_merged)(*parts[i : i + 2]) for i in range(0, len(parts), 2)]
        parts = pairs
    return parts[0].compute()


def _log_of_part(part: Any, entity: str, time: str, fields: tuple[str, ...]) -> EventLog:
    return EventLog(entity, time, fields).add(part)


def _merged(first: EventLog, second: EventLog | None = None) -> EventLog:
    # A new log: a task may run again, and must not change what another holds.
    whole = EventLog(first.entity, first.time, first.fields).merge(first)
    return whole if second is None else whole.merge(second)
