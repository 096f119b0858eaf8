"""How many features to drop at a time (Stracuzzi & Utgoff, JMLR 5:1331, Section 4)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treatise._core.jit import compiled

Growth = float | Callable[[np.ndarray], np.ndarray]


def success_probability(n: int, r: int, k: int) -> float:
    """Chance that k features drawn from n without replacement are all irrelevant, where r are relevant.

    Parameters
    ----------
    n : int
        Features left.
    r : int
        Relevant ones among them.
    k : int
        Features drawn.

    Returns
    -------
    chance : float
        The paper's p+(n, r, k).

    Examples
    --------
    >>> from treatise.selection import success_probability
    >>> round(success_probability(100, 10, 9), 4)
    0.3713
    """
    if not (0 <= r <= n and 0 <= k <= n):
        raise ValueError(f"r={r} relevant features and a batch of k={k} must both lie between 0 and n={n}")
    # comb(n - r, k) / comb(n, k) is the same with r and k exchanged: the shorter product is the more exact one.
    few, many = min(r, k), max(r, k)
    left = np.arange(n, n - few, -1, dtype=np.float64)
    return float(np.prod(np.maximum(left - many, 0.0) / left))


@dataclass(frozen=True)
class EliminationSchedule:
    """Batch sizes for every number of features left, and what the elimination is expected to cost.

    Attributes
    ----------
    n_features, n_relevant : int
        Features to begin with, and those to end with.
    batch_sizes : ndarray of int of shape (n_features + 1,)
        Features to drop at a time when so many are left; zero where nothing is to be dropped.
    expected_costs : ndarray of shape (n_features + 1,)
        Expected cost of all fits from there on: the last entry is that of the whole elimination, without the first
        fit on all features.
    """

    n_features: int
    n_relevant: int
    batch_sizes: np.ndarray
    expected_costs: np.ndarray

    @cached_property
    def steps(self) -> list[int]:
        """Sizes of the batches that lead from all features to the relevant ones."""
        left, found = self.n_features, []
        while left > self.n_relevant:
            found.append(int(self.batch_sizes[left]))
            left -= found[-1]
        return found

    @property
    def expected_cost(self) -> float:
        """Expected cost of the whole elimination, the paper's Isum(N, r)."""
        return float(self.expected_costs[-1])

    @property
    def expected_fits(self) -> float:
        """Expected number of subsets to fit, the full one among them."""
        left = self.n_features - np.concatenate([[0], np.cumsum(self.steps)[:-1]]).astype(int)
        return 1.0 + sum(1.0 / success_probability(int(n), self.n_relevant, k) for n, k in zip(left, self.steps))


def elimination_schedule(
    n_features: int, n_relevant: int, *, cost: Growth = 1.0, batch_size: int | str = "optimal"
) -> EliminationSchedule:
    """Sizes of the random batches that eliminate the irrelevant features at the least expected cost.

    A large batch is rid of many features in one fit, and the likelier to hold a relevant one, which spoils it. Dynamic
    programming finds the balance for every number of features left, in O(N^2): 5 000 features in some 20 ms.

    Parameters
    ----------
    n_features : int
        Features to begin with, N.
    n_relevant : int
        Relevant features among them, r.
    cost : float or callable, default=1.0
        How the cost of a fit grows with its features: a power of their number, or a function of an array of numbers of
        features. Only its shape matters: 1 for most linear learners, 2 for trees, 0 to count fits.
    batch_size : "optimal", "ratio" or int, default="optimal"
        "ratio" is n / r, which has the same order of cost and needs no table; a number is used throughout.

    Returns
    -------
    schedule : EliminationSchedule

    Examples
    --------
    >>> from treatise.selection import elimination_schedule
    >>> schedule = elimination_schedule(500, 10)
    >>> schedule.steps[:5], len(schedule.steps), round(schedule.expected_fits)
    ([50, 45, 40, 36, 32], 43, 135)
    >>> round(elimination_schedule(500, 10, batch_size=1).expected_fits)
    559

    References
    ----------
    .. [1] Paper v05-1331, Section 4 and Table 1.
    """
    if not 1 <= n_relevant <= n_features:
        raise ValueError(f"n_relevant={n_relevant} must lie between 1 and the {n_features} features there are")
    costs = fit_costs(cost, n_features)
    totals, sizes = np.zeros(n_features + 1), np.zeros(n_features + 1, dtype=np.int64)
    if batch_size == "optimal":
        cheapest_batches(n_relevant, costs, totals, sizes)
    else:
        sizes[n_relevant + 1 :] = fixed_sizes(n_features, n_relevant, batch_size)
        cost_of_batches(n_relevant, costs, totals, sizes)
    return EliminationSchedule(n_features, n_relevant, sizes, totals)


def fixed_sizes(n_features: int, n_relevant: int, batch_size: int | str) -> np.ndarray:
    """Batches for n_relevant + 1 features left and more, that follow no table."""
    left = np.arange(n_relevant + 1, n_features + 1)
    wanted = left // n_relevant if batch_size == "ratio" else np.full(len(left), int(batch_size))
    return np.clip(wanted, 1, left - n_relevant)


def fit_costs(cost: Growth, n_features: int) -> np.ndarray:
    """What a fit on 0, 1, ..., n_features features costs, which must be positive from one on and not fall."""
    left = np.arange(n_features + 1, dtype=np.float64)
    costs = np.asarray(cost(left) if callable(cost) else left**cost, dtype=np.float64)
    if costs.shape != left.shape:
        raise ValueError(f"cost returned the shape {costs.shape} for the shape {left.shape}; give one cost a number")
    known = costs[1:]
    if not (np.isfinite(known).all() and (known > 0).all() and (np.diff(known) >= 0).all()):
        raise ValueError("cost must be positive, finite and not fall as the number of features rises from 1")
    return costs


@compiled
def cheapest_batches(r, costs, totals, sizes):
    """Table 1 of the paper: for each number of features left the first batch size of the least expected cost."""
    for n in range(r + 1, len(costs)):
        best, chance = np.inf, 1.0
        for k in range(1, n - r + 1):
            chance *= (n - r - k + 1.0) / (n - k + 1.0)
            # Costs do not fall with features, so no larger batch can be cheaper either.
            if costs[r] > best * chance:
                break
            total = costs[n - k] / chance + totals[n - k]
            if total < best:
                best = total
                sizes[n] = k
        totals[n] = best


@compiled
def cost_of_batches(r, costs, totals, sizes):
    """The expected cost of batches of given sizes."""
    for n in range(r + 1, len(costs)):
        chance, k = 1.0, sizes[n]
        for i in range(k):
            chance *= (n - r - i) / (n - i)
        totals[n] = costs[n - k] / chance + totals[n - k]
