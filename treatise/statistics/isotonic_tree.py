"""Isotonic regression on a forest: no value below that of its parent."""

import numpy as np

from treatise._core.jit import compiled, compiled_step


def isotonic_regression_on_tree(values, parents, *, weights=None):
    """The nearest values, in weighted squares, that never fall from a parent to its child.

    On a chain this is the isotonic regression of ``sklearn.isotonic``; a tree has one chain from its root to each leaf.
    Leaves come first: a node whose value exceeds that of a block below it is pooled with it, the lowest block first.
    O(n log n), with a heap of blocks under each node.

    Parameters
    ----------
    values : array-like of shape (n,)
        What is to be approached.
    parents : array-like of int of shape (n,)
        Parent of each node; -1 for a root.
    weights : array-like of shape (n,) or None, default=None
        Positive weights of the squares; None takes ones.

    Returns
    -------
    fitted : ndarray of shape (n,)

    Examples
    --------
    A root with two children, one of them lower:

    >>> from treatise.statistics import isotonic_regression_on_tree
    >>> isotonic_regression_on_tree([2.0, 1.0, 5.0], [-1, 0, 0])
    array([1.5, 1.5, 5. ])
    """
    values = np.asarray(values, np.float64)
    parents = np.asarray(parents, np.int64)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, np.float64)
    if not len(values) == len(parents) == len(weights):
        raise ValueError(f"{len(values)} values, {len(parents)} parents and {len(weights)} weights must be as many")
    if len(parents) and (parents.min() < -1 or parents.max() >= len(parents)):
        raise ValueError(f"a parent is -1 or a position below {len(parents)}; found {parents.min()} to {parents.max()}")
    if np.any(~np.isfinite(values)) or np.any(~(weights > 0)):
        raise ValueError("values must be finite and weights positive")
    fitted = np.empty(len(values))
    if not _pool_tree(values, parents, weights, fitted):
        raise ValueError("parents has a cycle: some node is its own ancestor")
    return fitted


@compiled_step
def _join_heaps(a, b, mean, left, right, rank, path):
    """Leftist heaps of blocks, lowest mean on top."""
    depth = 0
    while a >= 0 and b >= 0:
        if mean[b] < mean[a]:
            a, b = b, a
        path[depth] = a
        depth += 1
        a = right[a]
    rest = a if a >= 0 else b
    for j in range(depth - 1, -1, -1):
        top = path[j]
        right[top] = rest
        first = rank[left[top]] if left[top] >= 0 else 0
        second = rank[rest] if rest >= 0 else 0
        if first < second:
            left[top], right[top] = right[top], left[top]
            second = first
        rank[top] = second + 1
        rest = top
    return rest


@compiled
def _pool_tree(values, parents, weights, fitted):
    n = len(values)
    waiting = np.zeros(n, np.int64)
    for i in range(n):
        if parents[i] >= 0:
            waiting[parents[i]] += 1
    ready = np.empty(n, np.int64)
    n_ready = 0
    for i in range(n):
        if waiting[i] == 0:
            ready[n_ready] = i
            n_ready += 1
    mean, total = values.copy(), weights.copy()
    pooled_into = np.full(n, -1, np.int64)
    below = np.full(n, -1, np.int64)  # heap of the blocks under each block, named by their top nodes
    left, right, rank = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.ones(n, np.int64)
    path = np.empty(64, np.int64)
    done = 0
    while done < n_ready:
        i = ready[done]
        done += 1
        while below[i] >= 0 and mean[below[i]] < mean[i]:
            low = below[i]
            rest = _join_heaps(left[low], right[low], mean, left, right, rank, path)
            joint = total[i] + total[low]
            mean[i] += (mean[low] - mean[i]) * (total[low] / joint)
            total[i] = joint
            pooled_into[low] = i
            below[i] = _join_heaps(rest, below[low], mean, left, right, rank, path)
        parent = parents[i]
        if parent >= 0:
            below[parent] = _join_heaps(below[parent], i, mean, left, right, rank, path)
            waiting[parent] -= 1
            if waiting[parent] == 0:
                ready[n_ready] = parent
                n_ready += 1
    # Parents are ready after their children, so a block's top has its final mean before its members ask for it.
    for j in range(n_ready - 1, -1, -1):
        i = ready[j]
        fitted[i] = mean[i] if pooled_into[i] < 0 else fitted[pooled_into[i]]
    return n_ready == n
