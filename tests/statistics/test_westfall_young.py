"""Step-down correction of many permutation tests."""

import numpy as np
import pytest

from treatise.statistics import westfall_young


def test_adjusted_values_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    observed, null = rng.normal(size=6) + [3, 0, 2, 0, 1, 0], rng.normal(size=(49, 6))
    order = np.argsort(-observed)
    expected, last = np.empty(6), 0.0
    for place, test in enumerate(order):
        largest = null[:, order[place:]].max(axis=1)
        last = max(last, (1 + np.sum(largest >= observed[test])) / 50)
        expected[test] = last
    np.testing.assert_allclose(westfall_young(observed, null), expected)


def test_one_test_has_its_own_p_value_and_equal_tests_are_not_paid_for_twice():
    rng = np.random.default_rng(1)
    null = rng.normal(size=(99, 1))
    single = westfall_young([1.5], null)
    assert single[0] == (1 + np.sum(null >= 1.5)) / 100
    np.testing.assert_allclose(westfall_young([1.5] * 20, np.tile(null, 20)), single[0])


def test_wrong_shapes_and_missing_statistics_are_refused():
    for observed, null, words in (([1.0], np.zeros((5, 2)), "one column"), ([np.nan], np.zeros((5, 1)), "NaN")):
        with pytest.raises(ValueError, match=words):
            westfall_young(observed, null)
