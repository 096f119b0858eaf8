"""Linear canonical and fractional Fourier transforms of samples, and phases from moduli in several of their domains."""

import warnings

import numpy as np
from scipy import fft
from sklearn.exceptions import ConvergenceWarning

FOURIER = np.array([[0.0, 1.0], [-1.0, 0.0]])
"""Matrix of the Fourier transform."""


def linear_canonical_transform(x, matrix):
    """Linear canonical transform of a sampled signal, on the same grid.

    The samples are those of a function at ``t = (k - n // 2) / sqrt(n)``; the transform is taken at the same places.
    It turns, shears and stretches the plane of time and frequency by the matrix ``[[A, B], [C, D]]`` of determinant
    one: ``[[0, 1], [-1, 0]]`` is the Fourier transform, ``[[1, b], [0, 1]]`` that of Fresnel. It keeps the sum of
    squares of functions that, before and after, are small at the ends of the grid and of the spectrum; others wrap
    around. Transforms compose as their matrices do, up to the sign, which no choice can make consistent. Costs a few
    fast Fourier transforms of twice the length.

    Parameters
    ----------
    x : array-like of shape (..., n_samples)
        Real or complex samples; the last axis is transformed.
    matrix : array-like of shape (2, 2)
        Real, of determinant one.

    Returns
    -------
    ndarray of complex of the shape of x

    See Also
    --------
    fractional_fourier_transform : Turns of the plane.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import linear_canonical_transform
    >>> t = (np.arange(64) - 32) / 8
    >>> y = linear_canonical_transform(np.exp(-np.pi * t**2), [[1, 1], [0, 1]])
    >>> bool(np.isclose(np.sum(np.abs(y) ** 2), np.sum(np.exp(-2 * np.pi * t**2))))
    True

    References
    ----------
    .. [1] Paper v12-1111, Equations (12) to (14).
    """
    x = np.asarray(x, dtype=np.complex128)
    matrix = np.asarray(matrix, dtype=np.float64)
    if matrix.shape != (2, 2) or not np.isclose(np.linalg.det(matrix), 1.0, rtol=0, atol=1e-8):
        raise ValueError(f"matrix={matrix.tolist()} must have two rows, two columns and determinant one")
    (a, b), (_, _) = matrix
    if abs(b) < abs(a):
        # The chirp of A/B is too fast for the grid: turn by a quarter first, which exchanges A and B.
        return _integral(_integral(x, FOURIER), matrix @ np.linalg.inv(FOURIER))
    return _integral(x, matrix)


def fractional_fourier_transform(x, angle):
    """Fractional Fourier transform of a sampled signal: the plane of time and frequency turned by an angle.

    ``pi / 2`` is the unitary Fourier transform of the centred samples, 0 changes nothing, and angles add up, for
    functions as :func:`linear_canonical_transform` asks for.

    Parameters
    ----------
    x : array-like of shape (..., n_samples)
        Real or complex samples; the last axis is transformed.
    angle : float
        In radians.

    Returns
    -------
    ndarray of complex of the shape of x

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import fractional_fourier_transform
    >>> x = np.random.default_rng(0).normal(size=16)
    >>> half = np.fft.fftshift(np.fft.fft(np.fft.ifftshift(x), norm="ortho"))
    >>> bool(np.allclose(fractional_fourier_transform(x, np.pi / 2), half))
    True

    References
    ----------
    .. [1] Paper v12-1111, Equation (13).
    """
    x = np.asarray(x, dtype=np.complex128)
    angle = _between_half_turns(angle)
    if abs(np.sin(angle)) < abs(np.cos(angle)):
        return _turned(_turned(x, np.pi / 2), _between_half_turns(angle - np.pi / 2))
    return _turned(x, angle)


def _turned(x, angle):
    """The integral with the constant that makes angles add up."""
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.exp(0.5j * angle) * _integral(x, np.array([[cosine, sine], [-sine, cosine]]))


def _between_half_turns(angle):
    return float(np.pi - (np.pi - angle) % (2.0 * np.pi))


def _integral(x, matrix):
    """The integral (12) as a sum over the samples, its kernel written as three chirps (Bluestein).

    The paper prints the constant as the root of B; unitary is its inverse, with the phase of i B.
    """
    (a, b), (_, d) = matrix
    n = x.shape[-1]
    k = np.arange(n) - n // 2
    chirp = np.exp(1j * np.pi * k**2 / (n * b))
    lags = np.arange(-(n - 1), n)
    length = fft.next_fast_len(3 * n - 2)
    spread = fft.fft(np.exp(1j * np.pi * lags**2 / (n * b)), length)
    into = x * np.exp(1j * np.pi * a * k**2 / (n * b)) / chirp
    summed = fft.ifft(fft.fft(into, length) * spread)[..., n - 1 : 2 * n - 1]
    out = summed * np.exp(1j * np.pi * d * k**2 / (n * b)) / chirp
    # Beyond the highest frequency of the samples the sum repeats itself.
    out = np.where(np.abs(k) <= abs(b) * n / 2, out, 0.0)
    return out * np.exp(-0.25j * np.pi * np.sign(b)) / np.sqrt(n * abs(b))


def gerchberg_saxton(moduli, matrices, *, start=None, max_iter=500, tol=1e-6):
    """A signal from its moduli in several domains of the linear canonical transform.

    Goes round the domains, keeps the phase it comes with and sets the modulus that is known. The error never rises, but
    the rounds often come to rest at a signal that has other moduli, above all for domains close to one another: look at
    ``error``. Costs one transform for each domain and round.

    Parameters
    ----------
    moduli : array-like of shape (n_domains, n_samples)
        Absolute values in each domain.
    matrices : array-like of shape (n_domains, 2, 2)
        Matrix of each domain, as for :func:`linear_canonical_transform`; the identity is the signal itself.
    start : array-like of shape (n_samples,) or None, default=None
        Signal to start from; None has phase zero in the first domain.
    max_iter : int, default=500
        Most rounds.
    tol : float, default=1e-6
        Ends where a round changes the signal by at most this share.

    Returns
    -------
    signal : ndarray of complex of shape (n_samples,)
        In the first domain, brought back to time.
    error : float
        Distance of its moduli in the last domain from those given, as a share of these.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import gerchberg_saxton, linear_canonical_transform
    >>> t = (np.arange(64) - 32) / 8
    >>> x = np.exp(-np.pi * t**2) * (1 + t) * np.exp(1j * np.pi * t)
    >>> matrices = [np.eye(2), [[1, 1], [0, 1]], [[0, 1], [-1, 0]]]
    >>> moduli = [np.abs(linear_canonical_transform(x, matrix)) for matrix in matrices]
    >>> signal, error = gerchberg_saxton(moduli, matrices)
    >>> error < 1e-3
    True

    References
    ----------
    .. [1] Paper v12-1111, Algorithm 1.
    """
    moduli = np.asarray(moduli, dtype=np.float64)
    matrices = np.asarray(matrices, dtype=np.float64)
    if moduli.ndim != 2 or len(moduli) < 2 or matrices.shape != (len(moduli), 2, 2):
        raise ValueError(
            f"moduli of shape {moduli.shape} and matrices of shape {matrices.shape} must be of the same two or more "
            "domains: (n_domains, n_samples) and (n_domains, 2, 2)"
        )
    if (moduli < 0).any() or not np.isfinite(moduli).all():
        raise ValueError("moduli must be finite and not negative")
    steps = [matrices[(i + 1) % len(matrices)] @ np.linalg.inv(matrices[i]) for i in range(len(matrices))]
    y = moduli[0].astype(np.complex128)
    if start is not None:
        y = _with_modulus(linear_canonical_transform(start, matrices[0]), moduli[0])
    for _ in range(max_iter):
        before = y
        for i, step in enumerate(steps):
            arrived = linear_canonical_transform(y, step)
            following = moduli[(i + 1) % len(moduli)]
            if i == len(steps) - 2:
                error = np.linalg.norm(np.abs(arrived) - following)
            y = _with_modulus(arrived, following)
        # A constant of modulus one is left open by the moduli.
        turn = np.vdot(y, before)
        if np.linalg.norm(y * (turn / abs(turn) if turn else 1.0) - before) <= tol * np.linalg.norm(y):
            break
    else:
        warnings.warn(
            f"the signal still changed after max_iter={max_iter} rounds", ConvergenceWarning, stacklevel=2
        )  # fmt: skip
    signal = linear_canonical_transform(y, np.linalg.inv(matrices[0]))
    return signal, float(error / max(np.linalg.norm(moduli[-1]), 1e-300))


def _with_modulus(y, modulus):
    size = np.abs(y)
    return modulus * np.where(size > 0.0, y / np.where(size > 0.0, size, 1.0), 1.0)
