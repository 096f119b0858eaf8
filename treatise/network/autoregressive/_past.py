"""What is known of a network before a snapshot, as joint problems of its features."""

import numpy as np

from treatise.network.autoregressive._joint_fit import JointProblem
from treatise.network.autoregressive.feature_maps import feature_map, leading_directions


class Past:
    """Snapshots in the order of time, from which the next one is predicted.

    Parameters
    ----------
    matrices : list of ndarray or CSR array
        Snapshots.
    features : str
        What follows the autoregression.
    order : int
        Snapshots that the next one follows from.
    rule : {"shared", "full"}
        Whether all nodes follow one rule, or each feature may follow from any other.
    constant, nonnegative : bool
        Whether features have levels of their own, and whether A must not be negative.
    """

    def __init__(self, matrices, *, features, order, rule, constant, nonnegative):
        self.matrices, self.features, self.order = matrices, features, order
        self.rule, self.constant, self.nonnegative = rule, constant, nonnegative
        self.shape = matrices[0].shape
        total = sum(matrices)
        self.directions = leading_directions(total) if features == "svd" else np.empty((self.shape[1], 0))

    def problem(self, n_directions, kappa=0.0, tau=0.0, gamma=0.0):
        """The problem of some prices."""
        omega = feature_map(self.features, self.shape, self.directions[:, :n_directions])
        seen = np.array([omega.apply(A) for A in self.matrices])
        seen = seen.reshape(len(seen), -1, omega.group if self.rule == "shared" else seen.shape[1])
        p = self.order
        before = np.concatenate([seen[p - 1 - lag : len(seen) - lag] for lag in range(p)], axis=2)
        return JointProblem(
            before[:-1], seen[p:], before[-1], omega, self.shape, kappa, tau, gamma, self.nonnegative, self.constant
        )

    def prices(self, n_directions, share_W, share_A):
        """Prices in shares of those at which W, or A beside features as they mostly were, is nothing."""
        problem = self.problem(n_directions)
        X1 = problem.X1 - problem.X1.mean(axis=0) if self.constant else problem.X1
        kappa = 2.0 / len(X1) * np.abs(np.tensordot(problem.X0, X1, axes=((0, 1), (0, 1)))).max()
        usual = problem.X1.mean(axis=0) if self.constant else problem.X1[-1]
        pull = 2.0 / usual.size * problem.omega.adjoint(usual.ravel())
        tau, gamma = np.linalg.norm(pull, 2), np.abs(pull).max()
        return share_W * kappa, share_A * tau / 2.0, share_A * gamma / 2.0
