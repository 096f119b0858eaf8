"""Features of entities from the log of their events (Oentaryo et al., JMLR 15:99)."""

from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import Invariants, all_alike, is_count
from treatise._core.progress import progress
from treatise.applications.event_log.blocks import BLOCKS, Computation, Specification, width_of
from treatise.applications.event_log.log import EventLog, chunks_of, collect_log, is_chunk
from treatise.applications.event_log.reading import frame_of, names_of

MOST_VALUES = 200
"""A field with more values has no shares unless it is asked to; the paper's countries are about two hundred."""


class EventLogFeatures(BaseEstimator):
    """Describe every entity of an event log by its bursts, repetitions, gaps, diversity and trends at several scales.

    Use it to turn a log of clicks, logins, payments, flights or alarms (whose it was, when, and some categories) into
    a table with a row for each entity, for any classifier or detector of outliers. The features are those with which
    the entrants of a contest told fraudulent from honest publishers. They describe behaviour over a log of days or
    weeks: do not use them where single events are to be judged, nor for amounts, which they do not look at.

    The log is read once, in any order and in chunks or parts that are merged (:class:`EventLog`): the answer depends
    on which events there are and on nothing else, to the last bit. Cost: a counting sort and a pass over the log for
    each field and each group of ``together``; memory about 12 bytes an event and 4 more for each field, several times
    over while it computes.

    Parameters
    ----------
    entity, time : str, default="entity" and "time"
        Columns that say whose event it is and when it was. Dates with times, text of such, or seconds.
    fields : sequence of str or None, default=None
        Columns of categories. None takes all other columns but numbers with fractions, dates, and columns with another
        value in every event, which are its name.
    visitor : str or None, default=None
        A field that says who acts, such as an address: gaps are those between events of one visitor of the entity.
        None takes gaps between all events of the entity.
    page : str or None, default=None
        A field that says where: gaps that stay on the same page have features of their own.
    together : sequence of sequences of str, or None, default=None
        Fields that count as one for bursts, such as ``[("ip", "device")]``. None takes all fields at once, which
        features call "all": events that are alike.
    divided : dict of str to sequence of int, or None, default=None
        Fields of whole numbers, and divisors whose quotients count for bursts as well: ``{"ip": [1000]}`` are
        neighbouring addresses.
    scales : sequence of str, default=("1s", "1min", "1h", "1d")
        Widths of time within which events with the same value make a burst.
    windows : sequence of str, default=("1min", "1h")
        Widths of the windows of the series. The paper found 1 min the best.
    volumes : sequence of str, default=("1min", "5min", "1h", "3h", "6h")
        Widths of time whose numbers of events are summarised.
    day_parts : sequence of int, default=(0, 6, 12, 18)
        Hours at which the parts of the day begin: night, morning, afternoon, evening.
    shares : sequence of str or None, default=None
        Fields whose frequent values have the share of events as features. None takes those with at most 200 values.
    top_k : int, default=20
        How many of their values, the most frequent ones of the log that was fitted.
    blocks : sequence of str, default=("counts", "diversity", "bursts", "day", "runs", "gaps", "series", "volume", \
"shares")
        What to compute.

    Attributes
    ----------
    fields_ : tuple of str
        The fields.
    shares_ : dict of str to tuple of str
        Values that have shares of their own, by field, the most frequent first.
    feature_words_ : dict of str to str
        What each feature says.
    n_events_ : int
        Events fitted.

    Notes
    -----
    A missing cell is no value: it counts for no diversity, distinct values or series, and its share is a feature. In
    bursts and runs, where the question is whether events are alike, missing equals missing. An entity with one event
    has no gaps, rises or falls: these are zero, as a spread of one number is. The windows of a series reach from the
    first to the last event of the log (of all entities), as in the paper; before and after an entity's own events they
    are empty. The first event of a day has no gap. A value that the fitted log had not is counted among the others.

    Examples
    --------
    >>> from treatise.applications import EventLogFeatures
    >>> log = {
    ...     "shop": ["a", "a", "a", "a", "a", "b"],
    ...     "at": ["2012-02-09 07:23:13"] * 3 + ["2012-02-09 07:23:19"] * 2 + ["2012-02-09 09:00:00"],
    ...     "ip": [7, 7, 7, 7, 7, 8],
    ... }
    >>> features = EventLogFeatures("shop", "at").fit(log)
    >>> features.transform(log).select("shop", "burst_mean_ip_1s", "burst_mean_ip_1min", "burst_events_ip_1s")
    shape: (2, 4)
    ┌──────┬──────────────────┬────────────────────┬────────────────────┐
    │ shop ┆ burst_mean_ip_1s ┆ burst_mean_ip_1min ┆ burst_events_ip_1s │
    │ ---  ┆ ---              ┆ ---                ┆ ---                │
    │ str  ┆ f64              ┆ f64                ┆ f64                │
    ╞══════╪══════════════════╪════════════════════╪════════════════════╡
    │ a    ┆ 2.5              ┆ 5.0                ┆ 3.0                │
    │ b    ┆ 1.0              ┆ 1.0                ┆ 0.0                │
    └──────┴──────────────────┴────────────────────┴────────────────────┘
    >>> features.feature_words_["burst_mean_ip_1min"]
    'mean events with the same ip within 1min'

    References
    ----------
    .. [1] Paper v15-0099: Sections 3.1 and 3.3.1 (bursts by parts of the day, Chao-Shen entropy, shares), 4.1 (volume
       and distributions), 5.1 (bursts by key and scale, runs), 6.1 (gaps, flags), 7.1 (series, ratios, shares).
    """

    _parameter_constraints: dict = {
        "entity": [str],
        "time": [str],
        "fields": ["array-like", None],
        "visitor": [str, None],
        "page": [str, None],
        "together": ["array-like", None],
        "divided": [dict, None],
        "scales": ["array-like"],
        "windows": ["array-like"],
        "volumes": ["array-like"],
        "day_parts": ["array-like"],
        "shares": ["array-like", None],
        "top_k": [Interval(Integral, 1, None, closed="left")],
        "blocks": ["array-like"],
    }

    def __init__(
        self, entity="entity", time="time", fields=None, *, visitor=None, page=None, together=None, divided=None,
        scales=("1s", "1min", "1h", "1d"), windows=("1min", "1h"), volumes=("1min", "5min", "1h", "3h", "6h"),
        day_parts=(0, 6, 12, 18), shares=None, top_k=20, blocks=BLOCKS,
    ):  # fmt: skip
        self.entity = entity
        self.time = time
        self.fields = fields
        self.visitor = visitor
        self.page = page
        self.together = together
        self.divided = divided
        self.scales = scales
        self.windows = windows
        self.volumes = volumes
        self.day_parts = day_parts
        self.shares = shares
        self.top_k = top_k
        self.blocks = blocks

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, log, y=None):
        """Learn which values are frequent, and which columns are fields where none are named.

        Parameters
        ----------
        log : data frame, mapping of columns, EventLog, Dask data frame, or iterable of chunks
            Events.
        y : None
            Not used.

        Returns
        -------
        self
        """
        for name in ("fields_", "_counts"):
            if hasattr(self, name):
                delattr(self, name)
        self.n_events_ = 0
        if isinstance(log, EventLog):
            self._see(log)
        elif hasattr(log, "to_delayed"):
            self._see(collect_log(log, self.entity, self.time, self._named_fields(log.head(1000, npartitions=-1))))
        else:
            for chunk in chunks_of(log):
                self.partial_fit(chunk)
        if not self.n_events_:
            raise ValueError("the log has no events")
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, chunk, y=None):
        """Learn from one chunk more.

        Parameters
        ----------
        chunk : data frame or mapping of columns
            Events.
        y : None
            Not used.

        Returns
        -------
        self
        """
        fields = self.fields_ if hasattr(self, "fields_") else self._named_fields(chunk)
        return self._see(EventLog(self.entity, self.time, fields).add(chunk))

    def _see(self, log):
        if not hasattr(self, "fields_"):
            named = log.fields if self.fields is None else tuple(self.fields)
            self._check(named)
            self.fields_, self.n_events_ = named, 0
            self._counts = {name: {} for name in (named if self.shares is None else self.shares)}
        counted = collect_log(log, self.entity, self.time, self.fields_)
        for name, counts in self._counts.items():
            if counts is None:
                continue
            if self.shares is None and counted.n_values(name) > MOST_VALUES:
                self._counts[name] = None
                continue
            for value, count in counted.value_counts(name).items():
                counts[value] = counts.get(value, 0) + count
            if self.shares is None and len(counts) > MOST_VALUES:
                self._counts[name] = None
        self.n_events_ += counted.n_events
        self.shares_ = {
            name: tuple(sorted(counts, key=lambda value: (-counts[value], value))[: self.top_k])
            for name, counts in self._counts.items()
            if counts
        }
        self.feature_words_ = dict(self._specification().features())
        return self

    def _invariants(self) -> Invariants:
        # Raises where a parameter names no field.
        self._check(self.fields_)
        yield "fields have names", all_alike(self.fields_, str) and len(set(self.fields_)) == len(self.fields_)
        counted = [counts for counts in self._counts.values() if counts is not None]
        yield "values of fields are counted", set(self._counts) <= set(self.fields_) and all_alike(counted, dict)
        yield "by their names", all_alike([*chain(*counted)], str)
        yield "in whole numbers", all(map(is_count, chain(*(counts.values() for counts in counted))))
        yield "events are counted", is_count(self.n_events_)
        yield (
            "features are those of the values",
            list(self.feature_words_.items()) == [*self._specification().features()],
        )

    def _named_fields(self, chunk):
        """The fields: those named, or those of a chunk that can be."""
        if self.fields is not None:
            return tuple(self.fields)
        frame = frame_of(chunk, names_of(chunk))
        return tuple(
            column.name for column in frame if column.name not in (self.entity, self.time) and _is_field(column)
        )

    def _check(self, fields):
        asked = {"visitor": [self.visitor], "page": [self.page], "shares": self.shares or []}
        asked["divided"] = list(self.divided or {})
        asked["together"] = [name for names in self.together or [] for name in names]
        for role, names in asked.items():
            strange = [name for name in names if name is not None and name not in fields]
            if strange:
                raise ValueError(f"{role} names {strange[0]!r}, which is no field; fields are {', '.join(fields)}")
        if self.page is not None and self.visitor is None:
            raise ValueError(f"page={self.page!r} needs a visitor whose gaps it tells apart")
        unknown = [name for name in self.blocks if name not in BLOCKS]
        if unknown or not len(self.blocks):
            raise ValueError(f"blocks are some of {', '.join(BLOCKS)}; got {list(self.blocks)}")
        parts = list(self.day_parts)
        if not parts or parts != sorted(set(parts)) or not all(0 <= hour < 24 for hour in parts):
            raise ValueError(f"day_parts={parts} must be different hours from 0 to 23 in rising order")
        for scale in (*self.scales, *self.windows, *self.volumes):
            width_of(scale)

    def _specification(self):
        fields = self.fields_
        together = ((fields,) if len(fields) > 1 else ()) if self.together is None else self.together
        divided = tuple((name, int(d)) for name, divisors in (self.divided or {}).items() for d in divisors)
        return Specification(
            fields, tuple(map(tuple, together)), divided, self.visitor, self.page, tuple(self.scales),
            tuple(self.windows), tuple(self.volumes), tuple(self.day_parts), tuple(self.blocks),
            tuple(self.shares_.items()),
        )  # fmt: skip

    def transform(self, log: Any) -> pl.DataFrame:
        """The features of every entity of a log.

        Parameters
        ----------
        log : data frame, mapping of columns, EventLog, Dask data frame, or iterable of chunks
            Events; all of an entity's, in whatever order.

        Returns
        -------
        table : polars.DataFrame
            A row for each entity, in their own order: the entity's column, then the features, which are never missing.
        """
        check_is_fitted(self, "fields_")
        whole = collect_log(log, self.entity, self.time, self.fields_)
        spec = self._specification()
        with progress("features of the log", 5 + len(spec.fields) + len(spec.together)) as advance:
            sorted_log = whole.sorted()
            values = Computation(spec, sorted_log).run(advance)
        names = list(self.get_feature_names_out())
        if self.entity in names or len(set(names)) < len(names):
            twice = self.entity if self.entity in names else max(names, key=names.count)
            raise ValueError(f"{twice!r} would be the name of two columns; rename a column of the log")
        table = pl.DataFrame(values, schema=names, orient="row")
        return table.insert_column(0, sorted_log.entities.alias(self.entity))

    def fit_transform(self, log: Any, y: Any = None) -> pl.DataFrame:
        """Fit to a log and give its features.

        Parameters
        ----------
        log : data frame, mapping of columns, EventLog, Dask data frame, or iterable of chunks
            Events, read once.
        y : None
            Not used.

        Returns
        -------
        table : polars.DataFrame
            As :meth:`transform` gives it.
        """
        if not isinstance(log, EventLog):
            first = log
            if hasattr(log, "to_delayed"):
                first = log.head(1000, npartitions=-1)
            elif not is_chunk(log):
                chunks = iter(log)
                first = next(chunks, None)
                if first is None:
                    raise ValueError("the log has no events")
                log = chain([first], chunks)
            log = collect_log(log, self.entity, self.time, self._named_fields(first))
        return self.fit(log).transform(log)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features, in the order of the columns after the entity's.

        Parameters
        ----------
        input_features : None
            Not used.

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self, "fields_")
        return np.array(list(self.feature_words_), dtype=object)


def _is_field(column: pl.Series) -> bool:
    """Whether a column can be a field: categories that come again."""
    dtype = column.dtype
    if dtype.is_temporal() or dtype.is_nested() or not column.null_count() < len(column):
        return False
    if dtype.is_float():
        present = column.drop_nulls().drop_nans()
        return bool((present % 1 == 0).all()) and present.n_unique() < len(present)
    return len(column) < 2 or column.drop_nulls().n_unique() < column.len() - column.null_count()
