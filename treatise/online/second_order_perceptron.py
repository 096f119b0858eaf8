"""The second-order Perceptron (Cesa-Bianchi, Conconi & Gentile, 2005; in LIBOL, JMLR 15:495)."""

from numbers import Real

from sklearn.utils._param_validation import Interval

from treatise.online._regularized_loops import PERCEPTRON, PERCEPTRON_EVERY_ROUND
from treatise.online._second_order import SecondOrderClassifier


class SecondOrderPerceptron(SecondOrderClassifier):
    """Perceptron in coordinates whitened by the examples on which it erred.

    It makes fewer mistakes than a Perceptron where features are correlated or differ in scale. It learns from
    mistakes alone; :class:`AROW`, the same step taken whenever the margin is below one, usually errs less.

    A pass costs the non-zeros of X with a diagonal covariance, else n_features² for each mistake. With more than
    two classes each has a learner against the rest.

    Parameters
    ----------
    a : float, default=1.0
        Ridge: the weights start with the variance 1 / a.
    update_every_round : bool, default=False
        Whether right predictions add to the covariance, too. The program behind the paper does so; the original
        algorithm learns from mistakes alone.
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
    OnlinePerceptron : The first-order rule.
    AROW : The same step, taken on small margins too.

    Notes
    -----
    The weights are those with which it predicts, the whitened sum of the examples on which it erred. The original
    also adds the example at hand to the covariance before it predicts, which does not change the sign.

    References
    ----------
    .. [1] N. Cesa-Bianchi, A. Conconi and C. Gentile. A second-order Perceptron algorithm. SIAM Journal on Computing
       34:640-668, 2005.
    .. [2] Paper v15-0495, Table 1, row "SOP".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import SecondOrderPerceptron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = SecondOrderPerceptron(covariance="full").fit(scale(X), y)
    >>> learner.n_mistakes_, learner.n_updates_
    (32, 32)
    """

    _parameter_constraints: dict = {
        **SecondOrderClassifier._parameter_constraints,
        "a": [Interval(Real, 0, None, closed="neither")],
        "update_every_round": ["boolean"],
    }
    _native_multiclass = False

    def __init__(
        self,
        a=1.0,
        *,
        update_every_round=False,
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
        self.a = a
        self.update_every_round = update_every_round

    def _first_variance(self):
        return 1.0 / self.a

    def _rule(self):
        return PERCEPTRON_EVERY_ROUND if self.update_every_round else PERCEPTRON, 1.0, 1.0
