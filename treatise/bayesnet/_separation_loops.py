"""d-separation for very many questions to one graph."""

import numpy as np

from treatise._core.jit import compiled

# How a search came into a vertex: against an arrow (from a child, or it starts there), or along one.
_AGAINST, _ALONG = 1, 2


@compiled
def separated_range(first, last, parent_starts, parents, child_starts, children, x, y, given, separated):
    """Whether no active path joins ``x[q]`` to ``y[q]`` given the vertices marked in ``given[q]``, for q of a range.

    Each vertex is searched at most twice, once for each way in. A given vertex sends back to its parents what comes
    along an arrow, and stops the rest; so a collider is passed through a given descendant and back.
    """
    n = len(parent_starts) - 1
    marks = np.zeros(n, np.uint8)
    stack = np.empty(2 * n, np.int64)
    for q in range(first, last):
        for v in range(n):
            marks[v] = 0
        goal = y[q]
        found = False
        marks[x[q]] = _AGAINST
        stack[0], height = 2 * x[q], 1
        while height and not found:
            height -= 1
            v, along = stack[height] >> 1, stack[height] & 1
            free = not given[q, v]
            if free:
                for i in range(child_starts[v], child_starts[v + 1]):
                    w = children[i]
                    if not marks[w] & _ALONG:
                        marks[w] |= _ALONG
                        found |= w == goal
                        stack[height] = 2 * w + 1
                        height += 1
            if free != along:
                for i in range(parent_starts[v], parent_starts[v + 1]):
                    w = parents[i]
                    if not marks[w] & _AGAINST:
                        marks[w] |= _AGAINST
                        found |= w == goal
                        stack[height] = 2 * w
                        height += 1
        separated[q] = not found
