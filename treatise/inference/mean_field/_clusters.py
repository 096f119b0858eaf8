"""Variables divided into sets within which the edges close no loop."""

from dataclasses import dataclass

import numpy as np

from treatise.inference.pairwise_form import PairwiseForm


@dataclass(frozen=True)
class ForestCluster:
    """One such set: its variables, its own form, and where its states and its pairs stand in the whole form."""

    nodes: np.ndarray
    form: PairwiseForm
    places: np.ndarray
    pair_places: np.ndarray


def forest_clusters(form, clusters):
    """The sets, and for each edge whether it runs across two of them.

    Parameters
    ----------
    form : PairwiseForm
    clusters : "forests" or sequence of arrays of int
        "forests" divides the variables greedily.
    """
    if isinstance(clusters, str):
        if clusters != "forests":
            raise ValueError(f"clusters={clusters!r} must be None, 'forests' or sets of variables")
        clusters = _induced_forests(form)
    clusters = [np.asarray(nodes, np.int64) for nodes in clusters]
    where = np.full(form.n_nodes, -1)
    for number, nodes in enumerate(clusters):
        where[nodes] = number
    if sum(map(len, clusters)) != form.n_nodes or np.any(where < 0):
        raise ValueError(f"clusters must cover each of the {form.n_nodes} variables once")
    across = where[form.edges[:, 0]] != where[form.edges[:, 1]]
    found = []
    for number, nodes in enumerate(clusters):
        edges = np.flatnonzero((where[form.edges[:, 0]] == number) & ~across)
        own = form.part(nodes, edges)
        if not own.is_forest:
            raise ValueError(f"the edges within cluster {number} close a loop; a cluster must be a forest")
        found.append(ForestCluster(nodes, own, _places(form.offset, nodes), _places(form.pair_offset, edges)))
    return found, across


def _induced_forests(form):
    """Variables divided greedily: each joins the first set in which its neighbours are in different trees."""
    first, incident = form.incidence
    forests: list[list[int]] = []
    roots: list[dict[int, int]] = []

    def root(parent, v):
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    for v in form.order.tolist():
        ends = incident[first[v] : first[v + 1]]
        neighbors = form.edges[ends // 2, 1 - (ends & 1)].tolist()
        for number in range(len(forests) + 1):
            if number == len(forests):
                forests.append([])
                roots.append({})
            parent = roots[number]
            trees = [root(parent, t) for t in neighbors if t in parent]
            if len(set(trees)) == len(trees):
                break
        forests[number].append(v)
        parent[v] = v
        for tree in trees:
            parent[tree] = v
    return forests


def _places(offset, numbers):
    ranges = [np.arange(offset[i], offset[i + 1]) for i in numbers]
    return np.concatenate(ranges) if ranges else np.zeros(0, np.int64)
