"""Support vector machines without offset (Steinwart, Hush & Scovel, JMLR 12:141)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.classifier import ScoreClassifier, row_weights, signs_of
from treatise._core.invariants import is_array
from treatise.kernels import KernelInputMixin, Linear, Polynomial
from treatise.optimize import solve_svm_without_offset


class BiasFreeSVC(ScoreClassifier, KernelInputMixin, BaseEstimator):
    """Kernel classifier with hinge loss and no offset.

    Leaving out the offset loses nothing with a kernel as rich as the Gaussian, and makes training simpler and faster:
    any two variables may move to their joint optimum, and the duality gap is known at every step. The machine
    minimises ``lam * ||f||^2 + mean(weight * max(0, 1 - y f(x)))``, which equals ``||f||^2 / 2 + C * sum(...)`` with
    ``C = 1 / (2 lam n)``.

    Use it wherever an ``SVC`` with a Gaussian kernel is used; for a whole grid of widths and penalties use
    :class:`BiasFreeSVCGrid`, which is faster than so many single fits. Do not use it with a linear kernel, whose border
    would have to pass through the origin. A step costs O(n), about n of them are needed at moderate C and more as C
    grows; memory is the part of the Gram matrix that is used, up to ``cache_bytes``.

    Several classes are learnt one against the rest: all machines then share the rows of one Gram matrix, and their
    scores, free of offsets, compare directly.

    Parameters
    ----------
    C : float, default=1.0
        Cost of slack, as in ``SVC``.
    lam : float or None, default=None
        The paper's penalty; where given, it takes the place of C.
    kernel : {"rbf", "linear", "poly", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel; it need not be normalised. With "precomputed", X is the Gram matrix in ``fit`` and later the kernel
        values with all training objects.
    gamma : float, "scale" or "auto", default="scale"
        Of the named kernels; the paper's width sigma is its square root. "scale" is ``1 / (n_features * X.var())``.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    class_weight : dict, "balanced" or None, default=None
        Factors of the costs of each class.
    tol : float, default=1e-3
        The objective, as a mean over the rows, is within this of the least.
    stopping : {"clipped", "gap"}, default="clipped"
        Whether the gap counts slack up to 2 only, equation (9), or in full, equation (7).
    wss : int or "1d", default=7
        Sum of the codes of the rules that choose a working set, see
        :func:`~treatise.optimize.solve_svm_without_offset`.
    n_neighbors : int, default=10
        Neighbours that rule 4 looks at.
    init : {"zeros", "kernel_rule"}, default="zeros"
        Start I0, which needs only rows of objects that come into play, or I1, which needs all of them and pays where
        most objects end up at their bound.
    cache_bytes : int, default=200 << 20
        Memory for rows of the Gram matrix.
    max_iter : int or None, default=None
        Most steps of each machine; None allows ``max(10**7, 100 n)``.
    random_state : int, RandomState instance or None, default=0
        For working set rules that draw; the default rule does not.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    support_ : ndarray of shape (n_support,)
        Training rows with a weight in any machine.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Weights of those rows, ``y_i alpha_i``; one machine for two classes, else one for each class.
    n_iter_ : ndarray of shape (n_machines,)
        Steps made.
    converged_ : bool
        Whether all machines reached ``tol``.
    gap_ : ndarray of shape (n_machines,)
        Gaps at the end, at most ``tol`` times the sum of all costs.
    objective_ : ndarray of shape (n_machines,)
        Values of the dual problem.
    kernel_ : Kernel or "precomputed"
        The kernel in use.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    BiasFreeSVCGrid : Chooses width and penalty by cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treatise.svm import BiasFreeSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> BiasFreeSVC(C=10.0).fit(X, y).score(X, y) > 0.95
    True

    References
    ----------
    .. [1] Paper v12-0141, Algorithm 2 with rule WSS 7.
    """

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "lam": [Interval(Real, 0, None, closed="neither"), None],
        **KernelInputMixin._kernel_constraints,
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "stopping": [StrOptions({"clipped", "gap"})],
        "wss": [Interval(Integral, 0, 4095, closed="both"), StrOptions({"1d"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"zeros", "kernel_rule"})],
        "cache_bytes": [Interval(Integral, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self, C=1.0, *, lam=None, kernel="rbf", gamma="scale", degree=3, coef0=1.0, class_weight=None, tol=1e-3,
        stopping="clipped", wss=7, n_neighbors=10, init="zeros", cache_bytes=200 << 20, max_iter=None, random_state=0,
    ):  # fmt: skip
        self.C = C
        self.lam = lam
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.tol = tol
        self.stopping = stopping
        self.wss = wss
        self.n_neighbors = n_neighbors
        self.init = init
        self.cache_bytes = cache_bytes
        self.max_iter = max_iter
        self.random_state = random_state

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
        self : BiasFreeSVC
            The fitted classifier.
        """
        objects, y = self._fit_objects(X, y=y)
        if isinstance(self.kernel_, Linear) or (isinstance(self.kernel_, Polynomial) and self.kernel_.coef0 == 0):
            warnings.warn(
                "without an offset the border of a linear kernel, and of a polynomial one with coef0=0, passes through "
                "the origin; centre the data, give coef0 > 0, or take sklearn.svm.SVC",
                UserWarning,
                stacklevel=2,
            )
        codes = self._code_labels(y)
        counts, factors = row_weights(codes, self.classes_, sample_weight, self.class_weight)
        rows = self._gram_rows(objects, self.cache_bytes)
        upper = counts * factors * (self.C if self.lam is None else 1.0 / (2.0 * self.lam * counts.sum()))
        machines = []
        for signs in signs_of(codes, len(self.classes_)):
            found = solve_svm_without_offset(
                rows, signs, upper, start="I0" if self.init == "zeros" else "I1", tol=self.tol,
                stopping=self.stopping, wss=self.wss, n_neighbors=self.n_neighbors, max_iter=self.max_iter,
                random_state=self.random_state,
            )  # fmt: skip
            machines.append(found)
        self.converged_ = all(machine.converged for machine in machines)
        if not self.converged_:
            warnings.warn(
                f"stopped after max_iter={self.max_iter} steps with a gap of {max(m.gap for m in machines):.3g}, where "
                f"{self.tol * upper.sum():.3g} was asked for; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        betas = np.array([machine.beta for machine in machines])
        self.support_ = np.flatnonzero(betas.any(axis=0))
        self.dual_coef_ = betas[:, self.support_]
        self._support_objects = self._kept(objects, self.support_)
        self.n_iter_ = np.array([machine.n_iter for machine in machines])
        self.gap_ = np.array([machine.gap for machine in machines])
        self.objective_ = np.array([machine.objective for machine in machines])
        return self

    def _invariants(self):
        machines = 1 if len(self.classes_) == 2 else len(self.classes_)
        weighed = is_array(self.dual_coef_, np.float64, machines, len(self.support_))
        yield "every machine weighs the support vectors", weighed

    def _scores(self, X):
        check_is_fitted(self)
        return self._weighted_scores(self._new_objects(X), self._support_objects, self.dual_coef_.T)
