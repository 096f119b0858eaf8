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


@compiled
def _sum_from_zero(values):
    total = 0
    for _ in values:
        total = _twice(total) + 1
    return total


def test_a_variable_that_begins_with_a_constant_compiles_a_step_once():
    assert _sum_from_zero(np.arange(3.0)) == 7
    kinds = [signature for signature in _twice._inner.signatures if signature[0] != numba.float64]
    assert kinds == [(numba.int64,)]


def test_a_step_keeps_its_name_and_its_documentation():
    assert (_twice.__name__, _twice.__doc__) == ("_twice", "Two times x.")
    assert _twice.py_func(2) == 4
