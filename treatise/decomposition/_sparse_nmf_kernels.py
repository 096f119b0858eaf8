"""Compiled multiplicative step (Lee and Seung; step 4 of the algorithm of Hoyer, JMLR 5:1457)."""

from treatise._core.jit import kernel


@kernel
def multiply_by_ratio(factor, cross, current, first, last):
    """``factor *= cross / current`` on the rows ``first`` to ``last``, in place.

    ``current`` is bounded away from zero. An entry that has shrunk to nothing becomes zero, where it would stay
    in any case: left to shrink on, it would slow every later product down to the pace of subnormal numbers.
    """
    for i in range(first, last):
        for j in range(factor.shape[1]):
            value = factor[i, j] * cross[i, j] / max(current[i, j], 1e-100)
            factor[i, j] = value if value > 1e-100 else 0.0
