"""Adaptive regularisation of weights (Crammer, Kulesza & Dredze, 2009; in LIBOL, JMLR 15:495)."""

from numbers import Real

from sklearn.utils._param_validation import Interval

from treatise._core.jit import compiled
from treatise.online.rules._second_order import SecondOrderClassifier


@compiled
def arow(m, v, r):
    """Whether there is a loss, and alpha and kappa of w += alpha y Sigma x, Sigma^-1 += kappa x x' (Figure 1 of [1]).

    m = y w.x is the margin and v = x' Sigma x its variance. The paper's beta is 1 / (v + r), its alpha max(0, 1 - m)
    beta, and Sigma loses beta Sigma x x' Sigma, which adds x x' / r to its inverse.
    """
    if m >= 1.0:
        return False, 0.0, 0.0
    return True, (1.0 - m) / (v + r), 1.0 / r


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
    >>> learner = AROW(random_state=0).fit(scale(X), y)
    >>> round(learner.score(scale(X), y), 2)
    0.98
    """

    _parameter_constraints: dict = {
        **SecondOrderClassifier._parameter_constraints,
        "r": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        r=1.0,
        *,
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
        self.r = r

    def _rule(self):
        return arow, self.r
