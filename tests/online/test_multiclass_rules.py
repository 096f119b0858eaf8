"""Every rule for more than two classes against a plain loop, and one learner per class where there is no such rule."""

import numpy as np
import pytest
from scipy.special import ndtri
from single_pass import once_in_order
from sklearn.base import clone

from treatise._core.row_arrays import rows_of
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
from treatise.online._row_loops import Stream
from treatise.online.rules.passive_aggressive import multiclass_passive_aggressive


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 6)) * (rng.random((400, 6)) > 0.3)
    y = np.argmax(X @ rng.normal(size=(6, 4)) + 0.05 * rng.normal(size=(400, 4)), axis=1)
    X[np.all(X == 0, axis=1), 0] = 1.0
    return X, y


def loop(X, y, rule, k=4):
    """Mistakes, rounds with a loss, last weights; ``rule`` changes W and Sigma in place and tells of a loss."""
    W, Sigma, mistakes, updates = np.zeros((k, X.shape[1])), np.eye(X.shape[1]), 0, 0
    for t, (x, label) in enumerate(zip(X, y), 1):
        F = W @ x
        rest = np.where(np.arange(k) == label, -np.inf, F)
        rival = int(np.argmax(rest))
        wrong = int(np.argmax(F)) != label
        mistakes += wrong
        updates += rule(W, Sigma, x, F, label, rival, F[label] - F[rival], wrong, t)
    return mistakes, updates, W, Sigma


def perceptron(share):
    def rule(W, Sigma, x, F, y, s, m, wrong, t):
        if wrong:
            E = np.flatnonzero(F[y] < F)
            W[y] += x
            if share == "max":
                W[s] -= x
            elif len(E):
                lead = F[E] - F[y]
                W[E] -= np.outer(np.full(len(E), 1 / len(E)) if share == "uniform" else lead / lead.sum(), x)
        return wrong

    return rule


def romma(aggressive):
    def rule(W, Sigma, x, F, y, s, m, wrong, t):
        if not (m < 1 if aggressive else wrong):
            return False
        N, Q = x @ x, np.sum(W * W)
        if Q == 0 or m >= 2 * N * Q:
            W *= 0
            delta = 1 / (2 * N)
        else:
            D = 2 * N * Q - m**2
            W *= (2 * N * Q - m) / D
            delta = Q * (1 - m) / D
        W[y] += delta * x
        W[s] -= delta * x
        return True

    return rule


def gradient(loss, C):
    def rule(W, Sigma, x, F, y, s, m, wrong, t):
        pull = {
            "hinge": float(m < 1),
            "zero_one": float(wrong),
            "log_loss": 1 / (1 + np.exp(m)),
            "squared_error": 1 - m,
        }[loss]
        W[y] += C / np.sqrt(t) * pull * x
        W[s] -= C / np.sqrt(t) * pull * x
        return pull != 0

    return rule


def passive_aggressive(variant, C):
    def rule(W, Sigma, x, F, y, s, m, wrong, t):
        loss, N = max(0.0, 1 - m), x @ x
        tau = {0: loss / (2 * N), 1: min(C, loss / (2 * N)), 2: loss / (2 * N + 1 / (2 * C))}[variant]
        W[y] += tau * x
        W[s] -= tau * x
        return loss > 0

    return rule


def move(W, Sigma, x, y, s, alpha, beta, diagonal):
    Sx, v = Sigma @ x, x @ Sigma @ x
    W[y] += alpha * Sx
    W[s] -= alpha * Sx
    if diagonal:
        Sigma[...] = np.diag(1 / (1 / np.diag(Sigma) + beta / (1 - beta * v) * x**2))
    else:
        Sigma -= beta * np.outer(Sx, Sx)


def confident(eta, C=None, variant=0):
    phi = ndtri(eta)
    psi = 1 + phi**2 / 2

    def at(diagonal):
        def rule(W, Sigma, x, F, y, s, m, wrong, t):
            v = x @ Sigma @ x
            if m >= phi * np.sqrt(2 * v):
                return False
            if variant < 2:
                roots = np.roots([4 * psi * v**2, 2 * (1 + psi) * m * v, m**2 - 2 * v * phi**2])
                alpha = max(roots.real)
                alpha = alpha if C is None else min(alpha, C)
            else:
                n = 2 * v + 1 / (2 * C)
                root = np.sqrt(phi**4 * m**2 * v**2 + 8 * n * v * phi**2 * (n + v * phi**2))
                alpha = max(0, (-(2 * m * n + phi**2 * m * v) + root) / (2 * (n**2 + n * v * phi**2)))
            root_u = (-alpha * v * phi + np.sqrt(alpha**2 * v**2 * phi**2 + 8 * v)) / (2 * np.sqrt(2))
            move(W, Sigma, x, y, s, alpha, alpha * phi / (np.sqrt(2) * root_u + alpha * phi * v), diagonal)
            return True

        return rule

    return at


def arow(r):
    def at(diagonal):
        def rule(W, Sigma, x, F, y, s, m, wrong, t):
            if m < 1:
                beta = 1 / (x @ Sigma @ x + r)
                move(W, Sigma, x, y, s, (1 - m) * beta, beta, diagonal)
            return m < 1

        return rule

    return at


def ellipsoid(b, c):
    """The lead over the rival becomes one; the cut is that of two classes at the lead's variance, 2 v."""

    def at(diagonal):
        def rule(W, Sigma, x, F, y, s, m, wrong, t):
            if wrong:
                depth, v = c * b ** (t - 1), x @ Sigma @ x
                move(W, Sigma, x, y, s, (1 - m) / (2 * v), depth / (v * (2 - depth)), diagonal)
                np.testing.assert_allclose((W[y] - W[s]) @ x, 1.0)
                Sigma /= 1 - depth
            return wrong

        return rule

    return at


FIRST_ORDER = {
    "Perceptron, max": (once_in_order(OnlinePerceptron), perceptron("max")),
    "Perceptron, uniform": (once_in_order(OnlinePerceptron, "uniform"), perceptron("uniform")),
    "Perceptron, similarity": (once_in_order(OnlinePerceptron, "similarity"), perceptron("similarity")),
    "ROMMA": (once_in_order(ROMMA), romma(False)),
    "aROMMA": (once_in_order(ROMMA, aggressive=True), romma(True)),
    "OGD": (once_in_order(OnlineGradientDescent, 0.5), gradient("hinge", 0.5)),
    "OGD zero-one": (once_in_order(OnlineGradientDescent, 0.5, loss="zero_one"), gradient("zero_one", 0.5)),
    "OGD logistic": (once_in_order(OnlineGradientDescent, 0.5, loss="log_loss"), gradient("log_loss", 0.5)),
    "OGD squared": (once_in_order(OnlineGradientDescent, 0.05, loss="squared_error"), gradient("squared_error", 0.05)),
    "PA": (once_in_order(PassiveAggressive, variant=0), passive_aggressive(0, 1.0)),
    "PA-I": (once_in_order(PassiveAggressive, 0.05), passive_aggressive(1, 0.05)),
    "PA-II": (once_in_order(PassiveAggressive, 0.05, variant=2), passive_aggressive(2, 0.05)),
}
SECOND_ORDER = {
    "CW": (once_in_order(ConfidenceWeighted, 0.75), confident(0.75)),
    "SCW-I": (once_in_order(SoftConfidenceWeighted, 0.2), confident(0.75, 0.2, 1)),
    "SCW-II": (once_in_order(SoftConfidenceWeighted, 0.2, variant=2), confident(0.75, 0.2, 2)),
    "AROW": (once_in_order(AROW, 0.7), arow(0.7)),
    "IELLIP": (once_in_order(ImprovedEllipsoid, 0.9, c=0.3), ellipsoid(0.9, 0.3)),
}


@pytest.mark.parametrize("name", FIRST_ORDER)
def test_first_order_rule_makes_exactly_the_mistakes_of_a_plain_loop(stream, name):
    X, y = stream
    learner, rule = FIRST_ORDER[name]
    mistakes, updates, W, _ = loop(X, y, rule)
    learner.fit(X, y)
    assert (learner.n_mistakes_, learner.n_updates_) == (mistakes, updates)
    # Sums in another order; ROMMA on labels that no planes explain multiplies rounding errors.
    np.testing.assert_allclose(learner.coef_, W, rtol=1e-6 if "ROMMA" in name else 1e-10, atol=1e-12)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
@pytest.mark.parametrize("name", SECOND_ORDER)
def test_second_order_rule_makes_exactly_the_mistakes_of_a_plain_loop(stream, name, covariance):
    X, y = stream
    learner, rule = SECOND_ORDER[name]
    mistakes, updates, W, Sigma = loop(X, y, rule(covariance == "diagonal"))
    learner.set_params(covariance=covariance).fit(X, y)
    assert (learner.n_mistakes_, learner.n_updates_) == (mistakes, updates)
    np.testing.assert_allclose(learner.coef_, W, rtol=1e-6, atol=1e-9)
    expected = np.diag(Sigma) if covariance == "diagonal" else Sigma
    np.testing.assert_allclose(learner.covariance_, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
@pytest.mark.parametrize(
    "learner",
    [
        once_in_order(ALMA, radius=1.0),
        once_in_order(SecondOrderPerceptron),
        once_in_order(NAROW, 2.0),
        once_in_order(NormalHerd),
    ],
    ids=lambda e: type(e).__name__,
)
def test_rules_without_a_form_for_many_classes_learn_each_class_against_the_rest(stream, learner, covariance):
    X, y = stream
    if "covariance" in learner.get_params():
        learner.set_params(covariance=covariance)
    joint = clone(learner).fit(X, y)
    alone = [clone(learner).fit(X, y == c) for c in range(4)]
    np.testing.assert_array_equal(joint.coef_, np.vstack([one.coef_ for one in alone]))
    stepwise = clone(learner).partial_fit(X[:1], y[:1], classes=range(4))
    mistakes = int(y[0] != 0)  # of scores that are all zero the first class wins
    for x, label in zip(X[1:], y[1:]):
        mistakes += stepwise.predict(x[None])[0] != label
        stepwise.partial_fit(x[None], [label])
    assert joint.n_mistakes_ == mistakes
    if "covariance" in learner.get_params():
        np.testing.assert_array_equal(joint.covariance_, np.stack([one.covariance_ for one in alone]))


def test_similarity_update_leaves_classes_that_are_level_alone():
    """All scores are zero at the first example: only the label's weights move."""
    learner = once_in_order(OnlinePerceptron, "similarity").partial_fit([[1.0, 2.0]], [2], classes=[0, 1, 2])
    np.testing.assert_array_equal(learner.coef_, [[0, 0], [0, 0], [1, 2]])


@pytest.mark.parametrize("variant", [0, 1, 2])
def test_joint_rule_for_two_classes_is_the_rule_with_one_score(variant, stream):
    """The two scores move apart by what the one score moves; C counts once for each of them."""
    X, y = stream
    y, C = (y > 1).astype(np.int64), 0.05
    rows = Stream(*rows_of(X), np.arange(len(y)), y)
    weights, predicted, updated = np.zeros((6, 2)), np.empty(len(y), np.int64), np.empty(len(y), bool)
    multiclass_passive_aggressive(rows, variant, C / 2, weights, predicted, updated)
    learner = once_in_order(PassiveAggressive, C, variant=variant).fit(X, y)
    np.testing.assert_allclose(weights[:, 1] - weights[:, 0], learner.coef_[0], atol=1e-10)
    assert updated.sum() == learner.n_updates_
