"""Messages in a junction tree as plain products and sums, where no product can vanish.

Sums of exponentials cost a logarithm and an exponential an entry. Tables that are scaled to a largest entry of one need
neither, as long as no product of positive entries falls below what a double can hold; a bound on the smallest one is
kept for every clique, and where it comes too near the messages must be sent in logarithms.
"""

from math import log

import numpy as np

_LOWEST = -600.0
"""Logarithm of the smallest product that is taken as safe; doubles reach to about -708 without loss."""


class TooWide(Exception):
    """The scores range too far for products."""


class Products:
    """The factors of a tree as scaled weights in the axes of their cliques, ready for any evidence."""

    def __init__(self, tree):
        self.tree = tree
        self.constant = 0.0
        self.weights: list[list[np.ndarray]] = [[] for _ in tree.cliques]
        self.lowest = np.zeros(len(tree.cliques))
        for factor, home in zip(tree.graph.factors, tree._home):
            top = float(np.maximum.reduce(factor.table, axis=None))
            if home < 0 or top == -np.inf:
                self.constant += top
                continue
            self.constant += top
            # Of the scores: a weight that has vanished already would look impossible.
            low = np.minimum.reduce(factor.table, axis=None)
            self.lowest[home] += (low if low > -np.inf else factor.table[factor.table > -np.inf].min()) - top
            weight = np.exp(factor.table - top)
            self.weights[home].append(spread(weight, factor.variables, tree.cliques[home]))
        self.shapes = [tuple(tree.graph.n_states[list(clique)].tolist()) for clique in tree.cliques]
        self.up = {c: self._lane(c, c) for c in tree._parent}
        self.down = {c: self._lane(tree._parent[c], c) for c in tree._parent}

    def _lane(self, clique, child):
        """Axes of a clique to sum over for the separator above a child, and the separator's shape among its axes."""
        members, separator = self.tree.cliques[clique], self.tree._separator[child]
        axes = tuple(axis for axis, v in enumerate(members) if v not in separator)
        return axes, tuple(1 if axis in axes else k for axis, k in enumerate(self.shapes[clique]))

    def collect(self, evidence):
        """Pass messages from the leaves to the roots.

        Returns the tables of the cliques, the messages, the bounds of the smallest entries, and the log of the sum over
        all joint states.
        """
        tree, total = self.tree, self.constant
        tables, lowest, upward = self._tables(evidence), self.lowest.copy(), {}
        if lowest.min(initial=0.0) < _LOWEST:
            raise TooWide
        for c in reversed(tree._order):
            if c not in tree._parent:
                total += _log(tables[c].sum())
                continue
            parent = tree._parent[c]
            message = np.add.reduce(tables[c], axis=self.up[c][0])
            top = np.maximum.reduce(message, axis=None)
            if not top > 0:
                return tables, upward, lowest, -np.inf
            message /= top
            total += log(top)
            upward[c] = message
            tables[parent] *= message.reshape(self.down[c][1])
            lowest[parent] += _log_of_smallest(message)
            if lowest[parent] < _LOWEST:
                raise TooWide
        return tables, upward, lowest, total

    def calibrate(self, evidence):
        """Probabilities of the joint states of every clique, and the log of the sum over all joint states."""
        tree = self.tree
        tables, upward, lowest, total = self.collect(evidence)
        if total == -np.inf:
            return tables, total
        for c in tree._order:
            if c in tree._parent:
                whole = np.add.reduce(tables[tree._parent[c]], axis=self.down[c][0])
                # What c already told its parent is taken out; what is impossible for c stays so.
                told = np.divide(whole, upward[c], out=np.zeros_like(whole), where=upward[c] > 0)
                told /= np.maximum.reduce(told, axis=None)
                lowest[c] += _log_of_smallest(told)
                if lowest[c] < _LOWEST:
                    raise TooWide
                tables[c] *= told.reshape(self.up[c][1])
            tables[c] /= np.add.reduce(tables[c], axis=None)
        return tables, total

    def _tables(self, evidence):
        tables = []
        for shape, weights in zip(self.shapes, self.weights):
            table = np.empty(shape)
            if weights:
                table[...] = weights[0]
                for weight in weights[1:]:
                    table *= weight
            else:
                table.fill(1.0)
            tables.append(table)
        for v, state in evidence.items():
            c = self.tree._holder[v]
            other = np.arange(self.tree.graph.n_states[v]) != state
            np.moveaxis(tables[c], self.tree.cliques[c].index(v), 0)[other] = 0.0
        return tables


def spread(table, variables, clique):
    """A table over some of a clique's variables in the axes of the clique."""
    order = sorted(range(len(variables)), key=lambda axis: clique.index(variables[axis]))
    shape = [1] * len(clique)
    for axis, v in enumerate(variables):
        shape[clique.index(v)] = table.shape[axis]
    return table.transpose(order).reshape(shape)


def _log(value):
    return log(value) if value > 0 else -np.inf


def _log_of_smallest(message):
    """Of the positive entries of a message whose largest is one."""
    smallest = np.minimum.reduce(message, axis=None)
    if smallest > 0:
        return log(smallest)
    return log(message[message > 0].min())
