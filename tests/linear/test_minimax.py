"""Minimax probability machines: the paper's examples, a generic optimiser, and distributions that attain the bound."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, make_circles
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import ShuffleSplit
from sklearn.preprocessing import StandardScaler

from treatise.datasets import load_table
from treatise.linear import (
    KernelMinimaxProbabilityMachine,
    MinimaxProbabilityMachine,
    plot_frontier,
    worst_case_accuracy,
)

# Section 5.1: y first, x second.
SYNTHETIC = np.array([[-1.0, 0.0], [3.0, 0.0]]), np.array([np.diag([1.0, 5.0]), np.diag([4.0, 1.0])])
OBLIQUE = (
    np.array([[-1.0, 0.0, 0.0], [1.0, 2.0, 0.5]]),
    np.array(
        [
            [[1.0, -0.3, 0.1], [-0.3, 2.0, 0.0], [0.1, 0.0, 0.5]],
            [[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 1.5]],
        ]
    ),
)
# The covariances carry a ridge of 1e-8 of the variances, which moves distances by about as much.
RIDGE_ERROR = 1e-7


def machine(moments=SYNTHETIC, criterion="minimum_error", **options):
    return MinimaxProbabilityMachine(criterion, **options).fit_moments(*moments)


def crossing(model):
    return -model.intercept_[0] / model.coef_[0, 0]


def random_moments(rng, p):
    factors = rng.normal(size=(2, p, p + 2))
    return rng.normal(size=(2, p)), factors @ factors.transpose(0, 2, 1) / p


def deviations(a, covariances):
    return [np.sqrt(a @ covariance @ a) for covariance in covariances]


def generic_plane(objective, moments):
    """Best a with a'd = 1 by a general-purpose optimiser from several starts."""
    means, covariances = moments
    d = means[1] - means[0]
    free = np.linalg.svd(d[np.newaxis])[2][1:].T
    start = d / (d @ d)
    runs = [
        minimize(lambda u: -objective(start + free @ u, covariances), u0, method="BFGS", options={"gtol": 1e-10})
        for u0 in [np.zeros(free.shape[1]), *np.random.default_rng(0).normal(size=(3, free.shape[1]))]
    ]
    return max(-run.fun for run in runs)


def test_balanced_machine_on_the_synthetic_classes():
    model = machine(criterion="balanced")
    assert crossing(model) == pytest.approx(1 / 3, abs=RIDGE_ERROR)
    np.testing.assert_allclose(model.distances_, 4 / 3, atol=RIDGE_ERROR)
    np.testing.assert_allclose(model.class_accuracies_, 0.64, atol=RIDGE_ERROR)


def test_minimum_error_machine_for_gaussian_classes_crosses_where_the_densities_do():
    model = machine(distribution="gaussian")
    assert crossing(model) == pytest.approx(0.65990969, abs=RIDGE_ERROR)
    assert model.worst_case_accuracy_ == pytest.approx(0.91527115, abs=RIDGE_ERROR)
    assert norm(3, 2).pdf(crossing(model)) == pytest.approx(norm(-1, 1).pdf(crossing(model)), abs=1e-6)


def test_minimum_error_machine_without_a_distribution():
    model = machine()
    assert crossing(model) == pytest.approx(0.73067578, abs=RIDGE_ERROR)
    np.testing.assert_allclose(model.class_accuracies_, [0.74970206, 0.56283352], atol=RIDGE_ERROR)
    assert model.worst_case_accuracy_ == pytest.approx(0.65626779, abs=RIDGE_ERROR)


def test_guarantee_on_the_synthetic_classes():
    model = machine(criterion="guarantee", guarantee={0: 0.5})
    np.testing.assert_allclose(model.coef_, [[0.25, 0.0]], atol=RIDGE_ERROR)
    assert model.intercept_[0] == pytest.approx(0.0, abs=RIDGE_ERROR)
    np.testing.assert_allclose(model.distances_, [1.0, 1.5], atol=RIDGE_ERROR)
    assert model.class_accuracies_[1] == pytest.approx(9 / 13, abs=RIDGE_ERROR)


def test_distances_of_the_oblique_example():
    assert machine(OBLIQUE, criterion="balanced").distances_ == pytest.approx([1.13987211] * 2, abs=RIDGE_ERROR)
    biased = machine(OBLIQUE, criterion="guarantee", guarantee={0: 0.6})
    assert biased.distances_ == pytest.approx([np.sqrt(1.5), 1.07703695], abs=RIDGE_ERROR)


@pytest.mark.parametrize("p", [2, 5])
def test_all_criteria_match_a_generic_optimiser(p):
    moments = random_moments(np.random.default_rng(p), p)
    prior, floor = 0.3, np.sqrt(0.1 / 0.9)

    def balanced(a, covariances):
        return 1.0 / sum(deviations(a, covariances))

    def biased(a, covariances):
        first, second = deviations(a, covariances)
        return (1.0 - floor * first) / second

    # The optimiser stops at 1e-8 or so in these values.
    found = machine(moments, criterion="balanced").distances_
    assert found == pytest.approx([generic_plane(balanced, moments)] * 2, abs=1e-6)
    found = machine(moments, criterion="guarantee", guarantee={0: 0.1}).distances_
    assert found == pytest.approx([floor, generic_plane(biased, moments)], abs=1e-6)

    def least_error(a, covariances):
        first, second = deviations(a, covariances)
        distance = np.linspace(0.0, 1.0 / first, 2001)
        other = np.maximum(1.0 - distance * first, 0.0) / second
        return np.max((1 - prior) * distance**2 / (1 + distance**2) + prior * other**2 / (1 + other**2))

    model = machine(moments, priors=[1 - prior, prior])
    best = generic_plane(least_error, moments)
    assert best - 1e-9 <= model.worst_case_accuracy_ <= best + 1e-5  # the optimiser sees 2001 planes a direction


def test_the_balanced_condition_of_stationarity_holds():
    means, covariances = OBLIQUE
    model = machine(OBLIQUE, criterion="balanced")
    a = model.coef_[0]
    gradient = sum(covariance @ a / np.sqrt(a @ covariance @ a) for covariance in covariances)
    d = means[1] - means[0]
    assert a @ d == pytest.approx(1.0)
    np.testing.assert_allclose(gradient, d * (gradient @ d) / (d @ d), atol=1e-6)


def test_equal_covariances_give_the_discriminant_of_fisher():
    rng = np.random.default_rng(1)
    means, (covariance, _) = random_moments(rng, 4)
    d = means[1] - means[0]
    model = machine((means, np.array([covariance, covariance])), criterion="balanced")
    fisher = np.linalg.solve(covariance, d)
    np.testing.assert_allclose(model.coef_[0], fisher / (d @ fisher), rtol=1e-6)
    assert model.distances_ == pytest.approx([0.5 * np.sqrt(d @ fisher)] * 2, rel=1e-7)


def test_gaussian_machine_with_unequal_priors_and_equal_covariances_is_the_linear_discriminant():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:, :6]
    pooled = sum(np.cov(X[y == c].T, bias=True) for c in (0, 1)) / 2
    means = np.array([X[y == c].mean(axis=0) for c in (0, 1)])
    priors = [0.01, 0.99]
    model = machine((means, np.array([pooled, pooled])), distribution="gaussian", priors=priors)
    direct = np.linalg.solve(pooled, means[1] - means[0])
    threshold = direct @ means.mean(axis=0) - np.log(priors[1] / priors[0])
    scale = direct @ (means[1] - means[0])
    assert -model.intercept_[0] == pytest.approx(threshold / scale, abs=1e-6)


def test_gaussian_plane_beyond_a_mean_is_the_best_plane():
    # With a prior this uneven the best plane lies beyond the mean of the rare class.
    moments = SYNTHETIC
    model = machine(moments, distribution="gaussian", priors=[0.03, 0.97])
    thresholds = np.linspace(-12, 6, 200_001)
    accuracy = 0.03 * norm(-1, 1).cdf(thresholds) + 0.97 * norm(3, 2).sf(thresholds)
    assert model.distances_[0] < 0
    assert model.worst_case_accuracy_ == pytest.approx(accuracy.max(), abs=1e-6)


def test_minimum_error_never_promises_less_than_balanced():
    rng = np.random.default_rng(2)
    for _ in range(30):
        moments = random_moments(rng, 3)
        for distribution in ("any", "gaussian"):
            share = rng.uniform(0.05, 0.95)
            options = {"distribution": distribution, "priors": [share, 1 - share]}
            least = machine(moments, **options).worst_case_accuracy_
            assert least >= machine(moments, criterion="balanced", **options).class_accuracies_[0] - 1e-12


def test_two_peaks_are_told_apart():
    # Strongly overlapping classes: giving up the rare class beats the peak between the means (Section 7).
    moments = np.array([[0.0], [1.0]]), np.array([[[1.0]], [[1.0]]])
    model = machine(moments, priors=[0.65, 0.35])
    distance = np.linspace(0, 1, 100_001)
    objective = 0.65 * distance**2 / (1 + distance**2) + 0.35 * (1 - distance) ** 2 / (1 + (1 - distance) ** 2)
    assert model.class_accuracies_[1] == 0.0
    assert model.worst_case_accuracy_ == pytest.approx(objective.max(), abs=1e-7)


def test_frontier_falls_strictly_and_passes_through_the_biased_machines():
    model = machine(OBLIQUE)
    first, second = model.frontier(101).T
    assert np.all(np.diff(first) > 0) and np.all(np.diff(second) < 0)
    for floor in (0.0, 0.3, 0.6):
        biased = machine(OBLIQUE, criterion="guarantee", guarantee={0: floor})
        # The curve is interpolated between points 5 % apart in the ratio of the distances.
        assert biased.class_accuracies_[1] == pytest.approx(np.interp(floor, first, second), abs=1e-3)
        mirrored = machine(OBLIQUE, criterion="guarantee", guarantee={1: float(biased.class_accuracies_[1])})
        assert mirrored.class_accuracies_[0] == pytest.approx(floor, abs=1e-6)


def test_swapping_the_classes_mirrors_the_plane():
    means, covariances = OBLIQUE
    one = machine(OBLIQUE, priors=[0.7, 0.3])
    two = machine((means[::-1], covariances[::-1]), priors=[0.3, 0.7])
    np.testing.assert_allclose(two.coef_, -one.coef_, atol=1e-6)
    np.testing.assert_allclose(two.intercept_, -one.intercept_, atol=1e-6)
    np.testing.assert_allclose(two.class_accuracies_, one.class_accuracies_[::-1], atol=1e-6)


def test_the_fit_does_not_depend_on_the_scale_of_features():
    X, y = load_breast_cancer(return_X_y=True)
    scale = np.geomspace(1e-6, 1e6, X.shape[1])
    plain, scaled = MinimaxProbabilityMachine().fit(X, y), MinimaxProbabilityMachine().fit(X * scale, y)
    np.testing.assert_allclose(scaled.decision_function(X * scale), plain.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("distribution", ["any", "gaussian"])
def test_robust_distances_satisfy_both_constraints(distribution):
    means, covariances = OBLIQUE
    nu, rho = [0.1, 0.2], [0.05, 0.3]
    model = machine(OBLIQUE, distribution=distribution, mean_radius=nu, covariance_radius=rho)
    kappa = [norm.ppf(a) if distribution == "gaussian" else np.sqrt(a / (1 - a)) for a in model.class_accuracies_]
    a, b = model.coef_[0], -model.intercept_[0]
    s = [np.sqrt(a @ (covariance + r * np.eye(3)) @ a) for covariance, r in zip(covariances, rho)]
    # Section 3: both constraints hold with equality.
    assert b - a @ means[0] == pytest.approx((kappa[0] + nu[0]) * s[0], abs=1e-6)
    assert a @ means[1] - b == pytest.approx((kappa[1] + nu[1]) * s[1], abs=1e-6)


def test_robust_balanced_machine_with_unequal_radii_promises_the_same_to_both():
    model = machine(OBLIQUE, criterion="balanced", mean_radius=[0.1, 0.4])
    assert model.class_accuracies_[0] == pytest.approx(model.class_accuracies_[1], abs=1e-9)
    assert model.distances_[1] - model.distances_[0] == pytest.approx(0.3, abs=1e-9)


def test_a_guarantee_holds_in_spite_of_the_radius_of_the_mean():
    model = machine(OBLIQUE, criterion="guarantee", guarantee={0: 0.4}, mean_radius=[0.2, 0.1])
    assert model.class_accuracies_[0] == pytest.approx(0.4, abs=1e-9)
    assert model.distances_[0] == pytest.approx(np.sqrt(0.4 / 0.6) + 0.2, abs=1e-9)


def test_two_point_distributions_attain_the_bound_and_others_exceed_it():
    rng = np.random.default_rng(3)
    model = machine()
    a, b = model.coef_[0], -model.intercept_[0]
    mean, covariance = SYNTHETIC[0][1], SYNTHETIC[1][1]
    kappa, promised = model.distances_[1], model.class_accuracies_[1]
    assert worst_case_accuracy(a, b, mean, covariance) == pytest.approx(promised, abs=1e-7)
    # One point on the wrong side with the mass 1 / (1 + kappa^2), the other 1 / kappa deviations beyond the mean.
    mass = 1.0 / (1.0 + kappa**2)
    points = np.array([-kappa, 1.0 / kappa])
    assert points @ [mass, 1 - mass] == pytest.approx(0.0)
    assert points**2 @ [mass, 1 - mass] == pytest.approx(1.0)
    deviation = np.sqrt(a @ covariance @ a)
    right = [mass, 1 - mass] @ (a @ mean + points * deviation >= b + 1e-6)
    assert right == pytest.approx(promised, abs=1e-7)
    size = (20_000, 2)
    for standard in (rng.normal(size=size), rng.exponential(size=size) - 1.0, rng.choice([-1.0, 1.0], size)):
        z = mean + standard @ np.linalg.cholesky(covariance).T
        assert np.mean(z @ a >= b) >= promised - 0.011  # three standard errors


def test_worst_case_accuracy_beyond_the_mean_and_without_spread():
    assert worst_case_accuracy([1.0], 1.0, [0.0], [[1.0]]) == 0.0
    assert worst_case_accuracy([1.0], 1.0, [0.0], [[1.0]], distribution="gaussian") == pytest.approx(norm.sf(1.0))
    assert worst_case_accuracy([1.0], 1.0, [2.0], [[0.0]]) == 1.0
    with pytest.raises(ValueError, match="distribution='normal' must be"):
        worst_case_accuracy([1.0], 1.0, [2.0], [[1.0]], distribution="normal")


def test_linear_kernel_equals_the_linear_machine():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    for criterion in ("minimum_error", "balanced"):
        options = {"criterion": criterion, "covariance_radius": 0.1}
        linear = MinimaxProbabilityMachine(**options).fit(X, y)
        kernel = KernelMinimaxProbabilityMachine(kernel="linear", **options).fit(X, y)
        np.testing.assert_allclose(kernel.decision_function(X), linear.decision_function(X), atol=1e-6)
        np.testing.assert_allclose(kernel.class_accuracies_, linear.class_accuracies_, atol=1e-6)


def test_kernel_solution_is_stationary_in_the_kernel_form_of_the_paper():
    X, y = make_circles(60, noise=0.1, factor=0.4, random_state=0)
    rho = 0.05
    model = KernelMinimaxProbabilityMachine("balanced", gamma=1.0, covariance_radius=rho).fit(X, y)
    K = np.exp(-np.square(X[:, np.newaxis] - X).sum(axis=2))
    centred = [K[y == c] - K[y == c].mean(axis=0) for c in (0, 1)]
    forms = [part.T @ part / len(part) + rho * K for part in centred]
    d = K[y == 1].mean(axis=0) - K[y == 0].mean(axis=0)
    pivots = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in model.pivots_]
    w = np.zeros(len(X))
    w[pivots] = model.dual_coef_
    s = [np.sqrt(w @ form @ w) for form in forms]
    assert w @ d == pytest.approx(1.0, abs=1e-6)
    assert 1.0 / sum(s) == pytest.approx(model.distances_[0], abs=1e-6)
    gradient = sum(form @ w / deviation for form, deviation in zip(forms, s))
    # The normal moves along the rows' span, where K d is the difference of the means.
    np.testing.assert_allclose(gradient, d * (gradient @ d) / (d @ d), atol=1e-5)


def test_kernel_machine_learns_a_circle_and_callable_kernels_work():
    X, y = make_circles(300, noise=0.1, factor=0.4, random_state=0)
    named = KernelMinimaxProbabilityMachine(gamma=1.0).fit(X[:200], y[:200])
    assert named.score(X[200:], y[200:]) > 0.95

    def kernel(A, B):
        return np.exp(-np.square(A[:, np.newaxis] - B).sum(axis=2))

    called = KernelMinimaxProbabilityMachine(kernel=kernel).fit(X[:200], y[:200])
    np.testing.assert_allclose(called.decision_function(X), named.decision_function(X), atol=1e-6)


def test_labels_of_any_kind_and_accuracy_near_the_linear_discriminant():
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["bad", "good"])[y]
    model = MinimaxProbabilityMachine("balanced").fit(X, names)
    assert set(model.predict(X)) == {"bad", "good"}
    assert abs(model.score(X, names) - LinearDiscriminantAnalysis().fit(X, y).score(X, y)) < 0.03


def test_degenerate_spread_is_reported_and_a_covariance_radius_mends_it():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(20, 40)), np.repeat([0, 1], 10)
    with pytest.warns(RuntimeWarning, match="hardly any spread of class 0 and class 1"):
        MinimaxProbabilityMachine(covariance_radius=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MinimaxProbabilityMachine(covariance_radius=0.5).fit(X, y)
        MinimaxProbabilityMachine().fit(X, y)


def test_a_feature_that_is_constant_in_one_class_does_not_decide_alone(real_data):
    table = load_table(real_data("keel/ionosphere.dat"))
    X, y = table.arrays(table.frame.columns[-1])
    assert min(np.ptp(X[y == label, 0]) for label in np.unique(y)) == 0 < np.ptp(X[:, 0])
    right = []
    for train, test in ShuffleSplit(8, test_size=0.3, random_state=0).split(X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            plugged_in = MinimaxProbabilityMachine("minimum_error", covariance_radius=0).fit(X[train], y[train])
        mended = MinimaxProbabilityMachine().fit(X[train], y[train])
        right.append([plugged_in.score(X[test], y[test]), mended.score(X[test], y[test])])
    before, after = np.mean(right, axis=0)
    # About 0.80 and 0.88; a standard error of their difference is 0.01.
    assert after > max(0.84, before + 0.03)


def test_neither_class_is_given_up_where_they_overlap_or_a_feature_is_constant_in_one():
    rng = np.random.default_rng(0)
    y = rng.random(600) < 0.3
    X = rng.normal(size=(600, 4)) + np.outer(y, [1.0, 0.5, 0.0, 0.0])
    X[~y, 3] = 0.0
    model = MinimaxProbabilityMachine().fit(X[:300], y[:300])
    # The best plane has 0.71 in both classes; three standard errors of 90 rows are 0.15.
    assert min((model.predict(X[300:]) == y[300:])[y[300:] == label].mean() for label in (0, 1)) > 0.56
    assert abs(model.coef_[0, 3]) < np.abs(model.coef_[0, :2]).max()


def test_redundant_and_constant_features_change_nothing():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :5]
    padded = np.column_stack([X, X[:, 0], X @ np.ones(5), np.full(len(X), 7.0)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wide = MinimaxProbabilityMachine(covariance_radius=0).fit(padded, y)
    plain = MinimaxProbabilityMachine(covariance_radius=0).fit(X, y)
    np.testing.assert_allclose(wide.decision_function(padded), plain.decision_function(X), atol=1e-5)


def test_bad_input_is_told():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="means of the two classes coincide"):
        machine((np.zeros((2, 2)), SYNTHETIC[1]))
    with pytest.raises(ValueError, match=r"at most 0\.8"):
        machine(criterion="guarantee", guarantee={1: 0.95})
    for guarantee in (None, {}, {2: 0.5}, {0: 0.5, 1: 0.5}):
        with pytest.raises(ValueError, match="must name one of the classes"):
            machine(criterion="guarantee", guarantee=guarantee)
    with pytest.raises(ValueError, match="from 0 to below 1"):
        machine(criterion="guarantee", guarantee={0: 1.0})
    with pytest.raises(ValueError, match="sum 1"):
        machine(priors=[0.5, 0.6])
    with pytest.raises(ValueError, match="mean_radius"):
        machine(mean_radius=[0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="do not fit"):
        MinimaxProbabilityMachine().fit_moments(np.zeros((2, 3)), SYNTHETIC[1])
    with pytest.raises(ValueError, match="symmetric"):
        MinimaxProbabilityMachine().fit_moments(SYNTHETIC[0], [[[1, 1], [0, 1]]] * 2)
    with pytest.raises(ValueError, match="negative eigenvalue"):
        MinimaxProbabilityMachine().fit_moments(SYNTHETIC[0], [np.diag([1.0, -1.0])] * 2)
    with pytest.raises(ValueError, match="two different labels"):
        MinimaxProbabilityMachine().fit_moments(*SYNTHETIC, classes=("a", "a"))
    with pytest.raises(ValueError, match="Only binary"):
        MinimaxProbabilityMachine().fit(X, np.arange(len(y)) % 3)


def test_plot_shows_the_curve_and_the_choice():
    model = machine(OBLIQUE)
    ax = plot_frontier(model)
    curve, choice = ax.lines[0].get_xydata(), ax.lines[1].get_xydata()[0]
    np.testing.assert_array_equal(choice, model.class_accuracies_)
    assert np.abs(curve - choice).sum(axis=1).min() < 0.01
