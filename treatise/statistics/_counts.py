"""Tables of discrete columns, stored so that counting them against one another is cheap."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from treatise.statistics._counts_loops import (
    cell_sums,
    code_joint_sums,
    plane_joint_sums,
    sparse_joint_sums,
    unpack_planes,
    unpack_rows,
)

MOST_PLANES = 8
"""Planes that a column may take: as many bits a row as a byte has, beyond which codes are smaller."""

_MOST_PLANES_OF_Z = 64
"""Planes of z up to which AND and popcount beat counting row by row (about 13 ns against 20 us at n = 5000)."""

_ROWS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class CountTable:
    """A function of a count, f(0) = 0, at 0, ..., n in fixed point: ``values * unit``.

    Integer sums do not depend on the order of their terms: relabelled or permuted data give the same
    bits, exact copies an uncertainty of exactly one, and incremental updates never drift.
    """

    values: np.ndarray
    unit: float

    @classmethod
    def of(cls, f: np.ndarray) -> "CountTable":
        """From the values of f at 0, ..., n, whose sums over cells stay below ``4 * max(abs(f))``."""
        largest = float(np.abs(f).max(initial=1.0))
        unit = 2.0 ** (math.ceil(math.log2(largest)) - 58)
        return cls(np.rint(f / unit).astype(np.int64), unit)


@lru_cache(maxsize=4)
def entropy_table(n: int) -> CountTable:
    """c log2 c for c = 0, ..., n: n H = f(n) - sum of f(count)."""
    counts = np.arange(n + 1, dtype=np.float64)
    return CountTable.of(counts * np.log2(np.maximum(counts, 1.0)))


class DiscreteVariable:
    """One variable as a code for each row, with what the counting loops want of it."""

    def __init__(self, codes: np.ndarray, n_values: int) -> None:
        self.codes = np.ascontiguousarray(codes, dtype=np.int32)
        self.n_values = n_values

    @cached_property
    def counts(self) -> np.ndarray:
        """Number of rows with each value."""
        return np.bincount(self.codes, minlength=self.n_values).astype(np.int64)

    @cached_property
    def planes(self) -> np.ndarray:
        """Packed bits of the rows with value 1, 2, ..."""
        return pack_planes(self.codes[np.newaxis], np.array([self.n_values]))

    @cached_property
    def sorted_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows in the order of their value, and where each value starts among them."""
        starts = np.concatenate(([0], np.cumsum(self.counts)))
        return np.argsort(self.codes, kind="stable").astype(np.int32), starts


def joint_variable(*variables: DiscreteVariable) -> DiscreteVariable:
    """The tuple of several variables as one variable, with codes for the tuples that occur."""
    joint = variables[0]
    for other in variables[1:]:
        pairs = joint.codes.astype(np.int64) * other.n_values + other.codes
        present, codes = np.unique(pairs, return_inverse=True)
        joint = DiscreteVariable(codes, len(present))
    return joint


def pack_planes(codes: np.ndarray, n_values: np.ndarray) -> np.ndarray:
    """One packed bit vector for each column (row of ``codes``) and each of its values but the first."""
    n_samples = codes.shape[1]
    planes = np.zeros((int(np.sum(n_values - 1)), -(-n_samples // 64)), dtype=np.uint64)
    as_bytes = planes.view(np.uint8)
    first_plane = np.cumsum(n_values - 1) - (n_values - 1)
    for value in range(1, int(n_values.max(initial=1))):
        columns = np.flatnonzero(n_values > value)
        bits = np.packbits(codes[columns] == value, axis=1, bitorder="little")
        as_bytes[first_plane[columns] + value - 1, : bits.shape[1]] = bits
    return planes


class StoredColumns(ABC):
    """Columns stored in one way, with the counts of each column's values.

    ``starts[i]`` is where the counts of column i begin in ``counts``; its first value may not occur.
    """

    def __init__(self, counts: np.ndarray, starts: np.ndarray, n_samples: int) -> None:
        self.counts = np.ascontiguousarray(counts, dtype=np.int64)
        self.starts = np.ascontiguousarray(starts, dtype=np.int64)
        self.n_samples = n_samples

    @property
    def n_values(self) -> np.ndarray:
        return np.diff(self.starts)

    def sums(self, f: CountTable) -> np.ndarray:
        """Sum of f over the value counts of every column."""
        out = np.empty(len(self.starts) - 1, dtype=np.int64)
        cell_sums(self.counts, self.starts, f.values, out)
        return out

    @abstractmethod
    def codes(self, columns: np.ndarray) -> np.ndarray:
        """Codes of the given columns, one a row."""

    @abstractmethod
    def joint_sums(self, z: DiscreteVariable, f: CountTable, columns: np.ndarray) -> np.ndarray:
        """Sum of f over the joint counts of z with each of the given columns."""


class PlaneColumns(StoredColumns):
    """Dense columns of few values, as bit planes."""

    def __init__(self, planes: np.ndarray, counts: np.ndarray, starts: np.ndarray, n_samples: int) -> None:
        super().__init__(counts, starts, n_samples)
        self.planes = planes

    def codes(self, columns: np.ndarray) -> np.ndarray:
        out = np.zeros((len(columns), self.n_samples), dtype=np.uint8)
        unpack_planes(self.planes, self.starts, columns, out)
        return out

    def joint_sums(self, z: DiscreteVariable, f: CountTable, columns: np.ndarray) -> np.ndarray:
        if z.n_values > _MOST_PLANES_OF_Z:
            return _code_joint_sums(self.codes, columns, MOST_PLANES + 1, z, f)
        out = np.empty(len(columns), dtype=np.int64)
        plane_joint_sums(
            self.planes, self.counts, self.starts, columns, z.planes, z.counts, f.values, out
        )  # fmt: skip
        return out


class CodeColumns(StoredColumns):
    """Dense columns of many values, as one unsigned integer a row, of the smallest width that holds them."""

    def __init__(self, codes: np.ndarray, counts: np.ndarray, starts: np.ndarray) -> None:
        super().__init__(counts, starts, codes.shape[1])
        self._codes = codes

    def codes(self, columns: np.ndarray) -> np.ndarray:
        return self._codes[columns]

    def joint_sums(self, z: DiscreteVariable, f: CountTable, columns: np.ndarray) -> np.ndarray:
        return _code_joint_sums(self.codes, columns, int(self.n_values.max()), z, f)


class SparseColumns(StoredColumns):
    """Mostly-zero columns, as the rows of every value but the zero one, grouped by value."""

    def __init__(self, rows: np.ndarray, indptr: np.ndarray, counts: np.ndarray, starts: np.ndarray, n_samples: int):
        super().__init__(counts, starts, n_samples)
        self.rows, self.indptr = rows, indptr

    def codes(self, columns: np.ndarray) -> np.ndarray:
        width = np.min_scalar_type(int(self.n_values.max(initial=1)) - 1)
        out = np.zeros((len(columns), self.n_samples), dtype=width)
        unpack_rows(self.rows, self.indptr, self.counts, self.starts, columns, out)
        return out

    def joint_sums(self, z: DiscreteVariable, f: CountTable, columns: np.ndarray) -> np.ndarray:
        out = np.empty(len(columns), dtype=np.int64)
        z_sum = f.values[z.counts].sum()
        sparse_joint_sums(
            self.rows, self.indptr, self.counts, self.starts, columns, z.codes, z.counts, z_sum, f.values, out
        )  # fmt: skip
        return out


def _code_joint_sums(codes_of, columns, n_values, z, f):
    """Row-by-row counting of columns decoded a block at a time."""
    out = np.empty(len(columns), dtype=np.int64)
    order, starts = z.sorted_rows
    block = max(1, _ROWS_AT_ONCE // max(1, len(order)))
    for begin in range(0, len(columns), block):
        part = slice(begin, begin + block)
        code_joint_sums(codes_of(columns[part]), n_values, order, starts, f.values, out[part])
    return out


class DiscreteTable:
    """Columns of discrete values behind one interface, whatever the way each is stored.

    Parameters
    ----------
    parts : list of (columns, storage)
        Numbers of the columns that each storage holds, in its order.
    n_samples : int
        Number of rows.
    """

    def __init__(self, parts: list[tuple[np.ndarray, StoredColumns]], n_samples: int) -> None:
        self.n_samples = n_samples
        self.n_columns = sum(len(columns) for columns, _ in parts)
        self._storages = [storage for _, storage in parts]
        self._part = np.zeros(self.n_columns, dtype=np.intp)
        self._position = np.zeros(self.n_columns, dtype=np.int64)
        for number, (columns, _) in enumerate(parts):
            self._part[columns] = number
            self._position[columns] = np.arange(len(columns))

    @property
    def n_values(self) -> np.ndarray:
        """Number of values of each column; zero counts as one in sparse columns, present or not."""
        return self._gather(lambda storage: storage.n_values)

    def sums(self, f: CountTable) -> np.ndarray:
        """Sum of f over the value counts of every column."""
        return self._gather(lambda storage: storage.sums(f))

    def joint_sums(self, z: DiscreteVariable, f: CountTable, columns: np.ndarray | None = None) -> np.ndarray:
        """Sum of f over the joint counts of z with each of the given columns (all by default)."""
        columns = np.arange(self.n_columns) if columns is None else np.asarray(columns)
        out = np.empty(len(columns), dtype=np.int64)
        for number, storage in enumerate(self._storages):
            chosen = np.flatnonzero(self._part[columns] == number)
            if len(chosen):
                out[chosen] = storage.joint_sums(z, f, self._position[columns[chosen]])
        return out

    def codes(self, columns: np.ndarray) -> np.ndarray:
        """Codes of the given columns, one a row, starting at zero."""
        columns = np.asarray(columns)
        out = np.zeros((len(columns), self.n_samples), dtype=np.int32)
        for number, storage in enumerate(self._storages):
            chosen = np.flatnonzero(self._part[columns] == number)
            if len(chosen):
                out[chosen] = storage.codes(self._position[columns[chosen]])
        return out

    def variable(self, column: int) -> DiscreteVariable:
        """One column as a variable, to be counted against the others."""
        starts, position = self._storages[self._part[column]].starts, self._position[column]
        n_values = int(starts[position + 1] - starts[position])
        return DiscreteVariable(self.codes(np.array([column]))[0], n_values)

    @property
    def planes(self) -> PlaneColumns | None:
        """The bit planes of a table that consists of them, all columns in their order; None for any other."""
        only = self._storages[0] if len(self._storages) == 1 else None
        if not isinstance(only, PlaneColumns) or (self._position != np.arange(self.n_columns)).any():
            return None
        return only

    def _gather(self, of):
        out = np.zeros(self.n_columns, dtype=np.int64)
        for number, storage in enumerate(self._storages):
            columns = np.flatnonzero(self._part == number)
            out[columns] = of(storage)[self._position[columns]]
        return out
