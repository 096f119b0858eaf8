"""Code lengths against their definitions."""

from itertools import combinations

import numpy as np
import pytest

from treatise.statistics import integer_code_constant, log_star, subset_code_length


def test_log_star_sums_the_positive_iterated_logarithms():
    def plain(i):
        total, term = 0.0, np.log2(i)
        while term > 0:
            total, term = total + term, np.log2(term)
        return total

    numbers = np.arange(1, 3000)
    np.testing.assert_allclose(log_star(numbers), [plain(i) for i in numbers], atol=1e-12)
    assert log_star(1) == 0.0 and isinstance(log_star(7), float)


def test_constants_make_complete_codes():
    # The card of the paper has c_20 and c_1000 to five digits; a complete code sums to one (Kraft).
    assert abs(integer_code_constant(20) - 1.09793) < 1e-5
    assert abs(integer_code_constant(1000) - 1.19872) < 1e-5
    for largest in (1, 2, 20, 1000):
        lengths = log_star(np.arange(1, largest + 1)) + integer_code_constant(largest)
        assert abs(np.sum(2.0**-lengths) - 1.0) < 1e-12


@pytest.mark.parametrize("n_items", [1, 2, 5, 9])
def test_subsets_of_any_size_fill_the_code_exactly(n_items):
    sizes = [len(c) for k in range(1, n_items + 1) for c in combinations(range(n_items), k)]
    assert abs(np.sum(2.0 ** -subset_code_length(sizes, n_items)) - 1.0) < 1e-10


@pytest.mark.parametrize("wrong", [0, -3, 1.5, np.nan])
def test_what_is_no_counting_number_has_no_code(wrong):
    with pytest.raises(ValueError, match="whole number from one on"):
        log_star(wrong)


def test_a_subset_larger_than_its_set_is_refused():
    with pytest.raises(ValueError, match="subset of 4 cannot be taken from 3"):
        subset_code_length([1, 4], 3)
