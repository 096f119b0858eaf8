"""What all online classifiers share: the stream, the classes, the record of mistakes, prediction."""

from abc import ABC, abstractmethod
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise.online._mistake_curve import extended, first_points
from treatise.online._row_loops import Stream, append_constant
from treatise.online._stream_input import codes_of, is_first_call, read_rows

_ROUNDS = 8192
_VALUES = 1 << 22


class OnlineClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Linear classifier that predicts each example before it learns from it.

    A concrete learner says how it walks a stream for two classes (``_walk``), and for more (``_walk_classes``)
    where its rule has such a form; else one learner per class is trained against the rest. What a rule must
    remember besides weights it names in ``_first_state``.
    """

    _parameter_constraints: dict = {
        "n_passes": [Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }
    _native_multiclass = True

    def __init__(self, *, n_passes=1, fit_intercept=False, shuffle=False, random_state=None):
        self.n_passes = n_passes
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state

    @abstractmethod
    def _walk(self, stream, positive, learner, scores, updated):
        """Learn to tell the class ``positive`` from the rest, changing the given learner's state in place."""

    def _walk_classes(self, stream, predicted, updated):
        """Learn all classes at once, changing the state in place."""
        raise NotImplementedError

    def _first_state(self):
        """Numbers that the rule carries from round to round."""
        return ()

    def _begin_belief(self):
        """Set up what a rule believes about the weights besides their values."""

    def _settle(self, X):
        """Settle parameters that depend on the first rows."""

    def _scale(self):
        """Factor of the weights, for rules that shrink or stretch all of them at every update."""
        return 1.0

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Forget everything and learn from the rows of X in their order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.
        y : array-like of shape (n_samples,)
            Their classes, at least two.

        Returns
        -------
        self : object
        """
        X, y = read_rows(self, X, y, reset=True)
        self._begin(np.unique(y), X)
        self._learn(X, codes_of(y, self.classes_))
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None):
        """Learn from further rows, once each, in their order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next examples.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like or None, default=None
            All classes that will ever come; needed in the first call.

        Returns
        -------
        self : object
        """
        first = is_first_call(self, classes)
        X, y = read_rows(self, X, y, reset=first)
        if first:
            self._begin(unique_labels(classes), X)
        self._run(X, codes_of(y, self.classes_), np.arange(X.shape[0]))
        return self

    def decision_function(self, X):
        """Signed score of the second class, or a score for each class where there are more than two.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores = safe_sparse_dot(X, self._weights[: self.n_features_in_], dense_output=True)
        scores = scores * self._scale() + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X):
        """The class with the highest score; a score of zero between two classes means the second.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores >= 0.0).astype(np.intp)]
        return self.classes_[np.argmax(scores, axis=1)]

    @property
    def coef_(self):
        """Weights of the features."""
        return (self._weights[: self.n_features_in_] * self._scale()).T

    @property
    def intercept_(self):
        """Weights of the constant; zero without one."""
        if self._has_constant():
            return self._weights[-1] * self._scale()
        return np.zeros(self._weights.shape[1])

    def _begin(self, classes, X):
        """Set up a learner that has seen nothing; X are its first rows."""
        if len(classes) < 2:
            raise ValueError(
                f"y holds one class only ({classes[0]}); a classifier needs two: pass all classes to partial_fit "
                "if the others come later in the stream"
            )
        width = self.n_features_in_ + self.fit_intercept
        joint = self._native_multiclass and len(classes) > 2
        n_scores = 1 if len(classes) == 2 else len(classes)
        # A joint rule reads all classes of a feature at once; separate learners read one class at a time.
        self._weights = np.zeros((width, n_scores), order="C" if joint else "F")
        self._n_learners = 1 if joint else n_scores
        self._state = np.tile(np.array(self._first_state(), dtype=float), (self._n_learners, 1))
        self._begin_belief()
        self._settle(X)
        self.n_seen_ = self.n_mistakes_ = self.n_updates_ = 0
        self.mistake_curve_ = first_points()
        self.classes_ = classes

    def _has_constant(self):
        return len(self._weights) > self.n_features_in_

    def _learn(self, X, labels):
        """All passes of ``fit``."""
        rng = check_random_state(self.random_state)
        for _ in range(self.n_passes):
            order = rng.permutation(X.shape[0]) if self.shuffle else np.arange(X.shape[0])
            self._run(X, labels, order)

    def _run(self, X, labels, order):
        """One pass over rows in the given order, in blocks between which the user may interrupt."""
        n_rounds = max(1, min(_ROUNDS, _VALUES // max(1, X.size // X.shape[0])))
        whole = None if self._has_constant() else rows_of(X)
        for start in range(0, len(order), n_rounds):
            turns = order[start : start + n_rounds]
            if whole is None:
                stream = Stream(*_rows_with_constant(X, turns), np.arange(len(turns)), labels[turns])
            else:
                stream = Stream(*whole, turns, labels)
            self._note(labels[turns], *self._advance(stream))

    def _advance(self, stream):
        """Learn from a block: what was predicted before each update (-1 past overflow), and where there was a loss."""
        n_rounds = len(stream.order)
        updated = np.empty(n_rounds, dtype=bool)
        if len(self.classes_) > 2 and self._native_multiclass:
            predicted = np.empty(n_rounds, dtype=np.int64)
            self._walk_classes(stream, predicted, updated)
            return predicted, updated
        scores, any_updated = np.empty((self._n_learners, n_rounds)), np.zeros(n_rounds, dtype=bool)
        for learner in range(self._n_learners):
            positive = learner if len(self.classes_) > 2 else 1
            self._walk(stream, positive, learner, scores[learner], updated)
            any_updated |= updated
        predicted = np.argmax(scores, axis=0) if len(self.classes_) > 2 else scores[0] >= 0.0
        if not np.isfinite(scores.sum()):
            predicted = np.where(np.isfinite(scores).all(axis=0), predicted, -1)
        return predicted, any_updated

    def _note(self, labels, predicted, updated):
        if predicted.min() < 0:
            raise ValueError(
                f"the scores overflowed after {self.n_seen_ + int(np.argmin(predicted))} examples; scale the features, "
                "or let an example do less"
            )
        wrong = predicted != labels
        self.mistake_curve_ = extended(
            self.mistake_curve_, self.n_seen_, self.n_mistakes_, self.n_updates_, wrong, updated
        )
        self.n_seen_ += len(wrong)
        self.n_mistakes_ += int(np.count_nonzero(wrong))
        self.n_updates_ += int(np.count_nonzero(updated))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def rows_of(X):
    """The rows as kernels read them: pointers, columns and values; all dense rows share one set of columns."""
    if sparse.issparse(X):
        # A signed index is never negative here, so its bits are those of the unsigned one.
        return X.indptr.astype(np.int64, copy=False), X.indices.astype(np.int32, copy=False).view(np.uint32), X.data
    n_rows, width = X.shape
    return np.arange(0, n_rows * width + 1, width), np.arange(width, dtype=np.uint32), X.ravel()


def _rows_with_constant(X, turns):
    """The rows at these turns as kernels read them, each with a last feature 1."""
    if not sparse.issparse(X):
        return rows_of(np.hstack([X[turns], np.ones((len(turns), 1))]))
    pointers, columns, values = rows_of(X)
    ends = np.zeros(len(turns) + 1, dtype=np.int64)
    np.cumsum(pointers[turns + 1] - pointers[turns] + 1, out=ends[1:])
    all_columns, all_values = np.empty(ends[-1], dtype=np.uint32), np.empty(ends[-1])
    append_constant(pointers, columns, values, turns, X.shape[1], ends, all_columns, all_values)
    return ends, all_columns, all_values
