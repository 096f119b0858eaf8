"""Semi-stochastic quadratic bounds for logistic regression (Choromanska, 2014, Chapter 3)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.extmath import safe_sparse_dot

from treatise.linear.majorized._log_linear import LogLinearClassifier, inverse_penalty
from treatise.linear.majorized._majorizer import Majorizer


class SemiStochasticLogisticRegression(LogLinearClassifier):
    r"""Logistic regression from growing mini-batches, steps scaled by the bound's curvature on others.

    Each step solves :math:`(\Sigma_S+\eta I)\xi=\mu_T+\eta\theta` inexactly by a few conjugate gradients: the
    gradient from a mini-batch T that grows, the curvature from an independent mini-batch S, never formed as a matrix.
    Early steps are as cheap as those of stochastic gradient descent, late ones as steady as those of a batch method,
    and the curvature sets their scale.

    Use it on many rows of badly scaled dense features, where stochastic gradients need tuning. On a table that fits
    in the cache the batch method :class:`MajorizedLogisticRegression` is faster and exact. A step costs
    O((b + s l) w) for b gradient rows, s curvature rows, l inner iterations and w weights.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty, as in ``LogisticRegression``; in the thesis eta = 1 / (C n), with C = 1.
    fit_intercept : bool, default=True
        Learn an intercept, without a penalty.
    step : float, default=0.1
        Length of a step; 1 for well-conditioned data.
    n_passes : float, default=100
        Passes over the data to spend on gradients. With 100 the objective ends within some per cent of its least value
        on common tables; with 10, up to half above it.
    n_inner : int, default=10
        Conjugate gradients of each step.
    first_batch : int, default=5
        Rows of the first gradient.
    growth : float, default=0.5
        Rows by which the next gradient's mini-batch is larger. The thesis takes 0.0005 to 0.05 for its tables.
    curvature_batch : int, default=200
        Least rows of the curvature, which has as many as the gradient where that has more. The thesis lets it grow from
        5 to 200; so few rows leave directions without any curvature, along which noise is amplified by 1 / eta.
    tol : float, default=0.01
        Largest entry of the gradient of the mean objective, after the last pass, that counts as converged, in the width
        of the widest column where that is below one. Nothing ends early by it.
    random_state : int, RandomState instance or None, default=None
        Of the mini-batches.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    passes_, objective_path_ : list of float
        Passes spent and the objective over C then, about once a pass.
    n_iter_ : int
        Steps done.
    gradient_ : float
        Largest entry of that gradient after the last pass.
    converged_ : bool
        Whether it is at most ``tol``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.linear import SemiStochasticLogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SemiStochasticLogisticRegression(random_state=0).fit(scale(X), y)
    >>> model.score(scale(X), y) > 0.97
    True

    References
    ----------
    .. [1] A. Choromanska, Selected machine learning reductions, PhD thesis, Columbia University, 2014, Equation 3.3
       and Section 3.3.
    """

    _parameter_constraints: dict = {
        **LogLinearClassifier._parameter_constraints,
        "step": [Interval(Real, 0, 2, closed="neither")],
        "n_passes": [Interval(Real, 0, None, closed="neither")],
        "n_inner": [Interval(Integral, 1, None, closed="left")],
        "first_batch": [Interval(Integral, 1, None, closed="left")],
        "growth": [Interval(Real, 0, None, closed="left")],
        "curvature_batch": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C=1.0,
        *,
        fit_intercept=True,
        step=0.1,
        n_passes=100,
        n_inner=10,
        first_batch=5,
        growth=0.5,
        curvature_batch=200,
        tol=0.01,
        random_state=None,
    ):
        self.C = C
        self.fit_intercept = fit_intercept
        self.step = step
        self.n_passes = n_passes
        self.n_inner = n_inner
        self.first_batch = first_batch
        self.growth = growth
        self.curvature_batch = curvature_batch
        self.tol = tol
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Spend the passes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : object
        """
        X, labels, weights = self._read(X, y, None)
        whole = Majorizer(X, labels, weights, len(self.classes_), 1, inverse_penalty(self.C), self.fit_intercept)
        rng, n_samples = check_random_state(self.random_state), X.shape[0]
        theta, spent, self.n_iter_ = np.zeros(whole.shape), 0, 0
        self.passes_, self.objective_path_ = [], []
        while spent < self.n_passes * n_samples:
            if spent >= len(self.passes_) * n_samples:
                self._note(whole, theta, spent)
            size = min(n_samples, self.first_batch + round(self.n_iter_ * self.growth))
            pull = _batch(whole, rng, size).gradient(theta)
            curvature = _batch(whole, rng, min(n_samples, max(self.curvature_batch, size))).curvature_product(theta)
            theta = theta - self.step * _conjugate_gradients(curvature, pull, self.n_inner)
            spent += size
            self.n_iter_ += 1
        gradient = self._note(whole, theta, spent)
        self._keep(theta)
        self.gradient_ = float(np.abs(gradient).max()) / whole.scale()
        self.converged_ = bool(self.gradient_ <= self.tol)
        if not self.converged_:
            warnings.warn(
                f"after {self.passes_[-1]:.3g} passes the mean gradient still has an entry of {self.gradient_:.2g} "
                f"(tol={self.tol:g}); raise n_passes, change step, or standardise the features",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _note(self, whole, theta, spent):
        """Record the objective; its gradient."""
        value, gradient = whole.objective(whole.scores(theta), theta)
        self.passes_.append(spent / whole.X.shape[0])
        self.objective_path_.append(float(value))
        return gradient


class _Batch(Majorizer):
    """The mean objective of some rows, on which bounds are made and used without forming matrices."""

    def __init__(self, whole, rows):
        self.X, self.labels = whole.X[rows], whole.labels[rows]
        self.weights = whole.weights[rows] * (len(whole.weights) / (len(rows) * whole.scale()))
        self.n_hidden, self.n_states, self.fixed, self.shape = 1, whole.n_states, whole.fixed, whole.shape
        self.ridge = whole.ridge / whole.scale()

    def gradient(self, theta):
        """Of the rows' mean loss and the penalty's share."""
        return self.objective(self.scores(theta), theta)[1]

    def curvature_product(self, theta):
        """Function that multiplies the bound's mean curvature at theta with a matrix of parameters."""
        ((_, factors),) = self.factor_blocks(self.scores(theta), len(self.weights))

        def product(direction):
            moves = safe_sparse_dot(self.X, direction.T, dense_output=True)
            shares = np.einsum("jyk,jy->jk", factors, np.einsum("jyk,jk->jy", factors, moves))
            return safe_sparse_dot(self.X.T, shares, dense_output=True).T + self.ridge * direction

        return product


def _batch(whole, rng, size):
    n_samples = whole.X.shape[0]
    rows = np.arange(n_samples) if size == n_samples else rng.choice(n_samples, size, replace=False)
    return _Batch(whole, rows)


def _conjugate_gradients(product, target, n_inner):
    """Approximate solution of product(x) = target after so many iterations from zero."""
    solution, residual = np.zeros_like(target), target.copy()
    direction, square = residual, np.sum(residual**2)
    smallest = 1e-24 * square
    for _ in range(n_inner):
        if square <= smallest:
            break
        image = product(direction)
        bend = np.sum(direction * image)
        if bend <= 0.0:  # along which the mini-batch shows no curvature
            break
        length = square / bend
        solution = solution + length * direction
        residual = residual - length * image
        square, last = np.sum(residual**2), square
        direction = residual + square / last * direction
    return solution
