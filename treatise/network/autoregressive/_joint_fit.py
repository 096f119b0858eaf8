"""The joint problem of paper v15-0565 by alternating directions, with a duality gap."""

from dataclasses import dataclass

import numpy as np

from treatise.network.autoregressive._lasso_loops import lasso_columns
from treatise.optimize import L1Penalty, NonnegativeL1Penalty, NuclearPenalty

# Steps between two looks at the gap, each of which costs two decompositions.
LOOK = 10
# Each step goes beyond its end by this factor.
OVER = 1.6
# Most sweeps over all weights of a lasso within a step; the next step goes on.
SWEEPS = 20


@dataclass(frozen=True)
class JointProblem:
    """``|X1 - X0 W - b|^2 / T + kappa |W|_1 + |omega(A) - w W - b|^2 / d + tau |A|_* + gamma |A|_1``.

    Over A, W and, where there is one, the constant b, which the paper leaves out. The d features are in groups of the
    same size that follow the same W; the paper's rule has one group.

    Parameters
    ----------
    X0, X1 : ndarray of shape (T, n_groups, size * order) and (T, n_groups, size)
        Features before, and the features that follow.
    last : ndarray of shape (n_groups, size * order)
        Features before the snapshot that is asked for, w.
    omega : FeatureMap
        From matrices to features.
    shape : (int, int)
        Of a snapshot.
    kappa, tau, gamma : float
        Penalties.
    nonnegative : bool
        Whether A must not be negative.
    constant : bool
        Whether there is a b.
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
    constant: bool = False

    @property
    def entries(self):
        """The penalty of entries."""
        return NonnegativeL1Penalty(self.gamma) if self.nonnegative else L1Penalty(self.gamma)

    @property
    def singular_values(self):
        """The penalty of singular values."""
        return NuclearPenalty(self.tau)

    def residuals(self, A, W, b):
        """By how much the past features, and those of A, are off."""
        return self.X0 @ W + b - self.X1, self.features(A) - self.last @ W - b

    def features(self, A):
        """Those of a snapshot, in groups."""
        return self.omega.apply(A).reshape(self.X1.shape[1:])

    def objective(self, A, W, b):
        """What is minimised."""
        T, d = len(self.X1), self.X1[0].size
        past, ahead = self.residuals(A, W, b)
        prices = self.kappa * np.abs(W).sum() + self.singular_values.value(A) + self.entries.value(A)
        return float(np.sum(past**2) / T + np.sum(ahead**2) / d + prices)

    def stake(self, found):
        """What a gap is measured by: the squares of the features ahead, which A answers for.

        They weigh 1 / d, those of the past do not: beside the whole objective, A could be anything.
        """
        ahead = np.sum((self.last @ found.W + found.b) ** 2) / self.X1[0].size
        return max(float(ahead), 1e-6 * found.objective)

    def gradients(self, A, W, b):
        """Slopes of the two squared terms in A, W and b."""
        T, d = len(self.X1), self.X1[0].size
        past, ahead = self.residuals(A, W, b)
        Y1, y2 = 2.0 / T * past, 2.0 / d * ahead
        return self.omega.adjoint(y2.ravel()), self.pull_on_weights(Y1, y2), Y1.sum(axis=0) - y2

    def pull_on_weights(self, Y1, y2):
        """Slopes in W of residuals that weigh Y1 and y2."""
        return np.tensordot(self.X0, Y1, axes=((0, 1), (0, 1))) - self.last.T @ y2

    def bound(self, A, W, b, low_slopes):
        """A number that no A, W and b go below: the dual value of the residuals, changed until they are feasible.

        First those of the features ahead, on which A's penalties put a limit, then those of the past, which must sum to
        them where there is a constant, then all of them for the limit of W's. ``low_slopes`` are slopes of the price of
        singular values, within its ball.
        """
        T, d = len(self.X1), self.X1[0].size
        past, ahead = self.residuals(A, W, b)
        Y1, y2 = 2.0 / T * past, 2.0 / d * ahead
        pull = -self.omega.adjoint(y2.ravel())
        rest = pull - low_slopes
        size = rest.max() if self.nonnegative else np.abs(rest).max()
        clipped = np.minimum(rest, self.gamma) if self.nonnegative else np.clip(rest, -self.gamma, self.gamma)
        y2 = y2 * min(1.0, max(_ratio(self.gamma, size), _ratio(self.tau, np.linalg.norm(pull - clipped, 2)), 0.0))
        if self.constant:
            Y1 = Y1 + (y2 - Y1.sum(axis=0)) / T
        share = min(1.0, _ratio(self.kappa, np.abs(self.pull_on_weights(Y1, y2)).max()))
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
    """A, W and b with the certificate."""

    A: np.ndarray
    W: np.ndarray
    b: np.ndarray
    objective: float
    gap: float
    converged: bool
    n_iter: int


def fit_jointly(problem, *, tol, max_iter):
    """Alternating directions with two copies of A: one has the price of entries, one that of singular values.

    The rest is solved exactly in each step: A itself changes only in the range of the adjoint of the features, and is
    eliminated; W is then a lasso of T + 1 rows a group, from where it stood before.
    """
    omega, d = problem.omega, problem.X1[0].size
    n_before, n_after = problem.X0.shape[2], problem.X1.shape[2]
    zero = float(np.sum(problem.X1**2) / len(problem.X1))
    copies = [np.zeros(problem.shape), np.zeros(problem.shape)]
    duals = [np.zeros(problem.shape), np.zeros(problem.shape)]
    weights = np.zeros((n_after, n_before))
    rho, precision = omega.gain / d, 1e-2 * np.sqrt(zero / d)
    best = JointFit(
        copies[0], np.zeros((n_before, n_after)), np.zeros(problem.X1.shape[1:]), zero, zero, zero == 0.0, 0
    )
    floor, gap_before = 0.0, np.inf
    for step in range(1, max_iter + 1):
        A = (copies[0] - duals[0] + copies[1] - duals[1]) / 2.0
        beta = rho / (d * rho + omega.gain)  # what the squared distance of features weighs once A is eliminated
        seen = problem.features(A)
        b = _regress(problem, seen, beta, weights, precision)
        A = A - omega.adjoint((seen - problem.last @ weights.T - b).ravel()) / (d * rho + omega.gain)
        before = list(copies)
        for number, prox in enumerate((problem.entries.prox, problem.singular_values.prox)):
            ahead = OVER * A + (1.0 - OVER) * copies[number]
            copies[number] = prox(ahead + duals[number], rho)
            duals[number] = duals[number] + ahead - copies[number]
        if step % LOOK == 0 or step == max_iter:
            W = weights.T
            value = problem.objective(copies[0], W, b)
            floor = max(floor, problem.bound(A, W, b, rho * duals[1]))
            if value < best.objective:
                best = JointFit(copies[0], W.copy(), b, value, np.inf, False, step)
            stalled = best.objective - floor > 0.9 * gap_before
            best.gap, best.n_iter = best.objective - floor, step
            gap_before = best.gap
            if best.gap <= tol * problem.stake(best):
                best.converged = True
                break
            # As exact as the gap asks for, and more where it stalls.
            precision = min(precision, 1e-2 * np.sqrt(best.gap / d)) * (0.3 if stalled else 1.0)
            precision = max(precision, 1e-9 * np.sqrt(zero))
            change = _imbalance(A, copies, before, rho)
            rho, duals = rho * change, [dual / change for dual in duals]
    return best


def _regress(problem, seen, beta, weights, precision):
    """The lasso of the past and of the features now seen, of weight beta: changes the weights, returns the constant."""
    T = len(problem.X1)
    roots = np.sqrt(2.0 * np.append(np.full(T, 1.0 / T), beta))[:, np.newaxis, np.newaxis]
    before, after = roots * np.append(problem.X0, [problem.last], 0), roots * np.append(problem.X1, [seen], 0)
    if problem.constant:
        # The best constant for any weights leaves what is orthogonal to its column.
        along = roots / np.linalg.norm(roots)
        lost, goals = np.sum(along * before, axis=0), np.sum(along * after, axis=0)
        before, after = before - along * lost, after - along * goals
    columns, targets = _few_rows(before.reshape(-1, before.shape[2]), after.reshape(-1, after.shape[2]))
    lasso_columns(columns, targets, problem.kappa, weights, precision, SWEEPS)
    return (goals - lost @ weights.T) / np.linalg.norm(roots) if problem.constant else np.zeros(seen.shape)


def _few_rows(X, Y):
    """Columns and targets, one a row, with the distances of X and Y up to a number, and no more rows than columns."""
    if len(X) <= X.shape[1]:
        return np.ascontiguousarray(X.T), np.ascontiguousarray(Y.T)
    squares, vectors = np.linalg.eigh(X.T @ X)
    kept = squares > 1e-14 * squares[-1]
    roots, vectors = np.sqrt(squares[kept]), vectors[:, kept]
    return np.ascontiguousarray(vectors * roots), np.ascontiguousarray((Y.T @ X) @ (vectors / roots))


def _imbalance(A, copies, before, rho):
    """Factor of the price of differences that brings the two kinds of residuals together."""
    primal = np.sqrt(sum(np.sum((A - copy) ** 2) for copy in copies))
    dual = rho * np.sqrt(sum(np.sum((copy - old) ** 2) for copy, old in zip(copies, before)))
    size = np.sqrt(sum(np.sum(copy**2) for copy in copies))
    if not (primal > 0 and dual > 0 and size > 0):
        return 1.0
    ratio = primal * rho / dual
    return 2.0 if ratio > 5.0 else 0.5 if ratio < 0.2 else 1.0
