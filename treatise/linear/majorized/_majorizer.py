"""Negative log-likelihood of the states of rows, and the quadratic bounds that majorise it (Sections 2.2 and 2.3)."""

from functools import cached_property, partial

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dpotrf, dpotrs
from sklearn.utils.extmath import safe_sparse_dot

from treatise.linear._column_widths import gradient_unit, mean_and_variance
from treatise.linear.majorized._loops import bound_factors, state_residuals, uncertainties
from treatise.optimize import LowRankCurvature, minimize_box_quadratic
from treatise.statistics.row_blocks import RowBlocks

# Rows whose factors are held at once: as many numbers as a few megabytes hold.
_FACTOR_NUMBERS = 1 << 19
_LOW_RANK_ROWS = 64
_WIDEST_GRAM = 5000
_LARGEST_CURVATURE = 1 << 32  # bytes


class Majorizer:
    """Objective of a log-linear model with one weight vector per state.

    Parameters
    ----------
    X : ndarray or csr matrix of shape (n_samples, n_features)
        Rows; a column of ones is added for the intercept.
    labels : ndarray of int
        Class of each row.
    weights : ndarray
        Importance of each row.
    n_classes, n_hidden : int
        There are ``n_classes * n_hidden`` states.
    penalty : float
        Factor of half the squared norm of the weights, intercepts left out.
    fit_intercept : bool
        Whether there is one.

    Attributes
    ----------
    shape : tuple
        Of the parameters: a row for each state, of which the first is fixed at zero where there are but two.
    """

    def __init__(self, X, labels, weights, n_classes, n_hidden, penalty, fit_intercept):
        self.X = _with_ones(X) if fit_intercept else X
        self.labels, self.weights, self.n_hidden, self.fit_intercept = labels, weights, n_hidden, fit_intercept
        self.n_states = n_classes * n_hidden
        # Two states need one weight vector, as in every binary logistic regression.
        self.fixed = 1 if self.n_states == 2 else 0
        self.shape = (self.n_states - self.fixed, self.X.shape[1])
        self.ridge = np.full(self.X.shape[1], float(penalty))
        if fit_intercept:
            self.ridge[-1] = 0.0

    def scores(self, theta):
        """Score of every state on every row."""
        return self.score_changes(theta)

    def objective(self, scores, theta):
        """Penalised negative log-likelihood and its gradient."""
        residuals = np.empty_like(scores)
        loss = state_residuals(scores, self.labels, self.n_hidden, self.weights, residuals)
        gradient = safe_sparse_dot(self.X.T, residuals[:, self.fixed :], dense_output=True).T + self.ridge * theta
        return loss + 0.5 * np.sum(self.ridge * theta**2), np.ascontiguousarray(gradient)

    @cached_property
    def _unit(self):
        mean, variance = mean_and_variance(self.X, self.weights)
        return gradient_unit(variance if self.fit_intercept else variance + np.square(mean))

    def scale(self):
        """Total weight of the rows, in the unit of the columns: gradients are judged as a share of it."""
        return self.weights.sum() * self._unit

    def curvature(self, scores):
        """Sum over rows of the bound's curvature, the penalty included, as a matrix over all parameters."""
        n_free, width = self.shape
        size = 8 * (n_free * width) ** 2
        if size > _LARGEST_CURVATURE:
            raise ValueError(
                f"the curvature over {n_free * width} weights would take {size / 2**30:.0f} GiB; take fewer features "
                "or parts, or MajorizedLogisticRegression with a rank, or accelerated and without bounds"
            )
        blocks = np.zeros((n_free, width, n_free, width))
        for rows, factors in self.factor_blocks(scores):
            shares = np.matmul(factors.transpose(0, 2, 1), factors)
            X = _dense(self.X[rows])
            for a in range(n_free):
                for b in range(a + 1):
                    blocks[a, :, b] += _weighted_gram(X, shares[:, a, b])
        for a in range(n_free):
            for b in range(a):
                blocks[b, :, a] = blocks[a, :, b].T
        matrix = blocks.reshape(n_free * width, n_free * width)
        matrix[np.diag_indices_from(matrix)] += np.tile(self.ridge, n_free)
        return matrix

    def low_rank_curvature(self, scores, rank):
        """The same from above, as low rank plus diagonal (Algorithm 4)."""
        # A parameter without a penalty needs some diagonal for the formula of Woodbury; the bound only rises.
        start = np.where(self.ridge > 0.0, self.ridge, 1e-8 * self.scale())
        found = LowRankCurvature(np.tile(start, self.shape[0]), rank)
        for rows, factors in self.factor_blocks(scores, max(1, _LOW_RANK_ROWS // max(1, self.n_states - 1))):
            X = _dense(self.X[rows])
            products = factors[:, :, :, None] * X[:, None, None, :]
            found.add(products.reshape(-1, found.diagonal.size))
        return found

    def factor_blocks(self, scores, n_rows=None):
        """Rows, some at a time, with the factors of their curvature over the free states."""
        n_rows = n_rows or max(1, _FACTOR_NUMBERS // max(self.n_states**2, self.shape[1]))
        for first in range(0, len(scores), n_rows):
            rows = slice(first, first + n_rows)
            factors = np.empty((len(scores[rows]), self.n_states - 1, self.n_states))
            bound_factors(scores[rows], self.weights[rows], factors)
            yield rows, factors[:, :, self.fixed :]

    def bound_step(self, scores, gradient):
        """Step to the minimum of the bound (Algorithm 2, step 3, without constraints)."""
        return -_factored(self._held(self.curvature(scores)))(gradient.ravel()).reshape(self.shape)

    def constrained_step(self, scores, theta, gradient, limits):
        """Step to the minimum of the bound within bounds on the parameters (Algorithm 2, step 3)."""
        matrix = self._held(self.curvature(scores))
        low, high = ((limit - theta).ravel() for limit in (limits.lower, limits.upper))
        return minimize_box_quadratic(matrix, gradient.ravel(), low, high).reshape(self.shape)

    def low_rank_step(self, scores, gradient, rank):
        """Step to the minimum of the low-rank bound."""
        return -self.low_rank_curvature(scores, rank).solve(gradient.ravel()).reshape(self.shape)

    def first_preconditioner(self):
        """Inverse of the bound's curvature at zero, where it is A ⊗ X^T W X and takes one Gram matrix alone."""
        factors = np.empty((1, self.n_states - 1, self.n_states))
        bound_factors(np.zeros((1, self.n_states)), np.ones(1), factors)
        free = factors[0][:, self.fixed :]
        values, vectors = np.linalg.eigh(free.T @ free)
        # Raising the smallest eigenvalue holds the direction in which all states move alike: nothing pulls there.
        solvers = self._scaled_gram_solvers(np.maximum(values, 1e-3), self.weights)

        def precondition(gradient):
            turned = vectors.T @ gradient
            return vectors @ np.array([solve(row) for solve, row in zip(solvers, turned)])

        return precondition

    def _gram_solver(self, weights):
        """Solver of X^T diag(weights) X + penalty."""
        return self._scaled_gram_solvers([1.0], weights)[0]

    def _scaled_gram_solvers(self, factors, weights):
        """Solvers of factor * X^T W X + penalty, of its diagonal alone where the matrix would be too large."""
        if self.shape[1] > _WIDEST_GRAM:
            squares = self.X.multiply(self.X) if sparse.issparse(self.X) else self.X**2
            diagonal = safe_sparse_dot(squares.T, weights)
            smallest = 1e-12 * self.scale()  # for columns of zeros without a penalty
            return [partial(_divided, np.maximum(factor * diagonal + self.ridge, smallest)) for factor in factors]
        # A block at a time, without a weighted copy of the table.
        gram = _weighted_gram(self.X, weights) if sparse.issparse(self.X) else RowBlocks(self.X).gram(weights)
        return [_factored(factor * gram + np.diag(self.ridge)) for factor in factors]

    def shared_preconditioner(self, scores):
        """Inverse of a curvature that all states share, each row weighing by how unsure the model is of it.

        One Gram matrix, whatever the number of states. It has the trace of the Hessian, and is the Hessian where
        there are but two states; the bound is far larger where the model has become sure.
        """
        shares = np.empty(len(scores))
        uncertainties(scores, self.weights, shares)
        # Two states with one weight vector: p (1 - p) is half of 1 - p^2 - (1 - p)^2.
        shares /= 2.0 if self.fixed else self.n_states - 1.0
        # Where all rows are sure, the bound's size at zero keeps the step from growing without end.
        np.maximum(shares, 1e-8 * self.weights, out=shares)
        solve = self._gram_solver(shares)
        return lambda gradient: solve(gradient.T).T

    def refresh_cost(self):
        """Cost of a shared curvature, in evaluations of the objective."""
        n_samples, width = self.X.shape
        if width > _WIDEST_GRAM:
            return 1.0
        # A product within a dense Gram matrix takes a quarter of the time of one with a vector; in a sparse one, twice.
        thin = sparse.issparse(self.X)
        density, weight = (self.X.nnz / (n_samples * width), 2.0) if thin else (1.0, 0.25)
        curvature = weight * n_samples * (density * width) ** 2 + 0.25 * width**3 / 3.0
        # An exponential weighs about 30 products.
        evaluation = n_samples * (4.0 * density * self.shape[0] * width + 30.0 * self.n_states)
        return curvature / evaluation

    def score_changes(self, direction):
        """Change of the scores for a unit step of the parameters; scores move linearly."""
        return self._all_states(safe_sparse_dot(self.X, direction.T, dense_output=True))

    def _held(self, matrix):
        """Curvature along the directions in which all states move alike, where nothing pulls and nothing resists."""
        if self.fixed or np.all(self.ridge > 0.0):
            return matrix
        n_free, width = self.shape
        for feature in np.flatnonzero(self.ridge == 0.0):
            matrix[feature::width, feature::width] += self.scale() / n_free
        return matrix

    def _all_states(self, scores):
        if not self.fixed:
            return np.ascontiguousarray(scores)
        return np.column_stack([np.zeros(len(scores)), scores])


def _with_ones(X):
    ones = np.ones((X.shape[0], 1))
    return sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])


def _weighted_gram(X, weights):
    if sparse.issparse(X):
        return (X.T @ sparse.diags_array(weights) @ X).toarray()
    return (X * weights[:, None]).T @ X


def _dense(X):
    return X.toarray() if sparse.issparse(X) else X


def _divided(diagonal, vector):
    return (vector.T / diagonal).T


def _factored(matrix):
    """Solver of linear systems with a positive semi-definite matrix."""
    # Straight to LAPACK: the checks on the way take longer than small systems themselves.
    factor, failed_at = dpotrf(matrix, lower=1)
    if failed_at:
        # Without a penalty, columns may depend on one another. The gradient lies in the range (Lemma 4).
        inverse = np.linalg.pinv(matrix, hermitian=True)
        return lambda vector: inverse @ vector
    return lambda vector: dpotrs(factor, vector, lower=1)[0]
