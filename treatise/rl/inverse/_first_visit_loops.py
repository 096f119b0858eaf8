"""Compiled sums over recorded runs."""

from treatise._core.jit import compiled


@compiled
def first_visit_weights(beliefs, pairs, discount, first, visited, weights, counts):
    """Add, for every belief of one run, the discounts of what was done from its first visit on (Equation 19).

    ``weights[j, p]`` sums ``discount^(t - t_j)`` over the steps t with the pair p of a belief and an action after the
    first visit t_j of belief j; ``counts[j]`` counts the runs that visit it. ``first`` and ``visited`` are scratch.
    """
    n_visited = 0
    for t in range(len(beliefs)):
        belief = beliefs[t]
        if first[belief] < 0:
            first[belief] = t
            visited[n_visited] = belief
            n_visited += 1
            counts[belief] += 1
        for k in range(n_visited):
            weights[visited[k], pairs[t]] += discount ** (t - first[visited[k]])
    for k in range(n_visited):
        first[visited[k]] = -1
