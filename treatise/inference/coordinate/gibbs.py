"""Gibbs sampling: one variable after another, given all others."""

import numpy as np
from sklearn.utils import check_random_state

from treatise.inference.coordinate._flat_factors import FlatFactors
from treatise.inference.coordinate._loops import gibbs_sweeps, mode_sweep
from treatise.inference.marginals import Marginals


def gibbs_sample(graph, n_samples=1000, *, n_chains=4, burn_in=200, thin=1, start=None, random_state=None):
    """Assignments drawn by Gibbs sampling, in compiled loops.

    Right in the limit of long runs for any model whose states can all be reached one variable at a time; slow where
    strong couplings hold groups of variables together, and wrong where scores of -inf cut the states into islands.
    :meth:`JunctionTree.sample` draws independent ones on narrow graphs. A sweep costs, for each variable, its states
    times its factors.

    Parameters
    ----------
    graph : FactorGraph
        The model, with factors of any order.
    n_samples : int, default=1000
        Assignments kept, over all chains.
    n_chains : int, default=4
        Independent chains.
    burn_in : int, default=200
        Sweeps of each chain that are thrown away.
    thin : int, default=1
        Sweeps between kept assignments.
    start : array-like of int of shape (n,) or None, default=None
        A possible assignment that all chains start from. None draws starts at random and first climbs to a possible
        state.
    random_state : int, RandomState instance or None, default=None
        Source of randomness.

    Returns
    -------
    assignments : ndarray of int of shape (n_samples, n)
        Chain after chain.

    Examples
    --------
    >>> from treatise.inference import FactorGraph, gibbs_sample
    >>> pair = FactorGraph.ising([0.5, 0.0], [[0, 1]], [0.7])
    >>> gibbs_sample(pair, 4000, random_state=0).mean(axis=0).round(1)
    array([0.7, 0.6])
    """
    for name, value, least in (("n_samples", n_samples, 1), ("n_chains", n_chains, 1), ("burn_in", burn_in, 0),
                               ("thin", thin, 1)):  # fmt: skip
        if value < least:
            raise ValueError(f"{name}={value!r} must be at least {least}")
    random = check_random_state(random_state)
    flat = FlatFactors.of(graph)
    found = []
    for chain in range(n_chains):
        length = (n_samples * (chain + 1)) // n_chains - (n_samples * chain) // n_chains
        x = _possible_start(graph, flat, random) if start is None else np.array(start, np.int64)
        if graph.scores(x) == -np.inf:
            raise ValueError("the start has a score of -inf; give a possible assignment as start")
        at = flat.place(x)
        kept = np.empty((length, len(graph)), np.int64)
        _sweep(flat, at, x, random, burn_in, np.empty((burn_in, len(graph)), np.int64), 1)
        _sweep(flat, at, x, random, length * thin, kept, thin)
        found.append(kept)
    return np.concatenate(found)


def gibbs(graph, n_samples=10_000, *, n_chains=4, burn_in=200, thin=1, random_state=None):
    """Marginals by Gibbs sampling: frequencies of the states in the kept assignments.

    Errors fall with the square root of the number of independent samples. Sampling gives no ``log Z``.

    Parameters
    ----------
    graph : FactorGraph
        The model, with factors of any order.
    n_samples, n_chains, burn_in, thin, random_state
        As in :func:`gibbs_sample`.

    Returns
    -------
    marginals : Marginals
        Of kind "estimate", with ``log_partition`` nan.

    Examples
    --------
    >>> from treatise.inference import FactorGraph, gibbs
    >>> pair = FactorGraph.ising([0.5, 0.0], [[0, 1]], [0.7])
    >>> gibbs(pair, random_state=0).nodes[0].round(1)
    array([0.3, 0.7])
    """
    drawn = gibbs_sample(graph, n_samples, n_chains=n_chains, burn_in=burn_in, thin=thin, random_state=random_state)
    nodes = tuple(np.bincount(drawn[:, v], minlength=k) / n_samples for v, k in enumerate(graph.n_states))
    factors = []
    for factor in graph.factors:
        cells = np.zeros(n_samples, np.int64)
        if factor.variables:
            cells = np.ravel_multi_index(tuple(drawn[:, v] for v in factor.variables), factor.table.shape)
        factors.append(np.bincount(cells, minlength=factor.table.size).reshape(factor.table.shape) / n_samples)
    return Marginals(float("nan"), "estimate", nodes, tuple(factors), n_samples, True)


def _sweep(flat, at, x, random, n_sweeps, kept, thin):
    block = max(1, 2**20 // max(1, len(x)) // thin) * thin
    for low in range(0, n_sweeps, block):
        size = min(block, n_sweeps - low)
        uniform = random.uniform(size=(size, len(x)))
        rows = kept[low // thin : (low + size) // thin]
        if not gibbs_sweeps(*flat.arrays, at, x, uniform, rows, thin):
            raise ValueError("a variable has no possible state given the others; give a possible assignment as start")


def _possible_start(graph, flat, random):
    """A random assignment, moved to better states until it is possible."""
    x = np.array([random.randint(k) for k in graph.n_states], np.int64)
    at = flat.place(x)
    for _ in range(len(x)):
        if graph.scores(x) > -np.inf or not mode_sweep(*flat.arrays, at, x):
            break
    return x
