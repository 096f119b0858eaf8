"""Messages for the most probable labelling: tree-reweighted with a bound, and min-sum belief propagation."""

import numpy as np

from treatise._core.jit import compiled
from treatise.inference.map_result import MAPResult, warn_not_converged


def trws(energy, *, max_sweeps=200, tol=1e-6):
    """Sequential tree-reweighted message passing (TRW-S): a labelling with a lower bound on every other.

    Beliefs are shared out over the chains that run through each variable in the order of the variables; the bound never
    falls from sweep to sweep, and tends to that of the linear-programming relaxation or a little less. Use it where the
    quality of a labelling must be known, or costs of pairs are no metric. Where labels are ordered and costs truncated
    convex, range moves are usually as good and faster. Memory is two messages of n_labels floats an edge; a sweep costs
    n_labels ** 2 steps for each.

    Parameters
    ----------
    energy : PairwiseEnergy
        What is to be minimised. Number variables along the graph, as the pixels of a picture are row by row.
    max_sweeps : int, default=200
        Most sweeps, each once forward and once back.
    tol : float, default=1e-6
        Stop when the bound rises by less than this share of the energy, or comes this near to it. The energy counts
        from the least that each variable and each edge could pay, so that constants change nothing.

    Returns
    -------
    result : MAPResult
        ``labels`` are the best of all sweeps; ``trace`` holds the energy of each sweep's labelling.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import PairwiseEnergy, trws
    >>> unary = np.random.default_rng(0).random((6, 3))
    >>> chain = np.column_stack([np.arange(5), np.arange(1, 6)])
    >>> result = trws(PairwiseEnergy(unary, chain, 0.5, 1 - np.eye(3)))
    >>> result.labels, round(result.energy, 4), result.gap < 1e-6
    (array([2, 2, 2, 2, 1, 0]), 2.7093, True)

    References
    ----------
    .. [1] V. Kolmogorov (2006). Convergent tree-reweighted message passing for energy minimization. IEEE PAMI 28.
    """
    return _pass_messages(energy, True, max_sweeps, tol)


def min_sum(energy, *, max_sweeps=200, tol=1e-6):
    """Min-sum (max-product) belief propagation, in the order of the variables.

    Exact on trees. On graphs with loops it may wander without end and gives no bound: :func:`trws` costs the same and
    is nearly always better. It is here because it is what others compare with.

    Parameters
    ----------
    energy : PairwiseEnergy
        What is to be minimised.
    max_sweeps : int, default=200
        Most sweeps, each once forward and once back.
    tol : float, default=1e-6
        Stop when no message changes by more than this share of the largest difference of a variable's costs; where
        the sweeps end before, a warning says so.

    Returns
    -------
    result : MAPResult
        ``labels`` are the best of all sweeps; ``trace`` holds the energy of each sweep's labelling.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import PairwiseEnergy, min_sum
    >>> unary = np.random.default_rng(0).random((6, 3))
    >>> chain = np.column_stack([np.arange(5), np.arange(1, 6)])
    >>> min_sum(PairwiseEnergy(unary, chain, 0.5, 1 - np.eye(3))).labels
    array([2, 2, 2, 2, 1, 0])
    """
    return _pass_messages(energy, False, max_sweeps, tol)


def _pass_messages(energy, reweighted, max_sweeps, tol):
    if max_sweeps < 1:
        raise ValueError(f"max_sweeps={max_sweeps} allows no sweep; choose at least 1")
    least_unary, least_pair = energy.unary.min(axis=1), energy.table.min()
    # What every labelling pays: without it the stopping rules, which are relative, do not depend on it.
    constant = float(least_unary.sum() + energy.weights.sum() * least_pair)
    unary, table = energy.unary - least_unary[:, None], energy.table - least_pair
    begin, neighbour, edge, twin = energy.neighbours
    share = shares(begin, neighbour, reweighted)
    messages = np.zeros((len(neighbour), energy.n_labels))
    labels = np.argmin(unary, axis=1)
    best, least, bound, trace = labels.copy(), energy(labels), -np.inf, []
    costs = (unary, energy.tails, energy.weights, table, np.ascontiguousarray(table.T), begin, neighbour, edge)
    converged = False
    while not converged and len(trace) < max_sweeps:
        _, ahead = sweep(True, *costs, twin, share, messages)
        raised, back = sweep(False, *costs, twin, share, messages)
        read_labels(*costs, messages, labels)
        trace.append(energy(labels))
        if trace[-1] < least:
            best, least = labels.copy(), trace[-1]
        if reweighted:
            slack = tol * max(1e-300, least - constant)
            gained, bound = raised - bound, max(bound, raised)
            converged = least - constant - bound <= slack or gained <= slack
        else:
            converged = max(ahead, back) <= tol * max(1e-300, float(unary.max()))
    if not (converged or reweighted):
        warn_not_converged("min_sum", "max_sweeps", max_sweeps)
    bound = bound + constant if reweighted else None
    return MAPResult(best, least, bound, np.array(trace), len(trace), bool(converged))


@compiled
def shares(begin, neighbour, reweighted):
    """Part of a variable's belief that each message carries: one over its largest number of monotonic chains, or 1."""
    n = len(begin) - 1
    share = np.ones(n)
    if reweighted:
        for a in range(n):
            later = 0
            for i in range(begin[a], begin[a + 1]):
                if neighbour[i] > a:
                    later += 1
            chains = max(later, begin[a + 1] - begin[a] - later)
            if chains > 1:
                share[a] = 1.0 / chains
    return share


@compiled
def sweep(forward, unary, tails, weights, table, transposed, begin, neighbour, edge, twin, share, messages):
    """Send messages from each variable to its later neighbours, or in reverse order to the earlier ones.

    ``messages[i]`` is what comes in along entry i of the neighbours. Returns the sum of what was taken off beliefs and
    messages, which after a reverse sweep of reweighted messages is a lower bound of the energy, and the largest change
    of a message.
    """
    n, h = unary.shape
    belief = np.empty(h)
    reduced = np.empty(h)
    message = np.empty(h)
    bound, change = 0.0, 0.0
    for step in range(n):
        a = step if forward else n - 1 - step
        for k in range(h):
            belief[k] = unary[a, k]
        for i in range(begin[a], begin[a + 1]):
            for k in range(h):
                belief[k] += messages[i, k]
        lowest = belief.min()
        bound += lowest
        for k in range(h):
            belief[k] -= lowest
        for i in range(begin[a], begin[a + 1]):
            b = neighbour[i]
            if (b > a) != forward:
                continue
            w = weights[edge[i]]
            costs = table if tails[edge[i]] == a else transposed
            for k in range(h):
                reduced[k] = share[a] * belief[k] - messages[i, k]
                message[k] = np.inf
            for k in range(h):
                for j in range(h):
                    cost = reduced[k] + w * costs[k, j]
                    message[j] = min(message[j], cost)
            lowest = message.min()
            bound += lowest
            for k in range(h):
                value = message[k] - lowest
                change = max(change, abs(value - messages[twin[i], k]))
                messages[twin[i], k] = value
    return bound, change


@compiled
def read_labels(unary, tails, weights, table, transposed, begin, neighbour, edge, messages, labels):
    """Fix variables in their order: known labels of the earlier neighbours, messages of the later ones."""
    n, h = unary.shape
    belief = np.empty(h)
    for a in range(n):
        for k in range(h):
            belief[k] = unary[a, k]
        for i in range(begin[a], begin[a + 1]):
            b = neighbour[i]
            if b > a:
                for k in range(h):
                    belief[k] += messages[i, k]
            else:
                costs = transposed if tails[edge[i]] == a else table
                for k in range(h):
                    belief[k] += weights[edge[i]] * costs[labels[b], k]
        labels[a] = np.argmin(belief)
