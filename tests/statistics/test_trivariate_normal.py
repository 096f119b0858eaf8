import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm

from treatise.statistics import bivariate_normal_cdf, trivariate_normal_cdf


def correlations(a, b, c):
    return np.array([[1.0, a, b], [a, 1.0, c], [b, c, 1.0]])


def one_factor(ends, loadings):
    """The probability where all correlations come from one hidden variable: one integral over it."""

    def given(hidden):
        return norm.pdf(hidden) * np.prod(
            [ndtr((end - load * hidden) / np.sqrt(1 - load**2)) for end, load in zip(ends, loadings)]
        )

    kinks = sorted({float(np.clip(end / load, -9, 9)) for end, load in zip(ends, loadings)})
    return quad(given, -10, 10, points=kinks, epsabs=1e-14, epsrel=1e-12, limit=500)[0]


@pytest.mark.parametrize(
    "loadings", [(0.5, 0.7, -0.6), (0.99, 0.999, 0.3), (-0.95, 0.2, 0.9999), (0.9999, -0.9999, 0.9999)]
)
def test_equals_the_integral_over_a_common_cause(loadings):
    R = np.outer(loadings, loadings)
    np.fill_diagonal(R, 1.0)
    rng = np.random.default_rng(0)
    for ends in rng.normal(size=(8, 3)) * 1.5:
        assert trivariate_normal_cdf(*ends, R) == pytest.approx(one_factor(ends, loadings), abs=1e-11)


def test_the_orthant_has_its_closed_form():
    for a, b, c in ((0.3, -0.2, 0.6), (0.0, 0.0, 0.0), (-0.45, -0.45, -0.45), (0.999, 0.998, 0.9985)):
        exact = 0.125 + (np.arcsin(a) + np.arcsin(b) + np.arcsin(c)) / (4 * np.pi)
        assert trivariate_normal_cdf(0, 0, 0, correlations(a, b, c)) == pytest.approx(exact, abs=1e-13)


def test_infinite_ends_leave_the_other_variables():
    R = correlations(0.4, -0.3, 0.7)
    for place, rho in enumerate((0.7, -0.3, 0.4)):
        ends = np.insert(np.array([0.7, -0.2]), place, np.inf)
        assert trivariate_normal_cdf(*ends, R) == pytest.approx(float(bivariate_normal_cdf(0.7, -0.2, rho)), abs=1e-13)
        ends[place] = -np.inf
        assert trivariate_normal_cdf(*ends, R) == 0


def test_the_order_of_the_variables_does_not_matter():
    R, ends = correlations(0.4, -0.3, 0.7), np.array([0.2, -1.0, 0.5])
    for order in ([1, 0, 2], [2, 1, 0], [1, 2, 0]):
        same = trivariate_normal_cdf(*ends[order], R[np.ix_(order, order)])
        assert same == pytest.approx(float(trivariate_normal_cdf(*ends, R)), abs=1e-13)


def test_many_points_at_once_equal_each_alone():
    points = np.random.default_rng(1).normal(size=(50, 3)) * 2
    R = correlations(0.6, 0.5, -0.2)
    together = trivariate_normal_cdf(*points.T, R)
    np.testing.assert_allclose(together, [trivariate_normal_cdf(*point, R) for point in points], atol=1e-13)
    assert trivariate_normal_cdf(points[:, :1], 0.0, points[None, :4, 0], R).shape == (50, 4)


def test_matrices_that_are_no_correlations_are_refused():
    with pytest.raises(ValueError, match="positive definite"):
        trivariate_normal_cdf(0, 0, 0, correlations(0.9, -0.9, 0.9))
    with pytest.raises(ValueError, match="3 x 3"):
        trivariate_normal_cdf(0, 0, 0, np.eye(2))
    with pytest.raises(ValueError, match="ones on its diagonal"):
        trivariate_normal_cdf(0, 0, 0, 2 * np.eye(3))
