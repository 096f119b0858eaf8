"""The reduction from feedback arc sets: its counts, its distribution, and its optimum against all graphs."""

from fractions import Fraction
from itertools import combinations

import networkx
import numpy as np
import pytest

from treatise.bayesnet import (
    DAG,
    BayesianNetwork,
    NetworkOracle,
    covered_edges,
    d_separated,
    faithful_cpts,
    includes,
    is_inclusion_optimal,
    n_parameters,
    smallest_independence_map,
)
from treatise.papers.bayesnet.v05_1287.reduction import NPHardnessReduction

TWO = [(1, 2), (2, 1)]
THREE = [(1, 2), (2, 3), (3, 1)]
SQUARE = [(1, 2), (2, 3), (3, 4), (4, 1), (1, 3)]


@pytest.fixture(scope="module")
def triangle():
    return NPHardnessReduction(THREE)


def is_acyclic(arcs):
    return networkx.is_directed_acyclic_graph(networkx.DiGraph(arcs))


def random_instance(rng, n):
    """A cycle through all vertices with chords, each vertex of degree three at most."""
    arcs, degree = [(v, (v + 1) % n) for v in range(n)], [2] * n
    for u, v in rng.permutation([(u, v) for u in range(n) for v in range(n) if u != v]).tolist():
        if (u, v) not in arcs and degree[u] < 3 and degree[v] < 3:
            arcs.append((u, v))
            degree[u] += 1
            degree[v] += 1
    return arcs


def test_the_triangle_has_the_variables_and_the_count_of_the_paper(triangle):
    assert (len(triangle.observed), len(triangle.hidden)) == (24, 3)
    assert triangle.optimum() == 656 == 558 + 18 + 32 + 48
    assert [triangle.parameter_bound(k) for k in range(4)] == [654, 656, 658, 660]
    assert max(len(own) for own in triangle.network.parents.values()) == 2
    assert {triangle.n_states[name] for name in triangle.observed if name[0] in "VADG"} == {9}
    assert {triangle.n_states[name] for name in triangle.network.variables if name[0] in "BEFH"} == {2}


def test_tables_are_fractions_of_powers_of_two_up_to_1024():
    problem = NPHardnessReduction(SQUARE)
    cpts = faithful_cpts(problem.network, problem.n_states, Fraction(1, 16))
    denominators = {value.denominator for table in cpts.values() for value in table.ravel()}
    assert max(denominators) == 1024 and all(d & (d - 1) == 0 for d in denominators)
    for name, table in cpts.items():
        np.testing.assert_array_equal(table.astype(float), problem.network.cpts[name])


def test_a_component_costs_what_the_paper_counts(triangle):
    states = triangle.n_states
    kept, removed = triangle.dag([(1, 2), (2, 3)]), triangle.dag(THREE)
    shared = {name: own for name, own in kept.items() if name[0] in "ABDEG" and name.endswith("3_1")}

    def cost(dag, names):
        return sum((states[v] - 1) * int(np.prod([states[u] for u in dag[v]])) for v in names)

    assert cost(kept, shared) == 186 == cost(removed, shared)
    assert cost(removed, ["C_3_1", "F_3_1"]) == 16 + 2 and cost(kept, ["C_3_1", "F_3_1"]) == 4 + 12
    bare = {**removed, "C_3_1": ("B_3_1",)}
    assert cost(removed, ["C_3_1", "F_3_1"]) - cost(bare, ["C_3_1", "F_3_1"]) == 12
    assert cost(kept, ["C_3_1", "F_3_1"]) - cost(bare, ["C_3_1", "F_3_1"]) == 10


def test_no_edge_of_the_bare_component_can_be_turned_for_less_than_16_parameters(triangle):
    """The step of Theorem 9 that holds the structure in place."""
    dag = triangle.dag(THREE)
    for arc in THREE:
        dag[triangle.component(arc)[2]] = (triangle.component(arc)[1],)
    states = {name: triangle.n_states[name] for name in dag}
    start, extra = n_parameters(dag, states), []
    assert not covered_edges(dag)
    edges = [(u, v) for v, own in dag.items() for u in own]
    for u, v in edges:
        # To cover an edge, a parent of one end becomes a parent of the other.
        for parent, child in [(w, v) for w in dag[u]] + [(w, u) for w in dag[v] if w != u]:
            if parent not in dag[child]:
                more = {**dag, child: (*dag[child], parent)}
                extra.append(n_parameters(more, states) - start)
    assert min(extra) == 16


@pytest.mark.parametrize("arcs", [TWO, THREE, SQUARE])
def test_graphs_are_acyclic_and_include_the_distribution_where_the_arcs_meet_every_cycle(arcs):
    problem = NPHardnessReduction(arcs)
    for size in range(len(arcs) + 1):
        for removed in combinations(arcs, size):
            if is_acyclic([arc for arc in arcs if arc not in removed]):
                dag = problem.dag(removed)
                assert problem.includes(dag)
                assert problem.n_parameters(dag) == problem.parameter_bound(size)
                # An arc that was removed for nothing may still have its ends joined by another way.
                told = problem.feedback_arcs(dag)
                assert set(told) <= set(removed) and is_acyclic([arc for arc in arcs if arc not in told])
                assert set(told) == set(removed) or size > len(problem.minimum_feedback_arcs())
                assert max(len(own) for own in dag.values()) == 3
            else:
                with pytest.raises(ValueError, match="the graph has a cycle"):
                    problem.dag(removed)


def test_leaving_out_any_edge_of_a_component_loses_the_distribution(triangle):
    dag = triangle.dag([(1, 2)])
    for arc in THREE:
        for child in triangle.component(arc)[:7]:
            for parent in dag[child]:
                less = {**dag, child: tuple(u for u in dag[child] if u != parent)}
                assert not triangle.includes(less)


def test_the_smallest_feedback_arc_sets_are_those_of_brute_force():
    rng = np.random.default_rng(0)
    sizes = set()
    for n in (3, 4, 5, 6, 7):
        arcs = random_instance(rng, n)
        best = next(
            size
            for size in range(len(arcs))
            for removed in combinations(arcs, size)
            if is_acyclic([arc for arc in arcs if arc not in removed])
        )
        problem = NPHardnessReduction(arcs)
        found = problem.minimum_feedback_arcs()
        assert len(found) == best and is_acyclic([arc for arc in arcs if arc not in found])
        assert problem.optimum() == problem.n_parameters(problem.dag(found))
        sizes.add(best)
    assert len(sizes) > 1


def test_local_independences_hold_in_the_numbers(triangle):
    """Local Markov statements of both kinds of component, by exact information (below 1e-12 nats, as in rounding)."""
    dag = triangle.dag([(1, 2)])
    order = [DAG.of(dag).variables[v] for v in DAG.of(dag).order]
    asked = 0
    for arc in ((1, 2), (2, 3)):
        _, B, C, _, E, F, _, _ = triangle.component(arc)
        near = [*triangle.component(arc)[:7], *(f"V_{v}" for v in arc)]
        for child in (B, C, E, F, f"V_{arc[1]}"):
            before = order[: order.index(child)]
            for other in near:
                if other in before and other not in dag[child]:
                    asked += 1
                    assert triangle.network.mutual_information(child, other, dag[child]) < 1e-12
        assert triangle.network.mutual_information(C, F) > 1e-12
        assert triangle.network.mutual_information(C, F, [B, E]) > 1e-12
    assert asked > 15


def test_the_fewest_parameters_of_any_graph_are_those_of_the_theorem():
    """All graphs of the 16 observed variables of a cycle of two, by the search over orders."""
    problem = NPHardnessReduction(TWO)
    found = smallest_independence_map(problem.network, problem.n_states, problem.observed)
    assert found.n_parameters == problem.optimum() == 438
    assert problem.includes(found.parents) and problem.n_parameters(found.parents) == 438
    assert len(problem.feedback_arcs(found.parents)) == 1


def test_the_search_finds_what_a_search_of_all_graphs_finds():
    rng = np.random.default_rng(1)
    strict = 0
    for _ in range(6):
        n, seen = 6, 4
        order = rng.permutation(n)
        parents = dict.fromkeys(range(n), ())
        for i, j in combinations(range(n), 2):
            if rng.random() < 0.45:
                parents[int(order[j])] += (int(order[i]),)
        states = rng.integers(2, 5, n).tolist()
        best = None
        pairs = list(combinations(range(seen), 2))
        for choice in np.ndindex(*[3] * len(pairs)):
            graph = dict.fromkeys(range(seen), ())
            for (u, v), way in zip(pairs, choice):
                if way:
                    child, parent = (v, u) if way == 1 else (u, v)
                    graph[child] += (parent,)
            try:
                included = includes(graph, parents)
            except ValueError:
                continue
            count = n_parameters(graph, states[:seen]) if included else None
            if included and (best is None or count < best):
                best = count
        found = smallest_independence_map(parents, states, list(range(seen)))
        assert found.n_parameters == best == n_parameters(found.parents, states[:seen])
        assert includes(found.parents, parents)
        strict += best < (np.prod(states[:seen]) - 1)
    assert strict > 2


def test_a_graph_without_hidden_variables_is_its_own_smallest_map():
    dag = {"x": (), "y": ("x",), "z": ("x",), "w": ("y", "z")}
    found = smallest_independence_map(dag, {"x": 2, "y": 3, "z": 2, "w": 4})
    assert found.n_parameters == n_parameters(dag, {"x": 2, "y": 3, "z": 2, "w": 4})
    assert is_inclusion_optimal(found.parents, dag)


def test_a_dearer_graph_can_be_inclusion_optimal_too():
    """Why greedy search may stop early: both directions of the edge that stands for the hidden cause are optimal."""
    dag = {"b": ("a", "hidden"), "c": ("d", "hidden")}
    cheap, dear = (
        {"a": (), "d": (), "c": ("d",), "b": ("a", "c", "d")},
        {"a": (), "d": (), "b": ("a",), "c": ("a", "b", "d")},
    )
    states = {"a": 2, "b": 2, "c": 3, "d": 2}
    assert is_inclusion_optimal(cheap, dag) and is_inclusion_optimal(dear, dag)
    assert n_parameters(cheap, states) == 18 < n_parameters(dear, states) == 20
    assert not is_inclusion_optimal({**cheap, "d": ("a",)}, dag)
    assert not is_inclusion_optimal({"a": (), "b": ("a",), "c": (), "d": ()}, dag)


def test_the_oracle_answers_as_the_definitions_say(triangle):
    oracle = triangle.oracle()
    assert oracle.observed == triangle.observed
    assert not oracle.independent("C_1_2", "F_1_2") and oracle.independent("A_1_2", "V_1")
    assert not oracle.independent("A_1_2", "V_1", given=["C_1_2"])
    direct = triangle.network.query(["C_1_2", "F_1_2"])
    assert oracle.probability({"C_1_2": 0, "F_1_2": 1}) == pytest.approx(direct[0, 1], rel=1e-12)
    joint = direct * np.log(direct / np.outer(direct.sum(1), direct.sum(0)))
    assert oracle.information("C_1_2", "F_1_2") == pytest.approx(joint.sum(), rel=1e-8)
    assert oracle.calls == {"independence": 3, "inference": 1, "information": 1}
    with pytest.raises(ValueError, match="'H_1_2' is hidden"):
        oracle.independent("C_1_2", "H_1_2")
    with pytest.raises(ValueError, match="is hidden"):
        oracle.probability({"H_1_2": 0})
    with pytest.raises(ValueError, match="each variable once"):
        oracle.information("C_1_2", "F_1_2", "F_1_2")
    with pytest.raises(ValueError, match="a graph alone has no probabilities"):
        NetworkOracle({"y": ("x",)}).probability({"x": 0})


def test_many_questions_at_once_are_answered_as_one_by_one():
    rng = np.random.default_rng(2)
    n = 30
    order = rng.permutation(n)
    parents = dict.fromkeys(range(n), ())
    for i, j in combinations(range(n), 2):
        if rng.random() < 0.08:
            parents[int(order[j])] += (int(order[i]),)
    oracle = NetworkOracle(parents)
    x, y = np.array([rng.permutation(n)[:2] for _ in range(400)]).T
    given = rng.random((400, n)) < 0.2
    given[np.arange(400), x] = given[np.arange(400), y] = False
    found = oracle.independent_many(x, y, given)
    expected = [d_separated(parents, a, b, np.flatnonzero(known).tolist()) for a, b, known in zip(x, y, given)]
    assert found.tolist() == expected and 50 < found.sum() < 350
    assert oracle.calls["independence"] == 400
    for wrong in ((x, x, given), (x, y, ~given), (x + n, y, given), (x, y, given[:, 1:])):
        with pytest.raises(ValueError, match=r"x and y|also given|shapes of x"):
            oracle.independent_many(*wrong)
    half = NetworkOracle(parents, hidden=list(range(15)))
    with pytest.raises(ValueError, match="names a hidden variable"):
        half.independent_many(x, y, given)


@pytest.mark.parametrize(
    ("arcs", "words"),
    [
        ([(1, 2), (2, 3)], "the vertex 1 has 0 arcs in and 1 out"),
        ([(1, 2), (2, 1), (2, 3), (3, 2)], "the vertex 2 has 4 arcs; at most three"),
        ([(1, 1)], "is no arc between two vertices"),
        ([(1, 2, 3)], "is no arc between two vertices"),
        ([(1, 2), (1, 2), (2, 1)], "each listed once"),
        ([], "one arc or more"),
    ],
)
def test_graphs_that_the_reduction_does_not_take_are_refused(arcs, words):
    with pytest.raises(ValueError, match=words):
        NPHardnessReduction(arcs)


def test_wrong_questions_are_refused(triangle):
    lonely = networkx.DiGraph(TWO)
    lonely.add_node(7)
    with pytest.raises(ValueError, match="the vertex 7 lies on no cycle"):
        NPHardnessReduction(lonely)
    with pytest.raises(ValueError, match=r"\(1, 3\) is no arc of the graph"):
        triangle.dag([(1, 3)])
    with pytest.raises(ValueError, match="k=4 must lie between 0 and the 3 arcs"):
        triangle.parameter_bound(4)
    with pytest.raises(ValueError, match="all of them and no others"):
        triangle.includes({"V_1": ()})
    with pytest.raises(ValueError, match="searched for up to 20"):
        NPHardnessReduction([(v, (v + 1) % 21) for v in range(21)]).optimum()
    with pytest.raises(ValueError, match="1 to 24 different ones"):
        smallest_independence_map([()] * 25)


def test_plots_show_the_network_and_a_solution(triangle):
    ax = triangle.plot()
    assert {text.get_text() for text in ax.texts} == set(triangle.network.variables)
    ax = triangle.plot(triangle.dag([(1, 2)]))
    assert {text.get_text() for text in ax.texts} == set(triangle.observed)


def test_networkx_graphs_and_any_names_of_vertices_will_do():
    problem = NPHardnessReduction(networkx.DiGraph([("u", "v"), ("v", "u")]))
    assert problem.vertices == ("u", "v") and "B_u_v" in problem.observed
    assert isinstance(problem.network, BayesianNetwork) and problem.optimum() == 438
