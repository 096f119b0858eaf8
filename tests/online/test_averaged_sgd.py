"""Averaged stochastic gradient descent, its kernel form, bounds and certificate (JMLR 15:595)."""

import math
import sys

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from single_pass import once_in_order
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, make_circles
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import normalize, scale

from treatise.datasets import make_logistic_sphere
from treatise.online import (
    AveragedSGDClassifier,
    AveragedSGDRegressor,
    KernelAveragedSGDClassifier,
    averaged_sgd_bounds,
    self_concordant_certificate,
)

kernel_module = sys.modules[KernelAveragedSGDClassifier.__module__]
BEST = np.array([1.0, -1.0, 0.5, 0.0, 2.0])
SLOPES = {
    "log": lambda score, y: -y * expit(-y * score),
    "square_root": lambda score, y: 0.5 * (score / math.sqrt(1.0 + score**2) - y),
    "logcosh": lambda score, y: math.tanh(score - y),
}


def as_published(kind, *arguments, **parameters):
    return once_in_order(kind, *arguments, schedule="constant", **parameters)


def iterates(X, y, step, slope):
    """theta_0 to theta_N, all kept."""
    path = [np.zeros(X.shape[1])]
    for row, label in zip(X, y):
        path.append(path[-1] - step * slope(row @ path[-1], label) * row)
    return np.array(path)


def excess_risk(coefs, n_rows=20_000):
    """Expected logistic loss above the least, the label's expectation taken exactly, over rows on the sphere."""
    X, _ = make_logistic_sphere(n_rows, random_state=12345)
    chance = expit(X @ BEST)

    def risk(coef):
        return np.mean(np.logaddexp(0.0, X @ coef) - chance * (X @ coef))

    least = risk(BEST)
    return np.array([risk(coef) - least for coef in coefs])


@pytest.mark.parametrize("loss", ["log", "square_root"])
def test_weights_are_the_mean_of_the_iterates_before_each_update(loss):
    X, y = make_logistic_sphere(300, random_state=0)
    model = as_published(AveragedSGDClassifier, loss).fit(X, y)
    step = 1.0 / (2.0 * np.max(np.sum(X**2, axis=1)) * math.sqrt(300))
    assert model.step_ == pytest.approx(step, rel=1e-14)
    path = iterates(X, y, step, SLOPES[loss])
    np.testing.assert_allclose(model.coef_[0], path[:-1].mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(model.last_coef_[0], path[-1], atol=1e-12)
    # The recursion of Section 2.1 says the same.
    average = np.zeros(5)
    for n in range(1, 301):
        average = path[n - 1] / n + (n - 1) / n * average
    np.testing.assert_allclose(model.coef_[0], average, atol=1e-12)
    assert not np.allclose(model.coef_[0], path.mean(axis=0), atol=1e-6)


def test_intercept_is_the_weight_of_a_constant():
    X, y = make_logistic_sphere(200, random_state=1)
    model = as_published(AveragedSGDClassifier, fit_intercept=True).fit(X, y)
    wide = np.hstack([X, np.ones((200, 1))])
    path = iterates(wide, y, 1.0 / (2.0 * 2.0 * math.sqrt(200)), SLOPES["log"])
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), path[:-1].mean(axis=0), atol=1e-12)
    assert model.radius_ == pytest.approx(math.sqrt(2.0))


def test_regression_steps_against_the_log_cosh_loss():
    rng = np.random.default_rng(2)
    X, y = rng.uniform(-1, 1, (150, 3)), rng.standard_t(2, 150)
    model = as_published(AveragedSGDRegressor, scale=1.0).fit(X, y)
    path = iterates(X, y, model.step_, SLOPES["logcosh"])
    np.testing.assert_allclose(model.coef_, path[:-1].mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(model.predict(X), X @ model.coef_)


def test_the_scale_of_regression_is_undone_in_all_that_is_told():
    rng = np.random.default_rng(2)
    X, y = rng.uniform(-1, 1, (151, 3)), 40.0 + 9.0 * rng.standard_t(2, 151)
    center, spread = np.median(y), np.median(np.abs(y - np.median(y)))
    ours = AveragedSGDRegressor(random_state=0).fit(X, y)
    assert (ours.center_, ours.scale_) == (center, spread)
    by_hand = AveragedSGDRegressor(1.0, random_state=0).fit(X, (y - center) / spread)
    assert (by_hand.center_, by_hand.scale_) == (0.0, 1.0)
    np.testing.assert_allclose(ours.coef_, spread * by_hand.coef_)
    np.testing.assert_allclose(ours.last_coef_, spread * by_hand.last_coef_)
    np.testing.assert_allclose(ours.last_intercept_, center + spread * by_hand.last_intercept_)
    np.testing.assert_allclose(ours.predict(X), center + spread * by_hand.predict(X))
    np.testing.assert_allclose(ours.predict(X), X @ ours.coef_ + ours.intercept_)
    halves = AveragedSGDRegressor(2.0, random_state=0).fit(X, y)
    np.testing.assert_allclose(
        halves.predict(X), 2.0 * AveragedSGDRegressor(1.0, random_state=0).fit(X, y / 2).predict(X)
    )


def test_the_first_call_sets_the_scale_of_a_stream():
    X, y = np.eye(5), np.array([1.0, 2.0, 4.0, 8.0, 100.0])
    model = AveragedSGDRegressor(schedule="sqrt").partial_fit(X, y)
    assert (model.center_, model.scale_) == (4.0, 3.0)
    assert model.partial_fit(X, 1000.0 * y).scale_ == 3.0
    # Where most are equal the mean distance stands in, and one where all are.
    assert AveragedSGDRegressor().fit(X, [7, 7, 7, 7, 12]).scale_ == 1.0
    assert AveragedSGDRegressor().fit(X, np.full(5, 7.0)).predict(X) == pytest.approx(np.full(5, 7.0))


def test_regression_at_its_defaults_comes_near_to_ridge_whatever_the_units_of_y():
    X, y = load_diabetes(return_X_y=True)
    X = scale(X)
    ridge = Ridge().fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    for unit in (1e-3, 1.0, 1e6):
        ours = AveragedSGDRegressor(random_state=0).fit(X[::2], unit * y[::2]).score(X[1::2], unit * y[1::2])
        assert ours > ridge - 0.04


@pytest.mark.parametrize("model", [AveragedSGDClassifier, KernelAveragedSGDClassifier])
def test_classes_are_learned_at_the_defaults_as_batch_learners_do(model):
    for X, y in (load_breast_cancer(return_X_y=True), load_digits(return_X_y=True)):
        X = scale(X)
        batch = LogisticRegression(max_iter=500).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
        # Steps that shrink with the rounds leave the linear learner ten points behind on the second table.
        assert model(random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > batch - 0.04


@pytest.mark.parametrize("longest", [1.0, 3.0, 100.0])
def test_steady_steps_follow_the_usual_row_and_their_average_begins_anew_at_powers_of_two(longest):
    X, y = make_logistic_sphere(37, random_state=1)
    X[5] *= longest
    model = AveragedSGDClassifier(fit_intercept=False, shuffle=False, n_passes=1).fit(X, y)
    squares = np.square(X).sum(axis=1)
    # The logistic loss bends by a quarter at most: a row steps no further than 4 / |x|^2.
    step, weights, iterates = min(1 / (2 * squares.mean()), 4 / squares.max()), np.zeros(X.shape[1]), []
    for row, sign in zip(X, np.where(y == model.classes_[1], 1, -1)):
        iterates.append(weights)
        weights = weights + step * sign * row / (1 + np.exp(sign * row @ weights))
    # Rows are counted from 1: the average of the iterates before rows 32 to 37.
    np.testing.assert_allclose(model.coef_[0], np.mean(iterates[31:], axis=0), rtol=1e-10)
    assert model.step_ == pytest.approx(step)


def test_as_many_passes_as_the_rows_are_few():
    X, y = make_logistic_sphere(1000, random_state=0)
    assert AveragedSGDClassifier().fit(X, y).n_seen_ == 50_000
    assert AveragedSGDClassifier(schedule="constant", horizon=2500).fit(X, y).n_seen_ == 2000
    assert AveragedSGDClassifier(n_passes=3).fit(X, y).n_seen_ == 3000
    assert AveragedSGDClassifier().fit(X[:50], y[:50]).n_seen_ == 25_000
    assert AveragedSGDClassifier().fit(*make_logistic_sphere(40_000, random_state=0)).n_seen_ == 40_000


def test_sparse_rows_give_what_dense_rows_give():
    rng = np.random.default_rng(3)
    X = rng.random((400, 60)) * (rng.random((400, 60)) < 0.1)
    y = np.where(X @ rng.standard_normal(60) > 0, "up", "down")
    dense = AveragedSGDClassifier(n_passes=3, random_state=0).fit(X, y)
    thin = AveragedSGDClassifier(n_passes=3, random_state=0).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-10)
    np.testing.assert_allclose(thin.intercept_, dense.intercept_, atol=1e-10)


def test_passes_lengthen_the_horizon_and_come_nearer_to_the_optimum():
    X, y = make_logistic_sphere(300, random_state=4)
    best = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10).fit(X, y).coef_
    one = as_published(AveragedSGDClassifier).fit(X, y)
    many = AveragedSGDClassifier(schedule="constant", fit_intercept=False, n_passes=1000, random_state=0).fit(X, y)
    assert many.n_seen_ == 300_000
    assert many.step_ == pytest.approx(one.step_ / math.sqrt(1000))
    # The average still remembers the way from zero.
    assert np.linalg.norm(many.coef_ - best) < 0.2 * np.linalg.norm(one.coef_ - best)


@pytest.mark.parametrize("schedule", ["constant", "sqrt", "doubling"])
def test_a_stream_in_pieces_equals_the_definition(schedule):
    X, y = make_logistic_sphere(200, random_state=5)
    X *= np.linspace(0.5, 1.0, 200)[:, None]
    model = AveragedSGDClassifier(schedule=schedule, horizon=500, fit_intercept=False)
    for start in (0, 1, 60, 61):
        stop = {0: 1, 1: 60, 60: 61, 61: 200}[start]
        model.partial_fit(X[start:stop], y[start:stop], classes=[-1, 1])
    theta, radius, kept = np.zeros(5), 0.0, []
    for n, (row, label) in enumerate(zip(X, y), 1):
        radius = max(radius, np.linalg.norm(row))
        length = {"constant": 500, "sqrt": n, "doubling": 2 ** int(math.log2(n))}[schedule]
        if schedule == "doubling" and n == length:
            kept = []
        kept.append(theta)
        theta = theta - SLOPES["log"](row @ theta, label) / (2 * radius**2 * math.sqrt(length)) * row
    np.testing.assert_allclose(model.coef_[0], np.mean(kept, axis=0), atol=1e-12)
    np.testing.assert_allclose(model.last_coef_[0], theta, atol=1e-12)


def test_partial_fit_is_offered_only_where_the_length_is_known_or_not_needed():
    X, y = make_logistic_sphere(20, random_state=6)
    for kind in (AveragedSGDClassifier, AveragedSGDRegressor):
        assert not hasattr(kind(schedule="constant"), "partial_fit")
        assert hasattr(kind(schedule="sqrt"), "partial_fit") and hasattr(kind(), "partial_fit")
    with pytest.raises(ValueError, match="horizon=30 is shorter than the 40"):
        model = AveragedSGDClassifier(schedule="constant", horizon=30).partial_fit(X, y, classes=[-1, 1])
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match="horizon=10 is shorter than the 20"):
        AveragedSGDClassifier(schedule="constant", horizon=10).fit(X, y)
    with pytest.raises(ValueError, match="classes must be passed"):
        AveragedSGDClassifier(schedule="constant", horizon=30).partial_fit(X, y)
    with pytest.raises(ValueError, match="not among the classes"):
        AveragedSGDClassifier(schedule="constant", horizon=30).partial_fit(X, y, classes=[-1, 2])
    with pytest.raises(ValueError, match="differ from those of the first call"):
        AveragedSGDClassifier(schedule="constant", horizon=60).partial_fit(X, y, classes=[-1, 1]).partial_fit(
            X, y, classes=[-1, 1, 2]
        )


def test_a_radius_below_a_row_is_refused():
    X, y = make_logistic_sphere(20, random_state=7)
    with pytest.raises(ValueError, match=r"radius=0\.9 is smaller than the norm 1"):
        AveragedSGDClassifier(radius=0.9, fit_intercept=False).fit(X, y)
    with pytest.raises(ValueError, match="with its constant"):
        AveragedSGDClassifier(radius=1.0).fit(X, y)
    with pytest.raises(ValueError, match=r"radius=0\.9 is"):
        AveragedSGDClassifier(radius=0.9, horizon=50, fit_intercept=False).partial_fit(X, y, classes=[-1, 1])
    assert as_published(AveragedSGDClassifier, radius=3.0).fit(X, y).step_ == pytest.approx(1 / (18 * math.sqrt(20)))


def test_mean_excess_keeps_below_the_bound_and_shows_the_faster_rate():
    # 40 repetitions; the spread of the mean is then a few per cent of it, the bounds are three times larger.
    excess = {}
    for n_samples in (100, 1000, 10_000, 100_000):
        coefs = []
        for seed in range(40 if n_samples < 100_000 else 10):
            X, y = make_logistic_sphere(n_samples, random_state=seed)
            coefs.append(as_published(AveragedSGDClassifier).fit(X, y).coef_[0])
        excess[n_samples] = float(np.mean(excess_risk(coefs)))
        assert excess[n_samples] <= averaged_sgd_bounds(n_samples, 1.0, 2.5)["expected excess"]
    np.testing.assert_allclose([excess[n] for n in (100, 1000, 10_000)], [0.095, 0.062, 0.021], rtol=0.08)
    # 1 / sqrt(N) alone would give 3.2.
    assert excess[10_000] / excess[100_000] >= 5.0


def test_iterates_keep_near_the_optimum():
    distances = np.empty((50, 20))
    for seed in range(50):
        X, y = make_logistic_sphere(400, random_state=seed)
        model = AveragedSGDClassifier(schedule="constant", horizon=400, radius=1.0, fit_intercept=False)
        for chunk, rows in enumerate(np.split(np.arange(400), 20)):
            model.partial_fit(X[rows], y[rows], classes=[-1, 1])
            distances[seed, chunk] = np.sum((model.last_coef_[0] - BEST) ** 2)
    mean = distances.mean(axis=0)
    assert np.all(mean <= averaged_sgd_bounds(400, 1.0, np.linalg.norm(BEST))["expected squared distance"])
    assert mean[-1] < 0.5 * BEST @ BEST


def test_a_linear_kernel_gives_the_linear_form():
    X, y = make_logistic_sphere(600, random_state=8)
    linear = as_published(AveragedSGDClassifier, shuffle=True, random_state=3).fit(X, y)
    kernel = KernelAveragedSGDClassifier("linear", schedule="constant", n_passes=1, random_state=3).fit(X, y)
    assert kernel.step_ == pytest.approx(linear.step_, rel=1e-12)
    np.testing.assert_allclose(kernel.dual_coef_.T @ kernel.X_fit_, linear.coef_, atol=1e-9)
    np.testing.assert_allclose(kernel.predict_proba(X), linear.predict_proba(X), atol=1e-9)


def test_a_kernel_in_which_rows_have_no_length_is_refused():
    """additive_chi2 of a row with itself is zero, and with it the radius: nothing would be learnt."""
    with pytest.raises(ValueError, match="'kernel' parameter"):
        KernelAveragedSGDClassifier("additive_chi2").fit(np.eye(4), [0, 1, 0, 1])


def test_kernel_form_separates_what_no_line_does():
    X, y = make_circles(800, noise=0.1, factor=0.4, random_state=0)
    for width in (10.0, "scale"):
        assert KernelAveragedSGDClassifier(gamma=width).fit(X[:400], y[:400]).score(X[400:], y[400:]) > 0.97
    assert AveragedSGDClassifier().fit(X[:400], y[:400]).score(X[400:], y[400:]) < 0.7


def test_passes_with_a_linear_kernel_give_the_passes_of_the_linear_form(monkeypatch):
    """Blocks of 7 rows, kept from pass to pass or made again."""
    X, y = make_logistic_sphere(60, random_state=8)
    linear = as_published(AveragedSGDClassifier, n_passes=3).fit(X, y)
    monkeypatch.setattr(kernel_module, "_ROWS", 7)
    for room in (0, 60**2):
        monkeypatch.setattr(kernel_module, "_KEPT_VALUES", room)
        kernel = KernelAveragedSGDClassifier("linear", schedule="constant", n_passes=3, shuffle=False).fit(X, y)
        assert kernel.step_ == pytest.approx(linear.step_, rel=1e-12)
        np.testing.assert_allclose(kernel.dual_coef_.T @ X, linear.coef_, atol=1e-12)


def test_the_width_scale_follows_the_units_of_the_columns():
    X, y = load_breast_cancer(return_X_y=True)
    far, near = (KernelAveragedSGDClassifier(n_passes=1, random_state=0).fit(c * X, y) for c in (1.0, 1024.0))
    assert far.gamma_ == pytest.approx(1.0 / (30 * X.var()))
    np.testing.assert_array_equal(far.dual_coef_, near.dual_coef_)
    assert KernelAveragedSGDClassifier(gamma="auto", n_passes=1).fit(X, y).gamma_ == 1.0 / 30


@pytest.mark.parametrize("model", [AveragedSGDClassifier(shuffle=False), KernelAveragedSGDClassifier()], ids=str)
def test_more_classes_are_told_apart_one_against_the_rest(model):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    X, y = scale(X)[order], y[order]
    model.fit(X, y)
    assert model.score(X, y) > 0.8
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    if isinstance(model, AveragedSGDClassifier):
        assert model.n_seen_ == 49_950
        alone = AveragedSGDClassifier(shuffle=False).fit(X, y == 2)
        np.testing.assert_allclose(model.coef_[2], alone.coef_[0], atol=1e-12)


def test_probabilities_of_the_square_root_loss_minimise_it():
    # With one constant row the optimum has s / sqrt(1 + s^2) = 2 P - 1.
    X, y = np.ones((4, 1)), np.array([0, 1, 1, 1])
    model = AveragedSGDClassifier("square_root", fit_intercept=False, n_passes=100_000).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[0], [0.25, 0.75], atol=0.01)


def test_bounds_by_hand():
    bounds = averaged_sgd_bounds(10_000, 1.0, 2.5, curvature=0.1)
    assert bounds["expected excess"] == pytest.approx(0.065)
    assert bounds["expected squared distance"] == pytest.approx(6.25 + 0.25)
    assert bounds["excess in probability"] == pytest.approx(15 * 3 / 100 + 6 * 6.25 / 100)
    assert bounds["squared distance in probability"] == pytest.approx(15 * 3 + 6 * 6.25)
    assert bounds["moment of excess"] == pytest.approx(0.065)
    gradient = 0.01 * (8 + 4 / 100 + 20 + 6 * 6.25 + 6 * 2.5)
    assert bounds["gradient at the average"] == pytest.approx(gradient)
    assert bounds["expected excess, curved"] == pytest.approx(1e-3 * (12.5 + 15) ** 4)
    assert bounds["expected squared distance of the average, curved"] == pytest.approx(1e-2 * (15 + 21) ** 4)
    # Corollary 4 for p = 4: (3 R^2 D^2 + 5 p) / sqrt(N).
    assert averaged_sgd_bounds(10_000, 1.0, 2.5, moment=4)["moment of excess"] == pytest.approx((18.75 + 20) / 100)
    # Lemma 1 with a step of one's own.
    own = averaged_sgd_bounds(100, 2.0, 1.0, step=0.1)
    assert own["expected excess"] == pytest.approx(1 / (2 * 0.1 * 100) + 0.1 * 4 / 2)


def test_bad_bounds_are_refused():
    with pytest.raises(ValueError, match="n_samples=0"):
        averaged_sgd_bounds(0, 1.0, 1.0)
    with pytest.raises(ValueError, match="paper's own step"):
        averaged_sgd_bounds(10, 1.0, 1.0, step=0.1, curvature=1.0)
    for name in ("step", "curvature"):
        for wrong in (0.0, -1.0, np.nan):
            with pytest.raises(ValueError, match=f"{name}={wrong}"):
                averaged_sgd_bounds(10, 1.0, 1.0, **{name: wrong})
    with pytest.raises(ValueError, match="distance=-1"):
        averaged_sgd_bounds(10, 1.0, -1.0)
    sound = {"n_samples": 10, "radius": 1.0, "distance": 1.0}
    for name in (*sound, "curvature", "step", "moment", "tail"):
        for wrong in (np.nan, np.inf):
            with pytest.raises(ValueError, match=f"{name}={wrong}.*finite"):
                averaged_sgd_bounds(**{**sound, name: wrong})


def test_a_certificate_of_numbers_that_are_none_is_refused():
    sound = {"X": np.eye(2), "y": np.array([1.0, -1.0]), "coef": np.ones(2)}
    for name, values in sound.items():
        wrong = values.copy()
        wrong.flat[0] = np.nan
        with pytest.raises(ValueError, match=f"{name} holds nan"):
            self_concordant_certificate(**{**sound, name: wrong})


def mean_loss(loss, X, y, coef):
    score = X @ coef
    if loss == "log":
        return np.mean(np.logaddexp(0.0, -y * score))
    if loss == "square_root":
        return np.mean(0.5 * (np.sqrt(1.0 + score**2) - y * score))
    return np.mean(np.logaddexp(score - y, y - score) - math.log(2.0))


@pytest.mark.parametrize("loss", ["log", "square_root", "logcosh"])
def test_the_certificate_bounds_the_true_excess_and_distance(loss):
    rng = np.random.default_rng(9)
    X, y = make_logistic_sphere(500, random_state=9)
    if loss == "logcosh":
        y = X @ BEST + rng.standard_normal(500)
    best = minimize(lambda coef: mean_loss(loss, X, y, coef), np.zeros(5), tol=1e-12).x
    tight = []
    for size in (1e-3, 0.01, 0.03, 0.05):
        direction = rng.standard_normal(5)
        coef = best + size * direction / np.linalg.norm(direction)
        certificate = self_concordant_certificate(X, y, coef, loss=loss)
        assert certificate.valid
        gap = mean_loss(loss, X, y, coef) - mean_loss(loss, X, y, best)
        assert gap <= certificate.excess and size <= certificate.distance + 1e-6
        tight.append(certificate.excess / gap)
        thin = self_concordant_certificate(sparse.csr_array(X), y, coef, loss=loss)
        assert thin.excess == pytest.approx(certificate.excess, rel=1e-9)
    # 2 |g|^2 / mu against about g' H^-1 g / 2: four times the spread of curvatures at most.
    assert max(tight) < 40.0
    far = self_concordant_certificate(X, y, best + 5.0, loss=loss)
    assert not far.valid and far.excess == np.inf and far.distance == np.inf


def test_gradient_and_curvature_of_the_certificate_are_those_of_the_loss():
    X, y = make_logistic_sphere(50, random_state=10)
    coef, width = np.array([0.3, -0.2, 0.1, 0.5, 1.0]), 1e-4
    for loss in ("log", "square_root"):

        def value(c, loss=loss):
            return mean_loss(loss, X, y, c)

        steps = width * np.eye(5)
        gradient = [(value(coef + e) - value(coef - e)) / (2 * width) for e in steps]
        hessian = [
            [(value(coef + a + b) - value(coef + a - b) - value(coef - a + b) + value(coef - a - b)) / (4 * width**2)
             for a in steps] for b in steps
        ]  # fmt: skip
        certificate = self_concordant_certificate(X, y, coef, loss=loss)
        assert certificate.gradient_norm == pytest.approx(np.linalg.norm(gradient), rel=1e-6)
        # Second differences keep about seven digits.
        assert certificate.curvature == pytest.approx(np.linalg.eigvalsh(hessian)[0], abs=1e-6)


def test_a_fitted_model_certifies_itself():
    X, y = make_logistic_sphere(2000, random_state=11)
    model = AveragedSGDClassifier(n_passes=500, random_state=0).fit(X, y)
    certificate = model.certificate(X, y)
    best = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    distance = np.linalg.norm(np.append(model.coef_ - best.coef_, model.intercept_ - best.intercept_))
    assert certificate.valid and distance <= certificate.distance
    assert not AveragedSGDClassifier(n_passes=1).fit(X[:50], y[:50]).certificate(X, y).valid
    with pytest.raises(ValueError, match="two classes"):
        AveragedSGDClassifier().fit(X[:3], [0, 1, 2]).certificate(X[:3], [0, 1, 2])
    with pytest.raises(ValueError, match=r"y holds \[7\], not among the classes"):
        model.certificate(X, np.where(y == 1, 1, 7))


def test_bad_certificates_are_refused():
    X = normalize(np.random.default_rng(0).random((4, 2)))
    with pytest.raises(ValueError, match="labels must be -1 and 1"):
        self_concordant_certificate(X, [0, 1, 0, 1], [0.0, 0.0])
    with pytest.raises(ValueError, match="does not fit"):
        self_concordant_certificate(X, [1, 1, -1, 1], [0.0])
    with pytest.raises(ValueError, match="has no rows"):
        self_concordant_certificate(X[:0], [], [0.0, 0.0])
    with pytest.raises(ValueError, match="loss='hinge'"):
        self_concordant_certificate(X, [1, 1, -1, 1], [0.0, 0.0], loss="hinge")
