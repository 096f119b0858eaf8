"""Weighted sums of chi-square variables against closed forms, printed values and draws."""

import numpy as np
import pytest
from scipy import stats

from treatise.statistics import weighted_chi2_cdf, weighted_chi2_sf


@pytest.mark.parametrize("df", [0.5, 1, 2, 7.5, 60])
def test_one_term_is_the_chi_square_law_in_both_tails(df):
    x = np.array([1e-30, 1e-6, 0.3, 1.0, 4.0, 30.0, 400.0])
    np.testing.assert_allclose(weighted_chi2_cdf(3.0 * x, 3.0, df), stats.chi2.cdf(x, df), rtol=1e-10, atol=1e-300)
    np.testing.assert_allclose(weighted_chi2_sf(3.0 * x, 3.0, df), stats.chi2.sf(x, df), rtol=1e-10, atol=1e-300)
    np.testing.assert_allclose(weighted_chi2_cdf(-3.0 * x, -3.0, df), stats.chi2.sf(x, df), rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize(("df", "noncentrality"), [(1, 0.4), (3, 5.0), (10, 80.0)])
def test_one_noncentral_term_is_the_noncentral_law(df, noncentrality):
    x = np.linspace(0.1, 3.0, 9) * (df + noncentrality)
    ours = weighted_chi2_cdf(2.0 * x, 2.0, df, noncentrality)
    np.testing.assert_allclose(ours, stats.ncx2.cdf(x, df, noncentrality), rtol=1e-8)


def test_weights_of_two_degrees_are_a_sum_of_exponentials():
    # Half of a chi-square of two degrees is exponential: with rates r the tail is sum_i exp(-r_i x) prod r_j/(r_j-r_i).
    rates = 1.0 / (2.0 * np.array([0.2, 1.0, 1.3, 4.0]))
    x = np.array([0.5, 3.0, 20.0, 300.0])
    shares = [np.prod([r / (r - rate) for r in rates if r != rate]) for rate in rates]
    exact = sum(share * np.exp(-rate * x) for share, rate in zip(shares, rates))
    np.testing.assert_allclose(weighted_chi2_sf(x, 0.5 / rates, 2), exact, rtol=1e-10)


def test_a_difference_of_two_degrees_is_the_laplace_law():
    x = np.array([-90.0, -3.0, -1e-9, 0.0, 2.0, 70.0])
    np.testing.assert_allclose(weighted_chi2_cdf(x, [1.0, -1.0], 2), stats.laplace.cdf(x, scale=2.0), rtol=1e-10)


def test_a_difference_of_two_single_squares_is_a_product_of_normals():
    # (U^2 - V^2) / 2 has the law of a product of two normals, whose density is K_0(|x|) / pi.
    from scipy.integrate import quad
    from scipy.special import k0

    for x in (0.01, 0.5, 3.0):
        exact = quad(k0, x, np.inf, epsabs=1e-13)[0] / np.pi
        assert weighted_chi2_sf(2.0 * x, [1.0, -1.0]) == pytest.approx(exact, rel=1e-9)


def test_values_that_imhof_printed():
    # Imhof, Biometrika 48:419, 1961, Table 1, tails of 0.6, 0.3 and 0.1 with three sets of degrees.
    printed = {
        (1, 1, 1): {0.1: 0.9458, 0.7: 0.5064, 2.0: 0.1240},
        (2, 2, 2): {0.2: 0.9936, 2.0: 0.3998, 6.0: 0.0161},
        (6, 4, 2): {1.0: 0.9973, 5.0: 0.4353, 12.0: 0.0088},
    }
    for df, tails in printed.items():
        ours = weighted_chi2_sf(list(tails), [0.6, 0.3, 0.1], df)
        np.testing.assert_allclose(ours, list(tails.values()), atol=6e-5)


@pytest.mark.parametrize("seed", range(8))
def test_random_sums_agree_with_draws(seed):
    rng = np.random.default_rng(seed)
    terms = [1, 2, 3, 12][seed % 4]
    weights = rng.normal(size=terms) * np.exp(rng.normal(size=terms))
    df, noncentrality, scale = rng.integers(1, 4, terms), rng.exponential(2.0, terms), [0.0, 1.5][seed // 4]
    draws = scale * rng.normal(size=200_000)
    for w, d, nu in zip(weights, df, noncentrality):
        draws += w * rng.noncentral_chisquare(d, nu, size=draws.size)
    x = np.quantile(draws, [0.02, 0.2, 0.5, 0.8, 0.98])
    p = weighted_chi2_cdf(x, weights, df, noncentrality, scale)
    # The shares of an independent half would have this error; the quantiles' own adds about as much again.
    error = np.sqrt(p * (1 - p) / draws.size)
    assert np.all(np.abs(p - [0.02, 0.2, 0.5, 0.8, 0.98]) < 5 * error)


def test_a_tiny_weight_is_a_normal_variable_and_nothing_blows_up():
    # w (Z + m)^2 - w m^2 with 2 w m = 1 tends to Z as w goes to zero.
    x = np.array([-6.0, -1.0, 0.0, 2.0])
    for w in (1e-5, 1e-7):
        ours = weighted_chi2_cdf(x + 0.25 / w, w, 1, 0.25 / w**2)
        np.testing.assert_allclose(ours, stats.norm.cdf(x), rtol=1e-2 * (w / 1e-7), atol=20 * w)
    np.testing.assert_allclose(weighted_chi2_cdf(x, 0.0, scale=1.0), stats.norm.cdf(x), rtol=1e-10)


def test_scaling_all_and_splitting_degrees_change_nothing():
    x = np.array([-4.0, 0.3, 5.0])
    whole = weighted_chi2_cdf(x, [2.0, -1.0], [3, 2], [1.0, 0.5], 0.7)
    scaled = weighted_chi2_cdf(1e6 * x, [2e6, -1e6], [3, 2], [1.0, 0.5], 0.7e6)
    split = weighted_chi2_cdf(x, [2.0, -1.0, 2.0, 2.0, -1.0], 1, [0.25, 0.0, 0.75, 0.0, 0.5], 0.7)
    np.testing.assert_allclose(scaled, whole, rtol=1e-9)
    np.testing.assert_allclose(split, whole, rtol=1e-9)


def test_many_terms_keep_the_branch_of_the_root():
    rng = np.random.default_rng(0)
    weights = np.concatenate([rng.uniform(0.5, 2.0, 150), -rng.uniform(0.5, 2.0, 90)])
    mean, deviation = weights.sum(), np.sqrt(2 * np.sum(weights**2))
    grouped = weighted_chi2_cdf(mean + 0.5 * deviation, weights.round(1))
    values, counts = np.unique(weights.round(1), return_counts=True)
    assert weighted_chi2_cdf(mean + 0.5 * deviation, values, counts) == pytest.approx(grouped, rel=1e-10)
    # Edgeworth's series to the fourth cumulant; the next terms are of the order of skewness cubed.
    skewness, excess = 8 * np.sum(weights**3) / deviation**3, 48 * np.sum(weights**4) / deviation**4
    x = 0.5
    hermite = (x**2 - 1, x**3 - 3 * x, x**5 - 10 * x**3 + 15 * x)
    moved = skewness / 6 * hermite[0] + excess / 24 * hermite[1] + skewness**2 / 72 * hermite[2]
    exact = stats.norm.cdf(x) - moved * stats.norm.pdf(x)
    assert weighted_chi2_cdf(mean + x * deviation, weights) == pytest.approx(exact, abs=skewness**3)


def test_ends_of_the_values_are_certain():
    assert weighted_chi2_cdf([-1.0, 0.0, np.inf, -np.inf], [1.0, 2.0]).tolist() == [0.0, 0.0, 1.0, 0.0]
    assert weighted_chi2_sf([1.0, -np.inf], [-1.0, -2.0], 1, 3.0).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, []), "at least one"),
        ((1.0, [np.nan]), "finite"),
        ((1.0, [1.0, 2.0], [1, 2, 3]), "df has shape"),
        ((1.0, [1.0], 0), "df must be above zero.*found 0"),
        ((1.0, [1.0], 1, -2.0), "noncentrality must be zero or more.*-2"),
        ((1.0, [1.0], 1, 0.0, -1.0), "scale=-1.0"),
        ((1.0, [0.0]), "constant"),
        ((np.nan, [1.0]), "NaN"),
    ],
)
def test_bad_input_says_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        weighted_chi2_cdf(*arguments)
