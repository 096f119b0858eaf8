"""Tree-reweighted belief propagation: bounds on log Z from above, and on the energy from below."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from treatise.inference.map_result import MAPResult
from treatise.inference.marginals import Marginals
from treatise.inference.messages._rounds import Messages
from treatise.inference.messages.belief_propagation import check_rounds
from treatise.inference.pairwise_form import PairwiseForm

# Beyond this many variables the inverse of the Laplacian costs more than the bound gains.
_LARGEST_LAPLACIAN = 1000
_N_TREES = 50


def tree_reweighted(graph, *, weights="uniform", n_weight_steps=0, damping=0.0, max_iter=500, tol=1e-9):
    """An upper bound on ``log Z`` from a distribution over spanning trees, with approximate marginals.

    ``log Z`` is convex in the tables; written as an average of models on spanning trees it is at most the average of
    theirs. Messages make that average as small as it gets for the given probabilities of the edges; steps on the
    weights make them better too. Exact on forests. The bound holds at any time, converged or not. The marginals are
    those of a convex problem, so they do not depend on the start; beliefs are a little less sharp than the truth. Costs
    as much a round as :func:`belief_propagation`; couplings far above one need a few hundred rounds or some damping.

    Parameters
    ----------
    graph : FactorGraph
        The model.
    weights : "uniform" or ndarray of shape (n_edges,), default="uniform"
        Probability with which each edge is in the random spanning tree. "uniform" takes all spanning trees alike (up to
        a thousand variables; beyond that fifty trees that share the edges out). An array is trusted to be the edge
        probabilities of some distribution over spanning forests; see :func:`spanning_tree_weights`.
    n_weight_steps : int, default=0
        Steps of conditional gradient on the weights, each towards the spanning tree of the largest mutual information;
        each costs another set of rounds. Ten get most of the gain.
    damping, max_iter, tol
        As in :func:`belief_propagation`.

    Returns
    -------
    marginals : Marginals
        Of kind "upper" ("exact" on forests).

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import FactorGraph, tree_reweighted
    >>> ring = FactorGraph.ising([0.5, 0, 0, 0], [[0, 1], [1, 2], [2, 3], [3, 0]], [0.3, 0.3, 0.3, 0.3])
    >>> found = tree_reweighted(ring)
    >>> found.kind, round(found.log_partition, 3), round(ring.brute_force().log_partition, 3)
    ('upper', 3.122, 3.077)

    References
    ----------
    .. [1] M. Wainwright, T. Jaakkola and A. Willsky (2005). A new class of upper bounds on the log partition function.
       IEEE Transactions on Information Theory 51. Used in chapter 6 of the thesis thesis-ravikumar.
    """
    check_rounds(damping, max_iter)
    form = PairwiseForm.of(graph)
    rho = _edge_weights(form, weights)
    messages = Messages(form, rho)
    total_rounds, converged = messages.run(max_iter=max_iter, tol=tol, damping=damping)
    nodes, pairs, _, bound = messages.beliefs()
    best = bound, nodes, pairs, converged
    for step in range(0 if form.is_forest else n_weight_steps):
        tree = _heaviest_forest(form, _mutual_information(form, nodes, pairs))
        # A share of less than one towards the tree, falling with the steps: every edge keeps some weight.
        messages.weigh(messages.rho + (tree - messages.rho) / (step + 3.0))
        rounds, converged = messages.run(max_iter=max_iter, tol=tol, damping=damping)
        total_rounds += rounds
        nodes, pairs, _, bound = messages.beliefs()
        if bound < best[0]:
            best = bound, nodes, pairs, converged
    bound, nodes, pairs, converged = best
    return Marginals(
        bound, "exact" if form.is_forest and converged else "upper", form.by_node(nodes), form.by_factor(nodes, pairs),
        total_rounds, converged,
    )  # fmt: skip


def tree_reweighted_map(graph, *, weights="uniform", damping=0.0, max_iter=500, tol=1e-9):
    """Tree-reweighted max-product: an assignment, and a lower bound on the energy of every other.

    The bound holds whether the messages converged or not. For costs that are one table times a weight per edge,
    :func:`trws` is faster and its bound rises with every sweep.

    Parameters
    ----------
    graph : FactorGraph
        The model.
    weights, damping, max_iter, tol
        As in :func:`tree_reweighted`.

    Returns
    -------
    result : MAPResult
        Energy is minus the score.

    Examples
    --------
    >>> from treatise.inference import FactorGraph, tree_reweighted_map
    >>> ring = FactorGraph.ising([1, 0, -0.2, 0], [[0, 1], [1, 2], [2, 3], [3, 0]], [0.3, 0.3, 0.3, 0.3])
    >>> result = tree_reweighted_map(ring)
    >>> result.labels, round(result.energy, 6), round(result.gap, 6)
    (array([1, 1, 1, 1]), -2.0, 0.0)
    """
    check_rounds(damping, max_iter)
    form = PairwiseForm.of(graph)
    messages = Messages(form, _edge_weights(form, weights), maximize=True)
    n_iter, converged = messages.run(max_iter=max_iter, tol=tol, damping=damping)
    *_, bound = messages.beliefs()
    labels = messages.labels()
    energy = float(graph.energy(labels))
    return MAPResult(labels, energy, min(-bound, energy), np.array([energy]), n_iter, converged)


def spanning_tree_weights(n_nodes, edges):
    """Probability of each edge in a random spanning tree (forest, if the graph is in parts).

    Up to a thousand nodes all spanning trees are equally probable, and an edge's probability is its effective
    resistance. Beyond, fifty trees are built that each take the edges used least so far.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    edges : array-like of int of shape (m, 2)
        The pairs of nodes, each listed once.

    Returns
    -------
    probability : ndarray of shape (m,)
        All positive; they sum to the number of edges of a spanning forest.

    Examples
    --------
    >>> from treatise.inference import spanning_tree_weights
    >>> spanning_tree_weights(4, [[0, 1], [1, 2], [2, 0], [2, 3]]).round(3)
    array([0.667, 0.667, 0.667, 1.   ])
    """
    edges = np.asarray(edges, np.int64).reshape(-1, 2)
    if len(edges) == 0:
        return np.zeros(0)
    if n_nodes <= _LARGEST_LAPLACIAN:
        s, t = edges.T
        laplacian = np.zeros((n_nodes, n_nodes))
        np.add.at(laplacian, (s, t), -1.0)
        np.add.at(laplacian, (t, s), -1.0)
        np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
        graph = coo_array((np.ones(len(edges)), (s, t)), shape=(n_nodes, n_nodes))
        # Adding one within each part makes the Laplacian invertible and leaves differences of potentials as they are.
        part = connected_components(graph, directed=False)[1]
        inverse = np.linalg.inv(laplacian + (part[:, None] == part))
        return np.clip(inverse[s, s] + inverse[t, t] - 2 * inverse[s, t], 0.0, 1.0)
    used = np.zeros(len(edges))
    n_trees = 0
    while n_trees < _N_TREES or used.min() == 0:
        used += _lightest_forest(n_nodes, edges, used)
        n_trees += 1
    return used / n_trees


def _edge_weights(form, weights):
    if isinstance(weights, str):
        if weights != "uniform":
            raise ValueError(f"weights={weights!r} must be 'uniform' or an array of one probability for each edge")
        return spanning_tree_weights(form.n_nodes, form.edges)
    weights = np.asarray(weights, np.float64)
    if weights.shape != (len(form.edges),) or np.any(weights <= 0) or np.any(weights > 1):
        raise ValueError(f"weights must be one probability above 0 for each of the {len(form.edges)} edges; "
                         f"the shape given is {weights.shape}")  # fmt: skip
    return weights


def _lightest_forest(n_nodes, edges, weight):
    """1 for the edges of the spanning forest of the least weight, 0 for the others."""
    # The sparse routine takes zeros for absent edges, and needs one entry for each edge.
    rank = np.empty(len(edges))
    rank[np.argsort(weight, kind="stable")] = np.arange(1, len(edges) + 1)
    matrix = coo_array((rank, tuple(edges.T)), shape=(n_nodes, n_nodes)).tocsr()
    kept = minimum_spanning_tree(matrix).tocoo().data.astype(np.int64)
    chosen = np.zeros(len(edges))
    chosen[np.isin(rank.astype(np.int64), kept)] = 1.0
    return chosen


def _heaviest_forest(form, weight):
    return _lightest_forest(form.n_nodes, form.edges, -weight)


def _mutual_information(form, nodes, pairs):
    found = np.empty(len(form.edges))
    for e, (s, t) in enumerate(form.edges):
        p = nodes[form.offset[s] : form.offset[s + 1]]
        q = nodes[form.offset[t] : form.offset[t + 1]]
        joint = pairs[form.pair_offset[e] : form.pair_offset[e + 1]].reshape(len(p), len(q))
        positive = joint > 0
        found[e] = np.sum(joint[positive] * np.log(joint[positive] / np.outer(p, q)[positive]))
    return found
