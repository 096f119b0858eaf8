"""Quality functions of graph clusterings against the paper's examples, networkx and their limits."""

import networkx
import numpy as np
import pytest
from scipy import sparse

from treatise.network import cluster_terms, graph_quality

FUNCTIONS = ["adaptive", "modularity", "fixed", "rb", "cpm", "ncut", "cut"]
TWO_LOOPS = np.array([[2.0, 1.0], [1.0, 2.0]])


def random_graph(seed, n=12):
    rng = np.random.default_rng(seed)
    E = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.4))
    return E + np.triu(E, 1).T, rng.integers(0, 4, n)


def test_locality_example_of_theorem_2():
    with_c = np.zeros((3, 3))
    with_c[:2, :2], with_c[2, 2] = TWO_LOOPS, 4.0
    # Exact fractions: only the last digit may differ.
    assert graph_quality(TWO_LOOPS, [0, 1], "modularity") == pytest.approx(1 / 6, abs=1e-12)
    assert graph_quality(TWO_LOOPS, [0, 0], "modularity") == pytest.approx(0.0, abs=1e-12)
    assert graph_quality(with_c, [0, 1, 2], "modularity") == pytest.approx(23 / 50, abs=1e-12)
    assert graph_quality(with_c, [0, 0, 1], "modularity") == pytest.approx(24 / 50, abs=1e-12)


def test_monotonicity_example_of_theorem_3():
    E = np.zeros((3, 3))
    E[0, 1] = E[1, 0] = 1.0
    E[2, 2] = 2.0
    assert graph_quality(E, [0, 1, 2], "modularity") == pytest.approx(1 / 8, abs=1e-12)
    E[0, 1] = E[1, 0] = 0.0
    assert graph_quality(E, [0, 1, 2], "modularity") == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("weight", "first", "second"), [(1.0, 20 / 121, 16 / 121), (2.0, 24 / 169, 28 / 169)])
def test_relative_monotonicity_example_of_theorem_4(weight, first, second):
    E = np.diag([0.0, 0.0, 8.0, 1.0])
    E[0, 1] = E[1, 0] = weight
    assert graph_quality(E, [0, 0, 0, 1], "modularity") == pytest.approx(first, abs=1e-12)
    assert graph_quality(E, [0, 1, 2, 2], "modularity") == pytest.approx(second, abs=1e-12)


@pytest.mark.parametrize(
    ("M", "gamma", "apart", "together"),
    [(0, 2, 1 / 6, 0.25), (1, 2, 10 / 49, 42 / 169), (10, 2, 23 / 128, 24 / 121), (10, 0, 0.22, 0.24)],
)
def test_adaptive_values_by_hand(M, gamma, apart, together):
    assert graph_quality(TWO_LOOPS, [0, 1], M=M, gamma=gamma) == pytest.approx(apart, abs=1e-12)
    assert graph_quality(TWO_LOOPS, [0, 0], M=M, gamma=gamma) == pytest.approx(together, abs=1e-12)


@pytest.mark.parametrize("resolution", [1.0, 2.0])
@pytest.mark.parametrize("seed", range(5))
def test_modularity_equals_networkx_with_weights_and_loops(seed, resolution):
    E, labels = random_graph(seed)
    graph = networkx.from_numpy_array(E)
    groups = [set(np.flatnonzero(labels == c).tolist()) for c in np.unique(labels)]
    theirs = networkx.community.modularity(graph, groups, resolution=resolution)
    assert graph_quality(graph, labels, "modularity", resolution=resolution) == pytest.approx(theirs, abs=1e-12)


def test_karate_club_values():
    club = networkx.karate_club_graph()
    labels = [club.nodes[i]["club"] for i in club]
    A = networkx.to_scipy_sparse_array(club, weight=None)
    # Six digits are known.
    assert graph_quality(A, labels, "modularity") == pytest.approx(0.358235, abs=5e-7)
    assert graph_quality(A, labels) == pytest.approx(0.358765, abs=5e-7)
    assert graph_quality(A, labels, M=50) == pytest.approx(0.363582, abs=5e-7)


@pytest.mark.parametrize("seed", range(5))
def test_limits_of_the_adaptive_scale(seed):
    E, labels = random_graph(seed)
    total, terms = E.sum(), cluster_terms(E, labels)
    inside, volume = terms.inner, terms.volume
    gamma = 2.5
    zero = np.sum(inside / volume - 1 / gamma) / gamma
    assert graph_quality(E, labels, M=0, gamma=gamma) == pytest.approx(zero, rel=1e-12)
    # The first neglected term is the volume over M.
    assert 1e12 * graph_quality(E, labels, M=1e12, gamma=gamma) == pytest.approx(inside.sum(), rel=1e-9)
    modularity = graph_quality(E, labels, "modularity")
    assert graph_quality(E, labels, M=total, gamma=0) == pytest.approx(modularity, abs=1e-12)
    fixed = graph_quality(E, labels, "fixed", M=total / 1.5)
    assert graph_quality(E, labels, "rb", resolution=1.5) == pytest.approx(total / 1.5 * fixed, rel=1e-12)
    assert graph_quality(E, labels, "ncut") == pytest.approx(graph_quality(E, labels, M=0, gamma=1), abs=1e-12)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_terms_sum_to_the_quality_and_equal_their_definition(function):
    E, labels = random_graph(3)
    total, M, gamma, res = E.sum(), 2.0, 3.0, 0.7
    terms = cluster_terms(E, labels, function, M=M, gamma=gamma, resolution=res)
    for c, w, v, n, term in zip(np.unique(labels), *terms):
        inside = labels == c
        assert w == pytest.approx(E[np.ix_(inside, inside)].sum())
        assert v == pytest.approx(E[inside].sum())
        assert n == inside.sum()
        expected = {
            "adaptive": w / (M + gamma * v) - (v / (M + gamma * v)) ** 2,
            "modularity": w / total - res * (v / total) ** 2,
            "fixed": w / M - (v / M) ** 2,
            "rb": w - res * v**2 / total,
            "cpm": w - res * n**2,
            "ncut": w / v - 1,
            "cut": w,
        }[function]
        assert term == pytest.approx(expected, rel=1e-12)
    quality = graph_quality(E, labels, function, M=M, gamma=gamma, resolution=res)
    assert terms.term.sum() == pytest.approx(quality, rel=1e-12)


def test_the_derivatives_of_the_appendix_hold():
    """dq/dw and dq/db of one cluster's term (with the factor two that the appendix misses)."""
    M, g, w, b, step = 3.0, 2.0, 4.0, 1.5, 1e-6

    def q(w, b):
        E = np.array([[w, b], [b, 0.0]])
        return cluster_terms(E, [0, 1], M=M, gamma=g).term[0]

    v, S = w + b, M + g * (w + b)
    dw = (M**2 + (g - 2) * M * v + g * b * S) / S**3
    db = -(g * w * M + v * (2 * M + g**2 * w)) / S**3
    # Central differences carry about half of the digits.
    assert (q(w + step, b) - q(w - step, b)) / (2 * step) == pytest.approx(dw, rel=1e-6)
    assert (q(w, b + step) - q(w, b - step)) / (2 * step) == pytest.approx(db, rel=1e-6)


def test_components_are_told_from_any_other_clustering():
    E = np.kron(np.eye(2), np.ones((2, 2)))
    assert graph_quality(E, ["a", "a", "b", "b"], "components") == 1.0
    for labels in ([0, 0, 0, 0], [0, 1, 2, 2], [0, 1, 0, 1]):
        assert graph_quality(E, labels, "components") == 0.0


def test_nodes_without_edges_add_nothing():
    E = np.zeros((4, 4))
    E[0, 1] = E[1, 0] = 1.0
    for M in (0.0, 1.0):
        assert graph_quality(E, [0, 0, 1, 2], M=M) == graph_quality(E[:2, :2], [0, 0], M=M)
    assert graph_quality(np.zeros((3, 3)), [0, 1, 2], "modularity") == 0.0


def test_sparse_layouts_and_names_give_the_same():
    E, labels = random_graph(7)
    expected = graph_quality(E, labels)
    for layout in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        assert graph_quality(layout(E), labels) == pytest.approx(expected, abs=1e-15)
    assert graph_quality(E, [f"group {c}" for c in labels]) == expected


@pytest.mark.parametrize(
    ("graph", "labels", "message"),
    [
        ([[0, -1], [-1, 0]], [0, 1], "negative weight"),
        ([[0, 1], [2, 0]], [0, 1], "not symmetric"),
        ([[0, 1], [1, 0]], [0, 1, 2], "needs one for each"),
        ([[0, 1, 2]], [0], "square matrix"),
        ([[np.nan, 1], [1, 0]], [0, 1], "NaN or infinite"),
        (np.zeros((0, 0)), [], "no nodes"),
        (networkx.DiGraph([(0, 1)]), [0, 1], "directed"),
    ],
)
def test_bad_graphs_are_refused(graph, labels, message):
    with pytest.raises(ValueError, match=message):
        graph_quality(graph, labels)


def test_scales_that_say_nothing_are_refused():
    with pytest.raises(ValueError, match="positive M"):
        graph_quality(TWO_LOOPS, [0, 1], "fixed")
    with pytest.raises(ValueError, match="make one of them positive"):
        graph_quality(TWO_LOOPS, [0, 1], M=0, gamma=0)
