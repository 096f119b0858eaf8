"""Online gradient descent (Zinkevich, 2003; in LIBOL, JMLR 15:495)."""

from numbers import Real

from sklearn.utils._param_validation import Interval, StrOptions

from treatise.online._base import OnlineClassifier
from treatise.online._gradient_descent_loops import (
    HINGE,
    LOGISTIC,
    SQUARED,
    ZERO_ONE,
    gradient_descent,
    multiclass_gradient_descent,
)

_LOSSES = {"hinge": HINGE, "zero_one": ZERO_ONE, "log_loss": LOGISTIC, "squared_error": SQUARED}


class OnlineGradientDescent(OnlineClassifier):
    r"""Linear classifier that steps down the gradient of each example's loss, by C / √t in round t.

    Robust to overlapping classes, as the steps shrink: the default where there are plenty of examples and C can be
    tuned. Its regret against the best fixed weights grows as the root of the number of rounds. Do not use it on a
    stream that drifts: after many rounds it hardly moves.

    A pass costs the non-zeros of X, times the number of classes where there are more than two.

    Parameters
    ----------
    C : float, default=1.0
        First step.
    loss : {"hinge", "zero_one", "log_loss", "squared_error"}, default="hinge"
        Loss of the margin m, the signed score or the lead over the best rival: max(0, 1 - m); a Perceptron's update
        on mistakes alone; log(1 + exp(-m)); (1 - m)² / 2.
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
    PassiveAggressive : Steps fitted to each example, which never shrink.

    Notes
    -----
    The paper has the losses other than the hinge for two classes only.

    References
    ----------
    .. [1] M. Zinkevich. Online convex programming and generalized infinitesimal gradient ascent. ICML 2003, pages
       928-936.
    .. [2] Paper v15-0495, Table 1, row "OGD".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import OnlineGradientDescent
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = OnlineGradientDescent().fit(scale(X), y)
    >>> learner.n_mistakes_, learner.n_updates_
    (33, 37)
    """

    _parameter_constraints: dict = {
        **OnlineClassifier._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "loss": [StrOptions(set(_LOSSES))],
    }

    def __init__(self, C=1.0, *, loss="hinge", n_passes=1, fit_intercept=False, shuffle=False, random_state=None):
        super().__init__(n_passes=n_passes, fit_intercept=fit_intercept, shuffle=shuffle, random_state=random_state)
        self.C = C
        self.loss = loss

    def _first_state(self):
        return (0.0,)

    def _walk(self, stream, positive, learner, scores, updated):
        weights, state = self._weights[:, learner], self._state[learner]
        gradient_descent(stream, positive, _LOSSES[self.loss], float(self.C), weights, state, scores, updated)

    def _walk_classes(self, stream, predicted, updated):
        multiclass_gradient_descent(
            stream, _LOSSES[self.loss], float(self.C), self._weights, self._state[0], predicted, updated
        )
