"""Messages for the most probable labelling: tree-reweighted with a bound, and min-sum belief propagation."""

import numpy as np

from treatise.inference._trws_loops import read_labels, shares, sweep
from treatise.inference.map_result import MAPResult


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
        Stop when the bound rises by less than this share of the energy, or comes this near to it.

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
        Stop when no message changes by more than this share of the largest unary cost.

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
    begin, neighbour, edge, twin = energy.neighbours
    transposed = np.ascontiguousarray(energy.table.T)
    share = shares(begin, neighbour, reweighted)
    messages = np.zeros((len(neighbour), energy.n_labels))
    labels = np.argmin(energy.unary, axis=1)
    best, least, bound, trace = labels.copy(), energy(labels), -np.inf, []
    costs = (energy.unary, energy.tails, energy.weights, energy.table, transposed, begin, neighbour, edge)
    scale = max(1e-300, float(np.abs(energy.unary).max()))
    for _ in range(max_sweeps):
        _, ahead = sweep(True, *costs, twin, share, messages)
        raised, back = sweep(False, *costs, twin, share, messages)
        read_labels(*costs, messages, labels)
        trace.append(energy(labels))
        if trace[-1] < least:
            best, least = labels.copy(), trace[-1]
        if reweighted:
            slack = tol * max(1e-300, abs(least))
            gained, bound = raised - bound, max(bound, raised)
            if least - bound <= slack or gained <= slack:
                break
        elif max(ahead, back) <= tol * scale:
            break
    return MAPResult(best, least, bound if reweighted else None, np.array(trace), len(trace))
