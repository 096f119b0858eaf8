"""The next snapshot: against a conic solver, the lasso and closed forms; graphs in and out; bad input."""

import networkx
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso
from sklearn.metrics import roc_auc_score

from benchmarks.network.next_snapshot import conic_objective
from treatise._core.errors import DataNotFoundError, TreatiseError
from treatise.datasets import load_atp_months, make_changing_network
from treatise.io import load_model, save_model
from treatise.network import AutoregressiveLinkPredictor, link_scores
from treatise.network.autoregressive._joint_fit import fit_jointly
from treatise.network.autoregressive._past import Past
from treatise.network.autoregressive.feature_maps import feature_map, leading_directions
from treatise.network.autoregressive.incremental import fit_incrementally

FEATURES = ("in_degree", "out_degree", "svd", "entries")
PAPER = {"rule": "full", "fit_intercept": False}


def small_problem(
    seed,
    *,
    features="in_degree",
    rule="full",
    constant=False,
    kappa=0.3,
    tau=0.2,
    gamma=0.05,
    nonnegative=True,
    order=1,
):
    snapshots = make_changing_network(6, 3, 8, random_state=seed)
    past = Past(snapshots, features=features, order=order, rule=rule, constant=constant, nonnegative=nonnegative)
    return past.problem(2, kappa, tau, gamma)


@pytest.mark.parametrize("features", FEATURES)
def test_adjoints_and_gains_of_the_features(features):
    rng = np.random.default_rng(0)
    omega = feature_map(features, (5, 7), leading_directions(rng.random((5, 7)))[:, :3])
    A = rng.normal(size=(5, 7))
    v = rng.normal(size=len(omega.apply(A)))
    assert omega.apply(A) @ v == pytest.approx(np.sum(A * omega.adjoint(v)), abs=1e-12)
    np.testing.assert_allclose(omega.apply(omega.adjoint(v)), omega.gain * v, atol=1e-12)
    np.testing.assert_allclose(omega.apply(sparse.csr_array(A)), omega.apply(A), atol=1e-12)


def test_the_optimum_is_that_of_a_conic_solver_and_within_the_gap():
    cases = [{"seed": seed} for seed in range(5)]
    cases += [
        {"seed": 0, "features": "svd", "constant": True, "kappa": 0.1},
        {"seed": 1, "rule": "shared", "kappa": 2.0},
        {"seed": 2, "features": "svd", "rule": "shared", "constant": True, "order": 2},
        {"seed": 3, "features": "out_degree", "rule": "shared", "constant": True, "kappa": 20.0},
    ]
    for case in cases:
        problem = small_problem(**case)
        found = fit_jointly(problem, tol=1e-6, max_iter=20_000)
        exact = conic_objective(problem)
        assert found.converged, case
        assert found.objective == pytest.approx(exact, rel=1e-6), case
        assert found.objective - found.gap <= exact + 1e-6 * abs(exact), case
        assert problem.objective(found.A, found.W, found.b) == pytest.approx(found.objective)
        assert found.A.min() >= 0.0


def test_conditions_of_the_optimum_hold_for_w():
    problem = small_problem(0, features="svd", kappa=0.1)
    found = fit_jointly(problem, tol=1e-9, max_iter=20_000)
    slope = problem.gradients(found.A, found.W, found.b)[1]
    assert np.abs(slope).max() <= 0.1 * (1 + 1e-3)
    active = np.abs(found.W) > 1e-6
    np.testing.assert_allclose(slope[active], -0.1 * np.sign(found.W[active]), atol=1e-4)


def test_any_slopes_give_a_bound_below_any_point():
    rng = np.random.default_rng(0)
    for nonnegative, constant in ((True, False), (False, False), (True, True), (False, True)):
        problem = small_problem(1, nonnegative=nonnegative, constant=constant)
        least = fit_jointly(problem, tol=1e-7, max_iter=20_000).objective
        for _ in range(20):
            A, W = np.abs(rng.normal(size=(6, 6))), 0.3 * rng.normal(size=(6, 6))
            b = rng.normal(size=(1, 6)) * constant
            slopes = rng.normal(size=(6, 6))
            slopes *= problem.tau / np.linalg.norm(slopes, 2)
            assert problem.bound(A, W, b, slopes) <= least + 1e-9
            assert problem.objective(A, W, b) >= least - 1e-7


def test_without_prices_on_the_snapshot_it_is_the_lasso():
    problem = small_problem(2, tau=0.0, gamma=0.0, nonnegative=False)
    found = fit_jointly(problem, tol=1e-8, max_iter=3000)
    X0, X1 = problem.X0[:, 0], problem.X1[:, 0]
    lasso = Lasso(alpha=0.15, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(X0, X1)
    # scikit-learn's objective is half of the mean of the squares.
    expected = np.sum((X1 - X0 @ lasso.coef_.T) ** 2) / len(X1) + 0.3 * np.abs(lasso.coef_).sum()
    assert found.objective == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(problem.features(found.A), problem.last @ found.W, atol=1e-2)


def test_levels_and_one_rule_for_all_nodes_are_the_lasso_of_stacked_centred_rows():
    problem = small_problem(2, features="svd", rule="shared", constant=True, tau=0.0, gamma=0.0, nonnegative=False)
    found = fit_jointly(problem, tol=1e-7, max_iter=3000)
    centred = [(X - X.mean(axis=0)).reshape(-1, 2) for X in (problem.X0, problem.X1)]
    # Rows are divided by their number here, by the number of times there: six nodes.
    lasso = Lasso(alpha=0.15 / 6, fit_intercept=False, tol=1e-14, max_iter=100_000).fit(*centred)
    np.testing.assert_allclose(found.W, lasso.coef_.T, atol=1e-4)
    levels = (problem.X1 - problem.X0 @ found.W).mean(axis=0)
    np.testing.assert_allclose(found.b, levels, atol=1e-4)


def test_a_high_price_of_w_leaves_nothing():
    found = fit_jointly(small_problem(0, kappa=1e6), tol=1e-9, max_iter=100)
    np.testing.assert_array_equal(found.W, 0.0)
    np.testing.assert_array_equal(found.A, 0.0)


def test_entries_as_features_give_the_threshold_of_singular_values_of_the_forecast():
    problem = small_problem(3, features="entries", kappa=0.2, tau=0.05, gamma=0.0, nonnegative=False)
    found = fit_jointly(problem, tol=1e-10, max_iter=20_000)
    forecast = (problem.last @ found.W).reshape(6, 6)
    left, values, right = np.linalg.svd(forecast)
    # The squared distance weighs 1 / d: the threshold is tau d / 2.
    expected = (left * np.maximum(values - 0.05 * 36 / 2, 0.0)) @ right
    np.testing.assert_allclose(found.A, expected, atol=2e-3)


def test_the_papers_algorithm_comes_near_the_optimum_from_above():
    problem = small_problem(0, kappa=0.05, tau=0.1, gamma=0.05)
    best = fit_jointly(problem, tol=1e-8, max_iter=5000)
    assert best.A.any()
    steepest = 2.0 / 7 * np.linalg.norm(problem.X0[:, 0], 2) ** 2 + 2.0 / 6 * (np.sum(problem.last**2) + 6)
    A, W, _ = fit_incrementally(problem, theta=1.8 / steepest, max_iter=2000)
    above = problem.objective(np.maximum(A, 0.0), W, 0.0) - best.objective
    assert -best.gap <= above < 0.02 * best.objective


def test_a_second_order_of_weight_nothing_changes_nothing():
    snapshots = make_changing_network(8, 3, 9, random_state=0)
    prices = {"kappa": 1e7, "tau": 0.1, "gamma": 0.1, "features": "in_degree", **PAPER}
    first = AutoregressiveLinkPredictor(**prices).fit(snapshots[1:])
    second = AutoregressiveLinkPredictor(order=2, **prices).fit(snapshots)
    np.testing.assert_array_equal(second.W_, 0.0)
    np.testing.assert_array_equal(second.scores_, first.scores_)
    two = AutoregressiveLinkPredictor(order=2, kappa=0.1, tau=0.1, gamma=0.1, features="in_degree", **PAPER)
    two.fit(snapshots)
    assert two.W_.shape == (16, 8)
    # The nearest snapshot comes first.
    before = np.concatenate([snapshots[-1].sum(axis=0), snapshots[-2].sum(axis=0)])
    np.testing.assert_allclose(two.predicted_features_, two.W_.T @ before)


def test_turning_networks_are_predicted_where_sums_over_time_blur_them():
    areas = []
    for seed in range(2):
        *past, following = make_changing_network(30, 4, 10, random_state=seed)
        strong = (following > np.quantile(following, 0.9)).ravel()
        fitted = [
            AutoregressiveLinkPredictor().fit(past),
            AutoregressiveLinkPredictor(n_directions=4, **PAPER).fit(past),
        ]
        scores = [model.scores_.ravel() for model in fitted]
        areas.append([roc_auc_score(strong, score) for score in (*scores, sum(past).ravel())])
    shared, full, blurred = np.mean(areas, axis=0)
    assert shared > 0.98
    assert full > blurred + 0.02


def test_one_rule_finds_the_turn_of_the_factors():
    # Without noise, features turn by a matrix that is known; a low price of W leaves it.
    snapshots = make_changing_network(30, 3, 8, noise=0.1, random_state=1)
    model = AutoregressiveLinkPredictor(n_directions=3, fit_intercept=False, kappa=1e-6, tau=1e-6, gamma=0.0)
    model.fit(snapshots[:-1])
    V = leading_directions(sum(snapshots[:-1]))[:, :3]
    np.testing.assert_allclose((snapshots[-2] @ V) @ model.W_, snapshots[-1] @ V, atol=1e-3)
    np.testing.assert_allclose(model.scores_, snapshots[-1], atol=0.05)


def test_the_last_snapshots_choose_directions_and_prices():
    past = make_changing_network(30, 4, 9, random_state=0)
    model = AutoregressiveLinkPredictor().fit(past)
    again = AutoregressiveLinkPredictor(
        n_directions=model.n_directions_, kappa=model.kappa_, tau=model.tau_, gamma=model.gamma_
    ).fit(past)
    np.testing.assert_array_equal(again.scores_, model.scores_)
    assert model.n_directions_ >= 4


def test_scaled_weights_and_renumbered_rows_change_nothing_else():
    past = make_changing_network(20, 3, 8, random_state=3)
    model = AutoregressiveLinkPredictor().fit(past)
    scaled = AutoregressiveLinkPredictor().fit([1024.0 * A for A in past])  # a power of two, without rounding
    assert scaled.n_directions_ == model.n_directions_
    np.testing.assert_allclose(scaled.scores_, 1024.0 * model.scores_, rtol=1e-9)
    order = np.random.default_rng(0).permutation(20)
    moved = AutoregressiveLinkPredictor().fit([A[order][:, order] for A in past])
    np.testing.assert_allclose(moved.scores_, model.scores_[order][:, order], atol=1e-4 * model.scores_.max())


def test_a_network_without_loops_has_none_predicted():
    loopless = [A * (1 - np.eye(12)) for A in make_changing_network(12, 3, 8, random_state=0)]
    model = AutoregressiveLinkPredictor().fit(loopless[:-1])
    np.testing.assert_array_equal(np.diag(model.scores_), 0.0)
    others = ~np.eye(12, dtype=bool)
    expected = roc_auc_score(loopless[-1][others] > 0, model.scores_[others])
    assert model.score(loopless[-1]) == pytest.approx(expected)


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
    prices = {"n_directions": 5, "kappa": 0.01, "tau": 0.01, "gamma": 0.01}
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = AutoregressiveLinkPredictor(**prices, max_iter=2, tol=1e-9).fit(snapshots)
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
        ([networkx.empty_graph(4)] * 3, "no snapshot has a link"),
        ([np.zeros((0, 0))] * 3, "with a node"),
        ([np.ones((2, 2)) * 1j] * 3, "complex"),
    ):
        with pytest.raises(ValueError, match=match):
            model.fit(graphs)
    with pytest.raises(ValueError, match="2 snapshots are too few for order=1; 3"):
        model.fit(snapshots[:2])
    with pytest.raises(ValueError, match=r"5 snapshots are too few for order=4; 7 .* to choose"):
        AutoregressiveLinkPredictor(order=4).fit(snapshots)
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


def test_a_saved_model_answers_alike_and_a_forged_one_is_refused(tmp_path):
    graphs = [networkx.relabel_nodes(networkx.gnp_random_graph(8, 0.4, seed=k), "n{}".format) for k in range(6)]
    model = AutoregressiveLinkPredictor("in_degree", kappa=1.0, tau=0.1, gamma=0.01).fit(graphs)
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops").model
    np.testing.assert_array_equal(loaded.predict([["n0", "n1"]]), model.predict([["n0", "n1"]]))
    assert loaded.score(graphs[-1]) == model.score(graphs[-1])
    model.scores_ = model.scores_[:3]
    save_model(model, tmp_path / "forged.skops")
    with pytest.raises(TreatiseError, match="a number for each pair"):
        load_model(tmp_path / "forged.skops")


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
    weighed = link_scores(A, "adamic_adar")
    for i, j, score in networkx.adamic_adar_index(graph, pairs):
        assert weighed[i, j] == pytest.approx(score)
    directed = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
    assert link_scores(directed, "adamic_adar")[0, 2] == pytest.approx(6.0 / np.log(5.0))
    with pytest.raises(ValueError, match="spectral radius"):
        link_scores(A, "katz", beta=1.0)
    with pytest.raises(ValueError, match="square"):
        link_scores(np.ones((2, 3)))
    with pytest.raises(ValueError, match="choose one of"):
        link_scores(A, "jaccard")


def test_matches_of_players_by_month_add_up():
    try:
        snapshots, players, months = load_atp_months(50)
    except DataNotFoundError as missing:
        pytest.skip(str(missing))
    assert len(snapshots) == len(months) and months == sorted(months) and len(set(players)) == 50
    total = sum(snapshots)
    assert total.shape == (50, 50) and total.diagonal().sum() == 0
    assert total.sum() > 1000


def test_a_network_that_never_changes_stays():
    A = (np.random.default_rng(0).random((10, 10)) < 0.3) * 1.0
    model = AutoregressiveLinkPredictor().fit([A] * 6)
    assert model.converged_ and model.score(A) > 0.98
    for tiny in (np.ones((1, 1)), np.array([[0.0, 1.0], [1.0, 0.0]]), np.ones((1, 4))):
        found = AutoregressiveLinkPredictor().fit([tiny] * 5).predict()
        assert found.shape == tiny.shape
        np.testing.assert_allclose(found, tiny, atol=0.3)


@pytest.mark.parametrize("method", ["adamic_adar", "common_neighbors", "katz", "preferential_attachment"])
def test_scores_of_a_networkx_graph_are_those_of_its_matrix(method):
    graph = networkx.relabel_nodes(networkx.karate_club_graph(), str)
    np.testing.assert_array_equal(link_scores(graph, method), link_scores(networkx.to_numpy_array(graph), method))
