"""Maximum entropy under moment constraints (Choromanska, 2014, Section 2.2.1)."""

import numpy as np
import pytest
from scipy.optimize import minimize

from treatise.linear import maximum_entropy


def test_equalities_hold_and_the_solution_has_the_exponential_form():
    rng = np.random.default_rng(0)
    F, prior = rng.normal(size=(30, 3)), rng.gamma(1.0, size=30)
    found = maximum_entropy(F, prior=prior)
    assert found.probabilities.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found.probabilities @ F, 0.0, atol=1e-6)
    form = prior * np.exp(F @ found.equality_multipliers)
    np.testing.assert_allclose(found.probabilities, form / form.sum(), rtol=1e-9)


def test_inequalities_hold_with_complementary_slackness():
    rng = np.random.default_rng(1)
    F = rng.normal(size=(40, 2))
    # The first must bind, the second is slack under the uniform prior.
    G = np.column_stack([rng.normal(size=40) - 0.5, rng.normal(size=40) + 0.8])
    found = maximum_entropy(F, G)
    moments = found.probabilities @ G
    np.testing.assert_allclose(found.probabilities @ F, 0.0, atol=1e-6)
    assert moments.min() >= -1e-6
    assert found.inequality_multipliers.min() >= 0.0
    np.testing.assert_allclose(moments * found.inequality_multipliers, 0.0, atol=1e-6)
    assert found.inequality_multipliers[0] > 0.1
    assert found.inequality_multipliers[1] == 0.0


def test_nearest_distribution_by_brute_force():
    rng = np.random.default_rng(2)
    F, G, prior = rng.normal(size=(6, 1)), rng.normal(size=(6, 1)), rng.gamma(2.0, size=6)
    prior /= prior.sum()
    found = maximum_entropy(F, G, prior=prior)
    primal = minimize(
        lambda p: np.sum(p * np.log(np.maximum(p, 1e-300) / prior)),
        prior,
        bounds=[(0, 1)] * 6,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: p @ F[:, 0]},
            {"type": "ineq", "fun": lambda p: p @ G[:, 0]},
        ],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    # SLSQP's own accuracy on the distribution.
    np.testing.assert_allclose(found.probabilities, primal.x, atol=1e-5)
    assert found.relative_entropy == pytest.approx(primal.fun, abs=1e-8)


def test_constraints_the_prior_meets_change_nothing():
    prior = np.array([0.2, 0.3, 0.5])
    found = maximum_entropy(inequalities=np.array([[1.0], [2.0], [3.0]]), prior=prior)
    np.testing.assert_allclose(found.probabilities, prior)
    assert found.relative_entropy == pytest.approx(0.0, abs=1e-12)


def test_units_of_a_feature_do_not_matter():
    F = np.random.default_rng(3).normal(size=(20, 2))
    here, there = maximum_entropy(F), maximum_entropy(F * [1e6, 1e-6])
    np.testing.assert_allclose(here.probabilities, there.probabilities, atol=1e-7)


def test_states_of_prior_weight_zero_stay_empty():
    found = maximum_entropy(np.array([[-1.0], [0.0], [2.0], [9.0]]), prior=[1.0, 1.0, 1.0, 0.0])
    assert found.probabilities[3] == 0.0
    np.testing.assert_allclose(found.probabilities @ [-1.0, 0.0, 2.0, 9.0], 0.0, atol=1e-7)


def test_constraints_that_nothing_meets_are_reported():
    with pytest.raises(ValueError, match="no distribution may meet them all"):
        maximum_entropy(np.array([[-1.0, -1.5], [1.0, 0.5]]), max_iter=200)


@pytest.mark.parametrize(("constraints", "message"), [
    ({"equalities": [[-1.0, 1.0], [1.0, 2.0]]}, "column 1 of equalities is positive in all 2 possible states"),
    ({"equalities": [[-1.0], [-2.0], [3.0]], "prior": [1, 1, 0]}, "column 0 of equalities is negative"),
    ({"inequalities": [[-1.0], [-1.0]]}, "column 0 of inequalities is negative"),
    ({"equalities": [[1.0, 2.0, 3.0]]}, "one row for each state"),
])  # fmt: skip
def test_features_of_one_sign_are_refused_at_once(constraints, message):
    with pytest.raises(ValueError, match=message):
        maximum_entropy(**constraints)


def test_constraint_that_every_distribution_meets_changes_nothing():
    faces = np.arange(6.0)[:, None] - 2.0
    plain = maximum_entropy(inequalities=faces - 1.0)
    idle = maximum_entropy(inequalities=np.hstack([faces - 1.0, np.full((6, 1), 7.0)]))
    np.testing.assert_allclose(idle.probabilities, plain.probabilities, atol=1e-7)


def test_no_constraints_are_refused():
    with pytest.raises(ValueError, match="neither equalities nor inequalities"):
        maximum_entropy()


def test_unequal_numbers_of_states_are_refused():
    with pytest.raises(ValueError, match="equalities are of 3 states, inequalities of 2"):
        maximum_entropy(np.ones((3, 1)), np.ones((2, 1)))
