"""Bounds of the error analysis: what an excess of the loss says of the error, and how both fall with the rows."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from treatise.svm import q_norm_target


def q_norm_minimal_risk(probability: ArrayLike, q: float) -> np.ndarray:
    """Least expected loss where the second class has this probability, that of :func:`q_norm_target`.

    Parameters
    ----------
    probability : array-like
        Of the second class.
    q : float
        At least 1.

    Returns
    -------
    risk : ndarray

    Examples
    --------
    >>> from treatise.papers.svm.v05_1143.bounds import q_norm_minimal_risk
    >>> q_norm_minimal_risk([0.5, 0.8], 2.0).round(6)
    array([1.  , 0.64])
    """
    p = np.asarray(probability, np.float64)
    f = q_norm_target(p, q)
    return np.asarray(p * (1.0 - f) ** q + (1.0 - p) * (1.0 + f) ** q)


def comparison_constant(q: float) -> float:
    """Constant of Theorem 14 between excess loss and excess error: 1 up to q = 2, then ``2 (q - 1) / q``.

    Parameters
    ----------
    q : float
        At least 1.

    Returns
    -------
    constant : float

    Examples
    --------
    >>> from treatise.papers.svm.v05_1143.bounds import comparison_constant
    >>> comparison_constant(1.5), comparison_constant(4)
    (1.0, 1.5)
    """
    _check_power(q)
    return 1.0 if q <= 2 else 2.0 * (q - 1.0) / q


def excess_error_bound(excess_loss: ArrayLike, q: float, *, noise_free: bool = False) -> np.ndarray:
    """Most by which a classifier's error exceeds the least one, from the excess of its expected loss.

    Parameters
    ----------
    excess_loss : array-like
        Expected loss minus that of :func:`q_norm_target`.
    q : float
        At least 1.
    noise_free : bool, default=False
        Whether the classes do not overlap; then the loss itself is a bound, equation (50).

    Returns
    -------
    bound : ndarray
        At most 1, as errors are.

    Examples
    --------
    >>> from treatise.papers.svm.v05_1143.bounds import excess_error_bound
    >>> excess_error_bound([0.04, 0.25], 2.0)
    array([0.2, 0.5])
    """
    excess = np.asarray(excess_loss, np.float64)
    if (excess < 0).any():
        raise ValueError(f"an excess loss is never negative; the least is {excess.min():g}")
    bound = np.sqrt(comparison_constant(q) * excess)
    return np.minimum(np.minimum(bound, excess) if noise_free else bound, 1.0)


def tradeoff_cost(p: float, tau: float, alpha: float, m: int) -> float:
    """Cost C at which ``C ** -p + C ** tau / m ** alpha`` is least (Lemma 5); the value falls as
    ``m ** (-alpha p / (tau + p))``.

    Parameters
    ----------
    p : float
        Rate at which the regularisation error falls in C; positive.
    tau, alpha : float
        Rates at which the sample error rises in C and falls in m; positive.
    m : int
        Number of rows.

    Returns
    -------
    C : float

    Examples
    --------
    >>> from treatise.papers.svm.v05_1143.bounds import tradeoff_cost
    >>> tradeoff_cost(1.0, 1.0, 1.0, 400)
    20.0
    """
    for name, value in (("p", p), ("tau", tau), ("alpha", alpha), ("m", m)):
        _check_positive(name, value)
    return float((p / tau) ** (1.0 / (tau + p)) * m ** (alpha / (tau + p)))


def regularization_error_bound(C: float, theta: float, *, constant: float = 1.0, gamma: float = 1.0) -> float:
    """Bound on the regularisation error of classes that a function of the kernel separates, equation (34).

    Parameters
    ----------
    C : float
        The cost.
    theta, constant, gamma : float
        The separating function f, of length one, is below ``gamma t`` in size on a share of at most
        ``constant * t ** theta`` (29).

    Returns
    -------
    bound : float

    Examples
    --------
    >>> from treatise.papers.svm.v05_1143.bounds import regularization_error_bound
    >>> round(regularization_error_bound(1000.0, 1.0, constant=0.5), 6)
    0.1
    """
    for name, value in (("C", C), ("theta", theta), ("constant", constant), ("gamma", gamma)):
        _check_positive(name, value)
    return float((2.0 * constant) ** (2.0 / (theta + 2.0)) * (C * gamma**2) ** (-theta / (theta + 2.0)))


def separable_error_bound(
    m: float, C: float, q: float, log_covering: Callable[[float], float], theta: float, *,
    constant: float = 1.0, gamma: float = 1.0, delta: float = 0.05,
) -> float:  # fmt: skip
    """Bound on the error of the machine where a function of the kernel separates the classes (Theorem 10).

    For its shape in m and C alone: constants such as ``2 ** (q + 9)`` put it above 1 for any practical m.

    Parameters
    ----------
    m : int
        Number of rows.
    C : float
        The cost.
    q : float
        The power, above 1.
    log_covering : callable
        Logarithm of the covering number (22) of the kernel's unit ball at a radius.
    theta, constant, gamma : float
        As in :func:`regularization_error_bound`.
    delta : float, default=0.05
        Probability with which the bound may fail.

    Returns
    -------
    bound : float
        Not cut at 1.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.papers.svm.v05_1143.bounds import separable_error_bound
    >>> bounds = [separable_error_bound(m, m**3, 2.0, lambda radius: np.log1p(1 / radius), 1.0) for m in (1e5, 1e6)]
    >>> bool(bounds[0] > 8 * bounds[1])
    True
    """
    _check_positive("m", m)
    _check_power(q)
    if not 0 < delta < 1:
        raise ValueError(f"delta={delta} must lie between 0 and 1")
    approximation = regularization_error_bound(C, theta, constant=constant, gamma=gamma)

    def excess(epsilon: float) -> float:
        # Equation (31): falls from infinity to minus infinity.
        length = np.sqrt(2.0 * C * approximation + 2.0 * C * epsilon)
        radius = epsilon / (q * 2.0 ** (q + 3.0) * length)
        return log_covering(radius) - 3.0 * m * epsilon / 2.0 ** (q + 9.0) - np.log(delta / 2.0)

    high = 1.0
    while excess(high) > 0:
        high *= 2.0
    low = high / 2.0
    while excess(low) < 0:
        low /= 2.0
    sample = brentq(excess, low, high, xtol=1e-14 * high)
    return float(2.0 * sample + 8.0 * np.log(2.0 / delta) / m + 4.0 * approximation)


def _check_power(q: float) -> None:
    if not q >= 1:
        raise ValueError(f"q={q} must be at least 1: below, the loss of a margin violation is not convex")


def _check_positive(name: str, value: float) -> None:
    if not value > 0:
        raise ValueError(f"{name}={value} must be positive")
