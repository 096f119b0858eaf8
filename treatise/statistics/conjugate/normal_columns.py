"""Independent normal columns under their conjugate prior, a normal and inverse gamma law for each."""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln


class NormalColumnsPrior(NamedTuple):
    """Prior of columns that are normal and independent, each with a mean and a variance of its own.

    The variance is inverse gamma; given it, the mean is normal with the variance over ``weight``. Make one with
    :meth:`of`, which checks it; compiled samplers take the tuple as it is.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
        Mean of the means.
    weight : ndarray of shape (n_features,)
        Rows that the prior's mean is worth.
    shape, rate : ndarray of shape (n_features,)
        Of the variances, density in proportion to ``v^(-shape - 1) exp(-rate / v)``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics.conjugate import NormalColumnsPrior
    >>> prior = NormalColumnsPrior.of(0.0, 0.25, 2.0, 1.0, n_features=1)
    >>> apart = prior.log_evidence([[0.0]]) + prior.log_evidence([[5.0]])
    >>> bool(prior.log_evidence([[0.0], [5.0]]) < apart)
    True
    """

    mean: np.ndarray
    weight: np.ndarray
    shape: np.ndarray
    rate: np.ndarray

    @classmethod
    def of(cls, mean, weight, shape, rate, *, n_features):
        """A prior from its parts, each a number for all columns or one for each."""
        parts = []
        for name, value in (("mean", mean), ("weight", weight), ("shape", shape), ("rate", rate)):
            value = np.asarray(value, dtype=np.float64)
            if value.ndim > 1 or (value.ndim == 1 and len(value) != n_features):
                raise ValueError(f"{name} of the columns has shape {value.shape}; give a number, or {n_features}")
            if not np.isfinite(value).all() or (name != "mean" and not (value > 0).all()):
                wanted = "finite" if name == "mean" else "above zero"
                raise ValueError(f"{name} of the columns is {value.tolist()}; it must be {wanted}")
            parts.append(np.array(np.broadcast_to(value, n_features)))
        return cls(*parts)

    def log_evidence(self, X):
        """Log probability of rows that share their means and variances.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        float
        """
        X = np.asarray(X, dtype=np.float64)
        n, away = len(X), X - self.mean
        weight, shape = self.weight + n, self.shape + 0.5 * n
        rate = self.rate + 0.5 * ((away**2).sum(axis=0) - away.sum(axis=0) ** 2 / weight)
        each = 0.5 * np.log(self.weight / weight) + gammaln(shape) - gammaln(self.shape)
        each += self.shape * np.log(self.rate) - shape * np.log(rate)
        return float(each.sum() - 0.5 * n * X.shape[1] * np.log(2.0 * np.pi))
