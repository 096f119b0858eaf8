"""Normal linear model under its conjugate prior, normal and inverse gamma."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import gammaln


class LinearPosterior(NamedTuple):
    """What is known of the coefficients and the variance once rows were seen.

    Attributes
    ----------
    mean : ndarray of shape (n_features + 1,)
        Of the coefficients, the constant first.
    precision : ndarray of shape (n_features + 1, n_features + 1)
        Of the coefficients, in units of one over the variance.
    shape, rate : float
        Of the inverse gamma law of the variance.
    log_evidence : float
        Log probability of the targets that were seen.
    """

    mean: np.ndarray
    precision: np.ndarray
    shape: float
    rate: float
    log_evidence: float

    def predict(self, X):
        """Student's law of the targets of new rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        df : float
            Degrees of freedom; infinite, which is the normal law, where the variance is known.
        location, scale : ndarray of shape (n_samples,)
        """
        U = _with_constant(X)
        spread = 1.0 + np.einsum("ij,ij->i", U, cho_solve(cho_factor(self.precision), U.T).T)
        if self.shape == 0.0:
            return np.inf, U @ self.mean, np.sqrt(spread)
        return 2.0 * self.shape, U @ self.mean, np.sqrt(spread * self.rate / self.shape)


class LinearNormalPrior(NamedTuple):
    """Prior of ``y = (1, x) beta + noise``: beta given the variance normal, the variance inverse gamma.

    Make one with :meth:`of`, which checks it; compiled samplers take the tuple as it is.

    Attributes
    ----------
    mean : ndarray of shape (n_features + 1,)
        Mean of the coefficients, the constant first.
    precision : ndarray of shape (n_features + 1, n_features + 1)
        Their precision C in units of one over the variance.
    shape, rate : float
        Of the variance, density in proportion to ``v^(-shape - 1) exp(-rate / v)``. A shape of zero: it is one.
    root : ndarray of shape (n_features + 1, n_features + 1)
        Lower Cholesky factor of the precision.
    half_log_det : float
        Half the log determinant of the precision.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics.conjugate import LinearNormalPrior
    >>> prior = LinearNormalPrior.of([0.0, 0.0], [1.0, 1.0], shape=2.0, rate=1.0)
    >>> seen = prior.posterior([[1.0], [2.0], [3.0]], [1.1, 1.9, 3.2])
    >>> df, location, scale = seen.predict([[4.0]])
    >>> df, location.round(2), scale.round(2)
    (7.0, array([3.72]), array([0.98]))
    """

    mean: np.ndarray
    precision: np.ndarray
    shape: float
    rate: float
    root: np.ndarray
    half_log_det: float

    @classmethod
    def of(cls, mean, precision, *, shape=0.0, rate=1.0):
        """A prior from its parts; the precision may be its diagonal. Without a shape the variance is one."""
        mean = np.array(mean, dtype=np.float64)
        precision = np.array(precision, dtype=np.float64)
        if precision.ndim == 1:
            precision = np.diag(precision)
        if mean.ndim != 1 or precision.shape != (len(mean), len(mean)):
            raise ValueError(f"a precision of shape {precision.shape} does not belong to a mean of shape {mean.shape}")
        if not (np.isfinite(mean).all() and np.isfinite(precision).all()):
            raise ValueError("the prior of the coefficients holds NaN or infinite numbers")
        if not np.allclose(precision, precision.T):
            raise ValueError("the precision of the coefficients is not symmetric")
        try:
            root = np.linalg.cholesky(precision)
        except np.linalg.LinAlgError:
            raise ValueError("the precision of the coefficients is not positive definite") from None
        if not (shape >= 0.0 and np.isfinite(shape)) or not (rate > 0.0 and np.isfinite(rate)):
            raise ValueError(f"shape={shape} and rate={rate} of the variance must be positive numbers")
        half_log_det = float(np.log(np.diag(root)).sum())
        return cls(mean, precision, float(shape), float(rate), np.ascontiguousarray(root), half_log_det)

    def posterior(self, X, y):
        """What is known after some rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their targets.

        Returns
        -------
        LinearPosterior
        """
        U, y = _with_constant(X), np.asarray(y, dtype=np.float64)
        n, left = len(y), y - U @ self.mean
        precision = self.precision + U.T @ U
        factor = cho_factor(precision)
        shift = cho_solve(factor, U.T @ left)
        square = max(float(left @ left - (U.T @ left) @ shift), 0.0)
        half_log_det = float(np.log(np.diag(factor[0])).sum())
        shape, rate = self.shape, self.rate
        log_evidence = -0.5 * n * np.log(2.0 * np.pi) + self.half_log_det - half_log_det
        if shape == 0.0:
            return LinearPosterior(self.mean + shift, precision, 0.0, 1.0, log_evidence - 0.5 * square)
        shape, rate = shape + 0.5 * n, rate + 0.5 * square
        log_evidence += gammaln(shape) - gammaln(self.shape) + self.shape * np.log(self.rate) - shape * np.log(rate)
        return LinearPosterior(self.mean + shift, precision, shape, rate, float(log_evidence))


def _with_constant(X):
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}; give one row for each target, (n_samples, n_features)")
    return np.column_stack([np.ones(len(X)), X])
