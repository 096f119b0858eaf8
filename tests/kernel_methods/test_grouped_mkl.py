"""Kernels in groups: known optima, the convex function that mirror descent minimises, limits, bad input."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.svm import SVC

from treatise.kernel_methods import GroupedMKLClassifier, LpMKLClassifier, plot_kernel_weights
from treatise.kernel_methods.mkl._grouped_solver import (
    GroupedOracle,
    group_gammas,
    grouped_dual_norm,
    grouped_norm,
)
from treatise.kernel_methods.mkl._simplex_cuts import SimplexCuts
from treatise.kernels import Gaussian, KernelBank, OnColumns, SpectrumKernel
from treatise.optimize import SVMDualProblem

# Three feature blocks of three widths on 80 rows, trace one, C = 1000; optima of an independent solution by cones.
GROUPS = [[OnColumns(Gaussian(gamma), range(a, a + 10)) for gamma in (0.01, 0.1, 1.0)] for a in (0, 10, 20)]
FLAT = [kernel for group in GROUPS for kernel in group]
POSITIONS = [np.arange(3), np.arange(3, 6), np.arange(6, 9)]
OPTIMA = {1.0: 386.8543, np.inf: 129.4736}


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return ((X - X.mean(axis=0)) / X.std(axis=0))[:80], 2 * y[:80] - 1


@pytest.fixture(scope="module")
def grams(cancer):
    bank = KernelBank(FLAT, cancer[0], normalize="trace")
    return np.array([bank.mixture(unit) for unit in np.eye(9)])


def oracle_of(cancer, q):
    bank = KernelBank(FLAT, cancer[0], normalize="trace")
    oracle = GroupedOracle(bank, SVMDualProblem.classification(cancer[1], 1000.0), POSITIONS, q, tol=1e-10)
    oracle.machine_tol = 1e-9
    return oracle


def value_at(oracle, shares, q):
    gammas = group_gammas(np.ones(3), q)
    return oracle.solve(shares, gammas, oracle.problem.start, most_rounds=200)


def random_shares(seed):
    return np.concatenate(np.random.default_rng(seed).dirichlet(np.ones(3), size=3))


@pytest.mark.parametrize("q", [1.0, 2.0, 3.0, np.inf])
def test_the_known_optimum_is_reached_within_thirty_steps(cancer, q):
    machine = GroupedMKLClassifier(q, kernels=GROUPS, tol=1e-4).fit(*cancer)
    assert machine.duality_gap_ <= 1e-4 and machine.n_iter_ <= 30
    if q in OPTIMA:
        upper, lower = machine.bounds_[-1]
        # The optima are known to seven digits, and so is the gap's promise of 1e-4.
        assert lower <= OPTIMA[q] * (1 + 1e-6) and upper >= OPTIMA[q] * (1 - 1e-6)
        assert machine.objective_ == pytest.approx(OPTIMA[q], rel=1e-4)


@pytest.mark.parametrize("n_groups", [1, 30])
def test_many_kernels_that_are_nearly_as_good_as_each_other_end_with_a_certificate(n_groups):
    """Mirror descent alone goes back and forth between them: with one group 500 steps leave a gap ten times as wide."""
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    flat = [OnColumns(Gaussian(4.0**power), [j]) for j in range(30) for power in range(-2, 3)]
    groups = [list(group) for group in np.array(flat, dtype=object).reshape(n_groups, -1)]
    machine = GroupedMKLClassifier(1.0, kernels=groups).fit(X[:240], y[:240])
    assert machine.converged_ and machine.duality_gap_ <= 1e-3 and machine.n_iter_ <= 100
    assert np.all(np.diff(machine.bounds_[:, 0]) <= 0) and np.all(np.diff(machine.bounds_[:, 1]) >= 0)
    if n_groups == 1:
        single = LpMKLClassifier(1.0, C=1000.0, kernels=flat, normalize="trace", tol=1e-4).fit(X[:240], y[:240])
        upper, lower = machine.bounds_[-1]
        assert lower <= single.objective_ and upper >= single.bounds_[-1, 1]


def test_a_bound_from_cuts_holds_for_every_point_of_the_simplices():
    rng = np.random.default_rng(0)
    cuts, forms = SimplexCuts(POSITIONS), rng.uniform(size=(6, 9))
    rewards = rng.uniform(size=6)
    for reward, form in zip(rewards, forms):
        cuts.add(reward, form)
    model = [(rewards - 0.5 * forms @ random_shares(seed)).max() for seed in range(2000)]
    lower = cuts.lower_bound()
    assert lower <= min(model) and lower >= min(model) - 0.1
    near = cuts.next_weights(random_shares(0), upper=min(model), lower=lower)
    np.testing.assert_allclose([near[group].sum() for group in POSITIONS], 1.0)
    # Four tenths of the way from the lower to the upper bound, but for the solver's tolerance.
    assert (rewards - 0.5 * forms @ near).max() <= lower + 0.4 * (min(model) - lower) + 1e-6


def test_at_infinity_all_groups_have_the_same_length(cancer, grams):
    X, y = cancer
    machine = GroupedMKLClassifier(np.inf, kernels=GROUPS, tol=1e-5).fit(X, y)
    beta = np.zeros(80)
    beta[machine.support_] = machine.dual_coef_
    lengths = machine.kernel_weights_ * np.sqrt(np.einsum("i,mij,j->m", beta, grams, beta))
    # Lengths follow the square root of the gap.
    np.testing.assert_allclose([lengths[group].sum() for group in POSITIONS], 16.0918, rtol=5e-3)


def test_one_group_is_sparse_multiple_kernel_learning_for_every_q(cancer):
    values = [GroupedMKLClassifier(q, kernels=[FLAT], tol=1e-4).fit(*cancer).objective_ for q in (1.0, 2.0, np.inf)]
    np.testing.assert_allclose(values, 1113.4237, rtol=1e-4)
    single = LpMKLClassifier(1.0, C=1000.0, kernels=FLAT, normalize="trace", tol=1e-5).fit(*cancer)
    assert single.objective_ == pytest.approx(1113.4237, rel=2e-5)


def test_groups_of_one_kernel_are_the_sum_of_kernels(cancer, grams):
    X, y = cancer
    machine = GroupedMKLClassifier(1.0, kernels=[[kernel] for kernel in FLAT], tol=1e-8).fit(X, y)
    assert machine.objective_ == pytest.approx(188.6485, rel=1e-6)
    peer = SVC(C=1000.0, kernel="precomputed", tol=1e-8).fit(grams.sum(axis=0), y)
    np.testing.assert_allclose(machine.decision_function(X), peer.decision_function(grams.sum(axis=0)), atol=1e-3)


@pytest.mark.parametrize("q", [1.0, 2.0, np.inf])
def test_the_value_is_convex_in_the_weights_and_its_gradient_right(cancer, q):
    oracle = oracle_of(cancer, q)
    ends = [random_shares(seed) for seed in (0, 1)]
    values = [value_at(oracle, ends[0] + s * (ends[1] - ends[0]), q).value for s in np.linspace(0, 1, 7)]
    assert np.all(np.diff(values, 2) > 0)
    shares = random_shares(2)
    gradient = oracle.gradient(value_at(oracle, shares, q))
    for direction in ([1, -1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, -1, 0.5, -0.5, 0]):
        move = 1e-4 * np.array(direction, float)
        change = value_at(oracle, shares + move, q).value - value_at(oracle, shares - move, q).value
        # Central differences of 1e-4 err by their square.
        assert change / 2 == pytest.approx(gradient @ move, rel=1e-4)


def test_the_ascent_rises_and_its_gammas_are_the_maximisers(cancer):
    for q, power in ((1.5, 3.0), (2.0, 2.0), (np.inf, 1.0)):
        oracle, shares = oracle_of(cancer, q), random_shares(3)
        values = [oracle.solve(shares, group_gammas(np.ones(3), q), oracle.problem.start, rounds).value
                  for rounds in (1, 2, 3, 5, 10)]  # fmt: skip
        assert np.all(np.diff(values) >= -1e-7 * values[-1])
        gammas = value_at(oracle, shares, q).gammas
        assert (gammas**power).sum() == pytest.approx(1.0, abs=1e-10)
        parts = np.array([0.5, 2.0, 3.0])
        best = (parts / group_gammas(parts, q)).sum()
        for seed in range(20):
            other = np.random.default_rng(seed).uniform(0.01, 1.0, 3)
            assert (parts / (other / (other**power).sum() ** (1 / power))).sum() >= best - 1e-12


def test_the_two_norms_are_conjugate():
    rng = np.random.default_rng(0)
    for q in (1.0, 1.5, 4.0, np.inf):
        # sum lengths * roots <= sqrt(norm * dual norm), with equality somewhere: Hoelder's inequality twice.
        lengths, roots = rng.uniform(size=9), rng.uniform(size=9)
        bound = np.sqrt(grouped_norm(lengths, POSITIONS, q) * grouped_dual_norm(roots**2, POSITIONS, q))
        assert lengths @ roots <= bound + 1e-12
        tight = np.zeros(9)
        for group in POSITIONS:
            largest = group[roots[group].argmax()]
            tight[largest] = 1.0 if np.isinf(q) else roots[largest] ** (1.0 / (2.0 * q - 1.0))
        bound = np.sqrt(grouped_norm(tight, POSITIONS, q) * grouped_dual_norm(roots**2, POSITIONS, q))
        assert tight @ roots == pytest.approx(bound, rel=1e-12)


def test_bounds_hold_at_every_step_and_weights_stay_in_their_simplices(cancer):
    machine = GroupedMKLClassifier(np.inf, kernels=GROUPS, tol=1e-5).fit(*cancer)
    upper, lower = machine.bounds_.T
    assert np.all(lower <= OPTIMA[np.inf] * (1 + 1e-6)) and np.all(upper >= OPTIMA[np.inf] * (1 - 1e-6))
    sums = np.array([machine.kernel_weights_[group].sum() for group in POSITIONS])
    np.testing.assert_allclose(sums, machine.group_weights_)
    np.testing.assert_allclose((1.0 / sums).sum(), 1.0, rtol=1e-4)
    # Sparse within the groups, all groups in play.
    assert np.count_nonzero(machine.kernel_weights_) <= 6 and np.all(machine.group_weights_ > 0)


def test_a_second_copy_of_a_kernel_changes_nothing(cancer):
    single = GroupedMKLClassifier(2.0, kernels=GROUPS, tol=1e-6).fit(*cancer)
    doubled = GroupedMKLClassifier(2.0, kernels=[[*GROUPS[0], GROUPS[0][2]], *GROUPS[1:]], tol=1e-6).fit(*cancer)
    assert doubled.objective_ == pytest.approx(single.objective_, rel=2e-6)


def test_a_group_of_noise_keeps_a_finite_weight(cancer, grams):
    _, y = cancer
    noise = np.random.default_rng(0).normal(size=(80, 80))
    noise = noise @ noise.T
    options = {"kernels": "precomputed", "tol": 1e-3}
    with_noise = GroupedMKLClassifier(2.0, groups=[*POSITIONS, [9]], **options).fit([*grams, noise], y)
    without = GroupedMKLClassifier(2.0, groups=POSITIONS, **options).fit(list(grams), y)
    assert np.isfinite(with_noise.group_weights_[3]) and with_noise.group_weights_[3] > 0
    scores = with_noise.decision_function([*grams, noise])
    assert np.abs(scores - without.decision_function(list(grams))).max() > 1e-2


def test_more_classes_and_strings():
    X, y = load_iris(return_X_y=True)
    machine = GroupedMKLClassifier().fit(X, y)
    assert machine.kernel_weights_.shape == (3, 20) and machine.group_weights_.shape == (3, 4)
    assert machine.score(X, y) > 0.95
    assert plot_kernel_weights(machine).images[0].get_array().shape == (3, 20)
    words = ["aaab", "aaba", "abaa", "bbba", "bbab", "babb"]
    kernels = [[SpectrumKernel(k=1)], [SpectrumKernel(k=2), SpectrumKernel(k=3)]]
    machine = GroupedMKLClassifier(kernels=kernels).fit(words, [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(machine.predict(["aaaa", "bbbb"]), [0, 1])


def test_bad_input_gets_clear_errors(cancer, grams):
    X, y = cancer
    for wrong in ({"q": 0.5}, {"C": -1.0}, {"step": 0.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            GroupedMKLClassifier(**wrong).fit(X, y)
    with pytest.raises(ValueError, match="one class only"):
        GroupedMKLClassifier(kernels=GROUPS).fit(X, np.ones(80))
    with pytest.raises(ValueError, match="group 1 of kernels is empty"):
        GroupedMKLClassifier(kernels=[FLAT, []]).fit(X, y)
    with pytest.raises(ValueError, match="list of lists"):
        GroupedMKLClassifier(kernels=[]).fit(X, y)
    with pytest.raises(ValueError, match="group 1 is empty"):
        GroupedMKLClassifier(kernels="precomputed", groups=[range(9), []]).fit(list(grams), y)
    with pytest.raises(ValueError, match="each of the kernels 0 to 8 once"):
        GroupedMKLClassifier(kernels="precomputed", groups=[[0, 1], [1, 2]]).fit(list(grams), y)
    with pytest.raises(ValueError, match="belongs to kernels='precomputed'"):
        GroupedMKLClassifier(groups=[[0]]).fit(X, y)
    wrong = -0.5 * np.outer(y, y)
    np.fill_diagonal(wrong, 1.0)
    with pytest.raises(ValueError, match="kernel 1 is not positive semi-definite"):
        GroupedMKLClassifier(kernels="precomputed", normalize=None).fit([20 * np.eye(80), wrong], y)
