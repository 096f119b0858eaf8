"""Sparse rules from moments against closed forms, the minimax machine, the discriminant, and a general solver."""

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from sklearn.datasets import load_breast_cancer, load_iris, make_circles
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from treatise.datasets import make_graded_features
from treatise.linear import MinimaxProbabilityMachine
from treatise.selection import (
    KernelMomentSparseClassifier,
    L1MarginClassifier,
    MomentSparseClassifier,
    SparseFisherDiscriminant,
    fisher_bound,
    leave_one_out_features,
)
from treatise.statistics import worst_case_accuracy

RULES = [MomentSparseClassifier, SparseFisherDiscriminant, KernelMomentSparseClassifier, L1MarginClassifier]


def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


def moments_of(X, y):
    parts = [X[y == c] for c in np.unique(y)]
    return np.array([part.mean(axis=0) for part in parts]), np.array([np.cov(part.T, bias=True) for part in parts])


def test_nothing_promised_takes_the_feature_of_the_largest_difference():
    X, y = breast_cancer()
    difference = np.abs(np.subtract(*moments_of(X, y)[0]))
    model = MomentSparseClassifier(eta=0.0).fit(X, y)
    assert model.selected_.tolist() == [np.argmax(difference)]
    assert model.objective_ == pytest.approx(2.0 / difference.max(), rel=1e-9)
    np.testing.assert_array_equal(model.transform(X), X[:, model.selected_])


def test_features_of_the_paper_s_generator_come_in_the_order_of_their_merit():
    for seed in range(3):
        X, y = make_graded_features(random_state=seed)
        sets = {
            eta: set(MomentSparseClassifier(eta=eta).fit(X, y).selected_ + 1) for eta in (0.5, 0.9, 0.95, 0.99, 0.995)
        }
        assert sets[0.5] == sets[0.9] == sets[0.95] == {10}
        assert {10} <= sets[0.99] <= {8, 9, 10} and sets[0.99] <= sets[0.995] <= set(range(5, 11))
        assert len(L1MarginClassifier(C=np.inf).fit(X, y).selected_) > len(sets[0.9])


def test_objective_rises_with_eta_up_to_the_minimax_machine_s_promise():
    X, y = breast_cancer()
    means, covariances = moments_of(X, y)
    machine = MinimaxProbabilityMachine("balanced", covariance_radius=0.0).fit_moments(means, covariances)
    etas = [0.0, 0.2, 0.4, 0.6, 0.7, 0.74, 0.77]
    models = [MomentSparseClassifier(eta=eta).fit(X, y) for eta in etas]
    assert np.all(np.diff([model.objective_ for model in models]) >= -1e-9)
    for model, eta in zip(models, etas):
        # The machine adds a ridge of 1e-8, which counts where columns nearly follow from others.
        assert model.eta_max_ == pytest.approx(machine.class_accuracies_[0], abs=1e-5)
        assert model.class_accuracies_.min() >= eta - 1e-9
        assert model.converged_ and model.duality_gap_ <= 1e-8
        right = [np.mean(model.predict(X[y == c]) == c) for c in (0, 1)]
        assert min(right) >= eta, "Chebyshev's inequality holds for the sample too"
        w, b = model.coef_[0], -model.intercept_[0]
        for side, c in ((-1, 0), (1, 1)):
            promised = worst_case_accuracy(side * w, side * b, means[c], covariances[c])
            assert promised == pytest.approx(model.class_accuracies_[c], abs=1e-7)
    MomentSparseClassifier(eta=machine.class_accuracies_[0] - 1e-4).fit(X, y)
    with pytest.raises(ValueError, match=r"eta=0.79 cannot be promised: the largest .* eta_max=0.774901; choose"):
        MomentSparseClassifier(eta=0.79).fit(X, y)


def test_moments_alone_give_the_plane_of_their_rows():
    X, y = breast_cancer()
    rows, alone = (
        MomentSparseClassifier(eta=0.7).fit(X, y),
        MomentSparseClassifier(eta=0.7).fit_moments(*moments_of(X, y)),
    )
    np.testing.assert_allclose(alone.coef_, rows.coef_, atol=1e-7)
    np.testing.assert_allclose(alone.intercept_, rows.intercept_, atol=1e-7)
    with pytest.raises(ValueError, match="which moments do not tell"):
        MomentSparseClassifier(mean_radius=0.1).fit_moments(*moments_of(X, y))


def robust_objective(X, y, eta, delta, rho, uncertainty):
    """Equation (22) by a general solver from many starts, in u and v with w = u - v."""
    kappa = np.sqrt(eta / (1 - eta))
    parts = [X[y == c] for c in (0, 1)]
    means = [part.mean(axis=0) for part in parts]
    balls = [part if uncertainty == "sample" else np.linalg.pinv(part) @ part for part in parts]

    def margin(w, c):
        centred = (parts[c] - means[c]) @ w
        spread = np.sqrt(centred @ centred / len(centred) + rho * np.sum((parts[c] @ w) ** 2))
        return max(1.0, kappa * spread) + delta * np.linalg.norm(balls[c] @ w)

    p = X.shape[1]

    def room(x):
        w = x[:p] - x[p:]
        return (means[1] - means[0]) @ w - sum(margin(w, c) for c in (0, 1))

    best = np.inf
    for seed in range(3):
        start = np.abs(np.random.default_rng(seed).normal(size=2 * p))
        found = minimize(
            np.sum,
            start,
            bounds=[(0, None)] * (2 * p),
            constraints={"type": "ineq", "fun": room},
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-12},
        )
        if room(found.x) > -1e-7:
            best = min(best, found.fun)
    return best


@pytest.mark.parametrize(
    "delta, rho, uncertainty", [(0.02, 0.0, "sample"), (0.0, 0.02, "sample"), (0.2, 0.01, "input")]
)
def test_robust_form_is_equation_22(delta, rho, uncertainty):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 4)) + np.outer(y, [2.0, 1.0, 0.5, 0.0])
    X -= X.mean(axis=0)
    model = MomentSparseClassifier(eta=0.3, mean_radius=delta, covariance_radius=rho, uncertainty=uncertainty).fit(X, y)
    assert model.objective_ == pytest.approx(robust_objective(X, y, 0.3, delta, rho, uncertainty), rel=1e-4)
    assert model.converged_


def test_robustness_costs_and_none_costs_nothing():
    X, y = make_graded_features(60, 200, random_state=0)
    X = X - X.mean(axis=0)
    for name, radii in (("mean_radius", (1e-9, 0.01, 0.03, 0.06)), ("covariance_radius", (1e-12, 3e-4, 1e-3, 3e-3))):
        for uncertainty in ("sample", "input"):
            models = [
                MomentSparseClassifier(0.9, uncertainty=uncertainty, **{name: radius}).fit(X, y) for radius in radii
            ]
            plain = MomentSparseClassifier(0.9, uncertainty=uncertainty).fit(X, y)
            assert models[0].objective_ == pytest.approx(plain.objective_, rel=1e-6)
            objectives, limits = [[getattr(m, name) for m in models] for name in ("objective_", "eta_max_")]
            assert np.all(np.diff(objectives) >= -1e-9) and np.all(np.diff(limits) <= 1e-6)
            assert plain.eta_max_ == 1.0


def test_largest_promise_of_the_robust_form_is_the_largest_feasible_eta():
    X, y = breast_cancer()
    radii = {"mean_radius": 0.005, "covariance_radius": 1e-4}
    limit = MomentSparseClassifier(**radii).fit(X, y).eta_max_
    assert 0.1 < limit < MomentSparseClassifier().fit(X, y).eta_max_
    MomentSparseClassifier(limit - 1e-4, **radii).fit(X, y)
    with pytest.raises(ValueError, match="cannot be promised"):
        MomentSparseClassifier(limit + 1e-4, **radii).fit(X, y)
    with pytest.raises(ValueError, match="mean_radius=5 leaves no plane between the means"):
        MomentSparseClassifier(mean_radius=5).fit(X, y)


def test_fisher_bound_is_the_discriminant_s():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]  # two classes of fifty rows each
    bound = fisher_bound(*moments_of(X, y))
    discriminant = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).coef_[0]
    unit = bound.weights / np.linalg.norm(bound.weights)
    np.testing.assert_allclose(unit, discriminant / np.linalg.norm(discriminant), atol=1e-6)
    assert bound.eta == pytest.approx(bound.squared_distance / (1 + bound.squared_distance))
    model = SparseFisherDiscriminant(bound.eta - 1e-6).fit(X, y)
    assert model.eta_max_ == pytest.approx(bound.eta, abs=1e-9)
    assert model.coef_[0] @ unit / np.linalg.norm(model.coef_) > 1 - 1e-4
    with pytest.raises(ValueError, match="cannot be promised"):
        SparseFisherDiscriminant(bound.eta + 1e-6).fit(X, y)


def test_sparse_fisher_has_the_promise_asked_for_and_balances_its_threshold():
    X, y = breast_cancer()
    means, covariances = moments_of(X, y)
    sizes = []
    for eta in (0.5, 0.8, 0.86):
        model = SparseFisherDiscriminant(eta).fit(X, y)
        w = model.coef_[0]
        margin, deviation = w @ (means[1] - means[0]), np.sqrt(w @ covariances.sum(axis=0) @ w)
        assert margin >= 1 - 1e-9 and margin**2 / (margin**2 + deviation**2) >= eta - 1e-9
        assert model.class_accuracies_[0] == pytest.approx(model.class_accuracies_[1])
        sizes.append(len(model.selected_))
    assert sizes == sorted(sizes) and sizes[0] == 1


def test_without_a_spread_a_direction_promises_everything():
    bound = fisher_bound([[0, 0], [1, 1]], [np.diag([1, 0]), np.diag([1, 0])])
    assert bound.eta == 1.0 and bound.weights[0] == pytest.approx(0.0) and np.isinf(bound.squared_distance)


def test_kernel_form_is_the_linear_one_on_kernel_values():
    X, y = make_circles(120, noise=0.1, factor=0.4, random_state=0)
    gram = rbf_kernel(X, gamma=1.0)
    kernel = KernelMomentSparseClassifier(0.8, gamma=1.0).fit(X, y)
    linear = MomentSparseClassifier(0.8).fit(gram, y)
    assert kernel.objective_ == pytest.approx(linear.objective_, rel=1e-6)
    np.testing.assert_allclose(kernel.decision_function(X), linear.decision_function(gram), atol=1e-4)
    handed = KernelMomentSparseClassifier(0.8, kernel="precomputed").fit(gram, y)
    np.testing.assert_allclose(handed.decision_function(gram), kernel.decision_function(X), atol=1e-4)
    assert kernel.score(X, y) > 0.95 and len(kernel.support_) < 20


@pytest.mark.parametrize("C", [0.01, 1.0, np.inf])
def test_linear_programme_is_the_paper_s(C):
    X, y = make_graded_features(40, 30, random_state=1)
    if np.isfinite(C):
        X = X[:, [0, 11, 12, 13]]  # such as overlap
    n, p = X.shape
    slack = np.eye(n) if np.isfinite(C) else np.zeros((n, 0))
    cost = np.r_[np.ones(2 * p), 0, np.full(slack.shape[1], C if np.isfinite(C) else 0)]
    left = -np.hstack([y[:, None] * X, -y[:, None] * X, -y[:, None], slack])
    bounds = [(0, None)] * (2 * p) + [(None, None)] + [(0, None)] * slack.shape[1]
    expected = linprog(cost, left, -np.ones(n), bounds=bounds)
    model = L1MarginClassifier(C).fit(X, y)
    assert model.objective_ == pytest.approx(expected.fun, rel=1e-7) and model.converged_
    shifted = L1MarginClassifier(C).fit(X + 1000.0, y)
    np.testing.assert_allclose(shifted.decision_function(X + 1000.0), model.decision_function(X), atol=1e-6)
    if np.isinf(C):
        assert (y * model.decision_function(X)).min() == pytest.approx(1.0, abs=1e-6)
        with pytest.raises(ValueError, match="choose a finite C"):
            L1MarginClassifier(C).fit(X[:, 11:13], y)


def test_leave_one_out_gathers_what_any_fit_selects():
    X, y = make_graded_features(30, 60, random_state=3)
    found = leave_one_out_features(make_pipeline(StandardScaler(), MomentSparseClassifier(0.95)), X, y)
    masks = [
        MomentSparseClassifier(0.95).fit(scale(np.delete(X, i, axis=0)), np.delete(y, i)).support_ for i in range(30)
    ]
    np.testing.assert_array_equal(found.counts, np.sum(masks, axis=0))
    np.testing.assert_array_equal(found.features, np.flatnonzero(np.any(masks, axis=0)))
    assert found.error == np.mean(found.predictions != y) and found.error <= 0.1
    with pytest.raises(ValueError, match="must select features"):
        leave_one_out_features(LogisticRegression(), X, y)
    with pytest.raises(ValueError, match="class 1 has one row"):
        leave_one_out_features(MomentSparseClassifier(), X, np.r_[1, np.zeros(29, int)])


@pytest.mark.parametrize("rule", RULES[:2])
def test_units_and_origin_of_the_table_and_columns_without_use_change_nothing(rule):
    X, y = breast_cancer()
    plain = rule().fit(X, y)
    for unit, shift in ((1e-6, 0.0), (1e6, 0.0), (1.0, 1e4)):
        moved = rule().fit(unit * X + shift, y)
        np.testing.assert_allclose(unit * moved.coef_, plain.coef_, atol=1e-5 * np.abs(plain.coef_).max())
        np.testing.assert_allclose(moved.decision_function(unit * X + shift), plain.decision_function(X), atol=1e-4)
    wider = rule().fit(np.c_[X, np.full(len(X), 3.3), np.zeros(len(X))], y)
    np.testing.assert_allclose(wider.coef_[:, :-2], plain.coef_, atol=1e-5)
    assert not wider.support_[-2:].any() and wider.eta_max_ == pytest.approx(plain.eta_max_, abs=1e-6)


def test_defaults_are_close_to_the_best_setting():
    for X, y in (breast_cancer(), (scale(load_iris().data[50:, :3]), load_iris().target[50:])):
        default = cross_val_score(MomentSparseClassifier(), X, y).mean()
        best = max(cross_val_score(MomentSparseClassifier(reach=r), X, y).mean() for r in (0.3, 0.6, 0.9, 0.99))
        assert default >= best - 0.02


def test_wide_tables_need_no_square_of_their_width():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 20_000)), np.arange(60) % 2
    X[:, :5] += 1.5 * y[:, np.newaxis]
    tracemalloc.start()
    model = MomentSparseClassifier(0.9).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6 and model.converged_ and model.eta_max_ == 1.0
    assert min(np.mean(model.predict(X[y == c]) == c) for c in (0, 1)) >= 0.9


def test_an_eta_next_to_the_largest_is_solved_or_told():
    X, y = breast_cancer()
    limit = MomentSparseClassifier().fit(X, y).eta_max_
    for below in (1e-3, 1e-5, 1e-7):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                model = MomentSparseClassifier(limit - below).fit(X, y)
            except ValueError as error:
                assert "cannot be promised" in str(error) and below < 1e-4
            else:
                assert model.converged_ or any(issubclass(w.category, ConvergenceWarning) for w in seen)


@pytest.mark.parametrize("rule", RULES)
def test_bad_input_gets_a_sentence(rule):
    X, y = breast_cancer()
    with pytest.raises(ValueError, match="one class only"):
        rule().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="NaN"):
        rule().fit(np.where(X > 3, np.nan, X), y)
    with pytest.raises(ValueError, match="Only binary"):
        rule().fit(*load_iris(return_X_y=True))
    if rule is not L1MarginClassifier:
        for eta in (1.0, -0.1, 1.5, "most"):
            with pytest.raises(ValueError, match="eta"):
                rule(eta=eta).fit(X, y)
        with pytest.raises(ValueError, match="means of the two classes coincide"):
            rule().fit(np.tile([[0.0, 1.0], [1.0, 0.0]], (10, 1)), np.repeat([0, 1], 10))
        with pytest.raises(ValueError, match="means of the two classes coincide"):  # but for rounding
            rule().fit(np.concatenate([X[:40], X[:40] + 1e-12]), np.repeat([0, 1], 40))


def test_margins_of_many_rows_take_no_matrix_of_rows_by_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    tracemalloc.start()
    model = L1MarginClassifier().fit(X, X[:, 0] + rng.normal(size=2000) > 0)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.converged_ and most < 2000**2
