"""Quadrature under a normal law against moments and dense sums."""

import numpy as np
import pytest
from scipy.special import expit

from treatise.statistics import normal_expectation, normal_nodes


@pytest.mark.parametrize("n_points", [1, 4, 20])
def test_polynomials_up_to_twice_the_points_less_one_are_exact(n_points):
    nodes, weights = normal_nodes(n_points)
    moments = [float(np.prod(np.arange(k - 1, 0, -2.0))) if k % 2 == 0 else 0.0 for k in range(2 * n_points)]
    found = [weights @ nodes**k for k in range(2 * n_points)]
    np.testing.assert_allclose(found, moments, rtol=1e-9, atol=1e-9 * np.maximum(1, np.max(moments)))


def test_expectations_equal_a_dense_sum_for_every_pair():
    mean, variance = np.array([-2.0, 0.0, 3.0]), np.array([0.1, 1.0, 2.0])
    t = np.linspace(-12, 12, 200_001)
    density = np.exp(-t * t / 2) / np.sqrt(2 * np.pi) * (t[1] - t[0])
    dense = [float(density @ expit(m + np.sqrt(v) * t)) for m, v in zip(mean, variance)]
    np.testing.assert_allclose(normal_expectation(expit, mean, variance, 40), dense, atol=1e-6)


@pytest.mark.parametrize("n_points", [0, 181])
def test_numbers_of_points_that_make_no_rule_are_refused(n_points):
    with pytest.raises(ValueError, match="choose 1 to 180"):
        normal_nodes(n_points)
