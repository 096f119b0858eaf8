"""Level method over kernel weights that add up to one, altogether or within every group."""

import clarabel
import numpy as np
from scipy import sparse
from scipy.optimize import linprog

_MOST_CUTS = 100
_LEVEL = 0.4
"""Where the next point must lie between both ends of the gap, by the model."""


class SimplexCuts:
    """Minimises ``G(w)`` over simplices with ``G(w) >= rewards[t] - forms[t] @ w / 2`` for every t.

    The model, the largest of the cuts, gives a lower bound by a linear program; the next weights are those nearest to
    the last ones at which the model is below a level between both bounds (Lemarechal, Nemirovskii & Nesterov 1995).
    It converges whatever the kernels.

    Parameters
    ----------
    groups : list of ndarray of int
        Positions of the weights of each simplex; together they hold every position once.
    """

    def __init__(self, groups):
        self.rewards, self.forms = [], []
        self._sums = np.zeros((len(groups), sum(map(len, groups))))
        for sums, group in zip(self._sums, groups):
            sums[group] = 1.0

    def add(self, reward, forms):
        """Take the cut of one machine; the oldest one goes if there are too many."""
        self.rewards = [*self.rewards[1 - _MOST_CUTS :], reward]
        self.forms = [*self.forms[1 - _MOST_CUTS :], forms]

    def lower_bound(self):
        """The smallest value of the model."""
        forms, (n_groups, m) = np.array(self.forms), self._sums.shape
        # In units of the largest form, so that the tolerances of the solver mean the same for every cost.
        unit = max(forms.max(), np.finfo(float).tiny)
        rewards = np.array(self.rewards)
        found = linprog(
            np.append(np.zeros(m), 1.0),
            A_ub=np.column_stack([-0.5 * forms / unit, -np.ones(len(forms))]),
            b_ub=-(rewards - rewards.max()) / unit,
            A_eq=np.column_stack([self._sums, np.zeros(n_groups)]),
            b_eq=np.ones(n_groups),
            bounds=[(0.0, None)] * m + [(None, None)],
        )
        return float(rewards.max() + unit * found.fun) if found.success else -np.inf

    def next_weights(self, weights, upper, lower):
        """The point of the simplices nearest to ``weights`` where the model is below the level."""
        forms, (n_groups, m) = np.array(self.forms), self._sums.shape
        unit = max(forms.max(), np.finfo(float).tiny)
        level = lower + _LEVEL * (upper - lower)
        conditions = np.vstack([self._sums, -0.5 * forms / unit, -np.eye(m)])
        bounds = np.concatenate([np.ones(n_groups), (level - np.array(self.rewards)) / unit, np.zeros(m)])
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        cones = [clarabel.ZeroConeT(n_groups), clarabel.NonnegativeConeT(len(forms) + m)]
        solver = clarabel.DefaultSolver(
            sparse.eye(m, format="csc"), -weights, sparse.csc_matrix(conditions), bounds, cones, settings
        )
        nearest = np.maximum(np.array(solver.solve().x), 0.0)
        return nearest / (self._sums.T @ (self._sums @ nearest))
