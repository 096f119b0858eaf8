"""The Q factor's signs and Armijo's condition."""

import math

import numpy as np
import pytest

from treatise.optimize import armijo_step, q_factor


def test_q_factor_is_orthonormal_with_a_positive_triangle():
    A = np.random.default_rng(0).normal(size=(7, 3))
    Q = q_factor(A)
    T = Q.T @ A
    np.testing.assert_allclose(Q.T @ Q, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(Q @ T, A, atol=1e-14)
    assert (np.diagonal(T) > 0).all() and np.abs(np.tril(T, -1)).max() < 1e-14
    # A retraction: to first order, a tangent step is kept.
    tangent = A - Q @ (Q.T @ A)
    np.testing.assert_allclose(q_factor(Q + 1e-6 * tangent), Q + 1e-6 * tangent, atol=1e-10)


def test_armijo_takes_the_first_step_of_the_sequence_that_keeps_its_promise():
    def cost(s):
        return math.nan if s > 5 else (s - 1) ** 2

    step, after = armijo_step(cost, 1.0, 2.0, 48.0, fraction=0.5)
    tried = [48.0 / 2**k for k in range(20)]
    expected = next(s for s in tried if cost(s) <= 1.0 - 0.5 * s * 2.0)
    assert (step, after) == (expected, cost(expected))
    assert armijo_step(cost, 1.0, 2.0, 48.0, fraction=0.9)[0] < expected


def test_armijo_gives_up_where_nothing_falls():
    assert armijo_step(lambda s: 1.0 + s, 1.0, 1.0, 8.0) == (0.0, 1.0)
    assert armijo_step(lambda s: 1.0, 1.0, 0.0, 8.0) == (0.0, 1.0)
    with pytest.raises(ZeroDivisionError):
        armijo_step(lambda s: 1 / 0, 1.0, 1.0, 8.0)
