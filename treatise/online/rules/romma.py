"""The relaxed online maximum margin algorithm (Li & Long, 2002; in LIBOL, JMLR 15:495)."""

import numpy as np

from treatise._core.jit import compiled
from treatise.online._row_loops import add, class_scores, dot, example, rivals, shift, squared_norm
from treatise.online.rules._base import OnlineClassifier

SMALLEST, LARGEST = 1e-150, 1e150
HUGE, STEP = 1e200, 2.0**-200
MOST_ERRORS = 1e3


@compiled
def relax(weights, state, s, m):
    """Rescale w for an example of squared norm s and margin m, and return the multiple of y x to add to it.

    The new weights are the shortest w' with y w'.x >= 1 and w'.w >= |w|^2, one constraint for the example and one for
    all before it: keep w + gain y x. So w is kept as scale * weights, and an update costs the non-zeros of x. The
    first step solves the same problem without a past: w = y x / |x|^2. The state is the scale, the squared norm q of
    w, and how many rounding errors may sit in it.
    """
    scale, q, errors = state
    if s == 0.0:
        return 0.0
    if q > HUGE:
        # Labels that no plane explains stretch w without end. Then the margin of one is long lost in rounding, so
        # that a shorter w of the same direction takes the same course.
        scale, q, m = scale * STEP, q * STEP * STEP, m * STEP
        state[0], state[1] = scale, q
    if q == 0.0 or s * q <= m:
        # No past, or one that the shortest weights for x alone keep as well; the latter on short steps (m > 0) only.
        weights *= 0.0
        state[0], state[1], state[2] = 1.0, 1.0 / s, 1.0
        return 1.0 / s
    if errors > MOST_ERRORS:
        q, errors = scale * scale * total_square(weights), 1.0
    determinant = s * q - m * m
    # Where x is a multiple of w the two constraints contradict one another; rounding leaves a trace.
    if determinant <= 1e-14 * s * q:
        return 0.0
    keep, gain = (s * q - m) / determinant, q * (1.0 - m) / determinant
    longer = keep * keep * q + 2.0 * keep * gain * m + gain * gain * s
    # Errors of q are multiplied as the first term is, and those of the sum are of its size.
    state[1], state[2] = longer, (errors + 1.0) * keep * keep * q / longer
    state[0] = scale * keep
    if not SMALLEST < abs(state[0]) < LARGEST:
        weights *= state[0]
        state[0] = 1.0
    return gain


@compiled
def total_square(weights):
    """Squared norm of all weights."""
    total = 0.0
    for weight in weights.flat:
        total += weight * weight
    return total


@compiled
def romma(stream, positive, aggressive, weights, state, scores, updated):
    """One pass for two classes."""
    for t in range(len(scores)):
        indices, values, label = example(stream, t)
        y = 1.0 if label == positive else -1.0
        scores[t] = state[0] * dot(weights, indices, values)
        m = y * scores[t]
        updated[t] = m < 1.0 if aggressive else (scores[t] >= 0.0) != (y > 0.0)
        if updated[t]:
            gain = relax(weights, state, squared_norm(values), m)
            add(weights, y * gain / state[0], indices, values)


@compiled
def multiclass_romma(stream, aggressive, weights, state, predicted, updated):
    """The same with the margin over the best rival: x is added to one class and taken from another.

    The pair of blocks (x, -x) has the squared norm 2 |x|^2, and the weights of all classes are rescaled.
    """
    scores = np.empty(weights.shape[1])
    for t in range(len(predicted)):
        indices, values, label = example(stream, t)
        class_scores(weights, indices, values, scores)
        scores *= state[0]
        predicted[t], rival, m = rivals(scores, label)
        updated[t] = m < 1.0 if aggressive else predicted[t] != label
        if updated[t]:
            gain = relax(weights, state, 2.0 * squared_norm(values), m)
            shift(weights, label, rival, gain / state[0], indices, values)


class ROMMA(OnlineClassifier):
    """Linear classifier that follows the hard-margin support vector machine with one constraint for the past.

    After an update the weights are the shortest vector that gives the example a margin of one and does not lose
    ground along the old weights. There is no parameter and no learning rate. Use it where a hyperplane through the
    origin all but separates the classes; on overlapping classes every outlier bends it, and
    :class:`PassiveAggressive` with a small C or :class:`SoftConfidenceWeighted` does better.

    A pass costs the non-zeros of X, times the number of classes where there are more than two.

    Parameters
    ----------
    aggressive : bool, default=False
        Whether to update whenever the margin is below one (aROMMA), not only on mistakes.

    See Also
    --------
    ALMA : Also approximates the maximal margin, and stays within the unit ball.
    PassiveAggressive : Gives the example a margin of one by the least change.

    Notes
    -----
    The first update gives a margin of one, y x / \\|x\\|². An example that is a multiple of the weights is passed over,
    as the two constraints contradict one another. With more than two classes the margin is the lead over the best
    rival, and an update rescales the weights of all classes.

    References
    ----------
    .. [1] Y. Li and P. M. Long. The relaxed online maximum margin algorithm. Machine Learning 46:361-387, 2002.
    .. [2] Paper v15-0495, Table 1, rows "ROMMA" and "aROMMA".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import ROMMA
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = ROMMA(aggressive=True, random_state=0).fit(scale(X), y)
    >>> round(learner.score(scale(X), y), 2)
    0.98
    """

    _parameter_constraints: dict = {**OnlineClassifier._parameter_constraints, "aggressive": ["boolean"]}

    def __init__(self, aggressive=False, *, n_passes=5, fit_intercept=True, shuffle=True, random_state=None):
        super().__init__(n_passes=n_passes, fit_intercept=fit_intercept, shuffle=shuffle, random_state=random_state)
        self.aggressive = aggressive

    def _first_state(self):
        return (1.0, 0.0, 0.0)

    def _scale(self):
        return self._state[:, 0]

    def _walk(self, stream, positive, learner, scores, updated):
        weights, state = self._weights[:, learner], self._state[learner]
        romma(stream, positive, bool(self.aggressive), weights, state, scores, updated)

    def _walk_classes(self, stream, predicted, updated):
        multiclass_romma(stream, bool(self.aggressive), self._weights, self._state[0], predicted, updated)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Where classes overlap the last example with a loss decides, whatever came before.
        tags.classifier_tags.poor_score = True
        return tags
