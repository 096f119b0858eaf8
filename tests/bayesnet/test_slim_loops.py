"""The Gibbs sampler against its model: a joint-distribution test, and each conditional against brute force."""

import numpy as np
import pytest
from scipy import integrate, stats

from treatise.bayesnet.slim._loops import (
    LAPLACE,
    draw_magnitudes,
    draw_missing,
    log_odds,
    refresh_products,
    squared_residual,
)
from treatise.bayesnet.slim._model import PRIOR, dag_model, factor_model
from treatise.bayesnet.slim._sweep_loops import log_ratio, masked_products, move_orders, run_sweeps
from treatise.bayesnet.slim.sampler import log_likelihood

NO_CELLS = np.empty((0, 2), np.int64)
NO_ORDERS = np.empty((0, 0), np.int64)


def draw_prior(model, N, rng):
    """Parameters, sources and data from the prior, as a state; the definition of the model in plain steps."""
    d, K = model.role.shape
    state = model.start(rng.standard_normal((d, N)), NO_CELLS, rng)
    a = PRIOR.column_precision * model.column_mean
    state.nu[:] = rng.beta(a, PRIOR.column_precision - a)
    state.psi[:] = 1 / rng.gamma(PRIOR.noise_shape, 1 / PRIOR.noise_rate, d)
    state.tau[:] = 1 / rng.gamma(PRIOR.slab_shape, 1 / PRIOR.slab_rate, (d, K))
    state.linked[:] = rng.random((d, K)) < state.nu
    present = (rng.random((d, K)) < PRIOR.link_mean) & (state.linked == 1)
    present[model.role == 2] = True
    slab = rng.standard_normal((d, K)) * np.sqrt(state.psi[:, np.newaxis] * state.tau)
    state.W[:] = np.where(present & (model.role != 0), slab, 0.0)
    state.W[model.role == 3] = model.given[model.role == 3]
    for j, (kind, tail) in enumerate(zip(model.kind, model.tail)):
        if kind == LAPLACE:
            state.precision[j] = 1 / rng.exponential(2 / tail**2, N)
        else:
            state.precision[j] = rng.gamma(tail / 2, 2 / tail, N)
    m = model.n_sources
    state.F[K - m :] = rng.standard_normal((m, N)) / np.sqrt(state.precision)
    draw_data(model, state, rng)
    return state


def draw_data(model, state, rng):
    """Data given all else: X = (I - B)^-1 (C Z + noise)."""
    d, m = len(state.psi), model.n_sources
    noise = rng.standard_normal(state.X.shape) * np.sqrt(state.psi)[:, np.newaxis]
    driven = state.W[:, -m:] @ state.F[-m:] + noise
    if model.n_observed:
        driven = np.linalg.solve(np.eye(d) - state.W[:, :d], driven)
        state.F[:d] = driven
    state.X[:] = driven
    refresh_products(state)


def summaries(model):
    """Functions with finite variances under the prior, sensitive to every conditional: a function of a state."""
    m, free, sparse = model.n_sources, (model.role == 1) | (model.role == 2), model.role == 1
    columns = sparse.any(axis=0)

    def of(state):
        # Sizes of weights: signs change rarely. Their median is 0.15, and in their tail the chain moves slowly.
        weights = np.tanh(5 * np.abs(state.W[free]))
        return np.concatenate(
            [
                state.psi, 1 / state.psi, state.nu[columns], [np.count_nonzero(weights)], weights,
                np.log(state.tau[free]), state.linked[sparse], np.tanh(np.abs(state.F[-m:])).mean(axis=1),
                np.tanh(state.precision).mean(axis=1), [np.tanh(np.abs(state.X)).mean()],
            ]
        )  # fmt: skip

    return of


MODELS = {
    "factors": factor_model(3, 3, "laplace", 1.0, 0.9),
    "student factors": factor_model(3, 3, "student", 4.0, 0.6),
    "DAG with a hidden cause": dag_model([2, 0, 1], 1, 0.5, dof=3.0),
    "DAG with given driving signals": dag_model([1, 0], 1, 0.9, driving=0.7, dof=3.0),
}


@pytest.mark.parametrize("name", MODELS)
def test_sweeps_and_new_data_in_turn_leave_the_prior_as_it_is(name):
    # Geweke's joint-distribution test: the sampler alternated with draws of the data has the prior as its law.
    model, N, every = MODELS[name], 20, 8
    rng, summary = np.random.default_rng(1), summaries(MODELS[name])
    exact = np.array([summary(draw_prior(model, N, rng)) for _ in range(2000)])
    state = draw_prior(model, N, rng)
    n_batches, chain = 40, np.empty((2520 if name == "factors" else 600, exact.shape[1]))
    for row in chain:
        for _ in range(every):
            run_sweeps(rng, PRIOR, state, 1, 0, NO_ORDERS)
            draw_data(model, state, rng)
        row[:] = summary(state)
    for power in (1, 2):
        batches = (chain**power).reshape(n_batches, -1, chain.shape[1]).mean(axis=1)
        error = np.sqrt(batches.var(axis=0, ddof=1) / n_batches + (exact**power).var(axis=0) / len(exact))
        z = ((chain**power).mean(axis=0) - (exact**power).mean(axis=0)) / error
        # Some forty quantities: 4 standard errors, where batch means have 39 degrees of freedom.
        assert np.abs(z).max() < 4.0, f"moment {power}: {np.round(z, 1)}"


@pytest.mark.parametrize("latent", ["laplace", "student"])
def test_exchange_of_magnitudes_leaves_the_prior_and_the_fit_as_they_are(latent):
    # Three rows: factors far from one, so that a wrong power shows.
    model, rng = factor_model(2, 1, latent, 8.0, 0.9), np.random.default_rng(2)
    before, after = [], []
    for _ in range(3000):
        state = draw_prior(model, 3, rng)
        fit = state.W @ state.F
        before.append([state.W[0, 0], state.tau[0, 0], state.F[0, 0], state.precision[0, 0]])
        draw_magnitudes(rng, PRIOR, state)
        after.append([state.W[0, 0], state.tau[0, 0], state.F[0, 0], state.precision[0, 0]])
        np.testing.assert_allclose(state.W @ state.F, fit, atol=1e-12)
    before, after = np.array(before), np.array(after)
    assert np.mean(before != after) > 0.2
    for column in range(4):
        assert stats.ks_2samp(before[:, column], after[:, column], method="asymp").pvalue > 1e-4
    # Present weights relative to their slabs must stay standard normal; the noise is not touched.
    there = after[:, 0] != 0
    spread = np.log(np.abs(after[there, 0])) - 0.5 * np.log(after[there, 1])
    plain = np.log(np.abs(before[there, 0])) - 0.5 * np.log(before[there, 1])
    np.testing.assert_allclose(spread, plain, atol=1e-9)


def random_state_of(model, N, seed):
    rng = np.random.default_rng(seed)
    state = draw_prior(model, N, rng)
    return state, rng


def test_odds_of_a_link_are_those_of_exact_marginal_likelihoods():
    # One variable, one factor: with the weight integrated out both hypotheses are Gaussian.
    state, rng = random_state_of(factor_model(1, 1, "laplace", 1.0, 0.9), 7, 0)
    for _ in range(20):
        state.X[:] = rng.standard_normal(state.X.shape)
        state.F[:] = rng.standard_normal(state.F.shape)
        state.tau[:], state.psi[:], state.nu[:] = rng.gamma(2, 1, 3)[:, np.newaxis] * [[1.0], [1.0], [0.1]]
        state.nu[:] = min(state.nu[0], 0.9)
        refresh_products(state)
        z, x, psi, tau = state.F[0], state.X[0], state.psi[0], state.tau[0, 0]
        chance = 0.95 * state.nu[0]
        slab = stats.multivariate_normal(np.zeros(7), psi * (np.eye(7) + tau * np.outer(z, z))).logpdf(x)
        spike = stats.multivariate_normal(np.zeros(7), psi * np.eye(7)).logpdf(x)
        expected = np.log(chance / (1 - chance)) + slab - spike
        assert log_odds(chance, tau, psi, z @ z + 1 / tau, x @ z) == pytest.approx(expected, abs=1e-10)


def test_odds_equal_a_quadrature_over_the_weight_among_other_regressors():
    state, _ = random_state_of(factor_model(2, 3, "laplace", 1.0, 0.9), 12, 3)
    i, k = 1, 2
    rest = state.X[i] - state.W[i] @ state.F + state.W[i, k] * state.F[k]
    psi, tau = state.psi[i], state.tau[i, k]

    def likelihood(w):
        return np.exp(-0.5 * np.sum((rest - w * state.F[k]) ** 2 - rest**2) / psi) * stats.norm.pdf(
            w, 0, (psi * tau) ** 0.5
        )

    peak = rest @ state.F[k] / (state.F[k] @ state.F[k])
    integral, _ = integrate.quad(likelihood, peak - 2, peak + 2, points=[peak], epsabs=0, epsrel=1e-10, limit=400)
    chance = 0.95 * state.nu[k]
    expected = np.log(chance / (1 - chance)) + np.log(integral)
    # The quadrature is exact to 1e-9 of the integral.
    inverse = state.F[k] @ state.F[k] + 1 / tau
    assert log_odds(chance, tau, psi, inverse, rest @ state.F[k]) == pytest.approx(expected, abs=1e-7)


def test_products_give_residuals_and_likelihood_of_the_data_themselves():
    for name, model in MODELS.items():
        state, _ = random_state_of(model, 15, 1)
        errors = state.X - state.W @ state.F
        for i in range(len(errors)):
            assert squared_residual(state.XX, state.XF, state.FF, state.W, i) == pytest.approx(
                np.sum(errors[i] ** 2), rel=1e-9
            ), name
        expected = stats.norm.logpdf(errors, 0, np.sqrt(state.psi)[:, np.newaxis]).sum()
        assert log_likelihood(state) == pytest.approx(expected, rel=1e-9), name


@pytest.mark.parametrize("name", ["factors", "DAG with a hidden cause"])
def test_missing_cells_are_drawn_from_their_conditional(name):
    model = MODELS[name]
    state, rng = random_state_of(model, 6, 2)
    cell = (0, 4) if name == "factors" else (2, 4)  # the root of the order 2, 0, 1: both others may be its children
    state = state._replace(missing=np.array([cell]))
    state.W[:, cell[0]] = np.where(model.role[:, cell[0]] == 1, 0.8, state.W[:, cell[0]])

    def log_joint(value):
        X, F = state.X.copy(), state.F.copy()
        X[cell] = value
        if model.n_observed:
            F[cell] = value
        return stats.norm.logpdf(X - state.W @ F, 0, np.sqrt(state.psi)[:, np.newaxis]).sum()

    grid = np.linspace(-6, 6, 4001)
    density = np.exp([log_joint(value) for value in grid])
    density /= density.sum()
    mean = density @ grid
    deviation = np.sqrt(density @ (grid - mean) ** 2)
    draws = np.empty(4000)
    for t in range(len(draws)):
        draw_missing(rng, state)
        draws[t] = state.X[cell]
    # Independent draws: four standard errors.
    assert draws.mean() == pytest.approx(mean, abs=4 * deviation / np.sqrt(len(draws)))
    assert draws.std() == pytest.approx(deviation, rel=4 / np.sqrt(2 * len(draws)))
    assert stats.kstest(draws, "norm", args=(mean, deviation)).pvalue > 1e-4
    np.testing.assert_allclose(state.XF, state.X @ state.F.T, atol=1e-9)


def triangular_log_likelihood(state, row_rank, column_rank):
    d, K = state.W.shape
    masked = state.W.copy()
    for i in range(d):
        for k in range(K):
            if column_rank[k] < d and column_rank[k] > row_rank[i]:
                masked[i, k] = 0.0
    return stats.norm.logpdf(state.X - masked @ state.F, 0, np.sqrt(state.psi)[:, np.newaxis]).sum()


@pytest.mark.parametrize("n_factors", [4, 6])
def test_order_ratio_is_that_of_masked_likelihoods(n_factors):
    state, rng = random_state_of(factor_model(4, n_factors, "laplace", 1.0, 0.9), 30, 4)
    products = np.empty(state.W.shape)
    for _ in range(30):
        ranks = rng.permutation(4), rng.permutation(n_factors)
        new = rng.permutation(4), rng.permutation(n_factors)
        masked_products(state.W, state.FF, *ranks, products)
        found = log_ratio(state.W, state.XF, state.FF, state.psi, products, *ranks, *new)
        expected = triangular_log_likelihood(state, *new) - triangular_log_likelihood(state, *ranks)
        # Sums of some thousands in both.
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-6)


def test_order_moves_visit_orders_as_often_as_their_masked_likelihood_says():
    # Three variables, three factors: 36 pairs of ranks, all reachable; weights small enough for the walk to move.
    state, rng = random_state_of(factor_model(3, 3, "laplace", 1.0, 0.9), 10, 5)
    state.W[:] = 0.35 * rng.standard_normal((3, 3))
    state.psi[:] = 1.0
    draw_data(factor_model(3, 3, "laplace", 1.0, 0.9), state, rng)
    pairs, logs = [], []
    for rows in np.array(np.meshgrid(*[range(3)] * 3)).T.reshape(-1, 3):
        for columns in np.array(np.meshgrid(*[range(3)] * 3)).T.reshape(-1, 3):
            if len(set(rows)) == len(set(columns)) == 3:
                pairs.append((*rows, *columns))
                logs.append(triangular_log_likelihood(state, rows, columns))
    expected = np.exp(np.array(logs) - max(logs))
    expected /= expected.sum()
    counts = dict.fromkeys(map(tuple, np.array(pairs).tolist()), 0)
    n_visits = 20_000
    for _ in range(n_visits):
        move_orders(rng, state, 10)
        counts[(*state.row_rank.tolist(), *state.column_rank.tolist())] += 1
    found = np.array(list(counts.values())) / n_visits
    # Ten moves apart visits are all but independent: five standard errors, and one for what dependence is left.
    assert np.all(np.abs(found - expected) < 6 * np.sqrt(expected * (1 - expected) / n_visits) + 1e-3)
    assert 4 / 36 < expected.max() < 0.7
