"""The Bayesian kernel classifier: what its probabilities must equal, what must not change them, and bad input."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss

from treatise.bayes import BayesianKernelClassifier, GPBinaryClassifier, plot_active_rows
from treatise.datasets import make_ringnorm, make_twonorm
from treatise.kernels import Gaussian, OnColumns, SpectrumKernel

SHORT = {"burn_in": 300, "n_samples": 1000, "random_state": 0}


@pytest.fixture(autouse=True)
def _short_chains_may_say_so():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def moons(n, seed=0):
    X, y = make_moons(n + 200, noise=0.25, random_state=seed)
    return X[:n], y[:n], X[n:], y[n:]


@pytest.mark.parametrize(("make", "error", "loss"), [(make_twonorm, 0.034, 0.10), (make_ringnorm, 0.024, 0.075)])
def test_twonorm_and_ringnorm_at_the_default_priors(make, error, loss):
    errors, losses = [], []
    for seed in range(2):
        X, y = make(7400, random_state=seed)
        model = BayesianKernelClassifier(burn_in=600, n_samples=1500, random_state=0).fit(X[:400], y[:400])
        chances = model.predict_proba(X[400:])
        errors.append(np.mean((chances[:, 1] > 0.5) != y[400:]))
        losses.append(log_loss(y[400:], chances))
    assert np.mean(errors) < error
    assert np.mean(losses) < loss


def test_all_rows_active_agree_with_expectation_propagation():
    X, y, new, _ = moons(150)
    full = BayesianKernelClassifier(model="full", standardize=False, burn_in=200, n_samples=600, random_state=0)
    full.fit(X, y)
    process = GPBinaryClassifier(gamma=1.0 / full.width_**2).fit(X, y)
    gap = np.abs(full.predict_proba(new)[:, 1] - process.predict_proba(new)[:, 1])
    assert gap.mean() < 0.03
    assert set(full.inclusion_prob_) == {1.0}


def test_drawn_and_integrated_weights_give_the_same_probabilities():
    X, y, new, _ = moons(120)
    found = [BayesianKernelClassifier(model=model, **SHORT).fit(X, y).predict_proba(new) for model in ("fbgkm", "sgpc")]
    assert np.abs(found[0] - found[1]).mean() < 0.02


def test_turning_the_labels_over_turns_the_probabilities_over():
    X, y, new, _ = moons(120)
    one = BayesianKernelClassifier(**SHORT).fit(X, y).predict_proba(new)
    other = BayesianKernelClassifier(**{**SHORT, "random_state": 7}).fit(X, 1 - y).predict_proba(new)
    assert np.abs(one[:, 1] - other[:, 0]).mean() < 0.03


def test_units_and_constant_columns_change_nothing_and_equal_rows_are_no_trouble():
    X, y, new, _ = moons(60)
    X, y = np.vstack([X, X[:20]]), np.append(y, y[:20])
    one = BayesianKernelClassifier(**SHORT).fit(X, y)
    wide = lambda Z: np.column_stack([1024.0 * Z, np.full(len(Z), 3.0)])  # noqa: E731
    other = BayesianKernelClassifier(**SHORT).fit(wide(X), y)
    np.testing.assert_allclose(one.predict_proba(new), other.predict_proba(wide(new)), rtol=1e-6)
    assert np.isfinite(one.predict_proba(new)).all()


def test_more_columns_than_rows_and_rows_that_are_all_equal():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 100)), np.arange(20) % 2
    assert np.isfinite(BayesianKernelClassifier(**SHORT).fit(X, y).predict_proba(X)).all()
    flat = BayesianKernelClassifier(**SHORT).fit(np.ones((40, 2)), np.arange(40) % 4 == 0)
    assert flat.predict_proba([[1.0, 1.0]])[0, 1] == pytest.approx(0.25, abs=0.08)


def test_samples_of_probabilities_average_to_the_probabilities():
    X, y = load_iris(return_X_y=True)
    for classes, settings in ((2, {}), (3, {}), (2, {"model": "sgpc"}), (3, {"model": "sgpc"}),
                              (2, {"kernel": ["rbf", "linear"]}), (2, {"width": "learn"})):  # fmt: skip
        told = y >= 3 - classes
        model = BayesianKernelClassifier(**{**SHORT, "burn_in": 50, "n_samples": 100}, **settings)
        model.fit(X[told][::3], y[told][::3])
        samples = model.predict_proba_samples(X[told])
        assert samples.shape == (20, told.sum(), classes)
        np.testing.assert_allclose(samples.mean(axis=0), model.predict_proba(X[told]), atol=1e-9)
        np.testing.assert_allclose(samples.sum(axis=2), 1.0, atol=1e-9)


def test_three_classes_are_told_apart():
    X, y = load_iris(return_X_y=True)
    model = BayesianKernelClassifier(**SHORT).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.93
    assert log_loss(y[1::2], model.predict_proba(X[1::2])) < 0.2


def test_widths_of_columns_without_meaning_grow():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = np.sin(2.5 * X[:, 0]) > 0
    settings = {"burn_in": 600, "n_samples": 600, "random_state": 0}
    model = BayesianKernelClassifier(width="learn", ard=True, max_active=40, **settings).fit(X, y)
    widths = np.median(model.width_samples_, axis=0)
    assert widths.shape == (4,)
    assert widths[0] < 0.5 * widths[1:].min()
    plain = BayesianKernelClassifier(max_active=40, **settings).fit(X, y)
    new = rng.normal(size=(1000, 4))
    truth = np.sin(2.5 * new[:, 0]) > 0
    assert model.score(new, truth) > plain.score(new, truth) + 0.03


def test_kernels_without_meaning_are_left_out_more_often():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = np.hypot(X[:, 0], X[:, 1]) > 1.2
    kernels = [OnColumns(Gaussian(0.3), [0, 1]), OnColumns(Gaussian(0.3), [2, 3])]
    model = BayesianKernelClassifier(kernels, max_active=60, **SHORT).fit(X, y)
    absent = np.mean(model.kernel_weight_samples_ == 0, axis=0)
    assert absent[0] == 0.0
    assert absent[1] > 0.5
    assert model.score(X, y) > 0.9


def test_what_is_reported_belongs_together():
    X, y, _, _ = moons(80)
    model = BayesianKernelClassifier(burn_in=100, n_samples=203, thin=10, n_chains=2, max_active=15, random_state=0)
    model.fit(X, y)
    assert model.n_active_trace_.shape == (2, 300)
    assert model.n_active_trace_.max() <= 15
    assert model.traces_["log_g"].shape == (2, 20)
    np.testing.assert_allclose(model.inclusion_prob_.sum(), model.traces_["n_active"].mean())
    assert set(model.acceptance_rate_) == {"birth", "death", "swap"}
    assert set(model.diagnostics_) == {"log_likelihood", "log_g", "n_active"}
    assert len(plot_active_rows(model)) == 2


def test_few_draws_are_said_to_be_few():
    X, y, _, _ = moons(40)
    with pytest.warns(ConvergenceWarning, match="3 draws are too few"):
        assert not BayesianKernelClassifier(burn_in=10, n_samples=15, random_state=0).fit(X, y).converged_


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ard": True}, 'set width="learn" too'),
        ({"width": "learn", "kernel": "linear"}, "is for the kernels"),
        ({"width": "learn", "kernel": ["rbf"]}, "is for the kernels"),
        ({"width_bounds": (2.0, 1.0)}, "lower one first"),
        ({"width": "learn", "width_bounds": (2.0, 3.0)}, "leave out 1"),
        ({"thin": 50, "n_samples": 20}, "thin=50 leaves nothing of 20"),
        ({"kernel": []}, "empty list"),
        ({"kernel": ["rbf", "sigmoid"]}, "kernel='sigmoid' is unknown"),
        ({"kernel": ["rbf", 3]}, "not int"),
        ({"kernel": SpectrumKernel(3)}, "no kernel of rows of numbers"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(settings, message):
    X, y, _, _ = moons(40)
    with pytest.raises(ValueError, match=message):
        BayesianKernelClassifier(**settings).fit(X, y)


def test_missing_cells_and_a_single_class_are_refused():
    X, y, _, _ = moons(40)
    with pytest.raises(ValueError, match="one class only"):
        BayesianKernelClassifier().fit(X, np.zeros(40))
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        BayesianKernelClassifier().fit(X, y)
