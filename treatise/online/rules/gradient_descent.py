"""Online gradient descent (Zinkevich, 2003; in LIBOL, JMLR 15:495)."""

import math
from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.jit import compiled
from treatise.online._row_loops import add, class_scores, dot, example, rivals, shift
from treatise.online.rules._base import OnlineClassifier

HINGE, ZERO_ONE, LOGISTIC, SQUARED = 0, 1, 2, 3
_LOSSES = {"hinge": HINGE, "zero_one": ZERO_ONE, "log_loss": LOGISTIC, "squared_error": SQUARED}


@compiled
def descent(loss, margin, wrong):
    """Minus the derivative of the loss in the margin."""
    if loss == HINGE:
        return 1.0 if margin < 1.0 else 0.0
    if loss == ZERO_ONE:
        return 1.0 if wrong else 0.0
    if loss == LOGISTIC:
        return 1.0 / (1.0 + math.exp(min(margin, 700.0)))
    return 1.0 - margin


@compiled
def gradient_descent(stream, positive, loss, C, weights, state, scores, updated):
    """w -= C / sqrt(t) times the gradient of the loss in round t; ``state`` holds the rounds so far, updates or not."""
    rounds = state[0]
    for t in range(len(scores)):
        indices, values, label = example(stream, t)
        y = 1.0 if label == positive else -1.0
        scores[t] = dot(weights, indices, values)
        pull = descent(loss, y * scores[t], (scores[t] >= 0.0) != (y > 0.0))
        rounds += 1.0
        updated[t] = pull != 0.0
        if updated[t]:
            add(weights, C / math.sqrt(rounds) * pull * y, indices, values)
    state[0] = rounds


@compiled
def multiclass_gradient_descent(stream, loss, C, weights, state, predicted, updated):
    """The same losses of the margin between the label and its best rival."""
    rounds = state[0]
    scores = np.empty(weights.shape[1])
    for t in range(len(predicted)):
        indices, values, label = example(stream, t)
        class_scores(weights, indices, values, scores)
        predicted[t], rival, margin = rivals(scores, label)
        pull = descent(loss, margin, predicted[t] != label)
        rounds += 1.0
        updated[t] = pull != 0.0
        if updated[t]:
            shift(weights, label, rival, C / math.sqrt(rounds) * pull, indices, values)
    state[0] = rounds


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
    >>> learner = OnlineGradientDescent(random_state=0).fit(scale(X), y)
    >>> round(learner.score(scale(X), y), 2)
    0.98
    """

    _parameter_constraints: dict = {
        **OnlineClassifier._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "loss": [StrOptions(set(_LOSSES))],
    }

    def __init__(self, C=1.0, *, loss="hinge", n_passes=5, fit_intercept=True, shuffle=True, random_state=None):
        super().__init__(n_passes=n_passes, fit_intercept=fit_intercept, shuffle=shuffle, random_state=random_state)
        self.C = C
        self.loss = loss

    def _first_state(self):
        return (0.0,)

    def _invariants(self):
        yield "rounds are counted", bool((self._state >= 0.0).all())

    def _walk(self, stream, positive, learner, scores, updated):
        weights, state = self._weights[:, learner], self._state[learner]
        gradient_descent(stream, positive, _LOSSES[self.loss], float(self.C), weights, state, scores, updated)

    def _walk_classes(self, stream, predicted, updated):
        multiclass_gradient_descent(
            stream, _LOSSES[self.loss], float(self.C), self._weights, self._state[0], predicted, updated
        )
