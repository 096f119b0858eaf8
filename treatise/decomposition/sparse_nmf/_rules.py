"""How one factor of a non-negative factorisation is improved while the other stands still.

Every rule has ``step(factor, gram, cross)``: ``factor`` has one row per component, ``gram`` is the Gram matrix of
the other factor's rows, ``cross`` their products with the data. With E the squared error and F the factor,
``E = |V|**2 - 2 <cross, F> + <gram F, F>``, so neither the data nor the product of the factors is needed.
"""

from abc import ABC, abstractmethod
from math import sqrt

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise._core.threads import over_ranges
from treatise.optimize._projection_loops import project_vector
from treatise.optimize.nnls import descend
from treatise.optimize.projections import l1_of_unit_vector, project_in_place


class MultiplicativeRule:
    """The multiplicative step of Lee and Seung, which the paper takes for a factor without a constraint."""

    def step(self, factor, gram, cross):
        current = gram @ factor
        over_ranges(
            lambda first, last: multiply_by_ratio(factor, cross, current, first, last),
            len(factor),
            cost=2.0 * factor.size,
        )
        return factor


class CoordinateRule:
    """Coordinate descent, several sweeps in a step.

    Sweeps are cheap beside the products with the data when the data are larger than the factor: the accelerated
    hierarchical alternating least squares of Gillis and Glineur, Neural Computation 24, 2012.

    Parameters
    ----------
    sweeps : int
        Most sweeps in one step; a step ends earlier once a sweep moves the factor by less than a third of what
        its first one did.
    """

    def __init__(self, sweeps):
        self._sweeps = sweeps

    def step(self, factor, gram, cross):
        descend(factor, gram, cross, tol=0.3, max_iter=self._sweeps)
        return factor


class SparsenessRule(ABC):
    """A rule whose rows all have one Hoyer sparseness.

    Parameters
    ----------
    size : int
        Length of a row.
    sparseness : float
        The sparseness that every row gets.
    unit_norm : bool, default=False
        Rows get L2 norm one; else a projected row keeps the norm it had.
    """

    def __init__(self, size, sparseness, *, unit_norm=False):
        self._l1 = l1_of_unit_vector(size, sparseness)
        self._unit_norm = unit_norm

    def project(self, factor):
        """Give the rows of a C-ordered factor the wished sparseness, in place."""
        norms = np.ones(len(factor)) if self._unit_norm else np.sqrt(np.einsum("ij,ij->i", factor, factor))
        project_in_place(factor, self._l1 * norms, norms)
        return factor

    @abstractmethod
    def step(self, factor, gram, cross):
        """Lower the error, or leave the factor as it is."""


class ProjectedGradientRule(SparsenessRule):
    """A gradient step for all rows, and the projection of each to the wished sparseness (steps 4a and 4b).

    The paper's W keeps the norms that the gradient step gives it, its H has unit norms.
    """

    _rate = None

    def step(self, factor, gram, cross):
        """Take the largest step, of those tried, that does not raise the error.

        The paper leaves the step size to its program, which adapts it. Here it starts at the reciprocal of the
        gradient's Lipschitz constant, grows by a fifth after a success and halves after a failure.
        """
        curvature = np.trace(gram)
        if curvature <= 0.0:
            return factor
        slope = gram @ factor
        slope -= cross
        if self._rate is None:
            self._rate = 1.0 / np.linalg.eigvalsh(gram)[-1]
        smallest, largest = 1e-10 / curvature, 1e10 / curvature
        while self._rate > smallest:
            trial = -self._rate * slope
            trial += factor
            move = self.project(trial) - factor
            # E(trial) - E(factor), free of the cancellation that the difference of both would suffer.
            change = 2.0 * np.vdot(slope, move) + np.vdot(gram @ move, move)
            if change <= 0.0:
                self._rate = min(1.2 * self._rate, largest)
                return trial
            if change <= np.finfo(float).eps * abs(np.vdot(cross, factor)):
                # The error cannot be told from the lowest one any more.
                return factor
            self._rate /= 2.0
        self._rate = None
        return factor


class ProjectedRowRule(SparsenessRule):
    """One row after another set to its exact minimiser among the vectors of the wished sparseness.

    Beyond the paper: it needs no step size, and far fewer iterations than the gradient. Norms are free.

    Parameters
    ----------
    size, sparseness
        As in :class:`SparsenessRule`.
    sweeps : int
        Times that each row is set in one step.
    """

    def __init__(self, size, sparseness, *, sweeps):
        super().__init__(size, sparseness)
        self._sweeps = sweeps

    def step(self, factor, gram, cross):
        descend_rows(factor, gram, cross, self._l1, self._sweeps)
        return factor


@compiled
def multiply_by_ratio(factor, cross, current, first, last):
    """``factor *= cross / current`` on the rows ``first`` to ``last``, in place: the multiplicative step of 4a, 4b.

    ``current`` is bounded away from zero. An entry that has shrunk to nothing becomes zero, where it would stay
    in any case: left to shrink on, it would slow every later product down to the pace of subnormal numbers.
    """
    for i in range(first, last):
        for j in range(factor.shape[1]):
            value = factor[i, j] * cross[i, j] / max(current[i, j], 1e-100)
            factor[i, j] = value if value > 1e-100 else 0.0


@compiled
def descend_rows(factor, gram, cross, l1, sweeps):
    """Set one row after another to its best value of the wished sparseness, in place.

    With the other rows fixed, the squared error is a constant plus ``gram[j, j] * |row - best|**2``, where
    ``best`` is the row without a constraint. Its minimiser over the vectors of one sparseness, at any length, is
    the projection of ``best`` at unit length, ``u``, times ``<best, u>``.
    """
    n_rows, size = factor.shape
    best, unit, values = np.empty(size), np.empty(size), np.empty(size)
    places = np.empty(size, np.int64)
    for _ in range(sweeps):
        for j in range(n_rows):
            curvature = gram[j, j]
            if curvature <= 0.0:
                continue
            _best_row(j, factor, gram, cross, best)
            square = 0.0
            for i in range(size):
                unit[i] = best[i]
                square += best[i] * best[i]
            project_vector(unit, l1, 1.0, values, places)
            length = 0.0
            for i in range(size):
                length += best[i] * unit[i]
            # Of no use to the fit, a row would vanish: next to nothing is left, so that its sparseness holds.
            length = max(length, 1e-10 * sqrt(square))
            for i in range(size):
                factor[j, i] = length * unit[i]


@compiled_step
def _best_row(j, factor, gram, cross, best):
    """``best = (cross[j] - gram[j] @ factor without row j) / gram[j, j]``, in blocks that stay in the nearest cache."""
    n_rows, size = factor.shape
    for start in range(0, size, 512):
        width = min(512, size - start)
        block, target = best[start : start + width], cross[j, start : start + width]
        for i in range(width):
            block[i] = target[i]
        for k in range(n_rows):
            weight = gram[j, k] if k != j else 0.0
            row = factor[k, start : start + width]
            for i in range(width):
                block[i] -= weight * row[i]
        for i in range(width):
            block[i] /= gram[j, j]
