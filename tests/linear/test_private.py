"""Private logistic regression and support vector machines."""

import inspect
import warnings
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from treatise.datasets import make_logistic_sphere
from treatise.linear import (
    PrivateKernelClassifier,
    PrivateLinearSVC,
    PrivateLogisticRegression,
    PrivateTuner,
    erm_sensitivity,
    exponential_mechanism,
    repeated_weights,
    vector_laplace,
)
from treatise.linear.private._base import SeededNoiseWarning

LEARNERS = [
    PrivateLogisticRegression(),
    PrivateLinearSVC(),
    PrivateLinearSVC(h=0.1),
    PrivateLinearSVC(loss="smooth_hinge"),
]
each_mechanism = pytest.mark.parametrize("mechanism", ["objective", "output"])


@pytest.fixture(params=LEARNERS, ids=["logistic", "huber", "narrow huber", "smooth hinge"])
def learner(request):
    """Each loss in turn."""
    return clone(request.param)


def ball(n, d, seed):
    """Rows in the unit ball and labels that a plane decides with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X *= (rng.random(n) / np.linalg.norm(X, axis=1))[:, None]
    return X, np.where(X @ np.ones(d) + 0.3 * rng.normal(size=n) > 0, 1, -1)


def tilt(learner, X, y, w):
    """Sum of the losses' gradients at w."""
    return X.T @ learner._loss().derivative(y, X @ w)


@each_mechanism
def test_without_noise_it_is_logistic_regression(mechanism):
    X, y = ball(400, 6, 0)
    for alpha in (1e-3, 0.05):
        private = PrivateLogisticRegression(1e9, alpha, mechanism=mechanism, random_state=0).fit(X, y)
        plain = LogisticRegression(C=1 / (len(y) * alpha), fit_intercept=False, tol=1e-12, max_iter=10_000).fit(X, y)
        np.testing.assert_allclose(private.coef_, plain.coef_, atol=1e-5)


def test_output_perturbation_is_the_minimum_plus_the_noise(learner):
    X, y = ball(300, 4, 1)
    learner.set_params(epsilon=0.7, alpha=0.03, mechanism="output", random_state=5)
    fitted = learner.fit(X, y)
    minimum = fitted.coef_[0] - vector_laplace(4, 300 * 0.03 * 0.7 / 2, random_state=5)
    # The gradient of the mean loss and the penalty vanishes at the minimum.
    np.testing.assert_allclose(tilt(learner, X, y, minimum) / 300 + 0.03 * minimum, 0, atol=1e-9)
    assert fitted.noise_scale_ == pytest.approx(2 / (300 * 0.03 * 0.7))
    assert fitted.noise_epsilon_ == 0.7 and fitted.extra_penalty_ == 0


@pytest.mark.parametrize(("alpha", "grows"), [(0.2, False), (1e-3, True)])
def test_objective_perturbation_minimises_the_perturbed_objective(learner, alpha, grows):
    """Equation 6: the noise can be read off the weights, and is the noise that was drawn."""
    X, y = ball(300, 4, 2)
    learner.set_params(epsilon=0.7, alpha=alpha, mechanism="objective", random_state=6)
    fitted = learner.fit(X, y)
    assert (fitted.extra_penalty_ > 0) == grows
    w = fitted.coef_[0]
    noise = -300 * (alpha + fitted.extra_penalty_) * w - tilt(learner, X, y, w)
    # 300 times the tolerance of the mean gradient.
    np.testing.assert_allclose(noise, vector_laplace(4, fitted.noise_epsilon_ / 2, random_state=6), atol=1e-6)


def test_curvature_sets_the_share_of_the_noise():
    X, y = ball(300, 4, 2)
    for learner, c in zip(LEARNERS, (0.25, 1.0, 5.0, 1.5)):
        fitted = clone(learner).set_params(epsilon=3.0, alpha=0.2).fit(X, y)
        assert fitted.noise_epsilon_ == pytest.approx(3.0 - 2 * np.log(1 + c / (300 * 0.2)))


def test_one_row_moves_the_minimum_by_no_more_than_the_sensitivity(learner):
    rng = np.random.default_rng(3)
    largest = 0.0
    for trial in range(40):
        n, alpha = int(rng.integers(2, 60)), float(10 ** rng.uniform(-3, 0.5))
        X, y = ball(n, 3, trial)
        other, labels = X.copy(), y.copy()
        # The worst neighbour: a row on the sphere that turns round, among rows that hardly matter.
        X[:-1] *= rng.choice([0.0, 1.0])
        other[:-1] = X[:-1]
        X[-1] = other[-1] = rng.normal(size=3)
        X[-1] /= np.linalg.norm(X[-1])
        other[-1] = -X[-1] if trial % 2 else X[-1]
        labels[-1] = y[-1] if trial % 2 else -y[-1]
        learner.set_params(epsilon=1e15, alpha=alpha, mechanism="output", random_state=0, classes=[-1, 1])
        moved = np.linalg.norm(learner.fit(X, y).coef_ - learner.fit(other, labels).coef_)
        assert moved <= erm_sensitivity(n, alpha) * (1 + 1e-9)
        largest = max(largest, moved / erm_sensitivity(n, alpha))
    assert largest > 0.4  # the neighbours tried are bad ones indeed


def test_objective_loses_less_than_output_on_logistic_data():
    """Averages of 20 draws made beforehand by other code: output .339 and .197, objective .180 and .178 (eps 0.1)."""
    w = np.random.default_rng(0).normal(size=10)
    X, y = make_logistic_sphere(20_000, tuple(8 * w / np.linalg.norm(w)), random_state=0)
    fresh, labels = make_logistic_sphere(20_000, tuple(8 * w / np.linalg.norm(w)), random_state=1)

    def errors(mechanism, epsilon, alpha, draws):
        learner = PrivateLogisticRegression(epsilon, alpha, mechanism=mechanism)
        weights = repeated_weights(learner, X, y, draws, random_state=0)
        return np.mean((fresh @ weights.T > 0) != (labels > 0)[:, None], axis=0)

    for alpha, output, objective in ((1e-3, 0.339, 0.180), (1e-2, 0.197, 0.178)):
        ours = errors("output", 0.1, alpha, 300)
        # Their 20 draws leave two standard errors, and test samples differ by 0.005.
        assert ours.mean() == pytest.approx(output, abs=2 * ours.std() / np.sqrt(20) + 0.005)
        near = errors("objective", 0.1, alpha, 10)
        assert near.mean() == pytest.approx(objective, abs=2 * near.std() / np.sqrt(10) + 0.006)
        assert near.mean() < ours.mean()
        assert errors("objective", 1.0, alpha, 3).mean() < 0.19


def test_data_norm_is_a_change_of_units(learner):
    X, y = ball(200, 3, 4)
    learner.set_params(epsilon=1.0, alpha=0.05, mechanism="objective", random_state=1)
    one = learner.set_params(data_norm=1.0).fit(X, y).coef_.copy()
    other = learner.set_params(data_norm=50.0).fit(50 * X, y).coef_
    np.testing.assert_allclose(50 * other, one, rtol=1e-6)


def test_intercept_is_a_constant_feature_inside_the_norm():
    X, y = ball(200, 3, 5)
    settings = {"epsilon": 1.0, "alpha": 0.05, "random_state": 1}
    fitted = PrivateLogisticRegression(fit_intercept=True, data_norm=2.0, **settings).fit(2 * X, y)
    by_hand = np.column_stack([X, np.ones(200)]) / np.sqrt(2)
    assert np.linalg.norm(by_hand, axis=1).max() <= 1
    plain = PrivateLogisticRegression(**settings).fit(by_hand, y)
    np.testing.assert_allclose(fitted.decision_function(2 * X), plain.decision_function(by_hand), rtol=1e-9)
    thin = PrivateLogisticRegression(fit_intercept=True, data_norm=2.0, **settings).fit(sparse.csr_array(2 * X), y)
    np.testing.assert_allclose(thin.intercept_, fitted.intercept_, rtol=1e-6)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_long_rows_are_refused_or_shortened(layout):
    X, y = ball(100, 3, 6)
    X[7] = [3.0, 0.0, 4.0]
    with pytest.raises(ValueError, match="1 of 100 rows have a norm above data_norm=1"):
        PrivateLogisticRegression().fit(layout(X), y)
    clipped = PrivateLogisticRegression(norm_excess="clip", random_state=0).fit(layout(X), y)
    X[7] = [0.6, 0.0, 0.8]
    np.testing.assert_allclose(clipped.coef_, PrivateLogisticRegression(random_state=0).fit(layout(X), y).coef_)


def test_the_norm_is_never_taken_from_the_data():
    """Rows far inside the bound are not blown up to it: other rows must not show in the scale of one."""
    X, y = ball(100, 3, 7)
    small = PrivateLogisticRegression(1e9, random_state=0).fit(X / 100, y).coef_
    plain = LogisticRegression(C=1 / (100 * 0.01), fit_intercept=False, tol=1e-12).fit(X / 100, y).coef_
    np.testing.assert_allclose(small, plain, atol=1e-5)


def test_nothing_but_private_weights_and_public_numbers_stays_behind():
    X, y = ball(100, 3, 8)
    kept = set(vars(PrivateLogisticRegression().fit(X, y))) - set(PrivateLogisticRegression().get_params())
    public = {"n_features_in_", "classes_", "noise_scale_", "noise_epsilon_", "extra_penalty_"}
    assert kept == {"coef_", "intercept_"} | public


def test_without_a_seed_every_fit_differs_even_if_numpy_was_seeded():
    X, y = ball(100, 3, 9)
    fits = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002
        fits.append(PrivateLogisticRegression().fit(X, y).coef_)
    assert not np.allclose(*fits)


def test_probabilities_are_those_of_the_logistic_model():
    X, y = ball(100, 3, 10)
    fitted = PrivateLogisticRegression(random_state=0).fit(X, np.where(y > 0, "yes", "no"))
    np.testing.assert_allclose(fitted.predict_proba(X)[:, 1], expit(X @ fitted.coef_[0]))
    assert set(fitted.predict(X)) <= {"no", "yes"}
    assert not hasattr(PrivateLinearSVC(), "predict_proba")


def test_labels_can_be_named_beforehand():
    X, y = ball(100, 3, 11)
    usual = PrivateLogisticRegression(1e9, random_state=0).fit(X, y)
    turned = PrivateLogisticRegression(1e9, random_state=0, classes=[1, -1]).fit(X, y)
    np.testing.assert_array_equal(turned.classes_, [1, -1])
    np.testing.assert_array_equal(turned.predict(X), usual.predict(X))
    alone = PrivateLogisticRegression(random_state=0, classes=[-1, 1]).fit(X, np.ones(100, int))
    np.testing.assert_array_equal(alone.classes_, [-1, 1])


@pytest.mark.parametrize(
    ("params", "labels", "message"),
    [
        ({}, [0, 1, 2], "Only binary classification"),
        ({}, [1, 1, 1], "one class only"),
        ({"classes": [0, 1]}, [0, 1, 2], r"holds \[2\], not among the classes \[0, 1\] of the parameter classes"),
        ({"classes": [0, 0]}, [0, 1, 0], "must be two labels"),
        ({"epsilon": 0}, [0, 1, 0], "'epsilon' parameter"),
        ({"alpha": 0.0}, [0, 1, 0], "'alpha' parameter"),
        ({"data_norm": None}, [0, 1, 0], "'data_norm' parameter"),
        ({"norm_excess": "ignore"}, [0, 1, 0], "'norm_excess' parameter"),
        ({"mechanism": "input"}, [0, 1, 0], "'mechanism' parameter"),
    ],
)
def test_bad_input_is_refused(params, labels, message):
    with pytest.raises(ValueError, match=message):
        PrivateLogisticRegression(**params).fit(np.eye(3), labels)


def test_h_must_be_positive():
    with pytest.raises(ValueError, match="'h' parameter"):
        PrivateLinearSVC(h=0).fit(np.eye(2), [0, 1])


@pytest.mark.parametrize(
    "private",
    [
        PrivateLogisticRegression,
        PrivateLinearSVC,
        PrivateKernelClassifier,
        partial(PrivateTuner, PrivateLinearSVC(), {}),
    ],
)
def test_a_seed_warns_at_fit_once_and_its_absence_does_not(private):
    X, y = np.eye(4), [0, 1, 0, 1]
    with pytest.warns(SeededNoiseWarning, match="random_state=0 makes the noise of Private") as told:
        private(random_state=0).fit(X, y)
    assert len(told) == 1
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        private().fit(X, y)
    told = inspect.getdoc(getattr(private, "func", private))
    assert "floating-point noise" in " ".join(told.split()[:60])


@pytest.mark.parametrize("mechanism", [vector_laplace, exponential_mechanism])
def test_mechanisms_say_what_their_proof_leaves_open(mechanism):
    told = " ".join(inspect.getdoc(mechanism).split("Parameters")[0].split())
    assert "real numbers" in told and "not covered" in told
