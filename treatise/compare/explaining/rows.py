"""The rows that are explained: columns, targets, and where a held-out row stands among them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from treatise.compare.inputs import Input

# Distributions and errors of more rows than this would look the same.
MOST_ROWS = 100_000
MOST_CELLS = 6_000_000
LEAST_ROWS = 2_000


@dataclass(frozen=True)
class Rows:
    """Columns that predict, with the target beside them.

    ``X`` is a Polars frame or a sparse matrix with a row for each of ``y``; ``features`` are the names of its columns
    that predict; ``numbers`` are the rows' numbers, ascending, where they are a part of the data.
    """

    X: Any
    y: np.ndarray
    task: str
    classes: np.ndarray
    features: tuple[str, ...]
    numbers: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def sparse(self) -> bool:
        """Whether the columns are those of a sparse matrix."""
        return sparse.issparse(self.X)

    @cached_property
    def labels(self) -> np.ndarray:
        """Numbers of the rows' classes."""
        return np.searchsorted(self.classes, self.y)

    @property
    def base(self) -> float | None:
        """The mean of an amount, the share of the second of two classes, or nothing."""
        if len(self.classes) > 2:
            return None
        return float(np.mean(self.y if len(self.classes) == 0 else self.labels))

    def sums(self, codes: np.ndarray, pieces: int) -> np.ndarray:
        """The target summed over the rows of each piece; for classes, the rows of each class in it."""
        if len(self.classes) == 0:
            return np.bincount(codes, self.y, minlength=pieces)[:, np.newaxis]
        width = len(self.classes)
        return np.bincount(codes * width + self.labels, minlength=pieces * width).reshape(pieces, width).astype(float)

    def column(self, name: str) -> pl.Series:
        """One column, in full."""
        if not self.sparse:
            return self.X[name]
        return pl.Series(name, self.X[:, [self.features.index(name)]].toarray().ravel())

    def part(self, places: np.ndarray) -> "Rows":
        """Some of the rows, in the order given."""
        return replace(self, X=self.X[places], y=self.y[places], numbers=None)

    def fair_part(self, seed: int = 0) -> np.ndarray:
        """Places of a random part, as large as a look at every column needs; all of a small table."""
        most = max(LEAST_ROWS, min(MOST_ROWS, MOST_CELLS // max(1, len(self.features))))
        if len(self) <= most:
            return np.arange(len(self))
        return np.sort(np.random.default_rng(seed).permutation(len(self))[:most])

    def places(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where rows of these numbers stand, and which of the numbers are here at all."""
        if self.numbers is None:
            here = np.flatnonzero(numbers < len(self))
            return numbers[here], here
        found = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        here = np.flatnonzero(self.numbers[found] == numbers)
        return found[here], here


def rows_of(data: Input) -> Rows | None:
    """The rows of an input; None where it has no columns to speak of."""
    found = data.columns()
    if found is None:
        return None
    rows = Rows(found.X, found.y, data.task, data.classes, tuple(data.features))
    if found.numbers is None:
        return rows
    order = np.argsort(found.numbers)
    return replace(rows.part(order), numbers=found.numbers[order])
