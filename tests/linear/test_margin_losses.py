"""Multi-category margin classifiers: gradients, known special cases, links, costs."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import SVC, LinearSVC

from treatise.linear import BackgroundClassifier, KernelMarginClassifier, MarginClassifier, minimize_conditional_risk
from treatise.linear.margin import _loops as loops
from treatise.linear.margin._links import MARGIN_LINKS
from treatise.linear.margin._multicategory import FORMULATIONS, LOSSES

SMOOTH = [loss for loss in LOSSES if loss != "hinge"]
BACKGROUNDS = ["softmax", "exponential", "logistic", "power", "positive_power", "bounded_power", "norm"]
TIGHT = {"tol": 1e-9, "max_iter": 5000}


def by_hand(formulation, phi, f, y):
    """The losses as the paper writes them."""
    others = [k for k in range(len(f)) if k != y]
    if formulation == "pairwise":
        return sum(phi(f[y] - f[k]) for k in range(len(f)))
    if formulation == "constrained":
        centred = f - np.mean(f)
        return sum(phi(-centred[k]) for k in others)
    return phi(f[y]) + sum(phi(-f[k]) for k in others)


PHI = {
    "logistic": lambda z: np.log(1 + np.exp(-z)),
    "squared_hinge": lambda z: max(0.0, 1 - z) ** 2,
    "hinge": lambda z: max(0.0, 1 - z),
    "least_squares": lambda z: (1 - z) ** 2,
    "exponential": lambda z: np.exp(-z),
}


def background_by_hand(name, f, y, p, r):
    t = {
        "exponential": np.exp,
        "logistic": lambda u: np.log(1 + np.exp(u)),
        "power": lambda u: np.abs(u) ** p / p,
        "positive_power": lambda u: np.maximum(u, 0) ** p / p,
        "bounded_power": lambda u: np.where(u > 1, u - 1 + 1 / p, np.maximum(u, 0) ** p / p),
    }
    if name == "softmax":
        return -f[y] + np.log(np.exp(f).sum())
    if name == "norm":
        return -f[y] + (np.abs(f) ** r).sum() ** (p / r) / p
    return -f[y] + t[name](f).sum()


def central_differences(function, f, step=1e-6):
    return np.array([(function(f + step * e) - function(f - step * e)) / (2 * step) for e in np.eye(len(f))])


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("loss", LOSSES)
def test_losses_and_gradients_are_the_papers(formulation, loss):
    rng = np.random.default_rng(0)
    scores, labels, weights = rng.normal(size=(20, 4)), rng.integers(0, 4, 20), rng.uniform(0.5, 2, 20)
    gradient = np.empty_like(scores)
    total = loops.margin_losses(FORMULATIONS[formulation], LOSSES[loss], 0.0, scores, labels, weights, gradient)
    expected = [w * by_hand(formulation, PHI[loss], f, y) for f, y, w in zip(scores, labels, weights)]
    assert total == pytest.approx(sum(expected))
    for f, y, w, slope in zip(scores, labels, weights, gradient):
        numeric = central_differences(lambda g, y=y: by_hand(formulation, PHI[loss], g, y), f)
        np.testing.assert_allclose(slope, w * numeric, atol=1e-6)


@pytest.mark.parametrize("name", BACKGROUNDS)
def test_background_losses_and_gradients_are_the_papers(name):
    rng = np.random.default_rng(1)
    scores, labels, weights = rng.normal(size=(20, 4)), rng.integers(0, 4, 20), rng.uniform(0.5, 2, 20)
    gradient = np.empty_like(scores)
    from treatise.linear.margin.background import BACKGROUNDS as codes

    total = loops.background_losses(codes[name], 2.5, 1.7, scores, labels, weights, gradient)
    expected = [w * background_by_hand(name, f, y, 2.5, 1.7) for f, y, w in zip(scores, labels, weights)]
    assert total == pytest.approx(sum(expected))
    for f, y, w, slope in zip(scores, labels, weights, gradient):
        numeric = central_differences(lambda g, y=y: background_by_hand(name, g, y, 2.5, 1.7), f)
        np.testing.assert_allclose(slope, w * numeric, atol=1e-6)


def test_rounded_hinge_is_smooth_and_close():
    for z in (-0.5, 0.9, 0.95, 1.0, 1.5):
        value, slope = loops.margin_loss(loops.HINGE, 0.2, z)
        numeric = (loops.margin_loss(loops.HINGE, 0.2, z + 1e-6)[0] - value) / 1e-6
        assert slope == pytest.approx(numeric, abs=1e-5)
        assert 0 <= max(0.0, 1 - z) - value <= 0.1 + 1e-12


@pytest.mark.parametrize("formulation", MARGIN_LINKS)
@pytest.mark.parametrize("loss", SMOOTH)
def test_links_invert_the_minimum_of_the_conditional_risk(formulation, loss):
    rng = np.random.default_rng(2)
    for q in [np.array([0.45, 0.38, 0.17]), np.array([0.3, 0.7]), *(rng.dirichlet(np.full(4, 5.0)) for _ in range(4))]:
        scores, _ = minimize_conditional_risk(q, formulation, loss)
        # The minimiser knows scores to about 1e-7.
        np.testing.assert_allclose(MARGIN_LINKS[formulation](scores[np.newaxis], loss)[0], q, atol=1e-5)


@pytest.mark.parametrize("formulation", MARGIN_LINKS)
@pytest.mark.parametrize("loss", SMOOTH)
def test_links_give_probabilities_in_the_order_of_any_scores(formulation, loss):
    scores = np.random.default_rng(3).normal(scale=3.0, size=(500, 4))
    q = MARGIN_LINKS[formulation](scores, loss)
    np.testing.assert_allclose(q.sum(axis=1), 1.0, atol=1e-9)
    assert q.min() >= 0.0
    ordered = np.take_along_axis(q, np.argsort(scores, axis=1), axis=1)
    assert np.diff(ordered, axis=1).min() >= -1e-9


def discrete_population(rng, k=3):
    """Three values of x, each with class probabilities; a million rows as counts."""
    q = rng.dirichlet(np.full(k, 3.0), size=3)
    counts = np.array([rng.multinomial(333_333, row) for row in q])
    X = np.repeat(np.eye(3), k, axis=0)
    return X, np.tile(np.arange(k), 3), counts.ravel(), q


@pytest.mark.parametrize("name", BACKGROUNDS)
@pytest.mark.parametrize("power", [2.0, 3.0])
def test_backgrounds_recover_the_probabilities_of_a_population(name, power):
    X, y, counts, q = discrete_population(np.random.default_rng(4))
    model = BackgroundClassifier(name, power=power, alpha=0.0, tol=1e-7).fit(X, y, counts)
    # A million rows: three standard errors are 0.0026.
    np.testing.assert_allclose(model.predict_proba(np.eye(3)), q, atol=0.003)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("loss", SMOOTH)
def test_margin_classifiers_recover_the_probabilities_of_a_population(formulation, loss):
    X, y, counts, q = discrete_population(np.random.default_rng(5))
    model = MarginClassifier(formulation, loss, alpha=0.0, tol=1e-7).fit(X, y, counts)
    np.testing.assert_allclose(model.predict_proba(np.eye(3)), q, atol=0.003)


def test_softmax_background_is_multinomial_logistic_regression():
    X, y = load_iris(return_X_y=True)
    X, alpha = scale(X), 0.01
    ours = BackgroundClassifier(alpha=alpha, **TIGHT).fit(X, y)
    theirs = LogisticRegression(C=1 / (alpha * len(X)), tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


def test_one_vs_rest_logistic_is_that_of_scikit_learn():
    X, y = load_wine(return_X_y=True)
    X, alpha = scale(X), 0.01
    ours = MarginClassifier("one_vs_rest", alpha=alpha, **TIGHT).fit(X, y)
    binary = LogisticRegression(C=1 / (alpha * len(X)), tol=1e-10, max_iter=10_000)
    theirs = OneVsRestClassifier(binary).fit(X, y)
    np.testing.assert_allclose(ours.coef_, np.vstack([e.coef_ for e in theirs.estimators_]), atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, np.hstack([e.intercept_ for e in theirs.estimators_]), atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_one_vs_rest_hinges_are_linear_support_vector_machines(loss):
    X, y = load_iris(return_X_y=True)
    X, alpha = scale(X), 0.05
    ours = MarginClassifier("one_vs_rest", loss, alpha=alpha, fit_intercept=False, **TIGHT).fit(X, y)
    theirs = LinearSVC(
        C=1 / (alpha * len(X)), loss=loss, fit_intercept=False, dual=True, tol=1e-9, max_iter=500_000, random_state=0
    ).fit(X, y)
    # The rounded hinge moves the least loss by 0.0005 at most, and the weights by the root of that over alpha.
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5 if loss == "squared_hinge" else 5e-3)


@pytest.mark.parametrize(("formulation", "factor", "per_sample"), [("constrained", 2.0, 0.5), ("pairwise", 1.0, 2.0)])
def test_two_classes_reduce_to_the_binary_margin_problem(formulation, factor, per_sample):
    X, y = load_iris(return_X_y=True)
    X, y, alpha = scale(X[50:]), y[50:], 0.02
    ours = MarginClassifier(formulation, alpha=alpha, **TIGHT).fit(X, y)
    # Halves of a symmetric pair of weights: the penalty is counted twice, the margin once (constrained) or doubled.
    theirs = LogisticRegression(C=per_sample / (alpha * len(X)), tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), factor * theirs.decision_function(X), atol=1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


def test_constrained_hinge_matches_a_quadratic_programme():
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1, 2], 8)
    X = rng.normal(size=(24, 2)) + np.array([[2, 0], [-1, 1.5], [-1, -1.5]])[y]
    alpha, n, k = 0.1, 24, 3
    model = MarginClassifier("constrained", "hinge", alpha=alpha, **TIGHT).fit(X, y)

    def primal(W, b):
        scores = X @ W.T + b
        centred = scores - scores.mean(axis=1, keepdims=True)
        short = np.maximum(0, 1 + centred)
        short[np.arange(n), y] = 0.0
        return short.sum() / n + 0.5 * alpha * (W**2).sum()

    # Variables: weights and intercepts of three classes, then a slack for each row and wrong class.
    pairs = [(i, c) for i in range(n) for c in range(k) if c != y[i]]
    rows = np.zeros((len(pairs), 3 * k + len(pairs)))
    for row, (i, c) in enumerate(pairs):
        for o in range(k):
            rows[row, 3 * o : 3 * o + 3] = -((c == o) - 1 / k) * np.append(X[i], 1.0)
        rows[row, 3 * k + row] = 1.0
    penalty = np.tile([alpha, alpha, 0.0], k)

    def objective(v):
        w = v[: 3 * k]
        slope = np.concatenate([penalty * w, np.full(len(pairs), 1 / n)])
        return 0.5 * (penalty * w * w).sum() + v[3 * k :].sum() / n, slope

    start = np.concatenate([np.zeros(3 * k), np.ones(len(pairs))])
    bounds = [(None, None)] * (3 * k) + [(0, None)] * len(pairs)
    constraint = {"type": "ineq", "fun": lambda v: rows @ v - 1.0, "jac": lambda v: rows}
    best = minimize(
        objective, start, jac=True, bounds=bounds, constraints=constraint, method="SLSQP", options={"maxiter": 500}
    )
    assert best.success
    # The rounding costs 0.0005 for each of the two margins of a row at most.
    assert -1e-6 <= primal(model.coef_, model.intercept_) - best.fun <= 1e-3
    np.testing.assert_allclose(model.coef_, best.x[: 3 * k].reshape(k, 3)[:, :2], atol=0.02)


def test_constrained_scores_sum_to_zero():
    X, y = load_wine(return_X_y=True)
    model = MarginClassifier("constrained", "squared_hinge").fit(scale(X), y)
    np.testing.assert_allclose(model.decision_function(scale(X)).sum(axis=1), 0.0, atol=1e-9)


def test_costs_move_the_border_and_leave_the_probabilities():
    rng = np.random.default_rng(7)
    X = np.linspace(-2, 2, 41)[:, np.newaxis]
    q = 1 / (1 + np.exp(-1.5 * X[:, 0]))
    counts = np.round(np.column_stack([1 - q, q]) * 1e6)
    rows, labels, weights = np.repeat(X, 2, axis=0), np.tile([0, 1], 41), counts.ravel()
    order = rng.permutation(len(rows))
    model = MarginClassifier("one_vs_rest", alpha=0.0, class_weight={0: 1.0, 1: 4.0}, tol=1e-8)
    model.fit(rows[order], labels[order], weights[order])
    # a_0 q_0 = a_1 q_1 where q_1 = 1 / 5.
    border = np.log(0.25) / 1.5
    assert model.predict([[border - 0.02], [border + 0.02]]).tolist() == [0, 1]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], q, atol=1e-3)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("loss", SMOOTH)
def test_the_objective_falls_with_every_iteration(loss):
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    for formulation in FORMULATIONS:
        path = [
            MarginClassifier(formulation, loss, alpha=0.01, max_iter=most).fit(X, y).objective_ for most in range(1, 9)
        ]
        assert (np.diff(path) < 0).all(), (formulation, path)


def test_sparse_rows_and_weights_equal_dense_and_repeated_ones():
    X, y = load_digits(return_X_y=True)
    X, y = X[:300] / 16, y[:300]
    counts = np.random.default_rng(8).integers(0, 3, 300)
    model = MarginClassifier("constrained", "squared_hinge", **TIGHT)
    dense = clone(model).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    thin = model.fit(sparse.csr_array(X), y, counts)
    np.testing.assert_allclose(thin.decision_function(X), dense.decision_function(X), atol=1e-6)


def test_linear_kernel_equals_the_linear_classifier():
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    for loss in ("logistic", "squared_hinge"):
        linear = MarginClassifier(loss=loss, alpha=0.01, **TIGHT).fit(X, y)
        kernel = KernelMarginClassifier(loss=loss, alpha=0.01, kernel="linear", **TIGHT).fit(X, y)
        np.testing.assert_allclose(kernel.decision_function(X), linear.decision_function(X), atol=1e-5)


def test_kernel_solution_satisfies_the_representer_condition():
    X, y = load_iris(return_X_y=True)
    X, alpha = scale(X)[::3], 0.01
    y = y[::3]
    model = KernelMarginClassifier("one_vs_rest", "squared_hinge", alpha=alpha, gamma=0.5, **TIGHT).fit(X, y)
    scores = model.decision_function(X)
    gradient = np.empty_like(scores)
    weights = np.full(len(X), 1 / len(X))
    loops.margin_losses(loops.ONE_VS_REST, loops.SQUARED_HINGE, 0.0, scores, y, weights, gradient)
    K = np.exp(-0.5 * np.square(X[:, np.newaxis] - X).sum(axis=2))
    # Stationarity in the kernel's space: f = -K gradient / alpha, but for the free intercept.
    np.testing.assert_allclose(-K @ gradient / alpha + model.intercept_, scores, atol=1e-5)


def test_digits_are_read_well():
    X, y = load_digits(return_X_y=True)
    X = StandardScaler().fit(X[:600]).transform(X)
    linear = MarginClassifier("one_vs_rest", "squared_hinge", alpha=0.01).fit(X[:600], y[:600])
    curved = KernelMarginClassifier(loss="squared_hinge", alpha=1e-4).fit(X[:600], y[:600])
    assert linear.score(X[600:], y[600:]) > 0.88
    machine = SVC().fit(X[:600], y[:600])
    assert curved.score(X[600:], y[600:]) > machine.score(X[600:], y[600:]) - 0.01


def test_bad_input_and_missing_convergence_are_told():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(AttributeError, match="predict_proba"):
        MarginClassifier(loss="hinge").fit(X, y).predict_proba(X)
    with pytest.raises(ValueError, match="one class only"):
        MarginClassifier().fit(X, np.zeros(len(X), dtype=int))
    with pytest.raises(ValueError, match="cost of each class must be positive"):
        MarginClassifier(class_weight={0: 0.0}).fit(X, y)
    with pytest.raises(ValueError, match=r"(?i)sample weights"):
        BackgroundClassifier().fit(X, y, np.zeros(len(X)))
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        MarginClassifier(max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match="largest value of a row with itself is 0"):
        KernelMarginClassifier(kernel="linear").fit(np.zeros((6, 2)), [0, 1] * 3)


def test_default_separates_a_class_between_two_others():
    X, y = load_iris(return_X_y=True)
    X = scale(X)
    model = MarginClassifier().fit(X[::2], y[::2])
    assert model.converged_ and model.score(X[1::2], y[1::2]) > 0.93
    # Scores that sum to zero cannot put the middle class first along a line.
    assert MarginClassifier("constrained").fit(X[::2], y[::2]).score(X[1::2], y[1::2]) < 0.9
