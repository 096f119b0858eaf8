"""Search for small graphs on which a quality function breaks an axiom (van Laarhoven & Marchiori, JMLR 15:193)."""

from collections.abc import Callable
from numbers import Integral
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, validate_params

from treatise.network.communities.quality import FUNCTIONS, components_quality, quality_form

# Differences below this share of the values are rounding, not a change of order.
ROUNDING = 1e-9


class Counterexample(NamedTuple):
    """Where a quality function breaks an axiom."""

    axiom: str
    """Its name."""
    graphs: tuple[np.ndarray, ...]
    """One weight matrix, or two."""
    clusterings: tuple[np.ndarray, ...]
    """Labels of the nodes, one or two for each graph."""
    values: tuple[float, ...]
    """Qualities, in the order of the sentence."""
    sentence: str
    """What is wrong, in words."""


def dense_quality(function, **parameters):
    """A quality function of a small dense graph without the checks of :func:`graph_quality`, for many calls."""
    if function == "components":
        return lambda E, labels: components_quality(sparse.csr_array(E), np.unique(labels, return_inverse=True)[1])

    def quality(E, labels):
        member = labels[:, np.newaxis] == np.unique(labels)
        form = quality_form(function, float(E.sum()), **parameters)
        w, v, n = ((E @ member) * member).sum(axis=0), E.sum(axis=1) @ member, member.sum(axis=0)
        S = form[0] + form[1] * v
        S = np.where(S > 0, S, np.inf)
        return float((w / S - form[2] * (v / S) ** 2 - form[3] * n**2).sum())

    return quality


@validate_params(
    {
        "quality": [callable, str],
        "axioms": [str, list, tuple],
        "n_trials": [Interval(Integral, 1, None, closed="left")],
        "max_nodes": [Interval(Integral, 2, 8, closed="both")],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def check_axioms(quality, axioms="all", *, n_trials=1000, max_nodes=6, random_state=0, **parameters):
    """Try to break the axioms for quality functions of graph clusterings, on small random graphs.

    A counterexample is one; finding none proves nothing, but a few thousand trials find those of all functions in
    the paper. The axiom of richness asks for a graph that makes a clustering the only optimum: there, graphs of
    separate cliques of several weights are tried, and the counterexample is a clustering that none of them makes
    optimal. Nodes without an edge are not tried: a scale that is a cluster's volume is not defined there.

    Parameters
    ----------
    quality : str or callable
        A name that :func:`graph_quality` knows, or ``quality(E, labels)`` of a symmetric ndarray of weights and an
        ndarray of cluster numbers.
    axioms : str or list of str, default="all"
        "all" is "permutation invariance", "scale invariance", "richness", "monotonicity", "locality" and "continuity"
        (definitions 1 to 9); by name also "relative monotonicity" (definition 10).
    n_trials : int, default=1000
        Trials of each axiom.
    max_nodes : int, default=6
        Largest graph.
    random_state : int, RandomState instance or None, default=0
        Draws graphs and clusterings.
    **parameters
        M, gamma and resolution for a quality function by name.

    Returns
    -------
    found : dict
        For each axiom a :class:`Counterexample`, or None.

    References
    ----------
    .. [1] Paper v15-0193, definitions 1 to 10 and Table 1.

    Examples
    --------
    >>> from treatise.network import check_axioms
    >>> found = check_axioms("modularity", n_trials=200)
    >>> [axiom for axiom, example in found.items() if example]
    ['monotonicity', 'locality']
    >>> any(check_axioms("adaptive", n_trials=200, M=1.0, gamma=2.0)[axiom] for axiom in ("monotonicity", "locality"))
    False
    """
    if isinstance(quality, str):
        if quality not in (*FUNCTIONS, "components"):
            raise ValueError(f"no quality function is called {quality!r}; there are {', '.join(FUNCTIONS)}, components")
        quality = dense_quality(quality, **parameters)
    elif parameters:
        raise TypeError(f"parameters {sorted(parameters)} are for quality functions by name")
    names = SIX if axioms == "all" else [axioms] if isinstance(axioms, str) else list(axioms)
    for name in names:
        if name not in AXIOMS:
            raise ValueError(f"no axiom is called {name!r}; there are {', '.join(AXIOMS)}")
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    found = {}
    for name in names:
        trials = (AXIOMS[name](quality, rng, max_nodes) for _ in range(n_trials))
        found[name] = next((example for example in trials if example is not None), None)
    return found


# The draws.


def _graph(rng, n):
    """Whole weights, loops among them, some heavy, and no node without an edge."""
    E = np.triu(rng.integers(0, 4, (n, n)) * (rng.random((n, n)) < rng.uniform(0.1, 0.9))).astype(np.float64)
    E[np.diag_indices(n)] *= rng.integers(1, 5, n)
    E = E + np.triu(E, 1).T
    alone = E.sum(axis=1) == 0
    E[alone, alone] = 1.0
    return E


def _clustering(rng, n):
    return rng.integers(0, rng.integers(1, n + 1), n)


def _symmetric(rng, n, most):
    change = np.triu(rng.integers(0, most + 1, (n, n)) * (rng.random((n, n)) < 0.4)).astype(np.float64)
    return change + np.triu(change, 1).T


def _falls(before, after, quality, E):
    """Whether the quality of clusterings of a graph falls by more than rounding."""
    return after < before and after < before - ROUNDING * (abs(before) + abs(after) + _size(quality, E))


def _size(quality, E):
    """How large the terms of a quality are, by clusterings of single nodes and a pair: where they cancel, what is left
    is rounding."""
    nodes = np.arange(len(E))
    return max(abs(quality(E, np.where(nodes == i, j, nodes))) for i in nodes for j in nodes[: i + 1])


def _without_lonely_nodes(E):
    return bool((E.sum(axis=1) > 0).all())


# The axioms. Each makes one trial, and returns a counterexample or None.


def _permutation_invariance(quality, rng, most):
    n = int(rng.integers(2, most + 1))
    E, C, order = _graph(rng, n), _clustering(rng, n), rng.permutation(n)
    values = quality(E, C), quality(E[np.ix_(order, order)], C[order])
    if not (_falls(*values, quality, E) or _falls(*values[::-1], quality, E)):
        return None
    sentence = "the same graph and clustering with the nodes in another order have another quality"
    return Counterexample("permutation invariance", (E, E[np.ix_(order, order)]), (C, C[order]), values, sentence)


def _scale_invariance(quality, rng, most):
    n = int(rng.integers(2, most + 1))
    E, C, D, factor = _graph(rng, n), _clustering(rng, n), _clustering(rng, n), float(10 ** rng.uniform(-2, 2))
    values = quality(E, C), quality(E, D), quality(factor * E, C), quality(factor * E, D)
    if not (_falls(values[1], values[0], quality, E) and _falls(values[2], values[3], quality, factor * E)):
        return None
    sentence = (
        f"the first clustering is worse than the second, but better when all weights are {factor:g} times as large"
    )
    return Counterexample("scale invariance", (E, factor * E), (C, D), values, sentence)


def _richness(quality, rng, most):
    n = int(rng.integers(2, min(most, 5) + 1))
    C = _clustering(rng, n)
    if len(np.unique(C)) == 1:
        return None
    same = C[:, np.newaxis] == C
    rivals = [D for D in partitions(n) if not np.array_equal(D[:, np.newaxis] == D, same)]
    for weight in 10.0 ** np.arange(-3, 7):
        E = weight * same
        value = quality(E, C)
        if _falls(value, max(quality(E, D) for D in rivals), quality, E):
            return None
    sentence = "no graph of separate cliques, at any weight tried, makes this clustering the only optimum"
    return Counterexample("richness", (same.astype(np.float64),), (C,), (value,), sentence)


def _monotonicity(quality, rng, most):
    n = int(rng.integers(1, most + 1))
    E, C = _graph(rng, n), _clustering(rng, n)
    same = C[:, np.newaxis] == C
    improved = np.where(same, E + _symmetric(rng, n, 3), np.maximum(E - _symmetric(rng, n, 3), 0.0))
    if not _without_lonely_nodes(improved):
        return None
    values = quality(E, C), quality(improved, C)
    if not _falls(*values, quality, improved):
        return None
    sentence = "edges inside the clusters got stronger, edges between them weaker, and the quality fell"
    return Counterexample("monotonicity", (E, improved), (C,), values, sentence)


def _locality(quality, rng, most):
    n, more = int(rng.integers(2, most + 1)), int(rng.integers(0, 3))
    kept = int(rng.integers(1, n + 1))  # the set V_a is the first nodes
    E = _graph(rng, n)
    other = np.zeros((n + more, n + more))
    other[:n, :n] = E
    other[kept:, kept:] = _graph(rng, n + more - kept) if n + more > kept else 0.0
    C_rest, D_rest = kept + _clustering_of(rng, n - kept), kept + _clustering_of(rng, n + more - kept)
    C, D = _clustering(rng, kept), _clustering(rng, kept)
    pairs = [np.concatenate([inner, rest]) for rest in (C_rest, D_rest) for inner in (C, D)]
    values = quality(E, pairs[0]), quality(E, pairs[1]), quality(other, pairs[2]), quality(other, pairs[3])
    if not (_falls(*values[:2], quality, E) and _falls(*values[:1:-1], quality, other)):
        return None
    sentence = (
        f"of the first {kept} nodes one clustering is better than another, and worse in a graph with the same edges at "
        "these nodes"
    )
    return Counterexample("locality", (E, other), tuple(pairs), values, sentence)


def _clustering_of(rng, n):
    return _clustering(rng, n) if n else np.empty(0, np.int64)


def _continuity(quality, rng, most):
    n = int(rng.integers(2, most + 1))
    E, C = _graph(rng, n), _clustering(rng, n)
    change = _symmetric(rng, n, 1)
    tiny = E + 1e-9 * change
    values = quality(E, C), quality(tiny, C)
    if abs(values[1] - values[0]) <= 1e-4 * (1.0 + abs(values[0])):
        return None
    sentence = "weights that grew by a billionth changed the quality by a leap"
    return Counterexample("continuity", (E, tiny), (C,), values, sentence)


def _relative_monotonicity(quality, rng, most):
    n = int(rng.integers(2, most + 1))
    E = _graph(rng, n)
    # Of a dozen clusterings two whose qualities are close, the better one first: a small change may turn them.
    ranked = sorted(((quality(E, C), C) for C in (_clustering(rng, n) for _ in range(12))), key=lambda pair: -pair[0])
    close = min(range(11), key=lambda i: ranked[i][0] - ranked[i + 1][0] or np.inf)
    C, D = ranked[close][1], ranked[close + 1][1]
    in_C, in_D = C[:, np.newaxis] == C, D[:, np.newaxis] == D
    stronger, weaker = in_C & ~in_D, in_D & ~in_C
    changed = np.where(stronger, E + _symmetric(rng, n, 3), E)
    changed = np.where(weaker, np.maximum(E - _symmetric(rng, n, 3), 0.0), changed)
    if not _without_lonely_nodes(changed):
        return None
    values = quality(E, C), quality(E, D), quality(changed, C), quality(changed, D)
    if not (_falls(*values[:2], quality, E) and _falls(*values[:1:-1], quality, changed)):
        return None
    sentence = "the change favours the first clustering over the second, which was worse and is now better"
    return Counterexample("relative monotonicity", (E, changed), (C, D), values, sentence)


AXIOMS: dict[str, Callable] = {
    "permutation invariance": _permutation_invariance,
    "scale invariance": _scale_invariance,
    "richness": _richness,
    "monotonicity": _monotonicity,
    "locality": _locality,
    "continuity": _continuity,
    "relative monotonicity": _relative_monotonicity,
}
SIX = list(AXIOMS)[:6]


def partitions(n):
    """All partitions of n nodes, as labels (restricted growth strings); Bell's number of them.

    Parameters
    ----------
    n : int
        Nodes, at most about ten.

    Yields
    ------
    labels : ndarray of int of shape (n,)
    """
    labels, largest = np.zeros(n, np.int64), np.zeros(n, np.int64)
    while True:
        yield labels.copy()
        i = n - 1
        while i > 0 and labels[i] > largest[i - 1]:
            i -= 1
        if i <= 0:
            return
        labels[i] += 1
        largest[i] = max(largest[i - 1], labels[i])
        labels[i + 1 :] = 0
        largest[i + 1 :] = largest[i]
