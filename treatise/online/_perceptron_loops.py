"""Perceptron updates: on every mistake, and only then."""

import numpy as np

from treatise._core.jit import compiled
from treatise.online._row_loops import add, class_scores, dot, example, rivals, shift

MAX, UNIFORM, SIMILARITY = 0, 1, 2


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
