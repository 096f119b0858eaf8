"""q-norm soft margin machines and what their theory tells."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from treatise.svm import (
    QNormSVC,
    plot_q_norm_calibration,
    q_norm_probability,
    q_norm_target,
    theory_cost,
)

POWERS = (1.2, 1.5, 2.0, 2.5, 3.0, 5.0)


@pytest.fixture(scope="module")
def curved():
    """Forty rows with overlapping classes on the two sides of a parabola."""
    rs = np.random.RandomState(0)
    X = rs.randn(40, 2)
    return X, np.sign(X[:, 0] + 0.5 * X[:, 1] ** 2 - 0.3 + 0.5 * rs.randn(40))


def objective(K, y, coef, b, C, q):
    return 0.5 * coef @ K @ coef + C / len(y) * np.sum(np.maximum(0, 1 - y * (K @ coef + b)) ** q)


def weights_of(machine, n):
    coef = np.zeros(n)
    coef[machine.support_] = machine.dual_coef_
    return coef


def test_objective_and_offset_have_the_values_of_a_cone_solver(curved):
    X, y = curved
    # Values of Clarabel on the quadratic programs; its default accuracy is 1e-8.
    for q, value, offset in ((1, 17.824874, 0.361783), (2, 18.800777, 0.298971)):
        machine = QNormSVC(q, 40.0, gamma=1.0, tol=1e-8).fit(X, y)
        assert machine.objective_ == pytest.approx(value, abs=1e-4)
        assert machine.intercept_ == pytest.approx(offset, abs=1e-4)


def test_power_one_is_the_ordinary_machine(curved):
    X, y = curved
    ours = QNormSVC(1, 40.0, gamma=1.0, tol=1e-8).fit(X, y)
    theirs = SVC(C=1.0, gamma=1.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert not hasattr(ours, "predict_proba")


def test_power_two_is_a_hard_margin_on_a_ridged_kernel(curved):
    X, y = curved
    ours = QNormSVC(2, 40.0, gamma=1.0, tol=1e-9).fit(X, y)
    ridged = rbf_kernel(X, gamma=1.0) + 40 / (2 * 40.0) * np.eye(40)
    theirs = SVC(C=1e6, kernel="precomputed", tol=1e-9).fit(ridged, y)
    np.testing.assert_allclose(weights_of(ours, 40)[theirs.support_], theirs.dual_coef_[0], atol=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_[0], abs=1e-6)


def test_offset_is_the_limit_of_a_penalised_one(curved):
    X, y = curved
    K = rbf_kernel(X, gamma=1.0)
    free = QNormSVC(2, 40.0, kernel="precomputed", tol=1e-9).fit(K, y)
    # K + c penalises a part of the offset by 1 / c; with a free offset beside it nothing changes at all.
    for c in (1.0, 1e3):
        shifted = QNormSVC(2, 40.0, kernel="precomputed", tol=1e-9).fit(K + c, y)
        np.testing.assert_allclose(shifted.decision_function(K + c), free.decision_function(K), atol=1e-6)


@pytest.mark.parametrize("q", POWERS)
def test_gap_closes_and_optimality_conditions_hold(curved, q):
    X, y = curved
    machine = QNormSVC(q, 40.0, gamma=1.0, tol=1e-8).fit(X, y)
    assert abs(machine.duality_gap_) < 1e-6
    K, coef = rbf_kernel(X, gamma=1.0), weights_of(machine, 40)
    alpha = y * coef
    assert (alpha >= 0).all() and abs(coef.sum()) < 1e-9 * alpha.sum()
    margins = y * (K @ coef + machine.intercept_)
    slacks = (40 * alpha / (q * 40.0)) ** (1 / (q - 1))
    held = alpha > 0
    # Scores are solved to 1e-8; slacks of nearly no weight follow from the score, not from the weight.
    np.testing.assert_allclose(margins[held], 1 - slacks[held], atol=1e-6)
    assert (margins[~held] >= 1 - 1e-6).all()
    best = objective(K, y, coef, machine.intercept_, 40.0, q)
    assert best == pytest.approx(machine.objective_, rel=1e-9)
    rng = np.random.default_rng(0)
    for scale in (1e-3, 1e-2, 0.1):
        moved = coef + scale * rng.normal(size=40)
        assert objective(K, y, moved, machine.intercept_ + scale * rng.normal(), 40.0, q) > best


def test_pairs_and_newton_agree_where_they_meet(curved):
    X, y = curved
    pairs, newton = (QNormSVC(q, 40.0, gamma=1.0, tol=1e-9).fit(X, y) for q in (3.0, 3.0 + 1e-9))
    assert pairs.n_iter_ > 50 > newton.n_iter_
    np.testing.assert_allclose(pairs.decision_function(X), newton.decision_function(X), atol=1e-6)


def test_objective_is_continuous_in_the_power(curved):
    X, y = curved
    for q, step in ((1.0, 1e-2), (2.0, 1e-4), (3.0, 1e-4)):
        values = [QNormSVC(power, 40.0, gamma=1.0, tol=1e-8).fit(X, y).objective_ for power in (q, q + step)]
        # The loss changes by at most xi^q |log xi| for each unit of q; slacks are below 3 here.
        assert values[0] == pytest.approx(values[1], abs=40 * step * 10)


def test_cache_of_few_rows_changes_nothing():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(2200, 3))
    y = (X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=2200) > 1).astype(int)
    whole = QNormSVC(1.5, 100.0, tol=1e-6).fit(X, y)
    scant = QNormSVC(1.5, 100.0, tol=1e-6, cache_bytes=8 * 2200 * 50).fit(X, y)
    np.testing.assert_allclose(scant.decision_function(X[:50]), whole.decision_function(X[:50]), atol=1e-4)


def test_targets_have_their_closed_values():
    # r = 0.6 is a probability of 0.8.
    np.testing.assert_allclose([q_norm_target(0.8, q) for q in (1.5, 2, 3)], [0.8823529, 0.6, 1 / 3], atol=1e-7)
    for q in POWERS:
        for p in (0.1, 0.35, 0.8):
            found = minimize_scalar(
                lambda f, p=p, q=q: p * max(0, 1 - f) ** q + (1 - p) * max(0, 1 + f) ** q,
                bounds=(-1, 1), method="bounded",
                options={"xatol": 1e-10},
            )  # fmt: skip
            assert q_norm_target(p, q) == pytest.approx(found.x, abs=1e-5)
    assert q_norm_target([0.4, 0.6], 1).tolist() == [-1, 1]
    # Nothing overflows near q = 1, where the powers are 1e4.
    np.testing.assert_allclose(q_norm_target([0.01, 0.5, 0.99], 1.0001), [-1, 0, 1], atol=1e-6)


def test_probability_inverts_the_target():
    p = np.linspace(0, 1, 41)
    for q in POWERS:
        inner = p[1:-1] if q < 1.5 else p
        # Near q = 1 scores crowd at the ends, where 1 - f loses digits.
        np.testing.assert_allclose(q_norm_probability(q_norm_target(inner, q), q), inner, atol=1e-6)


def test_clipping_never_raises_the_loss_nor_changes_the_class(curved):
    X, y = curved
    machine = QNormSVC(2, 4000.0, gamma=1.0).fit(X, y)
    f, clipped = machine.decision_function(X), machine.clipped_decision_function(X)
    assert np.abs(f).max() > 1 >= np.abs(clipped).max()
    assert (np.maximum(0, 1 - y * clipped) ** 2 <= np.maximum(0, 1 - y * f) ** 2).all()
    np.testing.assert_array_equal(clipped >= 0, machine.predict(X) == 1)


@pytest.mark.parametrize("q", [1.5, 2.0, 4.0])
def test_probabilities_are_near_the_true_ones(q):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (800, 1))
    truth = 1 / (1 + np.exp(-2 * X[:, 0]))
    y = (rng.random(800) < truth).astype(int)
    machine = QNormSVC(q, 300.0, gamma=0.5).fit(X, y)
    found = machine.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    # The standard error of a local mean of some hundred rows is 0.05.
    error = np.abs(found[:, 1] - truth).mean()
    assert error < 0.05
    # The score of q = 2 is linear in the probability; of no other power.
    straight = np.abs((machine.clipped_decision_function(X) + 1) / 2 - truth).mean()
    assert straight == pytest.approx(error) if q == 2 else straight > 1.5 * error


def test_identical_points_make_the_hinge_unstable_and_larger_powers_not():
    X = np.zeros((21, 1))
    more, fewer = (np.repeat([1, -1], [positive, 21 - positive]) for positive in (11, 10))
    values = {q: [float(QNormSVC(q, 1.0, tol=1e-9).fit(X, y).decision_function(X[:1])[0]) for y in (more, fewer)]
              for q in (1, 2)}  # fmt: skip
    assert values[1] == pytest.approx([1, -1])
    assert values[2] == pytest.approx(q_norm_target(np.array([11, 10]) / 21, 2))


def test_quadratic_example_learns_as_fast_as_conjectured():
    for m in (100, 400):
        errors = []
        for seed in range(10):
            x = np.random.RandomState(seed).uniform(-0.5, 0.5, (m, 1))
            y = np.where(np.abs(x[:, 0]) >= 0.25, 1, -1)
            machine = QNormSVC(2, float(m) ** 3, kernel=lambda a, b: (a @ b.T) ** 2, tol=1e-8).fit(x, y)
            slope = machine.dual_coef_ @ x[machine.support_, 0] ** 2
            root = np.sqrt(max(-machine.intercept_ / slope, 0))
            errors.append(2 * abs(min(root, 0.5) - 0.25))
        assert 0.3 < m * np.mean(errors) < 2


def test_theory_costs_are_powers_of_the_number_of_rows():
    assert theory_cost(50, 1.0) == pytest.approx(50**3)
    assert theory_cost(50, 2.0, complexity=0.5) == pytest.approx(50 ** (4 / 3.5))
    assert theory_cost(50, 0.5, overlapping=True) == pytest.approx(np.sqrt(50))


def test_weights_count_rows_and_zero_leaves_them_out(curved):
    X, y = curved
    weights = np.repeat([1, 2, 0], [20, 15, 5])
    copies = np.repeat(np.arange(40), weights)
    for q in (1, 1.5, 2, 4):
        weighted = QNormSVC(q, 40.0, gamma=1.0, tol=1e-9).fit(X, y, sample_weight=weights)
        copied = QNormSVC(q, 40.0, gamma=1.0, tol=1e-9).fit(X[copies], y[copies])
        np.testing.assert_allclose(weighted.decision_function(X), copied.decision_function(X), atol=1e-6)
        assert weighted.support_.max() < 35


def test_sparse_rows_several_classes_and_precomputed_kernels(curved):
    X, y = curved
    dense = QNormSVC(1.5, 40.0, gamma=1.0).fit(X, y)
    np.testing.assert_allclose(QNormSVC(1.5, 40.0, gamma=1.0).fit(sparse.csr_array(X), y).decision_function(X),
                               dense.decision_function(X), atol=1e-9)  # fmt: skip
    K = rbf_kernel(X, gamma=1.0)
    for q in (1.5, 4.0):
        given = QNormSVC(q, 40.0, kernel="precomputed", tol=1e-8).fit(K, y)
        straight = QNormSVC(q, 40.0, gamma=1.0, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(given.predict_proba(K), straight.predict_proba(X), atol=1e-6)
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    assert OneVsRestClassifier(QNormSVC(2, 400.0)).fit(X, three).score(X, three) > 0.9


def test_bad_input_is_refused(curved):
    X, y = curved
    for bad in ({"q": 0.5}, {"C": 0}, {"tol": 0}):
        with pytest.raises(ValueError, match=f"'{next(iter(bad))}' parameter"):
            QNormSVC(**bad).fit(X, y)
    with pytest.raises(ValueError, match="one class only"):
        QNormSVC().fit(X, np.ones(40))
    with pytest.raises(ValueError, match="of the classes of y have a weight above zero"):
        QNormSVC().fit(X, y, sample_weight=(y > 0).astype(float))
    with pytest.raises(ValueError, match=r"q=0\.9 must be at least 1"):
        q_norm_target(0.5, 0.9)
    with pytest.raises(ValueError, match="q must exceed 1"):
        q_norm_probability(0.5, 1)
    with pytest.raises(ValueError, match="between 0 and 1"):
        q_norm_target(1.5, 2)
    with pytest.raises(ValueError, match="theta=0 must be positive"):
        theory_cost(10, 0)
    with pytest.raises(ValueError, match="overlapping"):
        theory_cost(10, 1.5, overlapping=True)


def test_the_picture_has_a_point_for_each_bin(curved):
    X, y = curved
    ax = plot_q_norm_calibration(QNormSVC(2, 40.0).fit(X, y), X, y, n_bins=5)
    assert len(ax.containers[0].lines[0].get_xdata()) == 5


def test_default_cost_serves_real_tables():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    machine = QNormSVC().fit(X[::2], y[::2])
    assert machine.cost_ == len(X[::2])
    assert machine.score(X[1::2], y[1::2]) > 0.95


def test_default_cost_counts_weights_as_rows(curved):
    X, y = curved
    counts = np.arange(len(y)) % 3
    weighted = QNormSVC(tol=1e-9).fit(X, y, sample_weight=counts)
    repeated = QNormSVC(tol=1e-9, gamma=weighted.kernel_.gamma).fit(np.repeat(X, counts, 0), np.repeat(y, counts))
    assert np.allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("q", [1.0, 1.5, 2.0, 4.0])
def test_too_few_steps_are_told(curved, q):
    X, y = curved
    assert QNormSVC(q).fit(X, y).converged_
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        machine = QNormSVC(q, max_iter=1).fit(X, y)
    assert not machine.converged_
