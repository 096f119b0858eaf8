"""l_p-norm multiple kernel learning: known optima, bounds, limits that are other machines, bad input."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC, SVR, OneClassSVM

from treatise.kernel_methods import (
    LpMKLClassifier,
    LpMKLOneClass,
    LpMKLRegressor,
    lp_kernel_weights,
    lp_mkl_bound,
    plot_kernel_weights,
)
from treatise.kernels import Gaussian, KernelBank, Linear, OnColumns, SpectrumKernel
from treatise.papers.kernel_methods.v12_0953._toy import make_mkl_toy

# Nine kernels of three feature blocks on 80 rows; optima of an independent solution of the dual by cones.
KERNELS = [OnColumns(Gaussian(gamma), range(a, a + 10)) for a in (0, 10, 20) for gamma in (0.01, 0.1, 1.0)]
OPTIMA = {1.0: 9.38829, 2.0: 4.379451, np.inf: 1.643594}
WEIGHTS = (0.2359, 0.2634, 0.3620, 0.2491, 0.2445, 0.4137, 0.3225, 0.4172, 0.4158)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return ((X - X.mean(axis=0)) / X.std(axis=0))[:80], 2 * y[:80] - 1


@pytest.fixture(scope="module")
def grams(cancer):
    bank = KernelBank(KERNELS, cancer[0])
    return np.array([bank.mixture(unit) for unit in np.eye(9)])


@pytest.mark.parametrize("solver", ["wrapper", "interleaved"])
@pytest.mark.parametrize("p", list(OPTIMA))
def test_both_solvers_reach_the_known_optimum(cancer, p, solver):
    # The tolerance asked for bounds the distance of either end from the optimum, known to six digits.
    tol = 1e-4 if p == 1.0 else 1e-6
    machine = LpMKLClassifier(p, kernels=KERNELS, solver=solver, tol=tol).fit(*cancer)
    assert machine.duality_gap_ <= tol
    upper, lower = machine.bounds_[-1]
    assert lower <= OPTIMA[p] * (1 + 1e-6) and upper >= OPTIMA[p] * (1 - 1e-6)
    assert machine.objective_ == pytest.approx(OPTIMA[p], rel=max(tol, 1e-5))
    if p == 2.0:
        np.testing.assert_allclose(machine.kernel_weights_, WEIGHTS, atol=1e-3)


def test_the_value_falls_over_steps_and_with_p(cancer):
    values = []
    for p in (1.0, 16 / 15, 4 / 3, 2.0, 4.0, np.inf):
        machine = LpMKLClassifier(p, kernels=KERNELS, solver="wrapper", tol=1e-6).fit(*cancer)
        upper, lower = machine.bounds_.T
        # Machines are solved to a twentieth of the gap, by which the upper end may rise.
        assert np.all(np.diff(upper) <= 0.05 * (upper - lower)[:-1] + 1e-12)
        assert np.all(np.diff(lower) >= 0)
        values.append(machine.objective_)
        if np.isfinite(p):
            assert (machine.kernel_weights_**p).sum() ** (1 / p) == pytest.approx(1.0, abs=1e-12)
    assert np.all(np.diff(values) < 0)


def test_bounds_equal_primal_and_dual_values_computed_from_the_model(cancer, grams):
    X, y = cancer
    p, C = 2.0, 0.7
    machine = LpMKLClassifier(p, C=C, kernels=KERNELS, solver="wrapper").fit(X, y)
    beta = np.zeros(80)
    beta[machine.support_] = machine.dual_coef_
    forms = np.einsum("i,mij,j->m", beta, grams, beta)
    scores = np.einsum("m,mij,j->i", machine.kernel_weights_, grams, beta) + machine.intercept_
    primal = 0.5 * machine.kernel_weights_ @ forms + C * np.maximum(0.0, 1.0 - y * scores).sum()
    dual = np.abs(beta).sum() - 0.5 * np.sqrt((forms**2).sum())
    assert abs(beta.sum()) < 1e-10 and np.all(beta * y >= 0) and np.all(beta * y <= C + 1e-12)
    assert machine.objective_ == pytest.approx(primal, rel=1e-10)
    assert machine.bounds_[-1, 1] >= dual - 1e-10
    np.testing.assert_allclose(machine.decision_function(X), scores, atol=1e-10)


def test_solvers_agree_in_their_scores(cancer):
    X, y = cancer
    for p in (1.0, 4 / 3, 2.0):
        both = [LpMKLClassifier(p, kernels=KERNELS, solver=s, tol=1e-7).fit(X, y) for s in ("wrapper", "interleaved")]
        assert both[0].objective_ == pytest.approx(both[1].objective_, rel=1e-4)
        np.testing.assert_allclose(both[0].decision_function(X), both[1].decision_function(X), atol=1e-2)


def test_the_closed_form_step_is_the_minimiser():
    lengths = np.array([0.3, 1.0, 2.0])
    for p in (1.0, 4 / 3, 2.0, 5.0):
        found = lp_kernel_weights(lengths, p)

        def value(logs, p=p):
            weights = np.exp(logs) / (np.exp(logs) ** p).sum() ** (1 / p)
            return (lengths**2 / weights).sum()

        best = minimize(value, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).fun
        assert (lengths**2 / found).sum() == pytest.approx(best, rel=1e-8)
        assert (found**p).sum() == pytest.approx(1.0, abs=1e-12)
    assert lp_kernel_weights([1.0, -1e-9], 2.0)[1] == 0.0
    np.testing.assert_array_equal(lp_kernel_weights([1.0, 2.0], np.inf), [1.0, 1.0])
    np.testing.assert_allclose(lp_kernel_weights([0.0, 0.0], 2.0), 0.5**0.5)


def test_a_large_p_is_the_sum_of_kernels_and_p_near_one_is_p_one(cancer, grams):
    X, y = cancer
    many = LpMKLClassifier(200.0, kernels=KERNELS, tol=1e-8).fit(X, y)
    summed = SVC(kernel="precomputed", tol=1e-8).fit(grams.sum(axis=0), y)
    # Weights of 9^(-1/200) to 1 instead of 1.
    np.testing.assert_allclose(many.decision_function(X), summed.decision_function(grams.sum(axis=0)), atol=0.02)
    infinite = LpMKLClassifier(np.inf, kernels=KERNELS, tol=1e-10).fit(X, y)
    found = infinite.decision_function(X)
    np.testing.assert_allclose(found, summed.decision_function(grams.sum(axis=0)), atol=1e-4)
    near, one = (LpMKLClassifier(p, kernels=KERNELS, tol=1e-5).fit(X, y).objective_ for p in (1.0001, 1.0))
    assert near == pytest.approx(one, rel=1e-3)


@pytest.mark.parametrize("solver", ["wrapper", "interleaved"])
def test_two_equal_kernels_are_one_of_another_scale(cancer, solver):
    X, y = cancer
    K = Gaussian(0.05)(X)
    for p in (4 / 3, 2.0):
        machine = LpMKLClassifier(p, kernels="precomputed", normalize=None, tol=1e-9, solver=solver).fit([K, K], y)
        np.testing.assert_allclose(machine.kernel_weights_, 2 ** (-1 / p), atol=1e-9)
        single = SVC(kernel="precomputed", tol=1e-8).fit(2 ** (1 - 1 / p) * K, y)
        found = machine.decision_function([K, K])
        np.testing.assert_allclose(found, single.decision_function(2 ** (1 - 1 / p) * K), atol=1e-3)


@pytest.mark.parametrize("solver", ["wrapper", "interleaved"])
def test_with_one_kernel_it_is_the_machine_of_that_kernel(solver):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:150] / X.std(axis=0), (y[:150] - y.mean()) / y.std()
    options = {"kernels": [Gaussian(0.05)], "normalize": None, "tol": 1e-9, "solver": solver}
    ours = LpMKLRegressor(C=2.0, epsilon=0.1, **options).fit(X, y)
    peer = SVR(C=2.0, epsilon=0.1, gamma=0.05, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), atol=1e-4)
    ours = LpMKLOneClass(nu=0.2, **options).fit(X)
    peer = OneClassSVM(nu=0.2, gamma=0.05, tol=1e-9).fit(X)
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-4 * ours.offset_)
    assert ours.dual_coef_.sum() == pytest.approx(0.2 * 150)


def test_regression_and_one_class_close_their_gaps_with_many_kernels():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:200] / X.std(axis=0), (y[:200] - y.mean()) / y.std()
    found = {}
    for solver in ("wrapper", "interleaved"):
        for name, machine in (
            ("numbers", LpMKLRegressor(4 / 3, kernels="features", solver=solver, tol=1e-6)),
            ("one class", LpMKLOneClass(4 / 3, solver=solver, tol=1e-6)),
        ):
            machine.fit(X, y)
            assert machine.duality_gap_ <= 1e-6
            found[name, solver] = machine.objective_
    for name in ("numbers", "one class"):
        assert found[name, "wrapper"] == pytest.approx(found[name, "interleaved"], rel=2e-6)


def test_interleaving_needs_few_rows_where_the_matrices_do_not_fit():
    X, y = make_moons(600, noise=0.2, random_state=0)
    kernels = [Gaussian(4.0**k) for k in range(-3, 4)]
    # Scales come from 500 of the 600 rows where not all are kept: without them both solve the same problem.
    small = LpMKLClassifier(kernels=kernels, normalize=None, memory_bytes=4 * 7 * 600 * 300, tol=1e-4).fit(X, y)
    whole = LpMKLClassifier(kernels=kernels, normalize=None, solver="wrapper", tol=1e-4).fit(X, y)
    assert small.duality_gap_ <= 1e-4
    assert small.objective_ == pytest.approx(whole.objective_, rel=2e-4)


def test_toy_errors_depend_on_p_as_published():
    # Means over 20 draws of an independent implementation; here 3 draws, whose means scatter by about 0.01.
    for n_relevant, expected in ((50, (0.113, 0.068)), (1, (0.049, 0.199))):
        errors = []
        for seed in range(3):
            X, y, mean = make_mkl_toy(50, n_relevant=n_relevant, random_state=100 + seed)
            grams = [np.outer(column, column) for column in X.T]
            for p in (2.0, np.inf):
                found = []
                for C in (1e-3, 1e-2, 1e-1, 1.0):
                    machine = LpMKLClassifier(p, C=C, kernels="precomputed").fit(grams, y)
                    part = machine.kernel_weights_ * machine.kernel_scales_
                    w = part * (X[machine.support_].T @ machine.dual_coef_)
                    margins = w @ mean + np.array([1.0, -1.0]) * machine.intercept_
                    found.append(norm.cdf(-margins / np.linalg.norm(w)).mean())
                errors.append(min(found))
        np.testing.assert_allclose(np.reshape(errors, (3, 2)).mean(axis=0), expected, atol=0.03)


def test_p_one_is_sparse_and_finds_the_relevant_feature():
    X, y, _ = make_mkl_toy(50, n_relevant=1, random_state=0)
    machine = LpMKLClassifier(1.0, C=0.1, kernels=[OnColumns(Linear(), [j]) for j in range(50)]).fit(X, y)
    assert machine.kernel_weights_.argmax() == 0
    assert np.count_nonzero(machine.kernel_weights_) < 15


def test_a_small_cost_does_not_leave_the_weights_where_they_began():
    X, y, _ = make_mkl_toy(50, n_relevant=1, random_state=0)
    machine = LpMKLClassifier(1.0, C=1e-4, kernels=[OnColumns(Linear(), [j]) for j in range(50)]).fit(X, y)
    assert machine.kernel_weights_[0] > 0.9


def test_more_classes_are_learned_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    machine = LpMKLClassifier(kernels="features", tol=1e-6).fit(X, y)
    assert machine.kernel_weights_.shape == (3, 4) and machine.decision_function(X).shape == (150, 3)
    assert machine.score(X, y) > 0.95
    second = LpMKLClassifier(kernels="features", tol=1e-6).fit(X, y == 1)
    np.testing.assert_allclose(machine.kernel_weights_[1], second.kernel_weights_, atol=1e-6)
    np.testing.assert_allclose(machine.decision_function(X)[:, 1], second.decision_function(X), atol=1e-6)


def test_a_stack_of_matrices_can_be_cross_validated(cancer, grams):
    _, y = cancer
    stack = np.moveaxis(grams, 0, -1)
    listed = LpMKLClassifier(kernels="precomputed").fit(list(grams), y)
    stacked = LpMKLClassifier(kernels="precomputed").fit(stack, y)
    np.testing.assert_array_equal(listed.decision_function(list(grams)), stacked.decision_function(stack))
    assert cross_val_score(LpMKLClassifier(kernels="precomputed"), stack, y, cv=3).mean() > 0.85


def test_strings_and_functions_are_kernels_too():
    words = ["aaab", "aaba", "abaa", "bbba", "bbab", "babb"]
    machine = LpMKLClassifier(kernels=[SpectrumKernel(k=1), SpectrumKernel(k=2)]).fit(words, [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(machine.predict(["aaaa", "bbbb"]), [0, 1])
    X, y = make_moons(40, random_state=0)
    machine = LpMKLClassifier(kernels=["rbf", "linear", lambda A, B: A @ B.T]).fit(X, y)
    assert len(machine.kernel_weights_) == 3


@pytest.mark.parametrize("solver", ["wrapper", "interleaved"])
def test_matrices_a_little_or_far_below_semidefinite(solver):
    rng = np.random.default_rng(0)
    root = rng.normal(size=(40, 3))
    K, y = root @ root.T, np.where(rng.normal(size=40) > 0, 1, -1)
    options = {"kernels": "precomputed", "normalize": None, "solver": solver}
    machine = LpMKLClassifier(**options).fit([K - 1e-10 * np.eye(40), np.eye(40)], y)
    assert np.isfinite(machine.objective_)
    # No pair of objects gives it away, but all of one class together have a negative squared length.
    wrong = -0.5 * np.outer(y, y)
    np.fill_diagonal(wrong, 1.0)
    with pytest.raises(ValueError, match="kernel 0 is not positive semi-definite"):
        LpMKLClassifier(**options).fit([wrong, 20 * np.eye(40)], y)
    tilted = K.copy()
    tilted[0, 1] += 5.0
    with pytest.raises(ValueError, match=r"Gram matrix 1 of the list: .* symmetric; entry \(0, 1\)"):
        LpMKLClassifier(**options).fit([K, tilted], y)


def test_an_unfinished_gap_is_told(cancer):
    with pytest.warns(ConvergenceWarning, match="relative duality gap"):
        LpMKLClassifier(4 / 3, kernels=KERNELS, tol=1e-9, max_iter=2).fit(*cancer)


def test_bad_input_gets_clear_errors(cancer):
    X, y = cancer
    for wrong in ({"p": 0.5}, {"C": 0.0}, {"solver": "other"}, {"tol": 0.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            LpMKLClassifier(**wrong).fit(X, y)
    with pytest.raises(ValueError, match=r"one class only, 1\.0; "):
        LpMKLClassifier().fit(X, np.ones(80))
    with pytest.raises(ValueError, match=r"only \[1\] of the classes of y have a weight above zero"):
        LpMKLClassifier().fit(X, y, sample_weight=y > 0)
    with pytest.raises(ValueError, match="kernels is empty"):
        LpMKLClassifier(kernels=[]).fit(X, y)
    with pytest.raises(ValueError, match="kernels holds 'sigmoid'"):
        LpMKLClassifier(kernels=["sigmoid"]).fit(X, y)
    with pytest.raises(ValueError, match="square"):
        LpMKLClassifier(kernels="precomputed").fit([np.ones((80, 3))], y)
    with pytest.raises(ValueError, match="list of matrices or as an array of shape"):
        LpMKLClassifier(kernels="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        LpMKLClassifier(kernels="precomputed").fit([np.full((80, 80), np.nan)], y)
    machine = LpMKLClassifier(kernels="precomputed").fit([np.eye(80), X @ X.T], y)
    with pytest.raises(ValueError, match="fitted to 2 kernels of 80 objects"):
        machine.decision_function([np.ones((3, 80))])


def test_the_bound_follows_its_formula():
    assert lp_mkl_bound(10, 100, np.inf) == pytest.approx(np.sqrt(23 / 22 * 10 * 1 / 100))
    assert lp_mkl_bound(10, 100, 2.0, radius=3.0) == pytest.approx(3 * np.sqrt(23 / 22 * np.sqrt(10) * 2 / 100))
    assert lp_mkl_bound(10, 100, 1.0) == pytest.approx(np.sqrt(23 / 22 * np.e * 3 / 100))
    with pytest.raises(ValueError, match="n_kernels=1"):
        lp_mkl_bound(1, 100, 2.0)


def test_the_plot_shows_every_weight(cancer):
    machine = LpMKLClassifier(kernels=KERNELS).fit(*cancer)
    ax = plot_kernel_weights(machine)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], machine.kernel_weights_)
    X, y = load_iris(return_X_y=True)
    several = plot_kernel_weights(LpMKLClassifier().fit(X, y))
    assert several.images[0].get_array().shape == (3, 7)
    with pytest.raises(ValueError, match="2 labels for 9 kernels"):
        plot_kernel_weights(machine, labels=["a", "b"])


def _three_grams(n=40):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=n)
    return [rbf_kernel(X[:, [j]], gamma=1.0) for j in range(3)], y


@pytest.mark.parametrize("p", [1.0, 4 / 3, 2.0, 4.0])
def test_squared_loss_has_the_best_weights_of_a_search(p):
    grams, y = _three_grams()
    machine = LpMKLRegressor(p, C=5.0, loss="squared", kernels="precomputed", normalize=None, tol=1e-7).fit(grams, y)
    one = np.ones(len(y))

    def value(weights):
        system = np.einsum("m,mij->ij", weights, grams) + np.eye(len(y)) / 5.0
        by_one, by_y = np.linalg.solve(system, np.column_stack([one, y])).T
        return 0.5 * y @ (by_y - by_one * (by_y.sum() / by_one.sum()))

    angles = np.linspace(0.0, 1.0, 60)
    shares = np.array([(a, b, 1 - a - b) for a in angles for b in angles if a + b <= 1])
    # Points of the sphere of the p-norm; near zero the grid is coarse, and misses up to half a per cent.
    best = min(value(share ** (1 / p)) for share in np.maximum(shares, 0.0))
    assert machine.converged_ and machine.objective_ == pytest.approx(value(machine.kernel_weights_), rel=1e-8)
    assert best * (1 - 5e-3) <= machine.objective_ <= best * (1 + 1e-7)


def test_squared_loss_with_one_kernel_is_ridge_regression_and_weights_are_copies():
    grams, y = _three_grams()
    options = {"C": 2.0, "loss": "squared", "kernels": "precomputed", "normalize": None, "tol": 1e-6}
    machine = LpMKLRegressor(np.inf, **options).fit([grams[0]], y)
    mean = machine.intercept_
    ridge = KernelRidge(0.5, kernel="precomputed").fit(grams[0], y - mean)
    np.testing.assert_allclose(machine.predict([grams[0]]), ridge.predict(grams[0]) + mean, atol=1e-8)
    assert abs(np.sum(machine.dual_coef_)) < 1e-9
    counts = np.arange(len(y)) % 3
    rows = np.repeat(np.arange(len(y)), counts)
    weighted = LpMKLRegressor(**options).fit(grams, y, sample_weight=counts)
    copied = LpMKLRegressor(**options).fit([gram[np.ix_(rows, rows)] for gram in grams], y[rows])
    np.testing.assert_allclose(weighted.predict(grams), copied.predict([gram[:, rows] for gram in grams]), atol=1e-3)
    with pytest.raises(ValueError, match="no working sets"):
        LpMKLRegressor(solver="interleaved", **options).fit(grams, y)


@pytest.mark.parametrize("r", [3.0, 8.0, np.inf])
def test_block_norms_above_two_close_the_gap_between_primal_and_dual(cancer, grams, r):
    y = cancer[1]
    machine = LpMKLClassifier(block_norm=r, kernels="precomputed", tol=1e-6, max_iter=500).fit(list(grams), y)
    beta = np.zeros(len(y))
    beta[machine.support_] = machine.dual_coef_
    scaled = np.array([scale * gram for scale, gram in zip(machine.kernel_scales_, grams)])
    forms = np.einsum("i,mij,j->m", beta, scaled, beta)
    signs = np.where(y == machine.classes_[1], 1, -1)
    conjugate = 1.0 if np.isinf(r) else r / (r - 1)
    dual = np.abs(beta).sum() - 0.5 * np.linalg.norm(np.sqrt(forms), conjugate) ** 2
    lengths = machine.kernel_weights_ * np.sqrt(forms)
    slack = np.maximum(1 - signs * machine.decision_function(list(grams)), 0)
    primal = 0.5 * np.linalg.norm(lengths, r) ** 2 + slack.sum()
    # No machine is worth less than the dual value of any admissible one.
    assert 0 <= primal - dual <= 1e-5 * primal and machine.objective_ == pytest.approx(primal, rel=1e-6)
    assert lengths.max() / lengths.min() < np.sqrt(forms.max() / forms.min())


def test_block_norms_up_to_two_are_norms_of_weights(cancer, grams):
    y = cancer[1]
    for r, p in ((1.0, 1.0), (1.5, 3.0), (2.0, np.inf)):
        by_block = LpMKLClassifier(block_norm=r, kernels="precomputed").fit(list(grams), y)
        by_weight = LpMKLClassifier(p, kernels="precomputed").fit(list(grams), y)
        np.testing.assert_array_equal(by_block.kernel_weights_, by_weight.kernel_weights_)
    # From both sides of 2 the plain sum is approached.
    near = LpMKLClassifier(block_norm=2.0001, kernels="precomputed", tol=1e-6).fit(list(grams), y)
    assert near.objective_ == pytest.approx(by_weight.objective_, rel=2e-3)
    with pytest.raises(ValueError, match="takes a block_norm up to 2; it is 3"):
        LpMKLRegressor(loss="squared", block_norm=3.0, kernels="precomputed").fit(list(grams), y.astype(float))
    with pytest.raises(ValueError, match="no working sets above 2"):
        LpMKLClassifier(block_norm=3.0, solver="interleaved", kernels="precomputed").fit(list(grams), y)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_the_targets_does_not_matter(unit):
    grams, y = _three_grams()
    plain = LpMKLRegressor(kernels="precomputed").fit(grams, y)
    scaled = LpMKLRegressor(kernels="precomputed").fit(grams, unit * y)
    assert plain.score(grams, y) > 0.9
    np.testing.assert_allclose(scaled.predict(grams) / unit, plain.predict(grams), atol=1e-3)
