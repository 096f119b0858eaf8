"""Adaptive regularisation of weights (Crammer, Kulesza & Dredze, 2009; in LIBOL, JMLR 15:495)."""

from numbers import Real

from sklearn.utils._param_validation import Interval

from treatise.online._regularized_loops import AROW as RULE
from treatise.online._second_order import SecondOrderClassifier


class AROW(SecondOrderClassifier):
    """Linear classifier that weighs each example's squared hinge loss against its belief about the weights.

    Rare features move fast, common ones slowly, and confidence only ever grows: robust to wrong labels, with one
    parameter that hardly needs tuning. A good default on noisy streams with features of very different frequency.
    As its steps shrink for good it does not follow a drifting stream.

    A pass costs the non-zeros of X with a diagonal covariance (times the number of classes where there are more
    than two), else n_features² for each example with a margin below one.

    Parameters
    ----------
    r : float, default=1.0
        Resistance: the larger, the less an example moves the belief.
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
        Variances of the weights, or their covariance matrix, shared by the classes.
    n_seen_, n_mistakes_, n_updates_ : int
        Examples seen, how many of them were predicted wrongly beforehand, and rounds with a positive loss.
    mistake_curve_ : ndarray of shape (n_moments, 3)
        Examples seen, mistakes and updates by then, at up to 64 evenly spaced moments.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    NAROW : Chooses r anew for each example.
    SoftConfidenceWeighted : Fewer mistakes where it can be tuned.

    Notes
    -----
    The inverse of the covariance is the identity plus x x' / r summed over the updates, or its diagonal.

    References
    ----------
    .. [1] K. Crammer, A. Kulesza and M. Dredze. Adaptive regularization of weight vectors. NIPS 2009, pages 414-422.
       Figure 1.
    .. [2] Paper v15-0495, Table 1, row "AROW".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import AROW
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = AROW(covariance="full").fit(scale(X), y)
    >>> learner.n_mistakes_, learner.n_updates_
    (30, 250)
    """

    _parameter_constraints: dict = {
        **SecondOrderClassifier._parameter_constraints,
        "r": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        r=1.0,
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
        self.r = r

    def _rule(self):
        return RULE, float(self.r), 1.0
