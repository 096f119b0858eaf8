"""Passive-aggressive learning (Crammer et al., 2006; in LIBOL, JMLR 15:495)."""

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, Options

from treatise.online._base import OnlineClassifier
from treatise.online._passive_aggressive_loops import multiclass_passive_aggressive, passive_aggressive


class PassiveAggressive(OnlineClassifier):
    """Linear classifier that gives each example a margin of one by the least change of the weights.

    Where the margin is one already nothing happens. The soft variants bound (I) or damp (II) the change, so that a
    wrong label does less harm: tune C downwards on noisy data. A good first choice on dense or drifting streams;
    where rare features matter :class:`SoftConfidenceWeighted` needs fewer examples.

    A pass costs the non-zeros of X, times the number of classes where there are more than two.

    Parameters
    ----------
    C : float, default=1.0
        Largest step of variant 1, softness of variant 2; variant 0 does not use it.
    variant : {0, 1, 2}, default=1
        PA, PA-I or PA-II.
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
        Weights; one row where there are two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature, zero without one.
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
    OnlineGradientDescent : Steps of a length that shrinks with time.
    AROW : Adapts the step of each feature.

    References
    ----------
    .. [1] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz and Y. Singer. Online passive-aggressive algorithms.
       JMLR 7:551-585, 2006. Figure 1 and Section 8.
    .. [2] Paper v15-0495, Table 1, rows "PA", "PA1" and "PA2".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import PassiveAggressive
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = PassiveAggressive(C=0.01).fit(scale(X), y)
    >>> learner.n_mistakes_, learner.n_updates_
    (25, 140)
    """

    _parameter_constraints: dict = {
        **OnlineClassifier._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "variant": [Options(Integral, {0, 1, 2})],
    }

    def __init__(self, C=1.0, *, variant=1, n_passes=1, fit_intercept=False, shuffle=False, random_state=None):
        super().__init__(n_passes=n_passes, fit_intercept=fit_intercept, shuffle=shuffle, random_state=random_state)
        self.C = C
        self.variant = variant

    def _walk(self, stream, positive, learner, scores, updated):
        weights = self._weights[:, learner]
        passive_aggressive(stream, positive, int(self.variant), float(self.C), weights, scores, updated)

    def _walk_classes(self, stream, predicted, updated):
        multiclass_passive_aggressive(stream, int(self.variant), float(self.C), self._weights, predicted, updated)
