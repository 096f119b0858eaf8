"""Boosting by tiny steps against its definition, the lasso, soft thresholds and the separators of largest margin."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

import treatise.ensemble.epsilon_boost._paths as paths
from treatise.ensemble import (
    EpsilonBoostClassifier,
    EpsilonBoostRegressor,
    compare_paths,
    l1_max_margin,
    l2_max_margin,
    lp_margin,
    plot_boosting_path,
    plot_margin_path,
)
from treatise.optimize import ExponentialLoss, LogisticLoss, SquaredLoss, l1_constrained_path

WHOLE = {"early_stopping": False}
COLUMNS = {"dictionary": "columns", "fit_intercept": False, **WHOLE}


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(60, 3)), rng.integers(0, 3, 60)])
    return X, np.where(X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=60) > 0.8, 1.0, -1.0)


@pytest.fixture(scope="module")
def separable():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 20))
    y = np.where(X @ rng.normal(size=20) > 0, 1.0, -1.0)
    return X, y


def every_stump(X):
    """The constant, then all stumps column by column: values at the rows, columns and thresholds."""
    members, features, thresholds = [np.ones(len(X))], [0], [-np.inf]
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for low, high in pairwise(values):
            members.append(np.where(X[:, j] > (low + high) / 2, 1.0, -1.0))
            features.append(j)
            thresholds.append((low + high) / 2)
    return np.array(members), np.array(features), np.array(thresholds)


def algorithm_one(members, y, loss, epsilon, n_steps, start=0.0):
    """Algorithm 1 of the paper, line by line."""
    beta, path = np.zeros(len(members)), []
    for _ in range(n_steps):
        w = loss.derivative(y, start + beta @ members) / len(y)
        slopes = members @ w
        j = int(np.argmax(np.abs(slopes) > np.abs(slopes).max() * (1 - 1e-12)))
        beta[j] -= epsilon * np.sign(slopes[j])
        path.append((j, -epsilon * np.sign(slopes[j])))
    return beta, path


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_stumps_are_boosted_as_algorithm_1_says(classes, loss):
    X, y = classes
    model = EpsilonBoostClassifier(loss, epsilon=0.1, n_steps=80, **WHOLE).fit(X, y)
    members, features, thresholds = every_stump(X)
    odds = np.log(np.mean(y > 0) / np.mean(y < 0))
    rule = LogisticLoss() if loss == "logistic" else ExponentialLoss()
    beta, path = algorithm_one(members, y, rule, 0.1, 80, start=odds if loss == "logistic" else odds / 2)
    chosen = np.array([j for j, _ in path])
    np.testing.assert_array_equal(model.stump_features_[model.chosen_], features[chosen])
    np.testing.assert_allclose(model.stump_thresholds_[model.chosen_], thresholds[chosen])
    np.testing.assert_allclose(model.increments_, [step for _, step in path])
    scores = model.intercept_ + beta @ members
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-12)
    chance = 1 / (1 + np.exp(-scores * (1 if loss == "logistic" else 2)))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], chance, atol=1e-12)
    assert model.loss_path_[-1] == pytest.approx(rule.value(y, scores).mean(), rel=1e-12)
    assert model.norm_path_[-1] == pytest.approx(np.abs(beta).sum(), rel=1e-12)
    assert model.min_margin_path_[-1] == pytest.approx((y * scores).min() / np.abs(beta).sum(), rel=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_regression_on_stumps_is_algorithm_1_whatever_the_scale_of_y(classes, scale):
    X, _ = classes
    y = scale * np.sin(2 * X[:, 0])
    model = EpsilonBoostRegressor(n_steps=60, **WHOLE).fit(X, y + 7 * scale)
    members = every_stump(X)[0]
    beta, _ = algorithm_one(members, y, SquaredLoss(), 0.02 * y.std(), 60, start=y.mean())
    np.testing.assert_allclose(model.predict(X), 7 * scale + y.mean() + beta @ members, rtol=1e-10)


def test_the_path_on_diabetes_is_the_lasso_until_its_seventh_variable_turns():
    X, y = load_diabetes(return_X_y=True)
    y = y - y.mean()
    _, _, knots = lars_path(X, y, method="lasso")
    norms = np.abs(knots).sum(axis=0)
    # The card's knots; the lasso's variable 7 turns where variable 8 comes in.
    np.testing.assert_allclose(norms[[1, 4, 7]], [60.12, 1250.70, 1914.56], atol=0.01)
    differences = {}
    for epsilon in (0.1, 0.01):
        model = EpsilonBoostRegressor(epsilon=epsilon, n_steps=int(2100 / epsilon), **COLUMNS).fit(X, y)
        assert model.monotone_until_ == pytest.approx(2062.1, abs=0.2)
        bounds = [300.0, 1000.0, 1900.0, 2000.0]
        path = l1_constrained_path(X, y, SquaredLoss(), bounds)
        exact = np.array([[np.interp(bound, norms, values) for values in knots] for bound in bounds])
        np.testing.assert_allclose(path.coef, exact, atol=1e-6)
        differences[epsilon] = compare_paths(model, path).differences
    assert (differences[0.1][:3] < 0.1).all() and (differences[0.01][:3] < 0.01).all()
    assert differences[0.1][3] == pytest.approx(30.4, abs=0.1)
    assert differences[0.01][1:3] == pytest.approx([0.0048, 0.0047], abs=5e-5)


def test_with_orthonormal_columns_coefficients_are_soft_thresholds():
    rng = np.random.default_rng(2)
    X = np.linalg.qr(rng.normal(size=(50, 6)))[0]
    y = X @ np.array([5.0, -3.0, 2.0, 1.0, -0.5, 0.1]) + 0.1 * rng.normal(size=50)
    epsilon = 0.01
    model = EpsilonBoostRegressor(epsilon=epsilon, n_steps=900, **COLUMNS).fit(X, y)
    full = X.T @ y
    for step in (50, 300, 600, 900):
        coef = model.coef_at(step)
        levels = np.linspace(0, 5.5, 20_000)[:, np.newaxis]
        soft = np.sign(full) * np.maximum(np.abs(full) - levels, 0.0)
        nearest = soft[np.argmin(np.abs(np.abs(soft).sum(axis=1) - np.abs(coef).sum()))]
        np.testing.assert_allclose(coef, nearest, atol=epsilon + 1e-3)


def test_line_search_with_the_exponential_loss_is_adaboost():
    rng = np.random.default_rng(3)
    M = rng.choice([-1.0, 1.0], size=(12, 9))
    y = np.where(rng.random(12) < 0.5, 1.0, -1.0)
    model = EpsilonBoostClassifier("exponential", step="line_search", n_steps=15, **COLUMNS).fit(M * y[:, None], y)
    d = np.full(12, 1 / 12)
    for t in range(15):
        edges = d @ M
        j = int(np.argmax(np.abs(edges) > np.abs(edges).max() * (1 - 1e-12)))
        r = edges[j]
        assert model.chosen_[t] == j
        assert model.increments_[t] == pytest.approx(0.5 * np.log((1 + r) / (1 - r)), rel=1e-12)
        d = d / (1 + M[:, j] * r)
    weights = np.exp(-M @ model.coef_)
    np.testing.assert_allclose(weights / weights.sum(), d, rtol=1e-12)


def test_a_rule_that_separates_ends_the_line_search():
    X = np.column_stack([np.repeat([-1.0, 1.0], 10), np.arange(20.0)])
    model = EpsilonBoostClassifier("exponential", step="line_search", n_steps=50, **WHOLE).fit(X, X[:, 0])
    assert len(model.chosen_) == 1 and np.isfinite(model.coef_).all() and model.score(X, X[:, 0]) == 1.0
    assert model.loss_path_[-1] < 1e-15


@pytest.mark.parametrize("loss", [LogisticLoss(), ExponentialLoss()])
def test_the_gap_certifies_the_path_under_its_norm(classes, loss):
    X, y = classes
    model = EpsilonBoostClassifier(loss.name, epsilon=0.01, n_steps=300, **COLUMNS).fit(X, y)
    steps = [20, 100, 200, 300]
    path = l1_constrained_path(X, y, loss, model.norm_path_[steps])
    assert path.converged
    excess = model.loss_path_[steps] - path.losses
    assert (excess >= -1e-9).all() and (model.gap_path_[steps] >= excess - 1e-12).all()
    assert (model.gap_path_[steps] < 0.02 * model.loss_path_[0]).all()
    # A wrong sign of either part of the bound would show.
    scores = X @ model.coef_at(100)
    slopes = X.T @ loss.derivative(y, scores) / len(y)
    expected = model.norm_path_[100] * np.abs(slopes).max() + slopes @ model.coef_at(100)
    assert model.gap_path_[100] == pytest.approx(expected, rel=1e-9)


def test_the_training_loss_never_rises_with_short_steps(classes):
    X, y = classes
    for loss in ("logistic", "exponential"):
        model = EpsilonBoostClassifier(loss, epsilon=0.001, n_steps=1000, **WHOLE).fit(X, y)
        assert (np.diff(model.loss_path_) < 0).all()


def test_least_margins_of_both_losses_tend_to_the_largest_possible(separable):
    X, y = separable
    largest = l1_max_margin(X, y).margin
    for loss in ("logistic", "exponential"):
        model = EpsilonBoostClassifier(loss, epsilon=0.01, n_steps=60_000, **COLUMNS).fit(X, y)
        assert 0.98 * largest < model.min_margin_path_[-1] <= largest * (1 + 1e-12)
        assert model.min_margin_path_[-1] == pytest.approx(lp_margin(X, y, model.coef_), rel=1e-9)


def test_l2_boosting_uses_every_member_before_any_twice_and_tends_to_the_l2_separator(separable):
    X, y = separable
    model = EpsilonBoostClassifier(norm="l2", epsilon=0.001, n_steps=200_000, **COLUMNS).fit(X, y)
    assert sorted(model.chosen_[:20]) == list(range(20))
    coef = model.coef_at(5000)
    slopes = X.T @ LogisticLoss().derivative(y, X @ coef)
    steps = coef - 0.001 * np.sign(slopes) * np.eye(20)
    lower = [LogisticLoss().value(y, X @ step).mean() < model.loss_path_[5000] for step in steps]
    assert model.chosen_[5000] == np.argmax(np.abs(slopes / coef) * lower)
    found = l2_max_margin(X, y)
    assert lp_margin(X, y, model.coef_, 2.0) > 0.97 * found.margin
    assert lp_margin(X, y, model.coef_, 2.0) > lp_margin(X, y, l1_max_margin(X, y).coef, 2.0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_products_of_columns_lead_the_same_way_as_rows(monkeypatch):
    X, y = load_diabetes(return_X_y=True)
    settings = {"dictionary": "columns", "epsilon": 2.0, "n_steps": 2500, "cv": 3}
    fast = EpsilonBoostRegressor(**settings).fit(X, y)
    monkeypatch.setattr(paths, "_MOST_FOR_GRAM", 0)
    slow = EpsilonBoostRegressor(**settings).fit(X, y)
    np.testing.assert_array_equal(fast.chosen_, slow.chosen_)
    for name in ("loss_path_", "gap_path_", "held_out_loss_"):
        np.testing.assert_allclose(getattr(fast, name), getattr(slow, name), rtol=1e-9, atol=1e-9)


def test_early_stopping_is_cross_validation_along_the_path():
    X, y = load_diabetes(return_X_y=True)
    folds = list(KFold(3, shuffle=True, random_state=5).split(X))
    model = EpsilonBoostRegressor(epsilon=5.0, cv=folds).fit(X, y)
    steps = range(len(model.held_out_loss_))
    errors = np.zeros(len(steps))
    for train, test in folds:
        part = EpsilonBoostRegressor(epsilon=5.0, n_steps=len(steps) - 1, **WHOLE).fit(X[train], y[train])
        errors += [0.5 * np.sum((values - y[test]) ** 2) for values in part.staged_predict(X[test], steps)]
    np.testing.assert_allclose(model.held_out_loss_, errors / len(y), rtol=1e-10)
    assert model.n_steps_ == np.argmin(errors) and model.converged_
    np.testing.assert_allclose(next(model.staged_predict(X, [model.n_steps_])), model.predict(X), rtol=1e-10)


def test_a_path_cut_short_is_told():
    X, y = load_diabetes(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="still falls after n_steps=10"):
        assert EpsilonBoostRegressor(n_steps=10).fit(X, y).converged_ is False


def test_trees_as_dictionary_are_fitted_to_the_slopes(classes):
    X, y = classes
    tree = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0)
    model = EpsilonBoostClassifier("exponential", dictionary=tree, epsilon=0.1, n_steps=5, **WHOLE).fit(X, y)
    scores = np.full(len(y), 0.5 * np.log(np.mean(y > 0) / np.mean(y < 0)))
    for member in model.estimators_:
        answers = member.predict(X)
        assert set(answers) <= {-1, 1} and member.get_n_leaves() <= 4
        weights = np.exp(-y * scores)
        # Better than chance under AdaBoost's weights, which are the sizes of the slopes.
        assert weights @ (answers != y) < 0.5 * weights.sum()
        scores += 0.1 * answers
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-12)
    assert list(model.staged_decision_function(X))[-1] == pytest.approx(scores)
    assert np.isnan(model.gap_path_).all()


def test_equal_columns_tie_for_the_first_and_constant_ones_are_left_alone(classes):
    X, y = classes
    wide = np.column_stack([np.full(60, 3.7), X[:, 0], X[:, 0], X[:, 1]])
    for settings in ({"dictionary": "stumps"}, {"dictionary": "columns"}):
        model = EpsilonBoostClassifier(n_steps=100, epsilon=0.05, **settings, **WHOLE).fit(wide, y)
        used = model.stump_features_ if settings["dictionary"] == "stumps" else model.chosen_
        assert 2 not in used and 1 in used
        constant = np.isneginf(model.stump_thresholds_) if settings["dictionary"] == "stumps" else used == 4
        assert not np.any((used == 0) & ~constant)


def test_order_of_rows_and_scale_of_columns_change_nothing_for_stumps(classes):
    X, y = classes
    model = EpsilonBoostClassifier(n_steps=200, **WHOLE).fit(X, y)
    order = np.random.default_rng(0).permutation(60)
    scaled = EpsilonBoostClassifier(n_steps=200, **WHOLE).fit(X[order] * [1e3, 1e-3, 8.0, 1.0], y[order])
    np.testing.assert_array_equal(model.stump_features_, scaled.stump_features_)
    np.testing.assert_allclose(model.decision_function(X), scaled.decision_function(X * [1e3, 1e-3, 8.0, 1.0]))


def test_columns_with_an_intercept_take_a_shift_of_the_data(classes):
    X, y = classes
    model = EpsilonBoostClassifier(dictionary="columns", n_steps=200, **WHOLE).fit(X, y)
    shifted = EpsilonBoostClassifier(dictionary="columns", n_steps=200, **WHOLE).fit(X + 100.0, y)
    np.testing.assert_allclose(model.decision_function(X), shifted.decision_function(X + 100.0), atol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_ + model.intercept_)
    np.testing.assert_allclose(list(model.staged_decision_function(X))[-1], model.decision_function(X), atol=1e-10)


def test_nothing_to_learn_from_leaves_the_constant():
    model = EpsilonBoostClassifier().fit(np.ones((10, 2)), [0] * 7 + [1] * 3)
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 2))), [[0.7, 0.3]])
    flat = EpsilonBoostRegressor().fit(np.arange(10.0)[:, None], np.full(10, 4.0))
    np.testing.assert_allclose(flat.predict([[3.0]]), 4.0)


def test_bad_settings_and_labels_are_refused_with_what_would_be_right(classes):
    X, y = classes
    with pytest.raises(ValueError, match="dictionary='columns'"):
        EpsilonBoostClassifier(norm="l2").fit(X, y)
    with pytest.raises(ValueError, match=r"^class 1 has one row only"):
        EpsilonBoostClassifier().fit(X[:5], [0, 0, 0, 0, 1])
    with pytest.raises(ValueError, match="Only binary classification"):
        EpsilonBoostClassifier().fit(X, np.arange(60) % 3)
    with pytest.raises(ValueError, match="the path has 3 steps"):
        EpsilonBoostClassifier(n_steps=3, **WHOLE).fit(X, y).coef_at(4)
    with pytest.raises(ValueError, match="boosted over the 4 columns"):
        compare_paths(
            EpsilonBoostClassifier(n_steps=3, **WHOLE).fit(X, y), l1_constrained_path(X, y, LogisticLoss(), [1])
        )


def test_paths_are_drawn_on_the_axes_given(classes):
    from matplotlib.figure import Figure

    model = EpsilonBoostClassifier(epsilon=0.2).fit(*classes)
    left, right = Figure().subplots(1, 2)
    assert plot_boosting_path(model, left) is left and len(left.lines) > 2
    assert plot_margin_path(model, right, largest=0.1) is right and len(right.lines) == 2


@pytest.mark.parametrize("short", [{"n_steps": 1}, {"epsilon": 1e-7, "n_steps": 300}])
def test_a_path_that_has_hardly_begun_is_told_however_short_its_steps(short):
    X = np.random.default_rng(0).normal(size=(100, 3))
    with pytest.warns(ConvergenceWarning, match="raise n_steps or epsilon"):
        assert EpsilonBoostRegressor(**short).fit(X, X[:, 0] + np.sin(X[:, 1])).converged_ is False


def test_numbers_whose_squares_overflow_are_refused_where_they_are_squared():
    """Columns of them had no slope, and amounts were predicted as NaN."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    amounts, sides = X[:, 0] - X[:, 1], np.where(X[:, 0] > X[:, 1], "above", "below")
    for model, y in (
        (EpsilonBoostClassifier(dictionary="columns"), sides),
        (EpsilonBoostRegressor(dictionary="columns"), amounts),
    ):
        with pytest.raises(ValueError, match=r"X holds .*, whose square overflows"):
            model.fit(1e160 * X, y)
    with pytest.raises(ValueError, match=r"y holds .*, whose square overflows"):
        EpsilonBoostRegressor().fit(X, 1e160 * amounts)
    # Stumps ask for nothing but the order.
    far, near = (EpsilonBoostClassifier(n_steps=50, early_stopping=False).fit(s * X, sides) for s in (1e160, 1.0))
    np.testing.assert_array_equal(far.predict(1e160 * X), near.predict(X))
