"""Delays and weights of known signals in recordings (Appendix A)."""

import numpy as np
from sklearn.utils import check_array

from treatise.decomposition.anechoic_bss._rows import Placing
from treatise.decomposition.anechoic_bss._spectra import Frame


def estimate_delays(X, sources, *, method="joint", positive=False, max_delay=None):
    """When known signals arrive in each recording, and how strong.

    Use it where templates are known; :class:`AnechoicBSS` learns them. ``"joint"`` is near the Cramér-Rao bound; it
    places one source after the other where it fits best what the others leave, between samples, and weighs all anew.
    ``"simple"`` takes the peak of each source's own correlation, which other sources shift. Shifts are circular. Costs
    a few Fourier transforms of the recordings for each source and sweep, and as many sweeps again for each source that
    is placed first.

    Parameters
    ----------
    X : array-like of shape (n_recordings, n_samples)
        Recordings.
    sources : array-like of shape (n_sources, n_samples)
        Signals.
    method : {"joint", "simple"}, default="joint"
        Nonlinear Gauss-Seidel on the likelihood (36), or the peaks of the correlations (37).
    positive : bool, default=False
        Whether weights must not be negative.
    max_delay : float or None, default=None
        Largest delay either way.

    Returns
    -------
    weights, delays : ndarray of shape (n_recordings, n_sources)
        Delays in samples, at most half of the length either way.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import estimate_delays
    >>> signals = np.random.default_rng(0).normal(size=(2, 100))
    >>> recording = 2 * np.roll(signals[0], 7) - np.roll(signals[1], -3)
    >>> weights, delays = estimate_delays([recording], signals)
    >>> weights.round(6), delays.round(6)
    (array([[ 2., -1.]]), array([[ 7., -3.]]))

    References
    ----------
    .. [1] Paper v12-1111, Appendix A.
    """
    if method not in ("joint", "simple"):
        raise ValueError(f"method={method!r} is not known; choose 'joint' or 'simple'")
    X = check_array(X, dtype=np.float64, input_name="X")
    sources = check_array(sources, dtype=np.float64, input_name="sources")
    if X.shape[1] != sources.shape[1]:
        raise ValueError(f"recordings have {X.shape[1]} samples and sources {sources.shape[1]}; both must have as many")
    silent = np.flatnonzero(~sources.any(axis=1))
    if len(silent):
        raise ValueError(f"source {silent[0]} is zero throughout, so that nothing tells when it comes")
    frame = Frame(1, X.shape[1])
    placing = Placing(frame, max_delay, positive)
    recordings, spectra = frame.spectra(X[:, np.newaxis]), frame.spectra(sources[:, np.newaxis])
    placement = placing.cold(recordings, spectra) if method == "joint" else placing.simple(recordings, spectra)
    return placement.weights, placement.delays[..., 1]
