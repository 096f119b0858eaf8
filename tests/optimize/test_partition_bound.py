"""The quadratic bound on a log-partition function (Choromanska, 2014, Algorithm 1 and Theorem 1)."""

import numpy as np
import pytest
from scipy.special import logsumexp

from treatise.optimize import log_partition_bound


def log_partition(theta, features, prior):
    return logsumexp(theta @ features.T, axis=-1, b=prior)


@pytest.mark.parametrize("n_states", [2, 3, 7])
def test_bound_lies_above_everywhere_and_touches_where_it_was_made(n_states):
    rng = np.random.default_rng(n_states)
    for _ in range(10):
        features, prior = rng.normal(size=(n_states, 4)) * 2, rng.gamma(1.0, size=n_states)
        theta = rng.normal(size=4)
        bound = log_partition_bound(theta, features, prior)
        assert bound.log_partition == pytest.approx(log_partition(theta, features, prior), abs=1e-12)
        scales = 10 ** rng.uniform(-3, np.log10(20), size=(4000, 1))
        moves = rng.normal(size=(4000, 4)) * scales
        quadratic = bound.log_partition + moves @ bound.mean + 0.5 * np.sum(moves @ bound.curvature * moves, axis=1)
        # Rounding of numbers of the size of the quadratic; a smaller curvature falls below at once.
        slack = quadratic - log_partition(theta + moves, features, prior)
        assert np.all(slack >= -1e-9 * np.maximum(1.0, np.abs(quadratic)))


def test_a_smaller_curvature_would_not_be_a_bound():
    theta, features = np.array([0.5]), np.array([[0.0], [1.0]])
    bound = log_partition_bound(theta, features)
    moves = np.linspace(-3, 3, 2001)[:, None]
    quadratic = bound.log_partition + moves @ bound.mean + 0.5 * 0.99 * bound.curvature[0, 0] * moves[:, 0] ** 2
    assert np.any(quadratic < log_partition(theta + moves, features, np.ones(2)))


def test_mean_is_the_gradient():
    rng = np.random.default_rng(1)
    features, prior, theta = rng.normal(size=(5, 3)), rng.gamma(1.0, size=5), rng.normal(size=3)
    p = prior * np.exp(features @ theta)
    mean = log_partition_bound(theta, features, prior).mean
    np.testing.assert_allclose(mean, p / p.sum() @ features, rtol=0, atol=1e-12)


def test_two_states_give_the_curvature_of_jaakkola_and_jordan():
    rng = np.random.default_rng(2)
    features, theta = rng.normal(size=(2, 3)), rng.normal(size=3)
    difference = features[1] - features[0]
    x = difference @ theta
    expected = np.tanh(x / 2) / (2 * x) * np.outer(difference, difference)
    np.testing.assert_allclose(log_partition_bound(theta, features).curvature, expected, rtol=1e-12)


def test_order_of_states_changes_neither_value_nor_gradient():
    rng = np.random.default_rng(3)
    features, theta = rng.normal(size=(6, 3)), rng.normal(size=3)
    ahead, back = log_partition_bound(theta, features), log_partition_bound(theta, features[::-1])
    assert ahead.log_partition == pytest.approx(back.log_partition, abs=1e-13)
    np.testing.assert_allclose(ahead.mean, back.mean, atol=1e-13)
    assert not np.allclose(ahead.curvature, back.curvature)


def test_scores_of_any_size_stay_finite():
    bound = log_partition_bound([1e4], [[0.0], [1.0], [1.0], [-1.0]])
    assert bound.log_partition == pytest.approx(1e4 + np.log(2))
    assert np.all(np.isfinite(bound.curvature))


def test_states_of_prior_weight_zero_do_not_count():
    features = np.array([[5.0], [0.0], [7.0], [1.0]])
    with_zeros = log_partition_bound([0.3], features, [0.0, 1.0, 0.0, 2.0])
    without = log_partition_bound([0.3], features[[1, 3]], [1.0, 2.0])
    for here, there in zip(with_zeros, without):
        np.testing.assert_allclose(here, there)


@pytest.mark.parametrize(
    ("prior", "message"),
    [([1.0, -1.0], "from -1 to 1"), ([0.0, 0.0], "not all of them 0"), ([1.0], "1 entries, but there are 2")],
)
def test_wrong_priors_are_refused(prior, message):
    with pytest.raises(ValueError, match=message):
        log_partition_bound([0.0], [[0.0], [1.0]], prior)


def test_features_must_be_as_wide_as_theta():
    with pytest.raises(ValueError, match="2 columns; theta has 1"):
        log_partition_bound([0.0], [[0.0, 1.0]])
