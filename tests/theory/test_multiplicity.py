"""Holm's adjusted p-values, against the step-down procedure run level by level."""

import numpy as np
import pytest

from treatise.theory import holm


def rejected_step_by_step(p_values, level):
    """Holm's procedure as stated: from the smallest p-value on, stop at the first that is too large."""
    rejected = set()
    order = np.argsort(p_values, kind="stable")
    for step, i in enumerate(order):
        if p_values[i] > level / (len(p_values) - step):
            break
        rejected.add(int(i))
    return rejected


def test_adjusted_values_reject_what_the_procedure_rejects_at_every_level():
    rng = np.random.default_rng(5)
    for _ in range(50):
        p_values = rng.beta(0.3, 1.0, size=rng.integers(1, 9))
        adjusted = holm(p_values)
        for level in (0.01, 0.05, 0.1, 0.3, 0.7):
            assert set(np.flatnonzero(adjusted <= level)) == rejected_step_by_step(p_values, level)


def test_adjusted_values_never_shrink_and_never_exceed_bonferroni():
    p_values = np.random.default_rng(6).uniform(size=12)
    adjusted = holm(p_values)
    assert (adjusted >= p_values).all()
    assert (adjusted <= np.minimum(1, 12 * p_values) + 1e-15).all()


def test_tests_that_could_not_be_made_do_not_count():
    adjusted = holm([0.02, np.nan, 0.5])
    assert np.isnan(adjusted[1])
    np.testing.assert_allclose(adjusted[[0, 2]], holm([0.02, 0.5]))


def test_no_tests_give_no_values():
    assert holm([]).shape == (0,)


@pytest.mark.parametrize("p_values", [[0.1, 1.2], [-0.1]])
def test_values_outside_the_unit_interval_are_named(p_values):
    with pytest.raises(ValueError, match=r"between 0 and 1"):
        holm(p_values)


def test_a_matrix_of_p_values_is_refused():
    with pytest.raises(ValueError, match=r"\(2, 2\)"):
        holm(np.full((2, 2), 0.5))
