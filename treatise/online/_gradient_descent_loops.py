"""Online gradient descent (Zinkevich, 2003) with steps that shrink as one over the root of the round."""

import math

import numpy as np

from treatise._core.jit import compiled
from treatise.online._row_loops import add, class_scores, dot, example, rivals, shift

HINGE, ZERO_ONE, LOGISTIC, SQUARED = 0, 1, 2, 3


@compiled
def gradient_descent(stream, positive, loss, C, weights, state, scores, updated):
    """One pass; ``state`` holds the number of rounds so far, updates or not."""
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
