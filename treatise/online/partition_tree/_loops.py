"""Growing a partition tree one example at a time (Algorithm 6), and walking down it."""

import math
from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled
from treatise.online._row_loops import dot, example

LEFT, RIGHT = 0, 1
# Of the counters: nodes made, and (node, class) pairs met.
NODES, PAIRS = range(2)
# A multiplier near 2^64 divided by the golden ratio spreads consecutive keys.
_SPREAD = np.uint64(11400714819323198485)


class Tree(NamedTuple):
    """Nodes in the order of their making, and a hash table of what each node has seen of each class.

    ``children`` is -1 where there is none; ``turns`` tells in which directions a node has sent examples (bits 1 and
    2). A pair of node and class lies where its key, node * n_classes + class, is found in ``keys``; -1 is a free
    place. Memory thus grows with the pairs met, about n_classes * depth, and not with nodes times classes.

    A node's regressor sees examples less their mean there: ``sums`` over its visits is that mean, and ``offsets``
    the product of weights and sums, kept up as they change, so that an example costs its non-zeros alone.
    ``sizes`` sums the distances of all examples from the mean.
    """

    children: np.ndarray
    depth: np.ndarray
    turns: np.ndarray
    margins: np.ndarray
    visits: np.ndarray
    label: np.ndarray
    label_visits: np.ndarray
    weights: np.ndarray
    squares: np.ndarray
    sums: np.ndarray
    offsets: np.ndarray
    keys: np.ndarray
    class_margins: np.ndarray
    class_visits: np.ndarray
    sizes: np.ndarray
    counters: np.ndarray


@compiled
def place_of(keys, key):
    """Where a key lies, or would lie; the number of places is a power of two and some are free."""
    mask = len(keys) - 1
    place = ((np.uint64(key) * _SPREAD) >> np.uint64(32)) & np.uint64(mask)
    at = np.int64(place)
    while keys[at] != key and keys[at] != -1:
        at = (at + 1) & mask
    return at


@compiled
def rehash(tree, keys, class_margins, class_visits):
    """Move all pairs to larger arrays."""
    for old in range(len(tree.keys)):
        if tree.keys[old] != -1:
            new = place_of(keys, tree.keys[old])
            keys[new] = tree.keys[old]
            class_margins[new] = tree.class_margins[old]
            class_visits[new] = tree.class_visits[old]


@compiled
def score(tree, node, indices, values):
    """The regressor of a node: weights on the example less the mean of those seen, and, last, a constant."""
    weights = tree.weights[node]
    mean = tree.offsets[node] / tree.visits[node] if tree.visits[node] > 0 else 0.0
    return dot(weights, indices, values) - mean + weights[-1]


@compiled
def meet(tree, node, indices, values):
    """Count an example in a node's mean."""
    weights, sums = tree.weights[node], tree.sums[node]
    for j in range(len(values)):
        i = indices[j]
        sums[i] += values[j]
        tree.offsets[node] += weights[i] * values[j]
    tree.visits[node] += 1


@compiled
def distance_from_mean(tree, node, indices, values):
    """Sum of the absolute differences of what an example holds from the mean, and of its constant."""
    total = 1.0
    for j in range(len(values)):
        if values[j] != 0.0:
            total += abs(values[j] - tree.sums[node, indices[j]] / tree.visits[node])
    return total


@compiled
def learn(tree, node, indices, values, step):
    """Step down the absolute loss, each weight by the step over the root of its summed squares."""
    weights, squares, sums = tree.weights[node], tree.squares[node], tree.sums[node]
    for j in range(len(values)):
        i = indices[j]
        centred = values[j] - sums[i] / tree.visits[node]
        # Features that are absent stay out, or an example would cost as many steps as there are features.
        if values[j] != 0.0 and centred != 0.0:
            squares[i] += centred * centred
            change = step * centred / math.sqrt(squares[i])
            weights[i] += change
            tree.offsets[node] += change * sums[i]
    squares[-1] += 1.0
    weights[-1] += step / math.sqrt(squares[-1])


@compiled
def visit(tree, node, label, n_classes, margin):
    """Count a margin for its class and for all; whether the class's mean exceeds that of all examples there."""
    key = node * n_classes + label
    place = place_of(tree.keys, key)
    if tree.keys[place] == -1:
        tree.keys[place] = key
        tree.counters[PAIRS] += 1
    tree.class_margins[place] += margin
    tree.class_visits[place] += 1
    tree.margins[node] += margin
    if tree.class_visits[place] > tree.label_visits[node]:
        tree.label[node] = label
        tree.label_visits[node] = tree.class_visits[place]
    return tree.class_margins[place] / tree.class_visits[place] > tree.margins[node] / tree.visits[node]


@compiled
def add_children(tree, node):
    """Both children of a node; until they have seen something they answer as their parent."""
    for side in range(2):
        child = tree.counters[NODES]
        tree.children[node, side] = child
        tree.depth[child] = tree.depth[node] + 1
        tree.label[child] = tree.label[node]
        tree.counters[NODES] += 1


@compiled
def grow(stream, first, tree, codes, n_classes, rate, min_visits, max_nodes, max_depth):
    """Learn from examples from turn ``first`` on; gives the turn at which more room is needed, or the end.

    ``codes`` are empty where directions are learnt; else bit d of a class's code is its direction at depth d.
    """
    room, places = len(tree.depth), len(tree.keys)
    learnt = len(codes) == 0
    for turn in range(first, len(stream.order)):
        full = tree.counters[NODES] + 2 > room and room < max_nodes
        if full or 2 * (tree.counters[PAIRS] + max_depth + 1) > places:
            return turn
        indices, values, label = example(stream, turn)
        node, step = 0, 0.0
        while True:
            meet(tree, node, indices, values)
            if node == 0:
                # A first step moves a score by the distance from the mean: the average of that is the natural unit.
                tree.sizes[0] += distance_from_mean(tree, node, indices, values)
                step = rate * tree.visits[0] / tree.sizes[0]
            margin = score(tree, node, indices, values)
            clipped = min(1.0, max(-1.0, margin))
            right = visit(tree, node, label, n_classes, clipped)
            if tree.depth[node] >= max_depth:
                break
            if not learnt:
                right = (codes[label] >> tree.depth[node]) & 1 == 1
            side = 1.0 if right else -1.0
            if margin != side:
                learn(tree, node, indices, values, math.copysign(step, side - margin))
            tree.turns[node] |= 2 if right else 1
            if tree.children[node, LEFT] < 0:
                # A node splits when it has sent examples both ways, and enough of them to know what it does.
                early = learnt and (tree.turns[node] != 3 or tree.visits[node] < min_visits)
                if early or tree.counters[NODES] + 2 > min(room, max_nodes):
                    break
                add_children(tree, node)
            # Nothing adapts a random cut to what its regressor can do: examples go where they would when asked for.
            went_right = right if learnt else margin > 0.0
            node = tree.children[node, RIGHT if went_right else LEFT]
    return len(stream.order)


@compiled
def leaves_of(stream, tree, leaves):
    """Leaf that each example comes to by the signs of the regressors."""
    for turn in range(len(stream.order)):
        indices, values, _ = example(stream, turn)
        node = 0
        while tree.children[node, LEFT] >= 0:
            right = score(tree, node, indices, values) > 0.0
            node = tree.children[node, RIGHT if right else LEFT]
        leaves[turn] = node
