"""Many minimisations side by side: each as if it were alone."""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from treatise.optimize import minimize_many_lbfgs


def rosenbrock(points, which):
    return np.array([rosen(z) for z in points]), np.array([rosen_der(z) for z in points])


def test_every_start_in_a_bent_valley_ends_at_its_only_minimum():
    starts = np.random.default_rng(0).normal(size=(12, 2))
    found = minimize_many_lbfgs(rosenbrock, starts, max_iter=500, gradient_tolerance=1e-8)
    assert found.converged.all() and found.slopes.max() <= 1e-8
    np.testing.assert_allclose(found.points, 1.0, atol=1e-6)


def test_a_problem_ends_where_it_would_have_ended_alone():
    starts = np.random.default_rng(1).normal(size=(6, 3))
    together = minimize_many_lbfgs(rosenbrock, starts, max_iter=80)
    for i in range(len(starts)):
        alone = minimize_many_lbfgs(rosenbrock, starts[i : i + 1], max_iter=80)
        np.testing.assert_array_equal(alone.points[0], together.points[i])
        assert alone.iterations[0] == together.iterations[i]


def test_the_objective_is_told_whose_points_it_sees():
    middles = np.arange(10.0)[:, np.newaxis] * [1.0, -2.0, 0.5]

    def bowls(points, which):
        apart = points - middles[which]
        return 0.5 * (apart**2).sum(axis=1), apart

    found = minimize_many_lbfgs(bowls, np.zeros((10, 3)))
    np.testing.assert_allclose(found.points, middles, atol=1e-6)
    assert found.iterations[0] == 0  # begins where it ends


def test_values_that_are_not_finite_only_shorten_a_step():
    def barrier(points, which):
        inside = points[:, 0] > 0
        logs = np.log(np.where(inside, points[:, 0], 1.0))
        return np.where(inside, points[:, 0] - logs, np.inf), 1.0 - 1.0 / np.where(points > 0, points, 1.0)

    found = minimize_many_lbfgs(barrier, np.array([[0.01], [50.0]]))
    np.testing.assert_allclose(found.points.ravel(), 1.0, atol=1e-5)


def test_a_decrease_below_the_tolerance_ends_a_search_and_running_out_of_steps_is_told():
    starts = np.full((1, 4), -1.5)
    loose = minimize_many_lbfgs(rosenbrock, starts, decrease_tolerance=0.5)
    assert loose.converged.all() and loose.values[0] > 1e-6
    short = minimize_many_lbfgs(rosenbrock, starts, max_iter=3)
    assert not short.converged.any() and short.iterations[0] == 3


def test_bad_starts_are_refused():
    with pytest.raises(ValueError, match="one row for each problem"):
        minimize_many_lbfgs(rosenbrock, np.zeros(3))
    with pytest.raises(ValueError, match=r"inf at start 1 \(counted from 0\)"):
        minimize_many_lbfgs(lambda z, which: (np.array([0.0, np.inf]), z), np.zeros((2, 3)))
