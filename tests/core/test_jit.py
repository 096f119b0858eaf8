"""Compiled steps: called by compiled loops, and by Python."""

import numba
import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def _twice(x):
    """Two times x."""
    return x + x


@compiled
def _sum_of_doubles(values):
    total = 0.0
    for value in values:
        total += _twice(value)
    return total


def test_a_step_is_called_by_loops_and_by_python():
    assert _sum_of_doubles(np.arange(4.0)) == 12.0
    assert _twice(1.5) == 3.0


def test_a_variable_that_begins_with_a_constant_compiles_a_step_once():
    @compiled_step
    def doubled(x):
        return x + x

    @numba.njit  # not kept on disk: a loop loaded from there compiles nothing
    def power_of_two(n):
        power = 1
        for _ in range(n):
            power = doubled(power)
        return power

    assert power_of_two(5) == 32
    assert doubled._inner.signatures == [(numba.int64,)]


def test_a_step_keeps_its_name_and_its_documentation():
    assert (_twice.__name__, _twice.__doc__) == ("_twice", "Two times x.")
    assert _twice.py_func(2) == 4
