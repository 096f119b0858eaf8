"""Enriched Dirichlet processes against enumeration of the posterior, Geweke's joint test, limits and bad input."""

import warnings

import numpy as np
import pytest
from scipy.integrate import trapezoid
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

from treatise.bayes import DPMixtureRegressor, EnrichedDPClassifier, EnrichedDPRegressor, plot_predictive_density
from treatise.bayes.enriched_dp._chain import NestedChain, mass_priors
from treatise.bayes.enriched_dp._seating import seat
from treatise.statistics import effective_sample_size, geweke_joint_test
from treatise.statistics.conjugate import LinearNormalPrior, NormalColumnsPrior
from treatise.statistics.partitions import (
    draw_nested_partition,
    log_nested_partition_probability,
    log_partition_probability,
    nested_partitions,
    set_partitions,
)

X5 = np.array([[4.0], [4.5], [6.0], [7.0], [1.0]])
Y5 = np.array([4.1, 4.4, 5.1, 5.2, 1.2])
NEW = np.array([[2.0], [5.0], [8.0]])
PRIOR = {
    "beta_0": [2.25, 0.55], "C": [0.05, 1.0], "a_y": 2.0, "b_y": 0.1, "mu_0": 4.0, "c": 0.25, "a_x": 2.0, "b_x": 1.0,
}  # fmt: skip
COLUMNS = NormalColumnsPrior.of(4.0, 0.25, 2.0, 1.0, n_features=1)
LINEAR = LinearNormalPrior.of(PRIOR["beta_0"], PRIOR["C"], shape=2.0, rate=0.1)
PAIRS = ((0, 1), (2, 3), (0, 4), (0, 2))


def fitted(model, *data):
    """A fit whose chains may be too short to judge: the test looks at what they drew."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data)


def predictive_parts(restaurants, tables, alpha_psi, x):
    """Weights of equation 11 at x and means of the target in each restaurant, by the evidence alone; alpha_theta 1."""
    n, fresh = len(X5), np.exp(COLUMNS.log_evidence(x))
    weights, means = [fresh / (1.0 + n)], [LINEAR.mean @ np.r_[1.0, x[0]]]
    for j in np.unique(restaurants):
        rows = restaurants == j
        inside = alpha_psi * fresh
        for t in np.unique(tables[rows]):
            members = X5[tables == t]
            added = COLUMNS.log_evidence(np.vstack([members, x])) - COLUMNS.log_evidence(members)
            inside += len(members) * np.exp(added)
        weights.append(rows.sum() / (1.0 + n) * inside / (alpha_psi + rows.sum()))
        means.append(LINEAR.posterior(X5[rows], Y5[rows]).predict(x)[1][0])
    return np.array(weights), np.array(means)


def enumerated(alpha_psi):
    """P(k), mean number of tables, chances that pairs share a restaurant, predictive means: all exact."""
    partitions = list(nested_partitions(5)) if alpha_psi else [(labels, labels) for labels in set_partitions(5)]
    logs, found = [], []
    for restaurants, tables in partitions:
        log = (
            log_nested_partition_probability(restaurants, tables, 1.0, alpha_psi)
            if alpha_psi
            else log_partition_probability(restaurants, 1.0)
        )
        log += sum(LINEAR.posterior(X5[rows], Y5[rows]).log_evidence for rows in _groups(restaurants))
        logs.append(log + sum(COLUMNS.log_evidence(X5[rows]) for rows in _groups(tables)))
        parts = [predictive_parts(restaurants, tables, alpha_psi, x[np.newaxis]) for x in NEW]
        found.append(
            np.concatenate([
                np.arange(1, 6) == restaurants.max() + 1, [tables.max() + 1],
                [restaurants[a] == restaurants[b] for a, b in PAIRS],
                [weights.sum() for weights, _ in parts], [weights @ means for weights, means in parts],
            ])
        )  # fmt: skip
    weights = np.exp(np.array(logs) - max(logs))
    means = weights @ np.array(found) / weights.sum()
    return means[:5], means[5], means[6:10], means[13:] / means[10:13]


def _groups(labels):
    return [labels == j for j in np.unique(labels)]


@pytest.mark.parametrize(
    ("alpha_psi", "clusters", "tables", "pairs", "means"),
    [
        (1.0, (0.011372, 0.659826, 0.289973, 0.037314, 0.001515), 3.56999, (0.814825, 0.763423, 0.059818, 0.732000),
         (2.593980, 4.517598, 5.873017)),
        (0.0, (0.002763, 0.533530, 0.401328, 0.059949, 0.002430), None, None, (2.285761, 4.599601, 5.899847)),
    ],
)  # fmt: skip
def test_enumeration_gives_the_values_known_from_an_independent_program(alpha_psi, clusters, tables, pairs, means):
    found = enumerated(alpha_psi)
    np.testing.assert_allclose(found[0], clusters, atol=1e-6)
    np.testing.assert_allclose(found[3], means, atol=1e-5)
    if alpha_psi:
        assert found[1] == pytest.approx(tables, abs=1e-5)
        np.testing.assert_allclose(found[2], pairs, atol=1e-6)


@pytest.mark.parametrize(("alpha_psi", "moves"), [(1.0, 1), (1.0, 5), (1.0, 0), (0.0, 0)])
def test_a_long_chain_agrees_with_the_enumerated_posterior(alpha_psi, moves):
    exact = np.concatenate([np.ravel(part) for part in enumerated(alpha_psi)[:3]])
    chain = NestedChain(X5, Y5, COLUMNS, LINEAR, mass_priors(1.0, alpha_psi), moves, np.random.default_rng(moves))
    chain.sweep(100)
    drawn = []
    for _ in range(20_000):
        chain.sweep(1)
        restaurants, _ = chain.partition()
        together = [restaurants[a] == restaurants[b] for a, b in PAIRS]
        drawn.append([*(np.arange(1, 6) == chain.n_clusters), chain.n_tables, *together])
    drawn = np.array(drawn, dtype=float)
    error = drawn.std(axis=0) / np.sqrt(effective_sample_size(drawn[np.newaxis]))
    assert (np.abs(drawn.mean(axis=0) - exact) < 4.5 * error + 1e-3).all()
    assert error.max() < 0.03


@pytest.mark.parametrize("plain", [False, True])
def test_predictive_means_agree_with_enumeration(plain):
    settings = {"prior": PRIOR, "burn_in": 200, "n_samples": 15_000, "thin": 10, "random_state": 0}
    model = DPMixtureRegressor(1.0, **settings) if plain else EnrichedDPRegressor(1.0, 1.0, n_moves=1, **settings)
    np.testing.assert_allclose(model.fit(X5, Y5).predict(NEW), enumerated(0.0 if plain else 1.0)[3], atol=0.03)


@pytest.mark.parametrize("probit", [False, True])
@pytest.mark.parametrize("alpha_psi", [(2.0, 2.0), 0.0])
def test_the_sampler_leaves_its_model_as_it_is(probit, alpha_psi):
    columns = NormalColumnsPrior.of(0.5, 1.0, 3.0, 2.0, n_features=1)
    linear = LinearNormalPrior.of([0.2, -0.3], [1.0, 2.0], **({} if probit else {"shape": 3.0, "rate": 2.0}))
    masses, n = mass_priors((2.0, 2.0), alpha_psi), 6

    def prior(rng):
        mass = rng.gamma(masses.shape) / masses.rate
        inner = rng.gamma(masses.table_shape, size=n) / masses.table_rate if alpha_psi else np.full(n, 1e-12)
        restaurants, tables = draw_nested_partition(n, mass, inner, rng)
        variance = np.ones(n) if probit else linear.rate / rng.gamma(linear.shape, size=n)
        noise = rng.normal(size=(n, 2)) / np.sqrt([1.0, 2.0])
        beta = linear.mean + np.sqrt(variance)[:, None] * noise
        spread = columns.rate / rng.gamma(columns.shape[0], size=n)
        centre = columns.mean + np.sqrt(spread / columns.weight) * rng.normal(size=n)
        return restaurants, tables, mass, inner if alpha_psi else np.zeros(n), beta, variance, centre, spread

    def data(rng, state):
        restaurants, tables, _, _, beta, variance, centre, spread = state
        x = centre[tables] + np.sqrt(spread[tables]) * rng.normal(size=n)
        y = beta[restaurants, 0] + beta[restaurants, 1] * x + np.sqrt(variance[restaurants]) * rng.normal(size=n)
        return x[:, None], np.where(y > 0, 1.0, -1.0) if probit else y

    def step(rng, state, seen):
        restaurants, tables, mass, inner, beta, variance, centre, spread = state
        chain = NestedChain(*seen, columns, linear, masses, 0 if not alpha_psi else 2, rng)
        now = chain.seating
        seat(now, restaurants, tables)
        now.mass[0], now.table_mass[:], now.beta[:], now.variance[:] = mass, inner, beta, variance
        now.centre[:, 0], now.tightness[:, 0] = centre, 1.0 / spread
        now.level[:] = -0.5 * np.log(2 * np.pi * spread)
        chain.sweep(1)
        return (
            *chain.partition(), now.mass[0], now.table_mass.copy(), now.beta.copy(), now.variance.copy(),
            now.centre[:, 0].copy(), 1.0 / now.tightness[:, 0],
        )  # fmt: skip

    def statistics(state, seen):
        restaurants, tables, mass, inner, beta, variance, centre, spread = state
        x, y = seen[0][:, 0], seen[1]
        k, n_tables = restaurants.max() + 1, tables.max() + 1
        slopes = beta[restaurants, 1]
        return np.array([
            k, n_tables, np.log(mass), np.log(inner[restaurants]).mean() if alpha_psi else 0.0, slopes.mean(),
            (slopes**2).mean(), np.log(variance[restaurants]).mean(), centre[tables].mean(),
            np.log(spread[tables]).mean(), k * n_tables, (restaurants[0] == restaurants[1]) * abs(x[0] - x[1]),
            np.tanh(x * y).mean(), (tables[0] == tables[1]), np.log(mass) * k,
        ])  # fmt: skip

    scores = geweke_joint_test(prior, data, step, statistics, n_draws=3000, random_state=1)
    assert np.abs(scores).max() < 4.0, scores.round(1)


def crossing(n=150, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, n)
    return x[:, None], np.where(rng.random(n) < 0.5, 2 + x, -2 - x) + 0.2 * rng.standard_normal(n)


@pytest.fixture(scope="module")
def model():
    return fitted(EnrichedDPRegressor(burn_in=500, n_samples=1000, random_state=0), *crossing())


def test_one_cluster_is_bayesian_linear_regression():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    prior = {**PRIOR, "beta_0": [0.1, 0.2, 0.3], "C": [0.5, 1.0, 2.0], "mu_0": 0.0}
    short = {"prior": prior, "burn_in": 5, "n_samples": 20, "thin": 1, "n_chains": 1, "random_state": 0}
    seen = LinearNormalPrior.of(prior["beta_0"], prior["C"], shape=2.0, rate=0.1).posterior(X, y)
    df, location, scale = seen.predict(X)
    for single in (EnrichedDPRegressor(1e-12, 1.0, **short), DPMixtureRegressor(1e-12, **short)):
        fitted(single, X, y)
        assert single.n_clusters_ == 1
        mean, deviation = single.predict(X, return_std=True)
        np.testing.assert_allclose(mean, location, atol=1e-6)
        np.testing.assert_allclose(deviation, scale * np.sqrt(df / (df - 2)), rtol=1e-6)


@pytest.mark.parametrize(("p", "spread"), [(1, 0.5), (15, 3.0)])
def test_a_plain_process_expects_wider_clusters_of_more_columns(p, spread):
    X = np.random.default_rng(0).normal(size=(40, p))
    model = fitted(DPMixtureRegressor(burn_in=5, n_samples=20, random_state=0), X, X[:, 0])
    np.testing.assert_allclose(model.prior_["b_x"], spread)


def test_densities_integrate_to_one_and_agree_with_means_and_intervals(model):
    X, grid = np.array([[-0.9], [0.0], [0.5], [1.5]]), np.linspace(-40, 40, 8001)
    densities = model.predict_density(X, grid)
    np.testing.assert_allclose(trapezoid(densities, grid), 1.0, atol=1e-3)
    mean, deviation = model.predict(X, return_std=True)
    np.testing.assert_allclose(trapezoid(densities * grid, grid), mean, atol=5e-3)
    square = trapezoid(densities * (grid - mean[:, None]) ** 2, grid)
    np.testing.assert_allclose(np.sqrt(square), deviation, rtol=1e-2)
    below = np.cumsum(densities, axis=1) * (grid[1] - grid[0])
    for i, (low, high) in enumerate(model.predict_interval(X, level=0.9)):
        assert np.interp(low, grid, below[i]) == pytest.approx(0.05, abs=3e-3)
        assert np.interp(high, grid, below[i]) == pytest.approx(0.95, abs=3e-3)
    y = np.array([1.1, 2.0, 2.5, 0.0])
    np.testing.assert_allclose(model.log_density(X, y), np.log(model.predict_density(X, y[:, None])[:, 0]))


def test_two_lines_are_told_apart(model):
    X, y = crossing()
    assert model.n_clusters_ == 2
    assert len(np.unique(model.labels_[y > 0])) == len(np.unique(model.labels_[y < 0])) == 1
    # No cluster of x is in two clusters of y.
    assert (
        len(np.unique(np.column_stack([model.labels_, model.nested_labels_]), axis=0)) == model.nested_labels_.max() + 1
    )
    together = model.co_clustering()
    assert together[np.ix_(y > 0, y > 0)].mean() > 0.9 > 0.1 > together[np.ix_(y > 0, y < 0)].mean()
    inside = model.predict_interval(X, of="mean")
    assert (inside[:, 0] < model.predict(X)).all()
    assert (model.predict(X) < inside[:, 1]).all()


def test_units_change_nothing_but_units():
    X, y = crossing(60)
    short = {"burn_in": 50, "n_samples": 100, "random_state": 0}
    first = fitted(EnrichedDPRegressor(**short), X, y)
    # Powers of two, so that rounding is the same and the chains take the same steps.
    second = fitted(EnrichedDPRegressor(**short), 1024.0 * X, 0.25 * y)
    np.testing.assert_allclose(second.predict(1024.0 * X), 0.25 * first.predict(X), rtol=1e-9)
    np.testing.assert_array_equal(first.labels_, second.labels_)


def test_seed_decides_and_threads_do_not():
    X, y = crossing(40)
    short = {"burn_in": 50, "n_samples": 100}
    first = fitted(EnrichedDPRegressor(random_state=3, **short), X, y)
    same = fitted(EnrichedDPRegressor(random_state=3, n_jobs=2, **short), X, y)
    other = fitted(EnrichedDPRegressor(random_state=4, **short), X, y)
    np.testing.assert_array_equal(first.predict_interval(X, of="mean"), same.predict_interval(X, of="mean"))
    assert (first.predict(X) != other.predict(X)).any()


def test_awkward_tables_are_learned():
    rng = np.random.default_rng(0)
    short = {"burn_in": 50, "n_samples": 100, "random_state": 0}
    X = np.column_stack([rng.normal(size=20), np.full(20, 7.0), 1e6 * rng.normal(size=20)])
    for table in (X, X[np.zeros(20, dtype=int)], rng.normal(size=(8, 20))):
        y = table[:, 0] + 0.1 * rng.normal(size=len(table))
        assert np.isfinite(fitted(EnrichedDPRegressor(**short), table, y).predict(table)).all()
        assert np.isfinite(fitted(DPMixtureRegressor(**short), table, np.ones(len(table))).predict(table)).all()
    far = fitted(EnrichedDPRegressor(**short), X, X[:, 0])
    assert np.isfinite(far.predict([[1e3, -1e3, 1e12]])).all()
    assert np.isfinite(far.predict_interval([[1e3, -1e3, 1e12]])).all()


def test_short_chains_are_told():
    X, y = crossing(60)
    with pytest.warns(ConvergenceWarning, match="R-hat of log_targets"):
        model = EnrichedDPRegressor(burn_in=0, n_samples=20, thin=1, random_state=0).fit(X, y)
    assert not model.converged_


def test_classes_that_several_rules_make_are_learned():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal([-3, 0], 1, (80, 2)), rng.normal([3, 0], 1, (80, 2))])
    # Left of zero the second column counts one way, right of it the other: no linear rule finds this.
    y = np.where((X[:, 0] > 0) == (X[:, 1] + 0.3 * rng.normal(size=160) > 0), "a", "b")
    model = fitted(EnrichedDPClassifier(burn_in=500, n_samples=1000, random_state=0), X, y)
    assert model.score(X, y) > 0.85
    inside, chance = model.predict_interval(X), model.predict_proba(X)
    assert ((inside >= 0) & (inside <= 1)).all()
    assert np.mean((inside[:, 0] <= chance[:, 1]) & (chance[:, 1] <= inside[:, 1])) > 0.95
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)


def test_one_cluster_of_classes_is_probit_regression():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(12, 1))
    y = (x[:, 0] + rng.normal(size=12) > 0).astype(int)
    prior = {"beta_0": [0.0, 0.0], "C": [1.0, 1.0], "mu_0": 0.0, "c": 0.25, "a_x": 2.0, "b_x": 1.0}
    model = EnrichedDPClassifier(1e-12, prior=prior, burn_in=200, n_samples=20_000, thin=10, random_state=0).fit(x, y)
    axis = np.linspace(-5, 5, 201)
    a, b = np.meshgrid(axis, axis)
    from scipy.special import log_ndtr, ndtr

    log = -0.5 * (a**2 + b**2) + sum(log_ndtr((2 * t - 1) * (a + b * v)) for v, t in zip(x[:, 0], y))
    weight = np.exp(log - log.max())
    for v in (-1.0, 0.5, 2.0):
        expected = (weight * ndtr(a + b * v)).sum() / weight.sum()
        assert model.predict_proba([[v]])[0, 1] == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"alpha_theta": (1.0, -1.0)}, r"alpha_theta=\(1.0, -1.0\) is no mass"),
        ({"alpha_psi": (1.0,)}, "alpha_psi"),
        ({"alpha_theta": 0.0}, "alpha_theta"),
        ({"alpha_psi": -1.0}, "alpha_psi"),
        ({"prior": {"beta_0": [0, 0]}}, "prior lacks"),
        ({"prior": {**PRIOR, "sigma": 1.0}}, "which are not known"),
        ({"prior": {**PRIOR, "beta_0": [0.0]}}, "beta_0 has shape"),
        ({"prior": {**PRIOR, "C": [0.0, 1.0]}}, "positive definite"),
        ({"prior": {**PRIOR, "b_x": -1.0}}, "rate of the columns"),
        ({"prior": {**PRIOR, "a_y": 0.0}}, "a_y=0.0"),
        ({"n_samples": 0}, "n_samples"),
    ],
)
def test_bad_settings_are_refused(settings, match):
    with pytest.raises(ValueError, match=match):
        EnrichedDPRegressor(**settings).fit(X5, Y5)


def test_bad_data_are_refused(model):
    with pytest.raises(ValueError, match="NaN"):
        EnrichedDPRegressor().fit([[np.nan], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="NaN"):
        EnrichedDPRegressor().fit([[0.0], [1.0]], [np.nan, 1.0])
    with pytest.raises(ValueError, match="one class only"):
        EnrichedDPClassifier().fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(ValueError, match="Only binary"):
        EnrichedDPClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    with pytest.raises(ValueError, match=r"level=1\.5"):
        model.predict_interval([[0.0]], level=1.5)
    with pytest.raises(ValueError, match="of='median'"):
        model.predict_interval([[0.0]], of="median")
    # One target for two rows would be the target of both.
    with pytest.raises(ValueError, match="one target for each of 2 rows"):
        model.log_density([[0.0], [1.0]], [0.0])
    with pytest.raises(ValueError, match="2 rows of points"):
        model.predict_density([[0.0], [1.0], [2.0]], [[0.0], [1.0]])


def test_real_classes_are_told_apart_as_well_as_by_a_linear_rule():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:300, :10], y[:300]
    model = fitted(EnrichedDPClassifier(burn_in=150, n_samples=150, n_chains=1, random_state=0), X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.88


def test_densities_are_drawn(model):
    X, y = crossing(3, seed=5)
    panels = plot_predictive_density(model, X, y=y, names=["a", "b", "c"])
    assert len(panels) == 3
    assert [panel.get_title() for panel in panels] == ["a", "b", "c"]
    with pytest.raises(ValueError, match="1 names for 3 rows"):
        plot_predictive_density(model, X, names=["a"])
