"""The report on one cross-validation: every estimate is a quadratic form, so its expectation can be had exactly."""

import numpy as np
import pytest
from scipy import stats

from treatise.theory import corrected_interval, cv_variance, cv_variance_report

EQUAL = np.repeat(np.arange(5), 4)
UNEQUAL = np.repeat(np.arange(4), [7, 3, 4, 2])
TWO_UNEQUAL = np.repeat([0, 1], [5, 2])
NEARLY_SINGLE = np.repeat([0, 1, 2], [1, 1, 2])


def quadratic_form(estimate, n):
    """The matrix W of an estimate e'We, by polarisation."""
    unit = np.eye(n)
    diagonal = np.array([estimate(u) for u in unit])
    W = np.diag(diagonal)
    for i in range(n):
        for j in range(i):
            W[i, j] = W[j, i] = (estimate(unit[i] + unit[j]) - diagonal[i] - diagonal[j]) / 2
    return W


def expectation(estimate, fold, mu, sigma2, omega, gamma):
    """E[e'We] for errors of mean mu and the block covariance, unequal blocks included."""
    covariance = np.where(fold[:, None] == fold, omega, gamma)
    np.fill_diagonal(covariance, sigma2)
    return float((quadratic_form(estimate, len(fold)) * (covariance + mu**2)).sum()), float(covariance.mean())


@pytest.mark.parametrize("fold", [EQUAL, UNEQUAL, TWO_UNEQUAL, NEARLY_SINGLE])
@pytest.mark.parametrize("moments", [(0.0, 1.0, 0.2, 0.1), (2.0, 3.0, 0.5, -0.05), (-1.0, 1.0, 0.0, 0.3)])
def test_expectations_are_the_papers_for_equal_and_unequal_folds(fold, moments):
    mu, sigma2, omega, gamma = moments

    def expected(name):
        return expectation(lambda e: getattr(cv_variance_report(e, fold), name), fold, *moments)

    v2, theta = expected("v2")
    assert v2 == pytest.approx(theta - gamma, abs=1e-10)
    assert expected("lambda1")[0] == pytest.approx(sigma2 - omega, abs=1e-10)
    assert expected("s1")[0] == pytest.approx(sigma2 + mu**2, abs=1e-10)
    assert expected("s2")[0] == pytest.approx(omega + mu**2, abs=1e-10)
    assert expected("s3")[0] == pytest.approx(gamma + mu**2, abs=1e-10)
    n, same = len(fold), (fold[:, None] == fold).sum() - len(fold)
    different = n * n - n - same
    bias_free = sigma2 - same / (n * (n - 1)) * omega - different / (n * (n - 1)) * gamma
    assert expected("v1")[0] == pytest.approx(bias_free / n, abs=1e-10)


def test_estimates_equal_their_definitions_on_equal_folds():
    e = np.random.default_rng(0).exponential(size=20)
    report = cv_variance_report(e, EQUAL)
    means = e.reshape(5, 4).mean(axis=1)
    assert report.v1 == pytest.approx(e.var(ddof=1) / 20)
    assert report.v2 == pytest.approx(means.var(ddof=1) / 5)
    assert report.lambda2 == pytest.approx(4 * means.var(ddof=1))
    assert report.lambda1 == pytest.approx(np.mean(e.reshape(5, 4).var(axis=1, ddof=1)))


def test_interval_is_the_corrected_one_of_the_fold_means():
    e = np.random.default_rng(1).exponential(size=20)
    report = cv_variance_report(e, EQUAL, confidence=0.9)
    expected = corrected_interval(e.reshape(5, 4).mean(axis=1), n_train=16, n_test=4, confidence=0.9)
    np.testing.assert_allclose([report.mean, report.low, report.high], [expected.mean, expected.low, expected.high])
    assert report.corrected == pytest.approx(expected.standard_error**2)


def test_the_variance_range_follows_from_the_assumed_correlation_of_fold_means():
    e = np.random.default_rng(2).exponential(size=20)
    rho = 0.3
    report = cv_variance_report(e, EQUAL, correlation=(-1 / 4, rho))
    low, high = report.variance_range
    assert low == pytest.approx(0, abs=1e-15)
    # Moments that give V2 its value and fold means that correlation, put into equation 7.
    fold_variance = 5 * report.v2 / (1 - rho)
    gamma = rho * fold_variance
    sigma2 = 4 * fold_variance  # with omega = 0, four errors a fold
    assert high == pytest.approx(cv_variance(20, 5, sigma2, 0.0, gamma))
    assert cv_variance_report(e, EQUAL, correlation=(0.2, 0.2)).variance_range[0] == pytest.approx(report.corrected)


def test_order_within_and_between_folds_does_not_matter():
    rng = np.random.default_rng(3)
    e = rng.exponential(size=len(UNEQUAL))
    shuffled = rng.permutation(len(e))
    renamed = np.array(["d", "a", "c", "b"])[UNEQUAL]
    first, second = cv_variance_report(e, UNEQUAL), cv_variance_report(e[shuffled], renamed[shuffled])
    for name in ("mean", "s1", "s2", "s3", "lambda1", "v1", "v2", "corrected"):
        assert getattr(first, name) == pytest.approx(getattr(second, name), rel=1e-12)


def test_leave_one_out_has_no_products_within_folds():
    e = np.random.default_rng(4).exponential(size=12)
    report = cv_variance_report(e, np.arange(12))
    assert np.isnan([report.s2, report.lambda1]).all()
    assert report.v1 == pytest.approx(report.v2) == pytest.approx(e.var(ddof=1) / 12)
    assert np.isfinite([report.low, report.high]).all()


def test_two_folds_work():
    e = np.random.default_rng(5).exponential(size=10)
    report = cv_variance_report(e, np.repeat([0, 1], 5))
    difference = e[:5].mean() - e[5:].mean()
    assert report.v2 == pytest.approx(difference**2 / 4)
    margin = stats.t.ppf(0.975, 1) * np.sqrt(3 * report.v2)
    assert report.high - report.mean == pytest.approx(margin)


def test_large_losses_do_not_cancel():
    e = np.random.default_rng(6).standard_normal(20)
    # The spread is exact to the rounding of the shifted losses themselves, 1e9 * 2**-52.
    assert cv_variance_report(e + 1e9, EQUAL).v2 == pytest.approx(cv_variance_report(e, EQUAL).v2, rel=1e-5)


def test_equal_losses_give_no_variance():
    report = cv_variance_report(np.full(20, 0.25), EQUAL)
    assert report.v1 == report.v2 == 0.0
    assert report.low == report.high == 0.25


def test_the_report_warns_and_calls_no_estimate_unbiased():
    text = str(cv_variance_report(np.random.default_rng(7).exponential(size=20), EQUAL, correlation=(0, 0.5)))
    assert "No estimate of this variance from one cross-validation is unbiased" in text
    assert text.count("unbiased") == 1
    assert "naive" in text
    assert "folds correlated by 0 to 0.5" in text


@pytest.mark.parametrize(
    ("losses", "fold", "options", "message"),
    [
        (np.ones(4), np.zeros(3), {}, r"\(4,\) and fold \(3,\)"),
        (np.ones((2, 2)), np.zeros((2, 2)), {}, "flat"),
        (np.ones(4), np.zeros(4), {}, r"1 fold\(s\)"),
        ([1.0, np.nan, 2.0, 3.0], [0, 0, 1, 1], {}, "1 values that are not finite"),
        (np.ones(4), [0, 0, 1, 1], {"confidence": 0}, "confidence=0"),
        (np.ones(6), [0, 0, 1, 1, 2, 2], {"correlation": (0.5, 0.1)}, "increasing pair"),
        (np.ones(6), [0, 0, 1, 1, 2, 2], {"correlation": (-0.6, 0.1)}, r"within \[-0.5, 1\)"),
        (np.ones(6), [0, 0, 1, 1, 2, 2], {"correlation": (0.0, 1.0)}, "not feasible"),
    ],
)
def test_bad_input_is_named(losses, fold, options, message):
    with pytest.raises(ValueError, match=message):
        cv_variance_report(losses, fold, **options)
