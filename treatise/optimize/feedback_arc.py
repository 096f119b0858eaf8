"""Orders that contradict a weighted tournament least: minimum feedback arcs, Kemeny's consensus among them."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from treatise._core.jit import compiled, compiled_step

EXACT = 15
"""Largest circle of items whose best order is found by looking at all subsets."""


@dataclass(frozen=True)
class ArcOrder:
    """An order of the items of a tournament.

    Attributes
    ----------
    order : ndarray of int of shape (n_items,)
        The items, the first before all others.
    cost : float
        Weight of the arcs that point backwards.
    bound : float
        No order costs less than this.
    optimal : bool
        Whether this order is known to cost least.
    """

    order: np.ndarray
    cost: float
    bound: float
    optimal: bool


def feedback_arc_order(weights, *, n_restarts=10, random_state=None):
    """Order items so that the arcs of a weighted tournament that point backwards weigh least.

    ``weights[i, j]`` speaks for i before j. Items that the majority does not lead round in a circle fall apart into
    pieces in an order that no better one contradicts; a piece of up to 15 items is solved exactly, a larger one by
    moving single items to their best places, from several starts. A sweep costs O(n^2).

    Parameters
    ----------
    weights : array-like of shape (n_items, n_items)
        Non-negative; the diagonal is not looked at.
    n_restarts : int, default=10
        Shaken starts for each piece that is too large for the exact search.
    random_state : int, Generator or None, default=None
        Seed of the starts.

    Returns
    -------
    ArcOrder

    Examples
    --------
    >>> from treatise.optimize import feedback_arc_order
    >>> found = feedback_arc_order([[0, 3, 1], [1, 0, 3], [2, 1, 0]])
    >>> found.order.tolist(), found.cost, found.optimal
    ([0, 1, 2], 4.0, True)

    References
    ----------
    .. [1] The consensus ranking of Section 2.2.1 of paper v15-1135 (Mallows' centre) is such an order.
    """
    weights = np.array(weights, np.float64)
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1] or not len(weights):
        raise ValueError(f"weights must be a square matrix with a row for each item, got the shape {weights.shape}")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ValueError("weights must be finite and not negative")
    np.fill_diagonal(weights, 0.0)
    rng = np.random.default_rng(random_state)
    order, proven = [], True
    for piece in _pieces(weights):
        inside = np.ascontiguousarray(weights[np.ix_(piece, piece)])
        if len(piece) <= EXACT:
            found = _best_by_subsets(inside)
        else:
            found, proven = _searched(inside, n_restarts, rng), False
        order.extend(piece[found])
    order = np.array(order)
    cost = backward_weight(weights, order)
    bound = float(np.minimum(weights, weights.T).sum() / 2.0)
    return ArcOrder(order, cost, cost if proven else bound, bool(proven or cost <= bound))


def backward_weight(weights, order):
    """Weight of the arcs that point backwards in an order."""
    return float(np.tril(weights[np.ix_(order, order)], -1).sum())


def _pieces(weights):
    """Items that the majority leads round in circles, each piece before those that it beats."""
    n_pieces, piece_of = connected_components(csr_array(weights > weights.T), connection="strong")
    members = [np.flatnonzero(piece_of == piece) for piece in range(n_pieces)]
    beats = np.zeros((n_pieces, n_pieces), bool)
    winners, losers = np.nonzero(weights > weights.T)
    beats[piece_of[winners], piece_of[losers]] = True
    np.fill_diagonal(beats, False)
    waiting, placed = beats.sum(axis=0), []
    free = sorted(np.flatnonzero(waiting == 0).tolist(), key=lambda piece: members[piece][0])
    while free:
        first = free.pop(0)
        placed.append(members[first])
        for beaten in np.flatnonzero(beats[first]):
            waiting[beaten] -= 1
            if waiting[beaten] == 0:
                free.append(int(beaten))
    return placed


def _searched(weights, n_restarts, rng):
    net = (weights - weights.T).sum(axis=1)
    best = np.argsort(-net, kind="stable")
    sift_to_rest(weights, best)
    least = backward_weight(weights, best)
    for _ in range(n_restarts):
        # A shaken best order keeps most of what was found, where a random one begins anew.
        shaken = best[np.argsort(np.arange(len(best)) + rng.normal(0.0, 0.15 * len(best), len(best)))]
        sift_to_rest(weights, shaken)
        cost = backward_weight(weights, shaken)
        if cost < least:
            best, least = shaken, cost
    return best


def _best_by_subsets(weights):
    return best_order_of_subsets(weights) if len(weights) > 1 else np.zeros(1, np.int64)


@compiled_step
def _best_place(weights, order, at):
    """Place to which the item at ``at`` moves best, and what the cost falls by."""
    n, item = len(order), order[at]
    best, gain = at, 0.0
    change = 0.0
    for place in range(at - 1, -1, -1):  # each item passed changes sides
        change += weights[item, order[place]] - weights[order[place], item]
        if change > gain + 1e-12:
            best, gain = place, change
    change = 0.0
    for place in range(at + 1, n):
        change += weights[order[place], item] - weights[item, order[place]]
        if change > gain + 1e-12:
            best, gain = place, change
    return best, gain


@compiled
def sift_to_rest(weights, order):
    """Move single items to their best places, in place, until no move helps."""
    moved = True
    while moved:
        moved = False
        for at in range(len(order)):
            best, gain = _best_place(weights, order, at)
            if gain > 0.0:
                item = order[at]
                if best < at:
                    for place in range(at, best, -1):
                        order[place] = order[place - 1]
                else:
                    for place in range(at, best):
                        order[place] = order[place + 1]
                order[best] = item
                moved = True


@compiled
def best_order_of_subsets(weights):
    """The best order of few items: the last of each subset is the one that costs least there (Held and Karp)."""
    n = len(weights)
    size = 1 << n
    least, last = np.full(size, np.inf), np.zeros(size, np.int64)
    least[0] = 0.0
    for subset in range(1, size):
        for item in range(n):
            if subset >> item & 1:
                rest = subset ^ (1 << item)
                cost = least[rest]
                for other in range(n):
                    if rest >> other & 1:
                        cost += weights[item, other]
                if cost < least[subset]:
                    least[subset], last[subset] = cost, item
    order = np.empty(n, np.int64)
    subset = size - 1
    for place in range(n - 1, -1, -1):
        order[place] = last[subset]
        subset ^= 1 << last[subset]
    return order
