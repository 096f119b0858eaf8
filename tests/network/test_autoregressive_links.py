"""The next snapshot: against a conic solver, the lasso and closed forms; graphs in and out; bad input."""

import warnings

import networkx
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso
from sklearn.metrics import roc_auc_score

from benchmarks.network.next_snapshot import conic_objective
from treatise.datasets import load_atp_months, make_changing_network
from treatise.network import AutoregressiveLinkPredictor, link_scores
from treatise.network.autoregressive._joint_fit import JointProblem, fit_incrementally, fit_jointly
from treatise.network.autoregressive.feature_maps import feature_map

FEATURES = ("in_degree", "out_degree", "svd", "entries")


def small_problem(seed, *, features="in_degree", kappa=0.3, tau=0.2, gamma=0.05, nonnegative=True, n=6, T=8):
    snapshots = make_changing_network(n, 3, T, random_state=seed)
    omega = feature_map(features, sum(snapshots), 2)
    seen = np.array([omega.apply(A) for A in snapshots])
    return JointProblem(seen[:-1], seen[1:], seen[-1], omega, (n, n), kappa, tau, gamma, nonnegative)


@pytest.mark.parametrize("features", FEATURES)
def test_adjoints_and_gains_of_the_features(features):
    rng = np.random.default_rng(0)
    omega = feature_map(features, rng.random((5, 7)), 3)
    A = rng.normal(size=(5, 7))
    v = rng.normal(size=len(omega.apply(A)))
    assert omega.apply(A) @ v == pytest.approx(np.sum(A * omega.adjoint(v)), abs=1e-12)
    np.testing.assert_allclose(omega.apply(omega.adjoint(v)), omega.gain * v, atol=1e-12)


def test_the_optimum_is_that_of_a_conic_solver_and_within_the_gap():
    for seed in range(5):
        problem = small_problem(seed)
        found = fit_jointly(problem, tol=1e-7, max_iter=5000)
        exact = conic_objective(problem)
        assert found.converged
        assert found.objective == pytest.approx(exact, rel=1e-6)
        assert found.objective - found.gap <= exact + 1e-6 * abs(exact)
        assert problem.objective(found.A, found.W) == pytest.approx(found.objective)
        assert found.A.min() >= 0.0


def test_conditions_of_the_optimum_hold_for_w():
    problem = small_problem(0, features="svd", kappa=0.1)
    found = fit_jointly(problem, tol=1e-9, max_iter=20_000)
    slope = problem.gradients(found.A, found.W)[1]
    assert np.abs(slope).max() <= 0.1 * (1 + 1e-3)
    active = np.abs(found.W) > 1e-6
    np.testing.assert_allclose(slope[active], -0.1 * np.sign(found.W[active]), atol=1e-4)


def test_any_slopes_give_a_bound_below_any_point():
    rng = np.random.default_rng(0)
    for nonnegative in (True, False):
        problem = small_problem(1, nonnegative=nonnegative)
        least = fit_jointly(problem, tol=1e-8, max_iter=20_000).objective
        for _ in range(20):
            A, W = np.abs(rng.normal(size=(6, 6))), 0.3 * rng.normal(size=(6, 6))
            slopes = rng.normal(size=(6, 6))
            slopes *= problem.tau / np.linalg.norm(slopes, 2)
            assert problem.bound(A, W, slopes) <= least + 1e-9
            assert problem.objective(A, W) >= least


def test_without_prices_on_the_snapshot_it_is_the_lasso():
    problem = small_problem(2, tau=0.0, gamma=0.0, nonnegative=False)
    found = fit_jointly(problem, tol=1e-8, max_iter=3000)
    lasso = Lasso(alpha=0.15, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(problem.X0, problem.X1)
    # scikit-learn's objective is half of the mean of the squares.
    expected = (
        np.sum((problem.X1 - problem.X0 @ lasso.coef_.T) ** 2) / len(problem.X1) + 0.3 * np.abs(lasso.coef_).sum()
    )
    assert found.objective == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(problem.omega.apply(found.A), found.W.T @ problem.last, atol=1e-2)


def test_a_high_price_of_w_leaves_nothing():
    found = fit_jointly(small_problem(0, kappa=1e6), tol=1e-9, max_iter=100)
    np.testing.assert_array_equal(found.W, 0.0)
    np.testing.assert_array_equal(found.A, 0.0)


def test_entries_as_features_give_the_threshold_of_singular_values_of_the_forecast():
    problem = small_problem(3, features="entries", kappa=0.2, tau=0.05, gamma=0.0, nonnegative=False)
    found = fit_jointly(problem, tol=1e-10, max_iter=20_000)
    forecast = (found.W.T @ problem.last).reshape(6, 6)
    left, values, right = np.linalg.svd(forecast)
    # The squared distance weighs 1 / d: the threshold is tau d / 2.
    expected = (left * np.maximum(values - 0.05 * 36 / 2, 0.0)) @ right
    np.testing.assert_allclose(found.A, expected, atol=2e-3)


def test_the_papers_algorithm_comes_near_the_optimum_from_above():
    problem = small_problem(0, kappa=0.05, tau=0.1, gamma=0.05)
    best = fit_jointly(problem, tol=1e-8, max_iter=5000)
    assert best.A.any()
    limit = 2.0 / (2.0 / 7 * np.linalg.norm(problem.X0, 2) ** 2 + 2.0 / 6 * (problem.last @ problem.last + 6))
    A, W, _ = fit_incrementally(problem, theta=0.9 * limit, max_iter=2000)
    above = problem.objective(np.maximum(A, 0.0), W) - best.objective
    assert -best.gap <= above < 0.02 * best.objective


def test_a_second_order_of_weight_nothing_changes_nothing():
    snapshots = make_changing_network(8, 3, 9, random_state=0)
    prices = {"kappa": 1e7, "tau": 0.1, "gamma": 0.1, "features": "in_degree"}
    first = AutoregressiveLinkPredictor(**prices).fit(snapshots[1:])
    second = AutoregressiveLinkPredictor(order=2, **prices).fit(snapshots)
    np.testing.assert_array_equal(second.W_, 0.0)
    np.testing.assert_array_equal(second.scores_, first.scores_)
    two = AutoregressiveLinkPredictor(order=2, kappa=0.1, tau=0.1, gamma=0.1, features="in_degree").fit(snapshots)
    assert two.W_.shape == (16, 8)
    # The nearest snapshot comes first.
    before = np.concatenate([snapshots[-1].sum(axis=0), snapshots[-2].sum(axis=0)])
    np.testing.assert_allclose(two.predicted_features_, two.W_.T @ before)


def test_turning_networks_are_predicted_where_sums_over_time_blur_them():
    scores = {"ours": [], "sum": []}
    for seed in range(3):
        snapshots = make_changing_network(30, 4, 14, random_state=seed)
        strong = snapshots[-1] > np.quantile(snapshots[-1], 0.9)
        model = AutoregressiveLinkPredictor(n_directions=4).fit(snapshots[:-1])
        scores["ours"].append(roc_auc_score(strong.ravel(), model.scores_.ravel()))
        scores["sum"].append(roc_auc_score(strong.ravel(), sum(snapshots[:-1]).ravel()))
    assert np.mean(scores["ours"]) > np.mean(scores["sum"]) + 0.02


def test_the_answer_has_the_form_of_the_snapshots():
    snapshots = make_changing_network(8, 2, 7, random_state=0)
    prices = {"kappa": 0.1, "tau": 0.01, "gamma": 0.01, "features": "in_degree"}
    dense = AutoregressiveLinkPredictor(**prices).fit(snapshots).predict()
    thin = AutoregressiveLinkPredictor(**prices).fit([sparse.csr_array(A) for A in snapshots]).predict()
    assert sparse.issparse(thin)
    np.testing.assert_array_equal(thin.toarray(), dense)
    names = [f"node {i}" for i in range(8)]
    graphs = []
    for A in snapshots:
        graph = networkx.from_numpy_array(A, create_using=networkx.DiGraph)
        graphs.append(networkx.relabel_nodes(graph, dict(enumerate(names))))
    model = AutoregressiveLinkPredictor(**prices).fit(graphs)
    answer = model.predict()
    assert isinstance(answer, networkx.DiGraph)
    np.testing.assert_allclose(networkx.to_numpy_array(answer, nodelist=names), dense)
    np.testing.assert_allclose(model.predict([["node 0", "node 3"], ["node 2", "node 1"]]), dense[[0, 2], [3, 1]])
    assert model.score(graphs[-1]) == pytest.approx(roc_auc_score(snapshots[-1].ravel() > 0, dense.ravel()))
    undirected = [networkx.from_numpy_array(A + A.T) for A in snapshots]
    both = AutoregressiveLinkPredictor(**prices).fit(undirected)
    assert isinstance(both.predict(), networkx.Graph) and not both.predict().is_directed()
    np.testing.assert_array_equal(both.scores_, both.scores_.T)


def test_graphs_may_gain_nodes_over_time():
    early, late = networkx.path_graph(3), networkx.path_graph(5)
    model = AutoregressiveLinkPredictor("in_degree", kappa=0.1, tau=0.01, gamma=0.01).fit([early, late, early, late])
    assert sorted(model.nodes_) == [0, 1, 2, 3, 4]


def test_rectangular_tables_of_who_bought_what_are_taken():
    rng = np.random.default_rng(0)
    tables = [rng.poisson(0.5, (12, 5)).astype(float) for _ in range(6)]
    model = AutoregressiveLinkPredictor("in_degree", kappa=0.1, tau=0.01, gamma=0.01).fit(tables)
    assert model.predict().shape == (12, 5)


def test_too_few_steps_are_told():
    snapshots = make_changing_network(10, 3, 8, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = AutoregressiveLinkPredictor(kappa=0.01, tau=0.01, gamma=0.01, max_iter=2, tol=1e-9).fit(snapshots)
    assert model.converged_ is False
    assert model.gap_ > 0.0


def test_bad_input_is_refused():
    snapshots = make_changing_network(6, 2, 5, random_state=0)
    model = AutoregressiveLinkPredictor(kappa=1.0, tau=0.1, gamma=0.1)
    for graphs, match in (
        ([], "no snapshots"),
        (snapshots[0], "one snapshot"),
        (snapshots[:1], "too few"),
        ([snapshots[0], snapshots[1][:3]], "shapes"),
        ([-A for A in snapshots], "negative weight"),
        ([np.full((3, 3), np.nan)] * 3, "NaN"),
        ([networkx.Graph(), networkx.DiGraph()], "directed"),
        ([networkx.Graph()] * 3, "no snapshot has a node"),
    ):
        with pytest.raises(ValueError, match=match):
            model.fit(graphs)
    with pytest.raises(ValueError, match="all three"):
        AutoregressiveLinkPredictor(kappa=1.0).fit(snapshots)
    model.fit(snapshots)
    with pytest.raises(ValueError, match="no node"):
        model.predict([[0, 9]])
    with pytest.raises(ValueError, match="two columns"):
        model.predict([[0, 1, 2]])
    with pytest.raises(ValueError, match="all links or none"):
        model.score(np.zeros((6, 6)))
    with pytest.raises(ValueError, match="shape"):
        model.score(np.eye(3))


def test_networks_without_a_link_predict_none():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = AutoregressiveLinkPredictor().fit([np.zeros((4, 4))] * 4)
    np.testing.assert_array_equal(model.scores_, 0.0)
    assert model.converged_ is True


def test_yardsticks_are_those_of_networkx_and_of_their_sums():
    graph = networkx.karate_club_graph()
    A = networkx.to_numpy_array(graph, weight=None)
    pairs = [(0, 33), (4, 9), (11, 20)]
    shared = link_scores(A, "common_neighbors")
    attached = link_scores(sparse.csr_array(A), "preferential_attachment")
    for i, j in pairs:
        assert shared[i, j] == len(list(networkx.common_neighbors(graph, i, j)))
    for i, j, product in networkx.preferential_attachment(graph, pairs):
        assert attached[i, j] == product
    beta, walks, power = 0.05, np.zeros_like(A), np.eye(34)
    for _ in range(200):
        power = beta * power @ A
        walks += power
    np.testing.assert_allclose(link_scores(A, "katz", beta=beta), walks, atol=1e-10)
    # Here a degree counts links in and out, twice that of an undirected graph.
    degrees = A.sum(axis=0)
    expected = sum(A[0, k] * A[k, 33] / np.log(2 * degrees[k]) for k in range(34))
    assert link_scores(A, "adamic_adar")[0, 33] == pytest.approx(expected)
    with pytest.raises(ValueError, match="spectral radius"):
        link_scores(A, "katz", beta=1.0)
    with pytest.raises(ValueError, match="choose one of"):
        link_scores(A, "jaccard")


def test_matches_of_players_by_month_add_up():
    try:
        snapshots, players, months = load_atp_months(50)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    assert len(snapshots) == len(months) and months == sorted(months) and len(set(players)) == 50
    total = sum(snapshots)
    assert total.shape == (50, 50) and total.diagonal().sum() == 0
    assert total.sum() > 1000
