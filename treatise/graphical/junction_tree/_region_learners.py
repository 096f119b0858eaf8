"""Learners of the edges of one region: which candidate pairs of a few variables are edges (Algorithm 2).

Each takes correlations of the variables, the number of rows behind them, the pairs to decide and those that may be
joined at all, and gives the pairs that it decides to join with the penalty that it chose (NaN where it has none).
"""

from dataclasses import dataclass

import numpy as np

from treatise.graphical.gaussian.criteria import graph_ebic
from treatise.graphical.gaussian.neighborhood_lasso import neighborhood_weights
from treatise.graphical.gaussian.pc_skeleton import weakest_within
from treatise.optimize import solve_graphical_lasso

_SMALLEST_PENALTY = 0.02
_GAP = 1e-4
_RISES = 4
"""The path ends once the criterion has not fallen for so many new graphs."""


@dataclass(frozen=True)
class GraphicalLassoRegion:
    """The graphical lasso that penalises only the candidates (equation 9), its penalty chosen by EBIC."""

    gamma: float = 0.5
    n_penalties: int = 20

    def __call__(self, R, n_samples, candidates, allowed):
        price = np.where(allowed, 0.0, np.inf)
        np.fill_diagonal(price, 0.0)
        if n_samples <= len(R) or np.linalg.eigvalsh(R)[0] < 1e-8:
            # Entries without a price grow without end where the correlations are singular.
            price[allowed & ~candidates] = np.sqrt(np.log(max(len(R), 2)) / n_samples)
        without = solve_graphical_lasso(R, np.where(candidates, np.inf, price), tol=_GAP)
        limit = max(float(np.abs(R - without.covariance)[candidates].max()), 1e-12)
        choice = _Choice(R, n_samples, self.gamma, without.covariance)
        start = without.precision
        for penalty in np.geomspace(limit, _SMALLEST_PENALTY * limit, self.n_penalties):
            found = solve_graphical_lasso(R, np.where(candidates, penalty, price), start=start, tol=_GAP)
            start = found.precision
            if choice.over(found.precision, (found.precision != 0) & candidates, float(penalty)):
                break
        return choice.graph, choice.penalty


@dataclass(frozen=True)
class SeparationRegion:
    """Algorithm 4 on the region's variables; the threshold of partial correlations is chosen by EBIC.

    The sets to condition on come from the allowed graph, which stays, so that one round of tests serves all thresholds.
    """

    order: int
    gamma: float = 0.5
    n_penalties: int = 20

    def __call__(self, R, n_samples, candidates, allowed):
        pairs = np.argwhere(np.triu(candidates, 1))
        weakest = np.abs(weakest_within(R, pairs, allowed, self.order))
        order = np.argsort(-weakest, kind="stable")
        choice = _Choice(R, n_samples, self.gamma, np.eye(len(R)))
        counts = np.unique(np.linspace(0, len(pairs), min(len(pairs), 3 * self.n_penalties) + 1).astype(int))
        for count in counts:
            kept = np.zeros_like(candidates)
            i, j = pairs[order[:count]].T
            kept[i, j] = kept[j, i] = True
            threshold = float(weakest[order[count - 1]]) if count else float("inf")
            if choice.over(None, kept, threshold, joined=kept | (allowed & ~candidates)):
                break
        return choice.graph, choice.penalty


@dataclass(frozen=True)
class NeighborhoodRegion:
    """Neighbourhood selection that penalises only the candidates (equation 10); both regressions must agree."""

    gamma: float = 0.5
    n_penalties: int = 20

    def __call__(self, R, n_samples, candidates, allowed):
        coef, penalties, _ = neighborhood_weights(
            R, n_samples, candidates, allowed, gamma=self.gamma, n_penalties=self.n_penalties
        )
        found = (coef != 0) & candidates
        return found & found.T, float(np.nanmean(penalties))


@dataclass(frozen=True)
class PairwiseRegion:
    """One test a pair, given all other variables of the region, at the price that EBIC asks for an edge.

    A pair of a tiny region was one of many before screening, so the price is never less than among ``least`` variables.
    """

    gamma: float = 0.5
    least: int = 8

    def __call__(self, R, n_samples, candidates, allowed):
        limit = edge_threshold(n_samples, max(len(R), self.least), self.gamma)
        precision = np.linalg.pinv(R, hermitian=True)
        root = np.sqrt(np.maximum(np.diag(precision), np.finfo(float).tiny))
        return candidates & (np.abs(precision / np.outer(root, root)) > limit), float("nan")


def edge_threshold(n_samples, n_variables, gamma):
    """Size of a partial correlation that pays for an edge among some variables by EBIC.

    An edge raises the likelihood term by ``-n log(1 - rho^2)`` and costs ``log n + 4 gamma log k``.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_variables : int
        Number k of variables.
    gamma : float
        Weight of the extended term.

    Returns
    -------
    threshold : float
    """
    price = np.log(n_samples) + 4 * gamma * np.log(max(n_variables, 2))
    return float(np.sqrt(-np.expm1(-price / n_samples)))


class _Choice:
    """The best graph by EBIC of those offered, from sparse to dense; each graph is judged once."""

    def __init__(self, R, n_samples, gamma, start):
        self._R, self._n, self._gamma, self._start = R, n_samples, gamma, start
        self._last, self._rises, self._least = None, 0, np.inf
        self.graph, self.penalty = np.zeros(R.shape, dtype=bool), float("nan")

    def over(self, precision, graph, penalty, joined=None):
        """Judge one more graph; whether the criterion has stopped to fall."""
        if self._last is not None and (graph == self._last).all():
            return False
        self._last = graph
        if joined is not None:
            precision = joined + np.eye(len(joined))
        criterion = graph_ebic(self._R, precision, self._n, gamma=self._gamma, start=self._start)
        if criterion < self._least:
            self.graph, self.penalty, self._least, self._rises = graph, penalty, criterion, 0
        else:
            self._rises += 1
        return self._rises >= _RISES
