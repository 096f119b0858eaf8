"""The cost of one fit: CPU seconds and the most memory held, on made-up data of a given size."""

import ctypes
import gc
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks._cost.rows import Row
from benchmarks._peers import instance
from benchmarks._tables import Size, groups_of, make_data
from treatise.catalog import ComparisonEntry

SCALERS = {"standard": StandardScaler, "minmax": MinMaxScaler}
FEWEST_ROWS, MOST_ROWS = 512, 131_072
FEWEST_POSITIONS = 12_288  # of sequences to group: with fewer, more of each would count as more steps of a fit
LONG_ENOUGH = 0.2  # seconds: what a fit at the largest size should take, to stand clear of fixed costs
TINY = 64


class Measured(NamedTuple):
    """What one fit took beyond the same fit of a tiny table."""

    seconds: float
    bytes: float


class Meter:
    """Measures fits of one estimator at its settings in comparisons."""

    def __init__(self, row: Row) -> None:
        compare = row.compare
        self.task = "sequence" if "sequence" in compare.tasks else compare.tasks[0]
        self.classes = _classes(compare)
        self.estimator = _estimator(row, self.task)
        self.in_blocks = row.in_blocks
        self._tiny: dict[int, Measured] = {}
        self._found: dict[Size, Measured] = {}

    def at(self, size: Size) -> Measured:
        """Cost at a size, fixed costs taken off: of seconds a call's own, of bytes what is held on any table."""
        if size not in self._found:
            self._found[size] = self._beyond_fixed(size)
        return self._found[size]

    def _beyond_fixed(self, size: Size) -> Measured:
        fixed = self._fixed(size.k)
        found = self._fit(size)
        # Of a cost that is little more than the fixed one a tenth is left, so that it has a logarithm.
        seconds = max(found.seconds - fixed.seconds, 0.1 * found.seconds)
        table = 0 if self.task == "sequence" else 8 * size.n * size.p
        return Measured(seconds, max(found.bytes - fixed.bytes, 0.1 * found.bytes) + table)

    def largest_rows(self, columns: int) -> int:
        """Rows whose fit takes long enough to be measured well."""
        n = FEWEST_POSITIONS if self.task == "cluster-sequences" else FEWEST_ROWS
        while n < MOST_ROWS and (seconds := self.at(Size(n, columns, self.classes[0])).seconds) < LONG_ENOUGH:
            n *= 4 if seconds < LONG_ENOUGH / 8 else 2
        return n

    def _fixed(self, k: int) -> Measured:
        if k not in self._tiny:
            size = Size(TINY, 4, k)
            self._fit(size)  # compiles what is compiled
            self._tiny[k] = self._fit(size)
        return self._tiny[k]

    def _fit(self, size: Size) -> Measured:
        X, y = make_data(self.task, size)
        if self.in_blocks:
            scaled = self.estimator[:-1].fit_transform(X)
            known = {} if self.task == "regression" else {"classes": np.unique(y)}
            return _cost_of(lambda: clone(self.estimator[-1]).partial_fit(scaled, y, **known))
        return _cost_of(lambda: clone(self.estimator).fit(X, y, **self._groups(size.n)))

    def _groups(self, rows: int) -> dict[str, np.ndarray]:
        """What a method of groups is told besides."""
        if not self.task.endswith("-groups"):
            return {}
        return {f"{self.estimator.steps[-1][0]}__groups": groups_of(rows)}


def grid(meter: Meter) -> list[Size]:
    """A few sizes up to the largest that is cheap to measure, each dimension varied by itself."""
    columns = (1,) if meter.task == "sequence" else (8, 16, 48)
    middle, few = columns[len(columns) // 2], meter.classes[0]
    n = meter.largest_rows(middle)
    sizes = [Size(rows, middle, few) for rows in (max(n // 8, 2 * TINY), n // 4, n)]
    sizes += [Size(n // 4, p, few) for p in columns if p != middle]
    return sizes + [Size(n // 4, middle, k) for k in meter.classes[1:]]


def _classes(compare: ComparisonEntry) -> tuple[int, ...]:
    if "sequence" in compare.tasks:
        return (4, 8, 16)
    if not {"multiclass", "multiclass-bags", "multiclass-groups", "ordinal"} & set(compare.tasks):
        return (2,)
    return (2, 4, 8) if {"binary", "binary-bags", "binary-groups"} & set(compare.tasks) else (3, 6, 12)


def _estimator(row: Row, task: str) -> Any:
    method = instance(row.path, {**row.compare.params, **row.compare.by_task.get(task, {})})
    if task == "sequence":
        return instance("treatise.sequence.SequenceTagger", {"learner": method})
    scaler = [SCALERS[row.compare.scaling]()] if row.compare.scaling in SCALERS else []
    head = [instance(row.compare.head[task], {})] if row.compare.head else []
    return make_pipeline(*scaler, method, *head)


def _cost_of(work: Callable[[], Any]) -> Measured:
    with warnings.catch_warnings(), threadpool_limits(1), _one_numba_thread():
        warnings.simplefilter("ignore")
        seconds = _seconds(work)
        if seconds < 2 * LONG_ENOUGH:
            seconds = min(seconds, _seconds(work))
        return Measured(seconds, _peak(work))


def _seconds(work: Callable[[], Any]) -> float:
    gc.collect()
    start = time.process_time()
    work()
    return max(time.process_time() - start, 1e-6)


def _peak(work: Callable[[], Any]) -> float:
    """The most bytes that work holds at once: of the process where the system tells, else of what Python allocates."""
    gc.collect()
    if not _peak_can_be_reset():
        tracemalloc.start()
        try:
            work()
            return float(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    before = _status("VmRSS")
    work()
    return float(max(_status("VmHWM") - before, 1))


def _peak_can_be_reset() -> bool:
    """Let go of freed memory at once and set Linux's mark of the highest use down to the present one."""
    try:
        libc = ctypes.CDLL(None)
        libc.mallopt(-3, 1 << 16)  # blocks from 64 KiB on are maps of their own, given back when freed
        libc.mallopt(-1, 1 << 16)  # and so is the end of the heap
        libc.malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
    except (OSError, AttributeError):
        return False
    return True


def _status(name: str) -> int:
    text = Path("/proc/self/status").read_text()
    return 1024 * int(text.partition(f"{name}:")[2].split()[0])


@contextmanager
def _one_numba_thread() -> Iterator[None]:
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)
