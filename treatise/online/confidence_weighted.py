"""Confidence-weighted learning (Dredze, Crammer & Pereira, 2008; in LIBOL, JMLR 15:495)."""

from numbers import Real

from scipy.special import ndtri
from sklearn.utils._param_validation import Interval

from treatise.online._confidence_weighted_loops import HARD
from treatise.online._second_order import SecondOrderClassifier


class ConfidenceWeighted(SecondOrderClassifier):
    """Linear classifier that tracks how sure it is of every weight, and trusts every label.

    Each update is the least change of the belief after which the example is classified rightly with probability
    ``eta``. Rare features move fast, common ones slowly. For sparse, all but separable data such as text; a wrong
    label makes it drop what it knew, so that on noisy classes :class:`SoftConfidenceWeighted` or :class:`AROW` is
    the better choice.

    A pass costs the non-zeros of X with a diagonal covariance (times the number of classes where there are more
    than two), else n_features² for each example with a loss.

    Parameters
    ----------
    eta : float, default=0.7
        In (0.5, 1): probability with which an example shall be classified rightly.
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
    SoftConfidenceWeighted : The same with a bound on what one example may do.

    Notes
    -----
    With more than two classes the constraint holds exactly for the lead over the best rival, whose variance is twice
    that of a score. The program behind the paper solves it exactly at a lead of zero only.

    References
    ----------
    .. [1] M. Dredze, K. Crammer and F. Pereira. Confidence-weighted linear classification. ICML 2008, pages 264-271.
    .. [2] K. Crammer, M. Dredze and F. Pereira. Exact convex confidence-weighted learning. NIPS 2008, pages 345-352.
    .. [3] Paper v15-0495, Table 1, row "CW".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import ConfidenceWeighted
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = ConfidenceWeighted(covariance="full").fit(scale(X), y)
    >>> learner.n_mistakes_, learner.n_updates_
    (23, 87)
    """

    _parameter_constraints: dict = {
        **SecondOrderClassifier._parameter_constraints,
        "eta": [Interval(Real, 0.5, 1, closed="neither")],
    }

    def __init__(
        self,
        eta=0.7,
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
        self.eta = eta

    def _rule(self):
        return HARD, float(ndtri(self.eta)), 1.0

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Where classes overlap the last example with a loss decides, whatever came before.
        tags.classifier_tags.poor_score = True
        return tags
