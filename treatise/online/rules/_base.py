"""What all online classifiers share: the stream, the classes, the record of mistakes, prediction."""

from abc import ABC, abstractmethod
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.extmath import row_norms, safe_sparse_dot
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import ScoreClassifier, check_classes, codes_among
from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import is_array, is_count, within
from treatise._core.row_arrays import rows_of
from treatise.online._row_loops import Stream
from treatise.online._stream_input import is_first_call, read_rows, rows_with_constant

_ROUNDS = 8192
_VALUES = 1 << 22
_MOMENTS = 64
_LARGEST_WEIGHT = 1e150
"""Margins of larger weights overflow in the rules' squares."""


class OnlineClassifier(InheritsDocumentation, ScoreClassifier, BaseEstimator, ABC):
    """Linear classifier that predicts each example before it learns from it.

    A concrete learner says how it walks a stream for two classes (``_walk``), and for more (``_walk_classes``)
    where its rule has such a form; else one learner per class is trained against the rest. What a rule must
    remember besides weights it names in ``_first_state``.

    A score of zero has two meanings. In ``predict`` it means the first of two classes, as everywhere in scikit-learn.
    While a learner walks it counts as a prediction of the second class, in the record of mistakes and in the rules
    that learn from mistakes alone: that is the rule of the program behind the paper, whose numbers depend on it.

    The paper's learners are ``n_passes=1, fit_intercept=False, shuffle=False``; ``partial_fit`` always takes rows once,
    in the order given.

    Parameters
    ----------
    n_passes : int, default=5
        Times that ``fit`` goes through the rows.
    fit_intercept : bool, default=True
        Whether to add a constant feature 1, whose weight is learned like any other, also in ``partial_fit``.
    shuffle : bool, default=True
        Whether ``fit`` visits the rows in random order. In the order given, a table sorted by class teaches one class
        after the other.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; one row where there are two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature, zero without one.
    n_seen_, n_mistakes_, n_updates_ : int
        Examples seen, how many of them were predicted wrongly beforehand (a score of zero counts as the second
        class), and rounds with a positive loss; each pass of ``fit`` counts. Mistakes on examples not seen before,
        which the paper counts, are those of ``n_passes=1`` or of ``partial_fit``.
    mistake_curve_ : ndarray of shape (n_moments, 3)
        Examples seen, mistakes and updates by then, over all passes, at up to 64 evenly spaced moments.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.
    """

    _parameter_constraints: dict = {
        "n_passes": [Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }
    _native_multiclass = True

    def __init__(self, *, n_passes=5, fit_intercept=True, shuffle=True, random_state=None):
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

    def _conclude(self):
        """Say what is to be said of a fit that is over."""

    def _scale(self):
        """Factor of the weights, for rules that shrink or stretch all of them at every update."""
        return 1.0

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Forget everything and learn from the rows of X, ``n_passes`` times.

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
        self._learn(X, codes_among(y, self.classes_))
        self._conclude()
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
        self._run(X, codes_among(y, self.classes_), np.arange(X.shape[0]))
        return self

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores = safe_sparse_dot(X, self._weights[: self.n_features_in_], dense_output=True)
        return scores * self._scale() + self.intercept_

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
        check_classes(classes, why=": pass all classes to partial_fit if the others come later in the stream")
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
        self.mistake_curve_ = np.empty((0, 3), dtype=np.int64)
        self.classes_ = classes

    def _invariants(self):
        n_scores = 1 if len(self.classes_) == 2 else len(self.classes_)
        joint = self._native_multiclass and n_scores > 1
        extra = len(self._weights) - self.n_features_in_
        yield "every score has weights", is_array(self._weights, np.float64, None, n_scores)
        yield "weights are of the features, and a constant at most", extra in (0, 1)
        yield "weights have finite squares", within(np.abs(self._weights), 0, _LARGEST_WEIGHT)
        yield "learners are as many as the rule has", self._n_learners == (1 if joint else n_scores)
        remembered = len(self._first_state())
        yield "learners have their state", is_array(self._state, np.float64, self._n_learners, remembered)
        yield "the record of mistakes has three columns", is_array(self.mistake_curve_, np.int64, None, 3)
        yield "what was seen is counted", all(map(is_count, (self.n_seen_, self.n_mistakes_, self.n_updates_)))

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
                stream = Stream(*rows_with_constant(X, turns), np.arange(len(turns)), labels[turns])
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
        # The rule of the paper's program: a score of zero says the second class.
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
        self.mistake_curve_ = _extended(
            self.mistake_curve_, self.n_seen_, self.n_mistakes_, self.n_updates_, wrong, updated
        )
        self.n_seen_ += len(wrong)
        self.n_mistakes_ += int(np.count_nonzero(wrong))
        self.n_updates_ += int(np.count_nonzero(updated))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def squared_lengths(X, constant):
    """Squared lengths of the rows that have any, with their constant where there is one."""
    lengths = row_norms(X, squared=True) + constant
    return lengths[lengths > 0.0]


def _extended(points, seen, mistakes, updates, wrong, updated):
    """The curve of mistakes after further examples, in bounded memory.

    A row of ``points`` is a moment: examples, mistakes and updates by then. Moments lie at the multiples of the
    least power of two that leaves at most 64 of them, so that they depend on the length of the stream and not on
    the blocks in which it came. ``seen``, ``mistakes`` and ``updates`` are the totals before the further examples.
    """
    last, spacing = seen + len(wrong), 1
    while last // spacing > _MOMENTS:
        spacing *= 2
    number = np.arange((seen // spacing + 1) * spacing, last + 1, spacing)
    at = number - seen - 1
    fresh = np.column_stack([number, mistakes + np.cumsum(wrong)[at], updates + np.cumsum(updated)[at]])
    return np.vstack([points[points[:, 0] % spacing == 0], fresh])
