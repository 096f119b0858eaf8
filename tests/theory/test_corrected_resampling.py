"""The corrected resampled t interval and test, against SciPy and against scores whose correlation is known."""

import numpy as np
import pytest
from scipy import stats

from treatise.theory import corrected_interval, corrected_ttest


@pytest.fixture
def scores():
    return np.random.default_rng(0).normal(0.8, 0.05, size=(2, 15))


def test_interval_is_the_t_interval_with_the_inflated_variance(scores):
    interval = corrected_interval(scores[0], n_train=90, n_test=10, confidence=0.9)
    scale = scores[0].std(ddof=1) * np.sqrt(1 / 15 + 10 / 90)
    low, high = stats.t.interval(0.9, df=14, loc=scores[0].mean(), scale=scale)
    np.testing.assert_allclose([interval.low, interval.high, interval.standard_error], [low, high, scale], rtol=1e-12)
    assert interval.n_splits == 15


def test_test_is_the_paired_t_test_shrunk_by_the_correction(scores):
    ours = corrected_ttest(*scores, n_train=80, n_test=20)
    plain = stats.ttest_rel(*scores).statistic
    shrunk = plain * np.sqrt((1 / 15) / (1 / 15 + 20 / 80))
    assert ours.statistic == pytest.approx(shrunk, rel=1e-12)
    assert ours.p_value == pytest.approx(2 * stats.t.sf(abs(shrunk), 14), rel=1e-12)


def test_p_value_is_below_the_level_exactly_when_the_interval_misses_zero():
    rng = np.random.default_rng(1)
    for shift in np.linspace(0, 0.2, 40):
        test = corrected_ttest(
            rng.normal(shift, 0.1, 10), rng.normal(0, 0.1, 10), n_train=90, n_test=10, confidence=0.9
        )
        assert (test.p_value < 0.1) == (test.low > 0 or test.high < 0)


def test_exchanging_the_methods_changes_the_sign_alone(scores):
    one, other = (corrected_ttest(*pair, n_train=9, n_test=1) for pair in (scores, scores[::-1]))
    assert (one.mean, one.statistic, one.p_value) == (-other.mean, -other.statistic, other.p_value)


def test_level_is_right_where_splits_correlate_as_assumed_and_the_plain_test_is_far_off():
    # Scores with correlation n_test / (n_train + n_test), the premise of the correction: then it is exact.
    rng, J, n_train, n_test = np.random.default_rng(2), 20, 80, 20
    rho = n_test / (n_train + n_test)
    common, own = rng.standard_normal((4000, 1)), rng.standard_normal((4000, J))
    differences = np.sqrt(rho) * common + np.sqrt(1 - rho) * own
    corrected = [corrected_ttest(d, np.zeros(J), n_train=n_train, n_test=n_test).p_value < 0.05 for d in differences]
    plain = stats.ttest_1samp(differences, 0, axis=1).pvalue < 0.05
    # Three standard errors of a rate of 0.05 over 4000 trials.
    assert np.mean(corrected) == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 4000))
    assert np.mean(plain) > 0.3


def test_one_split_gives_nan_bounds_and_no_verdict():
    interval = corrected_interval([0.7], n_train=90, n_test=10)
    assert interval.mean == 0.7
    assert np.isnan([interval.low, interval.high, interval.standard_error]).all()
    assert np.isnan(corrected_ttest([0.7], [0.6], n_train=90, n_test=10).p_value)


@pytest.mark.parametrize("splits", [1, 2, 10])
def test_identical_scores_give_p_one(splits):
    same = np.linspace(0.1, 0.9, splits)
    test = corrected_ttest(same, same, n_train=90, n_test=10)
    assert (test.mean, test.statistic, test.p_value) == (0.0, 0.0, 1.0)


def test_scores_that_differ_by_rounding_count_as_identical():
    a = np.array([0.1 + 0.2, 0.7, 0.9])
    b = np.array([0.3, 0.7, 0.9])
    assert (a != b).any()
    assert corrected_ttest(a, b, n_train=9, n_test=1).p_value == 1.0


def test_equal_scores_give_a_point_and_a_constant_difference_a_certainty():
    interval = corrected_interval([0.1 + 0.2, 0.3, 0.3], n_train=9, n_test=1)
    assert interval.low == interval.high == interval.mean
    test = corrected_ttest([0.9, 0.7, 0.8], [0.8, 0.6, 0.7], n_train=9, n_test=1)
    assert (test.statistic, test.p_value) == (np.inf, 0.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": []}, "shape"),
        ({"scores": [[1.0, 2.0]]}, "shape"),
        ({"scores": [1.0, np.nan, np.inf]}, "2 values that are not finite"),
        ({"n_train": 0}, "n_train=0"),
        ({"n_test": -3}, "n_test=-3"),
        ({"n_test": np.nan}, "n_test=nan"),
        ({"confidence": 1.0}, "confidence=1.0"),
        ({"confidence": 95}, "confidence=95"),
    ],
)
def test_bad_input_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        corrected_interval(**{"scores": [0.1, 0.2], "n_train": 9, "n_test": 1, **change})


def test_unpaired_lengths_are_refused():
    with pytest.raises(ValueError, match="3 splits and scores_b has 2"):
        corrected_ttest([1, 2, 3], [1, 2], n_train=9, n_test=1)
