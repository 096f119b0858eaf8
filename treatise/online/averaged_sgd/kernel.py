"""Averaged stochastic gradient descent in a kernel's feature space (Bach, JMLR 15:595, Section 2.2)."""

from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import LogisticScores, signs_of
from treatise.online.averaged_sgd._loops import CONSTANT, LOGISTIC, kernel_sgd, step_size

_KERNELS = set(PAIRWISE_KERNEL_FUNCTIONS) - {"additive_chi2"}
# Rows of the kernel matrix held at a time.
_ROWS = 256


class KernelAveragedSGDClassifier(LogisticScores, BaseEstimator):
    """Kernel logistic regression in one pass, with a step that needs no tuning and no penalty.

    Each row gets its coefficient when it is met and keeps it; the average of the iterates only shrinks the later
    ones. Use it on up to some ten thousand rows where a linear boundary is too poor; not where predictions must be
    fast, as all rows are kept, nor on small samples, which a batch solver fits better. O(n_samples^2) kernel values
    in time, O(n_samples) rows of memory; prediction costs n_samples kernel values for each row.

    Parameters
    ----------
    kernel : str, default="rbf"
        A kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels`, other than "additive_chi2", in which all rows
        have length zero.
    gamma : float or None, default=None
        Width of the kernels that have one; None means 1 / n_features.
    shuffle : bool, default=False
        Take the rows in a random order.
    random_state : int, RandomState instance or None, default=None
        Source of the order.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples, 1) or (n_samples, n_classes)
        Averaged coefficients of the rows in ``X_fit_``.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The rows in the order in which they were met.
    step_ : float
        The step 1 / (2 R^2 sqrt(N)), R^2 the largest kernel value of a row with itself.
    classes_ : ndarray
        The classes.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from treatise.online import KernelAveragedSGDClassifier
    >>> X, y = make_circles(500, noise=0.1, factor=0.4, random_state=0)
    >>> round(KernelAveragedSGDClassifier(gamma=10.0).fit(X, y).score(X, y), 2)
    1.0

    References
    ----------
    .. [1] Paper v15-0595, Section 2.2; a factor x_n printed in its recursion belongs to the features, not to the
       coefficient.
    """

    _parameter_constraints: dict = {
        "kernel": [StrOptions(_KERNELS)],
        "gamma": [Interval(Real, 0, None, closed="neither"), None],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(self, kernel="rbf", *, gamma=None, shuffle=False, random_state=None):
        self.kernel = kernel
        self.gamma = gamma
        self.shuffle = shuffle
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn from the rows of X, once each.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The examples.
        y : array-like of shape (n_samples,)
            Their classes, at least two.

        Returns
        -------
        self : object
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        codes = self._code_labels(y)
        n_samples = len(X)
        if self.shuffle:
            order = check_random_state(self.random_state).permutation(n_samples)
            X, codes = X[order], codes[order]
        self.X_fit_ = X
        signs = np.array(signs_of(codes, len(self.classes_)))
        blocks = [X[row : row + _ROWS] for row in range(0, n_samples, _ROWS)]
        squared_radius = max(float(np.diag(self._gram(block, block)).max()) for block in blocks)
        self.step_ = step_size(CONSTANT, squared_radius, float(n_samples), 1.0)
        coefficients = np.zeros_like(signs)
        for first in range(0, n_samples, _ROWS):
            last = min(first + _ROWS, n_samples)
            gram = np.ascontiguousarray(self._gram(X[first:last], X[:last]))
            for sign, coefficient in zip(signs, coefficients):
                kernel_sgd(gram, first, sign, LOGISTIC, self.step_, coefficient)
        # Iterate k is made of the first k rows, and the iterates 0 to N - 1 are averaged.
        remaining = np.arange(n_samples - 1, -1, -1) / n_samples
        self.dual_coef_ = (coefficients * remaining).T.copy()
        return self

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.concatenate(
            [self._gram(X[row : row + _ROWS], self.X_fit_) @ self.dual_coef_ for row in range(0, len(X), _ROWS)]
        )

    def _gram(self, X, Y):
        return pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, gamma=self.gamma)
