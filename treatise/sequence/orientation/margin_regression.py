"""Maximum margin regression: one machine the size of a support vector machine for any number of classes (JMLR 12:1)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.classifier import ScoreClassifier, row_weights
from treatise._core.invariants import is_array
from treatise.kernels import GramRows, KernelInputMixin
from treatise.optimize import solve_svm_without_offset

SYMMETRY = 1e-10


class MaximumMarginRegression(ScoreClassifier, KernelInputMixin, BaseEstimator):
    """Kernel classifier with one constraint an example, however many classes there are.

    Learns a map W from features to the space of labels such that ``<psi(y), W phi(x)>`` is at least one; a new row gets
    the label whose image agrees best. The problem has one variable a row, whatever the labels are, and a kernel between
    labels says which are alike. Use it for many classes, or for classes of known similarity. There is no offset and no
    example against a class: features must be normalised, as those of a Gaussian kernel are, and an ``SVC`` is mostly
    more accurate where time allows it.

    A step of the solver costs O(n), with rows of the Gram matrix up to ``cache_bytes``; labels that are all unlike
    divide the problem into one for each class.

    Parameters
    ----------
    C : float, default=1.0
        Cost of slack.
    kernel : {"rbf", "linear", "poly", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        Kernel of the rows.
    output_kernel : {"indicator"} or array-like of shape (n_classes, n_classes), default="indicator"
        Kernel of the labels, in the order of the classes: one for equal labels and zero for others, or a positive
        semi-definite matrix of similarities.
    gamma : float, "scale" or "auto", default="scale"
        Of the named kernels; "scale" is ``1 / (n_features * X.var())``.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    class_weight : dict, "balanced" or None, default=None
        Factors of the costs of each class.
    tol : float, default=1e-4
        The duality gap at the end, as a share of the sum of all costs.
    cache_bytes : int, default=200 << 20
        Memory for rows of the Gram matrix; a kernel of labels needs all of it.
    max_iter : int or None, default=None
        Most steps; None allows ``max(10**7, 100 n)``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    support_ : ndarray of shape (n_support,)
        Rows with a weight.
    alpha_ : ndarray of shape (n_support,)
        Their weights, from 0 to C.
    dual_coef_ : ndarray of shape (n_classes, n_support)
        What each of them adds to the score of each class, before the kernel.
    objective_ : float
        Value of the dual problem, ``sum(alpha) - alpha' (Kx * Ky) alpha / 2``.
    gap_ : float
        Gap at the end.
    n_iter_ : int
        Steps made.
    converged_ : bool
        Whether the gap is as small as asked for.
    kernel_ : Kernel or "precomputed"
        The kernel in use.
    n_features_in_, feature_names_in_ : int and ndarray
        Number of features, and their names where X has names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from treatise.sequence import MaximumMarginRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> round(MaximumMarginRegression(gamma=0.5).fit(scale(X), y).score(scale(X), y), 3)
    0.967

    References
    ----------
    .. [1] Paper v12-0001, Section 3.3.2.
    """

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "output_kernel": [StrOptions({"indicator"}), "array-like"],
        **KernelInputMixin._kernel_constraints,
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "cache_bytes": [Interval(Integral, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self, C=1.0, *, kernel="rbf", output_kernel="indicator", gamma="scale", degree=3, coef0=1.0, class_weight=None,
        tol=1e-4, cache_bytes=200 << 20, max_iter=None,
    ):  # fmt: skip
        self.C = C
        self.kernel = kernel
        self.output_kernel = output_kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.tol = tol
        self.cache_bytes = cache_bytes
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn from labelled rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            Rows, the Gram matrix with ``kernel="precomputed"``, or the objects of a kernel of its own.
        y : array-like of shape (n_samples,)
            Classes, at least two.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the costs.

        Returns
        -------
        self
        """
        objects, y = self._fit_objects(X, y=y)
        codes = self._code_labels(y)
        counts, factors = row_weights(codes, self.classes_, sample_weight, self.class_weight)
        upper = self.C * counts * factors
        similar = _checked_kernel(self.output_kernel, len(self.classes_))
        alpha, found = np.zeros(len(codes)), []
        if similar is None:
            for number in range(len(self.classes_)):
                rows = np.flatnonzero(codes == number)
                part = objects[np.ix_(rows, rows)] if isinstance(self.kernel_, str) else objects[rows]
                found.append(self._solved(self._gram_rows(part, self.cache_bytes), upper[rows]))
                alpha[rows] = found[-1].beta
            similar = np.eye(len(self.classes_))
        else:
            product = self._gram(objects) * similar[np.ix_(codes, codes)]
            found.append(self._solved(GramRows.precomputed(product), upper))
            alpha = found[0].beta
        self.gap_ = float(sum(part.gap for part in found))
        self.objective_ = float(sum(part.objective for part in found))
        self.n_iter_ = int(sum(part.n_iter for part in found))
        self.converged_ = all(part.converged for part in found)
        if not self.converged_:
            warnings.warn(
                f"stopped after max_iter={self.max_iter} steps with a gap of {self.gap_:.3g}, where "
                f"{self.tol * upper.sum():.3g} was asked for; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.support_ = np.flatnonzero(alpha)
        self.alpha_ = alpha[self.support_]
        self.dual_coef_ = similar[:, codes[self.support_]] * self.alpha_
        self._support_objects = self._kept(objects, self.support_)
        return self

    def _solved(self, rows, upper):
        return solve_svm_without_offset(
            rows, np.ones(len(upper)), upper, tol=self.tol, stopping="gap", max_iter=self.max_iter
        )

    def _invariants(self):
        shape = len(self.classes_), len(self.support_)
        yield "every class has a coefficient of each row that is kept", is_array(self.dual_coef_, np.float64, *shape)

    def _scores(self, X):
        check_is_fitted(self)
        return self._weighted_scores(self._new_objects(X), self._support_objects, self.dual_coef_.T)


def _checked_kernel(kernel, n_classes):
    """A kernel of labels as a matrix; None for labels that are all unlike."""
    if isinstance(kernel, str):
        return None
    matrix = np.array(kernel, dtype=float)
    if matrix.shape != (n_classes, n_classes):
        raise ValueError(f"output_kernel has shape {matrix.shape}; there are {n_classes} classes in y")
    if not np.isfinite(matrix).all() or np.abs(matrix - matrix.T).max() > SYMMETRY * np.abs(matrix).max():
        raise ValueError("output_kernel must be finite and symmetric")
    least = float(np.linalg.eigvalsh(matrix)[0])
    if least < -1e-8 * np.abs(matrix).max() or (np.diagonal(matrix) <= 0).any():
        raise ValueError(
            f"output_kernel has the eigenvalue {least:.3g} or a zero on its diagonal; give a positive semi-definite one"
        )
    return (matrix + matrix.T) / 2.0
