"""Privacy, measured: what two neighbouring data sets release."""

import numpy as np
import pytest
from scipy import stats

from treatise.linear import PrivateLinearSVC, PrivateLogisticRegression, audit_privacy, repeated_weights

# One row decides all: with the Huber loss its change of label moves the minimum by the whole sensitivity.
ROWS, ONE, OTHER = np.array([[0.0], [0.0], [1.0]]), np.array([-1, 1, 1]), np.array([-1, 1, -1])


def runs(learner, n_runs):
    return [repeated_weights(learner, ROWS, y, n_runs, random_state=seed)[:, 0] for seed, y in enumerate((ONE, OTHER))]


def test_output_perturbation_keeps_its_promise_and_uses_all_of_it():
    epsilon = 0.8
    first, second = runs(PrivateLinearSVC(epsilon, 1.0, mechanism="output"), 1_000_000)
    audit = audit_privacy(first, second, epsilon)
    # Bins of half a per cent or more of a million runs: a standard error of 0.02 at worst in the log-ratio.
    assert audit.epsilon_found <= epsilon + 0.05
    assert not audit.refuted
    assert audit.epsilon_proven > epsilon - 0.05


def test_objective_perturbation_keeps_its_promise_in_many_runs():
    epsilon = 1.0
    audit = audit_privacy(*runs(PrivateLinearSVC(epsilon, 1.0), 4000), epsilon)
    assert not audit.refuted
    assert audit.epsilon_proven > 0.05  # the audit sees the data in the releases


def test_too_little_noise_is_found_out():
    first, second = runs(PrivateLinearSVC(1.6, 1.0, mechanism="output"), 20_000)
    audit = audit_privacy(first, second, 0.8)
    assert audit.refuted and 1.2 < audit.epsilon_proven <= 1.6


def test_the_proven_epsilon_of_a_laplace_pair_rarely_exceeds_the_truth():
    rng = np.random.default_rng(0)
    refuted = 0
    for _ in range(200):
        first, second = rng.laplace(size=(2, 2000)) + np.array([[0.0], [0.5]])  # exactly 0.5-private
        refuted += audit_privacy(first, second, 0.5, confidence=0.9).refuted
    # At most 10 per cent may fail: beyond 35 of 200 lies three standard errors away.
    assert refuted <= 35


def exact_log_densities(learner, X, y, weights):
    """Log-density of a release by objective perturbation, up to a constant: the change of variables of Equation 6."""
    loss, n = learner._loss(), len(y)
    plan = learner._erm(n).plan(n)
    penalty = learner.alpha + plan.extra_penalty
    found = []
    for w in weights:
        slopes, bends = loss.derivative(y, X @ w), loss.curvature(y, X @ w)
        noise = -n * penalty * w - X.T @ slopes
        jacobian = n * penalty * np.eye(X.shape[1]) + (X.T * bends) @ X
        found.append(-plan.noise_rate * np.linalg.norm(noise) + np.linalg.slogdet(jacobian)[1])
    return np.array(found)


@pytest.mark.parametrize("alpha", [0.3, 1e-3], ids=["no extra penalty", "extra penalty"])
@pytest.mark.parametrize(
    "learner",
    [PrivateLogisticRegression(), PrivateLinearSVC(), PrivateLinearSVC(loss="smooth_hinge", h=0.2)],
    ids=["logistic", "huber", "smooth hinge"],
)
def test_no_release_of_objective_perturbation_is_likelier_than_allowed(learner, alpha):
    """Definition 2 itself: the ratio of exact densities, over random and bad neighbours and all kinds of weights."""
    rng = np.random.default_rng(0)
    largest = 0.0
    for trial in range(30):
        n, d = int(rng.integers(1, 25)), int(rng.integers(1, 4))
        X = rng.normal(size=(n, d))
        X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
        y = rng.choice([-1, 1], n)
        other = X.copy()
        other[0] = rng.normal(size=d)
        other[0] /= np.linalg.norm(other[0])
        X[0] = -other[0] if trial % 2 else X[0]
        learner.set_params(epsilon=float(10 ** rng.uniform(-1.5, 0.7)), alpha=alpha)
        weights = rng.normal(size=(200, d)) * 10 ** rng.uniform(-2, 3, (200, 1))
        weights[:100] = other[0] * 10 ** rng.uniform(-2, 3, (100, 1)) * rng.choice([-1, 1], (100, 1))
        ratios = exact_log_densities(learner, X, y, weights) - exact_log_densities(learner, other, y, weights)
        largest = max(largest, np.abs(ratios).max() / learner.epsilon)
        assert np.abs(ratios).max() <= learner.epsilon * (1 + 1e-9)
    assert largest > 0.4  # the neighbours tried are bad ones indeed


def test_releases_follow_the_exact_density():
    """The change of variables above is the law of what is released: its distribution function in one dimension."""
    learner = PrivateLogisticRegression(0.9, 0.5)
    first, _ = runs(learner, 3000)
    grid = np.linspace(-60, 60, 6001)
    density = np.exp(exact_log_densities(learner, ROWS, ONE, grid[:, None]))
    cumulative = np.cumsum(density) / density.sum()
    assert stats.kstest(first, lambda w: np.interp(w, grid, cumulative)).pvalue > 0.001


def test_repeated_weights_are_those_of_fits():
    X, y = np.random.default_rng(0).uniform(-0.5, 0.5, (50, 3)), np.arange(50) % 2
    for mechanism in ("output", "objective"):
        learner = PrivateLogisticRegression(mechanism=mechanism, random_state=4)
        many = repeated_weights(learner, X, y, 3, random_state=4)
        assert many.shape == (3, 3)
        assert not hasattr(learner, "coef_")
        np.testing.assert_allclose(repeated_weights(learner, X, y, 1, random_state=4), learner.fit(X, y).coef_)


def test_plot_shows_the_bins_within_the_bounds():
    audit = audit_privacy(*runs(PrivateLinearSVC(0.8, 1.0, mechanism="output"), 5000), 0.8)
    ax = audit.plot()
    assert "5,000 runs each" in ax.get_title()
    assert len(ax.get_lines()) >= 3
    assert np.nanmax(np.abs(audit.log_ratios)) == audit.epsilon_found


@pytest.mark.parametrize(
    ("first", "second", "settings", "message"),
    [
        (np.zeros(100), np.zeros(99), {}, "100 and 99 runs"),
        (np.zeros(10), np.zeros(10), {}, "at least 100"),
        (np.zeros(100), np.zeros(100), {"confidence": 1.0}, "confidence=1.0"),
    ],
)
def test_an_audit_without_enough_runs_is_refused(first, second, settings, message):
    with pytest.raises(ValueError, match=message):
        audit_privacy(first, second, 1.0, **settings)


def test_releases_that_never_vary_are_no_evidence_unless_they_differ():
    same = audit_privacy(np.zeros(500), np.zeros(500), 1.0)
    assert same.epsilon_proven == 0 and not same.refuted
    apart = audit_privacy(np.zeros(500), np.ones(500), 1.0, confidence=0.99)
    # All of 250 counted runs against none: the Clopper-Pearson limits at half a per cent each have closed forms.
    limit = 0.005 ** (1 / 250)
    assert apart.epsilon_proven == pytest.approx(np.log(limit / (1 - limit)), rel=1e-9)
    assert apart.refuted
