"""Descent of the penalised evidence over the variances of all blocks: block after block exactly, then Newton's method.

The objective is ``log det W^-1 / 2 + y' W y / 2 + gamma sum_i lambda_i`` (equation 4); the group lasso is the same
without the determinant (equation 12).
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from treatise.linear.group_ard._block_search import best_variance

_NEWTON_STEPS, _LEAST_STEP = 30, 1e-4
_SWEEPS_AT_A_TIME = 4
_NO_CURVATURE = 1e-12
"""Share of a block's largest eigenvalue below which another is rounding, as of columns given twice."""


class BlockVariances:
    """The descent.

    Parameters
    ----------
    form : EvidenceForm
        What keeps ``W``.
    gamma : float
        Penalty.
    determinant : float, default=1.0
        Share of the log determinant in the objective: one for the evidence, zero for the group lasso.

    Attributes
    ----------
    trace : list of float
        Objective after every sweep or Newton step; but for rounding it never rises.
    violation : float
        Largest failure of the conditions of the optimum (Proposition 2), relative to the terms of the gradient.
    steps : int
        Sweeps and Newton steps.
    """

    def __init__(self, form, gamma, determinant=1.0):
        self.form, self.gamma, self.determinant = form, gamma, determinant
        self.trace, self.violation, self.steps = [], np.inf, 0

    def objective(self):
        """The objective at the variances of now."""
        form = self.form
        return 0.5 * (self.determinant * form.log_det + form.quadratic) + self.gamma * float(form.variances.sum())

    def gradient(self):
        """Slopes in all variances, and the size of their terms."""
        traces, squares = self.form.summaries()
        rise = 0.5 * self.determinant * traces + self.gamma
        return rise - 0.5 * squares, rise

    def run(self, start, max_iter, tol):
        """Sweeps and Newton steps from given variances until the conditions fail by no more than ``tol``."""
        self.form.begin(start)
        self.trace.append(self.objective())
        while self.steps < max_iter:
            last = self.form.variances.copy()
            for _ in range(min(_SWEEPS_AT_A_TIME, max_iter - self.steps)):
                before = self.form.variances > 0
                self._sweep()
                self._count(self.objective())
                if np.array_equal(before, self.form.variances > 0):
                    break
            self._newton(tol, max_iter)  # computes all anew as well, against the rounding of many changes
            if self._failure() <= tol or np.allclose(self.form.variances, last, rtol=1e-13, atol=0.0):
                break  # the second: rounding allows no more
        return self.form.variances

    def _count(self, value):
        self.steps += 1
        self.trace.append(value)

    def _failure(self):
        slope, size = self.gradient()
        failure = np.where(self.form.variances > 0, np.abs(slope), np.maximum(-slope, 0.0))
        # Columns of zeros have no terms, and nothing to fail by.
        self.violation = float(np.divide(failure, size, out=np.zeros(len(size)), where=size > 0).max())
        return self.violation

    def _sweep(self):
        """Every block that is not rightly zero at its best variance, the others held."""
        slope, _ = self.gradient()
        form = self.form
        open_blocks = np.flatnonzero((form.variances > 0) | (slope < 0))
        if form.sweep_single_columns(open_blocks, self.gamma, self.determinant):
            return
        for i in open_blocks:
            S, q = form.block(i)
            values, vectors = np.linalg.eigh((S + S.T) / 2)
            old = form.variances[i]
            # What S and q were without the block itself.
            rest = np.maximum(1.0 - old * values, 1e-14)
            real = values > _NO_CURVATURE * values[-1]
            d, squares = (values / rest)[real], ((vectors.T @ q / rest) ** 2)[real]
            new = best_variance(d, squares, self.gamma, self.determinant, old)
            if new != old:
                form.change(i, new)

    def _newton(self, tol, max_iter):
        """Newton steps over the blocks that are not zero, while they lower the objective."""
        variances = self.form.variances.copy()
        active = np.flatnonzero(variances)
        if len(active):
            part = BlockVariances(self.form.restricted(active), self.gamma, self.determinant)
            part.form.begin(variances[active])
            for _ in range(min(_NEWTON_STEPS, max_iter - self.steps)):
                slope, size = part.gradient()
                if (np.abs(slope) <= 0.1 * tol * size).all() or not part._newton_step(slope):
                    break
                self._count(part.objective())
                if not part.form.variances.all():
                    break
            variances[active] = part.form.variances
        self.form.begin(variances)

    def _newton_step(self, slope):
        """One step over all blocks, shortened until the objective falls; whether one did."""
        form, before, value = self.form, self.form.variances.copy(), self.objective()
        squares, forms = form.coupling()
        try:
            move = -cho_solve(cho_factor(forms - 0.5 * self.determinant * squares), slope)
        except np.linalg.LinAlgError:
            return False  # not bent upwards here: sweeps go on
        step = 1.0
        while step > _LEAST_STEP:
            form.begin(np.maximum(before + step * move, 0.0))
            if self.objective() <= value:
                return True
            step /= 4
        form.begin(before)
        return False


def common_variance(G, y, noise_var):
    """The one variance of all columns that has most evidence: where the descent begins (section 4.2)."""
    if G.shape[1] <= G.shape[0]:
        squares, vectors = np.linalg.eigh(G.T @ G)
        kept = squares > _NO_CURVATURE * max(squares[-1], np.finfo(float).tiny)
        squares, projected = squares[kept], (vectors[:, kept].T @ (G.T @ y)) ** 2 / squares[kept]
    else:
        squares, vectors = np.linalg.eigh(G @ G.T)
        kept = squares > _NO_CURVATURE * max(squares[-1], np.finfo(float).tiny)
        squares, projected = squares[kept], (vectors[:, kept].T @ y) ** 2
    found = best_variance(squares / noise_var, projected * squares / noise_var**2, 0.0, 1.0, 0.0)
    if found > 0:
        return found
    # No variance is the best: one with a signal of a millionth of the noise, so that blocks have a chance each.
    return 1e-6 * noise_var * (len(squares) / float(squares.sum()) if len(squares) else 1.0)
