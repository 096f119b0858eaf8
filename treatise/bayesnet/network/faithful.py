"""Tables that make every dependence a graph draws real, and the check of it (Chickering et al., JMLR 5:1287)."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import isqrt, lcm
from typing import Any

import numpy as np

from treatise.bayesnet.network.dag import DAG
from treatise.bayesnet.network.information import departures, information_in
from treatise.bayesnet.network.relations import states_of

_ROUNDING = 1e-12
_MOST_STATES = 2**22


def faithful_cpts(dag, n_states=2, alpha=1 / 16):
    """Tables for any graph under which all it says is true and nothing else: its distribution is perfect.

    A variable is in state 0 with probability ``alpha ** (2 - 2 ** -m)`` where m of its parents are not in state 0; its
    other states share the rest evenly. Then two variables are independent given others if and only if the graph
    separates them. Use it to test learners of structure with an oracle or with exact probabilities. Sampled data show
    the weaker links only at enormous n: for finite samples take ``alpha`` near 0.5 and few parents.

    Parameters
    ----------
    dag : mapping, list, networkx.DiGraph or BayesianNetwork
        The graph.
    n_states : int, mapping or list, default=2
        Number of states of all variables, or of each.
    alpha : float, Fraction, mapping or list, default=1/16
        Probability of state 0 where all parents are in state 0, for all variables or for each. A Fraction gives exact
        tables of Fractions, where the root of it that m parents need is rational, as for ``Fraction(1, 16)`` and up
        to two parents, or ``Fraction(1, 2**16)`` and up to four.

    Returns
    -------
    cpts : dict of name to ndarray
        As :class:`BayesianNetwork` takes them.

    Examples
    --------
    >>> from treatise.bayesnet import BayesianNetwork, faithful_cpts
    >>> dag = {"x": (), "y": (), "z": ("x", "y")}
    >>> faithful_cpts(dag)["z"][..., 0]
    array([[0.0625   , 0.015625 ],
           [0.015625 , 0.0078125]])
    >>> network = BayesianNetwork(dag, faithful_cpts(dag))
    >>> network.mutual_information("x", "y"), network.mutual_information("x", "y", "z") > 0
    (0.0, True)

    References
    ----------
    .. [1] Paper v05-1287, Lemma 5 and Equation 3.
    """
    graph = DAG.of(dag)
    states = states_of(graph, n_states)
    alphas = _of_each(graph, alpha)
    return {name: _table(alphas[v], states, graph.parents[v], states[v]) for v, name in enumerate(graph.variables)}


def _of_each(graph, alpha):
    if hasattr(alpha, "keys"):
        alphas = [alpha[name] for name in graph.variables]
    elif np.ndim(alpha) == 1:
        alphas = list(alpha)
    else:
        alphas = [alpha] * len(graph)
    if len(alphas) != len(graph) or not all(0 < a < 1 for a in alphas):
        raise ValueError(f"alpha={alpha!r} must give every variable a probability between 0 and 1, both excluded")
    return alphas


def _table(alpha, states, parents, own):
    of_zero = [_power(alpha, m) for m in range(len(parents) + 1)]
    shape = [states[u] for u in parents]
    not_zero = np.zeros(shape, np.int64)
    for axis, k in enumerate(shape):
        not_zero += (np.arange(k) > 0).reshape([-1 if i == axis else 1 for i in range(len(shape))])
    exact = isinstance(alpha, Fraction)
    first = np.array(of_zero, dtype=object if exact else np.float64)[not_zero]
    rest = (1 - first) / (own - 1)
    return np.stack([first, *([rest] * (own - 1))], axis=-1)


def _power(alpha, m):
    """``alpha ** (2 - 2 ** -m)``, exactly for a Fraction: its square, over its root of order ``2 ** m``."""
    if not isinstance(alpha, Fraction):
        return float(alpha) ** (2.0 - 0.5**m)
    root = alpha
    for _ in range(m):
        top, bottom = isqrt(root.numerator), isqrt(root.denominator)
        if top * top != root.numerator or bottom * bottom != root.denominator:
            raise ValueError(f"alpha={alpha} has no rational root of order {2**m}, which {m} parents need; "
                             f"take Fraction(1, 2**{2**m}), or a float")  # fmt: skip
        root = Fraction(top, bottom)
    return alpha**2 / root


@dataclass(frozen=True)
class FaithfulnessCheck:
    """What a distribution makes of every separation and connection of a graph.

    Attributes
    ----------
    n_separated, n_connected : int
        Pairs of variables with a set of others, which the graph separates or connects.
    largest_separated : float
        Most information between variables that the graph separates; 0 up to rounding.
    smallest_connected : float
        Least information between variables that the graph connects.
    weakest : tuple or None
        The pair and the set with the least information of those connected.
    violations : list of (x, y, given)
        What the distribution contradicts: dependent though separated, or independent though connected.
    exact : bool
        Whether the verdicts were found in exact arithmetic.
    """

    n_separated: int
    n_connected: int
    largest_separated: float
    smallest_connected: float
    weakest: tuple | None
    violations: list
    exact: bool

    @property
    def perfect(self):
        """Whether the distribution is Markov and faithful to the graph."""
        return not self.violations


def check_faithful(network, cpts=None, *, max_given=None):
    """Compare every independence of a network's distribution with what its graph says.

    All pairs given all sets of others are tried on the joint table: for small networks, up to about 2**22 joint
    states and, for the pairs, ten variables. The verdict looks at how far probabilities depart from those of
    independence, relative to them, which floating point shows down to information of about 1e-25; with tables of
    Fractions it is exact.

    Parameters
    ----------
    network : BayesianNetwork, or graph
        The network, or a graph for ``cpts``.
    cpts : mapping or None, default=None
        Tables, such as exact ones of :func:`faithful_cpts`; None takes those of the network.
    max_given : int or None, default=None
        Most variables in the given set.

    Returns
    -------
    check : FaithfulnessCheck

    Examples
    --------
    >>> from treatise.bayesnet import BayesianNetwork, check_faithful, faithful_cpts
    >>> dag = {"x": (), "y": ("x",), "z": ("y",)}
    >>> check_faithful(BayesianNetwork(dag, faithful_cpts(dag))).perfect
    True
    >>> exclusive_or = [[[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.9, 0.1]]]
    >>> coin = ((), [0.5, 0.5])
    >>> coins = BayesianNetwork.from_tables({"x": coin, "y": coin, "z": (("x", "y"), exclusive_or)})
    >>> check_faithful(coins).violations
    [('x', 'z', ()), ('y', 'z', ())]
    """
    graph = DAG.of(network)
    tables = [np.asarray((network.cpts if cpts is None else cpts)[name]) for name in graph.variables]
    exact = any(table.dtype == object for table in tables)
    joint = _joint(graph, [_integers(table) for table in tables] if exact else tables)
    n = len(graph)
    separated = connected = 0
    largest, smallest, weakest, violations = 0.0, np.inf, None, []
    for x, y in combinations(range(n), 2):
        others = [v for v in range(n) if v not in (x, y)]
        for size in range(min(len(others), n if max_given is None else max_given) + 1):
            for given in combinations(others, size):
                table = _marginal(joint, (x, y, *given))
                independent, information = _exact_verdict(table) if exact else _rounded_verdict(table)
                told = (graph.variables[x], graph.variables[y], tuple(graph.variables[v] for v in given))
                if graph.separated([x], [y], given):
                    separated += 1
                    largest = max(largest, information)
                    if not independent:
                        violations.append(told)
                else:
                    connected += 1
                    if information < smallest:
                        smallest, weakest = information, told
                    if independent:
                        violations.append(told)
    return FaithfulnessCheck(separated, connected, largest, smallest, weakest, violations, exact)


def _integers(table: np.ndarray) -> np.ndarray:
    """A table of Fractions times their common denominator: independence does not depend on scale."""
    fractions = [Fraction(value) for value in table.ravel()]
    scale = lcm(*(fraction.denominator for fraction in fractions))
    whole = np.empty(len(fractions), dtype=object)
    whole[:] = [int(fraction * scale) for fraction in fractions]
    return whole.reshape(table.shape)


def _joint(graph: DAG, tables: list[np.ndarray]) -> np.ndarray:
    shape = [table.shape[-1] for table in tables]
    size = 1
    for k in shape:
        size *= k
    if size > _MOST_STATES:
        raise ValueError(f"the network has {size:.3g} joint states; the check stops at {_MOST_STATES}")
    joint: Any = 1
    for v, table in enumerate(tables):
        family = (*graph.parents[v], v)
        order = np.argsort(family)
        joint = joint * table.transpose(order).reshape([shape[u] if u in family else 1 for u in range(len(shape))])
    return joint


def _marginal(joint: np.ndarray, wanted: tuple[int, ...]) -> np.ndarray:
    """Sum down to two variables and, flattened, those given."""
    kept = sorted(wanted)
    table = joint.sum(axis=tuple(v for v in range(joint.ndim) if v not in wanted))
    table = table.transpose([kept.index(v) for v in wanted])
    return table.reshape(*table.shape[:2], -1)


def _rounded_verdict(table: np.ndarray) -> tuple[bool, float]:
    _, departure = departures(table)
    return bool(np.abs(departure).max() <= _ROUNDING), information_in(table)


def _exact_verdict(table: np.ndarray) -> tuple[bool, float]:
    of_x, of_y = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    same = bool(np.all(table * table.sum(axis=(0, 1)) == of_x * of_y))
    total = int(table.sum())
    probabilities = np.array([int(value) / total for value in table.ravel()]).reshape(table.shape)
    return same, information_in(probabilities)
