"""Every rule for two classes against a plain loop in the notation of its own paper."""

import numpy as np
import pytest
from scipy.special import ndtri
from single_pass import once_in_order

from treatise.online import (
    ALMA,
    AROW,
    NAROW,
    ROMMA,
    ConfidenceWeighted,
    ImprovedEllipsoid,
    NormalHerd,
    OnlineGradientDescent,
    OnlinePerceptron,
    PassiveAggressive,
    SecondOrderPerceptron,
    SoftConfidenceWeighted,
)


@pytest.fixture(scope="module")
def stream():
    """Labels that a plane through the origin explains but for a tenth; correlated features, a third of them zero."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 7)) @ rng.normal(size=(7, 7)) * (rng.random((500, 7)) > 0.35)
    y = np.where(X @ rng.normal(size=7) + 0.3 * rng.normal(size=500) > 0, 1, -1)
    return X, np.where(rng.random(500) < 0.1, -y, y)


def sign(f):
    return 1 if f >= 0 else -1


def first_order(X, y, rule):
    """Mistakes, rounds with a loss and last weights; ``rule`` gives the loss and the new weights."""
    w, mistakes, updates = np.zeros(X.shape[1]), 0, 0
    for t, (x, label) in enumerate(zip(X, y), 1):
        mistakes += sign(w @ x) != label
        loss, w = rule(w, x, label, t)
        updates += loss
    return mistakes, updates, w


def perceptron(w, x, y, t):
    return (True, w + y * x) if sign(w @ x) != y else (False, w)


def romma(aggressive):
    def rule(w, x, y, t):
        f, s, q = w @ x, x @ x, w @ w
        if not (y * f < 1 if aggressive else sign(f) != y):
            return False, w
        if q == 0:
            return True, y * x / s
        # The shortest w' with y w'.x >= 1 and w'.w >= w.w, by trying both sets of binding constraints.
        alone = y * x / s
        if alone @ w >= q:
            return True, alone
        determinant = s * q - f * f
        return True, (s * q - y * f) / determinant * w + q * (y - f) / determinant * x

    return rule


def alma(alpha, B, C):
    k = 1

    def rule(w, x, y, t):
        nonlocal k
        if y * (w @ x) >= (1 - alpha) * B / np.sqrt(k):
            return False, w
        w = w + C / np.sqrt(k) * y * x
        k += 1
        return True, w / max(1.0, np.linalg.norm(w))

    return rule


def gradient(loss, C):
    def rule(w, x, y, t):
        f = w @ x
        value, slope = {
            "hinge": (max(0.0, 1 - y * f), -y if y * f < 1 else 0.0),
            "zero_one": (float(sign(f) != y), -y if sign(f) != y else 0.0),
            "log_loss": (np.log1p(np.exp(-y * f)), -y / (1 + np.exp(y * f))),
            "squared_error": (0.5 * (f - y) ** 2, f - y),
        }[loss]
        return value > 0, w - C / np.sqrt(t) * slope * x

    return rule


def passive_aggressive(variant, C):
    def rule(w, x, y, t):
        loss, s = max(0.0, 1 - y * (w @ x)), x @ x
        tau = {0: loss / s, 1: min(C, loss / s), 2: loss / (s + 1 / (2 * C))}[variant]
        return loss > 0, w + tau * y * x

    return rule


FIRST_ORDER = {
    "Perceptron": (once_in_order(OnlinePerceptron), lambda: perceptron),
    "ROMMA": (once_in_order(ROMMA), lambda: romma(False)),
    "aROMMA": (once_in_order(ROMMA, aggressive=True), lambda: romma(True)),
    "ALMA": (once_in_order(ALMA, radius=1.0), lambda: alma(0.9, 1 / 0.9, np.sqrt(2))),
    "ALMA, B and C": (once_in_order(ALMA, 0.6, C=0.3, B=2.5, radius=1.0), lambda: alma(0.6, 2.5, 0.3)),
    "OGD": (once_in_order(OnlineGradientDescent, 0.5), lambda: gradient("hinge", 0.5)),
    "OGD zero-one": (once_in_order(OnlineGradientDescent, 0.5, loss="zero_one"), lambda: gradient("zero_one", 0.5)),
    "OGD logistic": (once_in_order(OnlineGradientDescent, 0.5, loss="log_loss"), lambda: gradient("log_loss", 0.5)),
    "OGD squared": (
        once_in_order(OnlineGradientDescent, 0.05, loss="squared_error"),
        lambda: gradient("squared_error", 0.05),
    ),
    "PA": (once_in_order(PassiveAggressive, variant=0), lambda: passive_aggressive(0, 1.0)),
    "PA-I": (once_in_order(PassiveAggressive, 0.05), lambda: passive_aggressive(1, 0.05)),
    "PA-II": (once_in_order(PassiveAggressive, 0.05, variant=2), lambda: passive_aggressive(2, 0.05)),
}


@pytest.mark.parametrize("name", FIRST_ORDER)
def test_first_order_rule_makes_exactly_the_mistakes_of_a_plain_loop(stream, name):
    X, y = stream
    learner, rule = FIRST_ORDER[name]
    mistakes, updates, w = first_order(X, y, rule())
    learner.fit(X, y)
    assert (learner.n_mistakes_, learner.n_updates_, learner.n_seen_) == (mistakes, updates, len(y))
    # Sums in another order; ROMMA on labels that no plane explains multiplies rounding errors.
    np.testing.assert_allclose(learner.coef_[0], w, rtol=1e-6 if "ROMMA" in name else 1e-10, atol=1e-12)


def test_alma_on_long_examples_keeps_its_weights_though_their_scale_shrinks_below_all_numbers(stream):
    """Each update divides the weights by about their length, a million; in 500 rounds that passes 1e-308."""
    X, y = stream
    mistakes, updates, w = first_order(1e6 * X, y, alma(0.9, 1 / 0.9, np.sqrt(2)))
    learner = once_in_order(ALMA, radius=1.0).fit(1e6 * X, y)
    assert (learner.n_mistakes_, learner.n_updates_) == (mistakes, updates)
    np.testing.assert_allclose(learner.coef_[0], w, atol=1e-12)


def second_order(X, y, rule, diagonal, a=1.0):
    """Mean and covariance; ``rule`` gives loss, alpha and beta of w += alpha y Sigma x, Sigma -= beta Sigma x x' Sigma.

    A diagonal covariance keeps the diagonal of the precision, which grows by beta / (1 - beta v) x x'.
    """
    d = X.shape[1]
    w, Sigma, mistakes, updates = np.zeros(d), np.eye(d) / a, 0, 0
    for x, label in zip(X, y):
        Sx = Sigma @ x
        f, v = w @ x, x @ Sx
        mistakes += sign(f) != label
        loss, alpha, beta, *growth = rule(label * f, v, sign(f) != label)
        updates += loss
        w = w + alpha * label * Sx
        if diagonal:
            Sigma = np.diag(1 / (1 / np.diag(Sigma) + beta / (1 - beta * v) * x**2))
        else:
            Sigma = Sigma - beta * np.outer(Sx, Sx)
        if growth:
            Sigma = Sigma * growth[0]
    return mistakes, updates, w, np.diag(Sigma) if diagonal else Sigma


def confident(eta, C=None, variant=0):
    phi = ndtri(eta)
    psi, xi = 1 + phi**2 / 2, 1 + phi**2

    def rule(m, v, wrong):
        if phi * np.sqrt(v) - m <= 0:
            return False, 0.0, 0.0
        if variant < 2:
            alpha = max(0, (-m * psi + np.sqrt(m**2 * phi**4 / 4 + v * phi**2 * xi)) / (v * xi))
            alpha = alpha if C is None else min(alpha, C)
        else:
            n = v + 1 / (2 * C)
            root = np.sqrt(phi**4 * m**2 * v**2 + 4 * n * v * phi**2 * (n + v * phi**2))
            alpha = max(0, (-(2 * m * n + phi**2 * m * v) + root) / (2 * (n**2 + n * v * phi**2)))
        u = 0.25 * (-alpha * v * phi + np.sqrt(alpha**2 * v**2 * phi**2 + 4 * v)) ** 2
        return True, alpha, alpha * phi / (np.sqrt(u) + v * alpha * phi)

    return rule


def arow(r):
    return lambda m, v, wrong: (True, (1 - m) / (v + r), 1 / (v + r)) if m < 1 else (False, 0.0, 0.0)


def narow(b):
    def rule(m, v, wrong):
        if m >= 1:
            return False, 0.0, 0.0
        r = v / (b * v - 1) if v > 1 / b else np.inf
        return True, (1 - m) / (v + r), 1 / (v + r)

    return rule


def herd(C):
    def rule(m, v, wrong):
        beta = 1 / (v + 1 / C)
        return (True, (1 - m) * beta, beta**2 * (v + 2 / C)) if m < 1 else (False, 0.0, 0.0)

    return rule


def ellipsoid(b, c):
    def rule(m, v, wrong):
        nonlocal c
        depth, c = c, b * c
        return (True, (1 - m) / v, depth / v, 1 / (1 - depth)) if wrong and v > 0 else (wrong, 0.0, 0.0)

    return rule


SECOND_ORDER = {
    "IELLIP": (once_in_order(ImprovedEllipsoid), lambda: ellipsoid(0.3, 0.1)),
    "IELLIP, slow": (once_in_order(ImprovedEllipsoid, 0.95, c=0.4), lambda: ellipsoid(0.95, 0.4)),
    "CW": (once_in_order(ConfidenceWeighted, 0.7), lambda: confident(0.7)),
    "SCW-I": (once_in_order(SoftConfidenceWeighted, 0.2, eta=0.75), lambda: confident(0.75, 0.2, 1)),
    "SCW-II": (once_in_order(SoftConfidenceWeighted, 0.2, eta=0.9, variant=2), lambda: confident(0.9, 0.2, 2)),
    "AROW": (once_in_order(AROW, 0.7), lambda: arow(0.7)),
    "NAROW": (once_in_order(NAROW, 1.5), lambda: narow(1.5)),
    "NHERD": (once_in_order(NormalHerd, 0.3), lambda: herd(0.3)),
}


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
@pytest.mark.parametrize("name", SECOND_ORDER)
def test_second_order_rule_makes_exactly_the_mistakes_of_a_plain_loop(stream, name, covariance):
    X, y = stream
    learner, rule = SECOND_ORDER[name]
    mistakes, updates, w, Sigma = second_order(X, y, rule(), covariance == "diagonal")
    learner.set_params(covariance=covariance).fit(X, y)
    assert (learner.n_mistakes_, learner.n_updates_) == (mistakes, updates)
    np.testing.assert_allclose(learner.coef_[0], w, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(learner.covariance_, Sigma, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("every_round", [False, True])
def test_second_order_perceptron_matches_its_original_form(stream, every_round):
    """The original keeps u, the sum of mistaken y x, adds the example to the covariance, then predicts."""
    X, y = stream
    u, Sigma, mistakes = np.zeros(X.shape[1]), np.eye(X.shape[1]) / 2.0, 0
    for x, label in zip(X, y):
        Sx = Sigma @ x
        tentative = Sigma - np.outer(Sx, Sx) / (1 + x @ Sx)
        if sign(u @ tentative @ x) != label:
            mistakes += 1
            u, Sigma = u + label * x, tentative
        elif every_round:
            Sigma = tentative
    learner = once_in_order(SecondOrderPerceptron, 2.0, update_every_round=every_round, covariance="full").fit(X, y)
    assert (learner.n_mistakes_, learner.n_updates_) == (mistakes, mistakes)
    np.testing.assert_allclose(learner.coef_[0], Sigma @ u, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(learner.covariance_, Sigma, rtol=1e-9, atol=1e-12)


def test_diagonal_second_order_perceptron_is_arow_on_mistakes_alone(stream):
    X, y = stream

    def rule(m, v, wrong):
        return (True, (1 - m) / (1 + v), 1 / (1 + v)) if wrong else (False, 0.0, 0.0)

    mistakes, _, w, variance = second_order(X, y, rule, True, a=2.0)
    learner = once_in_order(SecondOrderPerceptron, 2.0, covariance="diagonal").fit(X, y)
    assert learner.n_mistakes_ == mistakes
    np.testing.assert_allclose(learner.coef_[0], w, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(learner.covariance_, variance, rtol=1e-9)


def test_perceptron_equals_that_of_scikit_learn_where_no_score_is_zero(stream):
    """A first example of the first class takes the only score of zero, where the two differ, out of play."""
    from sklearn.linear_model import Perceptron

    X, y = stream
    first = np.flatnonzero(y == -1)[0]
    X, y = X[first:], y[first:]
    theirs = Perceptron(max_iter=1, shuffle=False, tol=None, fit_intercept=False).fit(X, y)
    ours = once_in_order(OnlinePerceptron).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12)


def test_a_score_of_zero_counts_as_the_second_class_in_the_walk_and_as_the_first_in_predict():
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    learner = once_in_order(OnlinePerceptron).fit(X, ["a", "b"])
    assert (learner.n_mistakes_, learner.n_updates_) == (1, 1)
    assert learner.decision_function([[0.0, 3.0]]) == [0.0]
    assert learner.predict([[0.0, 3.0]]) == ["a"]
