"""Estimates of how much better one solution is than another, from a sample of pairs (paper v15-0885, Section 2)."""

from dataclasses import dataclass

import numpy as np

from treatise._core.invariants import is_array, within


@dataclass(frozen=True)
class RelativeRegret:
    """Error of solutions less that of a pivot, estimated from weighted pairs: a smooth relative regret approximation.

    Attributes
    ----------
    pairs : ndarray of int of shape (n_pairs, 2)
        Pairs of items.
    weights : ndarray of shape (n_pairs,)
        Pairs that each stands for.
    answers : ndarray of shape (n_pairs,)
        1 for yes, -1 for no, 0 for even votes, which count for nothing.
    pivot : ndarray of int of shape (n_items,)
        The order of the items, or the group of each.
    ordered : bool
        Whether a solution is an order, first item first, rather than groups.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.semisupervised import RelativeRegret
    >>> pairs = np.array([[0, 1], [0, 2], [1, 2]])
    >>> regret = RelativeRegret(pairs, np.ones(3), np.array([1, 1, -1]), np.array([0, 1, 2]), ordered=True)
    >>> round(regret.evaluate([0, 2, 1]), 4)
    -0.3333
    """

    pairs: np.ndarray
    weights: np.ndarray
    answers: np.ndarray
    pivot: np.ndarray
    ordered: bool

    def _invariants(self):
        n, items = len(self.pairs), len(self.pivot)
        yield "pairs are of two of the items", is_array(self.pairs, np.int64, n, 2) and within(self.pairs, 0, items)
        yield "pairs have weights", is_array(self.weights, np.float64, n)
        yield (
            "pairs have answers",
            is_array(self.answers, np.float64, n) and bool(np.isin(self.answers, (-1, 0, 1)).all()),
        )
        yield "the pivot is an order, or the groups", is_solution(self.pivot, items, self.ordered)

    def losses(self, solution):
        """Weight of each pair where the solution says otherwise than the answer."""
        return self.weights * (self.answers * said(self.pairs, np.asarray(solution), self.ordered) < 0)

    def evaluate(self, solution):
        """Estimated share of all pairs on which the solution errs, less that of the pivot; without bias."""
        n = len(self.pivot)
        return float((self.losses(solution) - self.losses(self.pivot)).sum() / (n * (n - 1) / 2))


def is_solution(solution, n_items: int, ordered: bool) -> bool:
    """Whether a solution puts every item once, or gives each a group, from 0."""
    if not is_array(solution, np.int64, n_items):
        return False
    return bool(np.array_equal(np.sort(solution), np.arange(n_items)) if ordered else np.all(solution >= 0))


def said(pairs: np.ndarray, solution: np.ndarray, ordered: bool) -> np.ndarray:
    """What a solution says of pairs: 1 where the first is before the second, or both are together, else -1."""
    if ordered:
        place = np.argsort(solution)
        return np.where(place[pairs[:, 0]] < place[pairs[:, 1]], 1.0, -1.0)
    return np.where(solution[pairs[:, 0]] == solution[pairs[:, 1]], 1.0, -1.0)
