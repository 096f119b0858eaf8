"""Earth mover's distances of many pairs of histograms over one metric, which are solved again as the metric changes."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from treatise._core.threads import over_ranges
from treatise.optimize.transport._pair_loops import count_nodes, fill_nodes
from treatise.optimize.transport._simplex_loops import add_plans, transport_pairs
from treatise.optimize.transport.single import most


class PairTransport:
    """Transport between pairs of histograms over a metric, each solved from where it ended last.

    What two histograms have in common in a bin stays there, which no metric makes dearer than moving it; the rest is a
    problem between the bins of excess and those of want, half the size or less. Whether the costs are a metric is not
    checked: where a detour is shorter, the distance is too large.

    Memory is 24 bytes a bin and pair. A later solution with nearly the same costs starts from the one before, and
    takes a fraction of its time. Threads share the pairs.

    Parameters
    ----------
    first, second : ndarray of shape (n_first, n_bins) and (n_second, n_bins)
        Histograms of equal totals.
    left, right : ndarray of int of shape (n_pairs,)
        Pairs, as rows of both.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import PairTransport
    >>> histograms = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    >>> transport = PairTransport(histograms, histograms, [0, 0], [1, 2])
    >>> transport.solve(np.abs(np.subtract.outer(np.arange(3), np.arange(3)))).tolist()
    [1.0, 0.5]
    """

    def __init__(self, first, second, left, right):
        first, second = (np.ascontiguousarray(part, dtype=np.float64) for part in (first, second))
        left, right = (np.ascontiguousarray(part, dtype=np.int64) for part in (left, right))
        for rows, pairs in ((first, left), (second, right)):
            if len(pairs) and not (pairs.min() >= 0 and pairs.max() < len(rows)):
                raise ValueError(f"pairs name rows from {pairs.min()} to {pairs.max()}; there are {len(rows)}")
        if first.shape[1] != second.shape[1] or len(left) != len(right):
            raise ValueError("both sides need the same number of bins, and as many left ends as right ends")
        self.n_bins = first.shape[1]
        self._starts, self._split = np.zeros(len(left) + 1, dtype=np.int64), np.empty(len(left), dtype=np.int64)
        count_nodes(first, second, left, right, self._starts, self._split)
        np.cumsum(self._starts, out=self._starts)
        self._bins = np.empty(self._starts[-1], dtype=np.int32)
        self._amounts = np.empty(self._starts[-1])
        fill_nodes(first, second, left, right, self._starts, self._split, self._bins, self._amounts)
        self._roots = np.full(len(left), -1, dtype=np.int64)
        self._parents, self._flows = np.empty(self._starts[-1], dtype=np.int32), np.zeros(self._starts[-1])
        self.values, self.pivots = np.zeros(len(left)), np.zeros(len(left), dtype=np.int64)

    def solve(self, metric, pairs=None):
        """Distances of all pairs, or of those with the numbers given, for costs (n_bins, n_bins)."""
        metric = np.ascontiguousarray(metric, dtype=np.float64)
        if metric.shape != (self.n_bins, self.n_bins):
            raise ValueError(f"metric has the shape {metric.shape}, and histograms have {self.n_bins} bins")
        pairs = np.arange(len(self.values)) if pairs is None else np.asarray(pairs, dtype=np.int64)
        limit = most(self.n_bins)
        over_ranges(
            lambda begin, end: transport_pairs(
                pairs, self._starts, self._split, self._bins, self._amounts, metric, self._roots, self._parents,
                self._flows, self.values, self.pivots, limit, begin, end,
            ),
            len(pairs),
            cost=10.0 * len(pairs) * self.n_bins**1.5,
        )  # fmt: skip
        if len(pairs) and self.pivots[pairs].min() < 0:
            failed = int((self.pivots[pairs] < 0).sum())
            warnings.warn(f"{failed} transports ended above the optimum", ConvergenceWarning, stacklevel=2)
        return self.values[pairs]

    def sum_of_plans(self, pairs, weights):
        """Weighted sum of the last plans of some pairs, (n_bins, n_bins), without what stays in its bin."""
        total = np.zeros((self.n_bins, self.n_bins))
        add_plans(
            np.asarray(pairs, dtype=np.int64), np.asarray(weights, dtype=np.float64), self._starts, self._split,
            self._bins, self._roots, self._parents, self._flows, total,
        )  # fmt: skip
        return total
