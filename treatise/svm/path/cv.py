"""The cost of a support vector machine by exact cross-validation along its path."""

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import ScoreClassifier
from treatise._core.threads import few_rows_in_one_thread
from treatise.svm.path.classifier import SVMPath


class SVMPathCV(ScoreClassifier, BaseEstimator):
    """Support vector classifier whose cost is chosen by cross-validation over all costs, not over a grid.

    In each fold the whole path is walked and its error on the held-out part is known for every C; the curves are
    averaged exactly. Costs as much as ``cv + 1`` paths.

    Parameters
    ----------
    path : SVMPath or None, default=None
        Kernel and end of the path; None is ``SVMPath()``.
    cv : int, splitter or iterable, default=5
        The folds.

    Attributes
    ----------
    best_C_ : float
        Middle, on a log scale, of the widest interval of costs with the smallest error.
    best_score_ : float
        Accuracy there.
    converged_ : bool
        Whether the path on all rows reached its end.
    costs_, errors_ : ndarray of shape (n_steps,)
        The cross-validated error as a step function: ``errors_[i]`` holds from ``costs_[i]`` to ``costs_[i + 1]``.
    path_ : SVMPath
        The path of all objects.
    classes_ : ndarray of shape (2,)
        The classes.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treatise.svm import SVMPath, SVMPathCV
    >>> X, y = make_moons(60, noise=0.2, random_state=0)
    >>> machine = SVMPathCV(SVMPath(gamma=1.0, C_max=1000.0)).fit(X, y)
    >>> round(machine.best_score_, 3), machine.score(X, y)
    (0.983, 1.0)

    References
    ----------
    .. [1] Paper v05-1391, Section 5.3.
    """

    _parameter_constraints: dict = {"path": [SVMPath, None], "cv": ["cv_object"]}

    def __init__(self, path=None, *, cv=5):
        self.path = path
        self.cv = cv

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = SVMPath() if self.path is None else self.path
        tags.input_tags.sparse = inner.kernel != "precomputed"
        tags.input_tags.pairwise = inner.kernel == "precomputed"
        tags.classifier_tags.multi_class = False
        return tags

    @_fit_context(prefer_skip_nested_validation=False)
    @few_rows_in_one_thread
    def fit(self, X, y):
        """Walk the path of every fold and of all objects, and choose C.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Training objects.
        y : array-like of shape (n_samples,)
            Two classes.

        Returns
        -------
        self : SVMPathCV
        """
        base = SVMPath() if self.path is None else clone(self.path)
        pairwise = base.kernel == "precomputed"
        if getattr(base.kernel, "structured", False):
            y = np.asarray(y)
        else:
            X, y = validate_data(self, X, y, accept_sparse=False if pairwise else "csr", dtype=np.float64)
        self._code_labels(y)
        self.path_ = clone(base).fit(X, y)
        curves, held_out = [], []
        for train, test in check_cv(self.cv, y, classifier=True).split(np.zeros(len(y)), y):
            if len(np.unique(y[train])) < 2:
                raise ValueError(f"cv={self.cv!r} leaves one class to train on in a fold; take folds that hold both")
            rows = _safe_indexing(X, train)
            fold = clone(base).fit(rows[:, train] if pairwise else rows, y[train])
            rows = _safe_indexing(X, test)
            curves.append(fold.error_curve(rows[:, train] if pairwise else rows, y[test]))
            held_out.append(len(test))
        self.costs_, self.errors_ = _mean_curve(curves, np.array(held_out))
        self.best_C_, error = _best_cost(self.costs_, self.errors_, self.path_.costs_[-1])
        self.best_score_ = 1.0 - error
        self.path_.C = self.best_C_
        self.converged_ = self.path_.converged_
        return self

    def _invariants(self):
        yield "there is a path", isinstance(self.path_, SVMPath)

    def _scores(self, X):
        check_is_fitted(self)
        return self.path_.decision_function(self._checked(X))[:, np.newaxis]

    def _checked(self, X):
        if getattr(self.path_.kernel, "structured", False):
            return X
        sparse = False if self.path_.kernel == "precomputed" else "csr"
        return validate_data(self, X, accept_sparse=sparse, dtype=np.float64, reset=False)


def _mean_curve(curves, weights):
    """Weighted mean of step functions, as one."""
    costs = np.unique(np.concatenate([costs for costs, _ in curves]))
    errors = sum(
        weight * own[np.searchsorted(at, costs, side="right") - 1] for weight, (at, own) in zip(weights, curves)
    )
    return costs, errors / weights.sum()


def _best_cost(costs, errors, end):
    """Middle on the log scale of the widest stretch with the least error, within what the path holds."""
    inside = np.searchsorted(costs, end)
    costs, errors = costs[:inside], errors[:inside]
    least = errors.min()
    # Rounding of a mean of shares; a real difference is at least one object.
    best = errors <= least + 1e-12
    first_positive = costs[1] if len(costs) > 1 else end
    edges = np.append(np.maximum(costs, first_positive / 10.0), end)
    starts = np.flatnonzero(best & ~np.concatenate([[False], best[:-1]]))
    stops = np.flatnonzero(best & ~np.concatenate([best[1:], [False]])) + 1
    widest = np.argmax(np.log(edges[stops] / edges[starts]))
    return float(np.sqrt(edges[starts[widest]] * edges[stops[widest]])), float(least)
