"""The metric nearest to a table of numbers (Brickell, Dhillon, Sra & Tropp, SIAM J. Matrix Anal. 30:375)."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from treatise.metric.ground._triangle_loops import largest_violation, sweep


@dataclass(frozen=True)
class NearestMetric:
    """The metric nearest to a table, as :func:`nearest_metric` finds it.

    Attributes
    ----------
    metric : ndarray of shape (n, n)
        It is symmetric, has a diagonal of zeros, and obeys every triangle inequality to rounding.
    distance : float
        Its distance from the table made symmetric, as the root of the sum of squares.
    gap : float
        The nearest metric of all is at most this far from it, by the dual prices of the inequalities.
    n_sweeps : int
        Rounds over all triangles.
    converged : bool
        Whether the gap is within the tolerance.
    """

    metric: np.ndarray
    distance: float
    gap: float
    n_sweeps: int
    converged: bool


def is_metric(M, tol=1e-9):
    """Whether a table holds distances: symmetric, zero on the diagonal, not negative, no detour shorter.

    Parameters
    ----------
    M : array-like of shape (n, n)
        The table.
    tol : float, default=1e-9
        Share of the largest entry by which each may be broken, for rounding.

    Returns
    -------
    answer : bool

    Examples
    --------
    >>> from treatise.metric import is_metric
    >>> is_metric([[0, 1, 2], [1, 0, 1], [2, 1, 0]]), is_metric([[0, 1, 3], [1, 0, 1], [3, 1, 0]])
    (True, False)
    """
    M = _square(M)
    slack = tol * max(np.abs(M).max(), np.finfo(float).tiny)
    return bool(
        np.abs(M - M.T).max() <= slack
        and np.abs(np.diag(M)).max() <= slack
        and M.min() >= -slack
        and largest_violation(M) <= slack
    )


def nearest_metric(H, *, total=None, tol=1e-6, max_sweeps=10_000):
    """The metric nearest to a table of numbers, in the sum of squares.

    Triangle fixing: round after round every triangle whose one side is too long has it shortened and the two others
    lengthened, less what earlier rounds overdid (Dykstra). The result obeys every triangle inequality: what little is
    left after the last round is added to all entries. Zeros off the diagonal are possible.

    A round costs n^3 / 2 inequalities, 3 ms at n = 128; some tens to thousands of rounds are needed. Memory
    4 n^3 bytes.

    Parameters
    ----------
    H : array-like of shape (n, n)
        Any numbers; the table is made symmetric, and its diagonal is taken for zero.
    total : float or None, default=None
        Sum of all entries that the metric must have, above zero; None leaves it free.
    tol : float, default=1e-6
        Gap to end at, as a share of the size of H (root of the sum of squares); below 1e-7 rounding hides it.
    max_sweeps : int, default=10000
        Most rounds.

    Returns
    -------
    result : NearestMetric

    Examples
    --------
    >>> from treatise.metric import nearest_metric
    >>> nearest_metric([[0, 1, 5], [1, 0, 1], [5, 1, 0]]).metric.round(3).tolist()
    [[0.0, 2.0, 4.0], [2.0, 0.0, 2.0], [4.0, 2.0, 0.0]]

    References
    ----------
    .. [1] Paper v15-0533, Section 4.1, after Brickell et al.
    """
    H = _square(H)
    if total is not None and not (np.isfinite(total) and total > 0):
        raise ValueError(f"total={total} must be a number above zero: the distances of a metric add up to one")
    found = project(np.triu((H + H.T) / 2.0, 1), total, tol, max_sweeps)
    if not found.converged:
        warnings.warn(
            f"triangle fixing ended after {max_sweeps} rounds; the nearest metric may be {found.gap:.2g} away: raise "
            "max_sweeps or tol",
            ConvergenceWarning, stacklevel=2,
        )  # fmt: skip
    return found


def project(target, total, tol, max_sweeps):
    """The nearest metric to an upper triangle, and its certificate."""
    d = len(target)
    upper = np.triu(np.ones((d, d), dtype=bool), 1)
    if d < 3:
        return _of_two(target, total)
    size = max(float(np.sqrt(2.0) * np.linalg.norm(target)), 0.0 if total is None else total / d)
    M, prices, level = target.copy(), np.zeros(d * (d - 1) * (d - 2) // 2), 0.0
    for count in range(1, max_sweeps + 1):
        change = sweep(M, prices)
        if total is not None:
            # The plane of a fixed sum is met exactly each time; being linear, it needs no memory.
            shift = (total / 2.0 - M[upper].sum()) / upper.sum()
            M[upper] += shift
            level += shift
            change = max(change, abs(shift))
        # Looking costs half a round.
        if change <= tol * size or count % 10 == 0 or count == max_sweeps:
            metric, gap = _certified(M[upper], target[upper], level, total, largest_violation(M))
            if gap <= tol * size or change == 0.0:
                break
    converged = bool(gap <= tol * size or change == 0.0)
    return _result(metric, target, gap, count, converged)


def _certified(m, h, level, total, violation):
    """A metric made of sides that nearly are, and how far the nearest one is from it at most.

    The sides are h + A'z + level with prices z of the inequalities, at least zero. Half of the squared distance between
    a metric and the nearest one is at most the difference of its objective and the dual one.
    """
    # Adding a constant to all sides meets each inequality by as much more; metrics stay so when scaled.
    metric = np.maximum(m + max(0.0, violation), 0.0)
    if total is not None:
        metric *= total / 2.0 / metric.sum()
    shifts = (m - h) @ m - level * (m.sum() if total is None else total / 2.0)
    difference = shifts + 0.5 * (metric - m) @ (metric + m - 2.0 * h)
    return metric, 2.0 * float(np.sqrt(max(0.0, difference)))


def _of_two(target, total):
    """Two points or one: any distance that is not negative is a metric."""
    sides = np.maximum(target[np.triu_indices(len(target), 1)], 0.0)
    if total is not None and len(sides):
        sides[:] = total / 2.0
    return _result(sides, target, 0.0, 0, True)


def _result(sides, target, gap, n_sweeps, converged):
    metric = np.zeros_like(target)
    metric[np.triu_indices(len(target), 1)] = sides
    distance = float(np.sqrt(2.0) * np.linalg.norm(metric - target))
    return NearestMetric(metric + metric.T, distance, gap, n_sweeps, converged)


def _square(M):
    M = check_array(M, dtype=np.float64)
    if M.shape[0] != M.shape[1]:
        raise ValueError(f"distances of all pairs make a square table, got shape {M.shape}")
    return M
