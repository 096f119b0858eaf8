"""Soft confidence-weighted learning (Wang, Zhao & Hoi, 2012; in LIBOL, JMLR 15:495)."""

import math
from numbers import Integral, Real

from scipy.special import ndtri
from sklearn.utils._param_validation import Interval, Options

from treatise._core.jit import compiled
from treatise.online.rules._second_order import SecondOrderClassifier
from treatise.online.rules.confidence_weighted import (
    confidence_weighted,
    gained_precision,
    multiclass_confidence_weighted,
)


@compiled
def soft_linear(m, v, phi, C):
    """Loss, alpha and kappa of SCW-I (Proposition 1 of [1]): the step of CW, but alpha is at most C."""
    loss, alpha, kappa = confidence_weighted(m, v, phi)
    return (loss, alpha, kappa) if alpha <= C else (loss, C, gained_precision(C, v, phi))


@compiled
def soft_quadratic(m, v, phi, C):
    """Loss, alpha and kappa of SCW-II (Proposition 2 of [1]): w += alpha y Sigma x, Sigma^-1 += kappa x x'.

    m = y w.x is the margin, v = x' Sigma x its variance, and n = v + 1 / (2 C).
    """
    loss = phi * math.sqrt(v) > m
    if not loss or v == 0.0:
        return loss, 0.0, 0.0
    n, square = v + 0.5 / C, phi * phi
    # The released program has m^2 v 2 for m^2 v^2 and 2 phi for phi^2 here; then C -> inf is not CW.
    root = phi * math.sqrt(square * m * m * v * v + 4.0 * n * v * (n + v * square))
    alpha = max((root - m * (2.0 * n + square * v)) / (2.0 * n * (n + v * square)), 0.0)
    return True, alpha, gained_precision(alpha, v, phi)


@compiled
def multiclass_soft_linear(m, v, phi, C):
    """SCW-I for the lead m over the best rival."""
    loss, alpha, kappa = multiclass_confidence_weighted(m, v, phi)
    return (loss, alpha, kappa) if alpha <= C else (loss, C, gained_precision(C, v, phi / math.sqrt(2.0)))


@compiled
def multiclass_soft_quadratic(m, v, phi, C):
    """SCW-II for the lead m over the best rival, whose variance is 2 v: n = 2 v + 1 / (2 C)."""
    loss = phi * math.sqrt(2.0 * v) > m
    if not loss or v == 0.0:
        return loss, 0.0, 0.0
    n, square = 2.0 * v + 0.5 / C, phi * phi
    root = phi * math.sqrt(square * m * m * v * v + 8.0 * n * v * (n + v * square))
    alpha = max((root - m * (2.0 * n + square * v)) / (2.0 * n * (n + v * square)), 0.0)
    return True, alpha, gained_precision(alpha, v, phi / math.sqrt(2.0))


class SoftConfidenceWeighted(SecondOrderClassifier):
    """Linear classifier that tracks how sure it is of every weight, and doubts labels that would upset it.

    Rare features move fast, common ones slowly, and no example moves the belief further than C allows. It has the
    lowest mistake rate of Table 1 of the paper with few updates: the first choice on sparse text, and on any stream
    of which C and eta can be tuned. Untuned, :class:`AROW` is less sensitive.

    A pass costs the non-zeros of X with a diagonal covariance (times the number of classes where there are more
    than two), else n_features² for each example with a loss.

    Parameters
    ----------
    C : float, default=0.1
        Cost of falling short of the margin: the larger, the more an example may move the belief, up to
        what it does to :class:`ConfidenceWeighted`. The paper starts from 1, which follows wrong labels too far.
    eta : float, default=0.75
        In (0.5, 1): probability with which an example should be classified rightly.
    variant : {1, 2}, default=1
        SCW-I, where the cost is linear in the shortfall, or SCW-II, where it is quadratic; the paper starts the
        latter from ``eta=0.9``.

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
    >>> learner = SoftConfidenceWeighted(random_state=0).fit(scale(X), y)
    >>> round(learner.score(scale(X), y), 2)
    0.99
    """

    _parameter_constraints: dict = {
        **SecondOrderClassifier._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "eta": [Interval(Real, 0.5, 1, closed="neither")],
        "variant": [Options(Integral, {1, 2})],
    }

    def __init__(
        self,
        C=0.1,
        *,
        eta=0.75,
        variant=1,
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
        self.C = C
        self.eta = eta
        self.variant = variant

    def _rule(self):
        return soft_linear if self.variant == 1 else soft_quadratic, ndtri(self.eta), self.C
