"""The 5x2 cross-validation tests, against their definitions written out."""

import numpy as np
import pytest
from scipy import stats

from treatise.theory import five_by_two_test


def test_both_statistics_equal_their_definitions():
    a, b = np.random.default_rng(3).normal(0.8, 0.05, size=(2, 5, 2))
    test = five_by_two_test(a, b)
    variances, squares = [], 0.0
    for i in range(5):
        first, second = a[i, 0] - b[i, 0], a[i, 1] - b[i, 1]
        centre = (first + second) / 2
        variances.append((first - centre) ** 2 + (second - centre) ** 2)
        squares += first**2 + second**2
    t = (a[0, 0] - b[0, 0]) / np.sqrt(sum(variances) / 5)
    f = squares / (2 * sum(variances))
    assert test.t_statistic == pytest.approx(t, rel=1e-12)
    assert test.t_p_value == pytest.approx(2 * stats.t.sf(abs(t), 5), rel=1e-12)
    assert test.f_statistic == pytest.approx(f, rel=1e-12)
    assert test.f_p_value == pytest.approx(stats.f.sf(f, 10, 5), rel=1e-12)
    assert test.mean == pytest.approx((a - b).mean())


def test_the_f_test_does_not_depend_on_order_and_the_t_test_does():
    a, b = np.random.default_rng(4).normal(0.8, 0.05, size=(2, 5, 2))
    straight, turned = five_by_two_test(a, b), five_by_two_test(a[::-1, ::-1], b[::-1, ::-1])
    assert straight.f_statistic == pytest.approx(turned.f_statistic, rel=1e-12)
    assert straight.t_statistic != pytest.approx(turned.t_statistic)


def test_identical_scores_give_p_one():
    same = np.full((5, 2), 0.8)
    test = five_by_two_test(same, same)
    assert test.t_p_value == test.f_p_value == 1.0


@pytest.mark.parametrize(
    ("scores", "message"), [(np.zeros((2, 5)), r"\(2, 5\)"), (np.full((5, 2), np.nan), "not finite")]
)
def test_bad_input_is_named(scores, message):
    with pytest.raises(ValueError, match=message):
        five_by_two_test(scores, np.zeros((5, 2)))
