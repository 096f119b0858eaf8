"""How one factor of a non-negative factorisation is improved while the other stands still.

Every rule has ``step(factor, gram, cross)``: ``factor`` has one row per component, ``gram`` is the Gram matrix of
the other factor's rows, ``cross`` their products with the data. With E the squared error and F the factor,
``E = |V|**2 - 2 <cross, F> + <gram F, F>``, so neither the data nor the product of the factors is needed.
"""

import numpy as np

from treatise.decomposition._sparse_nmf_kernels import multiply_by_ratio
from treatise.optimize._threads import over_ranges
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
    """Coordinate descent with as many sweeps as cost about half of the products with the data.

    Sweeps are cheap beside those products when the data are larger than the factor (accelerated hierarchical
    alternating least squares of Gillis and Glineur, Neural Computation 24, 2012).

    Parameters
    ----------
    sweeps : int
        Most sweeps in one step; a step ends earlier once a sweep moves a tenth of what its first one did.
    """

    def __init__(self, sweeps):
        self.sweeps = sweeps

    def step(self, factor, gram, cross):
        descend(factor, gram, cross, tol=0.1, max_iter=self.sweeps)
        return factor


class SparsenessRule:
    """A gradient step and the projection of each row to the wished sparseness (steps 4a and 4b).

    Parameters
    ----------
    size : int
        Length of a row.
    sparseness : float
        The Hoyer sparseness that every row gets.
    unit_norm : bool
        Rows get L2 norm one (the paper's H); else they keep the norm that the gradient step gave them (its W).
    """

    def __init__(self, size, sparseness, *, unit_norm):
        self._l1 = l1_of_unit_vector(size, sparseness)
        self._unit_norm = unit_norm
        self._rate = None

    def project(self, factor):
        """Give the rows of a C-ordered factor the wished sparseness, in place."""
        norms = np.ones(len(factor)) if self._unit_norm else np.sqrt(np.einsum("ij,ij->i", factor, factor))
        project_in_place(factor, self._l1 * norms, norms)
        return factor

    def step(self, factor, gram, cross):
        """Take the largest step, of those tried, that does not raise the error.

        The paper leaves the step size to its program, which adapts it. Here it starts at the reciprocal of the
        gradient's Lipschitz constant, grows by a fifth after a success and halves after a failure.
        """
        slope = gram @ factor
        slope -= cross
        if self._rate is None:
            self._rate = 1.0 / max(np.linalg.eigvalsh(gram)[-1], np.finfo(float).tiny)
        smallest = 1e-10 / max(np.trace(gram), np.finfo(float).tiny)
        while self._rate > smallest:
            trial = factor - self._rate * slope
            move = self.project(trial) - factor
            # E(trial) - E(factor), free of the cancellation that the difference of both would suffer.
            bend = gram @ move
            bend += 2.0 * slope
            if np.vdot(move, bend) <= 0.0:
                self._rate *= 1.2
                return trial
            self._rate /= 2.0
        self._rate = None
        return factor
