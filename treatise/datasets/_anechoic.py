"""Recordings of sources that come with delays: made-up sounds, and objects that stand at different places."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft
from scipy.signal import lfilter

WEIGHTS = [[1.0, 2.0], [3.0, 1.0], [10.0, 5.0], [1.0, 2.0], [1.0, 1.0]]
DELAYS = [[0.0, 4000.0], [2500.0, 5000.0], [100.0, 200.0], [1.0, 1.0], [500.0, 333.0]]


class AnechoicMixture(NamedTuple):
    """Recordings and what they were made of."""

    X: np.ndarray
    """Recordings, one a row, or a stack of images."""
    sources: np.ndarray
    """Sources, of the shape of a recording each."""
    weights: np.ndarray
    """Of shape (n_recordings, n_sources)."""
    delays: np.ndarray
    """In samples, of shape (n_recordings, n_sources), or (n_recordings, n_sources, 2) for images."""


def make_anechoic_mixture(
    weights: ArrayLike | None = None, delays: ArrayLike | None = None, *, n_samples: int = 8000, noise: float = 0.0,
    random_state: int | None = None,
) -> AnechoicMixture:  # fmt: skip
    """Recordings of resonant sounds, each with weights and circular delays; by default those of set II of v12-1111.

    A source is sparse noise that rings at a frequency of its own, with variance one.

    Parameters
    ----------
    weights, delays : array-like of shape (n_recordings, n_sources) or None, default=None
        None is the paper's five recordings of two sources. Delays may lie between the samples.
    n_samples : int, default=8000
        Length of a recording.
    noise : float, default=0.0
        Standard deviation of white noise as a share of that of the recordings.
    random_state : int or None, default=None
        Draws sources and noise.

    Returns
    -------
    AnechoicMixture
        ``X``, ``sources``, ``weights`` and ``delays``.

    Examples
    --------
    >>> from treatise.datasets import make_anechoic_mixture
    >>> mixture = make_anechoic_mixture(random_state=0)
    >>> mixture.X.shape, mixture.sources.shape
    ((5, 8000), (2, 8000))
    """
    rng = np.random.default_rng(random_state)
    alpha = np.asarray(WEIGHTS if weights is None else weights, dtype=np.float64)
    tau = np.asarray(DELAYS if delays is None else delays, dtype=np.float64)
    if alpha.ndim != 2 or alpha.shape != tau.shape:
        raise ValueError(f"weights of shape {alpha.shape} and delays of shape {tau.shape} must be two equal tables")
    sources = np.array([_ringing(rng, n_samples) for _ in range(alpha.shape[1])])
    turns = np.exp(-2j * np.pi * tau[..., np.newaxis] * fft.rfftfreq(n_samples))
    X = fft.irfft(np.einsum("ij,ijf,jf->if", alpha, turns, fft.rfft(sources)), n_samples)
    X += noise * X.std() * rng.standard_normal(X.shape)
    return AnechoicMixture(X, sources, alpha, tau)


def _ringing(rng: np.random.Generator, n_samples: int) -> np.ndarray:
    """Sparse Laplacian noise through a resonance."""
    pulses = rng.laplace(size=n_samples) * (rng.random(n_samples) < 0.2)
    frequency, damping = rng.uniform(0.02, 0.2), 0.95
    sound = lfilter([1.0], [1.0, -2.0 * damping * np.cos(2.0 * np.pi * frequency), damping**2], pulses)
    return sound / sound.std()


def make_moved_objects(n_images: int = 6, *, size: int = 64, random_state: int | None = None) -> AnechoicMixture:
    """Images of a striped square and a disc with a lighter half, each at a random place; where they meet they add up.

    Parameters
    ----------
    n_images : int, default=6
        Number of images.
    size : int, default=64
        Lines and columns; an object is a fifth of it.
    random_state : int or None, default=None
        Draws the places.

    Returns
    -------
    AnechoicMixture
        ``X`` of shape (n_images, size, size), the two objects at the upper left corner, weights of one and places.

    Examples
    --------
    >>> from treatise.datasets import make_moved_objects
    >>> make_moved_objects(4, size=50, random_state=0).X.shape
    (4, 50, 50)
    """
    rng = np.random.default_rng(random_state)
    side = size // 5
    down, right = np.mgrid[:side, :side]
    objects = np.zeros((2, size, size))
    objects[0, :side, :side] = 1.0 + (down + right) % 5
    centre = (side - 1) / 2.0
    disc = np.hypot(down - centre, right - centre) <= side / 2.0
    objects[1, :side, :side] = disc * (3.0 + (right > centre))
    places = rng.integers(0, size - side + 1, (n_images, 2, 2))
    X = np.array([sum(np.roll(thing, place, (0, 1)) for thing, place in zip(objects, both)) for both in places])
    return AnechoicMixture(X, objects, np.ones((n_images, 2)), places.astype(np.float64))
