"""Deciding the edges of a graph region by region of a junction tree (JMLR 15:147, Algorithm 3)."""

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed

from treatise.graphical.junction_tree.marginal_graph import marginal_graph
from treatise.graphical.junction_tree.region_graph import region_graph
from treatise.inference import clique_tree


@dataclass(frozen=True)
class RegionDecisions:
    """What :func:`decide_by_regions` found.

    Attributes
    ----------
    adjacency : ndarray of bool of shape (p, p)
        The graph.
    steps : list of dict
        One for each region solved, in order: "round" and "level" (both from 0), "variables" looked at, "candidates"
        decided and "edges" joined (arrays of pairs), and the learner's "penalty".
    """

    adjacency: np.ndarray
    steps: list


def decide_by_regions(super_graph, learner, *, max_separator=None, n_jobs=None):
    """Decide every edge of a graph that holds all true ones, each from the few variables that can tell.

    The junction tree of the graph gives regions; the edges that only the clusters hold are decided first, each cluster
    on its own, then those within separators, on a new junction tree of what was found and what is left. If the graph
    holds all true edges and the learner is right about the variables it sees, the result is the true graph
    (Proposition 8). Each edge is decided once. A dense graph is one cluster, and the learner sees everything.

    Parameters
    ----------
    super_graph : array-like of bool of shape (p, p)
        A graph with all true edges, and others.
    learner : callable
        Of ``(variables, candidates, allowed)``: column numbers (k,), the pairs among them to decide (k, k), and the
        pairs that may be joined given these variables alone (k, k). Returns the pairs that it joins (k, k), of which
        those among the candidates count, and the penalty that it chose (NaN where it has none).
    max_separator : int or None, default=None
        Most variables that neighbouring clusters share; clusters that share more are merged.
    n_jobs : int or None, default=None
        Threads for the regions of a level; the result does not depend on it.

    Returns
    -------
    decisions : RegionDecisions

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import decide_by_regions
    >>> square = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]], dtype=bool)
    >>> decisions = decide_by_regions(square, lambda variables, candidates, allowed: (candidates, float("nan")))
    >>> [step["variables"].tolist() for step in decisions.steps]
    [[0, 1, 3], [1, 2, 3]]
    """
    undecided = np.array(super_graph, dtype=bool)
    np.fill_diagonal(undecided, False)
    found = np.zeros_like(undecided)
    steps: list = []
    while undecided.any():
        possible = found | undecided
        regions = region_graph(clique_tree(possible, max_separator=max_separator), within=undecided)
        level, problems = _first_level(regions, undecided, possible)
        answers = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(learner)(*problem) for problem in problems)
        turn = steps[-1]["round"] + 1 if steps else 0
        for (variables, candidates, _), (joined, penalty) in zip(problems, answers):
            kept = np.asarray(joined, dtype=bool) & candidates
            kept = kept | kept.T
            here = np.ix_(variables, variables)
            undecided[here] &= ~candidates
            found[here] |= kept
            steps.append(
                {
                    "round": turn,
                    "level": level,
                    "variables": variables,
                    "candidates": variables[np.argwhere(np.triu(candidates, 1))],
                    "edges": variables[np.argwhere(np.triu(kept, 1))],
                    "penalty": float(penalty),
                }
            )
    return RegionDecisions(found, steps)


def _first_level(regions, undecided, possible):
    """The first level that can decide an edge, and the problems of its regions."""
    for level, sets in enumerate(regions.levels):
        problems = []
        for region in sets:
            pairs = np.array(regions.candidates(level, region, undecided))
            if len(pairs):
                variables = np.array(sorted(regions.closure(level, region)))
                place = np.searchsorted(variables, pairs)
                candidates = np.zeros((len(variables), len(variables)), dtype=bool)
                candidates[place[:, 0], place[:, 1]] = candidates[place[:, 1], place[:, 0]] = True
                problems.append((variables, candidates, marginal_graph(possible, variables)))
        if problems:
            return level, problems
    raise AssertionError("an undecided edge lies in no region")
