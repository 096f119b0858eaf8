"""Compiled loops that count walks between two nodes by the kinds of their edges (Chiang et al., JMLR 15:1177, 3.3).

Every node has a list of neighbours with a kind each: of an undirected network 0 is a positive and 1 a negative edge; of
a directed one 0 and 1 are edges that leave the node, 2 and 3 edges that enter it. ``turned[t]`` is the kind of the same
edge at its other end.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def is_asked(u, v, kind, i, j, n_kinds):
    """Whether an entry of u's list is the edge from i to j itself, which its own features must not see."""
    if u == i and v == j:
        return n_kinds == 2 or kind < 2
    if u == j and v == i:
        return n_kinds == 2 or kind >= 2
    return False


@compiled
def walk_counts(indptr, neighbours, kinds, turned, sources, targets, order, features, first, last):
    """Walks of 2 to ``order - 1`` steps from each source to its target, by the kinds of their steps, in place.

    Walks of two steps come first (``K^2`` numbers for K kinds), then those of three (``K^3``) and four. They meet in
    the middle: at most two steps are made from the source, at most two from the target.
    """
    K, n = len(turned), len(indptr) - 1
    one, two = np.zeros((n, K)), np.zeros((n if order > 3 else 0, K * K))
    near, far = np.empty(n, np.int64), np.empty(n, np.int64)
    met, seen = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    for pair in range(first, last):
        i, j = sources[pair], targets[pair]
        n_near, n_far = 0, 0
        for a in range(indptr[i], indptr[i + 1]):
            k, t = neighbours[a], kinds[a]
            if is_asked(i, k, t, i, j, K):
                continue
            if not met[k]:  # a directed network may link two nodes both ways
                met[k] = True
                near[n_near] = k
                n_near += 1
            one[k, t] += 1.0
            if order > 3:
                for b in range(indptr[k], indptr[k + 1]):
                    m, s = neighbours[b], kinds[b]
                    if is_asked(k, m, s, i, j, K):
                        continue
                    if not seen[m]:
                        seen[m] = True
                        far[n_far] = m
                        n_far += 1
                    two[m, t * K + s] += 1.0
        for a in range(indptr[j], indptr[j + 1]):
            k, last_kind = neighbours[a], turned[kinds[a]]
            if is_asked(j, k, kinds[a], i, j, K):
                continue
            for t in range(K):
                features[pair, t * K + last_kind] += one[k, t]
            if order > 3 and seen[k]:
                for t in range(K * K):
                    features[pair, K * K + t * K + last_kind] += two[k, t]
            if order > 4:
                for b in range(indptr[k], indptr[k + 1]):
                    m = neighbours[b]
                    if not seen[m] or is_asked(k, m, kinds[b], i, j, K):
                        continue
                    ending = turned[kinds[b]] * K + last_kind
                    for t in range(K * K):
                        features[pair, K * K + K * K * K + t * K * K + ending] += two[m, t]
        for a in range(n_near):
            one[near[a]] = 0.0
            met[near[a]] = False
        for a in range(n_far):
            two[far[a]] = 0.0
            seen[far[a]] = False
