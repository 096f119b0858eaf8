"""Sparse additive models."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.interpolate import BSpline
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import Lasso
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold

from treatise.io import load_model, save_model
from treatise.linear import SpAMClassifier, SpAMRegressor, plot_components, plot_norm_path
from treatise.linear.spam._basis import basis_values, column_bases
from treatise.linear.spam._smoothers import backfit, smoother_matrices, smoothing_weights


def additive(n, p, seed, noise=1.0):
    """The thesis's simulation: four functions among p columns."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.5, 2.5, (n, p))
    parts = [-2 * np.sin(2 * X[:, 0]), X[:, 1] ** 2 - 1 / 3, X[:, 2] - 0.5, np.exp(-X[:, 3]) + np.exp(-1) - 1]
    return X, sum(parts) + noise * rng.standard_normal(n)


def test_the_splines_are_de_boor_s_and_orthonormal_with_mean_zero():
    x = np.random.default_rng(0).standard_normal((200, 1)) ** 3
    bases, Q, starts = column_bases(x, 6)
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
    assert np.diff(column_bases(X, 6)[2]).tolist() == [0, 1, 3, 6]


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
    Q = column_bases(X, 6)[1]
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


def test_four_of_200_columns_are_on_the_path_and_in_the_choice_of_nine_draws_in_ten():
    """Section 12.5.1 at n = 150."""
    exact = held = 0
    for seed in range(10):
        X, y = additive(150, 200, 100 + seed)
        model = SpAMRegressor("cp", n_penalties=40, smallest_penalty=0.1, tol=1e-4).fit(X, y)
        exact += any(np.array_equal(np.flatnonzero(norms), [0, 1, 2, 3]) for norms in model.path_["norms"])
        held += {0, 1, 2, 3} <= set(model.active_)
    assert exact >= 9 and held >= 9


def test_c_p_is_the_error_plus_the_price_of_its_functions():
    X, y = additive(120, 20, 11)
    X[:, 7] = X[:, 7] > 0  # a column of two values has one function
    model = SpAMRegressor("cp", n_penalties=8, smallest_penalty=0.2, tol=1e-10).fit(X, y)
    errors, degrees = [], []
    for penalty in model.path_["penalty"]:
        alone = SpAMRegressor(float(penalty), tol=1e-10).fit(X, y)
        errors.append(np.mean((y - alone.predict(X)) ** 2))
        degrees.append(sum(1 if j == 7 else 6 for j in alone.active_))
    # The noise is judged by the largest model that leaves half of the rows over.
    k = max(k for k in range(8) if degrees[k] <= 60)
    variance = 120 * errors[k] / (120 - degrees[k] - 1)
    np.testing.assert_allclose(model.path_["cp"], np.array(errors) + 2 * variance * np.array(degrees) / 120, rtol=1e-6)
    assert model.penalty_ == model.path_["penalty"][model.path_["cp"].argmin()]


@pytest.mark.parametrize("smoother", ["basis", "kernel"])
def test_cross_validation_is_the_error_of_models_fitted_without_the_fold(smoother):
    X, y = additive(60, 5, 12)
    options = {"smoother": smoother, "tol": 1e-9, "smallest_penalty": 0.1}
    model = SpAMRegressor("cv", n_penalties=4, cv=3, random_state=1, **options).fit(X, y)
    expected = np.zeros(4)
    for train, test in KFold(3, shuffle=True, random_state=1).split(X):
        for k, penalty in enumerate(model.path_["penalty"]):
            part = SpAMRegressor(float(penalty), **options).fit(X[train], y[train])
            expected[k] += np.sum((y[test] - part.predict(X[test])) ** 2) / 60
    np.testing.assert_allclose(model.path_["cv"], expected, rtol=1e-5)
    assert model.penalty_ == model.path_["penalty"][expected.argmin()]


def test_bic_and_held_out_loss_of_classes_by_their_definitions():
    X, y = additive(150, 5, 13)
    y = (y > y.mean()).astype(int)
    bic = SpAMClassifier("bic", n_penalties=4, smallest_penalty=0.2, tol=1e-8).fit(X, y)
    held = SpAMClassifier("cv", n_penalties=4, smallest_penalty=0.2, cv=3, tol=1e-8, random_state=1).fit(X, y)
    expected, losses = [], np.zeros(4)
    for k, penalty in enumerate(bic.path_[0]["penalty"]):
        alone = SpAMClassifier(float(penalty), tol=1e-8).fit(X, y)
        expected.append(2 * 150 * log_loss(y, alone.predict_proba(X)) + 6 * len(alone.active_) * np.log(150))
        for train, test in StratifiedKFold(3, shuffle=True, random_state=1).split(X, y):
            part = SpAMClassifier(float(penalty), tol=1e-8).fit(X[train], y[train])
            losses[k] += len(test) / 150 * log_loss(y[test], part.predict_proba(X[test]), labels=[0, 1])
    # The conditions of the optimum hold to 1e-8, a loss of 150 rows to about 1e-5.
    np.testing.assert_allclose(bic.path_[0]["bic"], expected, rtol=1e-5)
    np.testing.assert_allclose(held.path_[0]["cv"], losses, rtol=1e-5)
    assert held.penalty_[0] == held.path_[0]["penalty"][losses.argmin()]


def test_no_penalty_with_smoothers_is_ordinary_backfitting():
    X, y = additive(60, 4, 1)
    S = smoother_matrices(X, np.full(4, 0.5), "kernel")
    components, shrink, *_ = backfit(S, y - y.mean(), 0.0, tol=1e-12, max_iter=5000)
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
    assert set(SpAMClassifier("bic").fit(X, y).active_) == {2, 5}
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


@pytest.mark.parametrize(
    "model", [SpAMRegressor(0.01, max_iter=1), SpAMRegressor(0.01, smoother="kernel", max_iter=1), SpAMClassifier(1e-3)]
)
def test_a_fit_that_ends_early_says_so(model):
    X, y = additive(100, 8, 7)
    y = y if isinstance(model, SpAMRegressor) else y > y.mean()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(model).set_params(max_iter=10_000).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        clone(model).set_params(max_iter=1).fit(X, y)


def test_a_class_of_one_row_is_cross_validated_without_a_word():
    X, _ = additive(40, 4, 8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SpAMClassifier("cv", n_penalties=5).fit(X, np.arange(40) == 7)
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(1 / 40, abs=0.01)


def test_functions_are_asked_for_by_number_or_name_at_numbers_of_any_shape():
    X, y = additive(150, 5, 9)
    frame = pd.DataFrame(X, columns=list("abcde"))
    for model in (SpAMRegressor(0.3).fit(frame, y), SpAMClassifier(0.05).fit(frame, y > y.mean())):
        np.testing.assert_array_equal(model.component("b", [0.5, 1.0]), model.component(1, [0.5, 1.0]))
        assert model.component(1, 0.5).shape == (1,) and model.component(1, 0.5)[0] == model.component("b", [0.5])[0]
        with pytest.raises(ValueError, match="'z' is no column of the fit: the columns are a, b, c, d, e"):
            model.component("z", [0.0])
        for number in (-1, 5):
            with pytest.raises(ValueError, match=f"column {number} does not exist: there are 5"):
                model.component(number, [0.0])
    with pytest.raises(ValueError, match="problem=1 does not exist: there are 1"):
        model.component(0, [0.0], 1)
    with pytest.raises(NotFittedError):
        SpAMRegressor().component(0, [0.0])


def test_pictures_of_classifiers_show_every_class_and_its_path():
    X, y = additive(200, 6, 10)
    three = np.array(["low", "middle", "high"])[np.digitize(y, np.quantile(y, [0.33, 0.67]))]
    model = SpAMClassifier(0.03).fit(X, three)
    axes = plot_components(model, X)
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == ["high", "low", "middle"]
    curve = axes[0].get_lines()[2]
    np.testing.assert_allclose(curve.get_ydata(), model.component(int(model.norms_.argmax()), curve.get_xdata(), 2))
    ax = plot_norm_path(model, problem=2)
    assert len(ax.lines) - 1 == np.count_nonzero(model.path_[2]["norms"].max(axis=0))
    with pytest.raises(ValueError, match="problem=3 does not exist: there are 3"):
        plot_norm_path(model, problem=3)
    assert plot_components(SpAMClassifier(0.05).fit(X, three == "low"), X)[0].get_legend() is None
    for draw in (plot_norm_path, lambda model: plot_components(model, X)):
        with pytest.raises(NotFittedError):
            draw(SpAMRegressor())


def test_pictures_show_the_active_curves_and_the_path(tmp_path):
    X, y = additive(150, 10, 6)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(10)])
    model = SpAMRegressor(0.4).fit(frame, y)
    axes = plot_components(model, frame)
    assert len(axes) == len(model.active_)
    assert axes[0].get_xlabel() == f"x{model.norms_.argmax()}"
    assert plot_norm_path(model).lines
    for fitted in (model, SpAMRegressor(0.4, smoother="kernel").fit(frame, y), SpAMClassifier(0.05).fit(frame, y > 0)):
        save_model(fitted, tmp_path / "spam.skops")
        again = load_model(tmp_path / "spam.skops").model
        np.testing.assert_array_equal(again.predict(frame), fitted.predict(frame))


def test_default_penalty_keeps_the_columns_that_tell():
    X, y = load_breast_cancer(return_X_y=True)
    model = SpAMClassifier(n_penalties=12).fit(X[::2], y[::2])
    assert model.converged_ and model.score(X[1::2], y[1::2]) > 0.94
    # The information criterion charges full degrees for shrunken curves, and stops where they still tell little.
    few = SpAMClassifier("bic", n_penalties=12).fit(X[::2], y[::2])
    held_out = [log_loss(y[1::2], each.predict_proba(X[1::2])) for each in (model, few)]
    assert held_out[0] < 0.8 * held_out[1]


def _waves(x):
    return np.array([np.sin(2 * x), np.cos(2 * x)])


def test_functions_of_ones_own_replace_the_splines():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (200, 8))
    wave = np.sin(2 * X[:, 3]) + 0.5 * np.cos(2 * X[:, 3])
    model = SpAMRegressor(1e-4, basis=_waves).fit(X, wave)
    points = np.linspace(-2, 2, 50)
    truth = np.sin(2 * points) + 0.5 * np.cos(2 * points)
    # The functions span the truth, so that only the penalty is left of the error.
    np.testing.assert_allclose(model.component(3, points), truth - wave.mean(), atol=1e-2)
    assert SpAMRegressor(basis=_waves).fit(X, wave + 0.3 * rng.normal(size=200)).norms_.argmax() == 3
    assert SpAMClassifier(0.05, basis=_waves).fit(X, wave > 0).active_.tolist() == [3]
    with pytest.raises(ValueError, match=r"must give finite numbers of shape \(n_functions, 200\)"):
        SpAMRegressor(basis=lambda x: x).fit(X, wave)
