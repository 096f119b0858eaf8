"""The improved ellipsoid method (Yang, Jin & Ye, 2009; in LIBOL, JMLR 15:495)."""

from numbers import Real

from sklearn.utils._param_validation import Interval

from treatise.online._gaussian_loops import ELLIPSOID
from treatise.online._second_order import SecondOrderClassifier


class ImprovedEllipsoid(SecondOrderClassifier):
    """Linear classifier that keeps an ellipsoid around the weights that would have erred nowhere.

    A mistake cuts the ellipsoid and moves its centre until the example has a margin of one. The cuts shrink by the
    factor b in every round, so that the shape soon stays as it is and each mistake then moves the weights as
    :class:`PassiveAggressive` would with that shape. It is here for comparison: on noisy classes it does no better
    than a Perceptron (Table 1 of the paper).

    A pass costs the non-zeros of X with a diagonal covariance, else n_features² for each example. With more than two
    classes each has a learner against the rest.

    Parameters
    ----------
    b : float, default=0.3
        In (0, 1): factor by which the cuts shrink in each round.
    c : float, default=0.1
        In (0, 1): depth of the first cut.
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
    AROW : A covariance that keeps learning.

    References
    ----------
    .. [1] L. Yang, R. Jin and J. Ye. Online learning by ellipsoid method. ICML 2009, pages 1153-1160.
    .. [2] Paper v15-0495, Table 1, row "IELLIP".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import ImprovedEllipsoid
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = ImprovedEllipsoid(b=0.9, covariance="full").fit(scale(X), y)
    >>> learner.n_mistakes_, learner.n_updates_
    (37, 37)
    """

    _parameter_constraints: dict = {
        **SecondOrderClassifier._parameter_constraints,
        "b": [Interval(Real, 0, 1, closed="neither")],
        "c": [Interval(Real, 0, 1, closed="neither")],
    }
    _native_multiclass = False

    def __init__(
        self,
        b=0.3,
        *,
        c=0.1,
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
        self.c = c

    def _first_state(self):
        return (float(self.c),)

    def _rule(self):
        return ELLIPSOID, 1.0, float(self.b)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Where classes overlap the last example with a loss decides, whatever came before.
        tags.classifier_tags.poor_score = True
        return tags
