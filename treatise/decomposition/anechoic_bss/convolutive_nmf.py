"""Non-negative mixtures of filtered or shifted sources by multiplicative updates (Section 3.2)."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import fft
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state

# Keeps quotients finite; of the scale of the largest entry.
TINY = 1e-12
BETWEEN = 10
"""Iterations over which the error must still change."""


class ConvolutiveFactors(NamedTuple):
    """Filters and sources whose circular convolutions add up to the recordings."""

    filters: np.ndarray
    """Of shape (n_recordings, n_sources, n_samples)."""
    sources: np.ndarray
    """Of shape (n_sources, n_samples)."""
    history: np.ndarray
    """Frobenius norm of what is left, at the start and after each iteration."""
    converged: bool
    """Whether it had stopped changing."""


def convolutive_nmf(X, n_sources, *, sparse_filters=False, max_iter=2000, tol=1e-4, sources=None, random_state=None):
    """Non-negative filters and sources whose circular convolutions approximate non-negative recordings.

    Use it on recordings that are powers, such as marginals of a time-frequency distribution. Plain, it lowers the
    sum of squares with each iteration; it has no unique solution, as any recording can be a source.
    With ``sparse_filters`` (anechoic factorisation) the updates of Amari's divergence with exponents that favour few
    pulses are used, whose error may rise; a filter's peak then tells delay and weight. For delays that matter take
    :func:`estimate_delays`, which finds them between the samples too. Costs O(m k^2 T + m k T log T) an iteration.

    Parameters
    ----------
    X : array-like of shape (n_recordings, n_samples)
        Not negative.
    n_sources : int
        Number of sources.
    sparse_filters : bool, default=False
        Whether filters are to have few pulses: Equations (29) and (30) with exponents 1.9, 2 and 0.02.
    max_iter : int, default=2000
        Iterations at most; a warning tells that they were not enough.
    tol : float, default=1e-4
        Stop when ten iterations change the error by at most this share of that at the start. Zero runs them all.
    sources : array-like of shape (n_sources, n_samples) or None, default=None
        Sources to start from, not negative; None draws them.
    random_state : int, RandomState instance or None, default=None
        Draws the start.

    Returns
    -------
    ConvolutiveFactors
        ``filters``, ``sources``, ``history`` and ``converged``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import convolutive_nmf
    >>> pulse = np.array([3.0, 2, 1, 0, 0, 0, 0, 0])
    >>> found = convolutive_nmf([np.roll(pulse, 2), 2 * np.roll(pulse, 5)], 1, random_state=0)
    >>> bool(found.history[-1] < found.history[0])
    True

    References
    ----------
    .. [1] Paper v12-1111, Section 3.2.
    """
    X = check_array(X, dtype=np.float64, input_name="X")
    if (X < 0).any():
        raise ValueError(f"X has entries below zero, the least {X.min():.3g}: powers are not negative")
    if n_sources < 1:
        raise ValueError(f"n_sources={n_sources} must be 1 or more")
    if not X.any():
        raise ValueError(f"all {len(X)} recordings are zero: there is no source to find")
    rng, n_samples = check_random_state(random_state), X.shape[1]
    S = rng.uniform(0.5, 1.5, (n_sources, n_samples)) if sources is None else _checked_sources(sources, n_sources, X)
    A = rng.uniform(0.5, 1.5, (len(X), n_sources, n_samples))
    A *= np.mean(X) / max(np.mean(_convolved(A, S)), 1e-300)
    step, history = _sparse_step if sparse_filters else _least_squares_step, [np.linalg.norm(X - _convolved(A, S))]
    while len(history) <= max_iter and not _is_still(history, tol):
        A, S = step(X, A, S)
        history.append(np.linalg.norm(X - _convolved(A, S)))
    converged = _is_still(history, tol)
    if tol > 0.0 and not converged:
        warnings.warn(
            f"convolutive_nmf was stopped by max_iter={max_iter} while its error still changed; raise max_iter or tol",
            ConvergenceWarning, stacklevel=2,
        )  # fmt: skip
    return ConvolutiveFactors(A, S, np.array(history), converged)


def _is_still(history, tol):
    """Whether the last iterations changed next to nothing."""
    return len(history) > BETWEEN and abs(history[-1 - BETWEEN] - history[-1]) <= tol * history[0]


def _checked_sources(sources, n_sources, X):
    S = check_array(sources, dtype=np.float64, input_name="sources", copy=True)
    if S.shape != (n_sources, X.shape[1]) or (S < 0).any():
        raise ValueError(f"sources must be {n_sources} rows of {X.shape[1]} numbers that are not negative")
    return S


def _convolved(A, S):
    return fft.irfft(np.einsum("ijf,jf->if", fft.rfft(A), fft.rfft(S)), A.shape[-1])


def _least_squares_step(X, A, S):
    """Lee and Seung's updates; the error never rises."""
    n, x = X.shape[1], fft.rfft(X)
    s = fft.rfft(S)
    up = fft.irfft(np.conj(s) * x[:, np.newaxis], n)
    down = fft.irfft(np.conj(s) * np.einsum("ijf,jf->if", fft.rfft(A), s)[:, np.newaxis], n)
    A = A * np.maximum(up, 0.0) / np.maximum(down, TINY * max(down.max(), 1e-300))
    a = fft.rfft(A)
    up = fft.irfft(np.einsum("ijf,if->jf", np.conj(a), x), n)
    down = fft.irfft(np.einsum("ijf,if->jf", np.conj(a), np.einsum("ijf,jf->if", a, s)), n)
    return A, S * np.maximum(up, 0.0) / np.maximum(down, TINY * max(down.max(), 1e-300))


def _sparse_step(X, A, S, mu=1.9, beta=2.0, favour=0.02):
    """Equations (29) and (30), in which exponents lost their places in print; factors are scaled to keep their size."""
    n = X.shape[1]

    def ratio():
        fitted = _convolved(A, S)
        return fft.rfft((X / np.maximum(fitted, TINY * X.max())) ** beta)

    s = fft.rfft(S)
    # Both sides of a quotient are divided by the sums that the divergence has there.
    up = fft.irfft(np.conj(s) * ratio()[:, np.newaxis], n) / np.maximum(S.sum(axis=1), 1e-300)[:, np.newaxis]
    A = A * np.maximum(up, 0.0) ** (mu / beta)
    heights = np.maximum(A.max(axis=2, keepdims=True), 1e-300)
    A = heights * (A / heights) ** (1.0 + favour)
    a = fft.rfft(A)
    up = fft.irfft(np.einsum("ijf,if->jf", np.conj(a), ratio()), n)
    S = S * np.maximum(up / np.maximum(A.sum(axis=(0, 2)), 1e-300)[:, np.newaxis], 0.0) ** (mu / beta)
    size = np.maximum(S.sum(axis=1), 1e-300)[:, np.newaxis]
    return A * size, S / size
