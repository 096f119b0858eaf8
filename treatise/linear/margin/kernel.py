"""Multi-category large margin classifiers with kernels (Zhang, JMLR 5:1225, Section 5)."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import is_array, is_number
from treatise.kernels import KERNEL_NAMES, Kernel, KernelFactor, kernel_gamma, resolve_kernel
from treatise.linear.margin._base import MulticategoryClassifier
from treatise.linear.margin._multicategory import MulticategoryMargin


class KernelMarginClassifier(MulticategoryMargin, MulticategoryClassifier):
    """Classifier of several classes on a margin loss, its scores combinations of kernels at training rows.

    Each class's score lies in the space of the kernel; the penalty is half the sum of their squared norms there. With a
    Gaussian kernel, a consistent formulation and a penalty that shrinks slowly with n, the error tends to the least
    possible (Theorem 20).

    Use it on up to a few thousand rows with curved borders, where class probabilities are wanted too. Do not use it on
    more: the cost is O(n²) memory and O(n r²) time for a kernel of numerical rank r, O(n³) at worst, and O(n r k) for
    each of some tens of passes.

    Parameters
    ----------
    formulation : {"pairwise", "constrained", "one_vs_rest"}, default="pairwise"
        How the margins of a row's classes are combined: see :class:`MarginClassifier`.
    loss : {"logistic", "squared_hinge", "hinge", "least_squares", "exponential"}, default="logistic"
        Loss of a margin.
    alpha : float, default=1e-3
        Weight of the penalty against the mean loss.
    kernel : {"rbf", "laplacian", "poly", "linear"}, Kernel or callable, default="rbf"
        A positive definite kernel; a callable takes two matrices of rows and gives the matrix of their kernels.
    gamma : float or "scale", default="scale"
        Parameter of the first three; "scale" is ``1 / (n_features * X.var())``.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1.0
        Its constant.
    fit_intercept : bool, default=True
        Whether scores have an intercept, which is not penalised.
    class_weight : dict, "balanced" or None, default=None
        Costs of errors on each class.
    max_iter : int, default=1000
        Iterations of L-BFGS at most, for each width of a hinge.
    tol : float, default=1e-5
        Ends when no component of the gradient is larger, in the width of the widest feature of the kernel where that is
        below one.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    pivots_ : ndarray of shape (n_pivots, n_features)
        Training rows whose kernels span those of all others to machine precision.
    dual_coef_ : ndarray of shape (n_pivots, n_classes)
        Weights of the kernels at the pivots.
    intercept_ : ndarray of shape (n_classes,)
        Intercepts of the scores.
    gamma_ : float
        The parameter in use.
    class_costs_ : ndarray of shape (n_classes,)
        Costs in use.
    n_iter_ : int
        Iterations made.
    converged_ : bool
        Whether the gradient fell to ``tol``, or to where rounding hides any further decrease.
    objective_ : float
        The least found.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    MarginClassifier : The linear classifier.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from treatise.linear import KernelMarginClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> KernelMarginClassifier(loss="squared_hinge").fit(scale(X), y).score(scale(X), y)
    1.0

    References
    ----------
    .. [1] Paper v05-1225: Equations (10), (12) and (14), Theorem 20.
    """

    _parameter_constraints: dict = {
        **MulticategoryClassifier._parameter_constraints,
        **MulticategoryMargin._loss_constraints,
        "kernel": [StrOptions(set(KERNEL_NAMES)), Kernel, callable],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale"})],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        formulation="pairwise",
        loss="logistic",
        *,
        alpha=1e-3,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=1.0,
        fit_intercept=True,
        class_weight=None,
        max_iter=1000,
        tol=1e-5,
    ):
        self.formulation = formulation
        self.loss = loss
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol

    def _fit_rows(self, X, y, sample_weight):
        X, y = validate_data(self, X, y, dtype=np.float64)
        labels, weights = self._labels_and_weights(y, sample_weight, X)
        self.gamma_ = kernel_gamma(self.gamma, X, weights)
        factor = KernelFactor.of(self._gram(X, X))
        slopes, intercepts = self._minimize(factor.features, labels, weights)
        self.pivots_, self.dual_coef_, self.intercept_ = X[factor.pivots], factor.dual(slopes), intercepts.copy()
        return self

    def _gram(self, X, Y):
        return resolve_kernel(self.kernel, X, gamma=self.gamma_, degree=self.degree, coef0=self.coef0)(X, Y)

    def _invariants(self):
        n, k = len(self.pivots_), len(self.classes_)
        yield "pivots are rows of X", is_array(self.pivots_, np.floating, n, self.n_features_in_)
        yield "pivots have coefficients for each class", is_array(self.dual_coef_, np.floating, n, k)
        yield "classes have constants", is_array(self.intercept_, np.floating, k)
        yield "the width of the kernel is a number", is_number(self.gamma_)

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._gram(X, self.pivots_) @ self.dual_coef_ + self.intercept_
