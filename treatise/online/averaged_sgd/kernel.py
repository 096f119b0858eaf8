"""Averaged stochastic gradient descent in a kernel's feature space (Bach, JMLR 15:595, Section 2.2)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import LogisticScores, signs_of
from treatise._core.invariants import finite, is_array, is_number
from treatise.online._passes import passes_over
from treatise.online.averaged_sgd._loops import CONSTANT, LOGISTIC, STEADY, kernel_sgd, step_size

_KERNELS = set(PAIRWISE_KERNEL_FUNCTIONS) - {"additive_chi2"}
# Rows of the kernel matrix made at a time, and values of it that are kept from pass to pass.
_ROWS = 256
_KEPT_VALUES = 1 << 25


class KernelAveragedSGDClassifier(LogisticScores, BaseEstimator):
    """Kernel logistic regression by averaged steps, with a step that needs no tuning and no penalty.

    Only the coefficient of a row moves when the row is met; the average of the iterates shrinks what came late. Use it
    on up to some ten thousand rows where a linear boundary is too poor; not where predictions must be fast, as all
    rows are kept, nor on small samples, which a batch solver fits better. The paper's form is one pass in the order
    given: ``schedule="constant", n_passes=1, shuffle=False``. O(n_samples^2) kernel values in time, made again in each
    pass where they exceed 256 MB, O(n_samples) rows of memory besides; prediction costs n_samples kernel values for
    each row.

    Parameters
    ----------
    kernel : str, default="rbf"
        A kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels`, other than "additive_chi2", in which all rows
        have length zero.
    gamma : float, "scale" or "auto", default="scale"
        Width of the kernels that have one; "scale" is 1 / (n_features * X.var()), "auto" 1 / n_features.
    schedule : {"steady", "constant"}, default="steady"
        "steady" steps 1 / (2 R^2), R^2 the largest kernel value of a row with itself. "constant" is the paper's, which
        divides this by the root of the number of rounds: the guarantees are for it, but it leaves the scores far from
        the best ones on most tables.
    n_passes : int or "auto", default="auto"
        Passes over the rows. "auto" takes as many as make some 50 000 rounds, from 1 to 10. The paper's guarantees are
        for one.
    shuffle : bool, default=True
        Take the rows in a random order, the same in each pass, not in the order given.
    random_state : int, RandomState instance or None, default=None
        Source of the order.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples, 1) or (n_samples, n_classes)
        Averaged coefficients of the rows in ``X_fit_``.
    gamma_ : float
        The width in use.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The rows in the order in which they were met.
    step_ : float
        The step in use.
    classes_ : ndarray
        The classes.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from treatise.online import KernelAveragedSGDClassifier
    >>> X, y = make_circles(500, noise=0.1, factor=0.4, random_state=0)
    >>> round(KernelAveragedSGDClassifier(random_state=0).fit(X, y).score(X, y), 2)
    1.0

    References
    ----------
    .. [1] Paper v15-0595, Section 2.2; a factor x_n printed in its recursion belongs to the features, not to the
       coefficient.
    """

    _parameter_constraints: dict = {
        "kernel": [StrOptions(_KERNELS)],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        "schedule": [StrOptions({"steady", "constant"})],
        "n_passes": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self, kernel="rbf", *, gamma="scale", schedule="steady", n_passes="auto", shuffle=True, random_state=None
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.schedule = schedule
        self.n_passes = n_passes
        self.shuffle = shuffle
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Forget everything and learn from the rows of X.

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
        self.gamma_ = self._width(X)
        signs = np.array(signs_of(codes, len(self.classes_)))
        blocks = [X[row : row + _ROWS] for row in range(0, n_samples, _ROWS)]
        squared_radius = max(float(np.diag(self._gram(block, block)).max()) for block in blocks)
        n_passes = passes_over(n_samples, self.n_passes, most_passes=10)
        n_rounds = n_samples * n_passes
        schedule = STEADY if self.schedule == "steady" else CONSTANT
        self.step_ = step_size(schedule, squared_radius, float(n_rounds), 1.0)
        coefficients, averaged = np.zeros_like(signs), np.zeros_like(signs)
        for n_seen, first, gram in self._visits(n_passes):
            for row in range(len(signs)):
                kernel_sgd(
                    gram, first, signs[row], LOGISTIC, self.step_, n_seen, n_rounds, coefficients[row], averaged[row]
                )
        self.dual_coef_ = averaged.T.copy()
        return self

    def _visits(self, n_passes):
        """The blocks of rows in turn: rounds before each, number of its first row, kernel values with the rows met."""
        X, kept = self.X_fit_, {}
        for number in range(n_passes):
            for first in range(0, len(X), _ROWS):
                gram = kept.get(first)
                if gram is None:
                    met = X[: first + _ROWS] if n_passes == 1 else X
                    gram = np.ascontiguousarray(self._gram(X[first : first + _ROWS], met))
                    if len(X) ** 2 <= _KEPT_VALUES and n_passes > 1:
                        kept[first] = gram
                yield number * len(X) + first, first, gram

    def _width(self, X):
        if self.gamma == "scale":
            variance = X.var()
            return 1.0 / (X.shape[1] * variance) if variance > 0.0 else 1.0
        return 1.0 / X.shape[1] if self.gamma == "auto" else float(self.gamma)

    def _invariants(self):
        n, machines = len(self.X_fit_), 1 if len(self.classes_) == 2 else len(self.classes_)
        yield "rows have the columns of the fit", is_array(self.X_fit_, np.float64, n, self.n_features_in_)
        yield "there are rows, all finite", n > 0 and finite(self.X_fit_)
        yield "every row has its coefficients", is_array(self.dual_coef_, np.float64, n, machines)
        yield "the kernel has a width", is_number(self.gamma_) and self.gamma_ >= 0

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.concatenate(
            [self._gram(X[row : row + _ROWS], self.X_fit_) @ self.dual_coef_ for row in range(0, len(X), _ROWS)]
        )

    def _gram(self, X, Y):
        return pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, gamma=self.gamma_)
