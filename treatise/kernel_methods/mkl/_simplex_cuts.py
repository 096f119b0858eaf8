"""Minimisation over the simplex from cuts: every machine tells a linear function below the value of any weights."""

import clarabel
import numpy as np
from scipy import sparse
from scipy.optimize import linprog

_MOST_CUTS = 100
_LEVEL = 0.4
"""Where the next point must lie between both ends of the gap, by the model."""


class SimplexCuts:
    """Level method for ``min_w G(w)`` over the simplex with ``G(w) >= rewards[t] - forms[t] @ w / 2`` for every t.

    The model, the largest of the cuts, gives a lower bound by a linear program; the next weights are those nearest to
    the last ones at which the model is below a level between both bounds (Lemarechal, Nemirovskii & Nesterov 1995).
    Unlike the closed-form step it converges for p = 1 whatever the kernels.
    """

    def __init__(self):
        self.rewards, self.forms = [], []

    def add(self, reward, forms):
        """Take the cut of one machine; the oldest one goes if there are too many."""
        self.rewards = [*self.rewards[1 - _MOST_CUTS :], reward]
        self.forms = [*self.forms[1 - _MOST_CUTS :], forms]

    def lower_bound(self):
        """The smallest value of the model."""
        forms, n_kernels = np.array(self.forms), len(self.forms[0])
        # In units of the largest form, so that the tolerances of the solver mean the same for every cost.
        unit = max(forms.max(), np.finfo(float).tiny)
        rewards = np.array(self.rewards)
        found = linprog(
            np.append(np.zeros(n_kernels), 1.0),
            A_ub=np.column_stack([-0.5 * forms / unit, -np.ones(len(forms))]),
            b_ub=-(rewards - rewards.max()) / unit,
            A_eq=np.append(np.ones(n_kernels), 0.0)[None],
            b_eq=[1.0],
            bounds=[(0.0, None)] * n_kernels + [(None, None)],
        )
        return float(rewards.max() + unit * found.fun) if found.success else -np.inf

    def next_weights(self, weights, upper, lower):
        """The point of the simplex nearest to ``weights`` where the model is below the level."""
        forms, m = np.array(self.forms), len(weights)
        unit = max(forms.max(), np.finfo(float).tiny)
        level = lower + _LEVEL * (upper - lower)
        conditions = np.vstack([np.ones(m), -0.5 * forms / unit, -np.eye(m)])
        bounds = np.concatenate([[1.0], (level - np.array(self.rewards)) / unit, np.zeros(m)])
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(len(forms) + m)]
        solver = clarabel.DefaultSolver(
            sparse.eye(m, format="csc"), -weights, sparse.csc_matrix(conditions), bounds, cones, settings
        )
        nearest = np.maximum(np.array(solver.solve().x), 0.0)
        return nearest / nearest.sum()
