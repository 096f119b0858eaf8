"""Kernel ridge regression with an offset on a mixture of kernels: the machine of the squared loss."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from treatise.kernel_methods.mkl._certificate import checked_forms
from treatise.kernel_methods.mkl._mixture_machine import MachinePoint
from treatise.kernel_methods.mkl.weights import dual_norm


class RidgeMachine:
    """Solves ``min |f|^2 / 2 + sum_i costs_i (y_i - f(x_i) - b)^2 / 2`` for given kernel weights, exactly.

    Its dual is ``max y' beta - sum_i beta_i^2 / (2 costs_i) - beta' K beta / 2`` with betas that sum to zero. O(n^3).

    Parameters
    ----------
    bank : KernelBank
        The kernels.
    y, costs : ndarray of shape (n,)
        Targets, and costs of half their squared errors; an object of cost zero takes no part.
    """

    def __init__(self, bank, y, costs):
        self.bank, self.y, self.costs = bank, y, costs
        self.n_solved = 0

    def solve(self, weights, alpha, p, tol, known_lower=-np.inf):
        """The machine at these kernel weights; the solution is exact, whatever the start and the tolerance."""
        used = np.flatnonzero(self.costs > 0)
        system = self.bank.mixture(weights)[np.ix_(used, used)]
        system[np.diag_indices_from(system)] += 1.0 / self.costs[used]
        factor = cho_factor(system, lower=True, overwrite_a=True)
        through = cho_solve(factor, np.column_stack([np.ones(len(used)), self.y[used]]))
        offset = float(through[:, 1].sum() / through[:, 0].sum())
        beta = np.zeros(len(self.y))
        beta[used] = through[:, 1] - offset * through[:, 0]
        self.n_solved += 1
        forms = checked_forms(self.bank.quadratic_forms(beta))
        reward = float(self.y @ beta - 0.5 * np.sum(beta[used] ** 2 / self.costs[used]))
        upper, lower = reward - 0.5 * weights @ forms, reward - 0.5 * dual_norm(forms, p)
        return MachinePoint(weights, beta, beta, offset, reward, forms, float(upper), float(lower))
