"""The cycle over the factors of the heteroscedastic additive model (paper v15-1351, section 5.2)."""

import numpy as np

from treatise.bayes._covariances import CovarianceFactor
from treatise.bayes._fixed_point import Distance
from treatise.bayes.normal_update import multivariate_normal_update

_LEAST_STEP = 2.0**-30
_ROUNDING = 1e-11


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

    def adopt(self, mean, covariance):
        """Take a normal factor over, and what it says about the rows."""
        self.mean, self.covariance = mean, covariance
        self.row_mean = self.design @ mean
        self.row_variance = np.einsum("ij,ij->i", self.design @ covariance, self.design)

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
        entropy = 0.5 * (len(self.mean) * (1 + np.log(2 * np.pi)) + np.linalg.slogdet(self.covariance)[1])
        return plain + splines + entropy

    def shift_from(self, mean):
        """The largest change of a coefficient, in posterior deviations."""
        return float((np.abs(self.mean - mean) / np.sqrt(np.diag(self.covariance))).max())


class HeteroscedasticCycle:
    """Factors of mean and log variance, updated in turn.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Targets.
    level, spread : Smooths
        Predictors of the mean and of the logarithm of the variance.
    """

    def __init__(self, y, level, spread):
        self.y, self.level, self.spread = y, level, spread
        d = spread.design.shape[1]
        spread.adopt(np.zeros(d), np.linalg.inv(0.5 * spread.design.T @ spread.design + np.diag(spread.prior())))
        level.adopt(np.zeros(level.design.shape[1]), np.eye(level.design.shape[1]))

    def run(self, max_iter, tol):
        """Cycles until the distance to the fixed point is below ``tol``; gives the bounds and the distance."""
        trace, step, distance = [], 1.0, Distance()
        for _ in range(max_iter):
            before = self.level.mean
            self._step_level()
            shift = max(self.level.shift_from(before), self.level.update_variances())
            moved, step = self._step_spread(step)
            shift = max(shift, moved, self.spread.update_variances())
            trace.append(self.bound())
            if distance.after(shift) <= tol and step == 1.0:
                break
        return trace, distance.left

    def bound(self):
        """The lower bound on the logarithm of the marginal likelihood."""
        return self._fit_bound() + self.level.bound() + self.spread.bound()

    def _fit_bound(self):
        with np.errstate(over="ignore"):
            weight = self._weight()
            return -0.5 * float(
                len(self.y) * np.log(2 * np.pi) + self.spread.row_mean.sum() + weight @ self._squares()
            )

    def _weight(self):
        """Expectation of one over the variance of every row."""
        return np.exp(-self.spread.row_mean + 0.5 * self.spread.row_variance)

    def _squares(self):
        """Expectation of the squared distance of every row from its mean."""
        return (self.y - self.level.row_mean) ** 2 + self.level.row_variance

    def _step_level(self):
        """Weighted least squares: the factor of the mean is conjugate, and one full step is its optimum."""
        C, weight, prior = self.level.design, self._weight(), self.level.prior()
        bend = -0.5 * (C.T @ (weight[:, None] * C) + np.diag(prior))
        slope = C.T @ (weight * (self.y - self.level.row_mean)) - prior * self.level.mean
        self.level.adopt(*multivariate_normal_update(self.level.mean, None, slope, bend))

    def _step_spread(self, step):
        """Equation 7 for the log variance; the step is halved until the lower bound does not fall."""
        spread, C = self.spread, self.spread.design
        share, prior = self._weight() * self._squares(), spread.prior()
        bend = -0.5 * (0.5 * C.T @ (share[:, None] * C) + np.diag(prior))
        slope = 0.5 * C.T @ (share - 1.0) - prior * spread.mean
        mean, covariance = spread.mean, spread.covariance
        before = self._fit_bound() + spread.bound()
        step = min(1.0, 2.0 * step)
        while step >= _LEAST_STEP:
            spread.adopt(*multivariate_normal_update(mean, covariance, slope, bend, step))
            bound = self._fit_bound() + spread.bound()
            if np.isfinite(bound) and bound >= before - _ROUNDING * (1 + abs(before)):
                return spread.shift_from(mean), step
            step /= 2
        spread.adopt(mean, covariance)
        return 0.0, _LEAST_STEP
