"""The path against single fits, the conditions of optimality and brute-force error curves."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC

from treatise.datasets import make_gaussian_mixtures
from treatise.kernels import GramRows
from treatise.optimize import SVMDualProblem, solve_svm_dual
from treatise.svm import BiasFreeSVC, SVMPath, SVMPathCV, plot_decision_surface, plot_svm_path
from treatise.svm.path._start import path_start


@pytest.fixture(params=[5.0, 1.0, 0.5, 0.1])
def gamma(request):
    return request.param


def dual_value(coef, K):
    return np.abs(coef).sum() - 0.5 * coef @ K @ coef


def full_coef(machine, n):
    coef = np.zeros(n)
    coef[machine.support_] = machine.dual_coef_[0]
    return coef


def test_path_equals_single_fits_at_twenty_costs(gamma):
    X, y = make_gaussian_mixtures(random_state=1)
    K = rbf_kernel(X, gamma=gamma)
    path = SVMPath(kernel="precomputed", C_max=1e3).fit(K, y)
    costs = np.exp(np.random.default_rng(0).uniform(np.log(0.02), np.log(200.0), 20))
    for C in costs:
        coef, _ = path.dual_coef(C)
        reference = full_coef(SVC(kernel="precomputed", C=C, tol=1e-9).fit(K, y), len(y))
        best = dual_value(reference, K)
        # A dual value can lie above the best only by rounding; below it, by what the reference's tolerance leaves.
        assert dual_value(coef, K) == pytest.approx(best, rel=1e-8)
        np.testing.assert_allclose(
            path.decision_function(K, C) - path.dual_coef(C)[1], K @ reference, atol=2e-5 * max(1.0, C)
        )


def test_decision_values_equal_a_tight_reference_to_eight_digits():
    X, y = make_gaussian_mixtures(random_state=0)
    K = rbf_kernel(X, gamma=5.0)
    path = SVMPath(kernel="precomputed").fit(K, y)
    for C in (0.15, 0.7, 3.0, 20.0):
        # Not SVC, which rounds kernel values to single precision and so knows its scores to 1e-7 only.
        problem = SVMDualProblem.classification(y, C)
        reference = solve_svm_dual(GramRows.precomputed(K), problem, tol=1e-11)
        np.testing.assert_allclose(path.decision_function(K, C), reference.scores + reference.offset, atol=1e-8)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("n_dropped", [0, 37])
def test_conditions_of_optimality_hold_at_and_between_breakpoints(intercept, n_dropped, gamma):
    X, y = make_gaussian_mixtures(random_state=2)
    X, y = X[n_dropped:], y[n_dropped:]
    path = SVMPath(gamma=gamma, intercept=intercept, C_max=1e3).fit(X, y)
    assert np.all(np.diff(path.costs_) >= -1e-12 * path.costs_[1:])
    middles = np.sqrt(path.costs_[1:] * path.costs_[:-1])[:: len(path.costs_) // 40]
    for C in [*path.costs_[:: len(path.costs_) // 40], *middles]:
        coef, offset = path.dual_coef(C)
        alpha = coef * y / C
        margin = y * path.decision_function(X, C)
        assert np.all((alpha >= 0) & (alpha <= 1))
        if intercept:
            assert coef.sum() / C == pytest.approx(0, abs=1e-8)
        else:
            assert offset == 0
        # In units of the margin; the path refreshes its scores every 50 events.
        assert np.all(margin[alpha < 1e-9] >= 1 - 1e-6)
        assert np.all(margin[alpha > 1 - 1e-9] <= 1 + 1e-6)
        between = (alpha > 1e-6) & (alpha < 1 - 1e-6)
        np.testing.assert_allclose(margin[between], 1, atol=1e-6)


def test_number_of_breakpoints_is_that_of_the_paper():
    counts = []
    for seed in (0, 1, 2):
        X, y = make_gaussian_mixtures(random_state=seed)
        counts.append(len(SVMPath(gamma=1.0, C_max=1e6).fit(X, y).costs_))
    # The paper counts 632 on its own draw of this distribution.
    assert all(550 <= count <= 750 for count in counts)
    X, y = make_gaussian_mixtures(random_state=0)
    assert 1 / SVMPath(gamma=1.0).fit(X, y).costs_[0] == pytest.approx(26.3707, abs=1e-4)


def test_unbalanced_classes_start_from_the_shortest_machine():
    X = np.random.RandomState(0).randn(30, 2)
    y = np.where(np.arange(30) < 20, 1.0, -1.0)
    K = rbf_kernel(X, gamma=1.0)
    start = path_start(K, y, True)
    assert start.lam == pytest.approx(1.3607304, abs=1e-6)
    assert start.alpha_0 / start.lam == pytest.approx(0.4789301, abs=1e-6)
    assert np.count_nonzero((start.alpha > 0) & (start.alpha < 1)) == 8
    mirrored = path_start(K, -y, True)
    assert mirrored.lam == pytest.approx(start.lam) and mirrored.alpha_0 == pytest.approx(-start.alpha_0)
    path = SVMPath(kernel="precomputed").fit(K, y)
    C = 1 / (1.05 * start.lam)
    reference = SVC(kernel="precomputed", C=C, tol=1e-10).fit(K, y)
    np.testing.assert_allclose(path.dual_coef(C)[0], full_coef(reference, 30), atol=1e-6)
    np.testing.assert_allclose(path.decision_function(K, C), reference.decision_function(K), atol=1e-6)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_unbalanced_classes_without_a_shared_point_move_the_offset_towards_the_larger_one(sign):
    # The few lie so that corners of the hull of the many carry all the weight: no multiplier lies between 0 and 1.
    generator = np.random.default_rng(0)
    X = np.vstack([generator.normal(size=(30, 2)) + 3.0, [[0.0, 0.0], [0.3, -0.2], [-0.4, 0.1]]])
    y = sign * np.repeat([1.0, -1.0], [30, 3])
    start = path_start(X @ X.T, y, True)
    assert set(start.alpha) == {0.0, 1.0}
    path = SVMPath(kernel="linear").fit(X, y)
    for share in (0.05, 0.2, 0.5, 0.9):
        C = share * path.costs_[0]
        coef, offset = path.dual_coef(C)
        primal = 0.5 * coef @ X @ X.T @ coef + C * np.maximum(0.0, 1.0 - y * (X @ X.T @ coef + offset)).sum()
        # The offset is one of an interval: all of it has the same objective, and no other value reaches the dual one.
        assert primal == pytest.approx(dual_value(coef, X @ X.T), rel=1e-10)
        np.testing.assert_array_equal(path.predict(X, C), SVC(C=C, kernel="linear", tol=1e-9).fit(X, y).predict(X))
    costs, errors = path.error_curve(X, y)
    assert errors[0] == pytest.approx(3 / 33)
    assert np.mean(path.predict(X, 0.5 * costs[1]) != y) == pytest.approx(errors[0])


def test_without_an_intercept_the_path_is_that_of_bias_free_machines():
    X, y = make_gaussian_mixtures(60, random_state=7)
    y[:20] = 1.0
    path = SVMPath(gamma=2.0, intercept=False).fit(X, y)
    for C in (0.05, 0.6, 4.0, 50.0):
        machine = BiasFreeSVC(C, gamma=2.0, tol=1e-14, stopping="gap").fit(X, y)
        # Half the squared distance of two machines is at most the gap, 1e-14 of the sum of the costs.
        room = np.sqrt(2e-14 * C * len(y))
        np.testing.assert_allclose(path.decision_function(X, C), machine.decision_function(X), atol=room + 1e-9)


def test_without_an_intercept_the_path_starts_with_the_rule_of_two_densities():
    X, y = make_gaussian_mixtures(random_state=3)
    y[:30] = 1.0
    path = SVMPath(gamma=2.0, intercept=False).fit(X, y)
    densities = rbf_kernel(X, gamma=2.0) @ y
    np.testing.assert_allclose(path.decision_function(X, 0.5 * path.costs_[0]) / path.costs_[0] * 2, densities)


def test_repeated_rows_of_equal_and_of_opposite_label_do_not_stall_the_path():
    for seed in range(3):
        X, y = make_gaussian_mixtures(50, random_state=seed)
        X, y = np.vstack([X, X[:30], X[50:60]]), np.concatenate([y, y[:30], -y[50:60]])
        K = rbf_kernel(X, gamma=1.0)
        path = SVMPath(kernel="precomputed", C_max=1e3).fit(K, y)
        assert 0 < path.ridge_ <= 1e-6
        for C in (0.5, 8.0, 100.0):
            reference = full_coef(SVC(kernel="precomputed", C=C, tol=1e-8).fit(K, y), len(y))
            assert dual_value(path.dual_coef(C)[0], K) == pytest.approx(dual_value(reference, K), rel=1e-7)


@pytest.mark.parametrize("seed", [7, 10, 30])
def test_repeated_rows_on_the_margin_keep_their_scores(seed):
    # Rows that are one point to the kernel leave an inverse of few digits: unless directions are refined, scores drift
    # by 1e-6 to 1e-4 on these draws.
    generator = np.random.default_rng(seed)
    X = np.repeat(generator.normal(size=(8, 1)), 2, axis=0)
    y = np.where(generator.random(16) < 0.3, 1.0, -1.0)
    path = SVMPath(kernel="linear", intercept=False, C_max=100.0).fit(X, y)
    assert 0 < path.ridge_ < 1e-10
    for C in (0.4, 3.0, 40.0):
        machine = BiasFreeSVC(C, kernel="precomputed", tol=1e-15, stopping="gap").fit(X @ X.T, y)
        # A ridge changes a score by less than C times itself.
        np.testing.assert_allclose(path.decision_function(X, C), machine.decision_function(X @ X.T), atol=1e-8)


def test_the_most_regularised_end_is_best_with_many_more_inputs_than_rows():
    first, last = [], []
    for seed in range(50):
        generator = np.random.RandomState(seed)
        y = np.repeat([1.0, -1.0], 20)
        X = generator.randn(40, 50)
        X[:, 0] += 2.0 * y
        path = SVMPath(kernel="linear").fit(X, y)
        for C, found in ((path.costs_[0], first), (path.costs_[-1], last)):
            coef, offset = path.dual_coef(C)
            w = X.T @ coef
            length = np.linalg.norm(w)
            error = np.mean(norm.cdf(-(2 * w[0] + np.array([offset, -offset])) / length))
            found.append((error, np.degrees(np.arccos(w[0] / length))))
    # Means over the same fifty draws by an independent program, which solved quadratic programs.
    for found, error, angle in ((first, 0.048, 28.1), (last, 0.072, 41.4)):
        assert np.mean(found, axis=0)[0] == pytest.approx(error, abs=0.004)
        assert np.mean(found, axis=0)[1] == pytest.approx(angle, abs=1.5)
    assert np.mean(np.array(first)[:, 0] <= np.array(last)[:, 0]) > 0.85


def test_separable_classes_end_at_the_machine_of_largest_margin():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [3.0, 0.0], [3.0, 1.0]])
    y = np.array([-1, -1, 1, 1])
    path = SVMPath(kernel="linear", C_max=1e3).fit(X, y)
    coef, offset = path.dual_coef(1e3)
    np.testing.assert_allclose(X.T @ coef, [2 / 3, 0], atol=1e-9)
    assert offset == pytest.approx(-1.0)
    assert path.n_within_[-1] == 0


@pytest.mark.parametrize("n_dropped", [0, 61])
def test_error_curve_equals_predictions_at_the_middle_of_every_step(n_dropped):
    X, y = make_gaussian_mixtures(random_state=4)
    X, y = X[n_dropped:], y[n_dropped:]
    test = np.arange(len(y)) % 3 == 0
    path = SVMPath(gamma=1.0, C_max=100.0).fit(X[~test], y[~test])
    costs, errors = path.error_curve(X[test], y[test])
    assert costs[0] == 0 and np.all(np.diff(costs) > 0)
    middles = np.sqrt(np.maximum(costs[1:-1], 1e-4) * costs[2:])
    for C, error in zip(middles[::3], errors[1:-1][::3]):
        assert np.mean(path.predict(X[test], C) != y[test]) == pytest.approx(error)
    assert np.mean(path.predict(X[test], costs[1] * 0.5) != y[test]) == pytest.approx(errors[0])


def test_cross_validated_curve_equals_refits():
    X, y = make_gaussian_mixtures(60, random_state=5)
    folds = StratifiedKFold(4)
    machine = SVMPathCV(SVMPath(gamma=1.0, C_max=100.0), cv=folds).fit(X, y)
    for C in (0.3, 2.0, 30.0):
        wrong = sum(
            np.count_nonzero(SVC(C=C, gamma=1.0, tol=1e-8).fit(X[train], y[train]).predict(X[test]) != y[test])
            for train, test in folds.split(X, y)
        )
        at = np.searchsorted(machine.costs_, C, side="right") - 1
        assert machine.errors_[at] == pytest.approx(wrong / len(y))
    assert machine.best_score_ == pytest.approx(1 - machine.errors_[machine.costs_ < 100].min())
    assert np.mean(machine.predict(X) == y) >= machine.best_score_ - 0.05
    K = rbf_kernel(X, gamma=1.0)
    same = SVMPathCV(SVMPath(kernel="precomputed", C_max=100.0), cv=folds).fit(K, y)
    assert same.best_C_ == pytest.approx(machine.best_C_)


def test_sparse_rows_labels_and_several_costs():
    X, y = make_gaussian_mixtures(40, random_state=6)
    labels = np.where(y > 0, "yes", "no")
    dense = SVMPath(gamma=1.0).fit(X, labels)
    thin = SVMPath(gamma=1.0).fit(sparse.csr_array(X), labels)
    scores = dense.decision_function(X, [0.1, 10.0])
    np.testing.assert_allclose(thin.decision_function(sparse.csr_array(X), [0.1, 10.0]), scores, atol=1e-8)
    np.testing.assert_array_equal(dense.predict(X, 10.0), np.where(scores[:, 1] > 0, "yes", "no"))


def test_bad_input_is_named():
    X, y = make_gaussian_mixtures(20, random_state=0)
    path = SVMPath(C_max=10.0).fit(X, y)
    with pytest.raises(ValueError, match=r"C=11 lies outside the path, which holds 0 < C <= 10"):
        path.predict(X, 11.0)
    with pytest.raises(ValueError, match="one class only"):
        SVMPath().fit(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="Only binary classification"):
        SVMPath().fit(X, np.arange(len(X)) % 3)
    with pytest.raises(ValueError, match=r"y holds \[7\], not among the classes \[-1\., +1\.\] of the path"):
        path.error_curve(X, np.full(len(X), 7))
    with pytest.raises(ValueError, match="one class to train on in a fold"):
        SVMPathCV(SVMPath(C_max=10.0), cv=KFold(2)).fit(X, y)
    K = rbf_kernel(X)
    K[2, 5] += 1.0
    with pytest.raises(ValueError, match=r"must be symmetric; entry \(2, 5\)"):
        SVMPath(kernel="precomputed").fit(K, y)


def test_picture_shows_a_line_for_every_point():
    X, y = make_gaussian_mixtures(20, random_state=0)
    assert len(plot_svm_path(SVMPath().fit(X, y)).lines) == 40
    with pytest.raises(NotFittedError):
        plot_svm_path(SVMPath())


def test_surface_shows_the_border_the_points_and_refuses_what_it_cannot_draw():
    X, y = make_gaussian_mixtures(20, random_state=0)
    machine = SVC(gamma=1.0).fit(X, y)
    ax = plot_decision_surface(machine, X, y, n_grid=30)
    assert [len(line.get_xdata()) for line in ax.lines] == [20, 20, len(machine.support_)]
    with pytest.raises(ValueError, match=r"two features; X has shape \(40, 3\)"):
        plot_decision_surface(machine, np.zeros((40, 3)), y)
    with pytest.raises(ValueError, match="two classes; the machine has 3"):
        plot_decision_surface(SVC().fit(X, np.arange(40) % 3), X, y)


def _with_empty_elbows():
    """Small tables on a grid, on whose paths all points leave the elbow at once."""
    for seed in range(60):
        rng = np.random.RandomState(seed)
        X, y = rng.randint(-3, 4, size=(8, 1)).astype(float), np.repeat([1.0, -1.0], 4)
        path = SVMPath(kernel="linear", C_max=50.0).fit(X, y)
        if np.any(path.elbow_sizes_ == 0):
            yield X, y, path


def test_offset_is_in_the_middle_where_the_elbow_is_empty():
    tables = list(_with_empty_elbows())
    assert len(tables) > 5
    for X, y, path in tables:
        K, costs = X @ X.T, path.costs_
        for k in np.flatnonzero(path.elbow_sizes_[:-1] == 0):
            for C in np.geomspace(costs[k], costs[k + 1], 4)[1:3]:
                coef, offset = path.dual_coef(C)
                scores, at_cost = K @ coef, np.abs(coef) > C / 2
                # Those at the cost stay within the margin, the others outside it.
                highs = np.concatenate([(1 - scores)[at_cost & (y > 0)], (-1 - scores)[~at_cost & (y < 0)]])
                lows = np.concatenate([(-1 - scores)[at_cost & (y < 0)], (1 - scores)[~at_cost & (y > 0)]])
                assert offset == pytest.approx((highs.min() + lows.max()) / 2, abs=1e-9)


def test_points_that_leave_together_leave_an_optimal_machine():
    for X, y, path in _with_empty_elbows():
        for C in np.geomspace(0.02, 49.0, 9):
            coef, offset = path.dual_coef(C)
            length = coef @ (X @ X.T) @ coef
            primal = 0.5 * length + C * np.maximum(0.0, 1.0 - y * ((X @ X.T) @ coef + offset)).sum()
            dual = np.abs(coef).sum() - 0.5 * length
            # The ridge of points that coincide, 1e-7 at most here.
            assert primal - dual <= 1e-6 * primal and abs(coef.sum()) <= 1e-7 * C
