"""The joint problem of paper v15-0565 by alternating directions, with a duality gap."""

from dataclasses import dataclass

import numpy as np

from treatise.network.autoregressive._lasso_loops import lasso_columns
from treatise.optimize import (
    L1Penalty,
    NonnegativeL1Penalty,
    NuclearPenalty,
    singular_value_threshold,
    soft_threshold,
)

# Steps between two looks at the gap, each of which costs two decompositions.
LOOK = 10
# Each step goes beyond its end by this factor.
OVER = 1.6
# Most sweeps over all weights of a lasso within a step; the next step goes on.
SWEEPS = 20


@dataclass(frozen=True)
class JointProblem:
    """``|X1 - X0 W|^2 / T + kappa |W|_1 + |omega(A) - W' w|^2 / d + tau |A|_* + gamma |A|_1`` over A and W.

    Parameters
    ----------
    X0, X1 : ndarray of shape (T, d * order) and (T, d)
        Features before, and the features that follow.
    last : ndarray of shape (d * order,)
        Features before the snapshot that is asked for, w.
    omega : FeatureMap
        From matrices to features.
    shape : (int, int)
        Of a snapshot.
    kappa, tau, gamma : float
        Penalties.
    nonnegative : bool
        Whether A must not be negative.
    """

    X0: np.ndarray
    X1: np.ndarray
    last: np.ndarray
    omega: object
    shape: tuple[int, int]
    kappa: float
    tau: float
    gamma: float
    nonnegative: bool

    @property
    def entries(self):
        """The penalty of entries."""
        return NonnegativeL1Penalty(self.gamma) if self.nonnegative else L1Penalty(self.gamma)

    @property
    def singular_values(self):
        """The penalty of singular values."""
        return NuclearPenalty(self.tau)

    def objective(self, A, W):
        """What is minimised."""
        T, d = self.X1.shape
        fit = np.sum((self.X1 - self.X0 @ W) ** 2) / T
        ahead = np.sum((self.omega.apply(A) - W.T @ self.last) ** 2) / d
        prices = self.kappa * np.abs(W).sum() + self.singular_values.value(A) + self.entries.value(A)
        return float(fit + ahead + prices)

    def gradients(self, A, W):
        """Slopes of the two squared terms in A and W."""
        T, d = self.X1.shape
        ahead = self.omega.apply(A) - W.T @ self.last
        in_W = 2.0 / T * self.X0.T @ (self.X0 @ W - self.X1) - 2.0 / d * np.outer(self.last, ahead)
        return 2.0 / d * self.omega.adjoint(ahead), in_W

    def bound(self, A, W, low_slopes):
        """A number that no A and W go below: the dual value of the residuals, scaled until they are feasible.

        First those of the features ahead, on which A's penalties put a limit, then all of them for the limit of W's.
        ``low_slopes`` are slopes of the price of singular values, within its ball.
        """
        T, d = self.X1.shape
        Y1 = 2.0 / T * (self.X0 @ W - self.X1)
        y2 = 2.0 / d * (self.omega.apply(A) - W.T @ self.last)
        pull = -self.omega.adjoint(y2)
        rest = pull - low_slopes
        size = rest.max() if self.nonnegative else np.abs(rest).max()
        clipped = np.minimum(rest, self.gamma) if self.nonnegative else np.clip(rest, -self.gamma, self.gamma)
        y2 = y2 * min(1.0, max(_ratio(self.gamma, size), _ratio(self.tau, np.linalg.norm(pull - clipped, 2)), 0.0))
        share = min(1.0, _ratio(self.kappa, np.abs(self.X0.T @ Y1 - np.outer(self.last, y2)).max()))
        slope = -np.sum(Y1 * self.X1)
        curvature = T / 4.0 * np.sum(Y1**2) + d / 4.0 * np.sum(y2**2)
        if curvature > 0.0:
            share = min(share, max(slope / (2.0 * curvature), 0.0))
        return float(share * slope - share**2 * curvature)


def _ratio(limit, size):
    """By how much a slope may be scaled to stay within a limit."""
    return np.inf if size <= 0.0 else limit / size


@dataclass
class JointFit:
    """A and W with the certificate."""

    A: np.ndarray
    W: np.ndarray
    objective: float
    gap: float
    converged: bool
    n_iter: int


def fit_jointly(problem, *, tol, max_iter, start=None):
    """Alternating directions with two copies of A: one has the price of entries, one that of singular values.

    The rest is solved exactly in each step: A itself changes only in the range of the adjoint of the features, and is
    eliminated; W is then a lasso of T + 1 rows for each feature, from where it stood before, at first at ``start``.
    """
    X0, X1, w, omega = problem.X0, problem.X1, problem.last, problem.omega
    T, d = X1.shape
    zero = float(np.sum(X1**2) / T)
    copies = [np.zeros(problem.shape), np.zeros(problem.shape)]
    duals = [np.zeros(problem.shape), np.zeros(problem.shape)]
    weights = np.zeros((d, X0.shape[1])) if start is None else np.ascontiguousarray(start.T)
    rho, precision = omega.gain / d, 1e-2 * np.sqrt(zero / d)
    best = JointFit(copies[0], weights.T.copy(), zero, zero, zero == 0.0, 0)
    floor, gap_before = 0.0, np.inf
    for step in range(1, max_iter + 1):
        A = (copies[0] - duals[0] + copies[1] - duals[1]) / 2.0
        beta = rho / (d * rho + omega.gain)  # what the squared distance of features weighs once A is eliminated
        seen = omega.apply(A)
        columns = np.ascontiguousarray(np.vstack([np.sqrt(2.0 / T) * X0, np.sqrt(2.0 * beta) * w]).T)
        targets = np.ascontiguousarray(np.vstack([np.sqrt(2.0 / T) * X1, np.sqrt(2.0 * beta) * seen]).T)
        lasso_columns(columns, targets, problem.kappa, weights, precision, SWEEPS)
        A = A - omega.adjoint(seen - weights @ w) / (d * rho + omega.gain)
        before = list(copies)
        for number, prox in enumerate((problem.entries.prox, problem.singular_values.prox)):
            ahead = OVER * A + (1.0 - OVER) * copies[number]
            copies[number] = prox(ahead + duals[number], rho)
            duals[number] = duals[number] + ahead - copies[number]
        if step % LOOK == 0 or step == max_iter:
            W = weights.T
            value = problem.objective(copies[0], W)
            floor = max(floor, problem.bound(A, W, rho * duals[1]))
            if value < best.objective:
                best = JointFit(copies[0], W.copy(), value, np.inf, False, step)
            stalled = best.objective - floor > 0.9 * gap_before
            best.gap, best.n_iter = best.objective - floor, step
            gap_before = best.gap
            if best.gap <= tol * best.objective:
                best.converged = True
                break
            # As exact as the gap asks for, and more where it stalls.
            precision = min(precision, 1e-2 * np.sqrt(best.gap / d)) * (0.3 if stalled else 1.0)
            precision = max(precision, 1e-9 * np.sqrt(zero))
            change = _imbalance(A, copies, before, rho)
            rho, duals = rho * change, [dual / change for dual in duals]
    return best


def _imbalance(A, copies, before, rho):
    """Factor of the price of differences that brings the two kinds of residuals together."""
    primal = np.sqrt(sum(np.sum((A - copy) ** 2) for copy in copies))
    dual = rho * np.sqrt(sum(np.sum((copy - old) ** 2) for copy, old in zip(copies, before)))
    size = np.sqrt(sum(np.sum(copy**2) for copy in copies))
    if not (primal > 0 and dual > 0 and size > 0):
        return 1.0
    ratio = primal * rho / dual
    return 2.0 if ratio > 5.0 else 0.5 if ratio < 0.2 else 1.0


def fit_incrementally(problem, *, theta, max_iter, tol=0.0):
    """Algorithm 1 of the paper: a gradient step, soft thresholds, then thresholds of singular values, of step theta.

    With a constant step it ends above the optimum by about theta: there is no gap to show, and none is claimed.
    """
    A, W = np.zeros(problem.shape), np.zeros((problem.X0.shape[1], problem.X1.shape[1]))
    step = 0
    while step < max_iter:
        step += 1
        slope_A, slope_W = problem.gradients(A, W)
        Z = problem.entries.prox(A - theta * slope_A, 1.0 / theta)
        new_A = singular_value_threshold(Z, theta * problem.tau)
        new_W = soft_threshold(W - theta * slope_W, theta * problem.kappa)
        moved = max(np.abs(new_A - A).max(), np.abs(new_W - W).max())
        A, W = new_A, new_W
        if moved <= tol:
            break
    return A, W, step
