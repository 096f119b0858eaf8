"""The projection of posteriors against a conic solver, and its certificate."""

from itertools import pairwise

import clarabel
import numpy as np
import pytest
from scipy import sparse

from treatise.optimize import posterior_projection

STARTS = np.array([0, 3, 5, 6])


def listed_model(seed=0, n_states=12):
    """A model of few states that can be written out: probabilities, and features of each state."""
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(n_states)), rng.integers(0, 2, (n_states, STARTS[-1])).astype(float)


def expect_of(p, features):
    def expect(multipliers):
        weights = p * np.exp(-features @ multipliers)
        return np.log(weights.sum()), weights @ features / weights.sum()

    return expect


def by_cones(p, features, strength):
    """min KL(q || p) + strength * sum of the groups' largest expectations, as an exponential cone program."""
    S, groups = len(p), len(STARTS) - 1
    # Variables: q, t (t >= q log(q / p)), xi. An exponential cone holds (x, y, z) with y exp(x / y) <= z.
    n = 2 * S + groups
    rows, b, cones = [], [], []
    rows.append(np.r_[np.ones(S), np.zeros(S + groups)])
    b.append(1.0)
    cones.append(clarabel.ZeroConeT(1))
    for g in range(groups):
        for f in range(STARTS[g], STARTS[g + 1]):
            row = np.zeros(n)
            row[:S], row[2 * S + g] = features[:, f], -1.0
            rows.append(row)
            b.append(0.0)
    cones.append(clarabel.NonnegativeConeT(int(STARTS[-1])))
    for s in range(S):  # (-t, q, p): q exp(-t / q) <= p
        first, second = np.zeros(n), np.zeros(n)
        first[S + s], second[s] = 1.0, -1.0
        rows += [first, second, np.zeros(n)]
        b += [0.0, 0.0, p[s]]
        cones.append(clarabel.ExponentialConeT())
    cost = np.r_[np.zeros(S), np.ones(S), np.full(groups, strength)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((n, n)), cost, sparse.csc_matrix(np.array(rows)), np.array(b), cones, settings
    )
    solution = solver.solve()
    return np.array(solution.x)[:S], solution.obj_val


@pytest.mark.parametrize("strength", [0.3, 2.0, 20.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_posterior_and_penalty_are_those_of_a_conic_solver(seed, strength):
    p, features = listed_model(seed)
    found = posterior_projection(expect_of(p, features), STARTS, strength, max_iter=5000, tol=1e-8)
    q, value = by_cones(p, features, strength)
    assert found.converged
    weights = p * np.exp(-features @ found.multipliers)
    np.testing.assert_allclose(weights / weights.sum(), q, atol=1e-4)
    np.testing.assert_allclose(-found.log_partition, value, atol=1e-5)


def test_multipliers_are_feasible_and_on_the_largest_expectations_alone():
    p, features = listed_model(3)
    strength = 1.5
    found = posterior_projection(expect_of(p, features), STARTS, strength, max_iter=5000, tol=1e-10)
    assert (found.multipliers >= 0).all()
    for first, last in pairwise(STARTS):
        multipliers, expected = found.multipliers[first:last], found.expectations[first:last]
        np.testing.assert_allclose(multipliers.sum(), strength, atol=1e-3)
        assert multipliers[expected < expected.max() - 1e-3].sum() < 1e-3 * strength


def test_the_gap_bounds_how_far_a_run_cut_short_is_off():
    p, features = listed_model(4)
    expect = expect_of(p, features)
    best = posterior_projection(expect, STARTS, 3.0, max_iter=5000, tol=1e-10).log_partition
    gaps = []
    for steps in (1, 2, 4, 8, 16):
        cut = posterior_projection(expect, STARTS, 3.0, max_iter=steps, tol=0.0)
        assert not cut.converged
        assert cut.log_partition - cut.gap <= best + 1e-9 <= cut.log_partition + 2e-9
        gaps.append(cut.gap)
    assert gaps[-1] < gaps[0]
    warm = posterior_projection(expect, STARTS, 3.0, start=cut.multipliers, tol=2 * cut.gap + 1e-12)
    assert warm.converged and warm.n_evaluations == 1


def test_without_strength_nothing_changes():
    p, features = listed_model(5)
    found = posterior_projection(expect_of(p, features), STARTS, 0.0)
    assert found.gap == 0.0 and not found.multipliers.any()
    np.testing.assert_allclose(found.expectations, p @ features)


def test_what_makes_no_problem_is_refused():
    p, features = listed_model(0)
    with pytest.raises(ValueError, match="strength=-1"):
        posterior_projection(expect_of(p, features), STARTS, -1)
    with pytest.raises(ValueError, match="there are 6 features"):
        posterior_projection(expect_of(p, features), STARTS, 1.0, start=np.zeros(4))
