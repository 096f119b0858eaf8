"""Hold-out variances: the definitions written out, and the paper's Experiment 1 in small."""

import numpy as np
import pytest

from treatise.datasets import make_bengio_grandvalet
from treatise.theory import holdout_variance


def test_both_estimates_equal_their_definitions():
    L = np.random.default_rng(0).exponential(size=(4, 6))
    mean = L.mean()
    first = sum((L[k, i] - mean) ** 2 for k in range(4) for i in range(6)) / (24 * 23)
    second = sum(
        (L[k, i] - mean) * (L[k, j] - mean) for k in range(4) for i in range(6) for j in range(6)
    ) / (4 * 3 * 36)  # fmt: skip
    estimate = holdout_variance(L)
    np.testing.assert_allclose([estimate.mean, estimate.theta1, estimate.theta2], [mean, first, second], rtol=1e-12)


def test_only_the_estimate_that_allows_for_shared_training_sets_is_right_on_average():
    rng, pairs, n, repetitions = np.random.RandomState(1), 10, 60, 1500
    outcomes = np.empty((repetitions, 3))
    for outcome in outcomes:
        X, y = make_bengio_grandvalet(2 * pairs * n, random_state=rng)
        X, y = X.reshape(2, pairs, n, 30), y.reshape(2, pairs, n, 1)
        transposed = X[0].swapaxes(1, 2)
        coefficients = np.linalg.solve(transposed @ X[0], transposed @ y[0])
        estimate = holdout_variance(((y[1] - X[1] @ coefficients) ** 2)[..., 0])
        outcome[:] = estimate.mean, estimate.theta1, estimate.theta2
    squares = (outcomes[:, 0] - outcomes[:, 0].mean()) ** 2
    theta = squares.sum() / (repetitions - 1)
    # Three standard errors of the difference of the two averages.
    error = 3 * (outcomes[:, 2] - squares).std() / np.sqrt(repetitions)
    assert outcomes[:, 2].mean() == pytest.approx(theta, abs=error)
    assert outcomes[:, 1].mean() < 0.6 * theta


def test_a_single_pair_says_nothing_of_the_training_set():
    estimate = holdout_variance([[1.0, 2.0, 4.0]])
    assert np.isnan(estimate.theta2)
    assert estimate.theta1 == pytest.approx(np.var([1.0, 2.0, 4.0], ddof=1) / 3)


@pytest.mark.parametrize(
    ("losses", "message"), [([1.0, 2.0], "shape"), ([[1.0]], "shape"), ([[1.0, np.inf]], "finite")]
)
def test_bad_input_is_named(losses, message):
    with pytest.raises(ValueError, match=message):
        holdout_variance(losses)
