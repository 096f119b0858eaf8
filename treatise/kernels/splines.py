"""The kernel of cubic smoothing splines."""

import numpy as np
from sklearn.utils import check_array

from treatise.kernels.base import Kernel


class CubicSpline(Kernel):
    """``integral of (s - u)_+ (t - u)_+ du`` on an interval: smoothing splines when ``1`` and ``x`` are not penalised.

    Parameters
    ----------
    domain : tuple of float, default=(0.0, 1.0)
        The interval that holds all values.

    Examples
    --------
    >>> from treatise.kernels import CubicSpline
    >>> CubicSpline()([[0.5], [1.0]]).round(4)
    array([[0.0417, 0.1042],
           [0.1042, 0.3333]])
    """

    def __init__(self, domain=(0.0, 1.0)):
        self.domain = domain

    def prepare(self, X):
        X = check_array(X, dtype=np.float64)
        if np.shape(self.domain) != (2,):
            raise ValueError(f"domain={self.domain!r} must be two numbers, the lowest value and the highest")
        low, high = self.domain
        if X.shape[1] != 1:
            raise ValueError(f"a spline is a function of one feature; X has {X.shape[1]}")
        if X.min() < low or X.max() > high:
            raise ValueError(f"values from {X.min():g} to {X.max():g} lie outside the domain {low:g} to {high:g}")
        return X - low

    def block(self, A, B):
        lower, upper = np.minimum(A, B.T), np.maximum(A, B.T)
        return lower**2 * upper / 2.0 - lower**3 / 6.0

    def diagonal(self, A):
        return A[:, 0] ** 3 / 3.0
