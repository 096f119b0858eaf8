"""Multi-task maximum entropy discrimination: against support vector machines, its objective, and its own limits."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.datasets import load_diabetes, load_iris, load_linnerud
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import scale
from sklearn.svm import SVC, SVR

from treatise._core.invariants import broken_invariant
from treatise.datasets import make_shared_features
from treatise.io import load_model, save_model
from treatise.kernels import Gaussian, Linear
from treatise.linear import (
    AdaptivePoolingClassifier,
    MEDGraph,
    MultiTaskMEDClassifier,
    MultiTaskMEDRegressor,
    kernel_metric,
    selection_path,
)
from treatise.linear.discrimination._couplings import bound_slope
from treatise.optimize import minimize_kernel_quadratic

TIGHT = {"tol": 1e-7, "max_iter": 2000}


def reference_tasks():
    """Three tasks of 40 rows; two of eight features matter."""
    rng = np.random.default_rng(0)
    tables, labels = [], []
    for _ in range(3):
        w = np.zeros(8)
        w[:2] = rng.standard_normal(2) * 2 + np.sign(rng.standard_normal(2))
        X = rng.standard_normal((40, 8))
        tables.append(X)
        labels.append(np.where(X @ w + 0.3 * rng.standard_normal(40) > 0, 1, -1))
    return np.vstack(tables), np.concatenate(labels), np.repeat(["a", "b", "c"], 40)


X, Y, TASKS = reference_tasks()


def test_without_selection_every_task_is_a_support_vector_machine():
    model = MultiTaskMEDClassifier(alpha=0, **TIGHT).fit(X, Y, tasks=TASKS)
    kernels = MultiTaskMEDClassifier([Linear(), Gaussian(0.3)], alpha=0, **TIGHT).fit(X, Y, tasks=TASKS)
    for task in "abc":
        own = task == TASKS
        svc = SVC(kernel="linear", tol=1e-9).fit(X[own], Y[own])
        np.testing.assert_allclose(
            model.decision_function(X, np.repeat(task, 120)), svc.decision_function(X), atol=1e-5
        )
        both = X[own] @ X[own].T + rbf_kernel(X[own], gamma=0.3)
        svc = SVC(kernel="precomputed", tol=1e-9).fit(both, Y[own])
        expected = svc.decision_function(X @ X[own].T + rbf_kernel(X, X[own], gamma=0.3))
        np.testing.assert_allclose(kernels.decision_function(X, np.repeat(task, 120)), expected, atol=1e-5)
    np.testing.assert_array_equal(model.weights_, 1.0)


@pytest.mark.parametrize("solver", ["newton", "bound"])
def test_objective_is_the_known_one_and_never_falls(solver):
    # The values are from a run of a general conic solver and of another implementation.
    for alpha, objective in ((0, 17.305349), (1, 19.491794), (10, 24.712102), (1000, 34.690514)):
        model = MultiTaskMEDClassifier(alpha=alpha, solver=solver, tol=1e-4, max_iter=1000).fit(X, Y, tasks=TASKS)
        assert model.objective_path_[-1] == pytest.approx(objective, rel=1e-6)
        assert model.objective_path_[0] == 0.0 and np.all(np.diff(model.objective_path_) >= -1e-10)
        assert np.all((model.weights_ >= 1 / (1 + alpha) - 1e-12) & (model.weights_ <= 1))
        assert model.converged_ and (alpha < 1000 or set(np.argsort(model.weights_)[-2:]) == {0, 1})


def test_sweeps_of_the_bound_are_as_few_as_theorem_2_says():
    for alpha in (0.5, 1, 10):
        best = MultiTaskMEDClassifier(alpha=alpha, **TIGHT).fit(X, Y, tasks=TASKS).objective_path_[-1]
        path = MultiTaskMEDClassifier(alpha=alpha, solver="bound", **TIGHT).fit(X, Y, tasks=TASKS).objective_path_
        for share in (0.5, 0.1, 0.01):
            sweeps = int(np.argmax(path >= (1 - share) * best))
            assert sweeps <= np.ceil(np.log(1 / share) / np.log(min(1 + 1 / alpha, 2)))


def test_optimum_at_the_defaults_is_that_of_a_general_solver():
    rows = np.r_[0:12, 40:52]
    table, signs, tasks = X[rows][:, :4], Y[rows].astype(float), TASKS[rows]
    first = tasks == "a"

    def loss(lam):
        b = lam * signs
        q = 0.5 * (np.square(b[first] @ table[first]) + np.square(b[~first] @ table[~first]))
        s = expit(q - np.log(100.0))
        slope = np.where(first, table @ (s * (b[first] @ table[first])), table @ (s * (b[~first] @ table[~first])))
        return np.logaddexp(np.log(100.0), q).sum() - 4 * np.log(101.0) - lam.sum(), signs * slope - 1.0

    sums = [{"type": "eq", "fun": lambda lam, own=own: lam[own] @ signs[own]} for own in (first, ~first)]
    found = minimize(loss, np.zeros(24), jac=True, bounds=[(0, 1)] * 24, constraints=sums, method="SLSQP",
                     options={"maxiter": 1000, "ftol": 1e-13})  # fmt: skip
    model = MultiTaskMEDClassifier().fit(table, signs, tasks=tasks)
    assert model.objective_path_[-1] == pytest.approx(-found.fun, abs=1e-5)
    for b, support in zip(model.dual_coef_, model.support_):
        assert abs(b.sum()) < 1e-9 and np.all(b * signs[support] > 0) and np.abs(b).max() <= 1 + 1e-12


def test_features_are_kernels_of_rank_one():
    def column(k):
        return lambda A, B: np.outer(A[:, k], B[:, k])

    features = MultiTaskMEDClassifier(alpha=20, **TIGHT).fit(X, Y, tasks=TASKS)
    kernels = MultiTaskMEDClassifier([column(k) for k in range(8)], alpha=20, **TIGHT).fit(X, Y, tasks=TASKS)
    np.testing.assert_allclose(kernels.weights_, features.weights_, atol=1e-6)
    np.testing.assert_allclose(kernels.decision_function(X, TASKS), features.decision_function(X, TASKS), atol=1e-5)


def test_own_selections_are_those_of_single_tasks():
    model = MultiTaskMEDClassifier(shared=False, **TIGHT).fit(X, Y, tasks=TASKS)
    assert model.weights_.shape == (3, 8)
    for m, task in enumerate("abc"):
        own = task == TASKS
        alone = MultiTaskMEDClassifier(**TIGHT).fit(X[own], Y[own])
        np.testing.assert_allclose(model.weights_[m], alone.weights_, atol=1e-6)
        np.testing.assert_allclose(model.coef_[m], alone.coef_[0], atol=1e-5)


def test_the_bound_of_theorem_1_lies_above_and_touches():
    rng = np.random.default_rng(0)
    u, v = rng.normal(size=(2, 100_000, 3)) * rng.uniform(0, 4, (2, 100_000, 1))
    log_alpha = rng.uniform(-5, 8, 100_000)
    at, to = 0.5 * np.sum(v * v, axis=1), 0.5 * np.sum(u * u, axis=1)
    G = bound_slope(at, log_alpha)
    step = u - v
    along = np.sum(v * step, axis=1)
    value = np.logaddexp(log_alpha, at) + along * expit(at - log_alpha)
    value += 0.5 * (np.sum(step * step, axis=1) + G * along**2)
    excess = value - np.logaddexp(log_alpha, to)
    assert excess.min() > -1e-9
    assert bound_slope(np.array([1.0, 0.0]), np.array([1.0, -np.inf])).tolist() == [0.25, 0.0]


def test_classes_columns_and_tasks_are_three_ways_to_the_same_machines():
    table, y = load_iris(return_X_y=True)
    table = scale(table)
    classes = MultiTaskMEDClassifier(**TIGHT).fit(table, y)
    columns = MultiTaskMEDClassifier(**TIGHT).fit(table, np.eye(3, dtype=int)[y])
    rows = MultiTaskMEDClassifier(**TIGHT).fit(
        np.tile(table, (3, 1)), np.eye(3, dtype=int)[y].T.ravel(), tasks=np.repeat([5, 6, 7], 150)
    )
    np.testing.assert_allclose(columns.coef_, classes.coef_, atol=1e-5)
    np.testing.assert_allclose(rows.coef_, classes.coef_, atol=1e-5)
    assert classes.score(table, y) > 0.9 and classes.classes_.tolist() == [0, 1, 2]
    assert columns.predict(table).shape == (150, 3) and [c.tolist() for c in columns.classes_] == [[0, 1]] * 3
    np.testing.assert_allclose(
        rows.decision_function(table[:2], tasks=[7, 5]),
        [classes.decision_function(table[:2])[0, 2], classes.decision_function(table[:2])[1, 0]],
        atol=1e-5,
    )


def test_related_tasks_with_few_rows_gain():
    for seed in range(2):
        table, y, tasks = make_shared_features(10, 220, random_state=seed)
        train = np.tile(np.arange(220) < 20, 10)
        areas = []
        for alpha in (0, 300):
            model = MultiTaskMEDClassifier(alpha=alpha).fit(table[train], y[train], tasks=tasks[train])
            scores = model.decision_function(table[~train], tasks[~train])
            areas.append(
                np.mean([roc_auc_score(y[~train][tasks[~train] == m], scores[tasks[~train] == m]) for m in range(10)])
            )
        assert areas[1] >= areas[0] + 0.10


def test_regression_without_selection_is_support_vector_regression():
    table, y = load_diabetes(return_X_y=True)
    table, y = scale(table)[:120], y[:120]
    model = MultiTaskMEDRegressor(alpha=0, C=0.5, epsilon=0.2, **TIGHT).fit(table, y)
    svr = SVR(kernel="linear", C=0.5, epsilon=0.2, tol=1e-9).fit(table, scale(y))
    np.testing.assert_allclose(model.predict(table), y.mean() + y.std() * svr.predict(table), atol=1e-4 * y.std())


def test_regressions_share_features_and_forget_units():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(25, 40))
    weights = np.zeros((40, 4))
    weights[:3] = rng.normal(size=(3, 4)) + np.sign(rng.normal(size=(3, 4)))
    targets = table @ weights + 0.3 * rng.normal(size=(25, 4))
    model = MultiTaskMEDRegressor(alpha=100, **TIGHT).fit(table, targets)
    assert set(np.argsort(model.weights_)[-3:]) == {0, 1, 2}
    new = rng.normal(size=(500, 40))
    plain = MultiTaskMEDRegressor(alpha=0).fit(table, targets)
    assert model.score(new, new @ weights) > plain.score(new, new @ weights) + 0.1
    other = MultiTaskMEDRegressor(alpha=100, **TIGHT).fit(table, 1e6 * targets + 7.0)
    np.testing.assert_allclose(other.predict(new), 1e6 * model.predict(new) + 7.0, rtol=1e-4, atol=1.0)
    rows = MultiTaskMEDRegressor(alpha=100, **TIGHT).fit(
        np.tile(table, (4, 1)), targets.T.ravel(), tasks=np.repeat(list("wxyz"), 25)
    )
    np.testing.assert_allclose(rows.coef_, model.coef_, atol=1e-4)
    np.testing.assert_allclose(rows.predict(new[:2], tasks=["z", "w"]), model.predict(new)[[0, 1], [3, 0]], rtol=1e-3)
    assert np.all(np.diff(model.objective_path_) >= -1e-10)
    constant = MultiTaskMEDRegressor().fit(*load_linnerud(return_X_y=True)[:1], np.c_[np.ones(20), np.arange(20.0)])
    np.testing.assert_allclose(constant.predict(load_linnerud().data)[:, 0], 1.0, atol=1e-6)


def test_pooling_reduces_to_its_two_limits():
    gram = rbf_kernel(X, gamma=0.2)
    same, basis = TASKS[:, np.newaxis] == TASKS, (TASKS[:, np.newaxis] == list("abc")).astype(float)
    for alpha, kernel in ((0.0, gram + 30.0 * gram * same), (1e12, gram)):
        model = AdaptivePoolingClassifier(gamma=0.2, alpha=alpha, C=0.1, **TIGHT).fit(X, Y, tasks=TASKS)
        b, _ = minimize_kernel_quadratic(kernel, Y.astype(float), 0.1 * np.minimum(Y, 0), 0.1 * np.maximum(Y, 0), basis)
        # Where all multipliers of a task are at bounds its offset is not unique.
        scores = model.decision_function(X, TASKS) - basis @ model.intercept_
        np.testing.assert_allclose(scores, kernel @ b, atol=1e-4)
        assert np.allclose(model.weights_, 1.0 if alpha == 0 else 0.0, atol=1e-5)
        handed = AdaptivePoolingClassifier("precomputed", alpha=alpha, C=0.1, **TIGHT).fit(gram, Y, tasks=TASKS)
        np.testing.assert_allclose(handed.decision_function(gram, TASKS), model.decision_function(X, TASKS), atol=1e-5)


@pytest.mark.parametrize("solver", ["newton", "bound"])
def test_pooling_lets_the_odd_task_go(solver):
    y = np.where(TASKS == "c", -1, 1) * np.sign(X[:, 0] + 0.5 * X[:, 1])
    model = AdaptivePoolingClassifier("linear", solver=solver, C=0.3, alpha=1e3).fit(X, y, tasks=TASKS)
    assert np.argmax(model.weights_) == 2 and model.score(X, y, TASKS) > 0.9
    assert np.all(np.diff(model.objective_path_) >= -1e-10) and model.converged_
    new = np.random.default_rng(1).normal(size=(300, 8))
    communal = model.predict(new, tasks=np.repeat("unseen", 300))
    assert np.mean(communal == np.sign(new[:, 0] + 0.5 * new[:, 1])) > 0.7


def ising_rows(theta, n, rng):
    """Rows of an Ising model without a field, as zeros and ones, by enumeration."""
    states = (np.arange(2 ** len(theta))[:, None] >> np.arange(len(theta))) & 1
    energy = np.einsum("si,ij,sj->s", 2 * states - 1, theta / 4, 2 * states - 1)
    chances = np.exp(energy - energy.max())
    return states[rng.choice(len(states), n, p=chances / chances.sum())]


def test_graph_ranks_edges():
    rng = np.random.default_rng(0)
    areas = []
    for _ in range(6):
        edges = np.triu(rng.random((5, 5)) < 0.5, 1)
        if not 0 < edges.sum() < 10:
            continue
        theta = np.where(edges, np.where(rng.random((5, 5)) < 0.5, -2.0, 2.0), 0.0)
        model = MEDGraph().fit(ising_rows(theta, 400, rng))
        upper = np.triu_indices(5, 1)
        np.testing.assert_array_equal(model.edge_scores_, model.edge_scores_.T)
        areas.append(roc_auc_score(edges[upper], model.edge_log_odds_[upper]))
    assert np.mean(areas) > 0.95


def test_graph_leaves_constant_columns_out_and_refuses_numbers():
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (50, 3))
    model = MEDGraph().fit(np.c_[bits, np.ones(50)])
    assert not model.edge_scores_[3].any() and model.edge_scores_.shape == (4, 4)
    np.testing.assert_allclose(model.edge_scores_[:3, :3], MEDGraph().fit(bits).edge_scores_)
    with pytest.raises(ValueError, match=r"X holds 0\.5; it must hold zeros and ones"):
        MEDGraph().fit(bits * 0.5)
    np.testing.assert_allclose(MEDGraph(binarize=0.2).fit(bits * 0.5).edge_scores_, MEDGraph().fit(bits).edge_scores_)


def test_path_is_that_of_separate_fits_in_fewer_sweeps():
    alphas = [100.0, 0.0, 1.0, 10.0]
    path = selection_path(MultiTaskMEDClassifier(tol=1e-5), X, Y, alphas, tasks=TASKS)
    assert path.alphas.tolist() == [0.0, 1.0, 10.0, 100.0]
    cold = [MultiTaskMEDClassifier(alpha=alpha, tol=1e-5).fit(X, Y, tasks=TASKS) for alpha in path.alphas]
    np.testing.assert_allclose(path.weights, [model.weights_ for model in cold], atol=1e-4)
    np.testing.assert_allclose(path.objectives, [model.objective_path_[-1] for model in cold], rtol=1e-7)
    assert path.n_iter.sum() <= sum(model.n_iter_ for model in cold)


def test_metric_is_the_distance_in_the_mixture():
    A, B = X[:5], X[5:9]
    weights = np.array([0.5, 2.0, 0, 0, 0, 0, 1.0, 0])
    plain = np.sqrt(np.sum(weights * (A[:, None] - B) ** 2, axis=2))
    np.testing.assert_allclose(kernel_metric(weights)(A, B), plain, atol=1e-10)
    mixed = kernel_metric([2.0, 3.0], ["linear", Gaussian(0.1)])(A, B)
    expected = 2.0 * np.sum((A[:, None] - B) ** 2, axis=2) + 3.0 * (2 - 2 * rbf_kernel(A, B, gamma=0.1))
    np.testing.assert_allclose(mixed**2, expected, atol=1e-9)
    np.testing.assert_allclose(np.diagonal(kernel_metric([1.0], [Gaussian(1.0)])(A)), 0.0, atol=1e-7)
    for wrong, words in (([[1.0]], "one row"), ([-1.0], "from 0 on"), ([1.0], "1 weights for 8 features")):
        with pytest.raises(ValueError, match=words):
            kernel_metric(wrong)(A, B)


def test_too_few_sweeps_are_told():
    with pytest.warns(ConvergenceWarning, match="after max_iter=1 sweeps"):
        model = MultiTaskMEDClassifier(alpha=1000, max_iter=1).fit(X, Y, tasks=TASKS)
    assert model.converged_ is False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MultiTaskMEDClassifier(alpha=1000).fit(X, Y, tasks=TASKS)


def test_bad_input_gets_a_sentence():
    with pytest.raises(ValueError, match=r"task 'b' holds one class only, 1; each task needs rows of two classes"):
        MultiTaskMEDClassifier().fit(X, np.where(TASKS == "b", 1, Y), tasks=TASKS)
    with pytest.raises(ValueError, match="column 1 of y holds one class only"):
        MultiTaskMEDClassifier().fit(X, np.c_[Y, np.ones(120, int)])
    with pytest.raises(ValueError, match="column 1 of y holds 3 classes"):
        MultiTaskMEDClassifier().fit(X, np.c_[Y, np.arange(120) % 3])
    with pytest.raises(ValueError, match="y holds 3 classes"):
        MultiTaskMEDClassifier().fit(X, np.arange(120) % 3, tasks=TASKS)
    with pytest.raises(ValueError, match="which are the tasks"):
        MultiTaskMEDClassifier().fit(X, np.c_[Y, Y], tasks=TASKS)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        MultiTaskMEDClassifier().fit(X, Y, tasks=TASKS[:5])
    model = MultiTaskMEDClassifier().fit(X, Y, tasks=TASKS)
    with pytest.raises(ValueError, match="tasks is missing: fit knew 3 tasks"):
        model.predict(X)
    with pytest.raises(ValueError, match=r"tasks holds \['z'\], not among the tasks \['a', 'b', 'c'\]"):
        model.predict(X[:1], tasks=["z"])
    with pytest.raises(ValueError, match="fit had none"):
        MultiTaskMEDClassifier().fit(X, Y).predict(X, tasks=TASKS)
    for wrong in ([], ["cubic"], [3]):
        with pytest.raises(ValueError, match="kernels"):
            MultiTaskMEDClassifier(wrong).fit(X, Y)
    with pytest.raises(ValueError, match="alpha"):
        MultiTaskMEDClassifier(alpha=-1).fit(X, Y)
    with pytest.raises(ValueError, match="task 'b' holds one class only"):
        AdaptivePoolingClassifier().fit(X, np.where(TASKS == "b", 1, Y), tasks=TASKS)


@pytest.mark.parametrize("kernels", ["features", ["linear", "rbf"]])
def test_a_saved_machine_whose_tasks_have_unlike_many_support_vectors_can_be_loaded(tmp_path, kernels):
    X, y, tasks = make_shared_features(random_state=0)
    model = MultiTaskMEDClassifier(kernels).fit(X, y, tasks=tasks)
    assert len({len(b) for b in model.dual_coef_}) > 1
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops").model
    np.testing.assert_array_equal(again.predict(X, tasks=tasks), model.predict(X, tasks=tasks))
    model.dual_coef_ = ["many"] * len(model.dual_coef_)
    assert broken_invariant(model) == "dual_coef_ holds numbers"


def test_a_saved_machine_of_several_columns_can_be_loaded(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = MultiTaskMEDClassifier().fit(X, (X[:, :2] > 0).astype(int))
    save_model(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(load_model(tmp_path / "model.skops").model.predict(X), model.predict(X))
    model.classes_ = model.classes_[:1]
    assert broken_invariant(model) == "a column is a task of two classes"


def test_machines_of_other_classes_or_tasks_than_have_a_name_are_refused():
    X, tasks = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 3
    three = MultiTaskMEDClassifier().fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    assert broken_invariant(three) is None
    three.classes_ = three.classes_[:-1]
    assert broken_invariant(three) == "two classes are a task, or each of several is"
    for machine in (MultiTaskMEDClassifier().fit(X, X[:, 0] > 0, tasks=tasks),
                    MultiTaskMEDRegressor().fit(X, X[:, 0], tasks=tasks)):  # fmt: skip
        assert broken_invariant(machine) is None
        machine.tasks_ = np.append(machine.tasks_, machine.tasks_[-1] + 1)
        assert broken_invariant(machine) == "each of them has its machine"


def gram_array(A, B=None, gammas=(0.1, 1.0)):
    """Kernels of rows along the last axis, as cross-validation can slice them."""
    return np.stack([rbf_kernel(A, B, gamma=gamma) for gamma in gammas], axis=-1)


@pytest.mark.parametrize("shared", [True, False])
def test_precomputed_kernels_give_what_the_kernels_give(shared):
    X, y, tasks = make_shared_features(random_state=0)
    X, new = X[:, :6], X[::3, :6] + 0.1
    machines = [
        (MultiTaskMEDClassifier, y, "decision_function"),
        (MultiTaskMEDRegressor, X[:, 0] * y + X[:, 1], "predict"),
    ]
    for machine, target, scored in machines:
        ours = machine("precomputed", shared=shared).fit(gram_array(X), target, tasks=tasks)
        plain = machine([Gaussian(0.1), Gaussian(1.0)], shared=shared).fit(X, target, tasks=tasks)
        # Both end within tol of the optimum, by ways that rounding of the two Gram matrices may part.
        np.testing.assert_allclose(ours.weights_, plain.weights_, atol=1e-4)
        there = getattr(ours, scored)(gram_array(new, X), tasks=tasks[::3])
        np.testing.assert_allclose(there, getattr(plain, scored)(new, tasks=tasks[::3]), atol=1e-3)
        assert broken_invariant(ours) is None
        # A list of matrices says the same.
        again = machine("precomputed", shared=shared).fit(list(np.moveaxis(gram_array(X), -1, 0)), target, tasks=tasks)
        np.testing.assert_array_equal(again.weights_, ours.weights_)


def test_precomputed_kernels_can_be_cross_validated_and_bad_ones_are_refused():
    X, y = load_iris(return_X_y=True)
    plain = cross_val_score(MultiTaskMEDClassifier([Gaussian(0.1), Gaussian(1.0)]), X, y, cv=3)
    np.testing.assert_allclose(cross_val_score(MultiTaskMEDClassifier("precomputed"), gram_array(X), y, cv=3), plain)
    model = MultiTaskMEDClassifier("precomputed")
    with pytest.raises(ValueError, match="list of matrices or as an array of shape"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="Gram matrix 0"):
        model.fit([X @ X.T + np.arange(150.0)], y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(gram_array(X[:100]), y)
    model.fit(gram_array(X), y)
    with pytest.raises(ValueError, match="X holds 2 matrices of 50 columns; MultiTaskMEDClassifier was fitted to 2"):
        model.predict(gram_array(X, X[:50]))
    model.support_[0] = model.support_[0] + 150
    assert broken_invariant(model) == "support vectors are rows of the training table"
    with pytest.raises(ValueError, match="'precomputed' cannot be evaluated for new rows; give the list of kernels"):
        kernel_metric(model.weights_, "precomputed")


def test_numbers_whose_squares_overflow_are_refused():
    rng = np.random.default_rng(0)
    rows, tasks = rng.normal(size=(40, 3)), np.arange(40) % 2
    sides, amounts = (rows[:, 0] > 0).astype(int), rows[:, 0]
    for model, y in (
        (MultiTaskMEDClassifier(), sides), (AdaptivePoolingClassifier(), sides), (MultiTaskMEDRegressor(), amounts),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"X holds .*, whose square overflows"):
            model.fit(1e160 * rows, y, tasks=tasks)
    with pytest.raises(ValueError, match=r"y holds .*, whose square overflows"):
        MultiTaskMEDRegressor().fit(rows, 1e160 * amounts, tasks=tasks)
