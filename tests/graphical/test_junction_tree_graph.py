"""Graphs region by region: the worked example, exact recovery from exact covariances, and the gain in weak edges."""

from itertools import combinations

import networkx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from treatise.datasets import make_weak_edge_graph
from treatise.graphical import (
    JunctionTreeGraph,
    decide_by_regions,
    edge_stability,
    graph_metrics,
    marginal_graph,
    plot_graph,
    plot_region_graph,
    region_graph,
)
from treatise.graphical.gaussian.neighborhood_lasso import neighborhood_weights
from treatise.graphical.gaussian.pc_skeleton import weakest_within
from treatise.graphical.junction_tree._region_learners import (
    GraphicalLassoRegion,
    NeighborhoodRegion,
    PairwiseRegion,
    SeparationRegion,
    edge_threshold,
)
from treatise.inference import CliqueTree
from treatise.optimize import graphical_lasso_penalty_limit, solve_graphical_lasso

CHAIN_TREE = ((1, 3, 5), (2, 3, 5, 6), (2, 3, 4, 6), (3, 4, 6, 7), (3, 5, 6, 8), (5, 6, 8, 9))
EXAMPLE = region_graph(CliqueTree(CHAIN_TREE, ((0, 1), (1, 2), (2, 3), (1, 4), (4, 5))))
NAN = float("nan")


def sets(*names):
    return {frozenset(map(int, name)) for name in names}


def correlation(precision):
    covariance = np.linalg.inv(precision)
    root = np.sqrt(np.diag(covariance))
    return covariance / np.outer(root, root)


def super_graph_of(precision, rng, extra):
    joined = precision != 0
    for i, j in rng.integers(len(joined), size=(extra, 2)):
        joined[i, j] = joined[j, i] = True
    np.fill_diagonal(joined, False)
    return joined


def test_the_worked_example_of_the_paper():
    assert set(EXAMPLE.levels[1]) == sets("35", "236", "346", "356", "568")
    assert set(EXAMPLE.levels[2]) == sets("35", "56", "36") and len(EXAMPLE.levels) == 3
    assert set(EXAMPLE.children(0, frozenset({2, 3, 4, 6}))) == sets("236", "346")
    assert EXAMPLE.closure(2, frozenset({3, 6})) == {2, 3, 4, 5, 6, 7, 8}
    assert EXAMPLE.closure(1, frozenset({3, 4, 6})) == {2, 3, 4, 6, 7}
    assert EXAMPLE.closure(0, frozenset({5, 6, 8, 9})) == {5, 6, 8, 9}
    complete = np.ones((10, 10), dtype=bool)
    assert EXAMPLE.candidates(1, frozenset({5, 6, 8}), complete) == [(5, 8), (6, 8)]
    assert EXAMPLE.candidates(1, frozenset({3, 5, 6}), complete) == []


def test_marginal_graphs_join_what_unseen_paths_join():
    rng = np.random.default_rng(0)
    for _ in range(50):
        graph = networkx.gnp_random_graph(9, 0.25, seed=int(rng.integers(10**6)))
        seen = rng.choice(9, 5, replace=False)
        found = marginal_graph(networkx.to_numpy_array(graph) != 0, seen)
        for a, b in combinations(range(5), 2):
            inner = graph.subgraph([v for v in graph if v not in seen] + [int(seen[a]), int(seen[b])])
            assert found[a, b] == networkx.has_path(inner, int(seen[a]), int(seen[b]))


def test_every_pair_is_decided_exactly_once_whatever_the_answers():
    rng = np.random.default_rng(1)
    for _ in range(40):
        p = int(rng.integers(2, 16))
        upper = np.triu(rng.random((p, p)) < rng.uniform(0.1, 0.6), 1)
        graph = upper | upper.T

        def coin(variables, candidates, allowed):
            assert not (candidates & ~allowed).any()
            return np.triu(rng.random(candidates.shape) < 0.5), NAN

        bound = [None, 1, 2, 3][rng.integers(4)]
        decisions = decide_by_regions(graph, coin, max_separator=bound)
        decided = [tuple(pair) for step in decisions.steps for pair in step["candidates"].tolist()]
        assert sorted(decided) == sorted(map(tuple, np.argwhere(upper).tolist()))
        joined = sorted(tuple(pair) for step in decisions.steps for pair in step["edges"].tolist())
        assert joined == sorted(map(tuple, np.argwhere(np.triu(decisions.adjacency)).tolist()))


def exact_partial(R):
    def learner(variables, candidates, allowed):
        inverse = np.linalg.inv(R[np.ix_(variables, variables)])
        root = np.sqrt(np.diag(inverse))
        return np.abs(inverse / np.outer(root, root)) > 1e-8, NAN

    return learner


def exact_separation(R):
    def learner(variables, candidates, allowed):
        pairs = np.argwhere(np.triu(candidates, 1))
        # Unlimited order: all neighbours of an end part a pair that is no edge.
        most = int(allowed.sum(axis=1).max())
        weakest = weakest_within(R[np.ix_(variables, variables)], pairs, allowed, min(most, 6))
        joined = np.zeros_like(candidates)
        joined[pairs[:, 0], pairs[:, 1]] = np.abs(weakest) > 1e-8
        return joined, NAN

    return learner


def exact_lasso(R):
    def learner(variables, candidates, allowed):
        price = np.where(candidates, 1e-9, np.where(allowed, 0.0, np.inf))
        np.fill_diagonal(price, 0.0)
        return np.abs(solve_graphical_lasso(R[np.ix_(variables, variables)], price, tol=1e-14).precision) > 1e-5, NAN

    return learner


def exact_neighbourhood(R):
    def learner(variables, candidates, allowed):
        part = R[np.ix_(variables, variables)]
        coef = neighborhood_weights(part, 1000, candidates, allowed, penalty=1e-9, adaptive=False, tol=1e-13)[0]
        return (np.abs(coef) > 1e-6) & (np.abs(coef.T) > 1e-6), NAN

    return learner


@pytest.mark.parametrize("exact", [exact_partial, exact_separation, exact_lasso, exact_neighbourhood])
@pytest.mark.parametrize("kind", ["chain", "cycle", "hub", "neighborhood"])
def test_exact_covariances_and_any_super_graph_give_the_true_graph(kind, exact):
    rng = np.random.default_rng(2)
    rows = make_weak_edge_graph(0, kind, n_features=40, n_weak=12, random_state=3)
    R = correlation(rows.precision)
    true = (rows.precision != 0) & ~np.eye(40, dtype=bool)
    for bound in (1, 3):
        decisions = decide_by_regions(super_graph_of(rows.precision, rng, 12), exact(R), max_separator=bound)
        np.testing.assert_array_equal(decisions.adjacency, true)


@pytest.mark.parametrize("base", ["glasso", "nlasso", "pc"])
def test_a_complete_super_graph_is_the_base_learner_alone(base):
    X = make_weak_edge_graph(300, "cycle", n_features=12, n_weak=4, random_state=0).X
    complete = ~np.eye(12, dtype=bool)
    learners = {"glasso": GraphicalLassoRegion(), "nlasso": NeighborhoodRegion(), "pc": SeparationRegion(2)}
    alone, _ = learners[base](np.corrcoef(X.T), 300, complete, complete)
    model = JunctionTreeGraph(base, super_graph=complete, prune=False).fit(X)
    np.testing.assert_array_equal(model.adjacency_, alone)
    assert len(model.steps_) == 1 and alone.any() and not alone[complete].all()


def test_a_function_as_base_gets_its_columns_and_its_answer_counts():
    X = make_weak_edge_graph(400, "chain", n_features=10, n_weak=3, random_state=0).X
    complete = ~np.eye(10, dtype=bool)
    seen = []

    def strong(columns, candidates, allowed):
        seen.append(columns.shape)
        return np.abs(np.corrcoef(columns.T)) > 0.2

    model = JunctionTreeGraph(strong, super_graph=sparse.csr_array(complete), prune=False).fit(X)
    np.testing.assert_array_equal(model.adjacency_, (np.abs(np.corrcoef(X.T)) > 0.2) & complete)
    assert seen == [(400, 10)]
    with pytest.raises(ValueError, match=r"shape \(10, 10\); it returned \(2, 2\)"):
        JunctionTreeGraph(lambda *_: np.eye(2), super_graph=complete).fit(X)


def test_a_star_is_decided_pair_by_pair():
    star = np.zeros((51, 51), dtype=bool)
    star[0, 1:] = star[1:, 0] = True
    X = np.random.default_rng(0).standard_normal((100, 51))
    model = JunctionTreeGraph(super_graph=star).fit(X)
    assert max(len(step["variables"]) for step in model.steps_) == 2 and len(model.steps_) == 50


def test_only_candidates_are_penalised_and_forbidden_pairs_stay_apart():
    S = correlation(make_weak_edge_graph(0, "cycle", n_features=9, n_weak=3).precision)
    allowed = S != 0
    np.fill_diagonal(allowed, False)
    allowed[0, 8] = allowed[8, 0] = False
    candidates = np.zeros_like(allowed)
    candidates[0, 1] = candidates[1, 0] = candidates[4, 7] = candidates[7, 4] = True
    joined, penalty = GraphicalLassoRegion()(S, 10_000, candidates, allowed)
    np.testing.assert_array_equal(joined, [[(i, j) in {(0, 1), (1, 0)} for j in range(9)] for i in range(9)])
    assert penalty > 0


def test_the_price_of_an_edge_is_where_ebic_breaks_even():
    n, k, gamma = 250, 9, 0.5
    rho = edge_threshold(n, k, gamma)
    assert -n * np.log(1 - rho**2) == pytest.approx(np.log(n) + 4 * gamma * np.log(k))
    both = np.ones((2, 2), dtype=bool) & ~np.eye(2, dtype=bool)
    for shift, joined in ((1e-6, True), (-1e-6, False)):
        R = np.array([[1.0, rho + shift], [rho + shift, 1.0]])
        assert PairwiseRegion(gamma, least=9)(R, n, both, both)[0][0, 1] == joined


def equal_edges(kind, seeds, order):
    """Weak edges and edit distance of the junction tree less those of the graphical lasso at as many edges (+-3)."""
    gains, farther = [], []
    for seed in seeds:
        rows = make_weak_edge_graph(300, kind, random_state=seed)
        ours = graph_metrics(JunctionTreeGraph(order=order).fit(rows.X).adjacency_, rows.precision, weak=rows.weak)
        S = np.corrcoef(rows.X.T)
        low, high, found = 0.0, graphical_lasso_penalty_limit(S), None
        for _ in range(14):
            found = solve_graphical_lasso(S, (low + high) / 2, start=found, tol=1e-3).precision
            theirs = graph_metrics(found, rows.precision, weak=rows.weak)
            if abs(theirs.n_edges - ours.n_edges) <= 2:
                break
            low, high = ((low + high) / 2, high) if theirs.n_edges > ours.n_edges else (low, (low + high) / 2)
        assert abs(theirs.n_edges - ours.n_edges) <= 3
        gains.append(ours.weak_edge_discovery_rate - theirs.weak_edge_discovery_rate)
        farther.append(ours.edit_distance - theirs.edit_distance)
    return np.mean(gains), np.mean(farther)


@pytest.mark.parametrize(("kind", "order", "n_seeds", "least"), [("chain", 0, 20, 0.06), ("cycle", 1, 10, 0.08)])
def test_more_weak_edges_than_the_graphical_lasso_at_equal_edges(kind, order, n_seeds, least):
    gain, farther = equal_edges(kind, range(1000, 1000 + n_seeds), order)
    assert gain >= least
    assert farther <= 0


def test_pruning_takes_back_what_a_lost_edge_brought_in():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 3))
    X[:, 1] += X[:, 0]
    X[:, 2] += X[:, 1]
    complete = ~np.eye(3, dtype=bool)
    # A base that joins everything stands for the false edges of a super graph that misses a true one.
    model = JunctionTreeGraph(lambda *_: complete, super_graph=complete, small=0).fit(X)
    assert model.pruned_.tolist() == [[0, 2]] and model.edges_.tolist() == [[0, 1], [1, 2]]
    kept = JunctionTreeGraph(lambda *_: complete, super_graph=complete, small=0, prune=False).fit(X)
    assert len(kept.edges_) == 3 and kept.pruned_.shape == (0, 2)


def test_the_gaussian_on_the_graph_keeps_its_covariances_and_scores_rows():
    rows = make_weak_edge_graph(500, "cycle", n_features=15, n_weak=5, random_state=0)
    scale = np.geomspace(0.01, 100, 15)
    model = JunctionTreeGraph().fit(rows.X * scale)
    S = np.cov((rows.X * scale).T, bias=True)
    kept = model.adjacency_ | np.eye(15, dtype=bool)
    size = np.outer(scale, scale)
    # The fit stops at changes of 1e-6 in correlations.
    np.testing.assert_allclose((model.covariance_ / size)[kept], (S / size)[kept], atol=1e-4)
    assert ((model.precision_ != 0) == kept).all()
    root = np.sqrt(np.diag(model.precision_))
    weights = -(model.precision_ / np.outer(root, root))[tuple(model.edges_.T)]
    np.testing.assert_allclose(model.edge_weights_, weights)
    assert model.score(rows.X * scale) > JunctionTreeGraph(super_graph=np.eye(15)).fit(rows.X * scale).score(
        rows.X * scale
    )


def test_neighbourhood_graphs_of_300_columns_do_not_depend_on_jobs():
    rows = make_weak_edge_graph(500, "neighborhood", random_state=0)
    alone = JunctionTreeGraph(order=2).fit(rows.X)
    together = JunctionTreeGraph(order=2, n_jobs=2).fit(rows.X)
    np.testing.assert_array_equal(alone.adjacency_, together.adjacency_)
    np.testing.assert_array_equal(alone.edge_weights_, together.edge_weights_)
    assert graph_metrics(alone.adjacency_, rows.precision).true_positive_rate > 0.85


@pytest.mark.parametrize("base", ["glasso", "nlasso", "pc"])
def test_fewer_rows_than_columns_duplicates_and_constants_are_fine(base):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((15, 20))
    X[:, 1] = X[:, 0]
    X[:, 2] = 3.0
    for super_graph in (None, np.ones((20, 20))):
        model = JunctionTreeGraph(base, super_graph=super_graph).fit(X)
        assert not model.adjacency_[2].any() and np.isfinite(model.edge_weights_).all()
        assert np.linalg.eigvalsh(model.covariance_)[0] > 0


def test_names_pictures_and_stability_work_as_for_every_learner_of_graphs():
    rows = make_weak_edge_graph(300, "chain", n_features=8, n_weak=3, random_state=0)
    frame = pd.DataFrame(rows.X, columns=list("abcdefgh"))
    model = JunctionTreeGraph().fit(frame)
    assert list(model.to_networkx()) == list("abcdefgh")
    assert len(plot_graph(model).texts) == 8
    assert edge_stability(model, frame, n_subsamples=3, random_state=0).frequency.shape == (8, 8)
    ax = plot_region_graph(EXAMPLE, names=list("ABCDEFGHIJ"))
    labels = [text.get_text() for text in ax.texts if text.get_text()]
    assert len(labels) == EXAMPLE.n_regions and "B D F" in labels
    many = region_graph(CliqueTree(tuple((i, i + 1) for i in range(70)), tuple((i, i + 1) for i in range(69))))
    with pytest.raises(ValueError, match="70 regions cannot be told apart"):
        plot_region_graph(many)


def test_bad_super_graphs_and_few_rows_are_refused():
    X = np.random.default_rng(0).standard_normal((30, 4))
    with pytest.raises(ValueError, match=r"shape \(3, 3\); for 4 columns it must be \(4, 4\)"):
        JunctionTreeGraph(super_graph=np.eye(3)).fit(X)
    with pytest.raises(ValueError, match="joins 0 to 1 in one direction only"):
        JunctionTreeGraph(super_graph=np.eye(4, k=1)).fit(X)
    with pytest.raises(ValueError, match="minimum of 5"):
        JunctionTreeGraph().fit(X[:4])
