"""The cycle over the factors of the heteroscedastic additive model (paper v15-1351, section 5.2)."""

import numpy as np
from scipy.linalg import solve
from scipy.linalg.lapack import dpotrf, dpotri

from treatise.bayes._covariances import CovarianceFactor
from treatise.bayes._fixed_point import LEAST_STEP, ROUNDING, FactorCycle

_ROUNDED = 1e-8
"""Squared share of the deviation of y to which y is taken as known: else a perfect fit has no smallest variance."""
_RIDGE = 1e-13
"""Of the largest diagonal entry: what the paper adds, as an epsilon, where a matrix is singular in floating point."""


class Smooths:
    """One additive predictor: its normal factor, and the variance of the spline coefficients of every function.

    Parameters
    ----------
    design : ndarray of shape (n_rows, d)
        A constant, the columns, and their splines.
    blocks : list of slice
        Splines of each function.
    sigma_beta, scale : float
        Prior deviation of constant and lines, and scale of the half-Cauchy prior of the splines' deviations.
    """

    def __init__(self, design, blocks, sigma_beta, scale):
        self.design, self.blocks, self.sigma_beta = design, blocks, sigma_beta
        self.variances = [CovarianceFactor(1, part.stop - part.start, scale) for part in blocks]
        self.plain = np.ones(design.shape[1], dtype=bool)
        for part in blocks:
            self.plain[part] = False

    def prior(self):
        """Expected prior precision of every coefficient."""
        precision = np.full(self.design.shape[1], self.sigma_beta**-2)
        for part, factor in zip(self.blocks, self.variances):
            precision[part] = factor.precision[0, 0]
        return precision

    def adopt(self, mean, precision):
        """Take a normal factor over, and what it says about the rows."""
        self.mean, self.precision = mean, precision
        root, failure = dpotrf(precision, lower=1)
        if failure:
            raise np.linalg.LinAlgError("the precision of the coefficients is not positive definite")
        inverse, _ = dpotri(root, lower=1)
        self.covariance = np.tril(inverse) + np.tril(inverse, -1).T
        self.log_determinant = -2 * float(np.log(root.diagonal()).sum())
        self.row_mean = self.design @ mean
        self.row_variance = np.einsum("ij,ij->i", self.design @ self.covariance, self.design)

    def state(self):
        """What :meth:`restore` needs."""
        return self.mean, self.precision, [factor.state() for factor in self.variances]

    def restore(self, state):
        """Return to a state."""
        for factor, kept in zip(self.variances, state[2]):
            factor.restore(kept)
        self.adopt(*state[:2])

    def second_moments(self):
        square = self.mean**2 + np.diag(self.covariance)
        return [np.array([[square[part].sum()]]) for part in self.blocks]

    def update_variances(self):
        """The variance of every function at its optimum; gives the largest change of a logarithm."""
        change = 0.0
        for factor, moment in zip(self.variances, self.second_moments()):
            before = factor.precision[0, 0]
            factor.update(moment)
            change = max(change, abs(float(np.log(factor.precision[0, 0] / before))))
        return change

    def bound(self):
        """What the coefficients and their variances add to the lower bound."""
        square = (self.mean**2 + np.diag(self.covariance))[self.plain].sum()
        plain = -0.5 * square / self.sigma_beta**2 - self.plain.sum() * np.log(self.sigma_beta)
        plain -= 0.5 * self.plain.sum() * np.log(2 * np.pi)
        splines = sum(factor.bound(moment) for factor, moment in zip(self.variances, self.second_moments()))
        entropy = 0.5 * (len(self.mean) * (1 + np.log(2 * np.pi)) + self.log_determinant)
        return plain + splines + entropy

    def shift_from(self, mean):
        """The largest change of a coefficient, in posterior deviations."""
        return float((np.abs(self.mean - mean) / np.sqrt(np.diag(self.covariance))).max())


class HeteroscedasticCycle(FactorCycle):
    """Factors of mean and log variance, updated in turn.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Targets.
    level, spread : Smooths
        Predictors of the mean and of the logarithm of the variance.
    """

    def __init__(self, y, level, spread):
        self.y, self.level, self.spread, self.step = y, level, spread, 1.0
        self.covariances = level.variances + spread.variances
        for smooths, weight in ((level, 1.0), (spread, 0.5)):
            C = smooths.design
            smooths.adopt(np.zeros(C.shape[1]), _ridged(weight * C.T @ C + np.diag(smooths.prior())))

    def sweep(self):
        """Mean, its variances, log variance, its variances."""
        shift = max(self._step_level(), self.level.update_variances())
        moved, self.step = self._step_spread(self.step)
        return max(shift, moved, self.spread.update_variances()), self.step

    def state(self):
        """Both predictors; nothing is changed in place."""
        return self.level.state(), self.spread.state(), self.step

    def restore(self, state):
        """Return to a state."""
        self.level.restore(state[0])
        self.spread.restore(state[1])
        self.step = state[2]

    def bound(self):
        """The lower bound on the logarithm of the marginal likelihood."""
        return self._fit_bound() + self.level.bound() + self.spread.bound()

    def _fit_bound(self):
        with np.errstate(over="ignore"):
            misfit = self._weight() @ self._squares()
        return -0.5 * float(len(self.y) * np.log(2 * np.pi) + self.spread.row_mean.sum() + misfit)

    def _weight(self):
        """Expectation of one over the variance of every row."""
        return np.exp(-self.spread.row_mean + 0.5 * self.spread.row_variance)

    def _squares(self):
        """Expectation of the squared distance of every row from its mean, and of the rounding of y."""
        return _ROUNDED + (self.y - self.level.row_mean) ** 2 + self.level.row_variance

    def _step_level(self):
        """Weighted least squares: the factor of the mean is conjugate, and one full step is its optimum."""
        C, weight, prior, before = self.level.design, self._weight(), self.level.prior(), self.level.mean
        precision = _ridged(C.T @ (weight[:, None] * C) + np.diag(prior))
        slope = C.T @ (weight * (self.y - self.level.row_mean)) - prior * before
        self.level.adopt(before + solve(precision, slope, assume_a="pos"), precision)
        return self.level.shift_from(before)

    def _step_spread(self, step):
        """Equation 7 for the log variance; the step is halved until the lower bound does not fall.

        A part of the step mixes the old and the new precision, and takes that part of the slope: the same as mixing
        natural parameters.
        """
        spread, C = self.spread, self.spread.design
        share, prior = self._weight() * self._squares(), spread.prior()
        target = _ridged(0.5 * C.T @ (share[:, None] * C) + np.diag(prior))
        slope = 0.5 * C.T @ (share - 1.0) - prior * spread.mean
        mean, precision = spread.mean, spread.precision
        before = self._fit_bound() + spread.bound()
        step = min(self.ceiling, 2.0 * max(step, LEAST_STEP))
        full = np.inf
        while step >= LEAST_STEP:
            mixed = target if step == 1.0 else (1 - step) * precision + step * target
            spread.adopt(mean + step * solve(mixed, slope, assume_a="pos"), mixed)
            if step == self.ceiling:
                full = spread.shift_from(mean)
            bound = self._fit_bound() + spread.bound()
            if np.isfinite(bound) and bound >= before - ROUNDING * (1 + abs(before)):
                return spread.shift_from(mean), step
            step /= 2
        spread.adopt(mean, precision)
        return full, 0.0


def _ridged(precision):
    return precision + _RIDGE * precision.diagonal().max() * np.eye(len(precision))
