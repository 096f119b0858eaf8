"""Sums over projective trees, shares and heaviest trees against every tree written out."""

import numpy as np
import pytest
from every_tree import choices, projective_trees

from treatise.inference import ProjectiveTrees
from treatise.inference.projective_trees import _sum_loops


def written_out(arcs, roots, stops):
    """Log-partition, shares of arcs, roots and stops, and the heaviest tree."""
    n, _, V = arcs.shape
    trees = list(projective_trees(n))
    made = [choices(heads, V) for heads in trees]
    joined = [sum(arcs[a] for a in of_arcs) + sum(stops[s] for s in of_stops) for of_arcs, of_stops in made]
    logs = np.array([roots[heads.index(-1)] + weight for heads, weight in zip(trees, joined)])
    total = np.logaddexp.reduce(logs)
    of_arcs, of_roots, of_stops = np.zeros(arcs.shape), np.zeros(n), np.zeros(stops.shape)
    for heads, share in zip(trees, np.exp(logs - total)):
        of_roots[heads.index(-1)] += share
        for a in choices(heads, V)[0]:
            of_arcs[a] += share
        for s in choices(heads, V)[1]:
            of_stops[s] += share
    return total, of_arcs, of_roots, of_stops, trees[int(logs.argmax())]


def test_trees_are_as_many_as_are_known():
    found = [np.exp(ProjectiveTrees(np.zeros((n, n))).marginals().log_partition) for n in range(1, 7)]
    np.testing.assert_allclose(found, [1, 2, 7, 30, 143, 728], rtol=1e-12)
    assert [sum(1 for _ in projective_trees(n)) for n in range(1, 6)] == [1, 2, 7, 30, 143]


# Weights some e^700 apart leave the range of plain factors.
@pytest.mark.parametrize("spread", [1.0, 300.0])
@pytest.mark.parametrize("V", [1, 3])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_sums_shares_and_best_equal_all_trees_written_out(n, V, spread):
    rng = np.random.default_rng(10 * n + V)
    arcs, roots, stops = (spread * rng.normal(size=shape) for shape in ((n, n, V), (n,), (n, 2, V)))
    trees = ProjectiveTrees(arcs, roots, stops)
    total, of_arcs, of_roots, of_stops, best = written_out(arcs, roots, stops)
    found = trees.marginals()
    np.testing.assert_allclose(found.log_partition, total, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.arcs, of_arcs, atol=1e-10)
    np.testing.assert_allclose(found.stops, of_stops, atol=1e-10)
    np.testing.assert_allclose(found.heads[:, -1], of_roots, atol=1e-10)
    np.testing.assert_allclose(found.heads[:, :-1], of_arcs.sum(axis=2).T, atol=1e-10)
    assert tuple(trees.best_heads()) == best


def test_factors_and_logarithms_agree_on_a_long_sentence():
    rng = np.random.default_rng(0)
    n, V = 30, 2
    weights = [rng.normal(size=shape) for shape in ((n,), (n, n, V), (n, 2, V))]

    def shares():
        filled = np.empty(n), np.empty((n, n, V)), np.empty((n, 2, V))
        return _sum_loops.tree_shares(*weights, *filled), filled

    total, by_factors = shares()
    # A word that may hardly be attached at all lowers every tree alike; the factors divide it away.
    weights[0][3] -= 2000.0
    weights[1][:, 3] -= 2000.0
    lowered, the_same = shares()
    np.testing.assert_allclose(lowered, total - 2000.0, rtol=1e-12)
    np.testing.assert_allclose(the_same[1], by_factors[1], atol=1e-10)
    charts = np.empty((4, V, n, n))
    in_logs = _sum_loops.log_inside(weights[0], weights[1], weights[2], *charts)
    np.testing.assert_allclose(in_logs, lowered, rtol=1e-12)
    filled = np.empty(n), np.empty((n, n, V)), np.empty((n, 2, V))
    _sum_loops.log_outside(in_logs, weights[0], weights[1], *charts, *np.empty((4, V, n, n)), *filled)
    for mine, theirs in zip(filled, the_same):
        np.testing.assert_allclose(mine, theirs, atol=1e-10)


def test_every_word_has_one_head_and_two_ends_in_a_sentence_too_long_for_factors():
    n = 90
    found = ProjectiveTrees(np.random.default_rng(1).normal(size=(n, n, 2))).marginals()
    np.testing.assert_allclose(found.heads.sum(axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(found.stops.sum(axis=2), 1.0, atol=1e-9)


def test_forbidden_arcs_are_in_no_tree_and_none_at_all_is_said():
    arcs = np.zeros((3, 3))
    arcs[0] = -np.inf
    found = ProjectiveTrees(arcs).marginals()
    assert not found.heads[:, 0].any()
    with pytest.raises(ValueError, match="allow no tree"):
        ProjectiveTrees(np.full((3, 3), -np.inf)).marginals()
    with pytest.raises(ValueError, match="allow no tree"):
        ProjectiveTrees(np.full((3, 3), -np.inf)).best_heads()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((np.zeros((0, 0)),), "at least one"),
        ((np.zeros((2, 3)),), r"shape \(2, 3\)"),
        ((np.zeros((2, 2)), np.zeros(3)), r"log_roots has the shape \(3,\)"),
        ((np.zeros((2, 2)), None, np.zeros((2, 2))), "log_stops has the shape"),
        ((np.full((2, 2), np.nan),), "log_arcs holds NaN"),
        ((np.zeros((2, 2)), [np.inf, 0.0]), "log_roots holds NaN or infinity"),
    ],
)
def test_weights_that_are_none_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        ProjectiveTrees(*given)
