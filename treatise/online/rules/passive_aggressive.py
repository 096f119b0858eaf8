"""Passive-aggressive learning (Crammer et al., 2006; in LIBOL, JMLR 15:495)."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, Options, StrOptions

from treatise._core.invariants import is_number
from treatise._core.jit import compiled
from treatise.online._row_loops import add, class_scores, dot, example, rivals, shift, squared_norm
from treatise.online.rules._base import OnlineClassifier, squared_lengths

_SHARE = 0.3


@compiled
def step_length(variant, loss, norm, C):
    """tau of PA, PA-I and PA-II (Figure 1 of [1]): w + tau y x is the nearest to w with a margin of one.

    PA-I and PA-II charge C for falling short, linearly and quadratically. An example without features takes no step.
    """
    if norm == 0.0:
        return 0.0
    if variant == 2:
        return loss / (norm + 0.5 / C)
    tau = loss / norm
    return min(tau, C) if variant == 1 else tau


@compiled
def passive_aggressive(stream, positive, variant, C, weights, scores, updated):
    """w += tau y x whenever the hinge loss is positive."""
    for t in range(len(scores)):
        indices, values, label = example(stream, t)
        y = 1.0 if label == positive else -1.0
        scores[t] = dot(weights, indices, values)
        loss = 1.0 - y * scores[t]
        updated[t] = loss > 0.0
        if updated[t]:
            add(weights, step_length(variant, loss, squared_norm(values), C) * y, indices, values)


@compiled
def multiclass_passive_aggressive(stream, variant, C, weights, predicted, updated):
    """The margin is the label's lead over its best rival; both move, so x counts twice in the norm."""
    scores = np.empty(weights.shape[1])
    for t in range(len(predicted)):
        indices, values, label = example(stream, t)
        class_scores(weights, indices, values, scores)
        predicted[t], rival, margin = rivals(scores, label)
        loss = 1.0 - margin
        updated[t] = loss > 0.0
        if updated[t]:
            shift(weights, label, rival, step_length(variant, loss, 2.0 * squared_norm(values), C), indices, values)


class PassiveAggressive(OnlineClassifier):
    """Linear classifier that gives each example a margin of one by the least change of the weights.

    Where the margin is one already nothing happens. The soft variants bound (I) or damp (II) the change, so that a
    wrong label does less harm: tune C downwards on noisy data. A good first choice on dense or drifting streams;
    where rare features matter :class:`SoftConfidenceWeighted` needs fewer examples.

    A pass costs the non-zeros of X, times the number of classes where there are more than two.

    Parameters
    ----------
    C : float or "auto", default="auto"
        Largest step of variant 1, softness of variant 2; variant 0 does not use it. "auto" is 0.3 over the median
        squared length of the rows in the first call, so that an example of usual length cannot put all right that it
        finds wrong; the paper starts from 1.
    variant : {0, 1, 2}, default=1
        PA, PA-I or PA-II.

    Attributes
    ----------
    C_ : float
        The C in use.

    See Also
    --------
    OnlineGradientDescent : Steps of a length that shrinks with time.
    AROW : Adapts the step of each feature.

    References
    ----------
    .. [1] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz and Y. Singer. Online passive-aggressive algorithms.
       JMLR 7:551-585, 2006. Figure 1 and Section 8.
    .. [2] Paper v15-0495, Table 1, rows "PA", "PA1" and "PA2".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import PassiveAggressive
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = PassiveAggressive(C=0.01, random_state=0).fit(scale(X), y)
    >>> round(learner.score(scale(X), y), 2)
    0.99
    """

    _parameter_constraints: dict = {
        **OnlineClassifier._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "variant": [Options(Integral, {0, 1, 2})],
    }

    def __init__(self, C="auto", *, variant=1, n_passes=5, fit_intercept=True, shuffle=True, random_state=None):
        super().__init__(n_passes=n_passes, fit_intercept=fit_intercept, shuffle=shuffle, random_state=random_state)
        self.C = C
        self.variant = variant

    def _invariants(self):
        yield "C_ is a number", is_number(self.C_)

    def _settle(self, X):
        if self.C != "auto":
            self.C_ = float(self.C)
            return
        lengths = squared_lengths(X, self.fit_intercept)
        self.C_ = _SHARE / float(np.median(lengths)) if len(lengths) else 1.0

    def _walk(self, stream, positive, learner, scores, updated):
        weights = self._weights[:, learner]
        passive_aggressive(stream, positive, int(self.variant), self.C_, weights, scores, updated)

    def _walk_classes(self, stream, predicted, updated):
        multiclass_passive_aggressive(stream, int(self.variant), self.C_, self._weights, predicted, updated)
