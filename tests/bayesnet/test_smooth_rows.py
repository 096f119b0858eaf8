"""Smooth rows of sources: their conditionals, and a joint-distribution test of the chain that draws them."""

import numpy as np
import pytest
from scipy import stats

from treatise.bayesnet.slim._loops import refresh_products
from treatise.bayesnet.slim._model import PRIOR, dag_model, factor_model
from treatise.bayesnet.slim._smooth_rows import NUGGET, SmoothChain, SmoothRow, continued, covariance
from treatise.bayesnet.slim.sampler import Plan


@pytest.fixture
def row():
    times = np.array([0.0, 0.4, 1.1, 1.5, 3.0, 3.2])
    return SmoothRow(times, 0.8), times, np.random.default_rng(0)


def dense(times, decay):
    return covariance(times, times, decay) + NUGGET * np.eye(len(times))


def test_evidence_is_that_of_gaussian_observations_of_the_row(row):
    smooth, times, rng = row
    own, total = 3.0, rng.standard_normal(6)
    # exp(total y - own y'y / 2) is, up to a factor without the decay, a Gaussian density of total / own about y.
    for decay in (0.8, 0.1, 5.0):
        marginal = stats.multivariate_normal(np.zeros(6), dense(times, decay) + np.eye(6) / own)
        without = stats.multivariate_normal(np.zeros(6), np.eye(6) / own)
        expected = marginal.logpdf(total / own) - without.logpdf(total / own)
        assert smooth.log_evidence(smooth.covariance_at(decay), own, total)[0] == pytest.approx(expected, abs=1e-8)
    assert smooth.log_evidence(smooth.covariance_at(0.8), 0.0, np.zeros(6))[0] == 0.0


def test_draws_of_a_row_have_the_mean_and_covariance_of_the_paper(row):
    smooth, times, rng = row
    own, total = 3.0, rng.standard_normal(6)
    draws = np.array([smooth.update(own, total, 0.8, rng) for _ in range(2000)])
    K = dense(times, 0.8)
    V = K - K @ np.linalg.inv(np.eye(6) / own + K) @ K
    error = np.sqrt(np.diag(V) / len(draws))
    assert np.all(np.abs(draws.mean(axis=0) - V @ total) < 5 * error)
    # Standard error of a covariance of unit scale over 2000 draws is 0.022.
    np.testing.assert_allclose(np.cov(draws.T), V, atol=5 * 0.022 * V.max())
    y = rng.standard_normal(6)
    assert smooth.prior_square(y) == pytest.approx(y @ np.linalg.solve(K, y), rel=1e-6)


def test_a_row_continues_through_its_own_values():
    times = np.linspace(0, 3, 12)
    values = np.sin(2 * times)
    means, variances = continued(values, times, times, 0.7)
    np.testing.assert_allclose(means, values, atol=1e-3)
    assert variances.max() < 1e-5
    between = np.array([0.5, 1.4, 2.2])
    # Twelve values over less than one period of a smooth function determine it to three digits.
    np.testing.assert_allclose(continued(values, times, between, 0.7)[0], np.sin(2 * between), atol=1e-3)
    mean, variance = continued(values, times, np.array([100.0]), 0.7)
    assert mean == pytest.approx(0.0, abs=1e-9) and variance == pytest.approx(1.0)
    # Between the two: the conditional of a joint Gaussian.
    points = np.array([0.0, 1.0])
    K = dense(np.append(points, 1.7), 0.7)
    weights = np.linalg.solve(K[:2, :2], K[:2, 2])
    mean, variance = continued(np.array([0.3, -0.8]), points, np.array([1.7]), 0.7)
    assert mean == pytest.approx(weights @ [0.3, -0.8]) and variance == pytest.approx(1 - weights @ K[:2, 2])


def prior_draw(model, inputs, N, rng):
    """Everything but the data from the prior, in plain steps: (rate, decays, F, W, tau, linked, nu, psi, precision)."""
    d, K = model.role.shape
    rate = rng.gamma(2.0, 1 / 0.02)
    decays = rng.gamma(2.0, 1 / rate, len(inputs))
    F, precision = np.empty((K, N)), np.ones((model.n_sources, N))
    for j, decay in zip(inputs, decays):
        F[j] = rng.multivariate_normal(np.zeros(N), dense(inputs[j], decay), method="cholesky")
    for k in range(K):
        if k not in inputs:
            precision[k - model.n_observed] = 1 / rng.exponential(2 / model.tail[k - model.n_observed] ** 2, N)
            F[k] = rng.standard_normal(N) / np.sqrt(precision[k - model.n_observed])
    a = PRIOR.column_precision * model.column_mean
    nu = rng.beta(a, PRIOR.column_precision - a)
    psi = 1 / rng.gamma(PRIOR.noise_shape, 1 / PRIOR.noise_rate, d)
    tau = 1 / rng.gamma(PRIOR.slab_shape, 1 / PRIOR.slab_rate, (d, K))
    linked = (rng.random((d, K)) < nu).astype(np.int8)
    present = ((rng.random((d, K)) < 0.95) & (linked == 1)) | (model.role == 2)
    W = np.where(present & (model.role != 0), rng.standard_normal((d, K)) * np.sqrt(psi[:, None] * tau), 0.0)
    return rate, decays, F, W, tau, linked, nu, psi, precision


def summaries(model, rate, decays, F, W, psi, inputs):
    free = model.role != 0
    smooth = F[list(inputs)]
    return np.concatenate(
        [
            np.log([rate]), np.log(decays), psi, np.abs(np.tanh(5 * W[free])), [np.count_nonzero(W)],
            (smooth**2).mean(axis=1), np.tanh(np.abs(np.diff(smooth, axis=1))).mean(axis=1),
            np.tanh(np.abs(F)).mean(axis=1),
        ]
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["factors", "functions"])
def test_sweeps_and_new_data_in_turn_leave_the_prior_as_it_is(kind):
    N, rng = 6, np.random.default_rng(1)
    if kind == "factors":
        model = factor_model(2, 2, "laplace", 1.0, 0.7)
        inputs = dict.fromkeys(range(2), np.array([0.0, 3.0, 5.0, 11.0, 12.0, 20.0]))
    else:
        # The inputs of a function are held fixed, as if its variable were measured elsewhere.
        model = dag_model([1, 0], 0, 0.7)
        inputs = {1: np.array([-9.0, -4.0, -1.0, 0.5, 3.0, 8.0])}
    exact = []
    for _ in range(1500):
        rate, decays, F, W, _, _, _, psi, _ = prior_draw(model, inputs, N, rng)
        exact.append(summaries(model, rate, decays, F, W, psi, inputs))
    exact = np.array(exact)
    plan = Plan(1, 0, 1, 1)
    X, no_cells = rng.standard_normal((2, N)), np.empty((0, 2), np.int64)
    chain = SmoothChain(model, X, no_cells, np.empty(0), plan, rng, inputs=inputs)
    rate, decays, F, W, tau, linked, nu, psi, precision = prior_draw(model, inputs, N, rng)
    state = chain.state
    chain.rate = rate
    chain.rows = {j: SmoothRow(inputs[j], decay) for j, decay in zip(inputs, decays)}
    for name, value in (("W", W), ("tau", tau), ("linked", linked), ("nu", nu), ("psi", psi), ("precision", precision)):
        getattr(state, name)[:] = value
    # A function without a row of its own (the last variable's) is never used; it is left at zero.
    state.F[:] = F
    state.F[[k for k in range(model.n_observed) if k not in inputs]] = 0.0
    n_sweeps, n_batches, found = 1500, 30, []
    for _ in range(n_sweeps):
        noise = rng.standard_normal(state.X.shape) * np.sqrt(state.psi)[:, np.newaxis]
        state.X[:] = state.W @ state.F + noise
        refresh_products(state)
        chain.sweep(1)
        decays = [row.decay for row in chain.rows.values()]
        found.append(summaries(model, chain.rate, decays, state.F, state.W, state.psi, inputs))
    found = np.array(found)
    keep = exact.std(axis=0) > 0
    keep &= found.std(axis=0) > 0
    batches = found.reshape(n_batches, -1, found.shape[1]).mean(axis=1)
    error = np.sqrt(batches.var(axis=0, ddof=1) / n_batches + exact.var(axis=0) / len(exact))[keep]
    z = (found.mean(axis=0) - exact.mean(axis=0))[keep] / error
    # About fifteen quantities, batch means of 29 degrees of freedom.
    assert np.abs(z).max() < 4.0, np.round(z, 1)
