"""Directed acyclic graphs: what a Bayesian network draws."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np


@dataclass(frozen=True)
class DAG:
    """A directed acyclic graph whose vertices are numbered.

    Functions that take a graph make one of whatever describes one, by :meth:`of`.

    Attributes
    ----------
    variables : tuple
        Names of the vertices.
    parents : tuple of tuple of int
        Numbers of each vertex's parents.
    order : tuple of int
        The vertices, parents before children.
    """

    variables: tuple[Any, ...]
    parents: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]

    @classmethod
    def of(cls, graph: Any, names: Iterable[Any] = ()) -> "DAG":
        """The graph that a mapping, a list, a networkx graph or a network describes; see :class:`BayesianNetwork`."""
        if isinstance(graph, DAG):
            return graph
        if isinstance(getattr(graph, "dag", None), DAG):
            return graph.dag
        parents_of = _parents_by_name(graph)
        for name in names:
            parents_of.setdefault(_plain(name), ())
        if not parents_of:
            raise ValueError("the graph has no variables; name at least one")
        variables = tuple(parents_of)
        if all(isinstance(name, int) for name in variables):
            variables = tuple(sorted(variables))
        number = {name: i for i, name in enumerate(variables)}
        for name in variables:
            if len(set(parents_of[name])) < len(parents_of[name]):
                raise ValueError(f"the variable {name!r} lists a parent twice: {list(parents_of[name])}")
        parents = tuple(tuple(number[parent] for parent in parents_of[name]) for name in variables)
        return cls(variables, parents, topological_order(parents, variables))

    def __len__(self) -> int:
        return len(self.variables)

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        return {name: i for i, name in enumerate(self.variables)}

    def number(self, name: Any) -> int:
        """The number of a variable."""
        name = _plain(name)
        try:
            return self._numbers[name]
        except (KeyError, TypeError):
            known = ", ".join(repr(each) for each in self.variables[:12]) + (", ..." if len(self) > 12 else "")
            raise ValueError(f"{name!r} is no variable of the network; its variables: {known}") from None

    def numbers(self, names: Any) -> tuple[int, ...]:
        """Numbers of one variable or of several."""
        if isinstance(names, (str, int, np.integer)) or (isinstance(names, tuple) and names in self._numbers):
            return (self.number(names),)
        return tuple(self.number(name) for name in names)

    def children(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of each vertex's children."""
        found: list[list[int]] = [[] for _ in self.parents]
        for child, parents in enumerate(self.parents):
            for parent in parents:
                found[parent].append(child)
        return tuple(map(tuple, found))

    def ancestors(self, vertices: Iterable[int]) -> set[int]:
        """The vertices and all their ancestors."""
        found, stack = set(), list(vertices)
        while stack:
            v = stack.pop()
            if v not in found:
                found.add(v)
                stack.extend(self.parents[v])
        return found

    def reachable(self, source: int, given: set[int]) -> set[int]:
        """The vertices that some path active given the set joins to the source.

        Steps are followed edge by edge (the ball of Shachter 1998): what comes into a vertex against the arrows goes on
        either way unless the vertex is given; what comes along an arrow goes on to the children unless it is given,
        and back to the parents if it is. A collider with a given descendant is passed by going down there and back.
        """
        children = self.children()
        along, against, seen = True, False, set()
        stack = [(source, against)]
        while stack:
            step = stack.pop()
            if step in seen:
                continue
            seen.add(step)
            v, came = step
            if v not in given:
                stack.extend((child, along) for child in children[v])
                if came == against:
                    stack.extend((parent, against) for parent in self.parents[v])
            elif came == along:
                stack.extend((parent, against) for parent in self.parents[v])
        return {v for v, _ in seen} - given - {source}

    def separated(self, xs: Iterable[int], ys: Iterable[int], given: Iterable[int]) -> bool:
        """Whether no active path joins the two sets."""
        targets, known = set(ys), set(given)
        return all(not self.reachable(x, known) & targets for x in xs)

    def edges(self) -> np.ndarray:
        """Edges as an array of (parent, child) numbers."""
        pairs = [(parent, child) for child, parents in enumerate(self.parents) for parent in parents]
        return np.array(sorted(pairs), np.int64).reshape(-1, 2)

    def generations(self) -> list[list[int]]:
        """The vertices in layers: each one layer below its lowest parent."""
        depth = [0] * len(self)
        for v in self.order:
            depth[v] = 1 + max((depth[parent] for parent in self.parents[v]), default=-1)
        return [[v for v in range(len(self)) if depth[v] == layer] for layer in range(max(depth) + 1)]


def topological_order(parents: tuple[tuple[int, ...], ...], variables: tuple[Any, ...]) -> tuple[int, ...]:
    """The vertices, parents before children; a cycle is an error that shows it."""
    children: list[list[int]] = [[] for _ in parents]
    waiting = [len(own) for own in parents]
    for child, own in enumerate(parents):
        for parent in own:
            children[parent].append(child)
    ready, order = [v for v in reversed(range(len(parents))) if not waiting[v]], []
    while ready:
        v = ready.pop()
        order.append(v)
        for child in reversed(children[v]):
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    if len(order) == len(parents):
        return tuple(order)
    # Whoever still waits has a parent that waits: going from parent to parent must come round.
    path = [next(v for v in range(len(parents)) if waiting[v])]
    while path.count(path[-1]) < 2:
        path.append(next(parent for parent in parents[path[-1]] if waiting[parent]))
    cycle = path[path.index(path[-1]) :][::-1]
    raise ValueError(f"the graph has a cycle, {' -> '.join(str(variables[v]) for v in cycle)}; "
                     "a Bayesian network must have none")  # fmt: skip


def _plain(name: Any) -> Any:
    return name.item() if isinstance(name, np.generic) else name


def _parents_by_name(graph: Any) -> dict[Any, tuple[Any, ...]]:
    """Parents of every vertex, those that appear as parents alone included."""
    found: dict[Any, tuple[Any, ...]] = {}
    if hasattr(graph, "predecessors") and hasattr(graph, "nodes"):
        found = {_plain(name): tuple(map(_plain, graph.predecessors(name))) for name in graph.nodes}
    elif hasattr(graph, "nodes") and hasattr(graph, "edges"):
        raise ValueError(f"the edges of a {type(graph).__name__} have no direction; give a networkx.DiGraph")
    elif isinstance(graph, Mapping):
        for name, parents in graph.items():
            if isinstance(parents, str):
                raise ValueError(f"the parents of {name!r} are the string {parents!r}; give a tuple of names")
            found[_plain(name)] = tuple(map(_plain, parents))
    elif isinstance(graph, (list, tuple, np.ndarray)):
        words = [row for row in graph if isinstance(row, str)]
        if words:
            raise ValueError(f"{words[0]!r} is no edge; a list holds (parent, child) pairs, or each column's parents")
        rows = [tuple(map(_plain, row)) for row in graph]
        # Some vertex of an acyclic graph has no parents and no edge is empty: the two kinds of list differ.
        if any(len(row) == 0 for row in rows):
            found = dict(enumerate(rows))
            beyond = [parent for row in rows for parent in row if parent not in found]
            if beyond:
                raise ValueError(f"the parent {beyond[0]!r} is no column number from 0 to {len(rows) - 1}")
        else:
            for row in rows:
                if len(row) != 2:
                    raise ValueError(
                        f"{row!r} is no edge; a list holds (parent, child) pairs, or each column's parents"
                    )
                found.setdefault(row[0], ())
                found[row[1]] = found.get(row[1], ()) + (row[0],)
    else:
        raise ValueError(f"a graph is a mapping of parents, a networkx.DiGraph or a list of edges, "
                         f"not a {type(graph).__name__}")  # fmt: skip
    for parents in list(found.values()):
        for parent in parents:
            found.setdefault(parent, ())
    return found
