"""The older moves: cuts that offer each variable two labels, or one variable all labels at a time."""

import numpy as np

from treatise._core.jit import compiled
from treatise.graphical.range_moves._range_loops import range_arcs
from treatise.inference import FlowNetwork


class TwoLabelProposals:
    """Cuts that offer each variable two labels (Boykov, Veksler and Zabih, 2001)."""

    def __init__(self, energy):
        self.energy = energy
        begin, neighbour, _, twin = energy.neighbours
        self.first, self.head, self.sister = range_arcs(1, False, begin, neighbour, twin)
        self.residual, self.excess = np.empty(len(self.head)), np.empty(energy.n_variables)

    def expansion(self, labels, alpha):
        """Each variable keeps its label or takes alpha."""
        return self._best(labels, np.full_like(labels, alpha), labels, labels != alpha)

    def swap(self, labels, alpha, beta):
        """Each variable of the two labels takes either."""
        moving = (labels == alpha) | (labels == beta)
        return self._best(labels, np.full_like(labels, alpha), np.full_like(labels, beta), moving)

    def _best(self, labels, taken, kept, moving):
        if not moving.any():
            return labels
        energy = self.energy
        begin, neighbour, edge, _ = energy.neighbours
        two_label_capacities(
            taken, kept, moving, labels, energy.unary, energy.table, energy.tails, energy.weights, begin, neighbour,
            edge, self.first, self.residual, self.excess,
        )  # fmt: skip
        side = FlowNetwork.cut_arcs(self.first, self.head, self.sister, self.residual, self.excess)
        return np.where(moving, np.where(side, taken, kept), labels)


@compiled
def two_label_capacities(
    taken, kept, moving, labels, unary, table, tails, weights, begin, neighbour, edge, first, residual, excess
):
    """Capacities of the cut in which variable a takes ``taken[a]`` with the source and ``kept[a]`` with the sink.

    A pair whose costs are not submodular, as some of truncated quadratic distances, keeps the linear part of them only
    (footnote 3 of the paper).
    """
    for a in range(len(labels)):
        excess[a] = 0.0
    for a in range(len(labels)):
        if not moving[a]:
            for arc in range(first[a], first[a + 1]):
                residual[arc] = 0.0
            continue
        excess[a] += unary[a, kept[a]] - unary[a, taken[a]]
        for i in range(begin[a], begin[a + 1]):
            b, w = neighbour[i], weights[edge[i]]
            arc = first[a] + i - begin[a]
            if not moving[b]:
                residual[arc] = 0.0
                if tails[edge[i]] == a:
                    excess[a] += w * (table[kept[a], labels[b]] - table[taken[a], labels[b]])
                else:
                    excess[a] += w * (table[labels[b], kept[a]] - table[labels[b], taken[a]])
            elif tails[edge[i]] == a:
                # E = A + (C - A) x_a + (D - C) x_b + (B + C - A - D) (1 - x_a) x_b, where x = 1 keeps.
                both, head_keeps = table[taken[a], taken[b]], table[taken[a], kept[b]]
                tail_keeps, none = table[kept[a], taken[b]], table[kept[a], kept[b]]
                excess[a] += w * (tail_keeps - both)
                excess[b] += w * (none - tail_keeps)
                residual[arc] = max(0.0, w * (head_keeps + tail_keeps - both - none))
            else:
                residual[arc] = 0.0


@compiled
def conditional_modes(labels, unary, table, tails, weights, begin, neighbour, edge):
    """Give each variable in turn its best label with all others fixed; the number of changes."""
    n, h = unary.shape
    cost = np.empty(h)
    changes = 0
    for a in range(n):
        for k in range(h):
            cost[k] = unary[a, k]
        for i in range(begin[a], begin[a + 1]):
            other, w = labels[neighbour[i]], weights[edge[i]]
            for k in range(h):
                cost[k] += w * (table[k, other] if tails[edge[i]] == a else table[other, k])
        best = np.argmin(cost)
        # A change must pay by more than rounding, else two labels could take turns for ever.
        if cost[best] < cost[labels[a]] - 1e-12 * (1.0 + abs(cost[best])):
            labels[a] = best
            changes += 1
    return changes
