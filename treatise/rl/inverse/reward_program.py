"""The sparse reward with the largest margins, by linear programming (Tables 1 to 3 of the paper)."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
TIE = 1e-7
"""By how much the penalties of two entries differ, as a share: of equally good rewards one is always taken."""
SCANNED = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
"""Penalties that are tried, as shares of the least one for which the reward is zero."""
NONZERO = 1e-6
"""Share of the largest reward allowed from which on an entry counts."""


class RewardSolution(NamedTuple):
    """A reward that satisfies conditions."""

    reward: np.ndarray
    """Flattened from (n_states, n_actions)."""
    lam: float
    """The penalty."""
    margin: float
    """Summed margins."""
    slack: float
    """The least condition, which is zero but for rounding where it is negative."""


def sparse_reward(conditions, r_max, lam):
    """Maximise the summed margins less ``lam`` times the sum of the rewards' sizes, under the conditions.

    Parameters
    ----------
    conditions : Conditions
        Which rewards make the expert optimal.
    r_max : float
        Largest size of a reward.
    lam : float or "auto"
        The penalty; "auto" tries several from the largest on that leaves anything, and takes the reward with the fewest
        entries that are not zero, of equally sparse ones that with the largest penalty.

    Returns
    -------
    solution : RewardSolution
    """
    if lam != "auto":
        return _solve(conditions, r_max, float(lam))
    limit = largest_penalty(conditions)
    if limit <= 0.0:
        return _solve(conditions, r_max, 0.0)
    tried = [_solve(conditions, r_max, share * limit) for share in SCANNED]
    sizes = [int((np.abs(each.reward) > NONZERO * r_max).sum()) for each in tried]
    return min(
        (each for each, size in zip(tried, sizes) if size),
        key=lambda each: (int((np.abs(each.reward) > NONZERO * r_max).sum()), -each.lam),
        default=tried[-1],
    )


def largest_penalty(conditions):
    """The penalty from which on the reward is zero: the most margin that a reward of size one can have.

    Parameters
    ----------
    conditions : Conditions
        Which rewards make the expert optimal.

    Returns
    -------
    limit : float
    """
    size = len(conditions.total)
    scale = max(np.abs(conditions.total).max(), 1e-300)
    rows = sparse.vstack([_feasible(conditions), sparse.csr_array(np.ones((1, 2 * size)))], format="csr")
    right = np.zeros(rows.shape[0])
    right[-1] = 1.0
    costs = -np.concatenate([conditions.total, -conditions.total]) / scale
    found = _program(costs, rows, right, (0.0, None))
    return float(-found.fun * scale)


def _solve(conditions, r_max, lam):
    size = len(conditions.total)
    scale = max(np.abs(conditions.total).max(), lam, 1e-300)
    # The fractional parts of multiples of the golden ratio are all different and spread evenly.
    spread = np.tile(np.modf(np.arange(1, size + 1) * 0.6180339887498949)[0], 2)
    costs = (lam * (1.0 + TIE * spread) - np.concatenate([conditions.total, -conditions.total])) / scale
    found = _program(costs, _feasible(conditions), np.zeros(len(conditions.rows)), (0.0, 1.0))
    reward = r_max * (found.x[:size] - found.x[size:])
    reward[np.abs(reward) < 1e-9 * r_max] = 0.0
    slack = float((conditions.rows @ reward).min(initial=0.0))
    return RewardSolution(reward, lam, float(conditions.total @ reward), slack)


def _feasible(conditions):
    """Rows that must not be above zero, for the positive and the negative parts of rewards."""
    rows = conditions.rows / np.maximum(np.abs(conditions.rows).max(axis=1, keepdims=True), 1e-300)
    return sparse.csr_array(np.hstack([-rows, rows]))


def _program(costs, rows, right, bounds):
    found = linprog(costs, A_ub=rows, b_ub=right, bounds=bounds, method="highs", options=EXACT)
    if found.status != 0:
        raise RuntimeError(f"the linear program for the reward did not end: {found.message}")
    return found
