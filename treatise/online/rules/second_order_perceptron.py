"""The second-order Perceptron (Cesa-Bianchi, Conconi & Gentile, 2005; in LIBOL, JMLR 15:495)."""

from numbers import Real

from sklearn.utils._param_validation import Interval

from treatise._core.jit import compiled
from treatise.online.rules._second_order import SecondOrderClassifier


@compiled
def second_order_perceptron(m, v, wrong, every_round):
    """Whether there is a loss, and alpha and kappa of w += alpha y Sigma x, Sigma^-1 += kappa x x'.

    m = y w.x is the margin and v = x' Sigma x its variance. The paper keeps u, the sum of mistaken y x, and predicts
    with Sigma u. In terms of the mean Sigma u itself, adding y x to u and x x' to the inverse of Sigma is a step of
    ridge regression towards the label. ``every_round`` adds x x' on right predictions, too, where u stays.
    """
    if wrong:
        return True, (1.0 - m) / (1.0 + v), 1.0
    if every_round:
        return False, -m / (1.0 + v), 1.0
    return False, 0.0, 0.0


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
    >>> learner = SecondOrderPerceptron(covariance="full", random_state=0).fit(scale(X), y)
    >>> round(learner.score(scale(X), y), 2)
    0.98
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
        covariance="auto",
        n_passes=5,
        fit_intercept=True,
        shuffle=True,
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
        return second_order_perceptron, self.update_every_round
