"""The tables of a factor graph end to end, with what one variable's step in each of them is."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FlatFactors:
    """Tables as one array: factor f begins at ``starts[f]``; variable v is in the factors ``factor[i]``, where one more
    state moves ``stride[i]`` entries on, for i from ``first[v]`` to ``first[v + 1]``."""

    graph: object
    tables: np.ndarray
    starts: np.ndarray
    first: np.ndarray
    factor: np.ndarray
    stride: np.ndarray

    @classmethod
    def of(cls, graph):
        entries = []
        for f, factor in enumerate(graph.factors):
            entries.extend(
                (v, f, step // factor.table.itemsize) for v, step in zip(factor.variables, factor.table.strides)
            )
        entries.sort(key=lambda entry: entry[:2])
        table = np.array(entries, np.int64).reshape(-1, 3)
        sizes = [factor.table.size for factor in graph.factors]
        return cls(
            graph,
            np.concatenate([f.table.ravel() for f in graph.factors]) if sizes else np.zeros(0),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.searchsorted(table[:, 0], np.arange(len(graph) + 1)).astype(np.int64),
            table[:, 1].copy(),
            table[:, 2].copy(),
        )

    @property
    def arrays(self):
        """What the compiled loops take."""
        return self.graph.n_states, self.tables, self.starts, self.first, self.factor, self.stride

    def place(self, assignment):
        """Each factor's entry at an assignment."""
        at = np.zeros(len(self.graph.factors), np.int64)
        of = np.repeat(np.arange(len(self.graph)), np.diff(self.first))
        np.add.at(at, self.factor, self.stride * assignment[of])
        return at
