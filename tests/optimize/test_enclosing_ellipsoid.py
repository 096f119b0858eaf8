"""The smallest ellipsoid around points, against its optimality conditions and known cases."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from treatise.optimize import minimum_volume_ellipsoid


def kkt_residual(points, ellipsoid):
    """Largest violation of: all points inside, weights only where they touch, and the inverse is their moment."""
    forms = np.einsum("ij,jk,ik->i", points, ellipsoid.matrix, points)
    moment = (points * ellipsoid.weights[:, None]).T @ points
    identity = ellipsoid.matrix @ moment - np.eye(points.shape[1])
    slack = ellipsoid.weights * np.abs(1.0 - forms)
    return max((forms - 1.0).max(), slack.max(), np.abs(identity).max(), -ellipsoid.weights.min())


def test_unit_vectors_and_points_inside_give_the_unit_ball():
    rng = np.random.default_rng(0)
    inside = rng.normal(size=(200, 5))
    inside *= 0.99 / np.maximum(np.linalg.norm(inside, axis=1, keepdims=True), 1.0)
    ellipsoid = minimum_volume_ellipsoid(np.vstack([np.eye(5), inside]))
    np.testing.assert_allclose(ellipsoid.matrix, np.eye(5), atol=1e-8)
    np.testing.assert_array_equal(ellipsoid.active, np.arange(5))


@pytest.mark.parametrize("seed", range(5))
def test_ellipsoid_of_a_simplex_touches_its_corners_alone(seed):
    rng = np.random.default_rng(seed)
    corners = rng.random((6, 6))
    points = np.vstack([corners, rng.dirichlet(np.ones(6), 300) @ corners])
    ellipsoid = minimum_volume_ellipsoid(points)
    expected = np.linalg.inv(corners.T @ corners)  # Proposition 3
    np.testing.assert_allclose(ellipsoid.matrix, expected, atol=1e-6 * np.abs(expected).max())
    np.testing.assert_allclose(ellipsoid.weights[:6], 1.0, atol=1e-6)
    np.testing.assert_array_equal(ellipsoid.active, np.arange(6))


@pytest.mark.parametrize("n, d", [(10, 1), (30, 2), (200, 5), (3000, 12), (400, 40)])
def test_optimality_conditions_hold_for_clouds_of_points(n, d):
    points = np.random.default_rng(d).standard_t(4, size=(n, d))
    ellipsoid = minimum_volume_ellipsoid(points)
    assert kkt_residual(points, ellipsoid) < 1e-8
    assert ellipsoid.converged and 0.0 <= ellipsoid.gap <= 1e-9
    assert len(ellipsoid.active) >= d  # Lemma 11
    assert ellipsoid.weights.sum() == pytest.approx(d)
    assert np.all(np.isin(np.flatnonzero(ellipsoid.weights > 1e-6), ellipsoid.active))


def test_volume_equals_a_general_solvers():
    points = np.random.default_rng(3).normal(size=(25, 3))
    lower = np.tril_indices(3)

    def root(free):
        factor = np.zeros((3, 3))
        factor[lower] = free
        return factor

    found = minimize(
        lambda free: -2.0 * np.log(np.abs(np.diag(root(free)))).sum(),
        root(np.zeros(6))[lower] + (0.2 * np.eye(3))[lower],
        constraints={"type": "ineq", "fun": lambda free: 1.0 - np.square(points @ root(free)).sum(axis=1)},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    ours = -np.linalg.slogdet(minimum_volume_ellipsoid(points).matrix)[1]
    assert ours == pytest.approx(found.fun, abs=1e-6)


def test_scaled_rotated_and_repeated_points_have_the_same_ellipsoid():
    rng = np.random.default_rng(4)
    points = rng.normal(size=(300, 6))
    plain = minimum_volume_ellipsoid(points)
    change = rng.normal(size=(6, 6)) * [1e-6, 1e-3, 1.0, 1e3, 1e5, 1.0]
    moved = minimum_volume_ellipsoid(points @ change)
    np.testing.assert_array_equal(moved.active, plain.active)
    np.testing.assert_allclose(change @ moved.matrix @ change.T, plain.matrix, atol=1e-6 * np.abs(plain.matrix).max())
    twice = minimum_volume_ellipsoid(np.vstack([points, -points, points]))
    np.testing.assert_allclose(twice.matrix, plain.matrix, rtol=1e-6, atol=1e-8)
    assert len(twice.active) == 3 * len(plain.active)


def test_many_points_on_one_sphere_are_a_hard_case_that_still_ends():
    points = np.random.default_rng(5).normal(size=(2000, 4))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    ellipsoid = minimum_volume_ellipsoid(points)
    # All points touch, so that the weights are far from unique.
    np.testing.assert_allclose(ellipsoid.matrix, np.eye(4), atol=1e-6)
    assert ellipsoid.converged and kkt_residual(points, ellipsoid) < 1e-6


def test_stopping_short_is_told_and_the_ellipsoid_still_holds_all_points():
    points = np.random.default_rng(6).normal(size=(500, 8))
    with pytest.warns(ConvergenceWarning, match="duality gap is .* after max_iter=1 looks"):
        short = minimum_volume_ellipsoid(points, max_iter=1)
    assert not short.converged
    assert np.einsum("ij,jk,ik->i", points, short.matrix, points).max() <= 1.0 + 1e-12
    # The certificate: no more above the least volume than it says.
    best = minimum_volume_ellipsoid(points)
    above = np.linalg.slogdet(best.matrix)[1] - np.linalg.slogdet(short.matrix)[1]
    assert 0.0 < above <= short.gap


def test_points_that_do_not_span_are_refused():
    with pytest.raises(ValueError, match="span 2 of their 3 dimensions"):
        minimum_volume_ellipsoid([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    with pytest.raises(ValueError, match="NaN"):
        minimum_volume_ellipsoid([[1.0, np.nan]])
