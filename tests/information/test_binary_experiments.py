"""Divergences, proper losses, ROC and risk curves: each against its definition and against the others."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score, roc_curve

from treatise.information import (
    FDivergence,
    ProperLoss,
    cost_curve,
    optimal_roc,
    pinsker_kl,
    plot_roc_and_risk,
    plot_variation_bounds,
    risk_curve,
    risk_to_roc,
    roc_to_risk,
    statistical_information,
)

P, Q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
VALUES = {
    "variation": 0.6, "kl": 0.2748872196, "triangular": 0.2571428571, "jensen_shannon": 0.0664143144,
    "arithmetic_geometric": 0.0710292954, "jeffreys": 0.5497744391, "hellinger": 0.1350889359, "pearson": 0.63,
    "symmetric_pearson": 1.26,
}  # fmt: skip
NAMES = tuple(VALUES)
SMOOTH = NAMES[1:]
SYMMETRIC = [name for name in NAMES if name not in ("kl", "pearson")]
FUNCTIONS = {
    "variation": lambda t: np.abs(t - 1),
    "kl": lambda t: t * np.log(t),
    "triangular": lambda t: (t - 1) ** 2 / (t + 1),
    "jensen_shannon": lambda t: t / 2 * np.log(t) - (t + 1) / 2 * np.log((t + 1) / 2),
    "arithmetic_geometric": lambda t: (t + 1) / 2 * np.log((t + 1) / (2 * np.sqrt(t))),
    "jeffreys": lambda t: (t - 1) * np.log(t),
    "hellinger": lambda t: (np.sqrt(t) - 1) ** 2,
    "pearson": lambda t: (t - 1) ** 2,
    "symmetric_pearson": lambda t: (t - 1) ** 2 * (t + 1) / t,
}
CLOSED_BOUNDS = {
    "variation": lambda v: v,
    "triangular": lambda v: v**2 / 2,
    "jensen_shannon": lambda v: (0.5 - v / 4) * np.log(2 - v) + (0.5 + v / 4) * np.log(2 + v) - np.log(2),
    "arithmetic_geometric": lambda v: np.log(4 / np.sqrt(4 - v**2)) - np.log(2),
    "jeffreys": lambda v: v * np.log((2 + v) / (2 - v)),
    "hellinger": lambda v: 2 - np.sqrt(4 - v**2),
    "pearson": lambda v: np.where(v < 1, v**2, v / (2 - v)),
    "symmetric_pearson": lambda v: 8 * v**2 / (4 - v**2),
}


def _pairs(count, outcomes=4, seed=0):
    rng = np.random.default_rng(seed)
    spread = rng.uniform(0.1, 3.0, size=(2, count, 1))
    draws = rng.standard_gamma(spread * np.ones(outcomes)) + 1e-12
    return draws / draws.sum(axis=-1, keepdims=True)


def _from_its_weight(divergence):
    weight = None if divergence.name == "variation" else divergence.weight
    return FDivergence.from_weight(weight, atoms=divergence.atoms)


def _risk_gain(pi, p, q):
    """What the best rule gains over the commoner class, from its definition (Theorem 12)."""
    return min(pi, 1 - pi) - np.minimum(pi * p, (1 - pi) * q).sum()


@pytest.mark.parametrize("name", NAMES)
def test_a_divergence_has_its_value_from_f_from_its_weight_and_from_the_risk_curve(name):
    direct = FDivergence(name)
    others = [direct, FDivergence.from_function(FUNCTIONS[name]), _from_its_weight(direct)]
    # The values have ten digits.
    np.testing.assert_allclose([other.between(P, Q) for other in others], VALUES[name], atol=6e-11)
    corners = roc_to_risk(*optimal_roc(P, Q))
    assert direct.of_risk_curve(*corners) == pytest.approx(VALUES[name], abs=6e-11)


@pytest.mark.parametrize("name", SMOOTH)
def test_a_divergence_is_the_weighted_integral_of_risk_gains(name):
    divergence = FDivergence(name)
    kinks = Q / (P + Q)
    integral, _ = quad(
        lambda pi: _risk_gain(pi, P, Q) * float(divergence.weight(pi)), kinks.min(), kinks.max(),
        points=[0.5], epsabs=1e-12,
    )  # fmt: skip
    assert integral == pytest.approx(float(divergence.between(P, Q)), abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_f_and_weight_lead_back_to_each_other(name):
    divergence, t = FDivergence(name), np.exp(np.linspace(-4, 4, 41))
    np.testing.assert_allclose(divergence(t), FUNCTIONS[name](t), rtol=1e-12, atol=1e-14)
    again = _from_its_weight(divergence)(t) - divergence(t)
    # Equal but for a multiple of t - 1.
    np.testing.assert_allclose(again - again[-1] * (t - 1) / (t[-1] - 1), 0.0, atol=1e-9)
    if name != "variation":
        pi = np.linspace(0.05, 0.95, 19)
        np.testing.assert_allclose(
            FDivergence.from_function(FUNCTIONS[name]).weight(pi), divergence.weight(pi), rtol=1e-6
        )


def test_two_divergences_agree_with_scipy_in_batches():
    p, q = _pairs(200)
    np.testing.assert_allclose(FDivergence("kl").between(p, q), entropy(p, q, axis=1), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(
        FDivergence("jensen_shannon").between(p, q), jensenshannon(p, q, axis=1) ** 2, rtol=1e-9, atol=1e-14
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_dual_exchanges_the_arguments_and_symmetry_is_found(name):
    p, q = _pairs(50)
    divergence = FDivergence(name)
    np.testing.assert_allclose(divergence.dual().between(p, q), divergence.between(q, p), rtol=1e-9)
    assert divergence.is_symmetric() == (name in SYMMETRIC)
    np.testing.assert_allclose(divergence.dual().weight([0.2, 0.7]), divergence.weight([0.8, 0.3]))


def test_a_missing_outcome_gives_the_limit_of_each_divergence():
    apart = {name: float(FDivergence(name).between([1, 0, 0], [0, 1, 0])) for name in NAMES}
    assert apart["variation"] == apart["triangular"] == apart["hellinger"] == 2
    assert apart["jensen_shannon"] == pytest.approx(np.log(2))
    assert [name for name in NAMES if np.isinf(apart[name])] == [
        "kl", "arithmetic_geometric", "jeffreys", "pearson", "symmetric_pearson"
    ]  # fmt: skip
    kl = FDivergence("kl")
    assert kl.between([1, 0], [0.5, 0.5]) == pytest.approx(np.log(2)) and kl.between([0.5, 0.5], [1, 0]) == np.inf
    for name in NAMES:  # the limits that are looked for
        found, known = FDivergence.from_function(FUNCTIONS[name]), FDivergence(name)
        for p, q in (([1, 0], [0.5, 0.5]), ([0.5, 0.5], [1, 0])):
            assert found.between(p, q) == pytest.approx(float(known.between(p, q))), name


def test_the_least_kl_has_the_known_values_and_is_fedotovs_curve():
    np.testing.assert_allclose(
        pinsker_kl([0.5, 1.0, 1.5, 1.9]), [0.1267966535, 0.5322979089, 1.3397021629, np.log(20)], atol=6e-11
    )
    t = np.geomspace(0.05, 12, 200)
    coth = 1 / np.tanh(t)
    v = t * (1 - (coth - 1 / t) ** 2)
    kl = np.log(t / np.sinh(t)) + t * coth - (t / np.sinh(t)) ** 2
    np.testing.assert_allclose(pinsker_kl(v), kl, atol=1e-9)
    v = np.linspace(0, 2, 201)
    assert (pinsker_kl(v) >= v**2 / 2 + v**4 / 36 - 1e-15).all()
    assert pinsker_kl(0) == 0 and pinsker_kl(2) == np.inf


@pytest.mark.parametrize("name", CLOSED_BOUNDS)
def test_the_least_divergence_at_a_variation_is_the_closed_form(name):
    v = np.linspace(0.0, 1.99, 60)
    np.testing.assert_allclose(FDivergence(name).least(variation=v), CLOSED_BOUNDS[name](v), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(
        _from_its_weight(FDivergence(name)).least(variation=v), CLOSED_BOUNDS[name](v), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("name", NAMES)
def test_no_pair_of_distributions_is_below_the_bound_and_some_pair_attains_it(name):
    divergence = FDivergence(name)
    p, q = _pairs(100_000)
    bound = divergence.least(variation=np.abs(p - q).sum(axis=-1))
    assert (divergence.between(p, q) >= bound * (1 - 1e-9) - 1e-12).all()
    v = np.linspace(0, 1.95, 40)
    if name in SYMMETRIC:
        two = np.stack([(2 + v) / 4, (2 - v) / 4], axis=-1)
        np.testing.assert_allclose(divergence.between(two, two[:, ::-1]), divergence.least(variation=v), atol=1e-12)
    else:
        first = np.linspace(0, 1, 4001)
        for each in v[5::10]:
            second = first - each / 2
            inside = second >= 0
            pair = [np.stack([x[inside], 1 - x[inside]], axis=-1) for x in (first, second)]
            closest = divergence.between(*pair).min()
            least = divergence.least(variation=each)
            assert least <= closest <= least * (1 + 1e-5) + 1e-7  # the grid misses the best pair by half a step


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("error")
def test_risks_at_more_priors_raise_the_bound_to_the_divergence(name):
    divergence = FDivergence(name)
    rng = np.random.default_rng(3)
    p, q = rng.dirichlet(np.ones(30), 2)
    corners = optimal_roc(p, q)
    grids = [np.arange(1, 2**k) / 2**k for k in (1, 2, 3, 5, 7)]
    bounds = [divergence.least(priors=grid, risks=roc_to_risk(*corners, grid)) for grid in grids]
    true = float(divergence.between(p, q))
    assert bounds[0] == pytest.approx(float(divergence.least(variation=np.abs(p - q).sum())), rel=1e-6)
    assert all(later >= earlier * (1 - 1e-6) for earlier, later in itertools.pairwise(bounds))
    assert bounds[-1] <= true * (1 + 1e-9)
    if name not in ("pearson", "symmetric_pearson"):  # whose weights grow fastest beyond the outermost priors
        assert bounds[-1] >= 0.98 * true
    highest = divergence.of_risk_curve(grids[2], roc_to_risk(*corners, grids[2]))
    assert bounds[2] * (1 - 1e-9) <= true <= highest * (1 + 1e-9)


@pytest.mark.filterwarnings("ignore:the least divergence is known")
def test_risks_that_leave_no_choice_or_no_overlap_have_their_value():
    x = np.linspace(-9, 10, 2001)
    p, q = np.exp(-0.5 * (x - 1) ** 2), np.exp(-0.5 * x**2)
    p, q = p / p.sum(), q / q.sum()
    fpr, tpr = optimal_roc(p, q)
    priors = np.arange(1, 512) / 512  # some lie on one straight piece of the curve
    for name in SMOOTH:
        divergence = FDivergence(name)
        true = float(divergence.between(p, q))
        bound = divergence.least(priors=priors, risks=roc_to_risk(fpr, tpr, priors))
        assert 0.97 * true < bound <= true * (1 + 1e-9), name
    assert FDivergence("kl").least(priors=[0.3, 0.5], risks=[0, 0]) == np.inf
    assert FDivergence("hellinger").least(priors=[0.3, 0.5], risks=[0, 0]) == 2
    assert FDivergence("kl").least(priors=[0.3, 0.5], risks=[0.3, 0.5]) == pytest.approx(0, abs=1e-12)
    assert FDivergence("kl").least(priors=[0.0, 1.0], risks=[0, 0]) == 0


def test_the_bound_from_risks_is_the_least_over_a_grid_of_three_outcomes():
    kl = FDivergence("kl")
    priors, risks = np.array([0.35, 0.6]), np.array([0.22, 0.27])
    bound = kl.least(priors=priors, risks=risks)
    # Corners of the ROC curve lie on the lines of the two risks; the slopes are searched on a grid.
    slopes = np.meshgrid(np.linspace(-0.675, 0.25, 400), np.linspace(-0.675, 0.628, 400), indexing="ij")
    a2, a1 = slopes[0].ravel(), slopes[1].ravel()
    fpr = np.stack([0 * a1, risks[0] - a1 * priors[0], risks[1] - a2 * priors[1], 0 * a1 + 1], axis=-1)
    tpr = np.stack(
        [0 * a1, 1 - risks[0] - a1 * (1 - priors[0]), 1 - risks[1] - a2 * (1 - priors[1]), 0 * a1 + 1], axis=-1
    )
    p, q = np.diff(tpr), np.diff(fpr)
    kept = (p > 0).all(axis=1) & (q > 0).all(axis=1)
    found = kl.between(p[kept], q[kept]).min()
    assert bound <= found <= bound * 1.001


def test_a_divergence_bounds_the_variation_and_with_it_the_error_rate():
    for name in NAMES:
        divergence = FDivergence(name)
        v = np.linspace(0.05, 1.9, 8)
        np.testing.assert_allclose(divergence.greatest_variation(divergence.least(variation=v)), v, atol=1e-6)
        p, q = _pairs(2000, seed=4)
        variation = np.abs(p - q).sum(axis=-1)
        assert (divergence.greatest_variation(divergence.between(p, q)) >= variation - 1e-7).all()
    assert FDivergence("hellinger").greatest_variation(2.0) == 2.0 and FDivergence("kl").greatest_variation(np.inf) == 2


@pytest.mark.parametrize(
    ("name", "positive", "negative"),
    [
        ("square", lambda e: (1 - e) ** 2 / 2, lambda e: e**2 / 2),
        ("log", lambda e: -np.log(e), lambda e: -np.log(1 - e)),
        ("boosting", lambda e: np.sqrt((1 - e) / e), lambda e: np.sqrt(e / (1 - e))),
    ],
)
def test_a_loss_follows_from_its_weight_and_from_its_bayes_risk(name, positive, negative):
    loss, eta = ProperLoss(name), np.concatenate([np.geomspace(1e-10, 0.5, 40), 1 - np.geomspace(1e-6, 0.4, 40)])
    again = ProperLoss.from_weight(loss.weight)
    assert loss.is_fair and again.is_fair
    ones, zeros = np.ones_like(eta), np.zeros_like(eta)
    for other, digits in ((loss, 1e-12), (again, 1e-10)):
        np.testing.assert_allclose(other(ones, eta), positive(eta), rtol=digits, atol=digits)
        np.testing.assert_allclose(other(zeros, eta), negative(eta), rtol=digits, atol=digits)
    savage = ProperLoss.from_bayes_risk(loss.bayes_risk)
    inside = np.linspace(0.01, 0.99, 99)
    np.testing.assert_allclose(savage(np.ones(99), inside), positive(inside), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(savage.weight([0.2, 0.5]), loss.weight([0.2, 0.5]), rtol=1e-7)


def test_the_savage_identity_and_the_bregman_integral_hold():
    eta, proba = np.meshgrid(np.linspace(0.05, 0.95, 10), np.linspace(0.03, 0.97, 11))
    for loss in (ProperLoss("log"), ProperLoss("boosting"), FDivergence("kl").loss(0.3), FDivergence("pearson").loss()):
        step = 1e-6
        slope = (loss.bayes_risk(proba + step) - loss.bayes_risk(proba - step)) / (2 * step)
        expected = loss.bayes_risk(proba) + (eta - proba) * slope
        np.testing.assert_allclose(loss.risk(eta, proba), expected, rtol=1e-6, atol=1e-6)
    log = ProperLoss("log")
    for e, h in ((0.2, 0.7), (0.9, 0.4)):
        integral, _ = quad(lambda c, e=e: abs(e - c) * float(log.weight(c)), min(e, h), max(e, h))
        assert float(log.regret(e, h)) == pytest.approx(integral, abs=1e-10)
    assert (log.regret(eta, eta) == 0).all()


def test_a_loss_is_the_weighted_sum_of_cost_weighted_losses():
    weight = lambda c: 1 + 3 * c**2  # noqa: E731
    loss = ProperLoss.from_weight(weight, atoms=[(0.3, 0.5)])
    costs = (np.arange(20_000) + 0.5) / 20_000
    for y in (0, 1):
        for proba in (0.1, 0.29, 0.31, 0.8):
            parts = np.where(y == 1, (1 - costs) * (proba < costs), costs * (proba >= costs))
            extra = 0.5 * float(ProperLoss.cost_weighted(0.3)(y, proba))
            assert float(loss(y, proba)) == pytest.approx(np.mean(parts * weight(costs)) + extra, abs=3e-4)


def test_losses_agree_with_scikit_learn():
    rng = np.random.default_rng(0)
    proba = rng.uniform(0.01, 0.99, 300)
    y = (rng.uniform(size=300) < proba).astype(int)
    assert ProperLoss("log")(y, proba).mean() == pytest.approx(log_loss(y, proba), rel=1e-12)
    assert ProperLoss("square")(y, proba).mean() == pytest.approx(brier_score_loss(y, proba) / 2, rel=1e-12)
    assert ProperLoss("zero_one")(y, proba).mean() == pytest.approx(np.mean((proba >= 0.5) != y))
    shares = log_loss(y, np.full(300, y.mean())) - log_loss(y, proba)
    assert statistical_information(y, proba) == pytest.approx(shares, rel=1e-10)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("prior", [0.5, 0.2])
def test_the_information_of_a_divergences_loss_is_the_divergence_and_leads_back(name, prior):
    divergence = FDivergence(name)
    loss = divergence.loss(prior)
    p, q = _pairs(30, seed=1)
    mixture = prior * p + (1 - prior) * q
    eta = prior * p / mixture
    information = loss.bayes_risk(prior) - (mixture * loss.bayes_risk(eta)).sum(axis=-1)
    np.testing.assert_allclose(information, divergence.between(p, q), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(loss.information(p, q, prior), divergence.between(p, q), rtol=1e-8, atol=1e-12)
    if name == "variation":
        assert loss.divergence(prior).atoms[0] == pytest.approx((0.5, 4.0))
    else:
        pi = np.linspace(0.1, 0.9, 9)
        np.testing.assert_allclose(loss.divergence(prior).weight(pi), divergence.weight(pi), rtol=1e-10)
        nu = (1 - pi) * prior + (1 - prior) * pi
        theorem = prior * (1 - prior) / nu**3 * divergence.weight((1 - pi) * prior / nu)
        np.testing.assert_allclose(loss.weight(pi), theorem, rtol=1e-10)


def test_a_classifier_with_the_true_probabilities_estimates_a_divergence():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 200_000)
    x = rng.normal(size=len(y)) + y
    proba = 1 / (1 + np.exp(0.5 - x))
    for name, true in (("jeffreys", 1.0), ("hellinger", 2 - 2 * np.exp(-1 / 8))):
        estimate = statistical_information(y, proba, FDivergence(name).loss(y.mean()))
        assert estimate == pytest.approx(true, abs=0.02)  # five standard errors


def test_the_regret_bound_is_the_least_over_all_probabilities_and_is_attained():
    # Theorem 25 prints the larger of two terms; the smaller is attained.
    log = ProperLoss("log")
    assert float(log.least_regret(0.2, 0.3)) == pytest.approx(0.0871767, abs=1e-6)
    assert float(log.regret(0.5, np.nextafter(0.3, 0))) == pytest.approx(float(log.least_regret(0.2, 0.3)), rel=1e-9)
    grid = np.linspace(0.001, 0.999, 999)
    eta, proba = np.meshgrid(grid, grid, indexing="ij")
    for loss in (log, ProperLoss("square"), ProperLoss("boosting"), FDivergence("kl").loss(0.4)):
        for cost in (0.5, 0.3, 0.85):
            decision = ProperLoss.cost_weighted(cost).regret(eta, proba)
            known = decision > 0
            bound = loss.least_regret(decision[known], cost)
            regret = loss.regret(eta[known], proba[known])
            assert (regret >= bound * (1 - 1e-9) - 1e-12).all()
            assert (regret / bound).min() < 1.05


def test_regret_bounds_invert_and_have_the_symmetric_form():
    alpha = np.linspace(0, 0.5, 21)
    for name in ("log", "square", "boosting"):
        loss = ProperLoss(name)
        bound = loss.least_regret(alpha)
        np.testing.assert_allclose(bound, loss.bayes_risk(0.5) - loss.bayes_risk(0.5 + alpha), atol=1e-12)
        assert (bound >= loss.weight(0.5) / 2 * alpha**2 - 1e-12).all()
        np.testing.assert_allclose(loss.greatest_cost_regret(bound), alpha, atol=1e-7)
    assert ProperLoss("zero_one").least_regret(0.1) == pytest.approx(0.2)
    assert ProperLoss("log").greatest_cost_regret(np.log(2)) == 0.5


def test_roc_and_risk_curves_lead_to_each_other_and_to_scikit_learns():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    score = np.round(rng.normal(size=400) + y, 1)
    fpr, tpr, thresholds = roc_curve(y, score, drop_intermediate=False)
    priors = np.linspace(0, 1, 101)
    brute = np.min([(1 - priors) * f + priors * (1 - t) for f, t in zip(fpr, tpr)], axis=0)
    np.testing.assert_allclose(roc_to_risk(fpr, tpr, priors), brute, atol=1e-12)
    np.testing.assert_allclose(risk_curve(y, score, priors), brute, atol=1e-12)
    at = int(np.argmax(tpr - fpr))
    error = 0.5 * np.mean(score[y == 0] >= thresholds[at]) + 0.5 * np.mean(score[y == 1] < thresholds[at])
    assert float(risk_curve(y, score, 0.5)) == pytest.approx(error)
    corners, risks = roc_to_risk(fpr, tpr)
    again = risk_to_roc(corners, risks)
    np.testing.assert_allclose(roc_to_risk(*again, priors), brute, atol=1e-12)
    hull = np.interp(fpr, *again)
    assert (hull >= tpr - 1e-12).all()
    costs = np.linspace(0, 1, 11)
    lines = np.min([0.7 * costs * f + 0.3 * (1 - costs) * (1 - t) for f, t in zip(fpr, tpr)], axis=0)
    np.testing.assert_allclose(cost_curve(fpr, tpr, costs, prior=0.3), lines, atol=1e-12)


def test_a_parabola_of_risks_has_the_papers_roc_curve():
    priors, alpha = np.linspace(0, 1, 20_001), np.linspace(0.001, 1, 50)
    for gamma in (0.1, 0.5, 1.0):
        r = np.minimum(np.sqrt(alpha / gamma), 1)
        # The square of r is missing in the text of Section 6.3, which would give rates above one.
        expected = (alpha + gamma * r**2 + r * (1 - alpha - gamma)) / r
        found = risk_to_roc(priors, gamma * priors * (1 - priors), alpha)
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_best_roc_curve_belongs_to_the_likelihood_ratio():
    fpr, tpr = optimal_roc(P, Q)
    rng = np.random.default_rng(1)
    for _ in range(20):
        score = rng.normal(size=3)
        order = np.argsort(-score)
        assert (np.interp(np.cumsum(Q[order]), fpr, tpr) >= np.cumsum(P[order]) - 1e-12).all()
    area = np.trapezoid(tpr, fpr)
    # The area is a half plus a quarter of the variation of the products (the paper leaves both numbers out).
    product = np.abs(np.outer(P, Q) - np.outer(Q, P)).sum()
    assert area == pytest.approx(0.5 + product / 4)
    rows = np.repeat(np.arange(3), 10)
    labels = np.concatenate([np.repeat([1, 0], [round(10 * P[i]), round(10 * Q[i])]) for i in range(3)])
    rows = np.concatenate([np.full(round(10 * (P[i] + Q[i])), i) for i in range(3)])
    assert area == pytest.approx(roc_auc_score(labels, -rows))
    assert FDivergence("kl").of_roc(fpr, tpr) == pytest.approx(VALUES["kl"], abs=6e-11)


def test_a_weight_with_jumps_and_masses_needs_only_its_places():
    low = 0.1
    cut = FDivergence.from_weight(
        lambda pi: np.where((pi >= low) & (pi <= 1 - low), 1 / (pi**2 * (1 - pi)), 0.0), breaks=[low, 1 - low]
    )
    # Footnote 19: t ln t between two tangents.
    ratio = low / (1 - low)

    def f(t):
        below, above = t * (np.log(ratio) + 1) - ratio, t * (1 - np.log(ratio)) - 1 / ratio
        return np.where(t < ratio, below, np.where(t > 1 / ratio, above, t * np.log(t)))

    p, q = _pairs(50, seed=6)
    np.testing.assert_allclose(cut.between(p, q), FDivergence.from_function(f).between(p, q), atol=1e-10)
    assert (cut.between(p, q) <= FDivergence("kl").between(p, q) + 1e-12).all()
    assert float(cut.between([1, 0], [0, 1])) < np.inf


def test_what_cannot_be_is_refused_with_its_value():
    kl, log = FDivergence("kl"), ProperLoss("log")
    refused = [
        (lambda: FDivergence("kullback"), "no divergence is called 'kullback'"),
        (lambda: kl.between([0.5, 0.6], [0.5, 0.5]), "p sums to 1.1"),
        (lambda: kl.between([0.5, 0.5], [1.5, -0.5]), "q holds a mass that is negative"),
        (lambda: kl.between([np.nan, 1], [0.5, 0.5]), "p holds a mass"),
        (lambda: kl.between([0.5, 0.5], [1.0]), "2 outcomes and q 1"),
        (lambda: kl.between([], []), "holds no outcomes"),
        (lambda: kl.least(variation=2.1), "outside"),
        (lambda: kl.least(variation=np.nan), "outside"),
        (lambda: kl.least(), "give either"),
        (lambda: kl.least(priors=[0.5], risks=[0.6]), "0.6 at the prior 0.5 is not possible"),
        (lambda: kl.least(priors=[0.25, 0.5, 0.75], risks=[0.2, 0.1, 0.2]), "lies below the line"),
        (lambda: kl.least(priors=[0.5, 0.5], risks=[0.1, 0.1]), "given twice"),
        (lambda: kl.greatest_variation(-1), "not negative"),
        (lambda: kl.weight(0.0), "strictly between"),
        (lambda: kl.loss(1.0), "strictly between"),
        (lambda: FDivergence.from_function(lambda t: -(t**2)), "not convex near"),
        (lambda: FDivergence.from_function(lambda t: np.log(t) * np.nan), "finite values"),
        (lambda: FDivergence.from_weight(lambda pi: pi - 0.5), "not negative inside"),
        (lambda: FDivergence.from_weight(atoms=[(1.0, 2.0)]), "places in"),
        (lambda: FDivergence.from_weight(), "neither a weight"),
        (lambda: ProperLoss("logg"), "no loss is called"),
        (lambda: ProperLoss.from_bayes_risk(lambda c: c**2), "not concave near"),
        (lambda: ProperLoss.cost_weighted(1.0), "strictly between"),
        (lambda: log([0, 2], [0.5, 0.5]), "labels are 0 and 1"),
        (lambda: log([0, 1], [0.5, 1.5]), "outside"),
        (lambda: log.least_regret(0.6), "between 0 and 0.5"),
        (lambda: kl.loss().regret(1.0, 0.5), "keep eta inside"),
        (lambda: statistical_information([1, 1], [0.5, 0.5]), "all labels are the same"),
        (lambda: roc_to_risk([0.3, 0.1], [0.4, 0.5]), "rise together"),
        (lambda: roc_to_risk([0.3], [1.4]), "outside"),
        (lambda: risk_curve([0, 1, 2], [0, 1, 2]), "3 classes"),
    ]  # fmt: skip
    for call, words in refused:
        with pytest.raises(ValueError, match=words):
            call()


def test_the_pictures_draw_the_curves_that_they_name():
    left, right = plot_roc_and_risk([0.1], [0.8], prior=0.3)
    assert left.lines[1].get_ydata().max() == pytest.approx(roc_to_risk([0.1], [0.8])[1].max())
    assert right.get_title().endswith(f"{float(roc_to_risk([0.1], [0.8], 0.3)):.3f}")
    ax = plot_variation_bounds(["kl"])
    np.testing.assert_allclose(ax.lines[0].get_ydata(), pinsker_kl(ax.lines[0].get_xdata()))
