"""Oracles for learners of structure: answers about a distribution that is known (Chickering et al., JMLR 5:1287)."""

import numpy as np

from treatise._core.jit import compiled
from treatise._core.threads import over_ranges
from treatise.bayesnet.network.bayesian_network import BayesianNetwork
from treatise.bayesnet.network.dag import DAG


class NetworkOracle:
    """What a learner of structure would know with endless data: independence, probabilities and information.

    Independence is read off the graph, which is right for distributions that are perfect for it, such as those of
    :func:`faithful_cpts`, whether or not variables are hidden. A question about independence costs O(vertices + edges):
    more than a million a second for 50 variables through :meth:`independent_many`. Probabilities and information are
    exact, by elimination.

    Parameters
    ----------
    network : BayesianNetwork, or graph
        The network; a graph alone answers questions about independence.
    hidden : list of names, default=()
        Variables that no question may name.

    Attributes
    ----------
    observed : tuple
        The variables that questions may name.
    calls : dict
        How often each kind of question was asked.

    Examples
    --------
    >>> from treatise.bayesnet import BayesianNetwork, NetworkOracle, faithful_cpts
    >>> dag = {"x": ("cause",), "y": ("cause",), "z": ("y",)}
    >>> oracle = NetworkOracle(BayesianNetwork(dag, faithful_cpts(dag)), hidden=["cause"])
    >>> oracle.independent("x", "z"), oracle.independent("x", "z", given=["y"])
    (False, True)
    >>> oracle.observed, oracle.calls["independence"]
    (('x', 'y', 'z'), 2)

    References
    ----------
    .. [1] Paper v05-1287, Definitions 12 to 14.
    """

    def __init__(self, network, hidden=()):
        self.network = network
        self.dag = DAG.of(network)
        concealed = set(self.dag.numbers(hidden))
        self.observed = tuple(name for v, name in enumerate(self.dag.variables) if v not in concealed)
        self.calls = {"independence": 0, "inference": 0, "information": 0}
        self._concealed = concealed
        self._parents = _lists(self.dag.parents)
        self._children = _lists(self.dag.children())

    def _named(self, *groups):
        numbers = tuple(self.dag.numbers(names) for names in groups)
        flat = sum(numbers, ())
        hidden = self._concealed.intersection(flat)
        if hidden:
            raise ValueError(f"{self.dag.variables[min(hidden)]!r} is hidden; observed are {list(self.observed)}")
        if len(set(flat)) < len(flat):
            raise ValueError(f"a question names each variable once; this one names {list(groups)}")
        return numbers

    def independent(self, x, y, given=()):
        """Whether two variables are independent given others (Definition 12).

        Parameters
        ----------
        x, y : name
            The variables.
        given : name or list of names, default=()
            What is known.

        Returns
        -------
        independent : bool
        """
        (a,), (b,), known = self._named([x], [y], given)
        mask = np.zeros((1, len(self.dag)), dtype=bool)
        mask[0, list(known)] = True
        return bool(self._asked(np.array([a]), np.array([b]), mask)[0])

    def independent_many(self, x, y, given):
        """Independence of many pairs at once.

        Parameters
        ----------
        x, y : array-like of int of shape (q,)
            Numbers of the variables, in the order of the network.
        given : array-like of bool of shape (q, p)
            Whether each variable of the network is known.

        Returns
        -------
        independent : ndarray of bool of shape (q,)
        """
        x, y, given = np.asarray(x, np.int64), np.asarray(y, np.int64), np.ascontiguousarray(given, dtype=bool)
        p = len(self.dag)
        if x.ndim != 1 or y.shape != x.shape or given.shape != (len(x), p):
            raise ValueError(f"{x.shape}, {y.shape} and {given.shape} are the shapes of x, y and given; "
                             f"they must be (q,), (q,) and (q, {p})")  # fmt: skip
        if len(x):
            ends = np.concatenate([x, y])
            if ends.min() < 0 or ends.max() >= p or np.any(x == y):
                raise ValueError(f"x and y must be different numbers from 0 to {p - 1}")
            rows = np.arange(len(x))
            if np.any(given[rows, x] | given[rows, y]):
                raise ValueError("a variable is asked about that is also given")
            hidden = list(self._concealed)
            if np.any(given[:, hidden]) or np.isin(ends, hidden).any():
                raise ValueError(f"a question names a hidden variable; observed are {list(self.observed)}")
        return self._asked(x, y, given)

    def _asked(self, x, y, given):
        self.calls["independence"] += len(x)
        separated = np.empty(len(x), dtype=bool)
        arguments = (*self._parents, *self._children, x, y, given, separated)
        edges = len(self._parents[1])
        over_ranges(
            lambda first, last: separated_range(first, last, *arguments),
            len(x),
            cost=4.0 * len(x) * (len(self.dag) + edges),
        )
        return separated

    def probability(self, states):
        """Probability of states of some variables (Definition 13).

        Parameters
        ----------
        states : mapping
            State of each variable that is named.

        Returns
        -------
        probability : float
        """
        self._named(list(states))
        self.calls["inference"] += 1
        return self._tables().probability(states)

    def information(self, x, y, given=()):
        """Information of two variables about one another given others, in nats (Definition 14).

        Parameters
        ----------
        x, y : name
            The variables.
        given : name or list of names, default=()
            What is known; its joint table is formed, so that it must be small.

        Returns
        -------
        information : float
        """
        self._named([x], [y], given)
        self.calls["information"] += 1
        return self._tables().mutual_information([x], [y], given)

    def _tables(self):
        if not isinstance(self.network, BayesianNetwork):
            raise ValueError("a graph alone has no probabilities; give a BayesianNetwork")
        return self.network


def _lists(neighbours):
    starts = np.concatenate([[0], np.cumsum([len(own) for own in neighbours])]).astype(np.int64)
    return starts, np.array([v for own in neighbours for v in own], np.int64)


# How a search came into a vertex: against an arrow (from a child, or it starts there), or along one.
_AGAINST, _ALONG = 1, 2


@compiled
def separated_range(first, last, parent_starts, parents, child_starts, children, x, y, given, separated):
    """Whether no active path joins ``x[q]`` to ``y[q]`` given the vertices marked in ``given[q]``, for q of a range.

    Each vertex is searched at most twice, once for each way in. A given vertex sends back to its parents what comes
    along an arrow, and stops the rest; so a collider is passed through a given descendant and back.
    """
    n = len(parent_starts) - 1
    marks = np.zeros(n, np.uint8)
    stack = np.empty(2 * n, np.int64)
    for q in range(first, last):
        for v in range(n):
            marks[v] = 0
        goal = y[q]
        found = False
        marks[x[q]] = _AGAINST
        stack[0], height = 2 * x[q], 1
        while height and not found:
            height -= 1
            v, along = stack[height] >> 1, stack[height] & 1
            free = not given[q, v]
            if free:
                for i in range(child_starts[v], child_starts[v + 1]):
                    w = children[i]
                    if not marks[w] & _ALONG:
                        marks[w] |= _ALONG
                        found |= w == goal
                        stack[height] = 2 * w + 1
                        height += 1
            if free != along:
                for i in range(parent_starts[v], parent_starts[v + 1]):
                    w = parents[i]
                    if not marks[w] & _AGAINST:
                        marks[w] |= _AGAINST
                        found |= w == goal
                        stack[height] = 2 * w
                        height += 1
        separated[q] = not found
