"""Few rows in place of few features: the kernel form (Bhattacharyya, JMLR 5:1417, Section 6)."""

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils.validation import check_is_fitted

from treatise._core.classifier import ScoreClassifier
from treatise._core.invariants import Invariants, is_array, is_number
from treatise._core.threads import few_rows_in_one_thread
from treatise.kernels import KernelInputMixin
from treatise.optimize import NormCondition
from treatise.selection.moments._base import Promising, distances_of, promised
from treatise.statistics.class_moments import difference_of, mean_and_factor


class KernelMomentSparseClassifier(KernelInputMixin, Promising, ScoreClassifier, BaseEstimator):
    """Curved border between two classes made of few rows, with the promise of :class:`MomentSparseClassifier`.

    A row's kernel values with all training rows are its features; those that keep a weight are the support vectors, of
    which there are far fewer than in a support vector machine.

    Use it where a linear border is not enough and prediction must be cheap. There are as many features as rows, so the
    promise is about the sample: choose ``eta`` and the kernel's width by cross-validation. Do not use it on more than
    some thousand rows: it takes O(n²) memory and O(n³) time.

    Parameters
    ----------
    kernel : {"rbf", "laplacian", "poly", "linear", "precomputed"}, Kernel or callable, default="rbf"
        The kernel.
    gamma : float, "scale" or "auto", default="scale"
        Of the "rbf", "poly" and "laplacian" kernels.
    degree : int, default=3
        Of the "poly" kernel.
    coef0 : float, default=1.0
        Of the "poly" kernel.

    Attributes
    ----------
    support_ : ndarray of int
        Training rows that the border is made of.
    dual_coef_ : ndarray
        Their weights.
    intercept_ : float
        Constant of the score.
    objective_, duality_gap_, converged_ : float, float and bool
        Value of the problem, what it may be above the least value at most as a share of it, and whether that is within
        ``tol``.
    worst_case_error_ : float
        What the error is at most, for either class.
    classes_ : ndarray of shape (2,)
        The classes; scores above 0 speak for the second.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from treatise.selection import KernelMomentSparseClassifier
    >>> X, y = make_circles(200, noise=0.1, factor=0.5, random_state=0)
    >>> model = KernelMomentSparseClassifier().fit(X, y)
    >>> len(model.support_), model.score(X, y)
    (18, 0.995)

    References
    ----------
    .. [1] Paper v05-1417: Equation (23).
    """

    _parameter_constraints: dict = {**Promising._promise_constraints, **KernelInputMixin._kernel_constraints}
    _needs_definite = False  # the kernel values are features, of which nothing is asked

    def __init__(self, eta="auto", *, reach=0.95, kernel="rbf", gamma="scale", degree=3, coef0=1.0, tol=1e-7):
        self.eta = eta
        self.reach = reach
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    @few_rows_in_one_thread
    def fit(self, X, y):
        """Find the border from the rows of two classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, or their kernel values where the kernel is "precomputed".
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self
        """
        objects, y = self._fit_objects(X, y=y)
        codes = self._code_labels(y)
        gram = self._gram(objects)
        means, spreads = zip(*(mean_and_factor(gram[codes == code]) for code in (0, 1)))
        difference = difference_of(means)
        distance = self._distance_asked(difference, spreads)
        w = self._least_weights(difference, [NormCondition(F, distance, 1.0) for F in spreads])
        deviations = np.array([np.linalg.norm(F @ w) for F in spreads])
        margins = np.maximum(1.0, distance * deviations)
        self.support_ = np.flatnonzero(w)
        self.dual_coef_ = w[self.support_]
        self.intercept_ = -0.5 * float(means[0] @ w + margins[0] + means[1] @ w - margins[1])
        self._support_objects = self._kept(objects, self.support_)
        self.class_accuracies_ = promised(distances_of(margins, deviations))
        self.worst_case_error_ = float(1.0 - self.class_accuracies_.min())
        return self

    def _invariants(self) -> Invariants:
        yield "objects that are kept have coefficients in a row", is_array(self.dual_coef_, np.floating, None)
        yield "there is a constant", is_number(self.intercept_)

    def _scores(self, X):
        check_is_fitted(self)
        new = self._new_objects(X)
        scores = self._weighted_scores(new, self._support_objects, self.dual_coef_)
        return (scores + self.intercept_)[:, np.newaxis]
