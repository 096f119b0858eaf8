"""Baum and Welch's fit with mixtures of normals, expected moves by sequence, and models as objects."""

import itertools

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from treatise.inference import MixtureHMM, baum_welch, factor_marginals
from treatise.inference.hidden_markov import GaussianEmissions, MixtureEmissions, hidden_marginals, maximised


def random_model(rng, S=3, M=2, d=2, full=True):
    covariances = rng.normal(size=(S, M, d, d))
    covariances = covariances @ covariances.swapaxes(-1, -2) + 0.5 * np.eye(d)
    if not full:
        covariances = np.diagonal(covariances, axis1=2, axis2=3)
    return MixtureHMM(
        rng.dirichlet(np.ones(S)), rng.dirichlet(np.ones(S), S), rng.dirichlet(np.ones(M), S),
        2 * rng.normal(size=(S, M, d)), covariances,
    )  # fmt: skip


def enumerated_likelihood(model, X):
    """Sum over all paths and components."""
    S, M = model.weights.shape
    density = np.zeros((len(X), S))
    for s, m in itertools.product(range(S), range(M)):
        covariance = model.covariances[s, m]
        covariance = np.diag(covariance) if covariance.ndim == 1 else covariance
        density[:, s] += model.weights[s, m] * multivariate_normal(model.means[s, m], covariance).pdf(X)
    total = 0.0
    for path in itertools.product(range(S), repeat=len(X)):
        chance = model.start[path[0]] * density[0, path[0]]
        for t in range(1, len(X)):
            chance *= model.transitions[path[t - 1], path[t]] * density[t, path[t]]
        total += chance
    return np.log(total)


@pytest.mark.parametrize("full", [True, False])
def test_likelihoods_are_sums_over_all_paths_and_components(full):
    rng = np.random.default_rng(0)
    model = random_model(rng, full=full)
    sequences = [rng.normal(size=(length, 2)) for length in (1, 4, 5)]
    expected = [enumerated_likelihood(model, X) for X in sequences]
    np.testing.assert_allclose(model.log_likelihood(sequences), expected, rtol=1e-10)


@pytest.mark.parametrize("full", [True, False])
def test_steps_with_mixtures_never_lower_the_likelihood_and_end_where_no_step_changes_anything(full):
    rng = np.random.default_rng(1)
    X = random_model(rng).sample(400, random_state=0)[0]
    emissions, lengths = MixtureEmissions(2, full, 0.0), np.array([250, 150])
    begin = random_model(np.random.default_rng(5), full=full)
    fitted = baum_welch(
        emissions, X, lengths, begin.start, begin.transitions, begin.emission_arrays(), max_iter=300, tol=0.0
    )
    assert (np.diff(fitted.history) > -1e-8).all() and fitted.history[-1] > fitted.history[0] + 50
    again = baum_welch(emissions, X, lengths, *fitted[:3], max_iter=1, tol=0.0)
    np.testing.assert_allclose(again.arrays["means"], fitted.arrays["means"], atol=0.02)
    np.testing.assert_allclose(fitted.arrays["weights"].sum(axis=1), 1.0)
    assert fitted.occupancy.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("full", [True, False])
def test_one_component_takes_the_steps_of_normal_emissions(full):
    rng = np.random.default_rng(2)
    X, lengths = rng.normal(size=(60, 2)), np.array([40, 20])
    model = random_model(rng, M=1, full=full)
    flat = {"means": model.means[:, 0], "covariances": model.covariances[:, 0]}
    options = {"max_iter": 5, "tol": 0.0}
    one = baum_welch(
        MixtureEmissions(1, full, 0.01), X, lengths, model.start, model.transitions, model.emission_arrays(), **options
    )
    other = baum_welch(GaussianEmissions(full, 0.01), X, lengths, model.start, model.transitions, flat, **options)
    np.testing.assert_allclose(one.history, other.history, rtol=1e-12)
    np.testing.assert_allclose(one.arrays["covariances"][:, 0], other.arrays["covariances"], rtol=1e-10)


def test_a_long_sequence_gives_back_the_mixtures_that_it_came_from():
    truth = MixtureHMM(
        [0.5, 0.5], [[0.95, 0.05], [0.1, 0.9]], [[0.7, 0.3], [0.4, 0.6]],
        [[[0.0], [4.0]], [[10.0], [16.0]]], [[[1.0], [0.5]], [[1.0], [2.0]]],
    )  # fmt: skip
    X = truth.sample(6000, random_state=0)[0]
    emissions = MixtureEmissions(2, False, 0.0)
    arrays = emissions.start(X, 0, 2, np.random.RandomState(0))
    fitted = baum_welch(
        emissions, X, np.array([6000]), np.full(2, 0.5), np.full((2, 2), 0.5), arrays, max_iter=200, tol=1e-7
    )
    order = np.argsort(fitted.arrays["means"].mean(axis=(1, 2)))
    means = np.sort(fitted.arrays["means"][order, :, 0], axis=1)
    # Standard errors are 0.02 to 0.05.
    np.testing.assert_allclose(means, [[0, 4], [10, 16]], atol=0.2)
    np.testing.assert_allclose(fitted.transitions[np.ix_(order, order)], truth.transitions, atol=0.03)


def test_moves_kept_by_sequence_are_those_of_each_sequence_alone():
    rng = np.random.default_rng(3)
    factors, moves, start = rng.random((12, 3)), rng.dirichlet(np.ones(3), 3), rng.dirichlet(np.ones(3))
    lengths = np.array([5, 1, 6])
    apart = factor_marginals(factors, moves, start, lengths, by_sequence=True)
    assert apart.pairs.shape == (3, 3, 3)
    whole = factor_marginals(factors, moves, start, lengths)
    np.testing.assert_allclose(apart.pairs.sum(axis=0), whole.pairs, rtol=1e-12)
    for part, pairs in zip(np.split(factors, [5, 6]), apart.pairs):
        np.testing.assert_allclose(factor_marginals(part, moves, start, [len(part)]).pairs, pairs, atol=1e-14)
    # Log-densities beyond the range of floating point go another way, to the same moves.
    far = np.log(factors) - 1e4 * np.eye(3)[rng.integers(0, 3, 12)]
    low = hidden_marginals(start, np.eye(3), far, lengths, by_sequence=True)
    for part, pairs in zip(np.split(far, [5, 6]), low.pairs):
        np.testing.assert_allclose(hidden_marginals(start, np.eye(3), part, [len(part)]).pairs, pairs, atol=1e-12)


def test_a_sequence_of_weight_two_counts_as_two_of_them():
    rng = np.random.default_rng(4)
    model, X, lengths = random_model(rng), rng.normal(size=(30, 2)), np.array([10, 20])
    emissions = MixtureEmissions(2, True, 0.01)

    def step(data, n, weights):
        expected = emissions.marginals(
            model.start, model.transitions, model.emission_arrays(), data, n, by_sequence=weights is not None
        )
        return maximised(emissions, data, n, expected, model.transitions, model.emission_arrays(), weights=weights)

    weighted = step(X, lengths, np.array([2.0, 1.0]))
    repeated = step(np.concatenate([X[:10], X]), np.array([10, 10, 20]), None)
    np.testing.assert_allclose(weighted[0], repeated[0], rtol=1e-10)
    np.testing.assert_allclose(weighted[1], repeated[1], rtol=1e-10)
    for name in weighted[2]:
        np.testing.assert_allclose(weighted[2][name], repeated[2][name], rtol=1e-9)


def test_samples_have_the_moments_of_the_model_and_the_long_run_is_stationary():
    model = random_model(np.random.default_rng(6))
    time = model.stationary()
    np.testing.assert_allclose(time @ model.transitions, time, atol=1e-12)
    X = model.sample(20, 4000, random_state=0)[:, -1]
    mean = np.einsum("s,sm,smd->d", time, model.weights, model.means)
    # The standard error of a mean of 4000 draws of deviation 2 to 3 is 0.05.
    np.testing.assert_allclose(X.mean(axis=0), mean, atol=0.2)
    periodic = MixtureHMM([1, 0], [[0, 1], [1, 0]], [[1.0], [1.0]], [[[0.0]], [[1.0]]], [[[1.0]], [[1.0]]])
    np.testing.assert_allclose(periodic.stationary(), [0.5, 0.5])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"start": [0.5, 0.6]}, "sums to 1.1"),
        ({"start": [np.nan, 1.0]}, "negative numbers or NaN"),
        ({"transitions": [[0.2, 0.2], [0.5, 0.5]]}, "sums to 0.4"),
        ({"weights": [[1.0]]}, "do not belong together"),
        ({"means": [[[np.inf]], [[0.0]]]}, "NaN or infinity"),
        ({"covariances": [[[0.0]], [[1.0]]]}, "not positive"),
    ],
)
def test_models_that_are_none_are_refused(changed, message):
    parts = {
        "start": [0.5, 0.5], "transitions": [[0.5, 0.5], [0.5, 0.5]], "weights": [[1.0], [1.0]],
        "means": [[[0.0]], [[1.0]]], "covariances": [[[1.0]], [[1.0]]],
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        MixtureHMM(**{**parts, **changed})
