"""Where the search for sources begins: from power spectra, or from the best subspace without delays."""

import warnings

import numpy as np
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning


def spectra_start(recordings, n_sources, random_state):
    """Sources of the Fourier domain (step 1 of Algorithm 2): power spectra by non-negative factorisation.

    A power spectrum knows nothing of delays, so that the mixture of power spectra is instantaneous. The phase is that
    of the recording of which the source is the largest share. ``random_state`` None starts the factorisation from the
    singular vectors.
    """
    powers = np.abs(recordings.reshape(len(recordings), -1)) ** 2
    powers /= powers.max() or 1.0
    how = (
        {"init": "nndsvda", "random_state": 0}
        if random_state is None
        else {"init": "random", "random_state": random_state}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a start need not be a minimum
        model = NMF(n_sources, max_iter=50, tol=1e-4, **how)
        squares = model.fit_transform(powers)
    strengths = squares * model.components_.sum(axis=1)
    shares = strengths / np.maximum(powers.sum(axis=1, keepdims=True), 1e-300)
    if random_state is None:
        heard_in = np.argmax(shares, axis=0)
    else:
        heard_in = random_state.permutation(len(recordings))[np.arange(n_sources) % len(recordings)]
    phases = np.exp(1j * np.angle(recordings[heard_in]))
    return np.sqrt(model.components_).reshape(phases.shape) * phases


def subspace_start(recordings, n_sources):
    """Sources and weights of the best fit without delays, by singular vectors."""
    flat = np.ascontiguousarray(recordings).reshape(len(recordings), -1).view(np.float64)
    left, values, right = np.linalg.svd(flat, full_matrices=False)
    weights = (left * values)[:, :n_sources]
    sources = np.ascontiguousarray(right[:n_sources]).view(np.complex128)
    return sources.reshape(-1, *recordings.shape[1:]), weights
