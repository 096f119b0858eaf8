"""Noise and random choice for differential privacy, and their arithmetic (JMLR 12:1069)."""

import os
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import gamma
from sklearn.utils import check_random_state

MECHANISMS = ("objective", "output")
Uniforms = Callable[[int], np.ndarray]


def uniform_source(random_state) -> Uniforms:
    """A source of numbers strictly between 0 and 1: the operating system's cryptographic one for None."""
    if random_state is None:

        def draw(count: int) -> np.ndarray:
            return np.frombuffer(os.urandom(8 * count), np.uint64) >> np.uint64(11)
    else:
        rng = check_random_state(random_state)

        def draw(count: int) -> np.ndarray:
            return rng.randint(0, 2**53, size=count, dtype=np.int64)

    return lambda count: (draw(count) + 0.5) * 2.0**-53


def vector_laplace(n_features: int, rate: float, *, size: int | None = None, random_state=None) -> np.ndarray:
    """Noise with density proportional to exp(-rate * norm): the Laplace distribution's relative in many dimensions.

    The direction is uniform, and the norm has a Gamma distribution with mean ``n_features / rate``. Added to a vector
    that one person can move by at most s, with ``rate = epsilon / s``, it makes the sum epsilon-differentially private,
    as far as real numbers go: what the last digits of floating-point noise betray is not covered.

    Parameters
    ----------
    n_features : int
        Dimension.
    rate : float
        The paper's beta: larger is less noise.
    size : int or None, default=None
        Number of vectors; None gives one.
    random_state : int, RandomState instance or None, default=None
        None draws from the operating system's cryptographic source. A seed that can be guessed undoes the privacy: it
        is for tests.

    Returns
    -------
    ndarray of shape (n_features,) or (size, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import vector_laplace
    >>> noise = vector_laplace(5, 2.0, size=100_000, random_state=0)
    >>> float(np.linalg.norm(noise, axis=1).mean().round(2))
    2.5

    References
    ----------
    .. [1] Paper v12-1069, Equation 4.
    """
    if n_features < 1 or not rate > 0:
        raise ValueError(f"n_features={n_features} and rate={rate}: both must be positive")
    count, uniforms = 1 if size is None else size, uniform_source(random_state)
    directions = ndtri(uniforms(count * n_features)).reshape(count, n_features)
    norms = -np.log(uniforms(count * n_features)).reshape(count, n_features).sum(axis=1) / rate
    vectors = directions * (norms / np.linalg.norm(directions, axis=1))[:, None]
    return vectors[0] if size is None else vectors


def exponential_probabilities(scores, epsilon: float, *, sensitivity: float = 1.0) -> np.ndarray:
    """Probability of each choice under the exponential mechanism: proportional to exp(epsilon * score / 2 sensitivity).

    Parameters
    ----------
    scores : array-like of shape (n_choices,)
        How good each choice is; larger is better.
    epsilon : float
        Privacy spent.
    sensitivity : float, default=1.0
        Most that one person can change any score; 1 for a count.

    Returns
    -------
    ndarray of shape (n_choices,)

    Examples
    --------
    >>> from treatise.linear import exponential_probabilities
    >>> exponential_probabilities([-3, -5, -3], epsilon=1.0).round(3)
    array([0.422, 0.155, 0.422])

    References
    ----------
    .. [1] Paper v12-1069, Algorithm 4; McSherry and Talwar (2007).
    """
    scores = np.asarray(scores, np.float64)
    if scores.ndim != 1 or not len(scores) or not np.isfinite(scores).all():
        raise ValueError(f"scores must be a list of finite numbers, got {scores!r}")
    if not (epsilon > 0 and sensitivity > 0):
        raise ValueError(f"epsilon={epsilon} and sensitivity={sensitivity}: both must be positive")
    weights = np.exp(0.5 * epsilon * (scores - scores.max()) / sensitivity)
    return weights / weights.sum()


def exponential_mechanism(scores, epsilon: float, *, sensitivity: float = 1.0, random_state=None) -> int:
    """A choice by its score that is epsilon-differentially private.

    The proof is about real numbers: what rounding does to the probabilities, and how long the choice takes, is not
    covered.

    Parameters
    ----------
    scores, epsilon, sensitivity
        As for :func:`exponential_probabilities`.
    random_state : int, RandomState instance or None, default=None
        None draws from the operating system's cryptographic source.

    Returns
    -------
    int
        Index of the choice.

    Examples
    --------
    >>> from treatise.linear import exponential_mechanism
    >>> exponential_mechanism([-300, -10, -250], epsilon=1.0, random_state=0)
    1

    References
    ----------
    .. [1] Paper v12-1069, Algorithm 4.
    """
    edges = np.cumsum(exponential_probabilities(scores, epsilon, sensitivity=sensitivity))
    return int(np.searchsorted(edges, edges[-1] * uniform_source(random_state)(1)[0]))


def erm_sensitivity(n_samples: int, alpha: float) -> float:
    """Farthest that one of ``n_samples`` rows can move the minimiser of a penalised mean loss: 2 / (n alpha).

    It holds for rows of norm at most one, labels -1 and 1, and losses with slope at most 1.

    Parameters
    ----------
    n_samples : int
        Rows.
    alpha : float
        The paper's Lambda: weight of half the squared norm.

    Examples
    --------
    >>> from treatise.linear import erm_sensitivity
    >>> erm_sensitivity(1000, 0.01)
    0.2

    References
    ----------
    .. [1] Paper v12-1069, Corollary 8.
    """
    return 2.0 / (n_samples * alpha)


class Perturbation(NamedTuple):
    """What a mechanism adds: noise of a rate, and a further penalty."""

    noise_rate: float
    """The paper's beta."""
    noise_epsilon: float
    """The share of epsilon that the noise may spend: epsilon prime in the paper."""
    extra_penalty: float
    """The paper's Delta, added to alpha."""


def perturbation(mechanism: str, epsilon: float, n_samples: int, alpha: float, curvature: float) -> Perturbation:
    """The noise and the further penalty that make a classifier epsilon-differentially private.

    Parameters
    ----------
    mechanism : {"objective", "output"}
        Noise in the training objective (Algorithm 2), or on the weights (Algorithm 1).
    epsilon : float
        Privacy spent.
    n_samples : int
        Rows.
    alpha : float
        The paper's Lambda: weight of half the squared norm.
    curvature : float
        Largest second derivative of the loss, the paper's c: 1/4 for the logistic loss, 1/(2h) for Huber's and 3/(4h)
        for the smoothed hinge. Of no account for ``"output"``.

    Returns
    -------
    Perturbation
        ``noise_rate``, ``noise_epsilon`` and ``extra_penalty``.

    Examples
    --------
    >>> from treatise.linear import perturbation
    >>> plan = perturbation("objective", 0.05, 569, 0.01, curvature=0.25)
    >>> plan.noise_epsilon, round(plan.extra_penalty, 6)
    (0.025, 0.02493)

    References
    ----------
    .. [1] Paper v12-1069, Algorithms 1 and 2.
    """
    if mechanism not in MECHANISMS:
        raise ValueError(f"mechanism={mechanism!r} is unknown; it may be {' or '.join(map(repr, MECHANISMS))}")
    for name, value in (("epsilon", epsilon), ("n_samples", n_samples), ("alpha", alpha)):
        if not value > 0:
            raise ValueError(f"{name}={value} must be positive")
    if mechanism == "output":
        return Perturbation(epsilon / erm_sensitivity(n_samples, alpha), epsilon, 0.0)
    # The rest of epsilon pays for the Jacobian of the map from noise to weights (proof of Theorem 9).
    left = epsilon - 2.0 * np.log1p(curvature / (n_samples * alpha))
    if left > 0:
        return Perturbation(float(left) / 2.0, float(left), 0.0)
    # Solves (1 + c / (n (alpha + extra)))^2 = exp(epsilon / 2).
    extra = curvature / (n_samples * np.expm1(epsilon / 4.0)) - alpha
    return Perturbation(epsilon / 4.0, epsilon / 2.0, float(extra))


def excess_risk_bound(
    mechanism: str,
    epsilon: float,
    n_samples: int,
    n_features: int,
    alpha: float,
    *,
    curvature: float,
    delta: float = 0.05,
) -> float:
    """By how much privacy can raise the penalised mean training loss, save with probability ``delta``.

    Use it before any data are touched, to see whether a budget can work for so many rows and features. It needs the
    noise's Gamma distribution only; the paper's closed forms replace its quantile by a larger one.

    Parameters
    ----------
    mechanism, epsilon, n_samples, alpha, curvature
        As for :func:`perturbation`.
    n_features : int
        Features, the constant one included if there is an intercept.
    delta : float, default=0.05
        Probability with which the bound may fail.

    Returns
    -------
    float
        Bound on the loss above that of the best classifier.

    Examples
    --------
    >>> from treatise.linear import excess_risk_bound
    >>> for mechanism in ("output", "objective"):
    ...     print(mechanism, round(excess_risk_bound(mechanism, 0.1, 45_000, 20, 0.01, curvature=0.25), 4))
    output 0.1996
    objective 0.0157

    References
    ----------
    .. [1] Paper v12-1069, Lemmas 16, 17 and 19.
    """
    if not 0 < delta < 1:
        raise ValueError(f"delta={delta} is no probability between 0 and 1")
    plan = perturbation(mechanism, epsilon, n_samples, alpha, curvature)
    norm = float(gamma.isf(delta, n_features, scale=1.0 / plan.noise_rate))
    if mechanism == "output":
        # The gradient vanishes at the minimum and is (c + alpha)-Lipschitz. That proves Lemma 16 with its printed
        # factor; its own proof loses a factor of two.
        return 0.5 * (curvature + alpha) * norm**2
    if plan.extra_penalty > 0:
        raise ValueError(
            f"with {n_samples} rows, alpha={alpha:g} and epsilon={epsilon:g} objective perturbation adds to the "
            "penalty and there is no bound; raise alpha or epsilon"
        )
    return norm**2 / (n_samples**2 * alpha)
