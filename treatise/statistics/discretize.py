"""Discretisation of continuous features with the help of the class (Fayyad and Irani, 1993)."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import classes_and_codes
from treatise._core.invariants import is_array
from treatise.statistics._counts import entropy_table
from treatise.statistics._discretize_loops import dense_bins, dense_mdl_cuts, sparse_bins, sparse_mdl_cuts

_VALUES_AT_ONCE = 1 << 20


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Cut continuous features into the intervals that best tell the classes apart.

    Each feature is split at the value that leaves the least class entropy, then each side again, as long
    as a split pays for the bits that describe it. The number of intervals follows from the data: a feature
    that says nothing about the class gets a single one.

    Use it before methods that count (naive Bayes on categories, information measures, Bayesian networks).
    Do not use it to prepare data for a smooth model, which loses by it, nor on features that matter
    only in combination with others: each is judged alone. It looks at y, so keep it inside the pipeline
    that is cross-validated.

    Costs O(n log n + n d) per feature, with d the depth of its splits; memory is that of the data.

    Parameters
    ----------
    encoding : {"values", "rows"}, default="values"
        What the place of a cut is described by: its number among the gaps between distinct values, or
        among the n - 1 gaps between rows as in the original article. They are the same for continuous
        measurements; where values repeat (counts, rounded readings), "values" is the shorter description
        and accepts more cuts. The numbers of paper v05-1205 come from "values".
    max_depth : int or None, default=None
        Most splits on the way to an interval: at most ``2 ** max_depth`` intervals. None leaves it to the
        description length.

    Attributes
    ----------
    cut_points_ : list of ndarray
        For each feature its cuts in increasing order; a value equal to a cut lies left of it.
    n_bins_ : ndarray of shape (n_features,)
        Number of intervals of each feature.
    classes_ : ndarray
        The classes seen.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treatise.statistics import MDLDiscretizer
    >>> X, y = load_iris(return_X_y=True)
    >>> discretizer = MDLDiscretizer().fit(X, y)
    >>> discretizer.n_bins_.tolist()
    [4, 3, 4, 3]
    >>> [round(float(cut), 2) for cut in discretizer.cut_points_[3]]
    [0.8, 1.75]

    References
    ----------
    .. [1] U. M. Fayyad and K. B. Irani, "Multi-interval discretization of continuous-valued attributes for
       classification learning", IJCAI 1993, pages 1022-1027. The discretisation of paper v05-1205,
       Section 5.3.
    """

    _parameter_constraints: dict = {
        "encoding": [StrOptions({"values", "rows"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(self, *, encoding="values", max_depth=None):
        self.encoding = encoding
        self.max_depth = max_depth

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Find the cuts of every feature.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, without missing ones.
        y : array-like of shape (n_samples,)
            Class of each row.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype="numeric")
        self.classes_, labels = classes_and_codes(y)
        self.cut_points_ = []
        for _, columns in column_blocks(X):
            cuts, starts = mdl_cuts(columns, labels, len(self.classes_), self.encoding, self.max_depth)
            self.cut_points_ += np.split(cuts, starts[1:-1])
        self.n_bins_ = np.array([len(cuts) + 1 for cuts in self.cut_points_])
        return self

    def transform(self, X):
        """Number, from zero, of the interval that each value lies in.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, without missing ones.

        Returns
        -------
        bins : ndarray of int32, of shape (n_samples, n_features)
            Intervals in increasing order of the feature.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype="numeric", reset=False)
        bins = np.empty(X.shape, dtype=np.int32)
        for block, columns in column_blocks(X):
            cuts = self.cut_points_[block]
            starts = np.concatenate(([0], np.cumsum([len(of_feature) for of_feature in cuts])))
            bins[:, block] = bins_of(columns, np.concatenate(cuts), starts).T
        return bins

    def _invariants(self):
        yield "every feature has its cuts", len(self.cut_points_) == self.n_features_in_
        yield "cuts are numbers", all(is_array(cuts, np.float64, None) for cuts in self.cut_points_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def column_blocks(X, dtype=np.float64):
    """Slices of columns of an array, each with a copy that has one column a row."""
    width = max(1, _VALUES_AT_ONCE // len(X))
    for begin in range(0, X.shape[1], width):
        block = slice(begin, min(begin + width, X.shape[1]))
        yield block, np.ascontiguousarray(X[:, block].T, dtype=dtype)


def mdl_cuts(columns, labels, n_classes, encoding="values", max_depth=None):
    """Cuts of each feature (row of ``columns``): all in one array, and where each feature's start."""
    f = entropy_table(len(labels))
    order = np.argsort(columns, axis=1)
    depth, by_values = -1 if max_depth is None else max_depth, encoding == "values"
    cuts, n_cuts = np.empty(columns.shape), np.empty(len(columns), dtype=np.int64)
    dense_mdl_cuts(
        columns, order, labels.astype(np.int32), n_classes, f.values, f.unit, by_values, depth, cuts, n_cuts
    )  # fmt: skip
    return cuts[np.arange(cuts.shape[1]) < n_cuts[:, np.newaxis]], np.concatenate(([0], np.cumsum(n_cuts)))


def sparse_mdl_bins(data, rows, indptr, order, columns, target, codes):
    """Cut columns of a CSC matrix by distinct values, write the codes of their stored values (0 in the bin of zero).

    Returns the number of cuts of each of the columns. ``order`` sorts each column's entries by value.
    """
    f = entropy_table(len(target.codes))
    cuts, n_cuts = np.empty(len(data)), np.empty(len(columns), dtype=np.int64)
    sparse_mdl_cuts(
        data, rows, indptr, order, columns, target.codes, target.counts, f.values, f.unit, True, -1, cuts, n_cuts
    )  # fmt: skip
    sparse_bins(data, indptr, columns, cuts, n_cuts, codes)
    return n_cuts


def bins_of(columns, cuts, starts):
    """Bin of every value of each feature (row of ``columns``), as int32."""
    bins = np.empty(columns.shape, dtype=np.int32)
    dense_bins(columns, cuts, starts, bins)
    return bins
