"""Yes/no statements about columns: a column of two values is one as it is, one of many is cut."""

import numpy as np
from scipy import sparse

from treatise.statistics.discretize import column_blocks
from treatise.statistics.min_hash import rows_of_columns

_VALUES_AT_ONCE = 1 << 20


class Literals:
    """What can be active in a row: ``x[column] > cut``, or ``x[column] <= cut`` where ``above`` is False.

    Attributes
    ----------
    columns : ndarray of int64
    cuts : ndarray of float64
    above, plain : ndarray of bool
        ``plain`` ones are zeros and ones as they came.
    """

    def __init__(self, columns, cuts, above, plain):
        self.columns = np.asarray(columns, dtype=np.int64)
        self.cuts = np.asarray(cuts, dtype=np.float64)
        self.above = np.asarray(above, dtype=bool)
        self.plain = np.asarray(plain, dtype=bool)

    @classmethod
    def of(cls, X, n_cuts):
        """The literals of a table; ``n_cuts`` quantiles of each column of more than two values, or None."""
        if _is_binary(X):
            p = X.shape[1]
            return cls(np.arange(p), np.zeros(p), np.ones(p, bool), np.ones(p, bool))
        parts = []
        for first, block in _blocks(X):
            for i, values in enumerate(block):
                parts += [(first + i, *literal) for literal in _literals_of(values, n_cuts, first + i)]
        return cls(*zip(*parts)) if parts else cls([], [], [], [])

    def __len__(self):
        return len(self.columns)

    def rows(self, X, chosen=None):
        """Rows where each literal, or each chosen one, holds, and where its rows begin: a column each."""
        chosen = np.arange(len(self)) if chosen is None else chosen
        if sparse.issparse(X) and self.plain[chosen].all():
            part = X if len(chosen) == X.shape[1] == len(self) else X[:, self.columns[chosen]]
            return rows_of_columns(part > 0)
        needed, place = np.unique(self.columns[chosen], return_inverse=True)
        # Column after column, each block of them once; the pieces are then in the order asked for.
        pieces, left = [np.empty(0, dtype=np.int32)] * len(chosen), list(np.argsort(place, kind="stable")[::-1])
        for first, block in _blocks(X[:, needed]):
            while left and place[left[-1]] < first + len(block):
                at = left.pop()
                holds = (block[place[at] - first] > self.cuts[chosen[at]]) == self.above[chosen[at]]
                pieces[at] = np.flatnonzero(holds).astype(np.int32)
        starts = np.concatenate(([0], np.cumsum([len(piece) for piece in pieces], dtype=np.int64)))
        return np.concatenate([np.empty(0, dtype=np.int32), *pieces]), starts.astype(np.int64)

    def names(self, features):
        """The literals in words."""
        out = []
        for column, cut, above, plain in zip(self.columns, self.cuts, self.above, self.plain):
            name = str(features[column])
            out.append(name if plain else f"{name} > {cut:.6g}" if above else f"{name} <= {cut:.6g}")
        return np.array(out, dtype=object)

    def tightest(self, pattern):
        """Those literals of a pattern that no other of its literals implies: one cut each way of a column."""
        kept = {}
        for literal in pattern:
            side = self.columns[literal], self.above[literal]
            tighter = side in kept and (self.cuts[literal] > self.cuts[kept[side]]) == self.above[literal]
            if side not in kept or tighter:
                kept[side] = literal
        return [literal for literal in pattern if literal in kept.values()]


def _is_binary(X):
    values = X.data if sparse.issparse(X) else X
    return values.dtype.kind == "b" or bool(((values == 0) | (values == 1)).all())


def _blocks(X):
    """Some columns at a time, each a row, with the number of the first."""
    if not sparse.issparse(X):
        for block, columns in column_blocks(X):
            yield block.start, columns
        return
    width = max(1, _VALUES_AT_ONCE // max(X.shape[0], 1))
    for begin in range(0, X.shape[1], width):
        yield begin, np.ascontiguousarray(X[:, begin : begin + width].toarray().T, dtype=np.float64)


def _literals_of(values, n_cuts, place):
    """Cut, side and whether it is plain, for each literal of one column."""
    present = np.unique(values)
    if len(present) <= 2:
        # The greater of two values is the active one; a constant other than one says nothing.
        plain = bool(np.isin(present, (0.0, 1.0)).all())
        return [(0.0 if plain else present[0], True, plain)]
    if n_cuts is None:
        raise ValueError(
            f"column {place} of X is not binary (it holds {present[0]:.6g}, {present[1]:.6g} and {present[2]:.6g}); "
            "give zeros and ones, or set n_cuts to have it cut at quantiles"
        )
    quantiles = np.quantile(values, np.arange(1, n_cuts + 1) / (n_cuts + 1), method="lower")
    cuts = np.unique(np.where(quantiles == present[-1], present[-2], quantiles))
    return [(cut, above, False) for cut in cuts for above in (True, False)]
