"""Learning by Gaussian herding (Crammer & Lee, 2010; in LIBOL, JMLR 15:495)."""

from numbers import Real

from sklearn.utils._param_validation import Interval

from treatise.online._regularized_loops import HERD
from treatise.online._second_order import SecondOrderClassifier


class NormalHerd(SecondOrderClassifier):
    """Linear classifier that moves a whole Gaussian of weight vectors towards each example's margin.

    Every weight vector of the belief takes a passive-aggressive step of its own; what is left is Gaussian again, and
    narrower. It behaves like :class:`AROW` but grows confident faster, which suits clean labels and large C.

    A pass costs the non-zeros of X with a diagonal covariance, else n_features² for each example with a margin
    below one. With more than two classes each has a learner against the rest.

    Parameters
    ----------
    C : float, default=1.0
        How far an example may move the belief.
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

    See Also
    --------
    AROW : Grows confident more slowly.
    PassiveAggressive : The step that each weight vector takes.

    References
    ----------
    .. [1] K. Crammer and D. D. Lee. Learning via Gaussian herding. NIPS 2010, pages 451-459. Full covariance, and
       for the diagonal one the diagonal of its precision.
    .. [2] Paper v15-0495, Table 1, row "NHERD".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import NormalHerd
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = NormalHerd(C=0.1, covariance="full").fit(scale(X), y)
    >>> learner.n_mistakes_, learner.n_updates_
    (36, 336)
    """

    _parameter_constraints: dict = {
        **SecondOrderClassifier._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
    }
    _native_multiclass = False

    def __init__(
        self,
        C=1.0,
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
        self.C = C

    def _rule(self):
        return HERD, float(self.C), 1.0
