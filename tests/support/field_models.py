"""Random discrete models for the tests of inference, small enough to enumerate."""

import numpy as np
from scipy.stats import chisquare

from treatise.inference import FactorGraph


def grid_edges(rows, columns):
    """Horizontal edges, then vertical ones, of a grid numbered row by row."""
    number = np.arange(rows * columns).reshape(rows, columns)
    across = np.column_stack([number[:, :-1].ravel(), number[:, 1:].ravel()])
    down = np.column_stack([number[:-1].ravel(), number[1:].ravel()])
    return np.vstack([across, down])


def random_tree_edges(generator, n):
    return np.array([[generator.integers(t), t] for t in range(1, n)]).reshape(-1, 2)


def random_edges(generator, n, density=0.5):
    pairs = np.array([(s, t) for s in range(n) for t in range(s + 1, n)])
    return pairs[generator.random(len(pairs)) < density].reshape(-1, 2)


def random_pairwise(generator, n=5, *, edges=None, strength=1.5, most_states=3, forbid=0.0):
    """Variables of two to ``most_states`` states on the given or random edges, each edge in a random direction."""
    n_states = generator.integers(2, most_states + 1, n)
    edges = random_edges(generator, n) if edges is None else edges
    factors = [((v,), generator.normal(size=k)) for v, k in enumerate(n_states)]
    for s, t in edges:
        s, t = (s, t) if generator.random() < 0.5 else (t, s)
        table = strength * generator.normal(size=(n_states[s], n_states[t]))
        if forbid:
            # The joint state of zeros stays possible.
            forbidden = generator.random(table.shape) < forbid
            forbidden[0, 0] = False
            table[forbidden] = -np.inf
        factors.append(((s, t), table))
    return FactorGraph(n_states, factors)


def random_model(generator, n=5, *, n_factors=5, largest=3, forbid=0.0):
    """Factors of none to ``largest`` variables, some of them over the same ones."""
    n_states = generator.integers(1, 4, n)
    factors = [((), generator.normal())]
    for _ in range(n_factors):
        variables = generator.permutation(n)[: generator.integers(1, largest + 1)]
        table = 1.5 * generator.normal(size=tuple(n_states[variables]))
        if forbid:
            forbidden = generator.random(table.shape) < forbid
            forbidden[(0,) * table.ndim] = False
            table[forbidden] = -np.inf
        factors.append((variables, table))
    return FactorGraph(n_states, factors)


def assert_same_probabilities(found, expected, atol):
    for kind in ("nodes", "factors"):
        for ours, theirs in zip(getattr(found, kind), getattr(expected, kind), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=atol)


def goodness_of_fit(graph, drawn):
    """The p value of a chi-square test of drawn assignments against the enumerated model; rare cells are pooled."""
    p = np.exp(graph.joint_scores() - graph.brute_force().log_partition).ravel()
    counts = np.bincount(np.ravel_multi_index(tuple(drawn.T), tuple(graph.n_states)), minlength=p.size)
    order = np.argsort(p)
    # Pool from the rarest on, until a cell expects ten.
    pooled = int(np.searchsorted(np.cumsum(p[order]) * len(drawn), 10)) + 1
    cells = np.concatenate([np.zeros(pooled, int), np.arange(1, p.size - pooled + 1)])
    observed = np.bincount(cells, counts[order])
    expected = np.bincount(cells, p[order]) * len(drawn)
    assert len(expected) > 5
    return chisquare(observed, expected).pvalue
