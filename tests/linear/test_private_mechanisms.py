"""Noise, random choice and the arithmetic of the privacy budget."""

import numpy as np
import pytest
from scipy import stats

from treatise.linear import (
    erm_sensitivity,
    excess_risk_bound,
    exponential_mechanism,
    exponential_probabilities,
    perturbation,
    vector_laplace,
)


@pytest.mark.parametrize("n_features", [1, 7])
def test_norm_of_the_noise_is_gamma_and_its_direction_uniform(n_features):
    noise = vector_laplace(n_features, 2.5, size=100_000, random_state=0)
    norms = np.linalg.norm(noise, axis=1)
    assert norms.mean() == pytest.approx(n_features / 2.5, rel=0.01)
    assert stats.kstest(norms, stats.gamma(n_features, scale=1 / 2.5).cdf).pvalue > 0.01
    directions = noise / norms[:, None]
    # Each coordinate of a direction has variance 1/d: 4.5 standard errors.
    np.testing.assert_allclose(directions.mean(axis=0), 0, atol=4.5 / np.sqrt(100_000 * n_features))
    covariance = directions.T @ directions / len(directions)
    np.testing.assert_allclose(covariance, np.eye(n_features) / n_features, atol=0.01)


def test_noise_in_one_dimension_is_laplace():
    noise = vector_laplace(1, 0.5, size=50_000, random_state=1)[:, 0]
    assert stats.kstest(noise, stats.laplace(scale=2).cdf).pvalue > 0.01


def test_without_a_seed_the_noise_does_not_follow_numpys_global_state():
    np.random.seed(0)  # noqa: NPY002
    one = vector_laplace(3, 1.0)
    np.random.seed(0)  # noqa: NPY002
    other = vector_laplace(3, 1.0)
    assert not np.array_equal(one, other)
    norms = np.linalg.norm(vector_laplace(2, 1.0, size=50_000), axis=1)
    # A true source fails this once in a million runs; a wrong distribution always.
    assert stats.kstest(norms, stats.gamma(2).cdf).pvalue > 1e-6


def test_a_seed_repeats_the_noise_and_one_vector_is_the_first_of_many():
    np.testing.assert_array_equal(
        vector_laplace(4, 1.0, random_state=3), vector_laplace(4, 1.0, size=1, random_state=3)[0]
    )


@pytest.mark.parametrize(("n_features", "rate"), [(0, 1.0), (3, 0.0), (3, -1.0), (3, float("nan"))])
def test_noise_refuses_what_is_no_dimension_or_rate(n_features, rate):
    with pytest.raises(ValueError, match="must be positive"):
        vector_laplace(n_features, rate)


def test_exponential_mechanism_has_its_exact_probabilities():
    mistakes = np.array([12, 10, 15])
    expected = np.exp(-0.4 * mistakes / 2) / np.exp(-0.4 * mistakes / 2).sum()
    np.testing.assert_allclose(exponential_probabilities(-mistakes, 0.4), expected, rtol=1e-12)
    np.testing.assert_allclose(exponential_probabilities(-mistakes, 0.8, sensitivity=2.0), expected, rtol=1e-12)
    rng = np.random.RandomState(0)
    drawn = np.bincount([exponential_mechanism(-mistakes, 0.4, random_state=rng) for _ in range(20_000)], minlength=3)
    assert stats.chisquare(drawn, 20_000 * expected).pvalue > 0.001


def test_exponential_mechanism_survives_scores_far_apart():
    np.testing.assert_array_equal(exponential_probabilities([0.0, -1e6], 1.0), [1.0, 0.0])
    assert exponential_mechanism([-1e6, 0.0], 1.0) == 1


def test_the_chosen_candidate_is_rarely_much_worse_than_the_best():
    """Theorem 27: at most 2 log(m / delta) / epsilon more mistakes, save with probability delta."""
    mistakes, epsilon, delta = np.arange(0, 200, 4), 0.3, 0.05
    allowed = 2 * np.log(len(mistakes) / delta) / epsilon
    assert exponential_probabilities(-mistakes, epsilon)[mistakes > allowed].sum() < delta


@pytest.mark.parametrize("scores", [[], [np.nan, 1.0], [[1.0]]])
def test_exponential_mechanism_refuses_scores_that_are_none(scores):
    with pytest.raises(ValueError, match="finite numbers"):
        exponential_mechanism(scores, 1.0)


def test_budget_of_objective_perturbation():
    # By hand: 2 log(1 + 0.25 / 5.69) = 0.0859977705.
    plan = perturbation("objective", 0.1, 569, 0.01, 0.25)
    assert plan.noise_epsilon == pytest.approx(0.0140022295, abs=1e-10)
    assert plan.noise_rate == plan.noise_epsilon / 2 and plan.extra_penalty == 0
    short = perturbation("objective", 0.05, 569, 0.01, 0.25)
    assert short.noise_epsilon == 0.025 and short.noise_rate == 0.0125
    assert short.extra_penalty == pytest.approx(0.0249301589, abs=1e-10)


def test_extra_penalty_leaves_half_of_epsilon_for_the_jacobian():
    """The proof of Theorem 9 needs (1 + c / (n (alpha + Delta)))^2 = exp(epsilon / 2)."""
    for n, alpha, epsilon, c in [(100, 1e-6, 0.3, 1.0), (5000, 1e-8, 0.01, 0.25), (3, 0.1, 1.0, 1.5)]:
        plan = perturbation("objective", epsilon, n, alpha, c)
        assert plan.extra_penalty > 0
        assert (1 + c / (n * (alpha + plan.extra_penalty))) ** 2 == pytest.approx(np.exp(epsilon / 2), rel=1e-12)


def test_output_noise_covers_the_sensitivity():
    plan = perturbation("output", 0.4, 1000, 0.02, 0.25)
    assert plan.noise_rate == pytest.approx(1000 * 0.02 * 0.4 / 2)
    assert plan.noise_rate * erm_sensitivity(1000, 0.02) == pytest.approx(0.4)
    assert plan.extra_penalty == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("input", 1.0, 10, 0.1, 0.25), "mechanism='input' is unknown"),
        (("output", 0.0, 10, 0.1, 0.25), "epsilon=0.0 must be positive"),
        (("objective", 1.0, 0, 0.1, 0.25), "n_samples=0 must be positive"),
        (("objective", 1.0, 10, -1.0, 0.25), "alpha=-1.0 must be positive"),
    ],
)
def test_perturbation_refuses_what_makes_no_sense(arguments, message):
    with pytest.raises(ValueError, match=message):
        perturbation(*arguments)


def test_risk_bounds_are_below_the_closed_forms_of_the_paper():
    n, d, alpha, epsilon, c, delta = 5000, 12, 0.02, 0.5, 0.25, 0.1
    log2 = np.log(d / delta) ** 2
    output = 2 * d**2 * (c + alpha) * log2 / (alpha * n * epsilon) ** 2
    left = perturbation("objective", epsilon, n, alpha, c).noise_epsilon
    objective = 4 * d**2 * log2 / (alpha * (n * left) ** 2)
    for mechanism, printed in (("output", output), ("objective", objective)):
        bound = excess_risk_bound(mechanism, epsilon, n, d, alpha, curvature=c, delta=delta)
        # The union bound over exponentials overstates the Gamma quantile by d log(d/delta) / (d + a few roots of d).
        assert printed / 25 < bound < printed


def test_in_one_dimension_the_risk_bound_is_the_closed_form():
    """There the Gamma distribution is exponential, and its quantile log(1 / delta) / beta is the paper's."""
    bound = excess_risk_bound("output", 0.5, 100, 1, 0.1, curvature=0.25, delta=0.05)
    assert bound == pytest.approx(2 * 0.35 * np.log(1 / 0.05) ** 2 / (0.1 * 100 * 0.5) ** 2, rel=1e-10)


def test_there_is_no_risk_bound_where_the_penalty_grows():
    with pytest.raises(ValueError, match="adds to the penalty"):
        excess_risk_bound("objective", 0.01, 100, 3, 0.01, curvature=0.25)
    with pytest.raises(ValueError, match="delta=1"):
        excess_risk_bound("output", 1.0, 100, 3, 0.01, curvature=0.25, delta=1)
