"""What selectors by mutual information share: cutting numbers in two, and how much information chance gives."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.stats import chi2
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.sparsefuncs import csc_median_axis_0

from treatise._core.classifier import check_classes
from treatise._core.documentation import InheritsDocumentation
from treatise.selection._base import SLACK, DiscreteSelector
from treatise.statistics._encoding import encode

LEVEL = 0.05
"""Chance that features without information pass for informative."""


class InformationSelector(InheritsDocumentation, DiscreteSelector):
    """Base of the selectors that rank features by their information about the class.

    Parameters
    ----------
    n_features : int or None, default=None
        Most features to keep; fewer are kept where no other tells anything. None keeps those that tell more about the
        class than chance does. What an independent feature tells follows a chi-square law; one must exceed its
        quantile at 5 %, shared out among all features, and where a picked feature is given that at 5 %.
    discretizer : "mdl", "median", float, transformer or None, default="mdl"
        What to do with numeric features of more than two values. "mdl" cuts them by class entropy
        (:class:`treatise.statistics.MDLDiscretizer`), "median" in two at the median. A number is a threshold for all
        features, those of two values too: above it or not. A transformer must give one column of integers for each
        feature. None takes integers for categories and refuses fractions. Strings, Booleans and categorical columns
        are never cut.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Mutual information of each feature with the class, in bits.
    selected_ : ndarray of int
        Features kept, in the order in which they were picked.
    support_ : ndarray of bool, of shape (n_features,)
        The same as a mask.
    classes_ : ndarray
        The classes seen.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.
    """

    _parameter_constraints: dict = {
        "n_features": [Interval(Integral, 1, None, closed="left"), None],
        "discretizer": [StrOptions({"mdl", "median"}), Real, HasMethods(["fit_transform"]), None],
    }

    def __init__(self, n_features=None, *, discretizer="mdl"):
        self.n_features = n_features
        self.discretizer = discretizer

    def _encode(self, columns, target):
        check_classes(self.classes_, who=f"{type(self).__name__} measures what features tell of the class, and")
        if self.discretizer == "median" or isinstance(self.discretizer, Real):
            columns.numbers = in_two(columns.numbers, self.discretizer)
            return encode(columns)
        return encode(columns, self.discretizer, target)

    def _most(self, table):
        """Number of features to keep at most."""
        return table.n_columns if self.n_features is None else min(self.n_features, table.n_columns)

    def _least_information(self, degrees, n_samples, n_tests=1):
        """Bits that a feature must exceed, for the degrees of freedom of a test of independence, one of several."""
        if self.n_features is not None:
            return np.full(np.shape(degrees), SLACK)
        tail = chi2.isf(LEVEL / n_tests, np.maximum(degrees, 1))
        return np.maximum(tail / (2.0 * np.log(2.0) * n_samples), SLACK)

    def _why_none(self):
        return (
            f"the most informative tells {self.scores_.max(initial=0.0):.4g} bits of the class, which is within what "
            "chance gives; set n_features to keep it, or see whether y depends on X at all"
        )


def in_two(X, threshold):
    """Bytes of one where a value exceeds a threshold or its column's median; sparse where X is.

    Where no value exceeds the median, those that equal it are set apart, so that a column of two values is kept as it
    is. In a sparse column the ones mark the values that are on the other side than zero: information is the same.
    """
    if not sparse.issparse(X):
        if threshold != "median":
            return (threshold < X).view(np.uint8)
        median, top = np.median(X, axis=0), X.max(axis=0)
        return ((median < X) | ((median == X) & (median == top))).view(np.uint8)
    X = X.tocsc()
    if threshold == "median":
        # Zeros that are not stored count too; SciPy's maximum knows of them.
        median, top = csc_median_axis_0(sparse.csc_matrix(X, dtype=np.float64)), X.max(axis=0).toarray().ravel()
        at, is_top = np.repeat(median, np.diff(X.indptr)), np.repeat(median == top, np.diff(X.indptr))
        zero = np.repeat((median < 0) | ((median == 0) & (top == 0)), np.diff(X.indptr))
        above = (X.data > at) | ((X.data == at) & is_top)
    else:
        above, zero = X.data > threshold, threshold < 0
    bits = sparse.csc_array(((above != zero).astype(np.float64), X.indices, X.indptr), shape=X.shape)
    bits.eliminate_zeros()
    return bits
