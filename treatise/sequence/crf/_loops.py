"""Scores and expectations of features that belong to an attribute and a label, where only some pairs have a weight."""

from treatise._core.jit import compiled


@compiled
def state_scores(first, last, indptr, indices, data, start, label, weights, scores):
    """Scores of the labels at the positions from ``first`` to ``last``: attributes by rows."""
    for t in range(first, last):
        for y in range(scores.shape[1]):
            scores[t, y] = 0.0
        for i in range(indptr[t], indptr[t + 1]):
            a, x = indices[i], data[i]
            for k in range(start[a], start[a + 1]):
                scores[t, label[k]] += x * weights[k]


@compiled
def state_expectations(first, last, indptr, indices, data, start, label, nodes, expected):
    """Expectations of the features of the attributes from ``first`` to ``last``: positions by columns."""
    for a in range(first, last):
        low, high = start[a], start[a + 1]
        for k in range(low, high):
            expected[k] = 0.0
        for i in range(indptr[a], indptr[a + 1]):
            t, x = indices[i], data[i]
            for k in range(low, high):
                expected[k] += x * nodes[t, label[k]]


@compiled
def scattered_expectations(indptr, indices, data, start, label, nodes, expected):
    """The same expectations from attributes by rows, of positions so few that turning the matrix is not worth it."""
    expected[:] = 0.0
    for t in range(len(indptr) - 1):
        for i in range(indptr[t], indptr[t + 1]):
            a, x = indices[i], data[i]
            for k in range(start[a], start[a + 1]):
                expected[k] += x * nodes[t, label[k]]
