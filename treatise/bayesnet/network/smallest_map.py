"""Learning from endless data, solved exactly for few variables: the decision problem LEARN of JMLR 5:1287."""

from dataclasses import dataclass

import numpy as np

from treatise._core.jit import compiled
from treatise.bayesnet.network.dag import DAG
from treatise.bayesnet.network.relations import states_of

_MOST_OBSERVED = 24
_MOST = 1 << 40


@dataclass(frozen=True)
class IndependenceMap:
    """A graph that can represent a distribution.

    Attributes
    ----------
    parents : dict
        Parents of each variable.
    n_parameters : int
        Free probabilities of its tables.
    """

    parents: dict
    n_parameters: int


def smallest_independence_map(dag, n_states=2, observed=None):
    """The graph with the fewest parameters that can represent what a perfect network leaves of some variables.

    This is what a consistent score (BIC, BDeu) favours in the limit of endless data, and what is NP-hard to find: all
    2**n sets of the n observed variables are visited, some microseconds each. 16 variables take a moment, 24 (the most)
    a minute and 150 MB.

    Parameters
    ----------
    dag : mapping, list, networkx.DiGraph or BayesianNetwork
        Graph of a network whose distribution is perfect for it (see :func:`faithful_cpts`), of at most 64 variables.
    n_states : int, mapping or list, default=2
        Number of states of all variables, or of each.
    observed : list of names or None, default=None
        The variables to represent; the others are hidden. None takes all.

    Returns
    -------
    smallest : IndependenceMap

    Examples
    --------
    A hidden common cause of b and c, which an edge between them either way can stand for, at different prices:

    >>> from treatise.bayesnet import smallest_independence_map
    >>> dag = {"b": ("a", "hidden"), "c": ("d", "hidden")}
    >>> states = {"a": 2, "b": 2, "c": 3, "d": 2, "hidden": 2}
    >>> found = smallest_independence_map(dag, states, observed=["a", "b", "c", "d"])
    >>> found.n_parameters, found.parents["b"], found.parents["c"]
    (18, ('a', 'c', 'd'), ('d',))

    References
    ----------
    .. [1] Paper v05-1287, Section 3, problem LEARN.
    """
    graph = DAG.of(dag)
    states = states_of(graph, n_states)
    seen = list(range(len(graph))) if observed is None else list(graph.numbers(observed))
    if not seen or len(seen) > _MOST_OBSERVED or len(graph) > 64 or len(set(seen)) < len(seen):
        raise ValueError(f"{len(seen)} observed of {len(graph)} variables; the search takes 1 to {_MOST_OBSERVED} "
                         "different ones, of 64")  # fmt: skip
    parents, children = _masks(graph.parents), _masks(graph.children())
    ancestors = _masks([graph.ancestors([v]) for v in range(len(graph))])
    best, last = np.empty(1 << len(seen), np.int64), np.empty(1 << len(seen), np.int8)
    numbers = np.array(seen, np.int64)
    least_parameters(numbers, parents, children, ancestors, np.array(states, np.int64), _MOST, best, last)
    if best[-1] >= _MOST:
        raise ValueError(f"every map needs {_MOST} parameters or more")
    found = {}
    members = len(best) - 1
    while members:
        place = int(last[members])
        inside = [v for i, v in enumerate(seen) if (members >> i) & 1]
        x = seen[place]
        mask = _masks([set(inside) - {x}])[0]
        boundary = boundary_from(x, mask, _masks([graph.ancestors(inside)])[0], parents, children)
        found[x] = tuple(graph.variables[u] for u in inside if (int(boundary) >> u) & 1)
        members ^= 1 << place
    return IndependenceMap({graph.variables[v]: found[v] for v in seen}, int(best[-1]))


def _masks(sets):
    return np.array([sum(1 << v for v in own) for own in sets], np.uint64)


@compiled
def boundary_from(x, inside, ancestral, parents, children):
    """Vertices of ``inside`` that the moral graph of the ancestral set joins to x by a path through none of them.

    They are the Markov boundary of x among ``inside``: given these, x is independent of the rest.
    """
    one = np.uint64(1)
    boundary, through = np.uint64(0), one << np.uint64(x)
    reached = through
    while through:
        # Lowest bit of what is yet to be passed through, and its number.
        low = through & (~through + one)
        through ^= low
        v = 0
        while not (low >> np.uint64(v)) & one:
            v += 1
        joined = parents[v] & ancestral
        below = children[v] & ancestral
        joined |= below
        c = 0
        while below >> np.uint64(c):
            if (below >> np.uint64(c)) & one:
                joined |= parents[c]
            c += 1
        joined &= ~reached
        reached |= joined
        boundary |= joined & inside
        through |= joined & ~inside
    return boundary


@compiled
def least_parameters(observed, parents, children, ancestors, n_states, most, best, last):
    """For every set of observed variables, the fewest parameters of a map of it, and the variable that comes last.

    ``best[S] = min over x in S of best[S - x] + (states of x - 1) * (joint states of its boundary in S - x)``: in a
    positive distribution the parents that x needs after S - x are its Markov boundary there, and no fewer will do.
    Numbers are cut off at ``most``.
    """
    n = len(observed)
    one = np.uint64(1)
    best[0] = 0
    for members in range(1, 1 << n):
        vertices, ancestral = np.uint64(0), np.uint64(0)
        for i in range(n):
            if (members >> i) & 1:
                vertices |= one << np.uint64(observed[i])
                ancestral |= ancestors[observed[i]]
        least, choice = most, -1
        for i in range(n):
            if not (members >> i) & 1:
                continue
            x = observed[i]
            before = best[members ^ (1 << i)]
            if before >= least:
                continue
            boundary = boundary_from(x, vertices & ~(one << np.uint64(x)), ancestral, parents, children)
            count = n_states[x] - 1
            j = 0
            while boundary >> np.uint64(j) and count < most:
                if (boundary >> np.uint64(j)) & one:
                    count *= n_states[j]
                j += 1
            if before + count < least:
                least, choice = before + count, i
        best[members], last[members] = least, choice
