"""Probabilities that q-norm scores tell, and the costs the theory asks for (Chen, Wu, Ying & Zhou, JMLR 5:1143)."""

from numbers import Real

import numpy as np


def q_norm_target(probability, q):
    """Score that minimises the expected loss ``max(0, 1 - y f) ** q`` where the second class has this probability.

    Parameters
    ----------
    probability : array-like
        Of the second class.
    q : float
        At least 1; for 1 the target is the likelier class, -1 or 1.

    Returns
    -------
    score : ndarray

    Examples
    --------
    >>> from treatise.svm import q_norm_target
    >>> q_norm_target([0.5, 0.8], 2.0).round(6), q_norm_target([0.8], 3.0).round(6)
    (array([0. , 0.6]), array([0.333333]))

    References
    ----------
    .. [1] Paper v05-1143, equation (10).
    """
    p = _probabilities(probability)
    _check_power(q)
    if q == 1:
        # sgn(0) is 1 in the paper.
        return np.where(p >= 0.5, 1.0, -1.0)
    # The larger of both powers is one, so that neither over- nor underflows where q is near 1.
    largest = np.maximum(p, 1.0 - p)
    up, down = (p / largest) ** (1.0 / (q - 1.0)), ((1.0 - p) / largest) ** (1.0 / (q - 1.0))
    return np.asarray((up - down) / (up + down))


def q_norm_probability(score, q):
    """Probability of the second class that belongs to a score: the inverse of :func:`q_norm_target`.

    Parameters
    ----------
    score : array-like
        Clipped to [-1, 1].
    q : float
        Above 1.

    Returns
    -------
    probability : ndarray

    Examples
    --------
    >>> from treatise.svm import q_norm_probability
    >>> q_norm_probability([0.6, 5.0], 2.0)
    array([0.8, 1. ])
    """
    _check_power(q)
    if q == 1:
        raise ValueError("the scores of q=1 tell which class is likelier and no probability; q must exceed 1")
    f = np.clip(np.asarray(score, np.float64), -1.0, 1.0)
    largest = 1.0 + np.abs(f)
    up, down = ((1.0 + f) / largest) ** (q - 1.0), ((1.0 - f) / largest) ** (q - 1.0)
    return np.asarray(up / (up + down))


def theory_cost(m, theta, *, complexity="logarithmic", overlapping=False):
    """How the cost C should grow with the number of rows, up to a constant.

    A guide to the order of magnitude, not a substitute for cross-validation.

    Parameters
    ----------
    m : int
        Number of rows.
    theta : float
        Separation exponent: the share of rows whose score under a separating function is below t falls as t ** theta.
        With ``overlapping``, order of the interpolation space of the regression function, between 0 and 1.
    complexity : "logarithmic" or float, default="logarithmic"
        Growth of the kernel's covering numbers: logarithmic, as for the Gaussian kernel, or a power s.
    overlapping : bool, default=False
        Whether the classes overlap; then for the Gaussian kernel and q = 2 (Example 4).

    Returns
    -------
    C : float

    Examples
    --------
    >>> from treatise.svm import theory_cost
    >>> round(theory_cost(100, 1.0)), round(theory_cost(100, 1.0, complexity=1.0))
    (1000000, 100)

    References
    ----------
    .. [1] Paper v05-1143, Theorem 10 with (35), and Example 4 (a).
    """
    _check_positive("m", m)
    _check_positive("theta", theta)
    if overlapping:
        if complexity != "logarithmic" or theta >= 1:
            raise ValueError(
                f"for overlapping classes the rule holds for complexity='logarithmic' and theta below 1; they are "
                f"{complexity!r} and {theta:g}"
            )
        return float(m ** (1.0 / (1.0 + 2.0 * theta)))
    if complexity == "logarithmic":
        return float(m ** ((theta + 2.0) / theta))
    if not isinstance(complexity, Real):
        raise ValueError(f"complexity must be 'logarithmic' or a positive power; it is {complexity!r}")
    _check_positive("complexity", complexity)
    return float(m ** ((theta + 2.0) / (theta + complexity + theta * complexity)))


def _probabilities(probability):
    p = np.asarray(probability, np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("probabilities must lie between 0 and 1")
    return p


def _check_power(q):
    if not q >= 1:
        raise ValueError(f"q={q} must be at least 1: below, the loss of a margin violation is not convex")


def _check_positive(name, value):
    if not value > 0:
        raise ValueError(f"{name}={value} must be positive")
