"""Group ARD and the group lasso against closed forms, finite differences, other solvers and their conditions."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from treatise.linear import (
    GroupARDRegressor,
    GroupLassoMKL,
    bayes_ridge_mse,
    orthogonal_variances,
    plot_group_variances,
    zero_probability,
)
from treatise.linear.group_ard._block_search import best_variance
from treatise.linear.group_ard._descent import BlockVariances, common_variance
from treatise.linear.group_ard._forms import ColumnForm, RowForm


def made(seed=0, n=60, sizes=(3, 1, 4, 2), noise=0.7):
    rng = np.random.default_rng(seed)
    starts = np.append(0, np.cumsum(sizes))
    G = rng.normal(size=(n, starts[-1])) @ (np.eye(starts[-1]) + 0.3)
    theta = np.where(np.repeat(np.arange(len(sizes)) % 2 == 0, sizes), rng.normal(size=starts[-1]), 0.0)
    return G, G @ theta + noise * rng.normal(size=n), starts, noise**2


def objective(G, y, starts, noise, variances, gamma, determinant=1.0):
    total = noise * np.eye(len(y)) + (G * np.repeat(variances, np.diff(starts))) @ G.T
    return 0.5 * (determinant * np.linalg.slogdet(total)[1] + y @ np.linalg.solve(total, y)) + gamma * np.sum(variances)


@pytest.mark.parametrize("n", [60, 6])
@pytest.mark.parametrize("form", [ColumnForm, RowForm])
def test_objective_gradient_and_bend_are_those_of_the_definition(form, n):
    G, y, starts, noise = made(n=n)
    variances, gamma = np.array([0.3, 0.0, 0.7, 0.1]), 0.4
    descent = BlockVariances(form(G, y, starts, noise), gamma)
    descent.form.begin(variances)
    assert descent.objective() == pytest.approx(objective(G, y, starts, noise, variances, gamma), rel=1e-10)
    slope, _ = descent.gradient()
    h = 1e-5
    for i in range(4):
        move = h * np.eye(4)[i]
        up, down = (objective(G, y, starts, noise, variances + s * move, gamma) for s in (1, -1))
        assert slope[i] == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-6)
    squares, forms = descent.form.coupling()
    for i in range(4):
        shifted = []
        for s in (1, -1):
            descent.form.begin(variances + s * h * np.eye(4)[i])
            shifted.append(descent.gradient()[0])
        np.testing.assert_allclose(
            (forms - 0.5 * squares)[i], (shifted[0] - shifted[1]) / (2 * h), rtol=1e-4, atol=1e-5
        )


@pytest.mark.parametrize("form", [ColumnForm, RowForm])
def test_changing_one_block_equals_beginning_anew(form):
    G, y, starts, noise = made()
    kept, fresh = form(G, y, starts, noise), form(G, y, starts, noise)
    kept.begin(np.array([0.3, 0.0, 0.7, 0.1]))
    kept.change(1, 0.5)
    kept.change(2, 0.0)
    fresh.begin(np.array([0.3, 0.5, 0.0, 0.1]))
    assert kept.log_det == pytest.approx(fresh.log_det, rel=1e-10)
    assert kept.quadratic == pytest.approx(fresh.quadratic, rel=1e-9)
    for ours, anew in zip(kept.summaries(), fresh.summaries()):
        np.testing.assert_allclose(ours, anew, rtol=1e-8)


def test_both_forms_find_the_same_variances():
    G, y, starts, noise = made()
    found = []
    for form in (ColumnForm, RowForm):
        descent = BlockVariances(form(G, y, starts, noise), 0.2)
        found.append(descent.run(np.full(4, common_variance(G, y, noise)), 100, 1e-10))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("gamma", [0.0, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("gram", [1.0, 25.0])
def test_orthogonal_designs_have_their_closed_forms(gamma, gram):
    rng = np.random.default_rng(1)
    G = np.linalg.qr(rng.normal(size=(50, 12)))[0] * np.sqrt(gram)
    y = G @ np.r_[rng.normal(size=4), np.zeros(8)] + 0.3 * rng.normal(size=50)
    norms = np.linalg.norm((G.T @ y / gram).reshape(3, 4), axis=1)
    model = GroupARDRegressor(4, gamma=gamma, noise_var=0.09, fit_intercept=False, tol=1e-9).fit(G, y)
    closed = orthogonal_variances(norms, 4, 0.09, gram, gamma, "pard")
    np.testing.assert_allclose(model.variances_, closed, atol=1e-8)
    if gamma > 0:
        lasso = GroupLassoMKL(4, gamma=gamma, noise_var=0.09, fit_intercept=False, tol=1e-13).fit(G, y)
        np.testing.assert_allclose(
            lasso.variances_, orthogonal_variances(norms, 4, 0.09, gram, gamma, "glasso"), atol=1e-6
        )
        shrunk = lasso.variances_ / (lasso.variances_ + 0.09 / gram)
        np.testing.assert_allclose(
            lasso.coef_.reshape(3, 4), shrunk[:, None] * (G.T @ y / gram).reshape(3, 4), atol=1e-6
        )


def test_small_penalties_lead_to_ard_without_losing_digits():
    norms = np.array([0.5, 1.0, 3.0])
    nearly = orthogonal_variances(norms, 4, 0.1, 10.0, 1e-14, "pard")
    np.testing.assert_allclose(nearly, orthogonal_variances(norms, 4, 0.1, 10.0), rtol=1e-10)


def test_group_lasso_meets_its_conditions_and_equals_its_variances():
    G, y, starts, noise = made(2)
    gamma = 30.0
    model = GroupLassoMKL(
        [0] * 3 + [1] + [2] * 4 + [3] * 2, gamma=gamma, noise_var=noise, fit_intercept=False, tol=1e-13
    )
    model.fit(G, y)
    slope = G.T @ (y - G @ model.coef_) / noise
    for j in range(4):
        part = slice(starts[j], starts[j + 1])
        norm = np.linalg.norm(model.coef_[part])
        if norm > 0:
            np.testing.assert_allclose(slope[part], np.sqrt(2 * gamma) * model.coef_[part] / norm, atol=1e-3)
        else:
            assert np.linalg.norm(slope[part]) <= np.sqrt(2 * gamma) * (1 + 1e-6)
    # Equation 12: the same from a search for variances.
    value = objective(G, y, starts, noise, model.variances_, gamma, 0.0)
    descent = BlockVariances(ColumnForm(G, y, starts, noise), gamma, 0.0)
    variances = descent.run(np.ones(4), 100, 1e-10)
    assert value == pytest.approx(descent.objective(), rel=1e-8)
    np.testing.assert_allclose(model.variances_, variances, atol=1e-5)


@pytest.mark.parametrize("alike", [0.0, 30.0])
def test_blocks_of_one_column_are_the_lasso(alike):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 10)) + alike * rng.normal(size=(80, 1))
    y = X @ np.r_[2.0, -1.0, np.zeros(8)] + 0.5 * rng.normal(size=80)
    gamma, noise = 200.0, 0.25
    ours = GroupLassoMKL(gamma=gamma, noise_var=noise, fit_intercept=False, tol=1e-12).fit(X, y)
    theirs = Lasso(noise * np.sqrt(2 * gamma) / 80, fit_intercept=False, tol=1e-14, max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


@pytest.mark.parametrize("gamma", [0.0, 0.5])
def test_conditions_of_the_optimum_hold_and_the_objective_never_rises(gamma):
    G, y, starts, _ = made(4, n=90, sizes=(4,) * 10)
    model = GroupARDRegressor(4, gamma=gamma).fit(G, y)
    assert model.converged_ and model.kkt_violation_ <= 1e-6
    assert np.diff(model.objective_trace_).max() <= 1e-9 * abs(model.objective_)  # but for rounding
    assert model.objective_trace_[0] > model.objective_ + 1
    G, y = G - G.mean(axis=0), y - y.mean()
    value = objective(G, y, starts, model.noise_var_, model.variances_, gamma)
    assert model.objective_ == pytest.approx(value, rel=1e-9)
    for i in range(10):
        # No single block has a better variance, near or far.
        for factor in (0.5, 0.99, 1.01, 2.0):
            trial = model.variances_.copy()
            trial[i] = trial[i] * factor if trial[i] > 0 else 0.01 * factor
            assert objective(G, y, starts, model.noise_var_, trial, gamma) > value - 1e-9


def test_coefficients_are_the_posterior_mean_with_its_covariance():
    G, y, starts, noise = made(5)
    model = GroupARDRegressor([0] * 3 + [1] + [2] * 4 + [3] * 2, noise_var=noise, fit_intercept=False).fit(G, y)
    prior = np.repeat(model.variances_, np.diff(starts))
    total = (G * prior) @ G.T + noise * np.eye(len(y))
    np.testing.assert_allclose(model.coef_, prior * (G.T @ np.linalg.solve(total, y)), atol=1e-9)
    columns, covariance = model.coef_covariance()
    full = np.diag(prior) - (prior[:, None] * G.T) @ np.linalg.solve(total, G * prior)
    np.testing.assert_allclose(covariance, full[np.ix_(columns, columns)], atol=1e-9)
    _, deviation = model.predict(G[:3], return_std=True)
    np.testing.assert_allclose(deviation**2, np.einsum("ij,jk,ik->i", G[:3], full, G[:3]) + noise, rtol=1e-8)


def test_one_group_is_ridge_with_its_best_variance():
    G, y, _, noise = made(6)
    model = GroupARDRegressor([0] * 10, noise_var=noise, fit_intercept=False).fit(G, y)
    grid = model.variances_[0] * np.geomspace(0.2, 5, 201)
    values = [objective(G, y, np.array([0, 10]), noise, np.array([v]), 0.0) for v in grid]
    assert int(np.argmin(values)) == 100
    ridge = np.linalg.solve(G.T @ G + noise / model.variances_[0] * np.eye(10), G.T @ y)
    np.testing.assert_allclose(model.coef_, ridge, atol=1e-8)


def test_zero_probabilities_are_the_printed_ones_and_those_of_draws():
    assert zero_probability(0.0, 10, 1.0, 1.0) == pytest.approx(0.559507, abs=1e-6)
    assert zero_probability(0.0, 10, 1.0, 1.0, 1.5, "pard") == pytest.approx(0.776328, abs=1e-6)
    assert zero_probability(0.0, 10, 1.0, 1.0, 1.5, "glasso") == pytest.approx(0.018576, abs=1e-6)
    rng = np.random.default_rng(7)
    theta, noise, gram, gamma = np.array([0.3, 0.1, 0.0, 0.2]), 0.5, 4.0, 6.0
    drawn = theta + np.sqrt(noise / gram) * rng.normal(size=(20_000, 4))
    for method in ("ard", "pard", "glasso"):
        share = np.mean(orthogonal_variances(np.linalg.norm(drawn, axis=1), 4, noise, gram, gamma, method) == 0)
        expected = zero_probability(np.linalg.norm(theta), 4, noise, gram, gamma, method)
        assert share == pytest.approx(expected, abs=0.01)


def test_mean_squared_error_is_that_of_draws_and_least_at_the_papers_variance():
    rng = np.random.default_rng(8)
    G, theta, noise = rng.normal(size=(12, 3)), np.array([1.0, -0.5, 0.0]), 0.6
    variances = np.array([0.5, 0.5, 0.1])
    inverse = np.linalg.inv((G * variances) @ G.T + noise * np.eye(12))
    y = G @ theta + np.sqrt(noise) * rng.normal(size=(40_000, 12))
    errors = np.sum((variances * (y @ inverse @ G) - theta) ** 2, axis=1)
    expected = bayes_ridge_mse(G, theta, variances, noise)
    assert errors.mean() == pytest.approx(expected, abs=4 * errors.std() / 200)
    # Orthogonal designs: a block's error is least where its variance is its mean square (Proposition 6).
    best = np.mean(theta**2)
    values = [bayes_ridge_mse(np.eye(3), theta, v, noise) for v in best * np.array([0.9, 1.0, 1.1])]
    assert values[1] < min(values[0], values[2])


def test_units_of_the_target_scale_the_answer():
    G, y, _, noise = made(9)
    one = GroupARDRegressor(2, gamma=0.3, noise_var=noise).fit(G, y)
    other = GroupARDRegressor(2, gamma=0.3 / 100, noise_var=100 * noise).fit(G, 10 * y)
    np.testing.assert_allclose(other.coef_, 10 * one.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(other.variances_, 100 * one.variances_, rtol=1e-6, atol=1e-9)


def test_order_of_columns_and_repeated_columns_are_taken():
    G, y, _, _ = made(10)
    groups = np.array([0] * 3 + [1] + [2] * 4 + [3] * 2)
    order = np.random.default_rng(0).permutation(10)
    plain, moved = GroupARDRegressor(groups).fit(G, y), GroupARDRegressor(groups[order]).fit(G[:, order], y)
    np.testing.assert_allclose(moved.coef_, plain.coef_[order], atol=1e-6)
    twice = GroupARDRegressor([0, 0, 1]).fit(np.column_stack([G[:, 0], G[:, 0], G[:, 1]]), y)
    assert twice.coef_[0] == pytest.approx(twice.coef_[1])


def test_more_columns_than_rows_find_the_blocks_and_the_noise():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(80, 200))
    y = X[:, :5] @ [3.0, -2.0, 2.0, 1.0, -3.0] + 0.5 * rng.normal(size=80)
    model = GroupARDRegressor(5).fit(X, y)
    assert 0 in model.active_groups_ and len(model.active_groups_) <= 6
    assert 0.1 < model.noise_var_ < 0.5
    np.testing.assert_allclose(model.coef_[:5], [3.0, -2.0, 2.0, 1.0, -3.0], atol=0.4)


def test_a_variance_is_the_lowest_of_several_minima():
    # Two scales of curvature make two valleys; a grid finds the deeper one, and so must the search.
    grid = np.geomspace(1e-9, 1e9, 8_001)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        d = 10.0 ** rng.uniform(-4, 4, 3)
        squares = d * 10.0 ** rng.uniform(-1, 2, 3)
        for gamma, determinant in ((0.0, 1.0), (0.01, 1.0), (0.5, 0.0)):
            share = 1 + grid[:, None] * d
            terms = determinant * np.log(share) - grid[:, None] * squares / share
            values = 0.5 * terms.sum(axis=1) + gamma * grid
            found = best_variance(d, squares, gamma, determinant, 0.0)
            share = 1 + found * d
            value = 0.5 * np.sum(determinant * np.log(share) - found * squares / share) + gamma * found
            assert value <= min(values.min(), 0.0) + 1e-9


def test_perfect_fits_constant_columns_and_constant_targets_are_taken():
    rng = np.random.default_rng(13)
    X = np.column_stack([rng.normal(size=(50, 4)), np.full(50, 0.1)])
    exact = GroupARDRegressor().fit(X, X[:, 0] - 2 * X[:, 1])
    np.testing.assert_allclose(exact.coef_, [1, -2, 0, 0, 0], atol=1e-4)
    assert exact.coef_[4] == 0 and exact.converged_
    for model in (GroupARDRegressor(), GroupLassoMKL()):
        still = model.fit(X, np.full(50, 3.0))
        np.testing.assert_allclose(still.predict(X), 3.0)
        assert len(still.active_groups_) == 0
    _, deviation = GroupARDRegressor(noise_var=1.0).fit(X, np.full(50, 3.0)).predict(X, return_std=True)
    np.testing.assert_allclose(deviation, np.sqrt(1 + 1 / 50))  # nothing is known but the mean


def test_noise_is_that_of_least_squares_where_rows_are_many():
    G, y, _, _ = made(14)
    A = np.column_stack([np.ones(60), G])
    residual = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
    for model in (GroupARDRegressor(), GroupLassoMKL()):
        assert model.fit(G, y).noise_var_ == pytest.approx(residual @ residual / (60 - 11))
    without = GroupARDRegressor(fit_intercept=False).fit(G, y).noise_var_
    residual = y - G @ np.linalg.lstsq(G, y, rcond=None)[0]
    assert without == pytest.approx(residual @ residual / 50)


def test_validation_looks_at_thirty_penalties():
    G, y, _, _ = made(12, n=100)
    model = GroupLassoMKL(2).fit(G, y)
    assert model.gammas_.shape == model.validation_errors_.shape == (30,)
    assert model.gamma_ == model.gammas_[model.validation_errors_.argmin()]
    # The first error by hand: a model of one half, judged on the other, of data centred as one.
    order = np.random.RandomState(0).permutation(100)
    G, y = G - G.mean(axis=0), y - y.mean()
    for place in (5, 20):
        options = {"gamma": model.gammas_[place], "noise_var": model.noise_var_, "fit_intercept": False}
        half = GroupLassoMKL(2, **options).fit(G[order[:50]], y[order[:50]])
        error = np.mean((y[order[50:]] - half.predict(G[order[50:]])) ** 2)
        assert model.validation_errors_[place] == pytest.approx(error, rel=1e-3)
    penalised = GroupARDRegressor(2, gamma="validation").fit(G, y)
    assert penalised.gamma_ == penalised.gammas_[penalised.validation_errors_.argmin()]
    assert penalised.gammas_[[0, -1]] == pytest.approx(
        np.array([1e-2, 1e4]) / common_variance(G, y, penalised.noise_var_)
    )


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (3, "groups=3 does not divide the 10 features"),
        ([0, 1], "give one label for each feature"),
        ([[0, 1, 2], [2, 3, 4, 5, 6, 7, 8, 9]], "feature 2 is named twice"),
        ([[0, 1], [3, 4, 5, 6, 7, 8, 9]], "feature 2 is in no group"),
        ([[0, 10]], "numbers from 0 to 9"),
        ([list(range(10)), []], "group 1 has no features"),
        ([0.0] * 9 + [np.nan], "missing values; give every feature a group"),
        (["a"] * 9 + [None], "missing values; give every feature a group"),
    ],
)
def test_blocks_that_are_none_are_told(groups, words):
    G, y, _, _ = made()
    with pytest.raises(ValueError, match=words):
        GroupARDRegressor(groups).fit(G, y)


def test_wrong_numbers_and_too_few_rounds_are_told():
    with pytest.raises(ValueError, match="is not known; choose one of"):
        orthogonal_variances(1.0, 1, 1.0, 1.0, method="lasso")
    with pytest.raises(ValueError, match="give gamma above 0"):
        zero_probability(1.0, 1, 1.0, 1.0, method="glasso")
    with pytest.raises(ValueError, match="a column for each coefficient"):
        bayes_ridge_mse(np.eye(2), [1.0], [1.0], 1.0)
    G, y, _, _ = made()
    with pytest.raises(ValueError, match="3 rows are too few"):
        GroupLassoMKL(2, noise_var=1.0).fit(G[:3], y[:3])
    with pytest.raises(ValueError, match="'gamma' parameter"):
        GroupLassoMKL(2, gamma=0.0).fit(G, y)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        GroupLassoMKL(2, gamma=0.001, max_iter=1, tol=1e-14).fit(G, y)
    with pytest.warns(ConvergenceWarning, match="after 1 steps, not tol=1e-12"):
        GroupARDRegressor(2, max_iter=1, tol=1e-12).fit(G, y)


def test_the_picture_has_a_bar_for_every_block_and_a_cross_for_every_zero():
    G, y, _, _ = made(4, n=90, sizes=(4,) * 10)
    model = GroupARDRegressor(4).fit(G, y)
    ax = plot_group_variances(model, labels=[f"b{i}" for i in range(10)])
    heights = np.array([bar.get_height() for bar in ax.patches])
    np.testing.assert_allclose(heights**2, model.variances_)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), np.flatnonzero(model.variances_ == 0))
    assert 0 < len(ax.lines[0].get_xdata()) < 10
    with pytest.raises(ValueError, match="2 words for 10 blocks"):
        plot_group_variances(model, labels=["a", "b"])
