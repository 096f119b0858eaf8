"""The Indian buffet process against its own probabilities, and its variational sticks against direct optimisation."""

import numpy as np
import pytest
from scipy.optimize import minimize

from treatise.statistics.indian_buffet import (
    BuffetSticks,
    buffet_classes,
    draw_buffet,
    expected_buffet_features,
    log_buffet_probability,
)


def test_probabilities_of_all_matrices_sum_to_one():
    total = sum(np.exp(log_buffet_probability(Z, 0.3)) for Z in buffet_classes(3, 6))
    # Seven columns and more have the rest of a Poisson law of mean 0.3 (1 + 1/2 + 1/3).
    assert total == pytest.approx(1.0, abs=1e-4)


def test_draws_have_the_probabilities_of_their_classes():
    rng, n = np.random.default_rng(0), 20_000
    seen = {}
    for _ in range(n):
        Z = draw_buffet(2, 0.7, rng)
        key = tuple(sorted(map(tuple, Z.T)))
        seen[key] = seen.get(key, 0) + 1
    for Z in buffet_classes(2, 2):
        p = np.exp(log_buffet_probability(Z, 0.7))
        found = seen.get(tuple(sorted(map(tuple, Z.T))), 0) / n
        assert abs(found - p) < 4 * np.sqrt(p * (1 - p) / n)


def test_rows_that_stand_for_several_count_as_several():
    Z = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 0]])
    n_times = np.array([2, 1, 0])
    repeated = np.repeat(Z, n_times, axis=0)
    assert log_buffet_probability(Z, 1.3, n_times) == pytest.approx(log_buffet_probability(repeated, 1.3))


def test_columns_of_zeros_count_for_nothing():
    Z = np.array([[1, 0], [0, 0]])
    assert log_buffet_probability(Z, 0.9) == pytest.approx(log_buffet_probability(Z[:, :1], 0.9))


def test_mean_number_of_features_is_that_of_draws():
    rng = np.random.default_rng(1)
    sizes = np.array([draw_buffet(20, 1.5, rng).shape[1] for _ in range(2000)])
    assert abs(sizes.mean() - expected_buffet_features(20, 1.5)) < 4 * sizes.std() / np.sqrt(len(sizes))


def test_each_step_of_the_sticks_raises_the_bound_to_its_optimum():
    owners, n = np.array([31.0, 12.5, 3.0, 0.2]), 50
    sticks = BuffetSticks(4, 1.7)
    values = [sticks.bound(owners, n)]
    for _ in range(300):
        sticks.update_terms()
        values.append(sticks.bound(owners, n))
        sticks.update_tau(owners, n)
        values.append(sticks.bound(owners, n))
    assert np.diff(values).min() > -1e-9

    def loss(logs):
        other = BuffetSticks(4, 1.7)
        other.tau = np.exp(logs).reshape(4, 2)
        other.update_terms()
        return -other.bound(owners, n)

    best = minimize(loss, np.zeros(8), method="L-BFGS-B", options={"maxiter": 2000, "ftol": 1e-14})
    assert -best.fun == pytest.approx(values[-1], abs=1e-5)


def test_the_bound_on_absence_is_below_its_expectation_and_tight_for_the_first_feature():
    sticks = BuffetSticks(3, 1.0)
    sticks.update(np.array([20.0, 8.0, 1.0]), 30)
    sticks.update_terms()
    rng = np.random.default_rng(0)
    v = rng.beta(*sticks.tau.T, size=(200_000, 3))
    present = np.cumprod(v, axis=1)
    np.testing.assert_allclose(sticks.log_presence(), np.log(present).mean(axis=0), atol=0.01)
    exact = np.log1p(-present).mean(axis=0)
    assert sticks.log_absence()[0] == pytest.approx(exact[0], abs=0.01)
    assert (sticks.log_absence() <= exact + 0.01).all()
    assert (sticks.log_absence() > exact - 0.2).all()
