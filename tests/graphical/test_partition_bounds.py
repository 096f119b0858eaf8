"""Bounds on log Z by preconditioners, determinants and messages, on hundreds of enumerated models."""

import numpy as np
import pytest
from field_models import grid_edges, random_edges, random_pairwise, random_tree_edges

from treatise.graphical import (
    log_det_bound,
    log_partition_bounds,
    plot_partition_bounds,
    preconditioner_log_partition,
)
from treatise.inference import FactorGraph

ROUNDING = 1e-8
"""Of eigenvalues and sums in double precision."""


def repulsive_grid(seed, coupling=1.0, field=0.0):
    generator = np.random.default_rng(seed)
    edges = grid_edges(3, 3)
    fields = -field * generator.random(9)
    return FactorGraph.ising(fields, edges, generator.uniform(-2 * coupling, 0, len(edges)))


@pytest.mark.parametrize("kind", ["spanning_tree", "support_tree"])
def test_preconditioner_bounds_hold_on_a_hundred_grids(kind):
    for seed in range(100):
        graph = repulsive_grid(seed, coupling=(0.1, 0.5, 2.0)[seed % 3], field=(0.0, 0.7)[seed % 2])
        exact = graph.brute_force().log_partition
        bounds = preconditioner_log_partition(graph, kind=kind)
        assert bounds.lower <= exact + ROUNDING and exact <= bounds.upper + ROUNDING
        if kind == "spanning_tree":
            # A subgraph supports no more than the graph; a leaf of the tree alone attains the ratio one.
            assert bounds.eigenvalues[0] >= 1 - 1e-9


def test_preconditioner_bounds_hold_on_other_graphs_with_flips_and_loose_ends():
    checked = 0
    for seed in range(60):
        generator = np.random.default_rng(seed)
        n = int(generator.integers(2, 8))
        edges = random_edges(generator, n, 0.4)
        flips = generator.choice([-1, 1], n)
        couplings = -generator.uniform(0, 1, len(edges)) * flips[edges[:, 0]] * flips[edges[:, 1]]
        graph = FactorGraph.ising(np.zeros(n), edges, couplings)
        exact = graph.brute_force().log_partition
        for kind in ("spanning_tree", "support_tree"):
            bounds = preconditioner_log_partition(graph, kind=kind)
            assert bounds.lower <= exact + ROUNDING and exact <= bounds.upper + ROUNDING
        checked += len(edges) > n - 1
    assert checked >= 10


def test_the_spanning_tree_of_a_tree_is_exact():
    for seed in range(10):
        generator = np.random.default_rng(seed)
        graph = FactorGraph.ising(np.zeros(7), random_tree_edges(generator, 7), generator.normal(size=6))
        bounds = preconditioner_log_partition(graph)
        assert bounds.lower == pytest.approx(bounds.upper, abs=1e-7)
        assert bounds.lower == pytest.approx(graph.brute_force().log_partition, abs=1e-7)


def test_the_thesis_grid_has_the_known_eigenvalues_and_bounds():
    theta = np.random.default_rng(0).uniform(-1, 0, 12)
    graph = FactorGraph.ising(np.zeros(9), grid_edges(3, 3), theta)
    bounds = preconditioner_log_partition(graph)
    # Quoted for the Laplacian's energy, which lacks the constant sum of theta.
    shift = -theta.sum()
    assert bounds.eigenvalues == pytest.approx((1.0, 4.796), abs=5e-4)
    assert bounds.lower + shift == pytest.approx(12.8410, abs=5e-5)
    assert graph.brute_force().log_partition + shift == pytest.approx(13.8384, abs=5e-5)
    assert bounds.upper + shift == pytest.approx(47.95, abs=5e-3)


def test_the_spanning_tree_is_better_below_and_the_support_tree_above():
    # What section 3.4 finds on average over random grids.
    found = [
        [preconditioner_log_partition(repulsive_grid(seed), kind=kind) for kind in ("spanning_tree", "support_tree")]
        for seed in range(20)
    ]
    assert np.mean([spanning.lower for spanning, _ in found]) > np.mean([support.lower for _, support in found])
    assert np.mean([spanning.upper for spanning, _ in found]) > np.mean([support.upper for _, support in found])


def test_log_det_bounds_hold_on_every_model():
    for seed in range(30):
        generator = np.random.default_rng(seed)
        graph = random_pairwise(generator, int(generator.integers(1, 7)), strength=(0.2, 1.0, 3.0)[seed % 3],
                                most_states=2)  # fmt: skip
        found, exact = log_det_bound(graph), graph.brute_force()
        assert found.log_partition >= exact.log_partition - 1e-6
        assert np.all((found.nodes >= -1e-6) & (found.nodes <= 1 + 1e-6))


def test_one_free_variable_has_the_gaussian_bound_in_closed_form():
    # max over mu of 1/2 log det [[1, mu], [mu, mu + 1/12]], attained at 1/2: the determinant is 1/4 + 1/12.
    found = log_det_bound(FactorGraph([2]))
    assert found.log_partition == pytest.approx(0.5 * np.log(1 / 3) + 0.5 * np.log(2 * np.pi * np.e), abs=1e-6)
    assert found.nodes[0] == pytest.approx(0.5, abs=1e-4)


def test_every_pair_of_methods_gives_an_interval_that_holds():
    for seed in range(5):
        graph = repulsive_grid(seed, field=0.5)
        exact = graph.brute_force().log_partition
        for lower in ("mean_field", "structured", "spanning_tree", "support_tree", "exact"):
            bounds = log_partition_bounds(graph, lower=lower)
            assert bounds.lower <= exact + ROUNDING <= bounds.upper + 2 * ROUNDING
        for upper in ("tree_reweighted", "optimized_trees", "log_det", "spanning_tree", "support_tree", "exact"):
            assert log_partition_bounds(graph, upper=upper).upper >= exact - 1e-6


def test_trees_are_exact_by_default():
    generator = np.random.default_rng(0)
    graph = random_pairwise(generator, 7, edges=random_tree_edges(generator, 7))
    bounds, exact = log_partition_bounds(graph), graph.brute_force().log_partition
    assert (bounds.lower, bounds.upper) == pytest.approx((exact, exact), abs=1e-9)


def test_the_picture_shows_each_bound_on_its_side():
    graphs = [repulsive_grid(0, coupling=c) for c in (0.1, 0.5, 1.0)]
    ax = plot_partition_bounds(graphs, [0.1, 0.5, 1.0], upper=("tree_reweighted", "support_tree"), relative=True)
    lines = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
    assert np.all(lines["tree-reweighted"] >= -1e-9) and np.all(lines["support tree"] >= -1e-9)
    assert np.all(lines["mean field"] <= 1e-9) and np.all(lines["exact"] == 0)
    with pytest.raises(ValueError, match="exact=True"):
        plot_partition_bounds(graphs, relative=True, exact=False)


def test_what_they_cannot_do_is_an_error():
    frustrated = FactorGraph.ising(np.zeros(3), [[0, 1], [1, 2], [2, 0]], [1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="cannot all be made repulsive"):
        preconditioner_log_partition(frustrated)
    with pytest.raises(ValueError, match="kind='star'"):
        preconditioner_log_partition(frustrated, kind="star")
    with pytest.raises(ValueError, match="lower='bethe'"):
        log_partition_bounds(frustrated, lower="bethe")
    with pytest.raises(ValueError, match="upper='bethe'"):
        log_partition_bounds(frustrated, upper="bethe")
    with pytest.raises(ValueError, match="variable 0 has 3 states"):
        log_det_bound(FactorGraph([3]))
