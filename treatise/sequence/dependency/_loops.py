"""The dependency model with valence met with sentences: expected counts, best trees, drawn trees."""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.inference.projective_trees._best_loops import best_heads
from treatise.inference.projective_trees._sum_loops import tree_shares


@compiled_step
def sentence_weights(tags, log_root, log_child, log_go, log_stop, cost, log_roots, log_arcs, log_stops):
    """Logarithms of the weights of one sentence; ``cost`` (n, n + 1) lowers those of each word's heads (section 4.3).

    ``log_go`` and ``log_stop`` are of going on and of stopping, by tag, side and dependents taken before.
    """
    n, V = log_stops.shape[0], log_stops.shape[2]
    last_child, last_stop = log_child.shape[2] - 1, log_stop.shape[2] - 1
    for h in range(n):
        log_roots[h] = log_root[tags[h]] - cost[h, n]
        for side in range(2):
            for v in range(V):
                log_stops[h, side, v] = log_stop[tags[h], side, min(v, last_stop)]
        for c in range(n):
            side = 1 if c > h else 0
            for v in range(V):
                taken = log_child[tags[h], side, min(v, last_child), tags[c]]
                log_arcs[h, c, v] = log_go[tags[h], side, min(v, last_stop)] + taken - cost[c, h]


@compiled
def expected_counts(tags, starts, costs, cost_starts, log_root, log_child, log_go, log_stop, V, first, last,
                    root, child, go, stop, edges):  # fmt: skip
    """Add the expected counts of the sentences ``first`` to ``last``; fill in the shares of their heads.

    Returns the log-likelihood, lowered by the costs. A sentence that no tree gives counts nothing, and makes it minus
    infinity.
    """
    last_child, last_stop = child.shape[2] - 1, stop.shape[2] - 1
    no_cost = len(costs) == 0
    total = 0.0
    for s in range(first, last):
        sentence = tags[starts[s] : starts[s + 1]]
        n = len(sentence)
        at = cost_starts[s]
        cost = np.zeros((n, n + 1)) if no_cost else costs[at : at + n * (n + 1)].reshape((n, n + 1))
        heads = edges[at : at + n * (n + 1)].reshape((n, n + 1))
        log_roots, log_arcs, log_stops = np.empty(n), np.empty((n, n, V)), np.empty((n, 2, V))
        sentence_weights(sentence, log_root, log_child, log_go, log_stop, cost, log_roots, log_arcs, log_stops)
        roots, arcs, stops = np.empty(n), np.empty((n, n, V)), np.empty((n, 2, V))
        value = tree_shares(log_roots, log_arcs, log_stops, roots, arcs, stops)
        total += value
        if value == -np.inf:
            continue
        for h in range(n):
            tag = sentence[h]
            root[tag] += roots[h]
            heads[h, n] = roots[h]
            heads[h, h] = 0.0
            for side in range(2):
                for v in range(V):
                    stop[tag, side, min(v, last_stop)] += stops[h, side, v]
            for c in range(n):
                if c != h:
                    side = 1 if c > h else 0
                    share = 0.0
                    for v in range(V):
                        share += arcs[h, c, v]
                        go[tag, side, min(v, last_stop)] += arcs[h, c, v]
                        child[tag, side, min(v, last_child), sentence[c]] += arcs[h, c, v]
                    heads[c, h] = share
    return total


@compiled
def best_trees(tags, starts, log_root, log_child, log_go, log_stop, V, first, last, heads, weights):
    """The heads of the most probable trees of the sentences ``first`` to ``last``, and the trees' log-probabilities."""
    for s in range(first, last):
        sentence = tags[starts[s] : starts[s + 1]]
        n = len(sentence)
        log_roots, log_arcs, log_stops = np.empty(n), np.empty((n, n, V)), np.empty((n, 2, V))
        cost = np.zeros((n, n + 1))
        sentence_weights(sentence, log_root, log_child, log_go, log_stop, cost, log_roots, log_arcs, log_stops)
        weights[s] = best_heads(log_roots, log_arcs, log_stops, heads[starts[s] : starts[s + 1]])


@compiled
def best_expected_heads(edges, starts, edge_starts, heads):
    """The projective trees with the most heads expected to be right."""
    for s in range(len(starts) - 1):
        n = starts[s + 1] - starts[s]
        share = edges[edge_starts[s] : edge_starts[s] + n * (n + 1)].reshape((n, n + 1))
        arcs = np.empty((n, n, 1))
        for h in range(n):
            for c in range(n):
                arcs[h, c, 0] = share[c, h]
        best_heads(share[:, n].copy(), arcs, np.zeros((n, 2, 1)), heads[starts[s] : starts[s + 1]])


@compiled
def harmonic_counts(tags, starts, root, child):
    """Add the pseudo counts of Klein and Manning: a root anywhere, heads as probable as one over their distance."""
    for s in range(len(starts) - 1):
        sentence = tags[starts[s] : starts[s + 1]]
        n = len(sentence)
        for c in range(n):
            root[sentence[c]] += 1.0 / n
            total = 0.0
            for h in range(n):
                if h != c:
                    total += 1.0 / abs(h - c)
            for h in range(n):
                if h != c:
                    child[sentence[h], 1 if c > h else 0, sentence[c]] += (1.0 - 1.0 / n) / (abs(h - c) * total)


@compiled
def sums_by_feature(edges, feature, expectations):
    """Add the shares of all edges to the features that they belong to."""
    for e in range(len(edges)):
        if feature[e] >= 0:
            expectations[feature[e]] += edges[e]


@compiled
def edge_types(tags, starts, edge_starts, n_tags, pooled, kinds, tokens):
    """Of every edge the type (tag of the child, then tag of the head or the root) and what is counted once.

    With ``pooled`` heads, all edges of one word to heads of one tag are the same feature (the asymmetric measure);
    else each edge is one. ``tokens`` holds a number for each feature, kinds -1 for a word as its own head.
    """
    for s in range(len(starts) - 1):
        n = starts[s + 1] - starts[s]
        for c in range(n):
            for h in range(n + 1):
                e = edge_starts[s] + c * (n + 1) + h
                if h == c:
                    kinds[e] = -1
                    continue
                head = n_tags if h == n else tags[starts[s] + h]
                kinds[e] = tags[starts[s] + c] * (n_tags + 1) + head
                tokens[e] = starts[s] + c if pooled else e
