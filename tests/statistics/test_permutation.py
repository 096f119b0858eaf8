"""Permutation tests against all orders of few rows, and their level."""

from itertools import permutations

import numpy as np
import pytest

from treatise.statistics import permutation_test

X = np.array([0.3, -1.2, 2.2, 0.9, 1.7])
Y = np.array([0.1, -0.4, 1.9, 0.2, -0.3])


def product(order):
    return X @ Y[order]


def test_p_value_approaches_the_share_among_all_orders():
    values = np.array([product(list(order)) for order in permutations(range(5))])
    share = np.mean(values >= product(np.arange(5)) - 1e-12)
    test = permutation_test(product, 5, n_permutations=20_000, random_state=0)
    # Three standard errors of a share of 20 000 draws.
    assert test.p_value == pytest.approx(share, abs=3 * np.sqrt(share * (1 - share) / 20_000))


def test_the_order_of_the_data_counts_as_one_of_the_orders():
    test = permutation_test(lambda order: float(np.array_equal(order, np.arange(30))), 30, n_permutations=19)
    assert (test.statistic, test.p_value) == (1.0, 1 / 20)
    assert permutation_test(lambda order: 1.0, 30, n_permutations=19).p_value == 1.0


def test_many_orders_at_once_give_what_one_after_the_other_gives():
    many = permutation_test(lambda orders: Y[orders] @ X, 5, vectorized=True, random_state=3)
    one = permutation_test(product, 5, random_state=3)
    assert many.p_value == one.p_value
    np.testing.assert_allclose(many.null, one.null, rtol=1e-14)


def test_values_equal_up_to_rounding_count_as_equal():
    noise = iter(np.random.default_rng(0).choice([-1e-15, 1e-15], 100))
    assert permutation_test(lambda order: 1.0 + next(noise), 5, n_permutations=99).p_value == 1.0


def test_both_sides_and_either_side():
    low = permutation_test(product, 5, alternative="less", random_state=0).p_value
    high = permutation_test(product, 5, alternative="greater", random_state=0).p_value
    both = permutation_test(product, 5, alternative="two-sided", random_state=0).p_value
    assert both == pytest.approx(min(1.0, 2 * min(low, high)))
    assert low > high


def test_independent_columns_keep_the_level():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(400, 2, 20))
    p = [permutation_test(lambda o, a=a, b=b: b[o] @ a, 20, n_permutations=19, vectorized=True, random_state=i).p_value
         for i, (a, b) in enumerate(draws)]  # fmt: skip
    # 5 % of 400 tests reject on average; 36 is more than three standard errors above.
    assert 5 <= np.sum(np.array(p) <= 0.05) <= 36


def test_what_is_no_test_is_refused():
    with pytest.raises(ValueError, match="n_permutations=0"):
        permutation_test(product, 5, n_permutations=0)
    with pytest.raises(ValueError, match="alternative='more'"):
        permutation_test(product, 5, alternative="more")
    with pytest.raises(ValueError, match="not finite"):
        permutation_test(lambda order: np.nan, 5)
    with pytest.raises(ValueError, match="one number each"):
        permutation_test(lambda orders: orders, 5, vectorized=True)
