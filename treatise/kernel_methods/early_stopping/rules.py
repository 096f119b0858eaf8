"""When to stop kernel gradient descent, from the eigenvalues of the kernel (Raskutti, Wainwright & Yu, JMLR 15:335)."""

import math

import numpy as np

CONSTANT = 2.0 * math.e
"""The constant 2e of the stopping rule (6)."""


def empirical_rademacher(eigenvalues, radius, *, total=None):
    """Local empirical Rademacher complexity ``sqrt(mean(min(eigenvalue, radius^2)))`` of a kernel's unit ball.

    Parameters
    ----------
    eigenvalues : array
        Eigenvalues of the Gram matrix divided by n: all n of them, or with ``total`` those above ``radius**2``.
    radius : float or array
        Radius, positive.
    total : tuple of float and int, default=None
        Sum and number of all eigenvalues, where only the largest are given.

    Returns
    -------
    complexity : float or ndarray

    Examples
    --------
    >>> from treatise.kernel_methods import empirical_rademacher
    >>> empirical_rademacher([1.0, 0.25, 0.0, 0.0], 0.5).round(6)
    np.float64(0.353553)

    References
    ----------
    .. [1] Paper v15-0335, Equation 4.
    """
    eigenvalues = np.sort(np.maximum(_checked_spectrum(eigenvalues), 0.0))[::-1]
    trace, n = (eigenvalues.sum(), len(eigenvalues)) if total is None else total
    squares = np.square(np.asarray(radius, dtype=np.float64))
    # Those above the square count as the square, the rest as they are: the sum of all less the sum of the former.
    above = np.searchsorted(-eigenvalues, -squares, side="left")
    sums = np.concatenate([[0.0], np.cumsum(eigenvalues)])
    if total is None:
        small = np.concatenate([np.cumsum(eigenvalues[::-1])[::-1], [0.0]])[above]
    else:
        small = np.maximum(trace - sums[above], 0.0)
    return np.sqrt((above * squares + small) / n)


def critical_radius(eigenvalues, noise, *, constant=CONSTANT):
    """The radius at which the complexity of the kernel's ball meets ``radius^2 / (constant * noise)``.

    Its square is the rate of the estimate that the stopping rule gives: the mean squared error is at most twelve times
    that, for a function in the unit ball, with high probability.

    Parameters
    ----------
    eigenvalues : array of shape (n,)
        Eigenvalues of the Gram matrix divided by n.
    noise : float
        Standard deviation of the noise, positive.
    constant : float, default=2e
        Constant of the rule.

    Returns
    -------
    radius : float

    Examples
    --------
    >>> from treatise.kernel_methods import critical_radius
    >>> round(critical_radius([0.5, 0.1, 0.02], 0.1), 4)
    0.4106

    References
    ----------
    .. [1] Paper v15-0335, Equation 5.
    """
    _check_positive(noise=noise, constant=constant)
    if not _checked_spectrum(eigenvalues).max() > 0:
        return 0.0

    def excess(radius):
        return empirical_rademacher(eigenvalues, radius) - radius**2 / (constant * noise)

    high = 1.0
    while excess(high) > 0:
        high *= 2.0
    low = high
    while excess(low) <= 0:
        low /= 2.0
    while high - low > 1e-14 * high:
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        low, high = (low, middle) if excess(middle) <= 0 else (middle, high)
    return float(high)


def stopping_time(eigenvalues, noise, step, *, constant=CONSTANT, max_iter=10**9, total=None):
    """Number of gradient steps after which fitting on would fit the noise.

    Parameters
    ----------
    eigenvalues : array
        Eigenvalues of the Gram matrix divided by n.
    noise : float
        Standard deviation of the noise, as a multiple of the norm of the function sought.
    step : float
        Step of the descent.
    constant : float, default=2e
        Constant of the rule; a smaller one stops later.
    max_iter : int, default=10**9
        Largest answer.
    total : tuple of float and int, default=None
        As of :func:`empirical_rademacher`.

    Returns
    -------
    steps : int
        One less than the first t whose complexity at radius ``1 / sqrt(step * t)`` exceeds
        ``1 / (constant * noise * step * t)``. May be 0.

    Examples
    --------
    >>> from treatise.kernel_methods import stopping_time
    >>> stopping_time([0.5, 0.1, 0.02], 0.1, 1.0), stopping_time([0.5, 0.1, 0.02], 0.1, 1.0, constant=3)
    (5, 14)

    References
    ----------
    .. [1] Paper v15-0335, Equation 6.
    """
    _check_positive(noise=noise, step=step, constant=constant)

    def over(t):
        eta = step * t
        return empirical_rademacher(eigenvalues, eta**-0.5, total=total) > 1.0 / (constant * noise * eta)

    return _last_before(over, max_iter)


def matched_ridge(eigenvalues, noise):
    """The inverse penalty nu of kernel ridge regression that matches the stopping rule.

    The estimate minimises ``sum (y - f)^2 / (2 n) + ||f||^2 / (2 nu)``: scikit-learn's ``KernelRidge`` with
    ``alpha = n / nu``.

    Parameters
    ----------
    eigenvalues : array of shape (n,)
        Eigenvalues of the Gram matrix divided by n.
    noise : float
        Standard deviation of the noise.

    Returns
    -------
    nu : float
        Smallest nu whose complexity at radius ``1 / sqrt(nu)`` reaches ``1 / (4 noise nu)``.

    Examples
    --------
    >>> from treatise.kernel_methods import matched_ridge
    >>> round(matched_ridge([0.5, 0.1, 0.02], 0.1), 3)
    9.009

    References
    ----------
    .. [1] Paper v15-0335, Section 3.4.
    """
    # The same fixed point with 4 in place of 2e, at radius 1 / sqrt(nu).
    radius = critical_radius(eigenvalues, noise, constant=4.0)
    return math.inf if radius == 0 else radius**-2


def sure_stopping_time(eigenvalues, rotated, noise, step, *, max_iter=10_000):
    """First step at which Stein's unbiased estimate of the risk rises.

    Parameters
    ----------
    eigenvalues : array of shape (n,)
        Eigenvalues of the Gram matrix divided by n.
    rotated : array of shape (n,)
        Responses in the basis of the eigenvectors.
    noise : float
        Standard deviation of the noise.
    step : float
        Step of the descent.
    max_iter : int, default=10000
        Largest answer.

    Returns
    -------
    steps : int
        First t >= 0 whose estimate is less than that of t + 1.

    Examples
    --------
    >>> from treatise.kernel_methods import sure_stopping_time
    >>> sure_stopping_time([0.5, 0.1, 0.02], [3.0, 1.0, 0.2], 1.0, 1.0)
    3

    References
    ----------
    .. [1] Paper v15-0335, Equation 15.
    """
    _check_positive(noise=noise, step=step)
    decay, squares = 1.0 - step * np.asarray(eigenvalues), np.square(np.asarray(rotated, dtype=np.float64))
    left = np.ones(len(decay))
    risk = squares.sum() - 2.0 * noise**2 * len(left)
    for t in range(max_iter):
        left = left * decay
        # n times R_SU less n sigma^2, which is the same for all t.
        after = float(np.dot(squares, left**2) - 2.0 * noise**2 * left.sum())
        if after > risk:
            return t
        risk = after
    return max_iter


def _last_before(over, max_iter):
    """Largest t in [0, max_iter] at which a condition that once met stays met is not."""
    if not over(max_iter):
        return max_iter
    low, high = 0, 1
    while high < max_iter and not over(high):
        low, high = high, min(2 * high, max_iter)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if over(middle) else (middle, high)
    return low


def _checked_spectrum(eigenvalues):
    eigenvalues = np.asarray(eigenvalues, dtype=np.float64)
    if eigenvalues.ndim != 1 or len(eigenvalues) == 0 or not np.isfinite(eigenvalues).all():
        raise ValueError(f"eigenvalues must be finite numbers, at least one; they have shape {eigenvalues.shape}")
    return eigenvalues


def _check_positive(**numbers):
    for name, value in numbers.items():
        if not (value > 0 and math.isfinite(value)):
            raise ValueError(f"{name}={value} must be positive and finite")
