"""Soft confidence-weighted learning (Wang, Zhao & Hoi, 2012; in LIBOL, JMLR 15:495)."""

from numbers import Integral, Real

from scipy.special import ndtri
from sklearn.utils._param_validation import Interval, Options

from treatise.online._confidence_weighted_loops import SOFT_LINEAR, SOFT_QUADRATIC
from treatise.online._second_order import SecondOrderClassifier


class SoftConfidenceWeighted(SecondOrderClassifier):
    """Linear classifier that tracks how sure it is of every weight, and doubts labels that would upset it.

    Rare features move fast, common ones slowly, and no example moves the belief further than C allows. It has the
    lowest mistake rate of Table 1 of the paper with few updates: the first choice on sparse text, and on any stream
    of which C and eta can be tuned. Untuned, :class:`AROW` is less sensitive.

    A pass costs the non-zeros of X with a diagonal covariance (times the number of classes where there are more
    than two), else n_features² for each example with a loss.

    Parameters
    ----------
    C : float, default=1.0
        Cost of falling short of the margin: the larger, the more an example may move the belief, up to
        what it does to :class:`ConfidenceWeighted`.
    eta : float, default=0.75
        In (0.5, 1): probability with which an example should be classified rightly.
    variant : {1, 2}, default=1
        SCW-I, where the cost is linear in the shortfall, or SCW-II, where it is quadratic; the paper starts the
        latter from ``eta=0.9``.
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
    ConfidenceWeighted : Trusts every label.
    AROW : One parameter only.

    References
    ----------
    .. [1] J. Wang, P. Zhao and S. C. H. Hoi. Exact soft confidence-weighted learning. ICML 2012, pages 107-114.
       Propositions 1 and 2.
    .. [2] Paper v15-0495, Table 1, rows "SCW" and "SCW2".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import SoftConfidenceWeighted
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = SoftConfidenceWeighted(C=0.1, covariance="full").fit(scale(X), y)
    >>> learner.n_mistakes_, learner.n_updates_
    (26, 95)
    """

    _parameter_constraints: dict = {
        **SecondOrderClassifier._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "eta": [Interval(Real, 0.5, 1, closed="neither")],
        "variant": [Options(Integral, {1, 2})],
    }

    def __init__(
        self,
        C=1.0,
        *,
        eta=0.75,
        variant=1,
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
        self.eta = eta
        self.variant = variant

    def _rule(self):
        rule = SOFT_LINEAR if self.variant == 1 else SOFT_QUADRATIC
        return rule, float(ndtri(self.eta)), float(self.C)
