"""Narrow adaptive regularisation of weights (Orabona & Crammer, 2010; in LIBOL, JMLR 15:495)."""

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import row_norms

from treatise.online._regularized_loops import NAROW as RULE
from treatise.online._second_order import SecondOrderClassifier


class NAROW(SecondOrderClassifier):
    """AROW whose resistance is chosen anew for each example, so that its mistakes can be bounded.

    It learns only from examples whose score is uncertain, of a variance above 1 / b, and the more uncertain the
    score the further it goes. It is here for comparison: its mistakes depend strongly on the order of the examples
    (Table 1 of the paper), and :class:`AROW` is the better choice.

    A pass costs the non-zeros of X with a diagonal covariance, else n_features² for each example with a margin
    below one. With more than two classes each has a learner against the rest.

    Parameters
    ----------
    b : float or "auto", default="auto"
        Examples whose score has a variance of at most 1 / b teach nothing; with b = 1, that of the paper, nothing is
        ever learned from examples of length one. "auto" is twice the inverse of the median squared length of the
        rows in the first call.
    covariance : {"diagonal", "full"}, default="diagonal"
        Whether the weights are taken as independent (a pass costs the non-zeros, memory two vectors) or not
        (n_features² numbers, and as many operations for each example with a loss; refused beyond 2 GiB).
    n_passes : int, default=1
        Times that ``fit`` goes through the rows.
    fit_intercept : bool, default=False
        Whether to add a constant feature 1, whose weight is learned like any other.
    shuffle : bool, default=False
        Whether ``fit`` visits the rows in random order, not in the order given.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights (the mean of the belief); one row where there are two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature, zero without one.
    covariance_ : ndarray
        Variances of the weights, or their covariance matrix; one for each class where there are more than two.
    n_seen_, n_mistakes_, n_updates_ : int
        Examples seen, how many of them were predicted wrongly beforehand, and rounds with a positive loss.
    mistake_curve_ : ndarray of shape (n_moments, 3)
        Examples seen, mistakes and updates by then, at up to 64 evenly spaced moments.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.
    b_ : float
        The b in use.

    See Also
    --------
    AROW : The same with one resistance for all examples.

    References
    ----------
    .. [1] F. Orabona and K. Crammer. New adaptive algorithms for online classification. NIPS 2010, pages 1840-1848.
    .. [2] Paper v15-0495, Table 1, row "NAROW".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import NAROW
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = NAROW(covariance="full").fit(scale(X), y)
    >>> learner.n_mistakes_, learner.n_updates_
    (24, 517)
    """

    _parameter_constraints: dict = {
        **SecondOrderClassifier._parameter_constraints,
        "b": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
    }
    _native_multiclass = False

    def __init__(
        self,
        b="auto",
        *,
        covariance="diagonal",
        n_passes=1,
        fit_intercept=False,
        shuffle=False,
        random_state=None,
    ):
        super().__init__(
            covariance=covariance,
            n_passes=n_passes,
            fit_intercept=fit_intercept,
            shuffle=shuffle,
            random_state=random_state,
        )
        self.b = b

    def _settle(self, X):
        if self.b != "auto":
            self.b_ = float(self.b)
            return
        lengths = row_norms(X, squared=True) + self.fit_intercept
        lengths = lengths[lengths > 0.0]
        self.b_ = 2.0 / float(np.median(lengths)) if len(lengths) else 1.0

    def _rule(self):
        return RULE, self.b_, 1.0
