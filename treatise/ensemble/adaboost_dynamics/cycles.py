"""Cycles of AdaBoost: found in a trajectory, their margin in closed form, and whether it is the largest."""

from dataclasses import dataclass

import numpy as np

from treatise.ensemble.adaboost_dynamics.map import adaboost_map, checked_matrix, max_margin
from treatise.ensemble.margins import game_value

_REPEATS = 3
"""How often a cycle must have been gone through."""


@dataclass(frozen=True)
class AdaBoostCycle:
    """A cycle: weights that come back after some steps.

    Attributes
    ----------
    columns : ndarray of int of shape (period,)
        Columns in the order in which they are chosen.
    edges : ndarray of shape (period,)
        Their edges.
    weights : ndarray of shape (period, n_examples)
        Weights before each of these steps.
    support : ndarray of int
        Examples whose weights stay above zero: all have the margin of the cycle, and the others a larger one.
    deviation : float
        Largest difference of a weight after one more turn.
    """

    columns: np.ndarray
    edges: np.ndarray
    weights: np.ndarray
    support: np.ndarray
    deviation: float

    @property
    def period(self):
        """Steps of one turn."""
        return len(self.columns)

    @property
    def margin(self):
        """Least margin to which AdaBoost tends."""
        return cycle_margin(self.edges)


def find_cycle(M, trajectory, *, tol=1e-10, max_period=1000):
    """The cycle on which a trajectory ends, or None.

    The columns of the end must repeat three times, one more turn must bring the weights back within ``tol``, and none
    of those next to zero may be rising, which would end the cycle later.

    Parameters
    ----------
    M : array-like of shape (n_examples, n_columns)
        The matrix of the trajectory.
    trajectory : AdaBoostTrajectory
        What :func:`adaboost_map` gave for the best columns.
    tol : float, default=1e-10
        Largest difference of a weight after a turn.
    max_period : int, default=1000
        Longest cycle that is looked for.

    Returns
    -------
    cycle : AdaBoostCycle or None

    Examples
    --------
    >>> from treatise.ensemble import adaboost_map, find_cycle, rudin_matrix
    >>> M = rudin_matrix("8x8")
    >>> cycle = find_cycle(M, adaboost_map(M, 1000))
    >>> cycle.period, sorted(cycle.columns.tolist()), round(cycle.margin, 9)
    (3, [0, 1, 2], 0.333333333)

    References
    ----------
    .. [1] Paper v05-1557, Section 7.
    """
    M = checked_matrix(M)
    chosen = trajectory.chosen
    for period in range(1, min(max_period, len(chosen) // _REPEATS) + 1):
        tail = chosen[-_REPEATS * period :]
        if not np.array_equal(tail[period:], tail[:-period]):
            continue
        # The same columns in the same order: a turn with another choice among ties would not be this cycle.
        turn = tail[:period]
        more = adaboost_map(
            M, period, weights=trajectory.weights, choose=lambda _, step, turn=turn: turn[step], keep_path=True
        )
        deviation = float(np.abs(more.path[-1] - more.path[0]).max())
        if deviation <= tol and more.status == "ran" and not _rising(M, more, tol):
            support = np.flatnonzero((more.path > tol).all(axis=0))
            return AdaBoostCycle(more.chosen, more.edges, more.path[:-1], support, deviation)
    return None


def _rising(M, turn, tol):
    """Whether a weight next to nothing grows with every turn: then it will end the cycle, however late."""
    small = (turn.path[0] > 0) & (turn.path[0] <= tol)
    growth = -np.log1p(M[small][:, turn.chosen] * turn.edges).sum(axis=1)
    return bool((growth > 1e-9).any())


def cycle_margin(edges):
    """Least margin to which AdaBoost tends on a cycle with these edges.

    ``-log(prod(1 - r^2)) / log(prod((1 + r) / (1 - r)))``.

    Parameters
    ----------
    edges : array-like of shape (period,)
        Edges of one turn, between 0 and 1.

    Returns
    -------
    margin : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.ensemble import cycle_margin
    >>> round(cycle_margin([(np.sqrt(5) - 1) / 2] * 3), 12)
    0.333333333333

    References
    ----------
    .. [1] Paper v05-1557, Theorem 4.
    """
    r = np.asarray(edges, dtype=np.float64)
    if r.ndim != 1 or not len(r) or not ((r > 0) & (r < 1)).all():
        raise ValueError(f"edges must be numbers between 0 and 1, one for each step of the cycle; got {edges!r}")
    return float(-np.log1p(-(r**2)).sum() / (2.0 * np.arctanh(r).sum()))


@dataclass(frozen=True)
class CycleOptimality:
    """The three conditions under which a cycle has the largest margin.

    Attributes
    ----------
    reaches : bool
        The columns and examples of the cycle alone have the largest margin of all.
    equal : bool
        Some mixture of the columns gives all these examples exactly that margin.
    invertible : bool
        The matrix of these examples and columns has an inverse.
    """

    reaches: bool
    equal: bool
    invertible: bool

    @property
    def sufficient(self):
        """Whether all three hold, so that the margin of the cycle is proven to be the largest."""
        return self.reaches and self.equal and self.invertible


def cycle_optimality(M, cycle, *, tol=1e-8):
    """Whether a cycle is proven to have the largest margin.

    The first two conditions are necessary, all three together sufficient.

    Parameters
    ----------
    M : array-like of shape (n_examples, n_columns)
        The matrix.
    cycle : AdaBoostCycle
        A cycle on it.
    tol : float, default=1e-8
        Within which margins are the same.

    Returns
    -------
    conditions : CycleOptimality

    Examples
    --------
    >>> from treatise.ensemble import adaboost_map, cycle_optimality, find_cycle, one_mistake_matrix, rudin_matrix
    >>> M = rudin_matrix("8x8")
    >>> cycle_optimality(M, find_cycle(M, adaboost_map(M, 1000))).sufficient
    False
    >>> M = one_mistake_matrix(4)
    >>> cycle_optimality(M, find_cycle(M, adaboost_map(M, 1000))).sufficient
    True

    References
    ----------
    .. [1] Paper v05-1557, Theorem 5.
    """
    M = checked_matrix(M).astype(np.float64)
    largest = max_margin(M).margin
    part = M[np.ix_(cycle.support, np.unique(cycle.columns))]
    reaches = abs(game_value(part).margin - largest) <= tol
    # Examples with the same row are one.
    rows = np.unique(part, axis=0)
    system = np.vstack([rows, np.ones(rows.shape[1])])
    wanted = np.append(np.full(len(rows), largest), 1.0)
    coef = np.linalg.lstsq(system, wanted, rcond=None)[0]
    equal = bool(np.abs(system @ coef - wanted).max() <= tol) and bool((coef >= -tol).all())
    square = rows.shape[0] == rows.shape[1]
    return CycleOptimality(bool(reaches), equal, square and bool(np.linalg.matrix_rank(rows) == len(rows)))
