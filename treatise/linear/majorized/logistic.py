"""Logistic regression by bound majorisation (Choromanska, 2014, Sections 2.2.2 and 2.3)."""

from numbers import Integral

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval

from treatise.linear.majorized._descent import bound_descent, quasi_newton_descent
from treatise.linear.majorized._log_linear import DESCENT_CONSTRAINTS, LogLinearClassifier, inverse_penalty
from treatise.linear.majorized._majorizer import Majorizer
from treatise.optimize import BoxConstraint


class MajorizedLogisticRegression(LogLinearClassifier):
    r"""Logistic regression, binary or multinomial, trained without a step size, also within bounds on its weights.

    The objective is that of ``LogisticRegression(C)``, :math:`\frac12\|w\|^2-C\sum_j\log p(y_j|x_j)`; in the thesis
    :math:`\lambda=1/(C n)`. Each step goes to the minimum of a quadratic that lies above the objective everywhere.

    Use it for up to a few hundred weights (``n_classes * n_features``), for badly scaled columns, and wherever
    weights must keep to bounds: signs known beforehand, score cards. With thousands of features L-BFGS is cheaper.

    A plain step costs O(n w^2 + w^3) for w weights. Accelerated, an iteration costs O(n w), after O(n p^2 + k p^3) at
    the start for p features and k classes, and O(n p^2 + p^3) once in a while.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty, as in scikit-learn; infinity for none.
    fit_intercept : bool, default=True
        Learn an intercept, without a penalty.
    accelerate : bool, default=True
        Begin with the bound and learn from the steps, by L-BFGS, how much it overstates the curvature; once in a
        while a curvature that all classes share, of rows weighed by how unsure the model is of them, takes the bound's
        place. It needs a twentieth of the iterations. False gives Algorithm 2 as printed, as are steps within bounds
        and of low rank always.
    rank : int or None, default=None
        Directions of the low-rank bound (Algorithm 4), for more weights than a square matrix can hold; None keeps
        the matrix whole. The fewer directions, the shorter the steps.
    bounds : tuple of (array-like or float, array-like or float) or None, default=None
        Least and greatest weight: numbers, or arrays that broadcast to ``coef_``. Intercepts are free.
    max_iter : int, default=1000
        Most iterations.
    tol : float, default=1e-6
        Largest entry of the gradient of the mean objective at the end, in the width of the widest column where that is
        below one.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    objective_path_ : list of float
        Objective over C at the start and after each iteration: the negative log-likelihood and the penalty over C.
    n_iter_ : int
        Iterations done.
    converged_ : bool
        Whether the gradient fell to ``tol``, or no step descends any more.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from treatise.linear import MajorizedLogisticRegression
    >>> X, y = load_wine(return_X_y=True)
    >>> model = MajorizedLogisticRegression(bounds=(-0.5, 0.5)).fit(scale(X), y)
    >>> round(float(abs(model.coef_).max()), 6), model.score(scale(X), y)
    (0.5, 1.0)

    References
    ----------
    .. [1] A. Choromanska, Selected machine learning reductions, PhD thesis, Columbia University, 2014, Algorithms
       1, 2 and 4.
    """

    _parameter_constraints: dict = {
        **LogLinearClassifier._parameter_constraints,
        **DESCENT_CONSTRAINTS,
        "accelerate": ["boolean"],
        "rank": [Interval(Integral, 1, None, closed="left"), None],
        "bounds": [tuple, list, None],
    }

    def __init__(self, C=1.0, *, fit_intercept=True, accelerate=True, rank=None, bounds=None, max_iter=1000, tol=1e-6):
        self.C = C
        self.fit_intercept = fit_intercept
        self.accelerate = accelerate
        self.rank = rank
        self.bounds = bounds
        self.max_iter = max_iter
        self.tol = tol

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of each row.

        Returns
        -------
        self : object
        """
        if self.bounds is not None and self.rank is not None:
            raise ValueError("bounds and rank are both set; bounds need the whole matrix, so leave rank at None")
        X, labels, weights = self._read(X, y, sample_weight)
        problem = Majorizer(X, labels, weights, len(self.classes_), 1, inverse_penalty(self.C), self.fit_intercept)
        found = self._descend(problem)
        self._keep(found.theta)
        self._keep_course(found)
        return self

    def _descend(self, problem):
        theta = np.zeros(problem.shape)
        if self.bounds is not None:
            limits = self._limits(problem)
            return bound_descent(
                problem, limits.prox(theta),
                lambda scores, theta, gradient: problem.constrained_step(scores, theta, gradient, limits),
                self.tol, self.max_iter, limits,
            )  # fmt: skip
        if self.rank is not None:
            return bound_descent(
                problem, theta, lambda scores, _, gradient: problem.low_rank_step(scores, gradient, self.rank),
                self.tol, self.max_iter,
            )  # fmt: skip
        if self.accelerate:
            return quasi_newton_descent(problem, theta, self.tol, self.max_iter)
        return bound_descent(
            problem, theta, lambda scores, _, gradient: problem.bound_step(scores, gradient), self.tol, self.max_iter
        )

    def _limits(self, problem):
        if len(self.bounds) != 2:
            raise ValueError(f"bounds has {len(self.bounds)} parts; it must be a least and a greatest weight")
        shape = (problem.shape[0], self.n_features_in_)
        limits = []
        for given, free in zip(self.bounds, (-np.inf, np.inf)):
            whole = np.full(problem.shape, free)
            try:
                whole[:, : self.n_features_in_] = np.broadcast_to(np.asarray(given, dtype=np.float64), shape)
            except ValueError:
                raise ValueError(
                    f"bounds of shape {np.shape(given)} do not fit the weights, of shape {shape}"
                ) from None
            limits.append(whole)
        lower, upper = limits
        if not np.all(lower <= upper):
            raise ValueError("bounds are empty: some least weight exceeds the greatest, or is not a number")
        return BoxConstraint(lower, upper)
