"""Networks of samples tied by an order: conductances merged node by node, without a subtraction of large numbers.

A step of the interior-point method asks for the least of ``sum_k g_k (x_k w + r_k - v_k)^2 + sum_e t_e (v_a - v_b)^2``
over the values v of the nodes: the energy of a network of conductances, whose samples are fed through g and tied
through t. Every node, when its turn comes, has at most two neighbours left, tied to one another; it hands them its
sources, and the energy is a sum of one square for each merger of two sources. Near the optimum some conductances are
10^16 times others, and this form keeps its digits there.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def _merge(k, other, tie, ground, potential, squares, roots, shares, rests, slot, row):
    """Node k hands its sources to a neighbour through ``tie``; returns the rows of squares used."""
    joint = ground[other] + tie
    share = tie / joint
    root = np.sqrt(ground[other] * share)
    roots[slot, k], shares[slot, k], rests[slot, k] = root, share, ground[other] / joint
    for c in range(potential.shape[1]):
        gap = potential[other, c] - potential[k, c]
        squares[row, c] = root * gap
        potential[other, c] -= share * gap
    ground[other] = joint


@compiled
def merge_network(sequence, near, far, ground, ties, potential, squares, roots, shares, rests, pivots):
    """Merge all nodes in sequence: ``squares' squares`` is then the quadratic form in w.

    ``ground`` and ``potential`` begin with the conductances and rows of the samples, zero for nodes without a sample,
    and end with those of the sources that each node had when its turn came.
    """
    row = 0
    for k in sequence:
        pivot = ground[k]
        for slot in range(2):
            pivot += ties[slot, k]
        pivots[k] = pivot
        feed = ground[k] / pivot
        if near[k] >= 0:
            _merge(k, near[k], ties[0, k] * feed, ground, potential, squares, roots, shares, rests, 0, row)
            row += 1
        if far[k] >= 0:
            _merge(k, far[k], ties[1, k] * feed, ground, potential, squares, roots, shares, rests, 1, row)
            row += 1
            ties[0, near[k]] += ties[0, k] * (ties[1, k] / pivot)


@compiled
def feed_network(sequence, near, far, ground, roots, shares, rests, sources, currents, level, drop, squares):
    """The column r of the sources, and currents into the nodes, through the mergers of :func:`merge_network`.

    Fills the level of every node's sources, the drop from a node's own source to that level, and the column that
    belongs beside ``squares``.
    """
    level[:] = sources
    drop[:] = 0.0
    row = 0
    for k in sequence:
        lift = currents[k] / ground[k]
        level[k] += lift
        drop[k] -= lift
        for slot in range(2):
            other = near[k] if slot == 0 else far[k]
            if other >= 0:
                gap = level[other] - level[k]
                squares[row] = roots[slot, k] * gap
                drop[other] += shares[slot, k] * gap
                # From the heavier of the two sources, whose level must keep its digits.
                if shares[slot, k] < 0.5:
                    level[other] -= shares[slot, k] * gap
                else:
                    level[other] = level[k] + rests[slot, k] * gap
                row += 1


@compiled
def read_network(sequence, near, far, ground, ties, pivots, sources, level, drop, values):
    """Values of the nodes, last merged first; ``drop`` becomes the difference from own source to value."""
    for j in range(len(sequence) - 1, -1, -1):
        k = sequence[j]
        value, below = ground[k] * level[k], ground[k] * drop[k]
        for slot in range(2):
            other = near[k] if slot == 0 else far[k]
            if other >= 0:
                value += ties[slot, k] * values[other]
                below += ties[slot, k] * (sources[k] - values[other])
        values[k] = value / pivots[k]
        drop[k] = below / pivots[k]
