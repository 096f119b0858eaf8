"""Quadratic programs for the most probable assignment, against enumeration and a general solver."""

import numpy as np
import pytest
from field_models import grid_edges, random_pairwise
from scipy.optimize import minimize

from treatise.graphical import qp_map, quadratic_relaxation
from treatise.inference import FactorGraph, iterated_conditional_modes

SMALL = 1e-9


def thesis_grid(distance):
    """Nine nodes of three labels, as in section 4.8 with couplings of both signs."""
    generator = np.random.default_rng(0)
    unary = generator.uniform(-1, 1, (9, 3))
    weights = generator.uniform(-1, 1, 12)
    labels = np.arange(3)
    tables = {"potts": np.eye(3), "linear": np.abs(labels[:, None] - labels)}
    return FactorGraph.pairwise(unary, grid_edges(3, 3), weights[:, None, None] * tables[distance])


def random_models(count=120):
    for seed in range(count):
        generator = np.random.default_rng(seed)
        strength = float(generator.choice([0.1, 0.5, 2.0]))
        yield random_pairwise(generator, int(generator.integers(1, 7)), strength=strength).add((), 0.3)


@pytest.mark.parametrize("diagonal", ["absrow", "eig"])
def test_the_optimum_lies_between_rounded_and_relaxed_on_every_model(diagonal):
    for graph in random_models():
        best = graph.joint_scores().max()
        relaxed = quadratic_relaxation(graph, diagonal=diagonal)
        assert relaxed.upper_bound >= best - SMALL
        assert relaxed.value <= relaxed.upper_bound <= relaxed.value + 2e-6 * (1 + abs(relaxed.value))
        result = qp_map(graph, diagonal=diagonal)
        assert result.energy == pytest.approx(graph.energy(result.labels))
        assert -result.energy <= best + SMALL
        assert result.lower_bound <= -best + SMALL
        # Theorem 4; the relaxation is solved to about 1e-6.
        loss = relaxed.rounding_loss
        assert -result.energy >= best - loss - 1e-5 * (1 + abs(best))
        assert loss <= sum(d.sum() for d in relaxed.diagonal) / 4 + SMALL


def test_where_even_probabilities_are_best_there_is_nothing_to_do():
    """Rows of the tables that sum alike, and no scores of single variables: the gap there is rounding alone."""
    for seed in range(60):
        generator = np.random.default_rng(seed)
        n, k = int(generator.integers(4, 20)), int(generator.integers(2, 6))
        pairs = [(j, i) for i in range(n) for j in range(i) if generator.random() < 0.4]
        weights = generator.normal(size=len(pairs))
        tables = [np.where(np.eye(k, dtype=bool), w, -w / (k - 1)) + 0.3 * generator.normal() for w in weights]
        relaxed = quadratic_relaxation(FactorGraph([k] * n, list(zip(pairs, tables))))
        assert relaxed.n_iter == 0
        np.testing.assert_allclose(np.concatenate(relaxed.probabilities), 1 / k)


@pytest.mark.parametrize("diagonal", ["absrow", "eig"])
@pytest.mark.parametrize(("unit", "constant"), [(1e-9, 0.0), (1e9, 0.0), (1.0, 1e6), (1e-6, 1.0)])
def test_neither_the_unit_of_the_scores_nor_a_constant_of_a_variable_counts(diagonal, unit, constant):
    """A stop relative to the value ended before the first step where scores were small or had a large constant."""
    for seed in range(6):
        generator = np.random.default_rng(seed)
        graph = random_pairwise(generator, 16, edges=grid_edges(4, 4), strength=2.0)
        moved = FactorGraph(graph.n_states, [(f.variables, unit * f.table) for f in graph.factors])
        for node, offset in enumerate(generator.normal(size=16)):
            moved = moved.add((node,), np.full(graph.n_states[node], constant * offset))
        plain, other = (quadratic_relaxation(g, diagonal=diagonal) for g in (graph, moved))
        for p, q in zip(plain.probabilities, other.probabilities):
            np.testing.assert_allclose(q, p, atol=1e-2)
        np.testing.assert_array_equal(qp_map(moved, diagonal=diagonal).labels, qp_map(graph, diagonal=diagonal).labels)


def test_rounding_by_forests_keeps_the_guarantees_and_ends_where_no_single_change_helps():
    for graph in random_models(60):
        best = graph.joint_scores().max()
        result = qp_map(graph, method="structured")
        assert result.energy == pytest.approx(graph.energy(result.labels))
        assert result.lower_bound <= -best + SMALL <= result.energy + 2 * SMALL
        relaxed = quadratic_relaxation(graph)
        assert -result.energy >= best - relaxed.rounding_loss - 1e-5 * (1 + abs(best))
        modes = iterated_conditional_modes(graph, start=result.labels)
        assert modes.energy == pytest.approx(result.energy, abs=SMALL)


def test_the_thesis_grid_has_the_known_optima():
    # Optima by enumeration and relaxed values by an independent solver, to the digits given.
    potts, linear = thesis_grid("potts"), thesis_grid("linear")
    assert potts.joint_scores().max() == pytest.approx(6.01422, abs=5e-6)
    assert linear.joint_scores().max() == pytest.approx(10.48599, abs=5e-6)
    assert quadratic_relaxation(potts, tol=1e-8).value == pytest.approx(7.23935, abs=1e-5)
    assert quadratic_relaxation(linear, tol=1e-8).value == pytest.approx(14.29206, abs=1e-5)
    assert -qp_map(potts).energy >= 5.96


def test_the_relaxation_is_the_concave_program_of_equation_4_27():
    graph = random_pairwise(np.random.default_rng(3), 3, edges=[[0, 1], [2, 1]], most_states=2)
    offset = np.concatenate([[0], np.cumsum(graph.n_states)])
    size = offset[-1]
    theta, Theta = np.zeros(size), np.zeros((size, size))
    for factor in graph.factors:
        at = [slice(offset[v], offset[v + 1]) for v in factor.variables]
        if len(at) == 1:
            theta[at[0]] += factor.table
        else:
            Theta[at[0], at[1]] += factor.table / 2
            Theta[at[1], at[0]] += factor.table.T / 2
    d = np.abs(Theta).sum(axis=1)
    assert np.linalg.eigvalsh(Theta - np.diag(d))[-1] <= SMALL

    def objective(mu):
        return -((theta + d) @ mu + mu @ (Theta - np.diag(d)) @ mu)

    sums = [{"type": "eq", "fun": lambda mu, s=s: mu[offset[s] : offset[s + 1]].sum() - 1} for s in range(3)]
    found = minimize(objective, np.full(size, 0.5), bounds=[(0, 1)] * size, constraints=sums, tol=1e-12)
    relaxed = quadratic_relaxation(graph, tol=1e-10)
    assert relaxed.value == pytest.approx(-found.fun, abs=1e-7)
    np.testing.assert_allclose(np.concatenate(relaxed.diagonal), d)


def test_the_eigenvalue_is_the_smallest_even_diagonal_that_makes_it_concave():
    graph = random_pairwise(np.random.default_rng(0), 20, edges=grid_edges(4, 5), most_states=3)
    shift = quadratic_relaxation(graph, diagonal="eig", max_iter=1).diagonal[0][0]
    offset = np.concatenate([[0], np.cumsum(graph.n_states)])
    Theta = np.zeros((offset[-1], offset[-1]))
    for factor in graph.factors:
        if len(factor.variables) == 2:
            s, t = factor.variables
            Theta[offset[s] : offset[s + 1], offset[t] : offset[t + 1]] += factor.table / 2
    largest = np.linalg.eigvalsh(Theta + Theta.T)[-1]
    assert largest < shift <= largest * (1 + 1e-5)


def test_without_couplings_the_relaxation_is_tight():
    graph = FactorGraph.pairwise(np.random.default_rng(0).normal(size=(4, 3)), [], np.zeros((0, 3, 3)))
    for diagonal in ("absrow", "eig"):
        relaxed = quadratic_relaxation(graph, diagonal=diagonal)
        assert relaxed.upper_bound == pytest.approx(graph.joint_scores().max())
        assert qp_map(graph, diagonal=diagonal).gap == pytest.approx(0, abs=1e-5)


def test_the_nonconvex_climb_stays_at_the_best_assignment_and_ends_in_conditional_modes():
    for graph in random_models(30):
        scores = graph.joint_scores()
        best = np.array(np.unravel_index(np.argmax(scores), scores.shape))
        result = qp_map(graph, method="nonconvex", start=best)
        np.testing.assert_array_equal(result.labels, best)
        climbed = qp_map(graph, method="nonconvex", n_starts=3, random_state=0)
        assert climbed.lower_bound is None
        again = iterated_conditional_modes(graph, start=climbed.labels)
        np.testing.assert_array_equal(again.labels, climbed.labels)


def test_rounding_continues_until_no_single_change_helps():
    graph = random_pairwise(np.random.default_rng(1), 30, edges=grid_edges(5, 6), strength=2.0)
    result = qp_map(graph)
    again = iterated_conditional_modes(graph, start=result.labels)
    assert again.energy == pytest.approx(result.energy, abs=1e-9)
    assert np.all(np.diff(result.trace) <= SMALL)


def test_what_it_cannot_do_is_an_error():
    graph = thesis_grid("potts")
    with pytest.raises(ValueError, match="method='linear'"):
        qp_map(graph, method="linear")
    with pytest.raises(ValueError, match="diagonal='zero'"):
        qp_map(graph, diagonal="zero")
    with pytest.raises(ValueError, match="max_iter=0"):
        qp_map(graph, max_iter=0)
    with pytest.raises(ValueError, match="needs finite scores"):
        qp_map(graph.condition({0: 1}))
    with pytest.raises(ValueError, match="at most 2 variables"):
        quadratic_relaxation(FactorGraph([2, 2, 2], [((0, 1, 2), np.zeros((2, 2, 2)))]))
