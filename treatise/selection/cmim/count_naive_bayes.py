"""Naive Bayes from counts, its bias set by the training error (Fleuret, JMLR 5:1531)."""

from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import SoftmaxScores, row_weights
from treatise._core.invariants import finite, is_array
from treatise._core.jit import compiled
from treatise.statistics._discretize_loops import bin_of
from treatise.statistics.discretize import column_blocks, mdl_cuts

_VALUES_AT_ONCE = 1 << 20


class CountNaiveBayes(SoftmaxScores, BaseEstimator):
    """Naive Bayes on features of few values, that sets its threshold where it errs least on the training rows.

    Each value of each feature adds the log of how much likelier it is in one class than in the other, from counts. The
    features' independence, which naive Bayes takes for granted, hardly spoils the order of the rows, but it does spoil
    the place where the classes meet: for two classes that is set by the training rows themselves.

    Use it after a selector such as :class:`CMIM`, on yes/no features, or on numbers that an interval or two says
    enough of; it is learnt in one pass. Do not use it for probabilities (those of many features that agree are far too
    sure), nor where features repeat one another by the dozen, unless selected first.

    Costs O(n p) for features that are cut by value, O(n p log n) with "mdl"; memory is that of the data. Sparse tables
    are counted some columns at a time.

    Parameters
    ----------
    discretizer : "mdl", "median", float or None, default="mdl"
        Where to cut features of more than two values: by class entropy, at the median, at one threshold for all
        features, or between all values, which must then be whole numbers.
    smoothing : float, default=0.5
        Added to the count of every value in every class.
    bias : {"error", "prior"}, default="error"
        What sets the bias: the least training error, of two classes, or the shares of the classes, as in plain naive
        Bayes. Of several biases that err equally the one nearest to "prior" is taken. Of more than two classes always
        "prior".
    class_weight : dict, "balanced" or None, default=None
        What an error, or a row, of each class weighs for the bias; "balanced" minimises the mean of the two classes'
        error rates.

    Attributes
    ----------
    cut_points_ : list of ndarray
        For each feature its cuts in increasing order; a value equal to a cut lies left of it.
    feature_log_prob_ : ndarray of shape (n_intervals, n_classes)
        Log probability of each interval in each class; the intervals of the first feature come first.
    bias_ : ndarray of shape (n_classes,)
        Added to the log-likelihood of each class; zero for the first of two.
    classes_ : ndarray
        The classes seen.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from treatise.selection import CMIM, CountNaiveBayes
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(CMIM(5), CountNaiveBayes()).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.93

    References
    ----------
    .. [1] Paper v05-1531, Sections 3.1.2 and 4.1; without smoothing there, so that a value unseen in a class would
       decide alone.
    """

    _parameter_constraints: dict = {
        "discretizer": [StrOptions({"mdl", "median"}), Real, None],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        "bias": [StrOptions({"error", "prior"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(self, discretizer="mdl", *, smoothing=0.5, bias="error", class_weight=None):
        self.discretizer = discretizer
        self.smoothing = smoothing
        self.bias = bias
        self.class_weight = class_weight

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Count.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Numbers, without missing ones.
        y : array-like of shape (n_samples,)
            Class of each row.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, accept_sparse=["csc"], dtype=np.float64)
        codes = self._code_labels(y)
        counts, factors = row_weights(codes, self.classes_, None, self.class_weight)
        n_of_class = np.bincount(codes).astype(np.float64)
        self.cut_points_, log_prob = [], []
        for columns in _blocks(X):
            cuts, starts = self._cuts(columns, codes, len(self.classes_), len(self.cut_points_))
            self.cut_points_ += np.split(cuts, starts[1:-1])
            found = np.zeros((starts[-1] + len(columns), len(self.classes_)))
            count_intervals(columns, cuts, starts, codes, found)
            of_feature = np.repeat(np.diff(starts) + 1, np.diff(starts) + 1)
            total = n_of_class + self.smoothing * of_feature[:, np.newaxis]
            log_prob.append(np.log((found + self.smoothing) / total))
        self.feature_log_prob_ = np.concatenate(log_prob)
        self.bias_ = self._bias(X, codes, counts * factors)
        return self

    def _cuts(self, columns, codes, n_classes, first):
        """Cuts of each feature (row of ``columns``): all in one array, and where each feature's start."""
        if self.discretizer == "mdl":
            cuts, starts = mdl_cuts(columns, codes, n_classes)
            of_each = np.split(cuts, starts[1:-1])
            low, high = columns.min(axis=1), columns.max(axis=1)
            two = ((columns == low[:, np.newaxis]) | (columns == high[:, np.newaxis])).all(axis=1) & (low < high)
            # Of two values there is one cut, whether it pays or not.
            of_each = [low[i : i + 1] if two[i] else of_each[i] for i in range(len(columns))]
        elif self.discretizer == "median":
            of_each = [_median_cut(column) for column in columns]
        elif self.discretizer is None:
            of_each = [_cuts_between(column, first + i) for i, column in enumerate(columns)]
        else:
            of_each = [np.array([float(self.discretizer)])] * len(columns)
        return np.concatenate([np.empty(0), *of_each]), np.concatenate(([0], np.cumsum([len(one) for one in of_each])))

    def _bias(self, X, codes, weights):
        of_class = np.bincount(codes, weights)
        prior = np.log(of_class / of_class.sum())
        if len(self.classes_) > 2:
            return prior
        prior = prior - prior[0]
        if self.bias == "error":
            likelihood = self._log_likelihood(X)
            prior[1] = -threshold_of_least_error(likelihood[:, 1] - likelihood[:, 0], codes, weights, -prior[1])
        return prior

    def _log_likelihood(self, X):
        found, first = np.zeros((X.shape[0], len(self.classes_))), 0
        n_cuts = np.array([len(cuts) for cuts in self.cut_points_])
        row = np.concatenate(([0], np.cumsum(n_cuts + 1)))
        for columns in _blocks(X):
            last = first + len(columns)
            starts = np.concatenate(([0], np.cumsum(n_cuts[first:last])))
            cuts = np.concatenate([np.empty(0), *self.cut_points_[first:last]])
            add_log_prob(columns, cuts, starts, self.feature_log_prob_[row[first] : row[last]], found)
            first = last
        return found

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=["csc"], dtype=np.float64, reset=False)
        scores = self._log_likelihood(X) + self.bias_
        return scores if len(self.classes_) > 2 else scores[:, 1:] - scores[:, :1]

    def _invariants(self):
        yield "every feature has its cuts", len(self.cut_points_) == self.n_features_in_
        yield "cuts are numbers", all(is_array(cuts, np.float64, None) and finite(cuts) for cuts in self.cut_points_)
        intervals = sum(len(cuts) + 1 for cuts in self.cut_points_)
        yield (
            "every interval has a probability in each class",
            is_array(self.feature_log_prob_, np.float64, intervals, len(self.classes_)),
        )
        yield "every class has a bias", is_array(self.bias_, np.float64, len(self.classes_))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def threshold_of_least_error(scores, codes, weights, natural):
    """Where to set the second class, above the threshold, apart from the first: the least weight of errors.

    Of the gaps between scores that err equally it is the one nearest to a ``natural`` threshold, and that itself if it
    lies in the gap, else its middle.
    """
    values, place = np.unique(scores, return_inverse=True)
    second = np.bincount(place, weights * (codes == 1))
    first = np.bincount(place, weights * (codes == 0))
    # With the threshold below values[j]: the second class below it and the first class above it are wrong.
    errors = np.append(0.0, np.cumsum(second)) + np.append(np.cumsum(first[::-1])[::-1], 0.0)
    low, high = np.append(values[0] - 2.0, values), np.append(values, values[-1] + 2.0)
    gaps = np.flatnonzero(errors <= errors.min() + 1e-9 * weights.sum())
    away = np.maximum(np.maximum(low[gaps] - natural, natural - high[gaps]), 0.0)
    gap = gaps[np.argmin(away)]
    inside = low[gap] <= natural < high[gap] or (gap == 0 and natural < high[0])
    inside = inside or (gap == len(values) and natural >= low[-1])
    return natural if inside else 0.5 * (low[gap] + high[gap])


def _blocks(X):
    """Some columns at a time, each a row."""
    if not sparse.issparse(X):
        for _, columns in column_blocks(X):
            yield columns
        return
    width = max(1, _VALUES_AT_ONCE // X.shape[0])
    for begin in range(0, X.shape[1], width):
        yield np.ascontiguousarray(X[:, begin : begin + width].toarray().T)


def _median_cut(column):
    """The median, or the value below it where it is the highest; none for a constant column."""
    median, top = np.median(column), column.max()
    below = column[column < top]
    if not len(below):
        return np.empty(0)
    return np.array([median if median < top else below.max()])


def _cuts_between(column, place):
    values = np.unique(column)
    fractional = values[values != np.floor(values)]
    if len(fractional):
        raise ValueError(
            f"column {place} of X is continuous (it holds {fractional[0]:.6g}); choose discretizer='mdl', 'median' "
            "or a threshold"
        )
    return 0.5 * (values[1:] + values[:-1])


@compiled
def count_intervals(columns, cuts, starts, codes, out):
    """Rows of each class in each interval of each feature (row of ``columns``)."""
    for i in range(columns.shape[0]):
        of_feature = cuts[starts[i] : starts[i + 1]]
        for t in range(columns.shape[1]):
            out[starts[i] + i + bin_of(columns[i, t], of_feature), codes[t]] += 1.0


@compiled
def add_log_prob(columns, cuts, starts, log_prob, out):
    """Add to every row the log probabilities of its intervals, for each class."""
    for i in range(columns.shape[0]):
        of_feature = cuts[starts[i] : starts[i + 1]]
        for t in range(columns.shape[1]):
            interval = starts[i] + i + bin_of(columns[i, t], of_feature)
            for c in range(out.shape[1]):
                out[t, c] += log_prob[interval, c]
