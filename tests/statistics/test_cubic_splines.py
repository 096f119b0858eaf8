"""Cubic splines and O'Sullivan's basis against their definitions."""

import numpy as np
import pytest
from scipy.interpolate import BSpline, make_smoothing_spline

from treatise.statistics import osullivan_basis
from treatise.statistics.cubic_splines import bend_matrix, clamped_knots, cubic_splines


def test_splines_are_those_of_scipy_and_keep_their_ends():
    x = np.random.default_rng(0).random(80)
    knots, points = clamped_knots(x, 5), np.linspace(x.min(), x.max(), 101)
    found = np.empty((len(knots) - 4, len(points)))
    cubic_splines(points, knots, found)
    np.testing.assert_allclose(found, BSpline(knots, np.eye(len(knots) - 4), 3)(points).T, atol=1e-12)
    beyond = np.empty((len(knots) - 4, 2))
    cubic_splines(np.array([-9.0, 9.0]), knots, beyond)
    np.testing.assert_array_equal(beyond[:, 0], found[:, 0])


def test_bend_matrix_is_the_integral_of_second_derivatives():
    knots = clamped_knots(np.random.default_rng(1).random(60), 4)
    second = BSpline(knots, np.eye(len(knots) - 4), 3).derivative(2)
    points = np.linspace(knots[0], knots[-1], 400_001)
    middle = (points[1:] + points[:-1]) / 2
    dense = second(middle).T @ second(middle) * (points[1] - points[0])
    np.testing.assert_allclose(bend_matrix(knots), dense, rtol=1e-4, atol=1e-4 * np.abs(dense).max())


def test_ridge_on_the_basis_is_the_smoothing_spline_with_knots_at_all_points():
    rng = np.random.default_rng(2)
    x, penalty = np.sort(rng.random(12)), 1e-3
    y = np.sin(6 * x) + 0.1 * rng.standard_normal(12)
    # Knots at all inner points: one function for each point beside the line.
    knots = np.concatenate([[x[0]] * 4, x[1:-1], [x[-1]] * 4])
    bend, directions = np.linalg.eigh(bend_matrix(knots))
    B = np.empty((len(knots) - 4, len(x)))
    cubic_splines(x, knots, B)
    Z = ((directions[:, 2:] / np.sqrt(bend[2:])).T @ B).T
    C = np.column_stack([np.ones(12), x, Z])
    P = np.diag([0.0, 0.0, *[penalty] * Z.shape[1]])
    fitted = C @ np.linalg.solve(C.T @ C + P, C.T @ y)
    np.testing.assert_allclose(fitted, make_smoothing_spline(x, y, lam=penalty)(x), atol=1e-8)


def test_basis_pays_for_bend_alone():
    x = np.random.default_rng(3).random(300)
    basis = osullivan_basis(x, 8)
    coefficients = np.random.default_rng(4).standard_normal(8)
    spline = BSpline(basis.knots, basis.turn.T @ coefficients, 3).derivative(2)
    points = np.linspace(*basis.range, 200_001)
    bend = np.mean(spline((points[1:] + points[:-1]) / 2) ** 2) * np.ptp(points)
    assert bend == pytest.approx(coefficients @ coefficients, rel=1e-4)


def test_few_distinct_values_get_few_functions_or_none():
    assert osullivan_basis([0.0, 1.0, 0.0, 1.0], 18)([0.0, 1.0]).shape == (0, 2)
    assert len(osullivan_basis(np.arange(12.0), 18).turn) == 3
