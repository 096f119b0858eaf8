"""Confidence-weighted learning (Dredze, Crammer & Pereira, 2008; in LIBOL, JMLR 15:495)."""

import math
from numbers import Real

from scipy.special import ndtri
from sklearn.utils._param_validation import Interval

from treatise._core.jit import compiled
from treatise.online.rules._second_order import SecondOrderClassifier

CERTAIN = 1e-100
"""Variance of a score below which no more precision is gained: where labels contradict one another the hard rule
shrinks without end, and would come to the smallest numbers there are."""


@compiled
def confidence_weighted(m, v, phi):
    """Whether there is a loss, and alpha and kappa of w += alpha y Sigma x, Sigma^-1 += kappa x x'.

    m = y w.x is the margin and v = x' Sigma x its variance. The step is the least change in Kullback-Leibler divergence
    after which the example is classified rightly with probability eta, that is, the margin is phi = Phi^-1(eta)
    standard deviations: alpha solves m + alpha v = phi sqrt(u), with u the new variance.
    """
    loss = phi * math.sqrt(v) > m
    if not loss or v == 0.0:
        return loss, 0.0, 0.0
    square = phi * phi
    root = math.sqrt(0.25 * m * m * square * square + v * square * (1.0 + square))
    alpha = max((root - m * (1.0 + 0.5 * square)) / (v * (1.0 + square)), 0.0)
    return True, alpha, gained_precision(alpha, v, phi)


@compiled
def multiclass_confidence_weighted(m, v, phi):
    """The same for the lead m over the best rival, whose variance is 2 v: both classes share Sigma.

    alpha solves m + 2 alpha v = phi sqrt(2 u); the released program solves it at m = 0 only, and takes phi sqrt(v)
    for a loss.
    """
    loss = phi * math.sqrt(2.0 * v) > m
    if not loss or v == 0.0:
        return loss, 0.0, 0.0
    square = phi * phi
    psi = 1.0 + 0.5 * square
    root = math.sqrt(0.25 * m * m * square * square + 8.0 * psi * v * square)
    alpha = max((root - (1.0 + psi) * m) / (4.0 * psi * v), 0.0)
    # Half of the lead's variance is that of a score, hence phi / sqrt(2).
    return True, alpha, gained_precision(alpha, v, phi / math.sqrt(2.0))


@compiled
def gained_precision(alpha, v, phi):
    """kappa = alpha phi / sqrt(u), which is consistent with u = v / (1 + kappa v), the new variance of the score.

    sqrt(u) is half of sqrt(h^2 + 4 v) - h with h = alpha v phi, written without the difference of two like numbers.
    """
    if not v > CERTAIN:
        return 0.0
    h = alpha * v * phi
    return alpha * phi / (2.0 * v / (math.sqrt(h * h + 4.0 * v) + h))


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
    n_passes : int, default=1
        Times that ``fit`` goes through the rows. Further passes teach it the noise: on a dozen real tables five of them
        cost as many points.

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
    >>> learner = ConfidenceWeighted(covariance="full", random_state=0).fit(scale(X), y)
    >>> round(learner.score(scale(X), y), 2)
    0.98
    """

    _parameter_constraints: dict = {
        **SecondOrderClassifier._parameter_constraints,
        "eta": [Interval(Real, 0.5, 1, closed="neither")],
    }

    def __init__(
        self,
        eta=0.7,
        *,
        covariance="auto",
        n_passes=1,
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
        self.eta = eta

    def _rule(self):
        return confidence_weighted, ndtri(self.eta)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Where classes overlap the last example with a loss decides, whatever came before.
        tags.classifier_tags.poor_score = True
        return tags
