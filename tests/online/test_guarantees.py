"""What the papers of the rules promise: constraints met by every update, limits, mistake bounds, a sound covariance."""

import numpy as np
import pytest
from scipy.special import ndtri
from single_pass import once_in_order
from sklearn.base import clone
from sklearn.datasets import make_classification

from treatise.online import (
    AROW,
    NAROW,
    ROMMA,
    ConfidenceWeighted,
    ImprovedEllipsoid,
    NormalHerd,
    OnlinePerceptron,
    PassiveAggressive,
    SecondOrderPerceptron,
    SoftConfidenceWeighted,
)
from treatise.online.rules.confidence_weighted import confidence_weighted, multiclass_confidence_weighted
from treatise.online.rules.soft_confidence_weighted import (
    multiclass_soft_linear,
    multiclass_soft_quadratic,
    soft_linear,
    soft_quadratic,
)


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 5))
    return X, np.where(X @ rng.normal(size=5) + rng.normal(size=300) > 0, 1, -1)


@pytest.fixture(scope="module")
def classes():
    X, y = make_classification(300, 8, n_informative=6, n_classes=3, random_state=0)
    return X, y


def steps(learner, X, y):
    """The learner before and after each update, with the example."""
    learner = clone(learner).partial_fit(X[:1], y[:1], classes=np.unique(y))
    for x, label in zip(X[1:], y[1:]):
        before, updates = learner.coef_.copy(), learner.n_updates_
        learner.partial_fit(x[None], [label])
        if learner.n_updates_ > updates:
            yield before, learner, x, label


def lead(learner, x, label):
    """The label's score less that of the best rival."""
    scores = learner.decision_function(x[None])
    if scores.ndim == 1:
        return label * scores[0]
    scores = scores[0]
    return scores[label] - np.max(np.delete(scores, label))


def test_passive_aggressive_gives_every_example_a_margin_of_one(noisy):
    learner = once_in_order(PassiveAggressive, variant=0)
    assert all(abs(lead(after, x, y) - 1) < 1e-9 for _, after, x, y in steps(learner, *noisy))


def test_passive_aggressive_gives_every_example_a_lead_of_one_over_the_rival_it_had(classes):
    for before, after, x, label in steps(once_in_order(PassiveAggressive, variant=0), *classes):
        rival = np.argmax(np.where(np.arange(3) == label, -np.inf, before @ x))
        assert abs((after.coef_[label] - after.coef_[rival]) @ x - 1) < 1e-9


def test_confidence_weighted_update_reaches_the_wanted_probability(noisy):
    X, y = noisy
    phi = ndtri(0.7)
    checked = 0
    # A hundred examples: each contradiction shrinks the covariance, and the constraint with it.
    for _, after, x, label in steps(once_in_order(ConfidenceWeighted, 0.7, covariance="full"), X[:100], y[:100]):
        deviation = np.sqrt(x @ after.covariance_ @ x)
        assert abs(lead(after, x, label) - phi * deviation) < 1e-9
        checked += 1
    assert checked > 30


def test_multiclass_confidence_weighted_update_reaches_the_wanted_probability(classes):
    X, y = classes
    phi, checked = ndtri(0.75), 0
    for before, after, x, label in steps(once_in_order(ConfidenceWeighted, 0.75, covariance="full"), X[:100], y[:100]):
        rival = np.argmax(np.where(np.arange(3) == label, -np.inf, before @ x))
        new_lead = (after.coef_[label] - after.coef_[rival]) @ x
        assert abs(new_lead - phi * np.sqrt(2 * x @ after.covariance_ @ x)) < 1e-9
        checked += 1
    assert checked > 30


@pytest.mark.parametrize(
    "n_scores, rules",
    [
        (1, (confidence_weighted, soft_linear, soft_quadratic)),
        (2, (multiclass_confidence_weighted, multiclass_soft_linear, multiclass_soft_quadratic)),
    ],
)
def test_soft_confidence_weighted_steps_are_stationary(n_scores, rules):
    """The multiplier of the constraint is min(the hard one, C) or 2 C times the shortfall that the step leaves."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        m, v, phi, C = rng.normal(), rng.exponential(), rng.uniform(0.1, 2), rng.exponential()
        hard, linear, quadratic = rules[0](m, v, phi), rules[1](m, v, phi, C), rules[2](m, v, phi, C)
        assert hard[0] == linear[0] == quadratic[0] == (phi * np.sqrt(n_scores * v) > m)
        if hard[0]:
            assert linear[1] == min(hard[1], C)
            shortfall = phi * np.sqrt(n_scores * v / (1 + quadratic[2] * v)) - (m + n_scores * quadratic[1] * v)
            assert abs(quadratic[1] - 2 * C * shortfall) < 1e-10 * max(1, C)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
@pytest.mark.parametrize("variant", [1, 2])
def test_soft_confidence_weighted_with_a_huge_cost_is_confidence_weighted(noisy, classes, variant, covariance):
    for X, y in (noisy, classes):
        soft = once_in_order(SoftConfidenceWeighted, 1e12, eta=0.6, variant=variant, covariance=covariance)
        hard = once_in_order(ConfidenceWeighted, 0.6, covariance=covariance)
        soft.fit(X[:80], y[:80])
        hard.fit(X[:80], y[:80])
        assert soft.n_mistakes_ == hard.n_mistakes_
        np.testing.assert_allclose(soft.coef_, hard.coef_, atol=1e-8)
        np.testing.assert_allclose(soft.covariance_, hard.covariance_, atol=1e-8)


@pytest.mark.parametrize("variant", [1, 2])
def test_soft_passive_aggressive_with_a_huge_cost_is_passive_aggressive(noisy, classes, variant):
    for X, y in (noisy, classes):
        soft, hard = (
            once_in_order(PassiveAggressive, 1e12, variant=variant).fit(X, y),
            once_in_order(PassiveAggressive, variant=0).fit(X, y),
        )
        # The softness 1 / 2C of variant 2 changes each step by a part in 1e12.
        np.testing.assert_allclose(soft.coef_, hard.coef_, atol=1e-8)


@pytest.mark.parametrize("aggressive", [False, True])
def test_romma_takes_the_shortest_weights_that_keep_both_constraints(noisy, aggressive):
    from scipy.optimize import minimize

    X, y = noisy
    for number, (before, after, x, label) in enumerate(steps(once_in_order(ROMMA, aggressive), X[:40], y[:40])):
        w, old = after.coef_[0], before[0]
        assert label * (w @ x) > 1 - 1e-9
        assert w @ old >= old @ old * (1 - 1e-9)
        if number < 5:
            halfspaces = [
                {"type": "ineq", "fun": lambda u, x=x, label=label: label * (u @ x) - 1},
                {"type": "ineq", "fun": lambda u, old=old: u @ old - old @ old},
            ]
            best = minimize(lambda u: u @ u, w + 0.1, constraints=halfspaces, method="SLSQP", tol=1e-12)
            np.testing.assert_allclose(w, best.x, atol=1e-5)


def test_romma_leaves_the_past_behind_where_the_example_alone_asks_for_more():
    """A slightly shorter example in nearly the same direction: the shortest weights for it alone keep the past, too."""
    learner = once_in_order(ROMMA, aggressive=True).partial_fit([[1.0, 1.0]], [1], classes=[0, 1])  # w = (0.5, 0.5)
    learner.partial_fit([[0.95, 0.95 + 1e-3]], [1])
    x = np.array([0.95, 0.951])
    np.testing.assert_allclose(learner.coef_[0], x / (x @ x), rtol=1e-12)


def test_romma_stays_finite_on_labels_that_no_plane_explains():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30000, 3)), rng.integers(0, 2, 30000)
    learner = once_in_order(ROMMA).fit(X, y)
    assert np.all(np.isfinite(learner.coef_))
    assert 0.4 < learner.n_mistakes_ / 30000 < 0.6


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_arow_precision_is_the_sum_over_its_updates(noisy, covariance):
    X, y = noisy
    updates = list(steps(once_in_order(AROW, 0.5, covariance=covariance), X, y))
    learner, seen = updates[-1][1], np.array([X[0], *(x for _, _, x, _ in updates)])  # the first margin is zero
    precision = np.eye(5) + seen.T @ seen / 0.5
    if covariance == "full":
        np.testing.assert_allclose(np.linalg.inv(learner.covariance_), precision, atol=1e-9 * precision.max())
    else:
        np.testing.assert_allclose(1 / learner.covariance_, np.diag(precision), rtol=1e-9)


@pytest.mark.parametrize(
    "learner",
    [
        once_in_order(AROW),
        once_in_order(NormalHerd),
        once_in_order(NAROW),
        once_in_order(SecondOrderPerceptron),
        once_in_order(ImprovedEllipsoid),
        once_in_order(SoftConfidenceWeighted),
        once_in_order(SoftConfidenceWeighted, variant=2),
        once_in_order(ConfidenceWeighted, 0.55),
    ],
    ids=lambda e: f"{type(e).__name__}{e.get_params().get('variant', '')}",
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_covariance_stays_symmetric_and_positive_over_a_hundred_thousand_rounds(learner, n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 6)) * [10, 3, 1, 1, 0.3, 0.1]
    signal = np.digitize(X @ rng.normal(size=6), [-1, 1])
    y = np.where(rng.random(len(X)) < 0.05, rng.integers(0, 3, len(X)), signal) % n_classes
    learner.set_params(covariance="full").fit(X, y)
    for Sigma in np.reshape(learner.covariance_, (-1, 6, 6)):
        np.testing.assert_array_equal(Sigma, Sigma.T)
        assert np.linalg.eigvalsh(Sigma / np.abs(Sigma).max())[0] > 0


@pytest.mark.parametrize(
    "learner",
    [once_in_order(OnlinePerceptron), once_in_order(PassiveAggressive, variant=0)],
    ids=lambda e: type(e).__name__,
)
def test_mistakes_on_separable_examples_stay_below_the_squared_inverse_of_the_margin(learner):
    rng = np.random.default_rng(0)
    for margin in (0.05, 0.1, 0.3):
        X = rng.normal(size=(20_000, 5))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        X = X[np.abs(X[:, 0]) >= margin]
        learner.fit(X, np.sign(X[:, 0]))
        assert 0 < learner.n_mistakes_ <= 1 / margin**2


def test_second_order_learners_err_less_than_first_order_ones_on_badly_scaled_features():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 10)) * np.sqrt(np.geomspace(1, 0.01, 10))
    y = np.where(X @ (rng.normal(size=10) / np.sqrt(np.geomspace(1, 0.01, 10))) > 0, 1, -1)
    y = np.where(rng.random(3000) < 0.1, -y, y)
    first = min(
        e.fit(X, y).n_mistakes_
        for e in (
            once_in_order(OnlinePerceptron),
            once_in_order(PassiveAggressive, 0.1),
            once_in_order(PassiveAggressive, 1.0),
        )
    )
    second = [
        once_in_order(AROW, covariance="full"),
        once_in_order(NormalHerd, covariance="full"),
        once_in_order(SoftConfidenceWeighted, 0.1, covariance="full"),
    ]
    assert all(e.fit(X, y).n_mistakes_ < first for e in second)
