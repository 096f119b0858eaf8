"""What is known of the order of outcomes, as a network of O(n) comparisons.

A comparison ``value[head] - value[tail] >= gap`` holds between nodes. The first nodes are the samples; the others are
moments in time, which have no features: "all that ended by 3 lie below the moment 3, and the moment 3 below all that
lasted longer". They make every comparable pair, ties included, a consequence of a few comparisons for each sample.
"""

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Order:
    """Comparisons, and a sequence of the nodes in which each has at most two neighbours left when its turn comes.

    Attributes
    ----------
    rows : ndarray of int
        Row of the table behind each of the first nodes; an interval stands behind two of them.
    n_nodes : int
        Samples and moments.
    tail, head, gap : ndarray of shape (n_edges,)
        ``value[head] - value[tail] >= gap``.
    moments : ndarray of int
        Nodes of the moments, in order of time.
    sequence : ndarray of shape (n_nodes,)
        Nodes as they are merged.
    near, far : ndarray of shape (n_nodes,)
        Neighbours later in the sequence; -1 where there is none. Two of them are neighbours of one another.
    near_edge, far_edge : ndarray of shape (n_nodes,)
        The comparisons with them; -1 where there is none.
    """

    rows: np.ndarray
    n_nodes: int
    tail: np.ndarray
    head: np.ndarray
    gap: np.ndarray
    moments: np.ndarray
    sequence: np.ndarray
    near: np.ndarray
    far: np.ndarray
    near_edge: np.ndarray
    far_edge: np.ndarray

    def of_rows(self, positions):
        """The same order of a table in which its rows stand at ``positions``."""
        return replace(self, rows=np.asarray(positions)[self.rows])

    def differences(self, values):
        """``value[head] - value[tail]`` of every comparison."""
        return values[self.head] - values[self.tail]

    def balance(self, flows):
        """What flows into each node less what flows out: the transpose of :meth:`differences`."""
        n = self.n_nodes
        return np.bincount(self.head, flows, n) - np.bincount(self.tail, flows, n)


def order_of_times(lower, upper, *, pairs="nearest"):
    """Comparisons between samples whose outcome lies between two bounds.

    Sample i comes before j where ``upper[i] < lower[j]``. With "nearest", all such pairs follow from the comparisons;
    with "next", only pairs without another bound of any sample between theirs are compared (the paper's Section 5.4).

    Parameters
    ----------
    lower, upper : ndarray of shape (n_samples,)
        Bounds: equal for an event, infinite where nothing is known.
    pairs : {"nearest", "next"}, default="nearest"
        What is compared.

    Returns
    -------
    order : Order
    """
    n = len(lower)
    between = (lower < upper) & np.isfinite(lower) & np.isfinite(upper)
    # An interval says two things, "after its lower end" and "before its upper end", each with an error of its own.
    rows = np.concatenate([np.arange(n), np.flatnonzero(between)])
    lower = np.concatenate([lower, np.full(between.sum(), -np.inf)])
    upper = np.concatenate([np.where(between, np.inf, upper), upper[between]])

    times, ends_at = np.unique(upper[np.isfinite(upper)], return_inverse=True)
    above = np.full(len(rows), -1)
    above[np.isfinite(upper)] = ends_at
    below = np.searchsorted(times, lower) - 1  # the last moment strictly before a sample's lower bound
    if pairs == "next":
        bounds = np.unique(np.concatenate([lower[np.isfinite(lower)], times]))
        place = np.append(np.searchsorted(bounds, times), -2)
        below = np.where(np.searchsorted(bounds, lower) - 1 == place[below], below, -1)
    if not np.any(below >= 0):
        raise ValueError(
            "no two samples are known to be in order: one must have ended before another; are all of them censored, or "
            "all times equal? give some that ended, at different times"
        )
    event = lower == upper
    alone = event & (np.bincount(ends_at, minlength=len(times))[above] == 1)
    linked = np.full(len(times), pairs == "nearest")
    linked[above[event & (below >= 0)]] = True
    linked[[0, *above[alone]]] = False  # an event alone at its moment is that moment, and hangs on the one before
    return _network(
        rows,
        _Hung(below, lower - times[below]),
        _Hung(np.where(alone, -1, above), np.zeros(len(rows))),
        _Hung(np.where(linked, np.arange(len(times)), -1), np.diff(times, prepend=times[0])),
        own=np.where(alone, above, -1),
    )


def order_of_levels(levels, values, *, margin="lipschitz"):
    """Comparisons of samples of ordered classes with the thresholds between the classes (Equation 11).

    The first nodes are samples above a threshold, then come samples below one; a sample of a middle class is both.

    Parameters
    ----------
    levels : ndarray of int of shape (n_samples,)
        Class of each sample, counted from 0.
    values : ndarray of shape (n_classes,)
        Outcome that stands for each class, increasing.
    margin : {"lipschitz", "unit"}, default="lipschitz"
        Half the distance of the two outcomes, or one, as in Chu & Keerthi's machine with explicit constraints (EXC).

    Returns
    -------
    order : Order
    n_above : int
        How many of the first nodes are samples above a threshold.
    """
    # The paper's Q has rows of zeros for the lowest class, Q* for the highest; taken literally, they would pull these
    # samples towards the outcome itself. There is no threshold, so there is no comparison.
    over, under = np.flatnonzero(levels > 0), np.flatnonzero(levels < len(values) - 1)
    half = np.diff(values) / 2 if margin == "lipschitz" else np.ones(len(values) - 1)
    rows = np.concatenate([over, under])
    below = np.concatenate([levels[over] - 1, np.full(len(under), -1)])
    above = np.concatenate([np.full(len(over), -1), levels[under]])
    links = np.arange(len(half))
    links[0] = -1
    order = _network(
        rows,
        _Hung(below, half[below]),
        _Hung(above, half[above]),
        _Hung(links, np.zeros(len(half))),
        own=np.full(len(rows), -1),
    )
    return order, len(over)


@dataclass(frozen=True)
class _Hung:
    """Which moment each node hangs on, -1 for none, and by how much it is apart."""

    moment: np.ndarray
    gap: np.ndarray


def _network(rows, below, above, links, *, own):
    """Join samples to the moments below and above them, and moments to those before them.

    ``links`` has a place for each moment: itself where it is compared with the one before. ``own`` is the moment that
    a sample itself is, or -1.
    """
    n, n_moments = len(rows), len(links.moment)
    node = np.full(n_moments, -1)
    node[own[own >= 0]] = np.flatnonzero(own >= 0)
    node[node < 0] = n + np.arange(np.sum(node < 0))
    n_nodes = n + n_moments - np.sum(own >= 0)

    low, high = np.flatnonzero(below.moment >= 0), np.flatnonzero(above.moment >= 0)
    chain = np.flatnonzero(links.moment >= 0)
    tail = np.concatenate([node[below.moment[low]], high, node[chain - 1]])
    head = np.concatenate([low, node[above.moment[high]], node[chain]])
    gap = np.concatenate([below.gap[low], above.gap[high], links.gap[chain]])
    low_edge, high_edge = np.arange(len(low)), len(low) + np.arange(len(high))

    near, far, near_edge, far_edge = (np.full(n_nodes, -1) for _ in range(4))
    near[high], near_edge[high] = node[above.moment[high]], high_edge
    both = np.flatnonzero((below.moment >= 0) & (above.moment >= 0))
    far[both], far_edge[both] = near[both], near_edge[both]
    near[low], near_edge[low] = node[below.moment[low]], low_edge
    # A sample that is a moment of its own is merged with the moments, in order of time: the next moment is its
    # neighbour.
    later = low[own[low] >= 0]
    near[node] = near_edge[node] = -1
    near[node[own[later] - 1]], near_edge[node[own[later] - 1]] = later, low_edge[own[low] >= 0]
    near[node[chain - 1]], near_edge[node[chain - 1]] = node[chain], len(low) + len(high) + np.arange(len(chain))
    first = np.flatnonzero(own < 0)
    return Order(rows, n_nodes, tail, head, gap, node, np.concatenate([first, node]), near, far, near_edge, far_edge)
