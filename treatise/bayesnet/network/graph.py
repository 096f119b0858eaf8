"""What everything with a directed acyclic graph can say about it."""

import numpy as np

from treatise.bayesnet.network.dag import DAG
from treatise.bayesnet.network.plot import draw_layers


class DirectedGraphMixin:
    """Methods of an object that has a directed acyclic graph in ``dag``."""

    dag: DAG

    @property
    def variables(self):
        return self.dag.variables

    @property
    def parents(self):
        names = self.variables
        return {name: tuple(names[u] for u in own) for name, own in zip(names, self.dag.parents)}

    @property
    def edges_(self):
        return self.dag.edges()

    @property
    def adjacency_(self):
        adjacency = np.zeros((len(self.dag), len(self.dag)), dtype=bool)
        adjacency[tuple(self.edges_.T)] = True
        return adjacency

    def to_networkx(self):
        """The structure as a networkx.DiGraph; tables and states are not part of it."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.variables)
        graph.add_edges_from((self.variables[u], self.variables[v]) for u, v in self.edges_)
        return graph

    def moral_graph(self):
        """The undirected networkx.Graph that joins each variable to its parents, and parents to one another."""
        import networkx

        graph = networkx.Graph()
        graph.add_nodes_from(self.variables)
        for v, parents in enumerate(self.dag.parents):
            family = [self.variables[u] for u in (*parents, v)]
            graph.add_edges_from((a, b) for i, a in enumerate(family) for b in family[i + 1 :])
        return graph

    def markov_blanket(self, variable):
        """Parents, children and the children's other parents: given these the variable depends on nothing else."""
        v = self.dag.number(variable)
        blanket = set(self.dag.parents[v])
        for child in self.dag.children()[v]:
            blanket |= {child, *self.dag.parents[child]}
        return tuple(self.variables[u] for u in sorted(blanket - {v}))

    def d_separated(self, x, y, given=()):
        """Whether the structure makes variables independent, given others.

        Parameters
        ----------
        x, y : name or list of names
            The variables.
        given : name or list of names, default=()
            What is known.

        Returns
        -------
        separated : bool
        """
        xs, ys, known = self.dag.numbers(x), self.dag.numbers(y), self.dag.numbers(given)
        if set(xs) & set(ys) or (set(xs) | set(ys)) & set(known):
            raise ValueError(f"x={x!r}, y={y!r} and given={given!r} must have no variable in common")
        return self.dag.separated(xs, ys, known)

    def plot(self, ax=None, *, node_size=900, font_size=8):
        """Draw the structure in layers, each variable below its parents.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        node_size : float, default=900
            Area of a node in square points.
        font_size : float, default=8
            Size of the names.

        Returns
        -------
        ax : matplotlib Axes
        """
        return draw_layers(self.dag, ax, node_size, font_size)
