"""Blocks of features of an event log: what each is called, what it says, and how it is computed."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from treatise._core.threads import over_ranges
from treatise.applications.event_log._cell_loops import cell_statistics, part_statistics, value_statistics
from treatise.applications.event_log._gap_loops import flagged_groups, gap_profiles, run_shares, shares_of
from treatise.applications.event_log._log_loops import joined_codes, rows_by_value
from treatise.applications.event_log._series_loops import (
    PER_SERIES,
    gap_series,
    volume_statistics,
    window_series,
)
from treatise.applications.event_log.log import MISSING, SortedLog

BLOCKS = ("counts", "diversity", "bursts", "day", "runs", "gaps", "series", "volume", "shares")
SECOND = 1_000_000
UNITS = {"s": SECOND, "min": 60 * SECOND, "h": 3600 * SECOND, "d": 86_400 * SECOND}
GAP_EDGES = (5, 10, *range(20, 301, 10))
"""Right edges, in seconds, of the intervals of gaps (Figure 6); an edge belongs to the interval on its left."""
STATISTICS = ("count", "mean", "max", "sum", "squares", "std")
NANOSECONDS = 12.0
"""Rough cost of an event in one pass."""


def width_of(scale: str) -> int:
    """Microseconds of a width such as ``"5min"``."""
    found = re.fullmatch(r"(\d*)(s|min|h|d)", scale)
    if not found or (found[1].strip("0") == "" and found[1]):
        raise ValueError(f"{scale!r} is no width of time; write a whole number and s, min, h or d, such as '5min'")
    return int(found[1] or 1) * UNITS[found[2]]


class Feature(NamedTuple):
    """What a column is called, and what it says."""

    name: str
    words: str


@dataclass(frozen=True)
class Specification:
    """What is to be computed; parameters of :class:`EventLogFeatures` that ``fit`` has completed."""

    fields: tuple[str, ...]
    together: tuple[tuple[str, ...], ...]
    divided: tuple[tuple[str, int], ...]
    visitor: str | None
    page: str | None
    scales: tuple[str, ...]
    windows: tuple[str, ...]
    volumes: tuple[str, ...]
    day_parts: tuple[int, ...]
    blocks: tuple[str, ...]
    shares: tuple[tuple[str, tuple[str, ...]], ...]
    """Fields whose values have shares, and the values that have one of their own."""

    def burst_keys(self) -> Iterator[tuple[str, str]]:
        """What bursts are counted by: its part of a name, and words."""
        for field in self.fields:
            yield field, f"the same {field}"
        for field, divisor in self.divided:
            yield f"{field}//{divisor}", f"the same {field} divided by {divisor}"
        for names in self.together:
            if names == self.fields:
                yield "all", "all fields alike"
            else:
                yield "+".join(names), f"the same {' and '.join(names)}"

    def parts(self) -> list[str]:
        """Names of the parts of the day."""
        ends = [*self.day_parts[1:], self.day_parts[0]]
        return [f"{start}h-{end or 24}h" for start, end in zip(self.day_parts, ends)]

    def features(self) -> list[Feature]:
        """Every column, in order."""
        found: list[Feature] = []
        for block in BLOCKS:
            if block in self.blocks:
                found += NAMES[block](self)
        return found


# Names.


def _count_names(spec: Specification) -> Iterator[Feature]:
    yield Feature("events", "number of events")
    for f in spec.fields:
        yield Feature(f"distinct_{f}", f"different values of {f}")
        yield Feature(f"events_per_{f}", f"events by different values of {f}")
        yield Feature(f"missing_{f}", f"share of events without {f}")


def _diversity_names(spec: Specification) -> Iterator[Feature]:
    for f in spec.fields:
        yield Feature(f"max_{f}", f"events of the most frequent {f}")
        yield Feature(f"variance_{f}", f"variance of the events that each {f} has")
        yield Feature(f"skewness_{f}", f"skewness of the events that each {f} has")
        yield Feature(f"entropy_{f}", f"entropy of {f}, in nats")
        yield Feature(f"chao_shen_{f}", f"entropy of {f}, in nats, with the values that were not seen")


def _burst_names(spec: Specification) -> Iterator[Feature]:
    for key, words in spec.burst_keys():
        for scale in spec.scales:
            yield Feature(f"burst_mean_{key}_{scale}", f"mean events with {words} within {scale}")
            yield Feature(f"burst_std_{key}_{scale}", f"standard deviation of the events with {words} within {scale}")
            yield Feature(f"burst_events_{key}_{scale}", f"events of which three or more have {words} within {scale}")


def _day_names(spec: Specification) -> Iterator[Feature]:
    for part in spec.parts():
        yield Feature(f"share_{part}", f"share of events from {part.replace('-', ' to ')}")
    for quarter in range(4):
        yield Feature(
            f"share_quarter_{quarter + 1}", f"share of events in minutes {15 * quarter} to {15 * quarter + 14}"
        )
    for f in spec.fields:
        for part in spec.parts():
            when = f"from {part.replace('-', ' to ')}"
            yield Feature(f"burst_mean_{f}_{part}", f"mean events with the same {f} within 1min, {when}")
            yield Feature(
                f"burst_std_{f}_{part}", f"standard deviation of the events with the same {f} within 1min, {when}"
            )
            yield Feature(f"values_{f}_{part}", f"share of the values of {f} that were seen {when}")


def _run_names(spec: Specification) -> Iterator[Feature]:
    for f in spec.fields:
        yield Feature(f"run_{f}", f"share of events whose next one has the same {f}")
        yield Feature(f"again_{f}", f"share of events whose {f} was there before")


def _gap_names(spec: Specification) -> Iterator[Feature]:
    who = "the entity" if spec.visitor is None else f"one {spec.visitor}"
    kinds = [("long", f"of {who} with ten events or more"), ("short", f"of {who} with five events or more")]
    if spec.page is not None:
        kinds.append(("page", f"of {who} with five events or more, on the same {spec.page}"))
    edges = [0, *GAP_EDGES]
    for kind, words in kinds:
        for low, high in zip(edges, GAP_EDGES):
            yield Feature(f"gaps_{kind}_{low}s-{high}s", f"gaps of {low} to {high} s {words}")
        yield Feature(f"gaps_{kind}_over_{edges[-1]}s", f"gaps of more than {edges[-1]} s within a day {words}")
    on = "" if spec.page is None else f" on one {spec.page}"
    yield Feature("flags", f"how often {who}{on} has five gaps or more of less than 20 s")
    yield Feature("quick_gaps", f"gaps of less than 20 s of {who}{on}")


def _series_names(spec: Specification) -> Iterator[Feature]:
    words = {
        "count": "number of", "mean": "mean of", "max": "greatest of", "sum": "sum of", "squares": "sum of squares of",
        "std": "standard deviation of",
    }  # fmt: skip
    kinds = {"": "{}", "_rise": "the rises of {}", "_fall": "the falls of {}"}
    series = [
        (f"{name}_{window}", f"{text} in {window}")
        for window in spec.windows
        for name, text in [
            ("events", "the events"),
            *((f, f"the different values of {f}") for f in spec.fields),
            *((f"per_{f}", f"the events by values of {f}") for f in spec.fields),
        ]
    ]
    for name, text in [*series, ("gap", "the seconds between events")]:
        for kind, phrase in kinds.items():
            for statistic in STATISTICS:
                yield Feature(f"series_{name}{kind}_{statistic}", f"{words[statistic]} {phrase.format(text)}, if any")


def _volume_names(spec: Specification) -> Iterator[Feature]:
    for width in spec.volumes:
        for name in ("max", "mean", "variance", "skewness"):
            word = "greatest" if name == "max" else name
            yield Feature(f"volume_{width}_{name}", f"{word} number of events in {width}, where there are any")


def _share_names(spec: Specification) -> Iterator[Feature]:
    for f, values in spec.shares:
        for value in values:
            yield Feature(f"share_{f}={value}", f"share of events with {f} {value}")
        yield Feature(f"share_{f}_other", f"share of events with another {f}")


NAMES: dict[str, Callable[[Specification], Iterator[Feature]]] = {
    "counts": _count_names, "diversity": _diversity_names, "bursts": _burst_names, "day": _day_names,
    "runs": _run_names, "gaps": _gap_names, "series": _series_names, "volume": _volume_names, "shares": _share_names,
}  # fmt: skip


# Numbers.


class Computation:
    """The features of one sorted log."""

    def __init__(self, spec: Specification, log: SortedLog) -> None:
        self.spec, self.log, self.n = spec, log, len(log.entities)
        self.days = log.times // UNITS["d"]
        self.hour = (log.times - self.days * UNITS["d"]) // UNITS["h"]
        self.found: dict[str, list[np.ndarray]] = {block: [] for block in BLOCKS}

    def run(self, advance: Callable[[int], None]) -> np.ndarray:
        """All columns, a row an entity."""
        of_time = {"day": self._day, "series": self._series, "volume": self._volume, "shares": self._shares}
        for block, work in of_time.items():
            if block in self.spec.blocks:
                work()
            advance(1)
        if "counts" in self.spec.blocks:
            self._keep("counts", np.diff(self.log.starts)[:, np.newaxis].astype(float))
        buckets = np.stack([self.log.times // width_of(scale) for scale in self.spec.scales])
        for name in self.spec.fields:
            self._field(name, buckets)
            advance(1)
        if "bursts" in self.spec.blocks:
            for field, divisor in self.spec.divided:
                self._bursts(*self._divided(field, divisor), buckets)
            for names in self.spec.together:
                self._bursts(*self._joined(names), buckets)
                advance(1)
        if "gaps" in self.spec.blocks:
            self._gaps()
        advance(1)
        columns = [part for block in BLOCKS if block in self.spec.blocks for part in self.found[block]]
        return np.hstack(columns)

    def _keep(self, block: str, values: np.ndarray) -> None:
        if block in self.spec.blocks:
            self.found[block].append(values)

    def _over(self, loop: Callable, n_columns: int, *arguments: object) -> np.ndarray:
        """What a loop over ranges of entities writes into a new array."""
        out = np.zeros((self.n, n_columns))
        cost = NANOSECONDS * len(self.log.times)
        over_ranges(lambda first, last: loop(first, last, self.log.starts, *arguments, out), self.n, cost=cost)
        return out

    def _field(self, name: str, buckets: np.ndarray) -> None:
        """What one pass in the order of a field's values gives."""
        wanted = set(self.spec.blocks)
        codes, n_values = self.log.codes[name], len(self.log.values[name])
        events = np.diff(self.log.starts).astype(float)
        if "runs" in wanted:
            runs = self._over(run_shares, 2, self.log.times, codes)
        if wanted & {"counts", "diversity", "bursts", "day", "runs"}:
            rows = rows_by_value(self.log.starts, codes, n_values)
            values = self._over(value_statistics, 6, rows, codes)
            distinct = values[:, :1]
            missing = np.add.reduceat(codes == MISSING, self.log.starts[:-1], dtype=float)[:, np.newaxis]
            per = np.divide(events[:, np.newaxis], distinct, out=np.zeros_like(distinct), where=distinct > 0)
            self._keep("counts", np.hstack([distinct, per, missing / events[:, np.newaxis]]))
            self._keep("diversity", values[:, 1:])
        if "bursts" in wanted:
            self._keep("bursts", self._over(cell_statistics, 3 * len(buckets), rows, codes, buckets))
        if "day" in wanted:
            minutes, parts = self.log.times // UNITS["min"], len(self.spec.day_parts)
            self._keep("day", self._over(part_statistics, 3 * parts, rows, codes, minutes, self._part(), parts))
        if "runs" in wanted:
            held = distinct[:, 0] + (missing[:, 0] > 0)
            runs[:, 1] = (events - held) / events
            self._keep("runs", runs)

    def _bursts(self, codes: np.ndarray, n_values: int, buckets: np.ndarray) -> None:
        rows = rows_by_value(self.log.starts, codes, n_values)
        self._keep("bursts", self._over(cell_statistics, 3 * len(buckets), rows, codes, buckets))

    def _divided(self, field: str, divisor: int) -> tuple[np.ndarray, int]:
        values = self.log.values[field]
        if not values.dtype.is_integer():
            raise ValueError(f"field {field!r} cannot be divided by {divisor}: {values[0]!r} is no whole number")
        _, place = np.unique(values.to_numpy() // divisor, return_inverse=True)
        return np.append(place.astype(np.int32), np.int32(MISSING))[self.log.codes[field]], int(
            place.max(initial=0)
        ) + 1

    def _joined(self, names: tuple[str, ...]) -> tuple[np.ndarray, int]:
        codes = self.log.codes[names[0]]
        for name in names[1:]:
            codes = joined_codes(codes, self.log.codes[name], len(self.log.values[name]))[0]
        return codes, int(codes.max(initial=0)) + 1

    def _part(self) -> np.ndarray:
        """The part of the day of each event."""
        part_of_hour = (np.searchsorted(self.spec.day_parts, np.arange(24), side="right") - 1) % len(
            self.spec.day_parts
        )
        return part_of_hour[self.hour]

    def _day(self) -> None:
        parts = len(self.spec.day_parts)
        self._keep("day", self._over(shares_of, parts, self._part(), parts))
        quarter = self.log.times % UNITS["h"] // (15 * UNITS["min"])
        self._keep("day", self._over(shares_of, 4, quarter, 4))

    def _series(self) -> None:
        log, fields = self.log, self.spec.fields
        codes = np.empty((len(fields), len(log.times)), dtype=np.int32)
        for place, name in enumerate(fields):
            codes[place] = log.codes[name]
        n_values = np.array([len(log.values[name]) for name in fields], dtype=np.int64)
        for window in self.spec.windows:
            windows = log.times // width_of(window)
            windows -= windows.min()
            n_columns = PER_SERIES * (2 * len(fields) + 1)
            self._keep("series", self._over(window_series, n_columns, windows, windows.max(), codes, n_values))
        self._keep("series", self._over(gap_series, PER_SERIES, log.times))

    def _volume(self) -> None:
        for width in self.spec.volumes:
            self._keep("volume", self._over(volume_statistics, 4, self.log.times // width_of(width)))

    def _shares(self) -> None:
        for name, values in self.spec.shares:
            place = {value: column for column, value in enumerate(values)}
            words = self.log.values[name].cast(pl.String).to_list()
            column = np.array([place.get(word, len(values)) for word in words] + [MISSING], dtype=np.int64)
            codes = self.log.codes[name]
            self._keep("shares", self._over(shares_of, len(values) + 1, column[codes], len(values) + 1))

    def _gaps(self) -> None:
        log, spec = self.log, self.spec
        n = len(log.times)
        if spec.visitor is None:
            visitor, rows = np.zeros(n, dtype=np.int32), np.arange(n, dtype=np.int32)
        else:
            visitor = log.codes[spec.visitor]
            rows = rows_by_value(log.starts, visitor, len(log.values[spec.visitor]))
        page = np.full(n, MISSING, dtype=np.int32) if spec.page is None else log.codes[spec.page]
        edges = np.array(GAP_EDGES, dtype=np.int64) * SECOND
        bins = len(edges) + 1
        profiles = self._over(gap_profiles, 3 * bins, rows, visitor, page, log.times, self.days, edges)
        self._keep("gaps", profiles if spec.page is not None else profiles[:, : 2 * bins])
        group, known = visitor, visitor >= 0
        if spec.page is not None:
            known = known & (page >= 0)
            group, firsts = joined_codes(visitor, page, len(log.values[spec.page]))
            rows = rows_by_value(log.starts, group, len(firsts))
        self._keep("gaps", self._over(flagged_groups, 2, rows, group, known, log.times, self.days))
