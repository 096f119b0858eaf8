"""The improved ellipsoid method (Yang, Jin & Ye, 2009; in LIBOL, JMLR 15:495)."""

from numbers import Real

from sklearn.utils._param_validation import Interval

from treatise._core.jit import compiled
from treatise.online.rules._second_order import SecondOrderClassifier


@compiled
def improved_ellipsoid(m, v, wrong, b, state):
    """Whether there is a loss, alpha and kappa of w += alpha y Sigma x, Sigma^-1 += kappa x x', and a growth of Sigma.

    m = y w.x is the margin and v = x' Sigma x its variance. A mistake moves the centre until the margin is one and
    cuts the ellipsoid to the depth c, which shrinks by the factor b in every round: Sigma becomes (Sigma - c Sigma x
    x' Sigma / v) / (1 - c). The state is c.
    """
    c = state[0]
    state[0] = c * b
    if not wrong or v < 1e-300:
        return wrong, 0.0, 0.0, 1.0
    return True, (1.0 - m) / v, c / (v * (1.0 - c)), 1.0 / (1.0 - c)


class ImprovedEllipsoid(SecondOrderClassifier):
    """Linear classifier that keeps an ellipsoid around the weights that would have erred nowhere.

    A mistake cuts the ellipsoid and moves its centre until the example has a margin of one. The cuts shrink by the
    factor b in every round, so that the shape soon stays as it is and each mistake then moves the weights as
    :class:`PassiveAggressive` would with that shape. It is here for comparison: on noisy classes it does no better
    than a Perceptron (Table 1 of the paper).

    A pass costs the non-zeros of X with a diagonal covariance, else n_features² for each example. With more than two
    classes a mistake moves the weights of the right class and of the one taken for it, until the lead is one.

    Parameters
    ----------
    b : float, default=0.3
        In (0, 1): factor by which the cuts shrink in each round.
    c : float, default=0.1
        In (0, 1): depth of the first cut.

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
    >>> learner = ImprovedEllipsoid(b=0.9, covariance="full", random_state=0).fit(scale(X), y)
    >>> round(learner.score(scale(X), y), 2)
    0.97
    """

    _parameter_constraints: dict = {
        **SecondOrderClassifier._parameter_constraints,
        "b": [Interval(Real, 0, 1, closed="neither")],
        "c": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        b=0.3,
        *,
        c=0.1,
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
        self.b = b
        self.c = c

    def _first_state(self):
        return (float(self.c),)

    def _rule(self):
        return improved_ellipsoid, self.b

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Where classes overlap the last example with a loss decides, whatever came before.
        tags.classifier_tags.poor_score = True
        return tags
