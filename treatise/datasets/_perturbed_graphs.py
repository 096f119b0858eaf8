"""Two Gaussian graphs that differ in the links of a few nodes and share a few hubs."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from sklearn.utils import check_random_state

_WEAKEST, _STRONGEST = 0.3, 0.6


@dataclass(frozen=True)
class PerturbedGraphs:
    """Rows of two conditions, and the truth behind them.

    Attributes
    ----------
    tables : list of two ndarrays of shape (n_samples, n_features)
        Rows of each condition.
    precisions : ndarray of shape (2, n_features, n_features)
        True inverse covariances.
    perturbed, hubs : ndarray of int
        Nodes whose links differ; nodes that are linked to all others in both conditions.
    """

    tables: list[np.ndarray]
    precisions: np.ndarray
    perturbed: np.ndarray
    hubs: np.ndarray


def make_perturbed_graphs(
    n_samples: int,
    n_features: int = 100,
    *,
    topology: Literal["erdos-renyi", "scale-free", "community"] = "erdos-renyi",
    n_perturbed: int = 2,
    n_hubs: int = 2,
    random_state: int | np.random.RandomState | None = None,
) -> PerturbedGraphs:
    """Two conditions on the same variables, as in the simulations of node-based learning.

    Both start from one sparse graph with weights of either sign between 0.3 and 0.6. Each perturbed node is linked to
    all others in one condition, chosen at random; each hub is linked to all others in both, with the same weights. The
    diagonal makes both matrices positive definite.

    Parameters
    ----------
    n_samples : int
        Rows of each condition.
    n_features : int, default=100
        Nodes.
    topology : {"erdos-renyi", "scale-free", "community"}, default="erdos-renyi"
        The common graph: every pair with probability 0.02; preferential attachment with two links for each new node;
        or as the first, with no link between the first and the last two fifths of the nodes.
    n_perturbed, n_hubs : int, default=2
        Numbers of special nodes, all different.
    random_state : int, RandomState or None, default=None
        Draws graphs and rows.

    Returns
    -------
    data : PerturbedGraphs

    Examples
    --------
    >>> from treatise.datasets import make_perturbed_graphs
    >>> data = make_perturbed_graphs(25, 20, random_state=0)
    >>> data.tables[0].shape, len(data.perturbed), len(data.hubs)
    ((25, 20), 2, 2)

    References
    ----------
    .. [1] Paper v15-0445, sections 6.1.1 to 6.1.3.
    """
    if n_perturbed + n_hubs > n_features:
        raise ValueError(
            f"n_perturbed={n_perturbed} and n_hubs={n_hubs} ask for more special nodes than there are: {n_features}"
        )
    if topology not in ("erdos-renyi", "scale-free", "community"):
        raise ValueError(f"topology={topology!r} is unknown; choose 'erdos-renyi', 'scale-free' or 'community'")
    rng = check_random_state(random_state)
    p = n_features
    if topology == "scale-free":
        import networkx

        links = networkx.to_numpy_array(networkx.barabasi_albert_graph(p, 2, seed=rng.randint(2**31 - 1))) > 0
    else:
        links = np.triu(rng.random_sample((p, p)) < 0.02, 1)
    upper = np.where(np.triu(links, 1), _weights(rng, (p, p)), 0.0)
    graphs = np.stack([upper + upper.T] * 2)
    special = rng.permutation(p)[: n_perturbed + n_hubs]
    perturbed, hubs = np.sort(special[:n_perturbed]), np.sort(special[n_perturbed:])
    for node in perturbed:
        _link_to_all(graphs[rng.randint(2)], node, _weights(rng, p))
    for node in hubs:
        weights = _weights(rng, p)
        for graph in graphs:
            _link_to_all(graph, node, weights)
    if topology == "community":
        fifths = 2 * p // 5
        graphs[:, :fifths, p - fifths :] = 0.0
        graphs[:, p - fifths :, :fifths] = 0.0
    lowest = np.linalg.eigvalsh(graphs)[:, 0].min()
    precisions = graphs + (0.1 + abs(lowest)) * np.eye(p)
    factors = [np.linalg.cholesky(np.linalg.inv(precision)) for precision in precisions]
    tables = [rng.standard_normal((n_samples, p)) @ factor.T for factor in factors]
    return PerturbedGraphs(tables, precisions, perturbed, hubs)


def _weights(rng: np.random.RandomState, shape: int | tuple[int, ...]) -> np.ndarray:
    """Uniform between 0.3 and 0.6, of either sign."""
    return rng.uniform(_WEAKEST, _STRONGEST, shape) * rng.choice([-1.0, 1.0], shape)


def _link_to_all(graph: np.ndarray, node: int, weights: np.ndarray) -> None:
    graph[node] = weights
    graph[:, node] = weights
    graph[node, node] = 0.0
