"""Kernel machines with any convex loss: known special cases, the certificate, the offset's interval."""

import numpy as np
import pytest
from scipy import sparse
from scipy.interpolate import make_smoothing_spline
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import scale
from sklearn.svm import SVC, SVR

from treatise.kernel_methods import (
    KernelMachineClassifier,
    KernelMachineRegressor,
    kernel_certificate,
    svm_offset_interval,
)
from treatise.kernel_methods.kernel_machine import LABEL_LOSSES, NUMBER_LOSSES
from treatise.kernels import CubicSpline, Gaussian
from treatise.optimize import HingeLoss, make_loss


@pytest.fixture
def data():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2))
    y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.5 * generator.normal(size=60) > 0.5, 1.0, -1.0)
    return X, y, np.sin(X[:, 0]) + X[:, 1] + 0.1 * generator.standard_t(2, size=60)


def test_squared_loss_is_the_smoothing_spline():
    generator = np.random.default_rng(1)
    x = np.sort(generator.uniform(0, 1, 30))
    y = np.sin(6 * x) + 0.3 * generator.normal(size=30)
    machine = KernelMachineRegressor(1e-5, kernel=CubicSpline(), unpenalized=1).fit(x[:, None], y)
    spline = make_smoothing_spline(x, y, lam=1e-5 * 30)
    np.testing.assert_allclose(machine.predict(x[:, None]), spline(x), atol=1e-8)


def test_squared_loss_is_kernel_ridge_regression(data):
    X, _, y = data
    machine = KernelMachineRegressor(0.01, gamma=0.5, unpenalized=None).fit(X, y)
    ridge = KernelRidge(alpha=0.01 * 60, kernel="rbf", gamma=0.5).fit(X, y)
    np.testing.assert_allclose(machine.predict(X), ridge.predict(X), atol=1e-8)
    K = rbf_kernel(X, gamma=0.5)
    centre = np.eye(60) - 1 / 60
    offset = KernelMachineRegressor(0.01, gamma=0.5).fit(X, y)
    fitted = centre @ K @ centre @ np.linalg.solve(centre @ K @ centre + 0.6 * np.eye(60), y - y.mean()) + y.mean()
    np.testing.assert_allclose(offset.predict(X), fitted, atol=1e-8)


def test_hinge_and_tube_losses_are_support_vector_machines(data):
    X, y, target = data
    machine = KernelMachineClassifier(0.01, loss="hinge", gamma=0.5).fit(X, y)
    peer = SVC(C=1 / (2 * 0.01 * 60), gamma=0.5, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), peer.decision_function(X), atol=1e-5)
    tube = KernelMachineRegressor(0.01, loss="epsilon_insensitive", width=0.2, gamma=0.5).fit(X, target)
    peer = SVR(C=1 / (2 * 0.01 * 60), epsilon=0.2, gamma=0.5, tol=1e-8).fit(X, target)
    np.testing.assert_allclose(tube.predict(X), peer.predict(X), atol=1e-5)


def test_linear_logistic_machine_is_logistic_regression(data):
    X, y, _ = data
    machine = KernelMachineClassifier(0.01, kernel="linear").fit(X, y)
    peer = LogisticRegression(C=1 / (2 * 0.01 * 60), tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), peer.decision_function(X), atol=1e-5)
    np.testing.assert_allclose(machine.predict_proba(X), peer.predict_proba(X), atol=1e-5)
    assert not hasattr(KernelMachineClassifier(loss="hinge"), "predict_proba")


@pytest.mark.parametrize("unpenalized", [None, "constant", 2])
@pytest.mark.parametrize("loss", LABEL_LOSSES + NUMBER_LOSSES)
def test_every_loss_reaches_the_exact_optimality_conditions(loss, unpenalized, data):
    X, y, target = data
    of_labels = loss in LABEL_LOSSES
    cls = KernelMachineClassifier if of_labels else KernelMachineRegressor
    machine = cls(0.01, loss=loss, gamma=0.5, unpenalized=unpenalized).fit(X, y if of_labels else target)
    # Newton's and the pair solver's own tolerance is 1e-8; the interior point's solution is polished to about 1e-7.
    assert machine.optimality_residual_ < 1e-6
    coef = np.zeros(60)
    coef[machine.support_] = machine.dual_coef_
    if unpenalized == 2:
        powers = np.column_stack([np.ones(60), X, X**2])
        # Newton's steps solve for these weights exactly; the interior point's solution is polished to about 1e-7.
        np.testing.assert_allclose(powers.T @ coef, 0, atol=1e-8 if make_loss(loss).smooth else 1e-6)
        assert len(machine.unpenalized_coef_) == 5
    if loss not in ("squared", "squared_hinge", "exponential"):
        slope = {"modified_huber": 4.0, "huber": 0.2}.get(loss, 1.0)
        assert np.abs(coef).max() <= slope / (2 * 0.01 * 60) * (1 + 1e-9)


def test_certificate_tells_optimal_from_perturbed(data):
    X, y, _ = data
    K = rbf_kernel(X, gamma=0.5)
    machine = SVC(C=1.0, kernel="precomputed", tol=1e-6).fit(K, y)
    coef = np.zeros(60)
    coef[machine.support_] = machine.dual_coef_[0]
    penalty, hinge = 1 / (2 * 60 * 1.0), HingeLoss()
    good = kernel_certificate(K, y, coef, machine.intercept_, penalty, hinge, kink=1e-4)
    assert good.violation < 1e-3
    moved = coef + 0.05 * np.random.default_rng(2).normal(size=60)
    assert kernel_certificate(K, y, moved, machine.intercept_, penalty, hinge, kink=1e-4).violation > 1e-2
    with pytest.raises(ValueError, match="2 weights of functions need the basis"):
        kernel_certificate(K, y, coef, [0.0, 1.0], penalty, hinge)


@pytest.mark.parametrize("loss", LABEL_LOSSES + NUMBER_LOSSES)
def test_a_constant_added_to_the_kernel_changes_nothing_when_the_offset_is_free(loss, data):
    X, y, target = data
    cls, y = (KernelMachineClassifier, y) if loss in LABEL_LOSSES else (KernelMachineRegressor, target)
    for K, constant in ((rbf_kernel(X, gamma=0.5), 5.0), (X @ X.T, 1.0)):
        plain = cls(0.01, loss=loss, kernel="precomputed").fit(K, y)
        shifted = cls(0.01, loss=loss, kernel="precomputed").fit(K + constant, y)
        np.testing.assert_allclose(plain._machine(K), shifted._machine(K + constant), atol=1e-6)


def test_interval_of_offsets_for_two_points():
    y = np.array([1.0, -1.0])
    for C in (0.1, 0.3, 0.45):
        interval = svm_offset_interval([2 * C, -2 * C], y, 0.0)
        assert (interval.low, interval.high) == pytest.approx((-(1 - 2 * C), 1 - 2 * C))
        assert not interval.unique
    assert svm_offset_interval([1.0, -1.0], y, 0.0).unique


def test_what_is_no_machine_gets_neither_interval_nor_certificate():
    with pytest.raises(ValueError, match=r"labels must be -1 and 1; y holds \[0.0, 1.0\]"):
        svm_offset_interval([0.6, -0.6], [1, 0], 0.0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        svm_offset_interval([0.6, -0.6, 0.0], [1, -1], 0.0)
    with pytest.raises(ValueError, match=r"gram has shape \(2, 2\) and coef \(2,\); y has 3 objects"):
        kernel_certificate(np.eye(2), np.ones(3), np.ones(2), [0.0], 1.0, HingeLoss())


def test_squared_loss_of_labels_is_kernel_ridge_regression_on_them(data):
    X, y, _ = data
    machine = KernelMachineClassifier(0.01, loss="squared", gamma=0.5, unpenalized=None).fit(X, y > 0)
    ridge = KernelRidge(alpha=0.01 * 60, kernel="rbf", gamma=0.5).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), ridge.predict(X), atol=1e-8)
    assert machine.classes_.tolist() == [False, True]


def test_interval_of_offsets_is_where_the_objective_is_flat():
    generator = np.random.default_rng(3)
    flat = 0
    for _ in range(50):
        n = 2 * int(generator.integers(1, 5))
        X = generator.normal(size=(n, 2))
        y = np.where(np.arange(n) < n // 2, 1.0, -1.0)
        C = float(np.exp(generator.uniform(-4, 1)))
        machine = KernelMachineClassifier(1 / (2 * n * C), loss="hinge", kernel="linear", tol=1e-12).fit(X, y)
        offset = machine.unpenalized_coef_[0]
        scores = machine.decision_function(X) - offset
        interval = svm_offset_interval(scores, y, offset)

        def loss(b, y=y, scores=scores):
            return np.maximum(1 - y * (scores + b), 0).sum()

        best = loss(offset)
        for share in (0.0, 0.3, 1.0):
            assert loss(interval.low + share * (interval.high - interval.low)) == pytest.approx(best, abs=1e-9)
        assert loss(interval.low - 1e-3) > best + 1e-4 and loss(interval.high + 1e-3) > best + 1e-4
        flat += not interval.unique
    assert 5 < flat < 50


def test_sample_weights_count_copies_and_sparse_rows_are_taken(data):
    X, y, _ = data
    weights = np.random.default_rng(4).integers(0, 3, 60)
    weighted = KernelMachineClassifier(0.01, gamma=0.5).fit(X, y, sample_weight=weights)
    copies = np.repeat(np.arange(60), weights)
    repeated = KernelMachineClassifier(0.01, gamma=0.5).fit(X[copies], y[copies])
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)
    thin = KernelMachineClassifier(0.01, gamma=0.5, unpenalized=1).fit(sparse.csr_array(X), y)
    dense = KernelMachineClassifier(0.01, gamma=0.5, unpenalized=1).fit(X, y)
    np.testing.assert_allclose(thin.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=1e-8)
    with pytest.raises(ValueError, match="at least one non-zero"):
        KernelMachineClassifier().fit(X, y, sample_weight=np.zeros(60))


def test_one_class_dependent_functions_and_foreign_objects_are_named(data):
    X, _, target = data
    with pytest.raises(ValueError, match=r"one class only, 1\.0; "):
        KernelMachineClassifier(loss="hinge").fit(X, np.ones(60))
    labels = np.where(np.arange(60) < 20, "few", "many")
    with pytest.raises(ValueError, match=r"only \['many'\] of the classes of y have a weight above zero"):
        KernelMachineClassifier().fit(X, labels, sample_weight=labels == "many")
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        KernelMachineClassifier().fit(X, np.arange(60) % 3)
    with pytest.warns(ConvergenceWarning, match="Proposition 11"):
        twice = KernelMachineRegressor(unpenalized=[lambda X: X, lambda X: 2 * X]).fit(X, target)
    once = KernelMachineRegressor(unpenalized=[lambda X: X]).fit(X, target)
    # Of all weights a, b with a + 2 b given, the shortest have b = 2 a.
    np.testing.assert_allclose(twice.unpenalized_coef_[2:], 2 * twice.unpenalized_coef_[:2], rtol=1e-6)
    np.testing.assert_allclose(twice.predict(X), once.predict(X), atol=1e-8)
    for wrong, message in (
        (["a line"], r"unpenalized\[0\] must be a function of a table; it is 'a line'"),
        ([lambda X: X, lambda X: X[:3]], r"unpenalized\[1\] gave an array of shape \(3, 2\) for 60 rows"),
        ([lambda X: np.full(len(X), np.nan)], r"unpenalized\[0\] gave values that are not finite"),
    ):
        with pytest.raises(ValueError, match=message):
            KernelMachineRegressor(unpenalized=wrong).fit(X, target)
    with pytest.raises(ValueError, match="unpenalized must be 'constant' or None"):
        KernelMachineRegressor(kernel="precomputed", unpenalized=1).fit(np.eye(60), target)
    with pytest.raises(ValueError, match="outside the domain 0 to 1"):
        KernelMachineRegressor(kernel=CubicSpline()).fit(X[:, :1], target)
    with pytest.raises(ValueError, match="loss 'lazy' is unknown"):
        make_loss("lazy")


def test_free_functions_see_the_rows_whatever_the_kernel_makes_of_them(data):
    X, _, target = data
    plain = KernelMachineRegressor(0.01, gamma=0.5, unpenalized=1).fit(X, target)
    wrapped = KernelMachineRegressor(0.01, kernel=Gaussian(0.25) * Gaussian(0.25), unpenalized=1).fit(X, target)
    np.testing.assert_allclose(wrapped.predict(X), plain.predict(X), atol=1e-8)
    x = np.linspace(2.0, 5.0, 20)[:, None]
    seen = []
    spline = KernelMachineRegressor(kernel=CubicSpline((2.0, 5.0)), unpenalized=[lambda X: seen.append(X.min()) or X])
    spline.fit(x, x[:, 0]).predict(x)
    assert seen == [2.0, 2.0]


def test_the_default_penalty_follows_the_number_of_objects():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    # 0.01 for any number of rows gave 0.93, and more rows would have made it worse.
    assert cross_val_score(KernelMachineClassifier(), X, y, scoring="balanced_accuracy").mean() > 0.96
    few, labels = X[::10], y[::10]
    assert KernelMachineClassifier(loss="hinge").fit(few, labels).penalty_ == 1 / (2 * len(few))
    twice = KernelMachineClassifier().fit(np.repeat(few, 2, axis=0), np.repeat(labels, 2))
    weighted = KernelMachineClassifier(gamma=twice.kernel_.gamma).fit(few, labels, sample_weight=np.full(len(few), 2))
    np.testing.assert_allclose(weighted.decision_function(X), twice.decision_function(X), atol=1e-6)
