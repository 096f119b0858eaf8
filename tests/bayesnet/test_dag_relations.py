"""Separation, inclusion and equivalence of graphs against the definitions, path by path."""

from itertools import combinations, product

import networkx
import numpy as np
import pytest

from treatise.bayesnet import (
    DAG,
    covered_edges,
    d_separated,
    equivalence_class,
    equivalent,
    essential_graph,
    includes,
    is_inclusion_optimal,
    markov_boundary,
    n_parameters,
)


def random_dag(rng, n, density=0.5):
    order = rng.permutation(n)
    parents = dict.fromkeys(range(n), ())
    for i, j in combinations(range(n), 2):
        if rng.random() < density:
            parents[int(order[j])] += (int(order[i]),)
    return parents


def active_path(parents, x, y, given):
    """Whether a simple path is active: colliders have a given descendant (or are given), others are not given."""
    n = len(parents)
    children = {v: [c for c in range(n) if v in parents[c]] for v in range(n)}

    def below(v):
        return {v}.union(*(below(c) for c in children[v])) if children[v] else {v}

    def extend(path):
        v = path[-1]
        if v == y:
            yield path
            return
        for w in (*parents[v], *children[v]):
            if w not in path:
                yield from extend([*path, w])

    def passes(path):
        for a, v, b in zip(path, path[1:], path[2:]):
            collider = a in parents[v] and b in parents[v]
            if (collider and not below(v) & set(given)) or (not collider and v in given):
                return False
        return True

    return any(passes(path) for path in extend([x]))


def statements(parents):
    """All separated triples of a graph."""
    n = len(parents)
    found = set()
    for x, y in combinations(range(n), 2):
        rest = [v for v in range(n) if v not in (x, y)]
        for size in range(len(rest) + 1):
            for given in combinations(rest, size):
                if not active_path(parents, x, y, given):
                    found.add((x, y, given))
    return found


def test_separation_is_the_absence_of_active_paths():
    rng = np.random.default_rng(0)
    for _ in range(8):
        parents = random_dag(rng, 5)
        told = statements(parents)
        for x, y in combinations(range(5), 2):
            rest = [v for v in range(5) if v not in (x, y)]
            for size in range(4):
                for given in combinations(rest, size):
                    assert d_separated(parents, x, y, given) == ((x, y, given) in told)
                    assert d_separated(parents, y, x, given) == d_separated(parents, x, y, given)


def test_separation_of_sets_equals_networkx():
    rng = np.random.default_rng(1)
    for _ in range(10):
        parents = random_dag(rng, 12, 0.3)
        graph = networkx.DiGraph([(u, v) for v, own in parents.items() for u in own])
        graph.add_nodes_from(range(12))
        cut = np.split(rng.permutation(12), [2, 4, 8])
        xs, ys, given = ([int(v) for v in part] for part in cut[:3])
        assert d_separated(parents, xs, ys, given) == networkx.is_d_separator(graph, set(xs), set(ys), set(given))
    assert DAG.of(graph).generations()[0] == sorted(v for v in graph if not graph.in_degree(v))


def test_inclusion_is_that_of_all_statements():
    rng = np.random.default_rng(2)
    verdicts = []
    for _ in range(60):
        larger, smaller = random_dag(rng, 4, 0.7), random_dag(rng, 4, 0.4)
        expected = statements(larger) <= statements(smaller)
        assert includes(larger, smaller) == expected
        verdicts.append(expected)
    assert 5 < sum(verdicts) < 55


def test_inclusion_with_hidden_variables_is_that_of_the_observed_statements():
    rng = np.random.default_rng(3)
    verdicts = []
    for _ in range(60):
        larger, whole = random_dag(rng, 4, 0.8), random_dag(rng, 6, 0.35)
        seen = {(x, y, given) for x, y, given in statements(whole) if max(x, y, *given, 0) < 4}
        expected = statements(larger) <= seen
        assert includes(larger, whole) == expected
        verdicts.append(expected)
    assert 5 < sum(verdicts) < 55


def test_turning_a_covered_edge_keeps_parameters_and_statements_and_any_other_turn_does_not():
    rng = np.random.default_rng(4)
    covered = other = 0
    for _ in range(12):
        parents = random_dag(rng, 4, 0.6)
        states = rng.integers(2, 5, 4).tolist()
        told = statements(parents)
        for v, own in parents.items():
            for u in own:
                turned = {**parents, v: tuple(w for w in own if w != u), u: (*parents[u], v)}
                try:
                    DAG.of(turned)
                except ValueError:
                    assert (u, v) not in covered_edges(parents)
                    continue
                if (u, v) in covered_edges(parents):
                    covered += 1
                    assert n_parameters(turned, states) == n_parameters(parents, states)
                    assert statements(turned) == told and equivalent(turned, parents)
                    np.testing.assert_array_equal(essential_graph(turned), essential_graph(parents))
                else:
                    other += 1
                    assert statements(turned) != told and not equivalent(turned, parents)
                    assert not np.array_equal(essential_graph(turned), essential_graph(parents))
    assert covered > 10 and other > 10


def all_dags(n):
    pairs = list(combinations(range(n), 2))
    for choice in product(range(3), repeat=len(pairs)):
        parents = dict.fromkeys(range(n), ())
        for (u, v), way in zip(pairs, choice):
            if way:
                child, parent = (v, u) if way == 1 else (u, v)
                parents[child] += (parent,)
        try:
            DAG.of(parents)
        except ValueError:
            continue
        yield parents


def test_classes_of_all_graphs_of_four_variables_are_those_of_their_statements():
    """There are 543 graphs in 185 classes (Gillispie & Perlman 2001); directed edges are those all members share."""
    classes = {}
    for parents in all_dags(4):
        classes.setdefault(frozenset(statements(parents)), []).append(parents)
    assert sum(map(len, classes.values())) == 543 and len(classes) == 185
    for members in classes.values():
        matrices = [np.array([[u in own for own in parents.values()] for u in range(4)]) for parents in members]
        np.testing.assert_array_equal(essential_graph(members[0]), np.any(matrices, axis=0))
        found = {tuple(map(frozenset, member.parents)) for member in equivalence_class(members[-1])}
        assert found == {tuple(map(frozenset, parents.values())) for parents in members}


def test_inclusion_optimal_graphs_are_those_with_no_graph_in_between():
    graphs = list(all_dags(3))
    told = [statements(parents) for parents in graphs]
    for inner in (0, 5, 12, 20):
        for outer, parents in enumerate(graphs):
            between = any(told[outer] < one <= told[inner] for one in told)
            expected = told[outer] <= told[inner] and not between
            assert is_inclusion_optimal(parents, graphs[inner]) == expected


def test_a_boundary_makes_the_rest_independent_and_nothing_smaller_does():
    rng = np.random.default_rng(5)
    for _ in range(10):
        parents = random_dag(rng, 7, 0.35)
        others = [1, 2, 3, 4, 5]
        boundary = markov_boundary(parents, 0, others)
        enough = [
            set(given)
            for size in range(6)
            for given in combinations(others, size)
            if all(d_separated(parents, 0, v, given) for v in others if v not in given)
        ]
        assert enough[0] == set(boundary) and all(set(boundary) <= one for one in enough)
    assert set(markov_boundary({"z": ("x", "y")}, "x")) == {"y", "z"}


def test_parameters_are_counted_by_table():
    dag = {"x": (), "y": ("x",), "z": ("x", "y")}
    assert n_parameters(dag) == 1 + 2 + 4
    assert n_parameters(dag, {"x": 3, "y": 2, "z": 4}) == 2 + 3 + 3 * 6


def test_bad_questions_are_refused():
    dag = {"y": ("x",)}
    with pytest.raises(ValueError, match="no variable in common"):
        d_separated(dag, "x", "x")
    with pytest.raises(ValueError, match="'w' is no variable"):
        d_separated(dag, "x", "w")
    with pytest.raises(ValueError, match="different variables"):
        equivalent(dag, {"y": ("z",)})
    with pytest.raises(ValueError, match="two states or more"):
        n_parameters(dag, 1)
    with pytest.raises(ValueError, match="how many states 'x' has"):
        n_parameters(dag, {"y": 2})
    with pytest.raises(ValueError, match="lists 3 numbers for the 2 variables"):
        n_parameters(dag, [2, 2, 2])
    with pytest.raises(ValueError, match="more than limit=3"):
        list(equivalence_class({"y": ("x",), "z": ("x", "y")}, limit=3))
    with pytest.raises(ValueError, match="'x' is no variable"):
        includes(dag, {"y": ()})
