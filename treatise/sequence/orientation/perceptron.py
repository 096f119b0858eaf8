"""Perceptron-based structured learning: a perceptron that keeps classes apart by their distance (JMLR 12:1)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import row_norms, safe_sparse_dot
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import SoftmaxScores, check_classes, codes_among, codes_from_scores
from treatise._core.invariants import is_array, is_count, is_number
from treatise._core.jit import compiled
from treatise._core.row_arrays import rows_of

PATIENCE = 5
"""Passes without a better score on the rows held back, after which early stopping ends."""


@compiled
def structured_pass(pointers, indices, values, order, labels, distances, rate, constant, weights, drift, turn):
    """One pass of Table 2: on a loss the label gains the example, and the class that violates most loses it.

    ``weights`` has a row for each feature and a last one for the constant; ``drift`` sums updates times the turn at
    which they were made, from which the mean of all weights follows. Returns updates and the sum of the losses.
    """
    n_classes, last = weights.shape[1], len(weights) - 1
    shared = len(indices) != len(values)
    scores = np.empty(n_classes)
    updates, total = 0, 0.0
    for t in range(len(order)):
        i, label = order[t], labels[order[t]]
        start, stop = pointers[i], pointers[i + 1]
        first = 0 if shared else start
        for c in range(n_classes):
            scores[c] = distances[label, c] + constant * weights[last, c]
        for j in range(stop - start):
            value, row = values[start + j], weights[indices[first + j]]
            for c in range(n_classes):
                scores[c] += value * row[c]
        rival = 0 if label != 0 else 1
        for c in range(n_classes):
            if c != label and scores[c] > scores[rival]:
                rival = c
        loss = scores[rival] - scores[label]
        if loss > 0.0:
            updates += 1
            total += loss
            for j in range(stop - start):
                k, step = indices[first + j], rate * values[start + j]
                weights[k, label] += step
                weights[k, rival] -= step
                drift[k, label] += (turn + t) * step
                drift[k, rival] -= (turn + t) * step
            step = rate * constant
            weights[last, label] += step
            weights[last, rival] -= step
            drift[last, label] += (turn + t) * step
            drift[last, rival] -= (turn + t) * step
    return updates, total


class StructuredPerceptronClassifier(SoftmaxScores, BaseEstimator):
    """Linear classifier whose margin between two classes is as wide as they are apart.

    Use it where some confusions are worse than others (ordered classes, grades, directions), and for very sparse
    features: an example costs its non-zeros times the classes, and there is no penalty to tune. Where all confusions
    are alike and a probability is wanted, prefer a logistic regression: the softmax of the scores is not calibrated.

    Each example should score higher for its class than for any other by their distance; where it does not, the class
    gains the example and the one that violates this most loses it.

    Parameters
    ----------
    distances : {"zero-one", "ordinal"} or array-like of shape (n_classes, n_classes), default="zero-one"
        How far classes are apart: all alike; half as far to the neighbours, in the order of the classes, as to others;
        or numbers with zeros on the diagonal.
    rate : float or None, default=None
        What an update adds of an example; None is one over the mean squared length of the rows, so that the scale of
        the features does not count.
    n_passes : int, default=20
        Passes over the rows; fewer if one is without a loss.
    average : bool, default=True
        Whether to predict with the mean of all weights on the way, which is steadier; the paper takes the last ones.
    fit_intercept : bool, default=True
        Whether to add a constant feature 1.
    early_stopping : bool, default=False
        Whether to hold back rows, and keep the weights of the pass that does best on them.
    validation_fraction : float, default=0.1
        Share of the rows held back.
    shuffle : bool, default=True
        Whether passes visit the rows in random order.
    random_state : int, RandomState instance or None, default=None
        Seed of the order and of the rows held back.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    coef_, intercept_ : ndarray of shape (n_classes, n_features) and (n_classes,)
        Weights of the features and of the constant.
    rate_ : float
        The rate in use.
    loss_curve_ : ndarray of shape (n_passes_made,)
        Mean loss of the examples as each pass met them.
    n_updates_ : int
        Updates in all.
    converged_ : bool
        Whether a pass was without a loss: then every training row keeps its distances. Classes that overlap never get
        there, and need not.
    n_features_in_, feature_names_in_ : int and ndarray
        Number of features, and their names where X has names.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from treatise.sequence import StructuredPerceptronClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> StructuredPerceptronClassifier(random_state=0).fit(X[:900], y[:900]).score(X[900:], y[900:]) > 0.9
    True

    References
    ----------
    .. [1] Paper v12-0001, Section 3.3.1 and Table 2.
    """

    _parameter_constraints: dict = {
        "distances": [StrOptions({"zero-one", "ordinal"}), "array-like"],
        "rate": [Interval(Real, 0, None, closed="neither"), None],
        "n_passes": [Interval(Integral, 1, None, closed="left")],
        "average": ["boolean"],
        "fit_intercept": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self, distances="zero-one", *, rate=None, n_passes=20, average=True, fit_intercept=True, early_stopping=False,
        validation_fraction=0.1, shuffle=True, random_state=None,
    ):  # fmt: skip
        self.distances = distances
        self.rate = rate
        self.n_passes = n_passes
        self.average = average
        self.fit_intercept = fit_intercept
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.shuffle = shuffle
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Forget everything and learn from the rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their classes, at least two.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C")
        codes = self._code_labels(y)
        self._begin(X)
        rng = check_random_state(self.random_state)
        if not self.early_stopping:
            self._passes(X, codes, rng)
            return self
        kept, held = self._split(codes, rng)
        best, waited = np.inf, 0
        for _ in self._passes_one_by_one(X[kept], codes[kept], rng):
            said = codes_from_scores(self._linear(X[held]))
            cost = float(self._distances[codes[held], said].mean())
            if cost < best:
                best, waited, chosen = cost, 0, (self._weights.copy(), self._drift.copy(), self._turn)
            else:
                waited += 1
            if waited >= PATIENCE:
                break
        self._weights, self._drift, self._turn = chosen
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None):
        """Learn from further rows, once each, in their order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next rows.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like or None, default=None
            All classes that will ever come; needed in the first call.

        Returns
        -------
        self
        """
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit: more may come later")
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C", reset=first)
        if first:
            self.classes_ = unique_labels(classes)
            check_classes(self.classes_)
            self._begin(X)
        self._pass(X, codes_among(y, self.classes_), np.arange(X.shape[0]))
        return self

    def _begin(self, X):
        k = len(self.classes_)
        self._distances = class_distances(self.distances, k)
        lengths = row_norms(X, squared=True) + float(self.fit_intercept)
        mean = float(np.mean(lengths))
        self.rate_ = float(self.rate) if self.rate is not None else 1.0 / mean if mean > 0 else 1.0
        if not np.isfinite(self.rate_):
            raise ValueError("the rows are so short that one over their squared length is infinite; scale X up")
        self._weights = np.zeros((X.shape[1] + 1, k))
        self._drift, self._turn = np.zeros_like(self._weights), 0
        self.loss_curve_, self.n_updates_, self.converged_ = np.empty(0), 0, False

    def _passes(self, X, codes, rng):
        for _ in self._passes_one_by_one(X, codes, rng):
            pass

    def _passes_one_by_one(self, X, codes, rng):
        for _ in range(self.n_passes):
            self._pass(X, codes, rng.permutation(X.shape[0]) if self.shuffle else np.arange(X.shape[0]))
            yield
            if self.converged_:
                return

    def _pass(self, X, codes, order):
        updates, total = structured_pass(
            *rows_of(X), order, codes, self._distances, self.rate_, float(self.fit_intercept), self._weights,
            self._drift, self._turn,
        )  # fmt: skip
        if not (np.isfinite(total) and np.isfinite(self._weights).all()):
            raise ValueError("the weights overflowed; scale the features, or take a smaller rate")
        self._turn += len(order)
        self.n_updates_ += int(updates)
        self.loss_curve_ = np.append(self.loss_curve_, total / len(order))
        self.converged_ = updates == 0

    def _split(self, codes, rng):
        rows = np.arange(len(codes))
        enough = np.bincount(codes).min() >= 2 and self.validation_fraction * len(codes) >= len(self.classes_)
        try:
            return train_test_split(
                rows, test_size=self.validation_fraction, random_state=rng, stratify=codes if enough else None
            )
        except ValueError as error:
            raise ValueError(
                f"validation_fraction={self.validation_fraction} of {len(codes)} rows leaves none to hold back or to "
                "learn from; give more rows or early_stopping=False"
            ) from error

    @property
    def _mean_weights(self):
        if not self.average or self._turn == 0:
            return self._weights
        return self._weights - self._drift / self._turn

    @property
    def coef_(self):
        """Weights of the features."""
        return self._mean_weights[:-1].T

    @property
    def intercept_(self):
        """Weights of the constant; zero without one."""
        return self._mean_weights[-1]

    def _linear(self, X):
        weights = self._mean_weights
        return safe_sparse_dot(X, weights[:-1], dense_output=True) + weights[-1]

    def _scores(self, X):
        check_is_fitted(self)
        return self._linear(validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False))

    def _invariants(self):
        yield from super()._invariants()
        k, p = len(self.classes_), self.n_features_in_
        yield "features and a constant have weights", is_array(self._weights, np.float64, p + 1, k)
        yield "weights have their drift", is_array(self._drift, np.float64, p + 1, k)
        yield "classes have distances", is_array(self._distances, np.float64, k, k)
        yield "turns and updates are counted", is_count(self._turn) and is_count(self.n_updates_)
        yield "there is a rate", is_number(self.rate_)
        yield "passes have losses", is_array(self.loss_curve_, np.floating, None)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def class_distances(distances, n_classes):
    """Distances of classes as a matrix: named ones, or numbers that are looked at.

    Parameters
    ----------
    distances : {"zero-one", "ordinal"} or array-like of shape (n_classes, n_classes)
        All one; half between neighbours and one between others, as the paper has them; or numbers.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)

    Examples
    --------
    >>> from treatise.sequence import class_distances
    >>> class_distances("ordinal", 3)
    array([[0. , 0.5, 1. ],
           [0.5, 0. , 0.5],
           [1. , 0.5, 0. ]])
    """
    if isinstance(distances, str):
        apart = np.abs(np.subtract.outer(np.arange(n_classes), np.arange(n_classes)))
        return np.where(apart == 0, 0.0, np.where((apart == 1) & (distances == "ordinal"), 0.5, 1.0))
    matrix = np.array(distances, dtype=float)
    if matrix.shape != (n_classes, n_classes):
        raise ValueError(f"distances has shape {matrix.shape}; there are {n_classes} classes in y")
    if not np.isfinite(matrix).all() or (matrix < 0).any() or np.diagonal(matrix).any():
        raise ValueError("distances must be finite, not negative, and zero from a class to itself")
    return matrix
