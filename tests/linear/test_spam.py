"""Sparse additive models."""

import numpy as np
import pandas as pd
import pytest
from scipy.interpolate import BSpline
from sklearn.linear_model import Lasso

from treatise.io import load_model, save_model
from treatise.linear import SpAMClassifier, SpAMRegressor, plot_components, plot_norm_path
from treatise.linear._additive_basis import basis_values, spline_bases
from treatise.linear._spam_smoothers import backfit, smoother_matrices, smoothing_weights


def additive(n, p, seed, noise=1.0):
    """The thesis's simulation: four functions among p columns."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.5, 2.5, (n, p))
    parts = [-2 * np.sin(2 * X[:, 0]), X[:, 1] ** 2 - 1 / 3, X[:, 2] - 0.5, np.exp(-X[:, 3]) + np.exp(-1) - 1]
    return X, sum(parts) + noise * rng.standard_normal(n)


def test_the_splines_are_de_boor_s_and_orthonormal_with_mean_zero():
    x = np.random.default_rng(0).standard_normal((200, 1)) ** 3
    bases, Q, starts = spline_bases(x, 6)
    assert starts.tolist() == [0, 6]
    np.testing.assert_allclose(Q @ Q.T / 200, np.eye(6), atol=1e-10)
    np.testing.assert_allclose(Q.mean(axis=1), 0, atol=1e-12)
    knots, means, turn = bases[0]
    grid = np.linspace(x.min(), x.max(), 50)
    splines = np.column_stack([BSpline(knots, np.eye(7)[b], 3)(grid) for b in range(7)])
    np.testing.assert_allclose(basis_values(bases[0], grid), turn @ (splines.T - means[:, None]), atol=1e-9)
    np.testing.assert_allclose(basis_values(bases[0], [x.max() + 5]), basis_values(bases[0], [x.max()]))


def test_columns_of_few_values_get_as_many_functions_as_they_can_tell_apart():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(100), rng.integers(0, 2, 100), rng.integers(0, 4, 100), rng.standard_normal(100)])
    assert np.diff(spline_bases(X, 6)[2]).tolist() == [0, 1, 3, 6]


def test_straight_smoothers_give_the_lasso():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 8))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = X[:, 0] - 2 * X[:, 3] + rng.standard_normal(60)
    S = np.array([np.outer(x, x) / (x @ x) for x in X.T])
    components, *_ = backfit(S, y - y.mean(), 0.2, tol=1e-12, max_iter=10_000)
    coef = np.array([f @ x / (x @ x) for f, x in zip(components, X.T)])
    np.testing.assert_allclose(coef, Lasso(alpha=0.2, tol=1e-12, max_iter=100_000).fit(X, y).coef_, atol=1e-6)


def test_orthonormal_groups_give_the_group_lasso():
    celer = pytest.importorskip("celer")
    X, y = additive(150, 12, 0)
    model = SpAMRegressor(0.3, tol=1e-13).fit(X, y)
    Q = spline_bases(X, 6)[1]
    theirs = celer.GroupLasso(groups=6, alpha=0.3, tol=1e-13, max_iter=1000).fit(np.asfortranarray(Q.T), y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(model.predict(X), theirs.predict(Q.T), atol=1e-6)


@pytest.mark.parametrize("smoother", ["basis", "kernel", "local_linear"])
def test_the_four_functions_are_found_somewhere_on_the_path(smoother):
    exact = 0
    for seed in range(3):
        X, y = additive(150, 60, seed)
        model = SpAMRegressor("cp", smoother=smoother, n_penalties=30, smallest_penalty=0.1, tol=1e-4).fit(X, y)
        exact += any(np.array_equal(np.flatnonzero(norms), [0, 1, 2, 3]) for norms in model.path_["norms"])
        assert {0, 1, 2, 3} <= set(model.active_)
    assert exact >= 2


def test_no_penalty_with_smoothers_is_ordinary_backfitting():
    X, y = additive(60, 4, 1)
    S = smoother_matrices(X, np.full(4, 0.5), "kernel")
    components, shrink, _ = backfit(S, y - y.mean(), 0.0, tol=1e-12, max_iter=5000)
    np.testing.assert_allclose(shrink, 1.0)
    for j in range(4):
        rest = y - y.mean() - components.sum(axis=0) + components[j]
        np.testing.assert_allclose(components[j], S[j] @ rest, atol=1e-8)


def test_windows_average_and_follow_lines_and_survive_far_points():
    x = np.linspace(0, 1, 20)
    for kind in ("kernel", "local_linear"):
        weights = smoothing_weights(np.array([0.3, 0.5, 100.0]), x, 0.1, kind)
        np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    np.testing.assert_allclose(smoothing_weights(x, x, 0.1, "local_linear") @ (3 * x + 1), 3 * x + 1, atol=1e-9)


def test_the_fit_and_the_prediction_on_its_own_rows_agree_for_every_smoother():
    X, y = additive(100, 5, 2)
    for smoother in ("kernel", "local_linear"):
        model = SpAMRegressor(0.1, smoother=smoother, tol=1e-10).fit(X, y)
        total = sum(model.component(j, X[:, j]) for j in range(5)) + model.intercept_
        np.testing.assert_allclose(model.predict(X), total)
        assert abs(np.mean(model.component(0, X[:, 0]))) < 1e-8
        # At the end of backfitting every component is its shrunken smooth residual.
        assert np.sqrt(np.mean(model.component(0, X[:, 0]) ** 2)) == pytest.approx(model.norms_[0], rel=1e-4)


def test_cross_validation_chooses_a_penalty_that_predicts_well():
    X, y = additive(300, 15, 3)
    new, targets = additive(1000, 15, 4)
    chosen = SpAMRegressor("cv", n_penalties=20).fit(X, y)
    assert chosen.score(new, targets) > 0.8
    assert chosen.score(new, targets) > Lasso(alpha=0.05).fit(X, y).score(new, targets) + 0.2
    assert len(chosen.path_["cv"]) == 20


def test_constant_columns_more_columns_than_rows_and_large_penalties():
    X, y = additive(40, 100, 5)
    X[:, 50] = 3.0
    model = SpAMRegressor("cp", n_penalties=15).fit(X, y)
    assert 50 not in model.active_
    empty = SpAMRegressor(1e6).fit(X, y)
    assert not len(empty.active_)
    np.testing.assert_allclose(empty.predict(X), y.mean())
    with pytest.raises(ValueError, match="use smoother='basis'"):
        SpAMRegressor(smoother="kernel").fit(np.zeros((2000, 500)) + np.arange(2000)[:, None], np.arange(2000.0))


def test_the_classifier_finds_the_columns_that_bend_the_odds():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (500, 12))
    score = 2 * (X[:, 2] ** 2 - 1.3) + 2 * np.sin(2 * X[:, 5])
    y = np.where(rng.random(500) < 1 / (1 + np.exp(-score)), "yes", "no")
    for penalty in ("bic", "cv"):
        model = SpAMClassifier(penalty, n_penalties=15).fit(X, y)
        assert {2, 5} <= set(model.active_)
    assert set(SpAMClassifier().fit(X, y).active_) == {2, 5}
    chance = model.predict_proba(X)
    np.testing.assert_allclose(chance.sum(axis=1), 1)
    total = model.intercept_[0] + sum(model.component(j, X[:, j]) for j in range(12))
    np.testing.assert_allclose(model.decision_function(X), total)
    assert model.score(X, y) > 0.75


def test_three_classes_and_one_class():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (300, 6))
    y = np.digitize(X[:, 1], [-0.3, 0.3])
    model = SpAMClassifier(0.02).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.predict_proba(X).shape == (300, 3)
    with pytest.raises(ValueError, match="one class only"):
        SpAMClassifier().fit(X, np.zeros(300))


def test_pictures_show_the_active_curves_and_the_path(tmp_path):
    X, y = additive(150, 10, 6)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(10)])
    model = SpAMRegressor(0.4).fit(frame, y)
    axes = plot_components(model, frame)
    assert len(axes) == len(model.active_)
    assert axes[0].get_xlabel() == f"x{model.norms_.argmax()}"
    assert plot_norm_path(model).lines
    save_model(model, tmp_path / "spam.skops")
    np.testing.assert_array_equal(load_model(tmp_path / "spam.skops").model.predict(frame), model.predict(frame))
