"""Passive-aggressive updates (Crammer et al., 2006): the least change that gives the example a margin of one."""

import numpy as np

from treatise._core.jit import compiled
from treatise.online._row_loops import add, class_scores, dot, example, rivals, shift, squared_norm


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


@compiled
def step_length(variant, loss, norm, C):
    """tau of PA, PA-I and PA-II (the paper's Figure 1); an example without features takes no step."""
    if norm == 0.0:
        return 0.0
    if variant == 2:
        return loss / (norm + 0.5 / C)
    tau = loss / norm
    return min(tau, C) if variant == 1 else tau
