"""The covariance of cross-validation errors, against numerical linear algebra."""

import numpy as np
import pytest

from treatise.theory import cv_covariance_matrix, cv_eigenvalues, cv_variance, feasible_gamma

DESIGNS = [(12, 3), (20, 2), (30, 10), (40, 5)]


def feasible_moments(rng, n, n_folds):
    sigma2 = rng.uniform(0.5, 3)
    omega = rng.uniform(0, sigma2)
    return sigma2, omega, rng.uniform(*feasible_gamma(n, n_folds, sigma2, omega))


@pytest.mark.parametrize(("n", "n_folds"), DESIGNS)
def test_eigenvalues_are_those_of_the_matrix(n, n_folds):
    rng = np.random.default_rng(n)
    for _ in range(20):
        moments = feasible_moments(rng, n, n_folds)
        expected = cv_eigenvalues(n, n_folds, *moments)
        listed = np.repeat([expected.within, expected.between, expected.total], expected.multiplicities)
        numeric = np.linalg.eigvalsh(cv_covariance_matrix(n, n_folds, *moments))
        np.testing.assert_allclose(np.sort(listed), numeric, atol=1e-10)


@pytest.mark.parametrize(("n", "n_folds"), DESIGNS)
def test_variance_of_the_mean_is_the_average_of_the_matrix(n, n_folds):
    rng = np.random.default_rng(n)
    for _ in range(20):
        moments = feasible_moments(rng, n, n_folds)
        theta = cv_variance(n, n_folds, *moments)
        assert theta == pytest.approx(cv_covariance_matrix(n, n_folds, *moments).mean(), abs=1e-12)
        assert theta == pytest.approx(cv_eigenvalues(n, n_folds, *moments).total / n, abs=1e-12)


@pytest.mark.parametrize(("n", "n_folds"), DESIGNS)
def test_the_feasible_range_ends_where_an_eigenvalue_turns_negative(n, n_folds):
    low, high = feasible_gamma(n, n_folds, 1.0, 0.4)
    for gamma, outward in ((low, -1e-3), (high, 1e-3)):
        assert np.linalg.eigvalsh(cv_covariance_matrix(n, n_folds, 1.0, 0.4, gamma)).min() == pytest.approx(
            0, abs=1e-10
        )
        assert np.linalg.eigvalsh(cv_covariance_matrix(n, n_folds, 1.0, 0.4, gamma + outward)).min() < -1e-4


def test_leave_one_out_has_no_covariance_within_folds():
    matrix = cv_covariance_matrix(6, 6, 2.0, np.nan, 0.5)
    np.testing.assert_array_equal(matrix, np.full((6, 6), 0.5) + 1.5 * np.eye(6))
    expected = cv_eigenvalues(6, 6, 2.0, np.nan, 0.5)
    assert np.isnan(expected.within)
    assert (expected.between, expected.total, expected.multiplicities) == (1.5, 4.5, (0, 5, 1))
    assert cv_variance(6, 6, 2.0, np.nan, 0.5) == pytest.approx(matrix.mean())
    assert feasible_gamma(6, 6, 2.0, np.nan) == (-0.4, 2.0)


def test_no_quadratic_estimator_meets_the_conditions_of_unbiasedness():
    # Equation 14: a, b and c are fixed by sigma2, omega and gamma, but the factor of mu squared must vanish.
    n, n_folds = 30, 5
    a, b, c = (cv_variance(n, n_folds, *unit) for unit in np.eye(3))
    assert (a, b, c) == pytest.approx((1 / 30, 5 / 30, 24 / 30))
    assert a + b + c == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("n", "n_folds", "message"), [(10, 3, "n=10 does not split"), (10, 1, "n_folds=1"), (2, 4, "n=2 does not split")]
)
def test_folds_of_unequal_size_are_refused(n, n_folds, message):
    for function in (cv_covariance_matrix, cv_eigenvalues, cv_variance):
        with pytest.raises(ValueError, match=message):
            function(n, n_folds, 1.0, 0.0, 0.0)


@pytest.mark.parametrize(("sigma2", "omega"), [(-1.0, 0.0), (1.0, 1.5), (1.0, -0.1)])
def test_moments_that_cannot_be_are_refused(sigma2, omega):
    with pytest.raises(ValueError, match=r"sigma2|omega"):
        feasible_gamma(20, 5, sigma2, omega)
