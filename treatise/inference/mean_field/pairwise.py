"""Mean field: lower bounds on log Z from independent variables or independent trees."""

import numpy as np
from sklearn.utils import check_random_state

from treatise.inference.marginals import Marginals
from treatise.inference.mean_field import _loops as loops
from treatise.inference.mean_field._clusters import forest_clusters
from treatise.inference.mean_field._factors import factor_mean_field
from treatise.inference.messages._rounds import Messages
from treatise.inference.pairwise_form import PairwiseForm


def mean_field(graph, *, clusters=None, n_starts=1, max_iter=1000, tol=1e-8, random_state=None):
    """A lower bound on ``log Z``, and the product of simple distributions that attains it.

    Each variable is updated in turn to the best distribution given the averages of the others, which never lowers the
    bound. Structured mean field does the same for whole trees of variables: dearer and at least as tight. Marginals are
    too sure of themselves where couplings are strong, and the problem has local optima: start several times. Exact
    where nothing is coupled, or where one cluster holds a forest. A round costs the sizes of the factors' tables; where
    a factor has more than two variables it is not compiled, and some hundred times slower.

    Parameters
    ----------
    graph : FactorGraph
        The model.
    clusters : None, "forests" or sequence of arrays of int, default=None
        None makes all variables independent. "forests" divides them into few sets such that the edges within each close
        no loop; or give such sets yourself (the rows of a grid, say), covering every variable once. Where factors have
        more than two variables, sets may also hold loops, as long as :class:`JunctionTree` is fit for them.
    n_starts : int, default=1
        Starts; the first from even probabilities, the others from random ones. The best is kept.
    max_iter : int, default=1000
        Most rounds of each start.
    tol : float, default=1e-8
        Largest change of a probability that counts as none.
    random_state : int, RandomState instance or None, default=None
        Source of the random starts.

    Returns
    -------
    marginals : Marginals
        Of kind "lower" ("exact" where no factor is divided among clusters).

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import FactorGraph, mean_field
    >>> ring = FactorGraph.ising([0.5, 0, 0, 0], [[0, 1], [1, 2], [2, 3], [3, 0]], [0.3, 0.3, 0.3, 0.3])
    >>> bounds = mean_field(ring), mean_field(ring, clusters="forests"), ring.brute_force()
    >>> [round(found.log_partition, 3) for found in bounds]
    [2.921, 2.985, 3.077]

    References
    ----------
    .. [1] Chapters 2 and 6 of the thesis thesis-ravikumar.
    """
    if n_starts < 1 or max_iter < 1:
        raise ValueError(f"n_starts={n_starts!r} and max_iter={max_iter!r} must be at least 1")
    if any(len(factor.variables) > 2 for factor in graph.factors):
        return factor_mean_field(graph, clusters, n_starts, max_iter, tol, check_random_state(random_state))
    form = PairwiseForm.of(graph)
    parts = None if clusters is None else _Clusters(form, clusters)
    across = np.ones(len(form.edges), bool) if parts is None else parts.across
    forbidden = np.flatnonzero(np.isinf(form.pairs))
    for e in np.unique(np.searchsorted(form.pair_offset, forbidden, side="right") - 1):
        if across[e]:
            raise ValueError(f"the pair {tuple(form.edges[e].tolist())} has a score of -inf; independent variables "
                             "cannot avoid it, so give it a finite score or put the pair into one cluster")  # fmt: skip
    random = check_random_state(random_state)
    best = None
    for start in range(n_starts):
        q = _start(form, None if start == 0 else random)
        found = _ascend(form, q, parts, max_iter, tol)
        if best is None or found[0] > best[0]:
            best = found
    bound, q, pairs, rounds, converged = best
    exact = not across.any() and converged
    return Marginals(bound, "exact" if exact else "lower", form.by_node(q), form.by_factor(q, pairs), rounds, converged)


def _start(form, random):
    q = np.where(np.isinf(form.unary), 0.0, 1.0 if random is None else random.exponential(size=len(form.unary)))
    sums = np.add.reduceat(q, form.offset[:-1]) if len(q) else q
    if np.any(sums == 0):
        raise ValueError(f"no state of variable {int(np.argmin(sums))} is possible: all score -inf")
    return q / np.repeat(sums, form.sizes)


def _ascend(form, q, parts, max_iter, tol):
    """Rounds from one start; the bound, both kinds of probabilities, the number of rounds and whether they settled."""
    if parts is None:
        rounds, settled = _naive_rounds(form, q, max_iter, tol)
        everywhere = np.ones(len(form.edges), bool)
        bound = form.constant + _expected(q, form.unary) + _entropy(q)
        bound += loops.coupling_energy(form.offset, form.edges, form.pair_offset, form.pairs, everywhere, q)
        return bound, q, _independent_pairs(form, q), rounds, settled
    if not np.isinf(form.pairs).any():
        # Clusters start at the independent optimum, so that they can only be better.
        _naive_rounds(form, q, max_iter, tol)
    pairs = _independent_pairs(form, q)
    rounds, settled = 0, False
    while rounds < max_iter and not settled:
        before = q.copy()
        # Log Z of a cluster less its expected fields is its entropy and the expected score of its own edges.
        within = sum(cluster.update(form, parts.across, q, pairs) for cluster in parts.clusters)
        rounds += 1
        settled = not parts.across.any() or bool(np.abs(q - before).max() <= tol)
    bound = form.constant + _expected(q, form.unary) + within
    bound += loops.coupling_energy(form.offset, form.edges, form.pair_offset, form.pairs, parts.across, q)
    crossing = np.repeat(parts.across, np.diff(form.pair_offset))
    pairs[crossing] = _independent_pairs(form, q)[crossing]
    return bound, q, pairs, rounds, settled


def _naive_rounds(form, q, max_iter, tol):
    everywhere = np.ones(len(form.edges), bool)
    shape = form.offset, form.unary, form.edges, form.pair_offset, form.pairs
    for number in range(1, max_iter + 1):
        if loops.naive_sweep(*shape, everywhere, *form.incidence, q) <= tol:
            return number, True
    return max_iter, False


class _Clusters:
    """Sets of variables with the edges within them, and the edges across."""

    def __init__(self, form, clusters):
        found, self.across = forest_clusters(form, clusters)
        self.clusters = [_Cluster(each) for each in found]


class _Cluster:
    """One forest of variables, updated as a whole by messages within it."""

    def __init__(self, cluster):
        self.nodes, self.places, self.pair_places = cluster.nodes, cluster.places, cluster.pair_places
        self.messages = Messages(cluster.form)

    def update(self, form, across, q, pairs):
        fields = np.empty_like(form.unary)
        loops.all_expected_scores(
            self.nodes, form.offset, form.unary, form.edges, form.pair_offset, form.pairs, across, *form.incidence, q,
            fields,
        )  # fmt: skip
        self.messages.unary = fields[self.places]
        # One round in a forest replaces whatever the messages were.
        self.messages.run(max_iter=1, tol=0.0)
        own, own_pairs, log_partition, _ = self.messages.beliefs()
        q[self.places] = own
        pairs[self.pair_places] = own_pairs
        return log_partition - _expected(own, self.messages.unary)


def _expected(q, scores):
    possible = q > 0
    return float(q[possible] @ scores[possible])


def _entropy(q):
    possible = q[q > 0]
    return float(-possible @ np.log(possible))


def _independent_pairs(form, q):
    pairs = np.empty(len(form.pairs))
    loops.outer_products(form.offset, form.edges, form.pair_offset, q, pairs)
    return pairs
