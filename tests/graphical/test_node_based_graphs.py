"""Node-based graphs against cone programs, graphical lassos, their optimality conditions and their limits."""

import time

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.covariance import graphical_lasso
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from treatise.datasets import make_perturbed_graphs
from treatise.graphical import (
    CoHubGraphs,
    NodePerturbationGraphs,
    edge_stability,
    joint_graph_blocks,
    plot_condition_graphs,
    plot_graph,
    plot_node_scores,
    rcon_norm,
    search_penalties,
)
from treatise.io import load_model, save_model
from treatise.optimize import solve_graphical_lasso
from treatise.papers.graphical.v15_0445._conic import solve_by_cones

BOTH = pytest.mark.parametrize("learner", [NodePerturbationGraphs, CoHubGraphs])


def small_problem(seed=7):
    """Two chains of eight variables; in the second, variable 3 is linked to the two ends instead."""
    rng = np.random.default_rng(seed)
    chain = 0.4 * (np.eye(8, k=1) + np.eye(8, k=-1))
    moved = chain.copy()
    moved[3] = moved[:, 3] = 0
    moved[3, [0, 7]] = moved[[0, 7], 3] = 0.4
    tables = []
    for graph, rows in ((chain, 40), (moved, 50)):
        factor = np.linalg.cholesky(np.linalg.inv(graph + 1.2 * np.eye(8)))
        tables.append(rng.standard_normal((rows, 8)) @ factor.T)
    return tables


@pytest.fixture(scope="module")
def small():
    return [table.T @ table / len(table) for table in small_problem()], [40, 50]


def random_covariances(K, p, seed, rows=30):
    rng = np.random.default_rng(seed)
    tables = [
        rng.standard_normal((rows + 5 * k, p)) @ (np.eye(p) + 0.3 * rng.standard_normal((p, p))) for k in range(K)
    ]
    return np.stack([np.cov(table.T, bias=True) for table in tables]), np.array([len(t) for t in tables], dtype=float)


def objective(S, n, T, lam1, penalty):
    fit = sum(size * (np.vdot(C, P) - np.linalg.slogdet(P)[1]) for C, size, P in zip(S, n, T))
    return fit + lam1 * np.abs(T).sum() + penalty


@pytest.mark.parametrize(
    ("learner", "lam1", "lam2", "q", "minimum"),
    [
        (NodePerturbationGraphs, 4, 10, 2, 683.7394),
        (NodePerturbationGraphs, 4, 10, 1, 690.6259),
        (NodePerturbationGraphs, 4, 10, np.inf, 678.5002),
        (CoHubGraphs, 2, 15, 2, 642.7267),
    ],
)
def test_minima_known_from_another_conic_solver(small, learner, lam1, lam2, q, minimum):
    S, n = small
    model = learner(lam1, lam2, q=q).fit_covariances(S, n)
    # The known values carry four digits; the conic solver's own precision is about 1e-4.
    assert model.objective_ == pytest.approx(minimum, abs=1e-3)
    assert 0 <= model.gap_ < 1e-3
    assert model.objective_ - model.gap_ <= minimum + 1e-4


@pytest.mark.parametrize("q", [1, 2, np.inf])
@BOTH
def test_precision_matrices_equal_those_of_an_interior_point_solver(learner, q):
    S, n = random_covariances(2, 6, seed=3)
    model = learner(3, 12, q=q, tol=1e-8).fit_covariances(S, n)
    theirs, minimum = solve_by_cones(S, n, 3, 12, shared=learner is CoHubGraphs, q=q)
    assert model.objective_ == pytest.approx(minimum, abs=1e-3)
    # Entries are known to about the root of the interior point's gap of 1e-8 relative.
    np.testing.assert_allclose(model.precision_, theirs, atol=2e-3 * np.abs(theirs).max())


@BOTH
@pytest.mark.parametrize("K", [2, 3, 4])
def test_the_gap_is_a_bound_and_closes_for_any_number_of_conditions(learner, K):
    S, n = random_covariances(K, 7, seed=K)
    model = learner(2, 8).fit_covariances(S, n)
    assert 0 <= model.gap_ < 1e-3
    rough = learner(2, 8, tol=1e-2).fit_covariances(S, n)
    assert rough.objective_ - rough.gap_ <= model.objective_ <= rough.objective_ + 1e-9
    # The objective by its definition, the norm by an iteration of its own.
    T = model.precision_
    if learner is CoHubGraphs:
        norm = rcon_norm(T * (1 - np.eye(7)))
    else:
        norm = sum(rcon_norm(T[k] - T[m]) for k, m in model.pairs_)
    assert objective(S, n, T, 2, 8 * norm) == pytest.approx(model.objective_, abs=1e-4)


@BOTH
def test_random_steps_do_not_lower_the_objective(learner, small):
    S, n = small
    model = learner(2, 15).fit_covariances(S, n)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1e-1):
        for _ in range(5):
            step = rng.standard_normal((2, 8, 8)) * size
            T = model.precision_ + step + np.swapaxes(step, 1, 2)
            norm = rcon_norm(T * (1 - np.eye(8)) if learner is CoHubGraphs else T[0] - T[1], tol=1e-6)
            assert objective(S, n, T, 2, 15 * norm) > model.objective_ - model.gap_


@pytest.mark.filterwarnings("ignore:graphical_lasso")
@BOTH
def test_without_lam2_conditions_are_graphical_lassos_of_their_own(learner, small):
    S, n = small
    model = learner(4, 0, tol=1e-8).fit_covariances(S, n)
    for C, size, T in zip(S, n, model.precision_):
        theirs = graphical_lasso(C + 4 / size * np.eye(8), alpha=4 / size, tol=1e-10, max_iter=60)[1]
        np.testing.assert_allclose(T, theirs, atol=1e-4)  # the precision of coordinate descent
        ours = solve_graphical_lasso(C, np.full((8, 8), 4 / size), tol=1e-13).precision
        np.testing.assert_allclose(T, ours, atol=1e-6)
        np.testing.assert_array_equal(T != 0, ours != 0)
    assert model.node_scores_.shape == ((1, 8) if learner is NodePerturbationGraphs else (2, 8))


@pytest.mark.filterwarnings("ignore:graphical_lasso")
def test_cohubs_with_q_one_are_graphical_lassos_with_a_larger_penalty(small):
    S, n = small
    model = CoHubGraphs(2, 6, q=1, tol=1e-8).fit_covariances(S, n)
    for C, size, T in zip(S, n, model.precision_):
        theirs = graphical_lasso(C + 2 / size * np.eye(8), alpha=(2 + 6 / 2) / size, tol=1e-10, max_iter=60)[1]
        np.testing.assert_allclose(T, theirs, atol=1e-4)


def test_equal_covariances_give_equal_graphs_without_perturbed_nodes(small):
    S, _ = small
    model = NodePerturbationGraphs(4, 1e-3).fit_covariances([S[0], S[0]], [40, 40])
    np.testing.assert_array_equal(model.precision_[0], model.precision_[1])
    assert model.perturbed_nodes().size == 0


def test_a_huge_lam2_pools_the_conditions(small):
    S, n = small
    model = NodePerturbationGraphs(4, 1e4, tol=1e-9).fit_covariances(S, n)
    pooled = (n[0] * S[0] + n[1] * S[1]) / 90
    alone = solve_graphical_lasso(pooled, np.full((8, 8), 8 / 90), tol=1e-12).precision
    np.testing.assert_array_equal(model.precision_[0], model.precision_[1])
    np.testing.assert_allclose(model.precision_[0], alone, atol=1e-5)
    hubless = CoHubGraphs(2, 1e4).fit_covariances(S, n)
    assert not hubless.adjacency_.any()
    assert hubless.hubs().size == 0


def test_optimality_conditions_of_the_perturbed_node_problem(small):
    S, n = small
    lam1, lam2 = 4.0, 10.0
    model = NodePerturbationGraphs(lam1, lam2, tol=1e-9).fit_covariances(S, n)
    V, T = model.V_[0], model.precision_
    M = [size * (W - C) for size, W, C in zip(n, model.covariance_, S)]
    # Equations (27) and (28): M^1 - lam1 G^1 = lam2 L = -(M^2 - lam1 G^2), G a sign where T is not zero.
    known = (T[0] != 0) & (T[1] != 0)
    L = [(m - lam1 * np.sign(t)) / lam2 for m, t in zip(M, T)]
    np.testing.assert_allclose(L[0][known], -L[1][known], atol=1e-4)
    for j in range(8):
        column = known[:, j]
        assert np.linalg.norm(2 * L[0][column, j]) <= 1 + 1e-4
        if (V[:, j] != 0).any() and column.all():
            assert np.linalg.norm(2 * L[0][:, j]) == pytest.approx(1, abs=1e-4)
    # Where an edge is absent from both, the sum of the gradients must be within the price of the two entries.
    absent = (T[0] == 0) & (T[1] == 0)
    assert (np.abs(M[0] + M[1])[absent] <= 2 * lam1 + 1e-4).all()
    active = np.linalg.norm(V, axis=0) > 0
    assert active.any() and not active.all()
    np.testing.assert_allclose(T[0] - T[1], V + V.T, atol=1e-6)


def test_zeros_are_exact_and_symmetric_and_precision_is_positive_definite():
    data = make_perturbed_graphs(25, 40, random_state=0)
    for model in (NodePerturbationGraphs().fit(data.tables), CoHubGraphs().fit(data.tables)):
        T = model.precision_
        np.testing.assert_array_equal(T, np.swapaxes(T, 1, 2))
        assert (T == 0).mean() > 0.3
        assert np.linalg.eigvalsh(T).min() > 0
        np.testing.assert_allclose(T @ model.covariance_, np.stack([np.eye(40)] * 2), atol=1e-8)
        assert [len(edges) for edges in model.edges_] == [np.triu(a, 1).sum() for a in model.adjacency_]


@BOTH
@pytest.mark.parametrize("stop", [1, 2, 5, 12])
def test_an_early_stop_still_gives_positive_definite_matrices_and_an_honest_gap(learner, stop):
    tables = make_perturbed_graphs(25, 50, random_state=0).tables
    best = learner().fit(tables)
    with pytest.warns(ConvergenceWarning):
        model = learner(max_iter=stop).fit(tables)
    assert np.linalg.eigvalsh(model.precision_).min() > 0
    assert model.objective_ - model.gap_ <= best.objective_ <= model.objective_ + best.gap_


def test_cohub_edges_all_touch_a_hub_even_without_lam1():
    data = make_perturbed_graphs(60, 20, n_perturbed=0, random_state=1)
    model = CoHubGraphs(0.0, 60.0).fit(data.tables)
    hubs = set(model.hubs().tolist())
    assert 0 < len(hubs) < 20
    assert all(hubs & set(edge) for edges in model.edges_ for edge in edges.tolist())
    assert set(data.hubs.tolist()) <= hubs


def block_data(seed=0):
    rng = np.random.default_rng(seed)
    S = np.zeros((2, 12, 12))
    for first, last in ((0, 5), (5, 9)):
        for k in range(2):
            rows = rng.standard_normal((30, last - first)) @ (np.eye(last - first) + rng.uniform(0.2, 0.6))
            S[k, first:last, first:last] = rows.T @ rows / 30
    S[:, [9, 10, 11], [9, 10, 11]] = [[0.5, 1.0, 2.0], [1.5, 1.1, 0.3]]
    noise = rng.uniform(-0.02, 0.02, S.shape)
    S += (noise + np.swapaxes(noise, 1, 2)) / 2 * (S == 0)
    return S, np.array([30.0, 40.0])


@BOTH
def test_screening_changes_nothing_but_the_work(learner):
    S, n = block_data()
    apart = learner(2, 6, tol=1e-9).fit_covariances(S, n)
    whole = learner(2, 6, tol=1e-9, screen=False).fit_covariances(S, n)
    np.testing.assert_array_equal(np.bincount(apart.blocks_), [5, 4, 1, 1, 1])
    assert set(whole.blocks_) == {0}
    np.testing.assert_allclose(apart.precision_, whole.precision_, atol=1e-6)
    np.testing.assert_allclose(apart.node_scores_, whole.node_scores_, atol=1e-5)
    assert apart.objective_ == pytest.approx(whole.objective_, abs=1e-5)


def test_variables_that_stand_alone_have_closed_forms():
    S, n = block_data()
    lam1, lam2 = 2.0, 6.0
    T = CoHubGraphs(lam1, lam2, tol=1e-9).fit_covariances(S, n).precision_
    for j in (9, 10, 11):
        np.testing.assert_allclose(T[:, j, j], n / (n * S[:, j, j] + lam1), rtol=1e-6)
    T = NodePerturbationGraphs(lam1, lam2, tol=1e-9).fit_covariances(S, n).precision_
    for j in (9, 10, 11):
        # Omega of one number is half of it: each condition pays lam2 / 2 towards the other until they meet.
        alone = n / (n * S[:, j, j] + lam1)
        sign = np.sign(alone[0] - alone[1]) * np.array([1, -1])
        moved = n / (n * S[:, j, j] + lam1 + sign * lam2 / 2)
        if (moved[0] - moved[1]) * (alone[0] - alone[1]) <= 0:
            moved = np.full(2, n.sum() / ((n * S[:, j, j]).sum() + 2 * lam1))
        np.testing.assert_allclose(T[:, j, j], moved, rtol=1e-6)


def test_blocks_are_the_chains_of_strong_covariances():
    S = np.stack([np.eye(5)] * 2)
    S[0, 0, 1] = S[0, 1, 0] = 0.3
    S[1, 1, 4] = S[1, 4, 1] = -0.3
    labels = joint_graph_blocks(S, [10, 10], 2.9)
    assert labels[0] == labels[1] == labels[4]
    assert len(set(labels)) == 3
    assert len(set(joint_graph_blocks(S, [10, 10], 3.0))) == 5


class TestRconNorm:
    def test_q_one_is_half_the_sum_of_the_entries(self):
        T = np.random.default_rng(0).standard_normal((2, 5, 5))
        T = T + np.swapaxes(T, 1, 2)
        assert rcon_norm(T, 1) == pytest.approx(np.abs(T).sum() / 2)

    @pytest.mark.parametrize("q", [1, 2, np.inf])
    def test_triangle_inequality_and_scale(self, q):
        rng = np.random.default_rng(1)
        A, B = (M + M.T for M in rng.standard_normal((2, 6, 6)))
        assert rcon_norm(A + B, q) <= rcon_norm(A, q) + rcon_norm(B, q) + 1e-6
        assert rcon_norm(-3 * A, q) == pytest.approx(3 * rcon_norm(A, q), rel=1e-7)
        assert rcon_norm(np.zeros((3, 3)), q) == 0

    def test_one_row_and_column_cost_one_vector(self):
        rng = np.random.default_rng(2)
        T = np.zeros((7, 7))
        T[4] = T[:, 4] = rng.standard_normal(7)
        expected = np.sqrt((T[4] ** 2).sum() - T[4, 4] ** 2 + T[4, 4] ** 2 / 4)
        assert rcon_norm(T) == pytest.approx(expected, rel=1e-7)

    @pytest.mark.parametrize("q", [2, np.inf])
    def test_no_other_splitting_is_cheaper(self, q):
        """Brute force over the skew part of V, three numbers for three variables."""
        T = np.random.default_rng(3).standard_normal((2, 3, 3))
        T = T + np.swapaxes(T, 1, 2)

        def cost(entries):
            skew = np.zeros((2, 3, 3))
            skew[:, [0, 0, 1], [1, 2, 2]] = entries.reshape(2, 3)
            V = T / 2 + skew - np.swapaxes(skew, 1, 2)
            return np.linalg.norm(np.concatenate(list(V)), ord=q, axis=0).sum()

        rng = np.random.default_rng(0)
        best = np.inf
        for _ in range(6):
            found = minimize(cost, rng.standard_normal(6), method="Nelder-Mead", options={"maxiter": 3000})
            best = min(best, minimize(cost, found.x, method="Nelder-Mead", options={"maxiter": 3000}).fun)
        value = rcon_norm(T, q)
        assert value <= best + 1e-7
        assert value == pytest.approx(best, rel=5e-3)  # a simplex search on a function with kinks

    def test_bad_input(self):
        with pytest.raises(ValueError, match="symmetric"):
            rcon_norm([[0.0, 1.0], [0.0, 0.0]])
        with pytest.raises(ValueError, match="square"):
            rcon_norm(np.zeros((2, 3)))
        with pytest.raises(ValueError, match="q=4"):
            rcon_norm(np.eye(2), 4)
        with pytest.raises(ValueError, match="not finite"):
            rcon_norm([[np.nan]])


def test_perturbed_nodes_rank_first_on_the_papers_simulation():
    top_four, seconds = 0, []
    for seed in range(10):
        data = make_perturbed_graphs(25, random_state=seed)
        begin = time.process_time()
        model = NodePerturbationGraphs(2.5, 12.5, tol=1e-5).fit(data.tables)
        seconds.append(time.process_time() - begin)
        assert model.lam1_ == NodePerturbationGraphs()._lam1_per_row * 25
        first = np.argsort(-model.node_scores_[0])[:4]
        top_four += set(data.perturbed) <= set(first)
    assert top_four >= 9
    assert min(seconds) < 10  # of one thread; it takes well under one


def test_the_rule_of_table_one_can_flag_nobody_among_few_and_at_most_three_of_a_hundred():
    for p, perturbed, flagged in ((31, 1, 0), (33, 1, 1), (100, 3, 3), (100, 4, 0)):
        model = NodePerturbationGraphs()
        model.node_scores_ = np.zeros((1, p))
        model.node_scores_[0, :perturbed] = 1.0  # as clear a case as there can be
        assert len(model.perturbed_nodes("5.5 sd")) == flagged
        assert len(model.perturbed_nodes()) == perturbed


def test_nodes_come_largest_score_first_and_hubs_in_every_condition():
    model = NodePerturbationGraphs()
    model.node_scores_ = np.array([[0.0, 0.2, 0.9], [0.0, 0.0, 0.3]])
    np.testing.assert_array_equal(model.perturbed_nodes(), [2, 1])
    np.testing.assert_array_equal(model.perturbed_nodes(0.5), [2])
    model = CoHubGraphs()
    model.node_scores_ = np.array([[0.0, 0.2, 0.9], [0.0, 0.0, 0.3]])
    np.testing.assert_array_equal(model.hubs(), [2])
    with pytest.raises(ValueError, match="6 sd"):
        model.hubs("6 sd")


@BOTH
def test_tables_and_their_covariances_give_the_same(learner):
    tables = small_problem()
    by_table = learner(4, 10).fit(tables)
    S = [np.cov(table.T, bias=True) for table in tables]
    by_covariance = learner(4, 10).fit_covariances(S, [len(table) for table in tables])
    np.testing.assert_allclose(by_table.precision_, by_covariance.precision_, atol=1e-9)
    centred = learner(4, 10, assume_centered=True).fit([table - table.mean(axis=0) for table in tables])
    np.testing.assert_allclose(by_table.precision_, centred.precision_, atol=1e-9)
    expected = sum(np.linalg.slogdet(T)[1] - np.vdot(C, T) for C, T in zip(S, by_table.precision_))
    assert by_table.score(tables) == pytest.approx(expected)


@BOTH
def test_parameters_clone_and_saved_models(learner, tmp_path):
    model = learner(3, 9, q=np.inf, screen=False, assume_centered=True, tol=1e-5, max_iter=77)
    assert clone(model).get_params() == model.get_params()
    tables = small_problem()
    fitted = clone(model).set_params(max_iter=5000).fit(tables)
    save_model(fitted, tmp_path / "graphs.skops")
    again = load_model(tmp_path / "graphs.skops").model
    np.testing.assert_array_equal(again.precision_, fitted.precision_)
    assert again.score(tables) == fitted.score(tables)
    assert again.get_params() == fitted.get_params()


def test_names_of_columns_reach_the_graphs():
    pandas = pytest.importorskip("pandas")
    tables = [pandas.DataFrame(table, columns=list("abcdefgh")) for table in small_problem()]
    model = NodePerturbationGraphs(4, 10).fit(tables)
    graph = model.to_networkx(1)
    assert list(graph) == list("abcdefgh")
    T = model.precision_[1]
    i, j = model.edges_[1][0]
    weight = graph.edges["abcdefgh"[i], "abcdefgh"[j]]["weight"]
    assert weight == pytest.approx(-T[i, j] / np.sqrt(T[i, i] * T[j, j]))
    assert graph.number_of_edges() == len(model.edges_[1])
    with pytest.raises(ValueError, match="feature names"):
        NodePerturbationGraphs(4, 10).fit([tables[0], tables[1][list("hgfedcba")]])
    with pytest.raises(ValueError, match="condition=2"):
        model.to_networkx(2)
    with pytest.raises(
        ValueError, match=r"each of 2 conditions; choose one, as in plot_graph\(model.to_networkx\(0\)\)"
    ):
        plot_graph(model)
    assert len(plot_graph(model.to_networkx(0)).texts) == 8


def test_cross_validation_starts_from_neighbours_and_finds_what_fits_alone_find():
    tables = small_problem()
    model = NodePerturbationGraphs(tol=1e-7)
    search = search_penalties(model, tables, [2, 8], [5, 20], n_folds=3, random_state=0)
    np.testing.assert_array_equal(search.lam1, [8, 2])
    np.testing.assert_array_equal(search.lam2, [5, 20])
    rng = np.random.RandomState(0)
    folds = [rng.permutation(np.arange(len(table)) % 3) for table in tables]
    expected = np.zeros((2, 2))
    for i, lam1 in enumerate(search.lam1):
        for j, lam2 in enumerate(search.lam2):
            for f in range(3):
                train = [table[fold != f] for table, fold in zip(tables, folds)]
                share = sum(map(len, train)) / 90
                alone = NodePerturbationGraphs(lam1 * share, lam2 * share, tol=1e-7).fit(train)
                expected[i, j] += alone.score([table[fold == f] for table, fold in zip(tables, folds)]) / 3
    np.testing.assert_allclose(search.heldout, expected, atol=1e-4)
    i, j = np.unravel_index(expected.argmax(), (2, 2))
    assert (search.best_lam1, search.best_lam2) == (search.lam1[i], search.lam2[j])
    assert search.best_estimator.lam1_ == search.best_lam1
    assert (search.n_edges[1] > search.n_edges[0]).all()
    assert model.get_params()["lam1"] is None


def test_a_neighbours_solution_saves_iterations():
    data = make_perturbed_graphs(25, 40, random_state=0)
    fine = search_penalties(NodePerturbationGraphs(), data.tables, [2.5, 2.4], [12.5], n_folds=2, random_state=0)
    far = search_penalties(NodePerturbationGraphs(), data.tables, [2.4], [12.5], n_folds=2, random_state=0)
    np.testing.assert_allclose(fine.heldout[1], far.heldout[0], atol=1e-4)
    # Convergence is linear, so a start at a twentieth of the distance saves a share of the digits, no more.
    assert fine.n_iter[1, 0] < 0.9 * far.n_iter[0, 0]


def test_constant_columns_and_more_columns_than_rows_are_no_trouble():
    rng = np.random.default_rng(0)
    tables = [rng.standard_normal((6, 15)), rng.standard_normal((8, 15))]
    for table in tables:
        table[:, 3] = 1.0
    for learner in (NodePerturbationGraphs, CoHubGraphs):
        model = learner(1.0, 4.0).fit(tables)
        assert np.isfinite(model.precision_).all()
        assert not model.adjacency_[:, 3].any()
        assert model.gap_ < 0.01


def test_bad_input_is_refused_with_a_reason(small):
    S, n = small
    tables = small_problem()
    for learner in (NodePerturbationGraphs, CoHubGraphs):
        with pytest.raises(ValueError, match="lam1"):
            learner(-1.0, 1.0).fit(tables)
        with pytest.raises(ValueError, match="lam2"):
            learner(1.0, -1.0).fit_covariances(S, n)
        with pytest.raises(ValueError, match="'q'"):
            learner(q=3).fit(tables)
        with pytest.raises(ValueError, match="features"):
            learner().fit([tables[0], tables[1][:, :5]])
        with pytest.raises(ValueError, match="NaN"):
            learner().fit([tables[0], np.where(tables[1] > 2, np.nan, tables[1])])
        with pytest.raises(ValueError, match="list with one table"):
            learner().fit(tables[0])
        with pytest.raises(ValueError, match="at least two conditions"):
            learner().fit(tables[:1])
        with pytest.raises(ValueError, match="not symmetric"):
            learner().fit_covariances([S[0], np.triu(S[1])], n)
        with pytest.raises(ValueError, match="of 5 variables"):
            learner().fit_covariances([S[0], S[1][:5, :5]], n)
        with pytest.raises(ValueError, match="positive numbers"):
            learner().fit_covariances(S, [40])
        with pytest.raises(ValueError, match="positive numbers"):
            learner().fit_covariances(S, [40, 0])
        with pytest.raises(ValueError, match="negative variance"):
            learner().fit_covariances([S[0], S[1] - 9 * np.eye(8)], n)
        with pytest.raises(ValueError, match="singular"):
            learner(0.0, 0.0).fit([table[:5] for table in tables])
        with pytest.raises(NotFittedError):
            learner().score(tables)
        with pytest.raises(ValueError, match="3 tables"):
            learner().fit(tables).score([*tables, tables[0]])
        with pytest.warns(ConvergenceWarning, match="max_iter"):
            learner(4, 10, max_iter=3).fit(tables)
    with pytest.raises(ValueError, match="singular"):
        NodePerturbationGraphs(0.0, 1.0).fit([table[:3] for table in tables])
    flat = [np.where(np.arange(8) == 2, 1.0, table) for table in tables]
    with pytest.raises(ValueError, match="column 2 does not vary"):
        CoHubGraphs(0.0, 1.0).fit(flat)
    with pytest.raises(ValueError, match="n_folds=30"):
        search_penalties(CoHubGraphs(), tables, [1], [1], n_folds=30)
    with pytest.raises(ValueError, match="lam2 must hold"):
        search_penalties(CoHubGraphs(), tables, [1], [-1])


def test_the_paper_s_own_choice_of_no_lam1_is_allowed_where_rows_are_many():
    model = NodePerturbationGraphs(0.0, 10.0).fit(small_problem())
    assert model.gap_ < 1e-2
    assert model.adjacency_.sum() == 2 * 56


def test_edges_of_every_condition_have_their_own_stability():
    tables = [np.repeat(table, 3, axis=0) for table in small_problem()]
    model = NodePerturbationGraphs(12, 30)
    stable = edge_stability(model, tables, n_subsamples=4, size=60, random_state=0)
    assert stable.frequency.shape == (2, 8, 8)
    rng = np.random.RandomState(0)
    expected = np.zeros((2, 8, 8))
    for _ in range(4):
        rows = [np.sort(rng.choice(len(table), 60, replace=False)) for table in tables]
        expected += clone(model).fit([table[these] for table, these in zip(tables, rows)]).adjacency_ / 4
    np.testing.assert_allclose(stable.frequency, expected)
    assert 0 < stable.instability < 0.5
    condition, i, j = stable.edges.T
    assert set(condition) == {0, 1} and (i < j).all()
    np.testing.assert_array_equal(stable.of_edges, stable.frequency[condition, i, j])
    with pytest.raises(ValueError, match="size=140 rows cannot be drawn from 120"):
        edge_stability(model, tables, size=140)


def test_pictures_name_the_nodes_that_have_a_score():
    data = make_perturbed_graphs(50, 20, random_state=0)
    model = NodePerturbationGraphs().fit(data.tables)
    ax = plot_node_scores(model, highlight=data.perturbed)
    assert {text.get_text() for text in ax.texts} == {str(node) for node in model.perturbed_nodes()[:8]}
    axes = plot_condition_graphs(model)
    assert [ax.get_title() for ax in axes] == [f"condition {k}: {len(model.edges_[k])} edges" for k in range(2)]
    with pytest.raises(ValueError, match="this plot has 2 panels"):
        plot_condition_graphs(model, ax=axes[:1])
    assert plot_node_scores(CoHubGraphs().fit(data.tables), ax=axes[0]) is axes[0]
