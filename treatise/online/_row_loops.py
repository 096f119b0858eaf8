"""Examples in a stream, and the few operations on one of them that all update rules share."""

import math
from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled


class Stream(NamedTuple):
    """Rows of a table in the order in which a learner meets them.

    Row i has the values ``values[pointers[i]:pointers[i + 1]]``. A sparse table has as many ``indices`` as
    values; a dense one is not converted: its ``indices`` are those of one row, and serve all. They are unsigned,
    which spares the compiled loops the check for negative ones.
    """

    pointers: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    order: np.ndarray
    labels: np.ndarray


@compiled
def example(stream, turn):
    """Indices, values and label of the example at this turn."""
    row = stream.order[turn]
    start, stop = stream.pointers[row], stream.pointers[row + 1]
    first = start if len(stream.indices) == len(stream.values) else 0
    return stream.indices[first : first + stop - start], stream.values[start:stop], stream.labels[row]


@compiled
def append_constant(pointers, indices, values, turns, constant, new_pointers, new_indices, new_values):
    """Copy the rows at these turns, each with a value 1 of the feature ``constant`` behind its own."""
    for turn in range(len(turns)):
        start, stop, at = pointers[turns[turn]], pointers[turns[turn] + 1], new_pointers[turn]
        for j in range(start, stop):
            new_indices[at], new_values[at] = indices[j], values[j]
            at += 1
        new_indices[at], new_values[at] = constant, 1.0


@compiled
def dot(weights, indices, values):
    """Inner product of dense weights with an example, in four sums that do not wait for one another."""
    n, whole = len(values), len(values) // 4 * 4
    a = b = c = d = 0.0
    for j in range(0, whole, 4):
        a += weights[indices[j]] * values[j]
        b += weights[indices[j + 1]] * values[j + 1]
        c += weights[indices[j + 2]] * values[j + 2]
        d += weights[indices[j + 3]] * values[j + 3]
    for j in range(whole, n):
        a += weights[indices[j]] * values[j]
    return (a + b) + (c + d)


@compiled
def dense_dot(weights, values):
    """The same with an example without gaps; weights beyond its features are left out."""
    n, whole = len(values), len(values) // 4 * 4
    a = b = c = d = 0.0
    for j in range(0, whole, 4):
        a += weights[j] * values[j]
        b += weights[j + 1] * values[j + 1]
        c += weights[j + 2] * values[j + 2]
        d += weights[j + 3] * values[j + 3]
    for j in range(whole, n):
        a += weights[j] * values[j]
    return (a + b) + (c + d)


@compiled
def squared_norm(values):
    """Squared Euclidean norm of an example."""
    total = 0.0
    for j in range(len(values)):
        total += values[j] * values[j]
    return total


@compiled
def add(weights, factor, indices, values):
    """Add a multiple of an example to dense weights."""
    for j in range(len(values)):
        weights[indices[j]] += factor * values[j]


@compiled
def class_scores(weights, indices, values, scores):
    """Score of every class into ``scores``; ``weights`` has a row for each feature, a column for each class."""
    scores[:] = 0.0
    for j in range(len(values)):
        value, of_feature = values[j], weights[indices[j]]
        for c in range(len(scores)):
            scores[c] += value * of_feature[c]


@compiled
def rivals(scores, label):
    """The predicted class, the best class other than the label, and the label's lead over it; first of ties.

    The prediction is -1 where the scores have overflowed.
    """
    rival = 0 if label != 0 else 1
    for c in range(len(scores)):
        if c != label and scores[c] > scores[rival]:
            rival = c
    margin = scores[label] - scores[rival]
    if math.isnan(margin):
        return -1, rival, margin
    right = margin > 0.0 or (margin == 0.0 and label < rival)
    return label if right else rival, rival, margin


@compiled
def shift(weights, winner, loser, factor, indices, values):
    """Add a multiple of an example to one class's weights and take it from another's."""
    for j in range(len(values)):
        of_feature = weights[indices[j]]
        of_feature[winner] += factor * values[j]
        of_feature[loser] -= factor * values[j]
