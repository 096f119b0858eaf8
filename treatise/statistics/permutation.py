"""Permutation tests: how often chance alone gives a statistic as large as the one seen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from sklearn.utils import check_random_state

from treatise._core.progress import progress

_BATCH_NUMBERS = 1 << 21
_ROUNDING = 1e-12

Alternative = Literal["greater", "less", "two-sided"]


@dataclass(frozen=True)
class PermutationTest:
    """What a permutation test found.

    Attributes
    ----------
    statistic : float
        On the data as they are.
    p_value : float
        Share of orders, that of the data among them, with a statistic at least as extreme.
    null : ndarray of shape (n_permutations,)
        The statistic on the permuted data.
    """

    statistic: float
    p_value: float
    null: np.ndarray

    @property
    def z_score(self) -> float:
        """Distance of the statistic from the mean of the permuted ones, in their standard deviations."""
        spread = float(self.null.std())
        return (self.statistic - float(self.null.mean())) / spread if spread > 0 else 0.0


def permutation_test(
    statistic: Callable,
    n_samples: int,
    *,
    n_permutations: int = 999,
    alternative: Alternative = "greater",
    vectorized: bool = False,
    random_state=None,
) -> PermutationTest:
    """Test whether the order of the rows matters to a statistic.

    Under the null hypothesis every order of the rows is as likely as the one seen: samples of one distribution pooled,
    or one of two independent columns. The p-value counts the data's own order too (so it is never zero, and the test
    keeps its level for any number of permutations): ``(1 + #{null >= statistic}) / (1 + n_permutations)``. Values that
    differ by rounding alone count as equal.

    Do not use it where rows depend on one another, as in a time series: their orders are not equally likely.

    Parameters
    ----------
    statistic : callable
        Maps an order, an array of the positions 0 to n_samples - 1, to a number; with ``vectorized=True`` maps an array
        of orders of shape (n_orders, n_samples) to one number for each.
    n_samples : int
        Number of rows.
    n_permutations : int, default=999
        Number of orders drawn. The least p-value is one over one more than this.
    alternative : {"greater", "less", "two-sided"}, default="greater"
        Which values speak against the null hypothesis; two-sided doubles the smaller of the two p-values.
    vectorized : bool, default=False
        Whether the statistic takes many orders at once.
    random_state : int, RandomState instance or None, default=None
        Draws the orders.

    Returns
    -------
    test : PermutationTest
        ``statistic``, ``p_value`` and ``null``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import permutation_test
    >>> x, y = np.arange(20.0), np.arange(20.0) ** 2
    >>> permutation_test(lambda order: x @ y[order], 20, n_permutations=99, random_state=0).p_value
    0.01
    """
    if n_permutations < 1:
        raise ValueError(f"n_permutations={n_permutations} draws no order; choose at least 1, 999 is usual")
    if alternative not in ("greater", "less", "two-sided"):
        raise ValueError(f"alternative={alternative!r} is unknown; it may be 'greater', 'less' or 'two-sided'")
    rng = check_random_state(random_state)
    observed = _values(statistic, np.arange(n_samples)[np.newaxis], vectorized)[0]
    null = np.empty(n_permutations)
    size = max(1, min(_BATCH_NUMBERS // max(n_samples, 1), n_permutations))
    with progress("permutations", n_permutations) as advance:
        for start in range(0, n_permutations, size):
            orders = np.array([rng.permutation(n_samples) for _ in range(min(size, n_permutations - start))])
            null[start : start + len(orders)] = _values(statistic, orders, vectorized)
            advance(len(orders))
    return PermutationTest(float(observed), _p_value(observed, null, alternative), null)


def _values(statistic, orders, vectorized):
    values = np.asarray(statistic(orders) if vectorized else [statistic(order) for order in orders], np.float64)
    if values.shape != (len(orders),):
        raise ValueError(f"the statistic gave shape {values.shape} for {len(orders)} orders; one number each is needed")
    if not np.all(np.isfinite(values)):
        raise ValueError("the statistic is not finite on some order of the rows; it must be a number on all")
    return values


def _p_value(observed, null, alternative):
    slack = _ROUNDING * max(abs(observed), float(np.abs(null).max()))
    above = (1 + int(np.sum(null >= observed - slack))) / (1 + len(null))
    below = (1 + int(np.sum(null <= observed + slack))) / (1 + len(null))
    if alternative == "two-sided":
        return min(1.0, 2.0 * min(above, below))
    return above if alternative == "greater" else below
