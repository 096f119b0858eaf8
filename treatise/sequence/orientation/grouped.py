"""A small model for each group of rows, and one for all others (JMLR 12:1, Section 4: a classifier for each phrase)."""

from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import Classifier
from treatise._core.group_labels import places_of, sortable_labels
from treatise._core.invariants import is_array, is_count, within
from treatise._core.threads import few_rows_in_one_thread


class GroupedClassifier(Classifier, MetaEstimatorMixin, BaseEstimator):
    """One model for each group of rows, with a model of all rows for groups that are small or new.

    Use it where a key says which rows belong together (a phrase, a customer, a machine), each group has rows enough for
    a model of its own, and groups differ; where they hardly differ, one model of all rows with the key as a feature is
    better, and where groups are small and alike a mixed model. Ten thousand small fits take seconds; memory is that of
    all models. Of sparse rows a group's model sees only the columns that are not zero in the group: of millions of
    indicators a small group has a few hundred.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What is fitted to each group; None is scikit-learn's logistic regression.
    min_samples : int, default=20
        Rows from which a group has a model of its own.
    fallback : {"global", "prior"}, default="global"
        For other groups: a model of all rows, or the shares of the classes in the group, or in all rows for a new one.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    groups_ : ndarray of shape (n_groups,)
        The groups that were seen.
    models_ : dict of int to (classifier, ndarray or None)
        Fitted models by the place of their group among ``groups_``, with the columns that they see where the rows are
        sparse; a group of one class has none.
    global_ : classifier or None
        The model of all rows.
    group_sizes_ : ndarray of shape (n_groups,)
        Rows of each.
    priors_ : ndarray of shape (n_groups + 1, n_classes)
        Shares of the classes in each group, and in all rows in the last line.
    n_features_in_, feature_names_in_ : int and ndarray
        Number of features, and their names where X has names.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.sequence import GroupedClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, groups = rng.normal(size=(400, 2)), np.repeat(["left", "right"], 200)
    >>> y = np.where(groups == "left", X[:, 0] > 0, X[:, 0] < 0)
    >>> GroupedClassifier().fit(X, y, groups=groups).score(X, y, groups=groups) > 0.95
    True

    References
    ----------
    .. [1] Paper v12-0001, Section 4.2: training samples in clusters of equal source phrases.
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "min_samples": [Interval(Integral, 1, None, closed="left")],
        "fallback": [StrOptions({"global", "prior"})],
    }

    def __init__(self, estimator=None, *, min_samples=20, fallback="global"):
        self.estimator = estimator
        self.min_samples = min_samples
        self.fallback = fallback

    @_fit_context(prefer_skip_nested_validation=False)
    @few_rows_in_one_thread
    def fit(self, X, y, groups=None):
        """Fit all models.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their classes, at least two.
        groups : array-like of shape (n_samples,) or None, default=None
            The group of each row; None is one group.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        codes = self._code_labels(y)
        self.groups_, places = _coded(groups, X.shape[0])
        n_groups, k = len(self.groups_), len(self.classes_)
        counts = np.bincount(places * k + codes, minlength=n_groups * k).reshape(n_groups, k)
        self.group_sizes_ = counts.sum(axis=1)
        everything = np.vstack([counts, counts.sum(axis=0)])
        self.priors_ = everything / everything.sum(axis=1, keepdims=True)
        base = LogisticRegression(max_iter=1000) if self.estimator is None else self.estimator
        self.global_ = clone(base).fit(X, codes) if self.fallback == "global" else None
        if n_groups == 1 and self.global_ is not None:
            self.models_ = {0: (self.global_, None)}
            return self
        parts = np.split(np.argsort(places, kind="stable"), np.cumsum(self.group_sizes_)[:-1])
        self.models_ = {}
        # What the first fit looks at need not be looked at ten thousand times.
        with config_context(assume_finite=True, skip_parameter_validation=True):
            for place in np.flatnonzero((self.group_sizes_ >= self.min_samples) & ((counts > 0).sum(axis=1) > 1)):
                part, columns = _narrowed(X[parts[place]])
                self.models_[int(place)] = clone(base).fit(part, codes[parts[place]]), columns
        return self

    def predict_proba(self, X, groups=None):
        """Probability of each class; a base without probabilities gives ones and zeros.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        groups : array-like of shape (n_samples,) or None, default=None
            Their groups; new ones are treated by ``fallback``. None where ``fit`` had none.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        places = self._places(groups, X.shape[0])
        found = self.priors_[places]
        others = np.ones(X.shape[0], dtype=bool)
        order = np.argsort(places, kind="stable")
        kinds, starts = np.unique(places[order], return_index=True)
        with config_context(assume_finite=True):
            for place, rows in zip(kinds.tolist(), np.split(order, starts[1:])):
                if place in self.models_:
                    model, columns = self.models_[place]
                    found[rows] = self._said(model, X[rows] if columns is None else X[rows][:, columns])
                others[rows] = place not in self.models_ and not self._knows_one_class(place)
            if self.global_ is not None and others.any():
                found[others] = self._said(self.global_, X[others])
        return found

    def predict(self, X, groups=None):
        """The most probable class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        groups : array-like of shape (n_samples,) or None, default=None
            Their groups. None where ``fit`` had none.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        likeliest = np.argmax(self.predict_proba(X, groups), axis=1)
        return self.classes_[likeliest]

    def score(self, X, y, sample_weight=None, groups=None):
        """Share of the rows that are predicted right.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows.
        groups : array-like of shape (n_samples,) or None, default=None
            Their groups.

        Returns
        -------
        float
        """
        return float(accuracy_score(y, self.predict(X, groups), sample_weight=sample_weight))

    def _invariants(self):
        n, k, p = len(self.groups_), len(self.classes_), self.n_features_in_
        yield "groups are in one row, each once", self.groups_.ndim == 1 and len(np.unique(self.groups_)) == n > 0
        yield "groups have sizes", is_array(self.group_sizes_, np.int64, n)
        yield "groups, and all rows, have shares of the classes", is_array(self.priors_, np.float64, n + 1, k)
        yield "a model of all rows is there where it is to be", (self.global_ is None) == (self.fallback == "prior")
        models = [(self.global_, None)] if self.global_ is not None else []
        for place, (model, columns) in self.models_.items():
            yield "models are of groups", is_count(place) and place < n
            models.append((model, columns))
        for model, columns in models:
            yield (
                "columns of a model are columns of X",
                columns is None or (is_array(columns, np.integer, None) and within(columns, 0, p)),
            )
            width = getattr(model, "n_features_in_", None)
            yield "models take these columns", width in (None, p if columns is None else len(columns))
            yield (
                "models tell classes by number",
                is_array(model.classes_, np.integer, None) and within(model.classes_, 0, k),
            )

    def _knows_one_class(self, place):
        """Whether a group has rows enough for a model, all of one class."""
        return place < len(self.groups_) and self.group_sizes_[place] >= self.min_samples

    def _said(self, model, X):
        """Probabilities in the order of all classes; a model may have seen some of them only."""
        found = np.zeros((X.shape[0], len(self.classes_)))
        if hasattr(model, "predict_proba"):
            found[:, model.classes_] = model.predict_proba(X)
        else:
            found[np.arange(X.shape[0]), model.predict(X)] = 1.0
        return found

    def _places(self, groups, n):
        """Where groups stand among those that were seen; new ones at the end."""
        if groups is None:
            if len(self.groups_) > 1:
                raise ValueError(f"the models are of {len(self.groups_)} groups; say which the rows are of (groups=)")
            return np.zeros(n, dtype=np.int64)
        places, new = places_of(_labels(groups, n), self.groups_)
        return np.where(new, len(self.groups_), places)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _narrowed(X):
    """Sparse rows without the columns that are zero in all of them, and which are left; None for dense ones."""
    if not sparse.issparse(X):
        return X, None
    columns, places = np.unique(X.indices, return_inverse=True)
    if len(columns) == 0:
        columns, places = np.zeros(1, dtype=X.indices.dtype), X.indices
    return type(X)((X.data, places, X.indptr), shape=(X.shape[0], len(columns))), columns


def _coded(groups, n):
    """The groups, sorted, and the place of each row's."""
    if groups is None:
        return np.array(["all"]), np.zeros(n, dtype=np.int64)
    return np.unique(_labels(groups, n), return_inverse=True)


def _labels(groups, n):
    groups = sortable_labels(groups)
    if groups.shape != (n,):
        raise ValueError(f"groups has shape {groups.shape}; give one for each of {n} rows")
    return groups
