"""What directed acyclic graphs say about independence, and how two of them compare (Section 2 of JMLR 5:1287)."""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from treatise.bayesnet.network.dag import DAG


def d_separated(dag, x, y, given=()):
    """Whether a graph makes variables independent, given others: no path between them is active.

    O(vertices + edges). For very many questions to one graph use :class:`NetworkOracle`.

    Parameters
    ----------
    dag : mapping, list, networkx.DiGraph or BayesianNetwork
        The graph; see :class:`BayesianNetwork`.
    x, y : name or list of names
        The variables.
    given : name or list of names, default=()
        What is known.

    Returns
    -------
    separated : bool

    Examples
    --------
    >>> from treatise.bayesnet import d_separated
    >>> alarm = {"alarm": ("burglary", "earthquake"), "call": ("alarm",)}
    >>> d_separated(alarm, "burglary", "earthquake"), d_separated(alarm, "burglary", "earthquake", given="call")
    (True, False)
    """
    graph = DAG.of(dag)
    xs, ys, known = graph.numbers(x), graph.numbers(y), graph.numbers(given)
    if set(xs) & set(ys) or (set(xs) | set(ys)) & set(known):
        raise ValueError(f"x={x!r}, y={y!r} and given={given!r} must have no variable in common")
    return graph.separated(xs, ys, known)


def covered_edges(dag):
    """Edges whose ends have the same other parents: those that can be turned without changing what the graph says.

    Parameters
    ----------
    dag : mapping, list, networkx.DiGraph or BayesianNetwork
        The graph.

    Returns
    -------
    edges : list of (parent, child)

    References
    ----------
    .. [1] Paper v05-1287, Lemma 1.
    """
    graph = DAG.of(dag)
    return [(graph.variables[u], graph.variables[v]) for u, v in _covered(graph)]


def n_parameters(dag, n_states=2):
    """Free probabilities of a network with full tables: the sum of (states - 1) x (joint states of the parents).

    Parameters
    ----------
    dag : mapping, list, networkx.DiGraph or BayesianNetwork
        The graph.
    n_states : int, mapping or list, default=2
        Number of states of all variables, or of each.

    Returns
    -------
    count : int
    """
    graph = DAG.of(dag)
    states = states_of(graph, n_states)
    return sum((states[v] - 1) * prod(states[u] for u in parents) for v, parents in enumerate(graph.parents))


def includes(larger, smaller):
    """Whether a graph can represent everything that another can: all its independences hold in the other.

    Parameters
    ----------
    larger : mapping, list, networkx.DiGraph or BayesianNetwork
        The graph whose independences are checked, one local statement for each variable.
    smaller : mapping, list, networkx.DiGraph or BayesianNetwork
        The graph in which they must hold. It may have further variables, which are hidden from the first: then the
        first graph can represent what the second leaves of its observed variables.

    Returns
    -------
    included : bool

    Examples
    --------
    >>> from treatise.bayesnet import includes
    >>> chain, collider = {"y": ("x",), "z": ("y",)}, {"y": ("x", "z")}
    >>> includes({"z": ("y",), "y": ("x",), "x": ()}, chain), includes(collider, chain)
    (True, False)
    >>> includes({"x": (), "y": ()}, {"x": ("common",), "y": ("common",)})
    False

    References
    ----------
    .. [1] Paper v05-1287, Section 2.
    """
    outer, inner = DAG.of(larger), DAG.of(smaller)
    place = [inner.number(name) for name in outer.variables]
    before: list[int] = []
    for v in outer.order:
        # Statements of each variable and those before it imply all others, since separation is a semi-graphoid.
        parents = {place[u] for u in outer.parents[v]}
        if not inner.separated([place[v]], set(before) - parents, parents):
            return False
        before.append(place[v])
    return True


def equivalent(a, b):
    """Whether two graphs say the same: same adjacent pairs, and same colliders between nonadjacent parents.

    Parameters
    ----------
    a, b : mapping, list, networkx.DiGraph or BayesianNetwork
        Graphs of the same variables.

    Returns
    -------
    same : bool
    """
    one, other = DAG.of(a), DAG.of(b)
    if set(one.variables) != set(other.variables):
        raise ValueError("the two graphs have different variables; only graphs of the same ones can be equivalent")
    return _pattern(one) == _pattern(other)


def essential_graph(dag):
    """The edges on which all equivalent graphs agree, and those whose direction is free.

    Colliders of nonadjacent parents are directed, and then every edge that would otherwise make a new collider or a
    cycle. Structure learners can be compared by this matrix: directions that data cannot tell do not count.

    Parameters
    ----------
    dag : mapping, list, networkx.DiGraph or BayesianNetwork
        The graph.

    Returns
    -------
    adjacency : ndarray of bool of shape (p, p)
        True at (i, j) and (j, i) for an edge of free direction, at (i, j) alone for one that is directed so in all.
    """
    graph = DAG.of(dag)
    skeleton, colliders = _numbered_pattern(graph)
    free = np.zeros((len(graph), len(graph)), dtype=bool)
    for u, v in skeleton:
        free[u, v] = free[v, u] = True
    for u, w, v in colliders:
        free[w, u] = free[w, v] = False
    adjacent = free | free.T
    changed = True
    while changed:
        changed = False
        for u, v in np.argwhere(free & free.T):
            if free[u, v] and free[v, u] and _compelled(u, v, free, adjacent):
                free[v, u] = False
                changed = True
    return free


def _compelled(u, v, edges, adjacent):
    """Whether a free edge must point from u to v, by one of Meek's three rules for patterns of colliders."""
    directed = edges & ~edges.T
    undirected = edges & edges.T
    into_u = directed[:, u]
    if np.any(into_u & ~adjacent[:, v]) or np.any(directed[u] & directed[:, v]):
        return True
    between = np.flatnonzero(undirected[u] & directed[:, v])
    return any(not adjacent[a, b] for i, a in enumerate(between) for b in between[i + 1 :])


def equivalence_class(dag, *, limit=10_000):
    """All graphs that say the same, by turning covered edges again and again.

    Parameters
    ----------
    dag : mapping, list, networkx.DiGraph or BayesianNetwork
        The graph.
    limit : int, default=10_000
        Most graphs to find; more are an error.

    Yields
    ------
    member : DAG
    """
    start = DAG.of(dag)
    seen, stack = {_key(start.parents)}, [start]
    while stack:
        member = stack.pop()
        yield member
        for u, v in _covered(member):
            parents = [list(own) for own in member.parents]
            parents[v].remove(u)
            parents[u].append(v)
            key = _key(parents)
            if key not in seen:
                if len(seen) >= limit:
                    raise ValueError(f"more than limit={limit} graphs are equivalent to this one")
                seen.add(key)
                stack.append(DAG.of({name: tuple(start.variables[w] for w in own)
                                     for name, own in zip(start.variables, parents)}))  # fmt: skip


def is_inclusion_optimal(larger, smaller, *, limit=10_000):
    """Whether a graph includes another, and no graph that it strictly includes does.

    Consistent scores have such graphs as local optima: taking away an edge of any equivalent graph loses something. One
    of them may still need more parameters than another.

    Parameters
    ----------
    larger : mapping, list, networkx.DiGraph or BayesianNetwork
        The graph in question.
    smaller : mapping, list, networkx.DiGraph or BayesianNetwork
        The graph to include, which may have further, hidden variables.
    limit : int, default=10_000
        Most equivalent graphs to look at.

    Returns
    -------
    optimal : bool

    References
    ----------
    .. [1] Paper v05-1287, Theorem 3.
    """
    outer, inner = DAG.of(larger), DAG.of(smaller)
    if not includes(outer, inner):
        return False
    place = [inner.number(name) for name in outer.variables]
    for member in equivalence_class(outer, limit=limit):
        for v, parents in enumerate(member.parents):
            for u in parents:
                # The graph without u -> v includes the other if v is independent of u given its other parents.
                rest = [place[w] for w in parents if w != u]
                if inner.separated([place[v]], [place[u]], rest):
                    return False
    return True


def markov_boundary(dag, variable, among=None):
    """The smallest set of variables given which a variable is independent of all others of a set.

    Parameters
    ----------
    dag : mapping, list, networkx.DiGraph or BayesianNetwork
        The graph.
    variable : name
        The variable.
    among : list of names or None, default=None
        The set; None takes all others. Variables outside it are hidden.

    Returns
    -------
    boundary : tuple
    """
    graph = DAG.of(dag)
    v = graph.number(variable)
    others = [u for u in (range(len(graph)) if among is None else graph.numbers(among)) if u != v]
    return tuple(graph.variables[u] for u in others if not graph.separated([v], [u], set(others) - {u}))


def states_of(graph: DAG, n_states: Any) -> list[int]:
    """Number of states of each variable, from one for all, a mapping or a list."""
    if isinstance(n_states, Mapping):
        missing = [name for name in graph.variables if name not in n_states]
        if missing:
            raise ValueError(f"n_states does not say how many states {missing[0]!r} has")
        states = [n_states[name] for name in graph.variables]
    elif isinstance(n_states, (Sequence, np.ndarray)):
        states = list(n_states)
        if len(states) != len(graph):
            raise ValueError(f"n_states lists {len(states)} numbers for the {len(graph)} variables")
    else:
        states = [n_states] * len(graph)
    if any(int(k) != k or k < 2 for k in states):
        raise ValueError(f"n_states={n_states!r} must give every variable two states or more")
    return [int(k) for k in states]


def _covered(graph: DAG) -> Iterator[tuple[int, int]]:
    for v, parents in enumerate(graph.parents):
        for u in parents:
            if set(parents) - {u} == set(graph.parents[u]):
                yield u, v


def _key(parents: Any) -> tuple[frozenset[int], ...]:
    return tuple(map(frozenset, parents))


def _numbered_pattern(graph: DAG) -> tuple[set[tuple[int, int]], set[tuple[int, int, int]]]:
    """Adjacent pairs, and triples of a collider between its nonadjacent parents."""
    skeleton = {(min(u, v), max(u, v)) for v, parents in enumerate(graph.parents) for u in parents}
    colliders = set()
    for v, parents in enumerate(graph.parents):
        own = sorted(parents)
        for i, a in enumerate(own):
            colliders |= {(a, v, b) for b in own[i + 1 :] if (a, b) not in skeleton}
    return skeleton, colliders


def _pattern(graph: DAG) -> tuple[set, set]:
    skeleton, colliders = _numbered_pattern(graph)
    names = graph.variables
    return (
        {frozenset((names[u], names[v])) for u, v in skeleton},
        {(names[v], frozenset((names[a], names[b]))) for a, v, b in colliders},
    )
