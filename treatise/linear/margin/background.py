"""Background discriminative classifiers with their probability models (Zhang, JMLR 5:1225, Section 4.4)."""

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from treatise.linear.margin import _loops as loops
from treatise.linear.margin._base import LinearScores
from treatise.linear.margin._links import background_link

BACKGROUNDS = {
    "softmax": loops.SOFTMAX,
    "exponential": loops.EXP,
    "logistic": loops.SIGMOID,
    "power": loops.POWER,
    "positive_power": loops.POSITIVE_POWER,
    "bounded_power": loops.BOUNDED_POWER,
    "norm": loops.NORM,
}


class BackgroundClassifier(LinearScores):
    r"""Linear classifier that sets the true class's score against a background of all scores.

    The loss of the scores f when class c is true is :math:`-f_c + s(\sum_k t(f_k))`. Every choice of the background
    below is consistent, and gives class probabilities as a function of the scores:

    ==================== ============================================== =====================================
    background           s and t                                        probability, before normalisation
    ==================== ============================================== =====================================
    ``"softmax"``        ln u; exp(u)                                   exp(f) / sum of exp(f)
    ``"exponential"``    u; exp(u)                                      exp(f)
    ``"logistic"``       u; ln(1 + exp(u))                              1 / (1 + exp(-f))
    ``"power"``          u; \|u\|^p / p                                 f^(p-1)
    ``"positive_power"`` u; max(u, 0)^p / p                             max(f, 0)^(p-1)
    ``"bounded_power"``  the same up to 1, linear beyond                min(max(f, 0), 1)^(p-1)
    ``"norm"``           u^(p/r) / p; \|u\|^r                           proportional to f^(r-1)
    ==================== ============================================== =====================================

    Use "softmax", which is multinomial logistic regression, first. The decoupled ones (all but the first and the last)
    treat each class by itself, so that scores also serve where a row may have several labels; "bounded_power" has a
    margin beyond which rows no longer matter and gives probabilities of exactly 0 and 1, and is the one to try against
    a support vector machine. Do not use "power" with large p on raw features: scale them first.

    Costs O(n p k) a pass for k classes, and some tens of passes. Memory is that of X and 2 n k numbers.

    Parameters
    ----------
    background : str, default="softmax"
        One of the table.
    power : float, default=2.0
        The p of the table, above 1.
    inner_power : float, default=1.5
        The r of "norm", above 1.
    alpha : float, default=1e-3
        Weight of the penalty, half the squared norm of all weights (intercepts are free), against the mean loss.
    fit_intercept : bool, default=True
        Whether scores have an intercept.
    class_weight : dict, "balanced" or None, default=None
        Costs of errors on each class. Predictions then minimise the expected cost; probabilities stay the data's.
    max_iter : int, default=1000
        Iterations of L-BFGS at most.
    tol : float, default=1e-5
        Ends when no component of the gradient is larger, in the width of the widest column where that is below one.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    coef_ : ndarray of shape (n_classes, n_features)
        Weights of the scores, one row a class, for two classes too.
    intercept_ : ndarray of shape (n_classes,)
        Intercepts of the scores.
    class_costs_ : ndarray of shape (n_classes,)
        Costs in use.
    n_iter_ : int
        Iterations made.
    converged_ : bool
        Whether the gradient fell to ``tol``, or to where rounding hides any further decrease.
    objective_ : float
        The least found.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    MarginClassifier : Losses of margins.

    Notes
    -----
    The paper has two more, with positive scores: -ln u against u, which is "exponential" once scores are written as
    exponentials, and -u^a / a against u, whose linear form is not convex then.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from treatise.linear import BackgroundClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BackgroundClassifier("bounded_power").fit(scale(X), y)
    >>> model.predict_proba(scale(X)[[0, 70]]).round(2)
    array([[0.94, 0.06, 0.  ],
           [0.  , 0.24, 0.76]])

    References
    ----------
    .. [1] Paper v05-1225: Equations (16)-(18), Theorem 14, Sections 4.4.2 and 4.4.3.
    """

    _parameter_constraints: dict = {
        **LinearScores._parameter_constraints,
        "background": [StrOptions(set(BACKGROUNDS))],
        "power": [Interval(Real, 1, None, closed="neither")],
        "inner_power": [Interval(Real, 1, None, closed="neither")],
    }

    def __init__(
        self,
        background="softmax",
        *,
        power=2.0,
        inner_power=1.5,
        alpha=1e-3,
        fit_intercept=True,
        class_weight=None,
        max_iter=1000,
        tol=1e-5,
    ):
        self.background = background
        self.power = power
        self.inner_power = inner_power
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol

    def _loss(self, width):
        kind = BACKGROUNDS[self.background]
        power, inner_power = float(self.power), float(self.inner_power)
        return lambda *places: loops.background_losses(kind, power, inner_power, *places)

    def _start(self, n_classes):
        # Powers are flat at zero; the scores of even odds are not.
        return np.full(n_classes, 0.0 if self.background in ("softmax", "exponential", "logistic") else 1.0 / n_classes)

    def _link(self, scores):
        return background_link(scores, self.background, self.power, self.inner_power)
