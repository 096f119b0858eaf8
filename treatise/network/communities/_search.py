"""The search for a clustering of high quality: local moves, refinement, contraction, over and over."""

from typing import NamedTuple

import numpy as np

from treatise.network.communities._moving_loops import contract, move_nodes, number_clusters

# A pass that moves a node more often than this on average is going in circles.
MOST_MOVES_A_NODE = 1000


class Level(NamedTuple):
    """A graph in compressed rows without loops; its nodes may stand for clusters of a finer one."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    loops: np.ndarray
    volumes: np.ndarray
    sizes: np.ndarray


def level_of(adjacency):
    """The level of the nodes themselves.

    Parameters
    ----------
    adjacency : sparse array of shape (n, n)
        Symmetric, without negative entries.
    """
    loops = adjacency.diagonal()
    volumes = np.asarray(adjacency.sum(axis=1), dtype=np.float64).ravel()
    rows = np.repeat(np.arange(adjacency.shape[0]), np.diff(adjacency.indptr))
    kept = rows != adjacency.indices
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=adjacency.shape[0]))]).astype(np.int64)
    indices = adjacency.indices[kept].astype(np.int64)
    return Level(indptr, indices, adjacency.data[kept], loops, volumes, np.ones(len(loops)))


def climb(level, form, labels, rng, *, refine=True):
    """Raise the quality until neither a node nor a cluster can be moved with profit.

    Parameters
    ----------
    level : Level
        The graph.
    form : ndarray of shape (4,)
        The quality function.
    labels : ndarray of int of shape (n,)
        Where to start.
    rng : numpy Generator
        Draws the order of the nodes.
    refine : bool, default=True
        Whether clusters are taken apart into parts that may move on their own (as in Leiden), not whole (Louvain).

    Returns
    -------
    labels : ndarray of int of shape (n,)
        Clusters 0, 1, ...
    moves : int
        How many moves were made.
    """
    levels, parts_of, moves = [level], [], 0
    labels = labels.astype(np.int64)
    number_clusters(labels)
    while True:
        made = _move(levels[-1], form, labels, rng, np.zeros(len(labels), np.int64))
        moves += made
        count = number_clusters(labels)
        if count == len(labels):
            break
        parts, n_parts = labels, count
        if refine:
            parts = np.arange(len(labels))
            _move(levels[-1], form, parts, rng, labels)
            n_parts = number_clusters(parts)
            if n_parts == len(labels):
                parts, n_parts = labels, count
        whole = np.empty(n_parts, np.int64)
        whole[parts] = labels
        levels.append(Level(*contract(*levels[-1], parts, n_parts)))
        parts_of.append(parts)
        labels = whole
    for parts in reversed(parts_of):
        labels = labels[parts]
    return labels, moves


def _move(level, form, labels, rng, bounds):
    made = move_nodes(*level, labels, form, rng.permutation(len(labels)), bounds, MOST_MOVES_A_NODE * len(labels))
    if made < 0:
        raise RuntimeError(
            "nodes move in circles: the weights differ by more orders of magnitude than numbers can hold"
        )
    return made
