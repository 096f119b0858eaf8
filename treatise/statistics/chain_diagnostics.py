"""Diagnostics of Markov chains: do several chains agree, and how many independent draws are they worth."""

import numpy as np


def split_r_hat(draws):
    """Potential scale reduction of chains, each cut into halves (R-hat).

    The spread of all half-chains together over the spread within them: 1 for chains that agree and do not drift.
    Values above 1.01 to 1.1 call for longer chains. Costs one pass over the draws.

    Parameters
    ----------
    draws : array-like of shape (n_chains, n_draws, ...)
        Draws of each chain; further axes are different quantities.

    Returns
    -------
    r_hat : ndarray of shape (...)
        1 for a quantity that never changes, infinite for one that is constant within chains that differ; nan with
        fewer than four draws a chain.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import split_r_hat
    >>> chains = np.random.default_rng(0).normal(size=(4, 1000))
    >>> float(split_r_hat(chains).round(2))
    1.0
    >>> chains[0] += 3.0
    >>> float(split_r_hat(chains).round(1))
    1.7
    """
    halves = _halves(draws)
    n = halves.shape[1]
    if n < 2:
        return np.full(halves.shape[2:], np.nan)
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = halves.mean(axis=1).var(axis=0, ddof=1)
    # Rounding leaves a constant a variance of about eps squared.
    still = within <= 1e-24 * np.maximum(1.0, (halves**2).mean(axis=(0, 1)))
    agreeing = between <= 1e-24 * np.maximum(1.0, (halves**2).mean(axis=(0, 1)))
    ratio = np.sqrt((n - 1) / n + between / np.where(still, 1.0, within))
    return np.where(still, np.where(agreeing, 1.0, np.inf), ratio)


def effective_sample_size(draws):
    """Number of independent draws that would estimate the mean as well as these dependent ones do.

    Autocorrelations of the half-chains are summed in pairs as far as the pairs are positive and do not rise (Geyer's
    initial monotone sequence); disagreement between chains counts as correlation. Costs n log n for n draws.

    Parameters
    ----------
    draws : array-like of shape (n_chains, n_draws, ...)
        Draws of each chain; further axes are different quantities.

    Returns
    -------
    size : ndarray of shape (...)
        At most the number of draws times the logarithm to base 10 of it. The number of draws for a quantity that
        never changes; nan with fewer than eight draws a chain.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.signal import lfilter
    >>> from treatise.statistics import effective_sample_size
    >>> noise = np.random.default_rng(0).normal(size=(4, 20_000))
    >>> size = effective_sample_size(lfilter([1], [1, -0.5], noise))
    >>> bool(0.3 < size / noise.size < 0.37)  # (1 - 0.5) / (1 + 0.5) of the draws
    True
    """
    halves = _halves(draws)
    chains, n = halves.shape[:2]
    total = chains * n
    if n < 4:
        return np.full(halves.shape[2:], np.nan)
    centred = halves - halves.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * n, axis=1)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, 2 * n, axis=1)[:, :n].mean(axis=0) / n
    within = covariance[0] * n / (n - 1)
    between = halves.mean(axis=1).var(axis=0, ddof=1) if chains > 1 else 0.0
    pooled = within * (n - 1) / n + between
    still = within <= 1e-24 * np.maximum(1.0, (halves**2).mean(axis=(0, 1)))
    scale = np.where(still, 1.0, pooled)
    correlation = 1.0 - (within - covariance * n / (n - 1)) / scale
    pairs = correlation[: n - n % 2].reshape(n // 2, 2, *halves.shape[2:]).sum(axis=1)
    pairs = np.minimum.accumulate(np.where(np.logical_and.accumulate(pairs > 0, axis=0), pairs, 0.0), axis=0)
    time = np.maximum(2.0 * pairs.sum(axis=0) - 1.0, 1.0 / np.log10(total))
    return np.where(still, np.where(between <= 0.0, float(total), float(chains) / 2), total / time)


def _halves(draws):
    """The half-chains, (2 n_chains, n_draws // 2, ...)."""
    draws = np.asarray(draws, dtype=float)
    if draws.ndim < 2:
        raise ValueError(f"draws has shape {draws.shape}; give one row for each chain, (n_chains, n_draws, ...)")
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, draws.shape[1] - half :]])
