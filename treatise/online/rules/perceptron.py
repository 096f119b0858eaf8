"""The Perceptron (Rosenblatt, 1958; Crammer & Singer, 2003; in LIBOL, JMLR 15:495)."""

import numpy as np
from sklearn.utils._param_validation import StrOptions

from treatise._core.jit import compiled
from treatise.online._row_loops import add, class_scores, dot, example, rivals, shift
from treatise.online.rules._base import OnlineClassifier

MAX, UNIFORM, SIMILARITY = 0, 1, 2
_SHARES = {"max": MAX, "uniform": UNIFORM, "similarity": SIMILARITY}


@compiled
def perceptron(stream, positive, weights, scores, updated):
    """w += y x on a mistake; a score of zero says +1."""
    for t in range(len(scores)):
        indices, values, label = example(stream, t)
        y = 1.0 if label == positive else -1.0
        f = dot(weights, indices, values)
        wrong = (f >= 0.0) != (y > 0.0)
        if wrong:
            add(weights, y, indices, values)
        scores[t], updated[t] = f, wrong


@compiled
def multiclass_perceptron(stream, weights, share, predicted, updated):
    """On a mistake the label's weights gain x and those of classes that beat it lose x in all.

    They lose it by themselves (the best rival, MAX), in equal parts (UNIFORM) or in proportion to their lead
    (SIMILARITY). Classes that are level with the label lose nothing, except to MAX.
    """
    n_classes = weights.shape[1]
    scores, loss = np.empty(n_classes), np.empty(n_classes)
    for t in range(len(predicted)):
        indices, values, label = example(stream, t)
        class_scores(weights, indices, values, scores)
        predicted[t], rival, _ = rivals(scores, label)
        updated[t] = predicted[t] != label
        if not updated[t]:
            continue
        if share == MAX:
            shift(weights, label, rival, 1.0, indices, values)
            continue
        total = 0.0
        for c in range(n_classes):
            loss[c] = max(scores[c] - scores[label], 0.0)
            if share == UNIFORM and loss[c] > 0.0:
                loss[c] = 1.0
            total += loss[c]
        loss[label] = -1.0
        for c in range(n_classes):
            if c != label and total > 0.0:
                loss[c] /= total
        for j in range(len(values)):
            for c in range(n_classes):
                weights[indices[j], c] -= loss[c] * values[j]


class OnlinePerceptron(OnlineClassifier):
    """Linear classifier that adds or subtracts an example whenever it errs.

    The baseline of online learning: no parameter, no margin, and no more than 1 / γ² mistakes on examples of
    length at most one that a margin γ separates. Prefer :class:`PassiveAggressive` or
    :class:`SoftConfidenceWeighted` where the classes overlap: the last weights of a Perceptron are then noisy.

    A pass costs the non-zeros of X, times the number of classes where there are more than two.

    Parameters
    ----------
    update : {"max", "uniform", "similarity"}, default="max"
        With more than two classes, which classes lose the example that the true one gains: the best of those that
        beat it, all of them in equal parts, or all in proportion to their lead.

    See Also
    --------
    PassiveAggressive : Also updates where the margin is small, by as much as it takes.
    SecondOrderPerceptron : Accounts for the correlation of the features.

    Notes
    -----
    While it learns, a score of zero counts as a prediction of the second class (``predict`` gives the first), with more
    classes a tie as one of the first of them. scikit-learn's Perceptron updates on a score of zero whatever the label.

    References
    ----------
    .. [1] F. Rosenblatt. The perceptron. Psychological Review 65:386-408, 1958.
    .. [2] K. Crammer and Y. Singer. Ultraconservative online algorithms for multiclass problems. JMLR 3:951-991,
       2003.
    .. [3] Paper v15-0495, Table 1, row "Perceptron".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import OnlinePerceptron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = OnlinePerceptron(random_state=0).fit(scale(X), y)
    >>> round(learner.score(scale(X), y), 2)
    0.98
    """

    _parameter_constraints: dict = {**OnlineClassifier._parameter_constraints, "update": [StrOptions(set(_SHARES))]}

    def __init__(self, update="max", *, n_passes=5, fit_intercept=True, shuffle=True, random_state=None):
        super().__init__(n_passes=n_passes, fit_intercept=fit_intercept, shuffle=shuffle, random_state=random_state)
        self.update = update

    def _walk(self, stream, positive, learner, scores, updated):
        perceptron(stream, positive, self._weights[:, learner], scores, updated)

    def _walk_classes(self, stream, predicted, updated):
        multiclass_perceptron(stream, self._weights, _SHARES[self.update], predicted, updated)
