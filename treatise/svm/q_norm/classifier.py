"""Support vector machines with q-norm soft margins (Chen, Wu, Ying & Zhou, JMLR 5:1143)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treatise._core.classifier import ScoreClassifier, row_weights, signs_of
from treatise._core.invariants import is_array, is_number
from treatise.kernels import GramRows, KernelInputMixin
from treatise.svm.q_norm._solvers import solve_q_norm
from treatise.svm.q_norm.theory import q_norm_probability


def _has_probabilities(machine):
    if machine.q == 1:
        raise AttributeError("the hinge (q=1) tells which class is likelier but not by how much; take q > 1")
    return True


class QNormSVC(ScoreClassifier, KernelInputMixin, BaseEstimator):
    """Kernel classifier whose margin violations cost their q-th power, with probabilities read off the scores.

    Minimises ``|f|^2 / 2 + C * mean(max(0, 1 - y f(x)) ** q)`` over functions of the kernel plus an offset. With q = 1
    it is the ordinary support vector machine, with q = 2 the squared hinge. For q > 1 the score, clipped to [-1, 1],
    estimates a known increasing function of the class probability, whose inverse is ``predict_proba``: no second fit,
    as Platt's sigmoid needs.

    Use it for a squared-hinge machine with usable probabilities, or to study the exponent. For labels alone an ordinary
    ``SVC`` does as well and is sparser; larger q are more sensitive to outliers. A number for C is the cost of the mean
    loss, as in the paper: scikit-learn's C is this one divided by the number of rows.

    For q <= 3 pairs of multipliers move at O(n) a step on rows of the Gram matrix held up to ``cache_bytes``; for q > 3
    Newton's method takes O(m^3) a step for the m rows inside the margin, and n^2 numbers of memory.

    Parameters
    ----------
    q : float, default=2.0
        Power of a margin violation, at least 1.
    C : float or "rows", default="rows"
        Cost of the mean violation. "rows" is the number of rows, or the sum of their weights: each violation then
        costs 1, as in scikit-learn's machines. See :func:`theory_cost` for how it should grow with the rows.
    kernel : {"rbf", "linear", "poly", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel.
    gamma : float, "scale" or "auto", default="scale"
        Of the kernels "rbf", "poly" and "laplacian".
    degree : int, default=3
        Of the kernel "poly".
    coef0 : float, default=1.0
        Of the kernel "poly".
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the score.
    cache_bytes : int, default=200 << 20
        Memory for rows of the Gram matrix, for q <= 3.
    max_iter : int or None, default=None
        Most steps; None is ``max(10**7, 100 n)`` pairs, or 1000 steps of Newton's method.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The classes.
    support_ : ndarray of shape (n_support,)
        Training rows inside the margin.
    dual_coef_ : ndarray of shape (n_support,)
        Their weights, positive for the second class.
    intercept_ : float
        The offset.
    objective_ : float
        Value of the problem.
    duality_gap_ : float
        Difference from the value of the dual problem, as a share of the objective.
    n_iter_ : int
        Steps.
    converged_ : bool
        Whether the optimality conditions hold to ``tol``.
    cost_ : float
        The C in use.
    kernel_ : Kernel or "precomputed"
        The kernel in use.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    q_norm_target, q_norm_probability : The map between probabilities and scores.
    plot_q_norm_calibration : Probabilities against frequencies.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from treatise.svm import QNormSVC
    >>> X, y = make_circles(200, noise=0.2, factor=0.4, random_state=0)
    >>> machine = QNormSVC(q=2.0).fit(X, y)
    >>> machine.predict([[0.0, 0.0], [1.5, 0.0]]), bool(machine.predict_proba([[0.0, 0.0]])[0, 1] > 0.9)
    (array([1, 0]), True)

    References
    ----------
    .. [1] Paper v05-1143, equations (3), (10) and (11), Lemma 15.
    """

    _parameter_constraints: dict = {
        "q": [Interval(Real, 1, None, closed="left")],
        "C": [Interval(Real, 0, None, closed="neither"), StrOptions({"rows"})],
        **KernelInputMixin._kernel_constraints,
        "tol": [Interval(Real, 0, None, closed="neither")],
        "cache_bytes": [Interval(Integral, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self, q=2.0, C="rows", *, kernel="rbf", gamma="scale", degree=3, coef0=1.0, tol=1e-3, cache_bytes=200 << 20,
        max_iter=None,
    ):  # fmt: skip
        self.q = q
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.cache_bytes = cache_bytes
        self.max_iter = max_iter

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train the machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Training objects.
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the objects in the mean; those of weight zero take no part.

        Returns
        -------
        self : QNormSVC
        """
        objects, y = self._fit_objects(X, y=y, sample_weight=sample_weight)
        codes = self._code_labels(y)
        weights, _ = row_weights(codes, self.classes_, sample_weight)
        used = np.flatnonzero(weights > 0)
        part, rows = self._rows_of(objects, used)
        (signs,) = signs_of(codes[used], 2)
        total = weights.sum()
        self.cost_ = float(total if self.C == "rows" else self.C)
        costs = self.cost_ * weights[used] / total
        found = solve_q_norm(rows, lambda: self._gram(part), signs, costs, float(self.q), self.tol, self.max_iter)
        self.objective_, self.duality_gap_, self.n_iter_ = found.primal, found.gap, found.n_iter
        self.converged_ = found.converged
        if not self.converged_:
            warnings.warn(
                f"stopped after {self.n_iter_} steps short of tol={self.tol:g}; the duality gap is "
                f"{self.duality_gap_:.2g} of the objective: raise max_iter or tol, or lower C",
                ConvergenceWarning,
                stacklevel=2,
            )
        inside = np.flatnonzero(found.alpha)
        self.support_ = used[inside]
        self.dual_coef_ = (signs * found.alpha)[inside]
        self.intercept_ = _within_margins(found.offset, found.scores)
        self._support_objects = self._kept(objects, self.support_)
        return self

    def _rows_of(self, objects, used):
        if isinstance(self.kernel_, str):
            part = np.ascontiguousarray(objects[np.ix_(used, used)])
            return part, GramRows.precomputed(part)
        part = objects[used]
        return part, self._gram_rows(part, self.cache_bytes)

    def _invariants(self):
        yield "rows that are kept have a coefficient", is_array(self.dual_coef_, np.floating, len(self.support_))
        yield "there is a constant", is_number(self.intercept_)

    def _scores(self, X):
        check_is_fitted(self)
        scores = self._weighted_scores(self._new_objects(X), self._support_objects, self.dual_coef_)
        return (self.intercept_ + scores)[:, np.newaxis]

    def clipped_decision_function(self, X):
        """Scores cut to [-1, 1]: the projection that no loss rises by, with the same classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Objects to score.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        return np.clip(self.decision_function(X), -1.0, 1.0)

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Probabilities of both classes, for q > 1.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Objects to classify.

        Returns
        -------
        p : ndarray of shape (n_samples, 2)
        """
        positive = q_norm_probability(self.decision_function(X), self.q)
        return np.column_stack([1.0 - positive, positive])


def _within_margins(offset, scores):
    """The offset, moved so that some score is at most 1 and some at least -1 (Lemma 15), where it is not unique."""
    return float(np.clip(offset, -1.0 - scores.max(), 1.0 - scores.min()))
