"""Prices of singular values and entries: against the plain decomposition, a known optimum and the gap."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from treatise.optimize import (
    L1Penalty,
    NonnegativeL1Penalty,
    NuclearPenalty,
    denoise_sparse_low_rank,
    singular_value_threshold,
    soft_threshold,
)


def plainly(A, threshold):
    left, values, right = np.linalg.svd(A, full_matrices=False)
    return (left * np.maximum(values - threshold, 0.0)) @ right


def test_thresholds_of_singular_values_are_those_of_the_plain_decomposition():
    rng = np.random.default_rng(0)
    for shape in ((7, 7), (12, 5), (5, 12), (1, 4)):
        A = rng.normal(size=shape) @ np.diag(10.0 ** -np.arange(shape[1]))
        for threshold in (0.0, 1e-9, 1e-3, 0.5, 100.0):
            np.testing.assert_allclose(singular_value_threshold(A, threshold), plainly(A, threshold), atol=1e-10)
    with pytest.raises(ValueError, match="dimensions"):
        singular_value_threshold(np.ones(3), 1.0)


@pytest.mark.parametrize("penalty", [NuclearPenalty(0.7), NonnegativeL1Penalty(0.4)])
def test_no_point_near_it_is_better_than_the_prox(penalty):
    rng = np.random.default_rng(1)
    v = rng.normal(size=(4, 5))
    best = penalty.prox(v, 2.0)

    def price(x):
        return penalty.value(x) + np.sum((x - v) ** 2)

    for scale in (1e-3, 0.1):
        for _ in range(50):
            moved = best + scale * rng.normal(size=v.shape)
            other = np.maximum(moved, 0.0) if isinstance(penalty, NonnegativeL1Penalty) else moved
            assert price(best) <= price(other) + 1e-12
    assert NonnegativeL1Penalty(1.0).value(np.array([-1.0])) == np.inf


def known_example():
    rng = np.random.default_rng(1)
    return (rng.normal(size=(8, 3)) @ rng.normal(size=(3, 8))) * (rng.random((8, 8)) < 0.5)


def test_the_optimum_of_a_known_example_is_reached_and_the_operators_in_turn_miss_it():
    Y = known_example()
    found = denoise_sparse_low_rank(Y, 1.0, 0.5)
    assert found.objective == pytest.approx(19.90960, abs=1e-5)
    assert found.converged and 0.0 <= found.gap < 1e-6
    X = np.zeros_like(Y)
    for _ in range(2000):  # soft thresholds and then those of singular values, with a step of 0.1
        X = singular_value_threshold(soft_threshold(X - 0.2 * (X - Y), 0.05), 0.1)
    turns = np.sum((X - Y) ** 2) + L1Penalty(0.5).value(X) + NuclearPenalty(1.0).value(X)
    assert turns - found.objective == pytest.approx(0.172, abs=2e-3)


def test_each_price_alone_has_its_closed_form():
    Y = known_example()
    np.testing.assert_allclose(
        denoise_sparse_low_rank(Y, 0.0, 0.6, tol=1e-11).matrix, soft_threshold(Y, 0.3), atol=1e-4
    )
    np.testing.assert_allclose(denoise_sparse_low_rank(Y, 0.6, 0.0, tol=1e-11).matrix, plainly(Y, 0.3), atol=1e-4)
    positive = denoise_sparse_low_rank(Y, 0.0, 0.6, nonnegative=True, tol=1e-11).matrix
    np.testing.assert_allclose(positive, np.maximum(Y - 0.3, 0.0), atol=1e-4)


def test_too_few_steps_and_bad_prices_are_told():
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        assert not denoise_sparse_low_rank(known_example(), 1.0, 0.5, max_iter=3).converged
    with pytest.raises(ValueError, match="not negative"):
        denoise_sparse_low_rank(np.eye(2), -1.0, 0.5)
