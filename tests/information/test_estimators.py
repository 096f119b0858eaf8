"""Estimators of information: values worked out apart, closed forms, identities, limits, invariances, bad input."""

import math

import numpy as np
import pytest
from scipy.special import digamma, gamma
from sklearn.base import clone

from treatise.information import (
    association,
    conditional_entropy,
    conditional_mutual_information,
    cross_entropy,
    distribution_kernel,
    divergence,
    divergence_profile,
    entropy,
    list_estimators,
    make_estimator,
    mutual_information,
)
from treatise.information.dependence import HSIC
from treatise.information.divergences import EnergyFromMMD, KnnKLDivergence
from treatise.information.entropies import KnnShannonEntropy, SpacingPhiEntropy
from treatise.kernels import Distance, Gaussian
from treatise.statistics import mutual_information as discrete_information

T = np.arange(1, 41.0)
Y = np.column_stack([np.sin(T), np.cos(1.7 * T)])
Z = np.column_stack([np.sin(2.3 * T) + 0.3, np.cos(0.9 * T)])
UNIT = Gaussian(0.5)


def gaussians(n=20_000, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)), 1.5 * rng.normal(size=(n, 2)) + [0.5, 0.0]


def correlated(n=20_000, rho=0.6, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return np.column_stack([x, rho * x + math.sqrt(1 - rho**2) * rng.normal(size=n)])


# Values of a sample without chance, computed from the formulas by a program of its own.
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (lambda: entropy(Y), 2.06602312),
        (lambda: entropy(Y, "renyi_knn", alpha=0.99), 2.06514601),
        (lambda: entropy(Y, "tsallis_knn", alpha=0.8), 2.53282793),
        (lambda: divergence(Y, Z), -0.33803781),
        (lambda: cross_entropy(Y, Z), 1.72798531),
        (lambda: math.exp(-0.3 * divergence(Y, Z, "renyi_knn", alpha=0.7)), 1.10113521),
        (lambda: distribution_kernel(Y, Z, "bhattacharyya_knn"), 1.17053594),
        (lambda: math.sqrt(-divergence(Y, Z, "l2_knn", k=3, squared=True)), 0.15876674),
        (lambda: divergence(Y, Z, "energy"), 0.05152178),
        (lambda: divergence(Y, Z, "mmd", kernel=UNIT, unbiased=True, squared=True), -0.01454425),
        (lambda: divergence(Y, Z, "mmd", kernel=UNIT, squared=True), 0.01233856),
        (lambda: mutual_information(Y, method="distance_covariance"), 0.08378518),
        (lambda: mutual_information(Y, method="distance_correlation"), 0.15043987),
        (lambda: association(Y, version="lower", scale="n"), -0.216),
        (lambda: association(Y, method="blomqvist", scale="n"), -0.1),
        (lambda: mutual_information(Y, method="hoeffding"), 0.24457572),
        (lambda: entropy(Y[:, 0], "shannon_spacing"), 0.52439971),
        (lambda: entropy(Y[:, 0], "shannon_maxent"), 0.97554266),
        (lambda: entropy(Y[:, 0], "shannon_maxent", contrast="bell"), 0.97720485),
    ],
)
def test_values_on_a_sample_without_chance(value, expected):
    assert value() == pytest.approx(expected, abs=1e-7)


NAMED = {
    "entropy": [
        "Shannon entropy", "Renyi entropy", "Tsallis entropy", "complex entropy", "Phi-entropy",
        "Sharma-Mittal entropy",
    ],
    "mutual_information": [
        "generalised variance", "kernel canonical correlation analysis", "kernel generalised variance",
        "Hilbert-Schmidt independence criterion", "Shannon mutual information", "L2 mutual information",
        "Renyi mutual information", "Tsallis mutual information", "Cauchy-Schwarz quadratic mutual information",
        "Euclidean distance based quadratic mutual information", "complex mutual information",
        "chi-square mutual information", "copula-based kernel dependency", "multivariate Hoeffding's Phi",
        "Schweizer-Wolff's sigma", "Schweizer-Wolff's kappa", "distance covariance", "distance correlation",
        "approximate correntropy independence measure",
    ],
    "divergence": [
        "Kullback-Leibler divergence", "L2 divergence", "Renyi divergence", "Tsallis divergence",
        "Cauchy-Schwarz divergence", "Euclidean distance based divergence", "Jensen-Shannon divergence",
        "Jensen-Renyi divergence", "Jensen-Tsallis divergence", "K divergence", "L divergence",
        "Pearson chi-square divergence", "f-divergence", "Hellinger distance", "Bhattacharyya distance",
        "energy distance", "Bregman divergence", "symmetric Bregman divergence", "J-distance",
        "maximum mean discrepancy",
    ],
    "association": [
        "multivariate Spearman's rho", "conditional Spearman's rho, lower tail", "correntropy", "centred correntropy",
        "correntropy induced metric", "centred correntropy induced metric", "correntropy coefficient",
        "multivariate Blomqvist's beta", "lower tail dependence", "upper tail dependence",
    ],
    "cross_entropy": ["cross-entropy"],
    "distribution_kernel": [
        "expected kernel", "Bhattacharyya kernel", "probability product kernel", "Jensen-Shannon kernel",
        "exponentiated Jensen-Shannon kernel", "Jensen-Tsallis kernel", "exponentiated Jensen-Tsallis kernel",
        "exponentiated Jensen-Renyi kernel",
    ],
}  # fmt: skip


def test_every_quantity_that_the_paper_names_has_an_estimator():
    assert [len(names) for names in NAMED.values()] == [6, 19, 20, 10, 1, 8]
    for quantity, names in NAMED.items():
        assert set(names) <= {row.measures for row in list_estimators(quantity)}


def sample_for(row):
    X, W = correlated(400), correlated(400, seed=1) + 0.3
    if row.name == "counts":
        return np.round(X)
    if row.columns == "complex":
        return X + 1j * W
    return X[:, 0] if row.columns == "one" else X


def estimate(row, X, W, **parameters):
    estimator = row.estimator(**parameters)
    two = row.quantity in ("divergence", "cross_entropy", "distribution_kernel")
    return estimator.estimate(X, W) if two else estimator.estimate(X)


@pytest.mark.parametrize("row", list_estimators(), ids=lambda row: f"{row.quantity}-{row.name}")
def test_every_estimator_is_finite_repeatable_and_blind_to_the_order_of_rows(row):
    X = sample_for(row)
    W = correlated(400, seed=1) + 0.3
    parameters = {"random_state": 0} if row.random else {}
    value = estimate(row, X, W, **parameters)
    assert np.isfinite(value)
    assert clone(row.estimator()).get_params(deep=False) == row.estimator().get_params(deep=False)
    assert row.estimator.__doc__
    if row.random:
        assert estimate(row, X, W, **parameters) == value
    elif row.name not in ("mmd_linear", "mmd_blocks"):  # pairs and blocks of consecutive rows
        order = np.random.default_rng(3).permutation(400)
        # Factors begin with the first row, and leave so much of the trace as their tolerance says.
        near = 1e-2 if row.name in ("kcca", "kgv") else 1e-6
        assert estimate(row, X[order], W[order[::-1]]) == pytest.approx(value, rel=near, abs=1e-9)


def test_gaussian_samples_have_the_entropies_of_the_closed_form():
    X = correlated()
    assert entropy(X) == pytest.approx(2.61473, abs=0.02)
    assert entropy(X, "renyi_knn", alpha=0.8) == pytest.approx(2.73045, abs=0.02)
    assert mutual_information(X, method="shannon_from_entropies") == pytest.approx(0.22314, abs=0.03)
    assert mutual_information(X) == pytest.approx(0.22314, abs=0.03)
    assert mutual_information(X, method="generalised_variance") > 0.22


@pytest.mark.parametrize(
    "method",
    ["shannon_knn", "shannon_kde", "shannon_gaussian", "shannon_edgeworth", "shannon_from_gaussian"],
)  # fmt: skip
def test_every_way_to_shannons_entropy_ends_near_the_truth(method):
    X = correlated(2000)
    parameters = {"random_state": 0} if "from" in method else {}
    # The standard deviation of the sample's own mean log density is sqrt(d/2n) = 0.022; smoothing adds to it.
    assert entropy(X, method, **parameters) == pytest.approx(2.61473, abs=0.09)


@pytest.mark.parametrize("correction", [None, "ends", "bias", "linear"])
def test_spacings_of_a_normal_column_end_near_its_entropy(correction):
    x = np.random.default_rng(0).normal(size=4000)
    assert entropy(x, "shannon_spacing", correction=correction) == pytest.approx(1.41894, abs=0.05)
    assert entropy(x, "shannon_maxent") == pytest.approx(1.41894, abs=0.04)
    assert entropy(x, "renyi_spacing", alpha=0.9) == pytest.approx(0.5 * math.log(2 * math.pi) + 0.5268, abs=0.05)


def test_uniform_rows_have_the_logarithm_of_their_volume():
    X = np.random.default_rng(0).uniform(0, [2.0, 0.5], size=(3000, 2))
    for method in ("renyi_tree", "renyi_knn_graph", "shannon_partition"):
        assert entropy(X, method) == pytest.approx(0.0, abs=0.05), method
    assert entropy(X, "renyi_tree", neighbours=8) == pytest.approx(0.0, abs=0.05)
    assert entropy(X, "shannon_from_uniform", random_state=0) == pytest.approx(0.0, abs=0.05)


def test_a_partition_does_not_count_the_empty_corners_of_the_box_around_the_rows():
    rng = np.random.default_rng(0)
    # With whole boxes 0.17 and 0.57 too high.
    for d, error in ((2, 0.06), (3, 0.17)):
        X = rng.normal(size=(8000, d))
        assert entropy(X, "shannon_partition") == pytest.approx(d * 1.41894, abs=error)


def test_equal_rows_do_not_pull_the_length_of_a_tree_down():
    X = np.random.default_rng(0).normal(size=(400, 2))
    some = np.vstack([X, X[:40]])
    with pytest.warns(UserWarning, match="80 of the 440 rows"):
        assert entropy(some, "renyi_tree") == pytest.approx(entropy(X[40:], "renyi_tree"), abs=0.1)
    with pytest.raises(ValueError, match="the data are discrete"):
        entropy(np.round(X), "renyi_tree")


def test_phi_entropy_is_the_mean_of_a_function_of_the_density():
    x = np.random.default_rng(0).uniform(0, 2, 5000)
    assert SpacingPhiEntropy().estimate(x) == pytest.approx(0.25, abs=0.02)
    found = entropy(x, "phi_spacing", phi=np.log, weight=lambda t: t)
    assert found == pytest.approx(math.log(0.5) * 1.0, abs=0.03)


def test_the_j_distance_falls_short_in_the_tails_and_by_less_with_more_rows():
    # Both laws are normal in three columns; the second is wider, and out there the first has hardly any rows.
    shift, spread = np.array([0.3, 0.0, 0.0]), 1.3
    forth = 0.5 * (3 / spread**2 + 0.09 / spread**2 - 3 + 6 * math.log(spread))
    back = 0.5 * (3 * spread**2 + 0.09 - 3 - 6 * math.log(spread))

    def shortfall(n, seed):
        rng = np.random.default_rng(seed)
        narrow, wide = rng.normal(size=(n, 3)), shift + spread * rng.normal(size=(n, 3))
        return forth + back - divergence(narrow, wide, "j_distance")

    few, more, most = (np.mean([shortfall(n, seed) for seed in range(3)]) for n in (500, 4000, 32_000))
    assert few > more > most > 0.0
    assert most < 0.06


def test_the_chi_square_divergence_is_right_where_the_ratio_of_densities_is_bounded():
    # Densities 1 and 1/2 + x on the unit interval.
    errors = {}
    for n in (1000, 32_000):
        rng = np.random.default_rng(0)
        found = [
            divergence(rng.random(n), np.sqrt(0.25 + 2.0 * rng.random(n)) - 0.5, "chi_square_knn") for _ in range(8)
        ]
        errors[n] = abs(np.mean(found) - (math.log(3.0) - 1.0))
    assert errors[32_000] < min(0.004, errors[1000])


def test_the_squared_l2_distance_nears_its_value_from_below_with_more_rows():
    rho = 0.7
    exact = (1 / math.sqrt(1 - rho**2) + 1 - 4 / math.sqrt(4 - rho**2)) / (4 * math.pi)

    # From five neighbours on the estimate of the square has a variance, and a mean of a few draws says something.
    member = make_estimator("divergence", "l2_knn", k=6, squared=True)

    def mean(n):
        values = []
        for seed in range(12):
            x, y = np.random.default_rng(seed).multivariate_normal([0.0, 0.0], [[1.0, rho], [rho, 1.0]], n).T
            values.append(mutual_information(x, y, "l2", member=member, random_state=seed))
        return np.mean(values)

    assert mean(1000) < 0.9 * exact
    assert mean(16_000) == pytest.approx(exact, rel=0.05)


def test_the_l2_distance_has_a_variance_at_its_default():
    # Two normal laws in three columns; three neighbours give from 0.04 to 0.19 on such samples.
    exact = math.sqrt((2.0**-1.5 + 4.5**-1.5 - 2 * 3.25**-1.5 * math.exp(-0.25 / 6.5)) / (2 * math.pi) ** 1.5)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, W = rng.normal(size=(4000, 3)), 1.5 * rng.normal(size=(4000, 3)) + [0.5, 0.0, 0.0]
        assert divergence(X, W, "l2_knn") == pytest.approx(exact, rel=0.1)
        assert divergence(W, X, "l2_knn") == pytest.approx(exact, rel=0.1)


def test_two_gaussians_have_the_divergences_of_the_closed_form():
    X, W = gaussians()
    profile = divergence_profile(X, W, alpha=0.7)
    assert profile["kl_knn"] == pytest.approx(0.31093, abs=0.02)
    assert profile["renyi_knn"] == pytest.approx(0.24986, abs=0.02)
    assert math.exp(-profile["bhattacharyya_knn"]) == pytest.approx(0.90550, abs=0.01)
    # At k = 3 single estimates of this one scatter by 0.01 about the truth; more neighbours steady it.
    assert divergence(X, W, "l2_knn", k=20) == pytest.approx(0.14387, abs=0.01)
    assert profile["hellinger_knn"] == pytest.approx(math.sqrt(1 - 0.90550), abs=0.02)
    assert divergence(X, W, "kl_gaussian") == pytest.approx(0.31093, abs=0.02)
    # The integral of p^2 / q for these two laws, less one.
    exact = (1 / 1.0) ** 2 * 1.5**4 / (2 * 1.5**2 - 1) * math.exp(0.25 / (2 * 1.5**2 - 1)) - 1
    assert divergence(X, W, "chi_square_gaussian") == pytest.approx(exact, abs=0.04)
    assert profile["chi_square_knn"] == pytest.approx(exact, abs=0.1)


def test_the_profile_equals_every_estimate_by_itself():
    profile = divergence_profile(Y, Z, alpha=0.9)
    for name, value in profile.items():
        if name.endswith("_knn"):
            row = next(row for row in list_estimators("divergence") if row.name == name)
            orders = {"alpha": 0.9} if "alpha" in row.estimator().get_params() else {}
            assert value == pytest.approx(divergence(Y, Z, name, **orders), abs=1e-12)
    assert profile["entropy_x"] == pytest.approx(entropy(Y), abs=1e-12)
    assert profile["entropy_y"] == pytest.approx(entropy(Z), abs=1e-12)
    assert profile["cross_entropy"] == pytest.approx(cross_entropy(Y, Z), abs=1e-12)
    assert profile["j_distance"] == pytest.approx(divergence(Y, Z, "j_distance"), abs=1e-12)


def test_orders_that_go_to_one_give_shannons_quantities():
    X, W = gaussians(3000)
    assert entropy(X, "renyi_knn", alpha=0.999) == pytest.approx(entropy(X), abs=0.02)
    assert entropy(X, "tsallis_knn", alpha=0.999) == pytest.approx(entropy(X), abs=0.02)
    assert divergence(X, W, "renyi_knn", alpha=0.999) == pytest.approx(divergence(X, W), abs=0.02)
    for quantity in (lambda *a, **k: entropy(X, *a, **k), lambda *a, **k: divergence(X, W, *a, **k)):
        tsallis = quantity("tsallis_knn", alpha=0.7)
        assert quantity("sharma_mittal_knn", alpha=0.7, beta=0.7) == pytest.approx(tsallis, abs=1e-12)
        renyi = quantity("renyi_knn", alpha=0.7)
        assert quantity("sharma_mittal_knn", alpha=0.7, beta=1 - 1e-9) == pytest.approx(renyi, abs=1e-6)


def test_identities_between_estimates_hold_to_the_last_digits():
    assert divergence(Y, Z) == pytest.approx(divergence(Y, Z, "kl_from_entropies"), abs=1e-12)
    assert EnergyFromMMD().estimate(Y, Z) == pytest.approx(divergence(Y, Z, "energy"), abs=1e-12)
    both = mutual_information(Y, Z, "distance_covariance")
    assert mutual_information(Y, Z, "distance_covariance_from_hsic") == pytest.approx(both, abs=1e-10)
    assert 2 * math.sqrt(HSIC(Distance(), tolerance=0.0).estimate(Y, Z)) == pytest.approx(both, abs=1e-10)
    renyi = entropy(Y, "renyi_knn", alpha=0.8)
    assert entropy(Y, "tsallis_from_renyi", alpha=0.8) == pytest.approx(math.expm1(0.2 * renyi) / 0.2, abs=1e-12)
    bregman = divergence(Y, Z, "symmetric_bregman")
    assert divergence(Y, Z, "symmetric_bregman_knn") == pytest.approx(bregman, abs=1e-12)
    squared = divergence(Y, Z, "mmd", kernel=UNIT, squared=True)
    assert divergence(Y, Z, "euclidean", kernel=UNIT) == pytest.approx(squared, abs=1e-14)
    hsic = mutual_information(Y, Z, "hsic", tolerance=1e-13)
    assert mutual_information(Y, Z, "qmi_euclidean") == pytest.approx(hsic, abs=1e-12)
    chi = divergence(Y, Z, "chi_square_knn")
    assert divergence(Y, Z, "f_divergence", f=lambda t: t * np.log(t)) == pytest.approx(0.5 * chi, rel=1e-5)


@pytest.mark.parametrize("method", ["mmd", "cauchy_schwarz", "euclidean"])
def test_incomplete_factors_approach_the_whole_matrices(method):
    whole = divergence(Y, Z, method, kernel=UNIT)
    assert divergence(Y, Z, method, kernel=UNIT, tolerance=1e-15) == pytest.approx(whole, abs=1e-8)


def test_kernel_dependence_follows_its_definition():
    n, centre = 40, np.eye(40) - 1 / 40
    grams = [centre @ UNIT(column.reshape(-1, 1)) @ centre for column in Y.T]
    assert mutual_information(Y, method="hsic", kernel=UNIT, tolerance=1e-14) == pytest.approx(
        np.sum(grams[0] * grams[1]) / n**2, abs=1e-10
    )
    shrunk = [gram @ np.linalg.inv(gram + n * 0.01 * np.eye(n)) for gram in grams]
    R = np.block([[np.eye(n), shrunk[0] @ shrunk[1]], [shrunk[1] @ shrunk[0], np.eye(n)]])
    tight = {"kernel": UNIT, "tolerance": 1e-14}
    expected = -0.5 * np.linalg.slogdet(R)[1]
    assert mutual_information(Y, method="kgv", **tight) == pytest.approx(expected, abs=1e-7)
    expected = -0.5 * math.log(np.linalg.eigvalsh((R + R.T) / 2).min())
    assert mutual_information(Y, method="kcca", **tight) == pytest.approx(expected, abs=1e-6)


def test_hsic_of_wide_factors_is_that_of_whole_matrices():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 15))
    W = X[:, :10] + rng.normal(size=(300, 10))
    assert HSIC().estimate(X, W) == pytest.approx(HSIC(tolerance=1e-12).estimate(X, W), rel=1e-4)


def test_distance_covariance_of_columns_is_that_of_all_pairs():
    rng = np.random.default_rng(0)
    for x, y in ((rng.normal(size=60), rng.normal(size=60)), (rng.integers(0, 4, 60), rng.integers(0, 3, 60))):
        A, B = (np.abs(np.subtract.outer(v, v)).astype(float) for v in (x, y))
        centre = np.eye(60) - 1 / 60
        expected = np.sum((centre @ A @ centre) * (centre @ B @ centre)) / 60**2
        found = mutual_information(x, y, "distance_covariance", squared=True)
        assert found == pytest.approx(expected, abs=1e-13)
        pairs = mutual_information(np.c_[x, x], np.c_[y, y], "distance_covariance", squared=True)
        assert pairs == pytest.approx(2 * expected, rel=1e-10)
        assert mutual_information(x, y, "distance_correlation") == pytest.approx(
            mutual_information(np.c_[x, x], np.c_[y, y], "distance_correlation"), rel=1e-8
        )
    big = 1e9 + x
    assert mutual_information(big, y, "distance_covariance", squared=True) == pytest.approx(expected, rel=1e-6)


def test_ksg_is_the_sum_over_neighbours_and_takes_discrete_columns():
    x, y = (Y - Y.mean(axis=0)).T / Y.std(axis=0)[:, np.newaxis]
    gaps = np.maximum(np.abs(np.subtract.outer(x, x)), np.abs(np.subtract.outer(y, y)))
    np.fill_diagonal(gaps, np.inf)
    radius = np.sort(gaps, axis=1)[:, 2]
    near = [(np.abs(np.subtract.outer(v, v)) < radius[:, np.newaxis]).sum(axis=1) for v in (x, y)]
    expected = digamma(3) + digamma(40) - np.mean(digamma(near[0]) + digamma(near[1]))
    assert mutual_information(Y) == pytest.approx(expected, abs=1e-12)
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 500)
    b = np.where(rng.random(500) < 0.7, a, rng.integers(0, 3, 500))
    plug_in = discrete_information(a, b, base=math.e)
    assert mutual_information(a, b) == pytest.approx(plug_in, abs=1e-12)
    assert mutual_information(a, b, "counts") == pytest.approx(plug_in, abs=1e-12)
    assert mutual_information(a, b, "counts", base=2) == pytest.approx(discrete_information(a, b), abs=1e-12)


def test_conditional_information_vanishes_once_the_common_cause_is_known():
    rng = np.random.default_rng(0)
    z = rng.normal(size=4000)
    x, y = z + rng.normal(size=4000), z + rng.normal(size=4000)
    assert mutual_information(x, y) == pytest.approx(-0.5 * math.log(1 - 0.25), abs=0.04)
    assert conditional_mutual_information(x, y, z) == pytest.approx(0.0, abs=0.04)
    assert conditional_mutual_information(x, y, z, "shannon_gaussian") == pytest.approx(0.0, abs=0.01)
    assert conditional_mutual_information(x, x + y, z) > 0.3
    assert conditional_entropy(x, z) == pytest.approx(1.41894, abs=0.05)
    a, b = rng.integers(0, 2, 800), rng.integers(0, 2, 800)
    assert conditional_mutual_information(a, b, a ^ b, "counts", base=2) == pytest.approx(1.0, abs=0.01)


def test_rank_measures_ignore_rising_maps_and_reach_their_bounds():
    X = correlated(300)
    bent = np.column_stack([np.exp(X[:, 0]), X[:, 1] ** 3])
    for method in ("hoeffding", "schweizer_wolff_sigma", "schweizer_wolff_kappa", "renyi_copula"):
        assert mutual_information(bent, method=method) == pytest.approx(mutual_information(X, method=method), abs=1e-12)
    for row in list_estimators("association", columns="any"):
        assert association(bent, method=row.name) == pytest.approx(association(X, method=row.name), abs=1e-12)
    together = np.column_stack([T, T**2, np.exp(T / 9)])
    for version in ("lower", "upper", "both", "pairs"):
        assert association(together, version=version) == pytest.approx(1.0, abs=2e-3)
    assert association(together, version="lower", scale="n") == pytest.approx(0.901, abs=1e-3)
    assert association(together, method="blomqvist") == pytest.approx(1.0, abs=1e-12)
    assert mutual_information(together[:, :2], method="schweizer_wolff_sigma") == pytest.approx(1.0, abs=0.01)
    assert mutual_information(together[:, :2], method="schweizer_wolff_kappa") == pytest.approx(1.0, abs=0.06)
    assert mutual_information(together, method="hoeffding") == pytest.approx(1.0, abs=0.1)


def test_schweizer_wolff_is_the_gap_of_copulas_at_every_point():
    x, y = (np.argsort(np.argsort(column)) + 1 for column in Y.T)
    i = np.arange(1, 41)
    C = np.mean((x <= i[:, None, None]) & (y <= i[:, None]), axis=2)
    gap = np.abs(C - np.outer(i, i) / 1600)
    assert mutual_information(Y, method="schweizer_wolff_sigma") == pytest.approx(12 * gap.mean(), abs=1e-12)
    assert mutual_information(Y, method="schweizer_wolff_kappa") == pytest.approx(4 * gap.max(), abs=1e-12)


def test_correntropy_follows_its_definition():
    x, y = Y.T
    K = {
        (a, b): np.exp(-0.5 * np.subtract.outer(u, v) ** 2) for a, u in zip("xy", (x, y)) for b, v in zip("xy", (x, y))
    }
    same = np.mean(np.diag(K["x", "y"]))
    centred = {key: np.mean(np.diag(gram)) - gram.mean() for key, gram in K.items()}
    tight = {"kernel": UNIT, "tolerance": 1e-14}
    assert association(Y, method="correntropy", kernel=UNIT) == pytest.approx(same, abs=1e-12)
    assert association(Y, method="correntropy_metric", kernel=UNIT) == pytest.approx(math.sqrt(1 - same), abs=1e-12)
    assert association(Y, method="centred_correntropy", **tight) == pytest.approx(centred["x", "y"], abs=1e-10)
    both = centred["x", "y"] / math.sqrt(centred["x", "x"] * centred["y", "y"])
    assert association(Y, method="correntropy_coefficient", **tight) == pytest.approx(both, abs=1e-10)
    far = math.sqrt(centred["x", "x"] + centred["y", "y"] - 2 * centred["x", "y"])
    assert association(Y, method="centred_correntropy_metric", **tight) == pytest.approx(far, abs=1e-10)
    assert association(x, x, "correntropy_coefficient") == pytest.approx(1.0, abs=1e-9)


def test_the_tree_is_the_shortest_that_joins_all_rows():
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import cdist

    from treatise.information.entropies.trees import tree_length

    expected = np.sum(minimum_spanning_tree(cdist(Y, Y)).data ** 0.4)
    assert tree_length(Y, 0.4) == pytest.approx(expected, abs=1e-10)
    assert tree_length(Y, 0.4, neighbours=20) == pytest.approx(expected, abs=1e-10)


def test_the_graph_of_neighbours_is_the_sum_of_powers_of_edges():
    gaps = np.sort(np.linalg.norm(Y[:, None] - Y, axis=2), axis=1)[:, 1:4]
    alpha, n = 0.9, 40
    constant = sum(gamma(s + 1 - alpha) / gamma(s) for s in (1, 2, 3)) * ((n - 1) / n * math.pi) ** (alpha - 1)
    expected = math.log(np.sum(gaps ** (2 * (1 - alpha))) / (constant * n**alpha)) / (1 - alpha)
    assert entropy(Y, "renyi_knn_graph") == pytest.approx(expected, abs=1e-10)


def test_scaling_rotation_and_units_change_what_the_mathematics_says():
    angle = np.array([[math.cos(1), -math.sin(1)], [math.sin(1), math.cos(1)]])
    assert entropy(3 * Y) == pytest.approx(entropy(Y) + 2 * math.log(3), abs=1e-12)
    assert entropy(Y @ angle + 5) == pytest.approx(entropy(Y), abs=1e-10)
    assert divergence(3 * Y, 3 * Z) == pytest.approx(divergence(Y, Z), abs=1e-10)
    scaled = Y * [1e6, 1e-3]
    assert mutual_information(scaled) == pytest.approx(mutual_information(Y), abs=1e-9)
    assert mutual_information(scaled, method="hsic") == pytest.approx(mutual_information(Y, method="hsic"), abs=1e-6)
    assert entropy(Y, base=2) == pytest.approx(entropy(Y) / math.log(2), abs=1e-12)
    with pytest.raises(ValueError, match="no logarithm"):
        entropy(Y, "tsallis_knn", base=2)


def test_estimators_are_composed_of_any_of_the_right_kind():
    base = KnnShannonEntropy(k=5)
    built = make_estimator("divergence", "jensen_shannon", member=base, random_state=0)
    mixed = np.vstack([Y, Z])
    expected = base.estimate(mixed) - (base.estimate(Y) + base.estimate(Z)) / 2
    assert divergence(Y, Z, built) == pytest.approx(expected, abs=1e-12)
    assert built.get_params()["member__k"] == 5
    assert divergence(Y, Z, "j_distance", member=KnnKLDivergence(4)) == pytest.approx(
        divergence(Y, Z, k=4) + divergence(Z, Y, k=4), abs=1e-12
    )
    with pytest.raises(ValueError, match="estimates divergence; an estimator of entropy is needed"):
        entropy(Y, KnnKLDivergence())
    with pytest.raises(ValueError, match="has no order alpha"):
        divergence(Y, Z, "jensen_renyi", member=base)


def test_close_samples_of_one_law_have_jensen_divergences_near_zero_and_far_ones_near_log_two():
    X, _ = gaussians(4000)
    half, rest = X[:2000], X[2000:]
    assert divergence(half, rest, "jensen_shannon") == pytest.approx(0.0, abs=0.03)
    assert divergence(half, rest + 50, "jensen_shannon") == pytest.approx(math.log(2), abs=0.03)
    assert divergence(half, rest + 50, "k_divergence", random_state=0) == pytest.approx(math.log(2), abs=0.05)
    assert divergence(half, rest + 50, "l_divergence", random_state=0) == pytest.approx(2 * math.log(2), abs=0.1)
    assert divergence(half, rest + 50, "jensen_shannon", weight=0.25, random_state=0) == pytest.approx(
        -0.25 * math.log(0.25) - 0.75 * math.log(0.75), abs=0.05
    )


@pytest.mark.parametrize("k", [2, 3, 5])
def test_ties_are_left_out_with_a_warning_or_refused(k):
    X = np.repeat(np.random.default_rng(0).normal(size=(60, 2)), 1, axis=0)
    X[: k + 1] = X[0]
    with pytest.warns(UserWarning, match=f"{k + 1} of the 60 rows of X have {k} equal rows or more"):
        assert np.isfinite(entropy(X, k=k))
    with pytest.raises(ValueError, match="the data are discrete"):
        entropy(np.repeat(X[:10], 6, axis=0), k=k)
    with pytest.warns(UserWarning, match="left out"):
        assert np.isfinite(divergence(X, np.random.default_rng(1).normal(size=(60, 2)), k=k))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: entropy(Y, k=40), "k=40 neighbours of a row among 40 rows; choose k at most 39"),
        (lambda: divergence(Y, Z[:, :1]), "X has 2 columns but Y has 1"),
        (lambda: entropy(np.c_[Y, np.ones(40)]), r"column 2 of X is constant \(1\)"),
        (lambda: entropy([[np.nan], [1.0]]), "NaN"),
        (lambda: entropy([1.0]), "minimum of 2"),
        (lambda: entropy(Y, "renyi_knn", alpha=1), "alpha=1 is the limit"),
        (lambda: entropy(Y, "nearest"), "method='nearest' is unknown; for entropy it may be"),
        (lambda: entropy(Y, alpha=2), "has no parameter 'alpha'; it takes k"),
        (lambda: entropy(Y, k=0), "'k' parameter"),
        (lambda: entropy(Y, "shannon_spacing"), "2 columns; spacings are those of one column"),
        (lambda: entropy(Y + 1j), "X is complex; take the method 'complex'"),
        (lambda: entropy(Y, "complex"), "X is real"),
        (lambda: entropy(Y[:, :1], "shannon_spacing", m=20), "m=20 is too far for 40 rows"),
        (lambda: entropy(np.c_[Y, Y], "shannon_gaussian"), "linearly dependent"),
        (lambda: divergence(Y, Z, "l2_knn", k=2), "k=2 is too small for the L2"),
        (lambda: divergence(Y, Z, "chi_square_knn", k=1), "k=1 is too small"),
        (lambda: divergence(Y, Z, "energy", alpha=2), "alpha=2 must be below 2"),
        (lambda: mutual_information(Y, Z[:30]), "X has 40 rows but Y has 30"),
        (lambda: mutual_information(Y, dims=[1, 2]), r"dims=\[1, 2\] must be positive numbers"),
        (lambda: mutual_information(Y, dims=[2]), "makes one group"),
        (lambda: mutual_information(Y, Z, "hoeffding"), "takes single columns; a group has 2"),
        (lambda: mutual_information(np.c_[Y, Z], method="qmi_euclidean"), "takes 2 groups of columns; there are 4"),
        (lambda: association(Y[:, 0]), "one column alone"),
        (lambda: association(np.c_[Y, Z], method="correntropy"), "takes 2 columns; there are 4"),
        (lambda: association(Y, version="left"), "version='left' is unknown"),
        (lambda: divergence_profile(Y, Z, k=2), "k=2 is too small"),
        (lambda: list_estimators("energy"), "quantity='energy' is unknown"),
        (lambda: entropy(Y, base=0.5), "base=0.5 is no base"),
        (lambda: mutual_information(np.ones(20), np.arange(20), "hsic"), "all rows of X are equal"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_what_would_be_right(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("shannon_from_entropies", {}),
        ("shannon_from_divergence", {"random_state": 0}),
        ("chi_square", {"random_state": 0}),
        ("renyi", {"random_state": 0}),
        ("tsallis", {"random_state": 0}),
    ],
)
def test_information_does_not_hang_on_the_unit_of_a_group(method, parameters):
    X, Y = np.random.default_rng(0).multivariate_normal([0.0, 0.0], [[1.0, 0.7], [0.7, 1.0]], 400).T
    plain = mutual_information(X, Y, method, **parameters)
    assert mutual_information(1000.0 * X + 5.0, Y, method, **parameters) == pytest.approx(plain, rel=1e-6)


def test_missing_categories_are_refused():
    with pytest.raises(ValueError, match="column 1 has missing values"):
        entropy(np.array([[1.0, 2.0], [1.0, np.nan]]), "counts")
    with pytest.raises(ValueError, match="column 0 has missing values"):
        mutual_information(np.array(["a", None, "b", float("nan")], dtype=object), np.arange(4), "counts")


def test_the_register_says_which_estimators_take_single_columns():
    X = np.random.default_rng(0).normal(size=(60, 4))
    for row in list_estimators("mutual_information", columns="single"):
        with pytest.raises(ValueError, match="single columns"):
            mutual_information(X[:, :2], X[:, 2:], row.name)
    assert {row.name for row in list_estimators(columns="single")} == {"hoeffding", "renyi_copula", "copula_kernel"}
