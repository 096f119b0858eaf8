"""Sources of different slowness, and non-linear mixtures of them (section 4.2 of v15-0921); recordings of hearts."""

import numpy as np
from sklearn.utils import check_random_state

from treatise.datasets._home import locate


def make_colored_sources(
    n_times: int = 10_000, n_sources: int = 6, *, random_state: int | np.random.RandomState | None = None
) -> np.ndarray:
    """Coloured Gaussian noise whose delta values are about equally spaced (section 4.2.1 of v15-0921).

    Parameters
    ----------
    n_times : int, default=10000
        Frames T.
    n_sources : int, default=6
        Sources; the spectrum of number i is ``exp(-f^2 / 2 sigma^2)`` in cycles f a record, with
        ``sigma = sqrt(i) T / 50 + 1``.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    ndarray of shape (n_times, n_sources)
        With zero mean and unit variance, the slowest first.
    """
    random = check_random_state(random_state)
    frequencies = np.arange(n_times // 2 + 1)
    sigmas = np.sqrt(np.arange(1, n_sources + 1)) * n_times / 50 + 1
    spectra = np.fft.rfft(random.standard_normal((n_sources, n_times)))
    sources = np.fft.irfft(spectra * np.exp(-((frequencies / sigmas[:, np.newaxis]) ** 2) / 2), n_times).T
    return (sources - sources.mean(axis=0)) / sources.std(axis=0)


def mix_spiral(sources: np.ndarray) -> np.ndarray:
    """Two sources on a spiral: one is the angle and part of the distance, the other only part of it (equation 15).

    Parameters
    ----------
    sources : ndarray of shape (n_times, 2)
        Within -1 and 1, where the mixture can be inverted.

    Returns
    -------
    ndarray of shape (n_times, 2)
    """
    sources = np.asarray(sources, dtype=np.float64)
    if sources.ndim != 2 or sources.shape[1] != 2:
        raise ValueError(f"sources of shape {sources.shape} are not two columns")
    largest = np.abs(sources).max()
    if not largest <= 1.0:
        raise ValueError(f"sources reach {largest:.3g}; the spiral is for values within -1 and 1")
    angle, distance = 1.5 * np.pi * sources[:, 0], sources[:, 1] + 3 * sources[:, 0] + 6
    return distance[:, np.newaxis] * np.column_stack([np.cos(angle), np.sin(angle)])


def mix_postnonlinear(
    sources: np.ndarray,
    *,
    gain: float = 2.0,
    n_layers: int = 2,
    random_state: int | np.random.RandomState | None = None,
) -> np.ndarray:
    """Turn the sources at random and bend each by an arctangent, more than once (section 4.2.2 of v15-0921).

    Parameters
    ----------
    sources : ndarray of shape (n_times, n_sources)
        Brought to zero mean and unit variance before each layer.
    gain : float, default=2.0
        What turned sources are multiplied by before the arctangent: more bends more. The paper writes the reciprocal of
        a number that it sets to 2; its results are those of a gain of 2.
    n_layers : int, default=2
        Times.
    random_state : int, RandomState instance or None, default=None
        Seed of the rotations.

    Returns
    -------
    ndarray of shape (n_times, n_sources)
    """
    random = check_random_state(random_state)
    mixed = np.asarray(sources, dtype=np.float64)
    for _ in range(n_layers):
        mixed = (mixed - mixed.mean(axis=0)) / mixed.std(axis=0)
        turned, sizes = np.linalg.qr(random.standard_normal((mixed.shape[1], mixed.shape[1])))
        # With these signs every rotation or reflection is as likely as any other.
        mixed = np.arctan(gain * (mixed @ (turned * np.sign(np.diag(sizes)))))
    return mixed


def load_foetal_ecg() -> tuple[np.ndarray, float]:
    """Ten seconds of an expectant mother's skin potentials: five leads on the belly and three on the chest (DaISy).

    Returns
    -------
    X : ndarray of shape (2500, 8)
        Potentials, with hearts of mother and child in the first five columns.
    dt : float
        Seconds from frame to frame: 1 / 250. By the file's own clock it is 1 / 500, and the mother's heart, which
        beats 14 times, would beat 168 times a minute.
    """
    return np.loadtxt(locate("timeseries/foetal_ecg.dat"))[:, 1:], 1 / 250


def load_two_lead_ecg() -> tuple[np.ndarray, float]:
    """Half an hour of two leads of a man's heart, record 100 of the MIT-BIH arrhythmia database.

    Returns
    -------
    X : ndarray of shape (650000, 2)
        Leads MLII and V5 in millivolts.
    dt : float
        Seconds from frame to frame: 1 / 360.
    """
    packed = np.frombuffer(locate("timeseries/100.dat").read_bytes(), dtype=np.uint8).reshape(-1, 3).astype(np.int16)
    # Format 212: two numbers of 12 bits in three bytes, the middle one having the high bits of both.
    first = packed[:, 0] | (packed[:, 1] & 0x0F) << 8
    second = packed[:, 2] | (packed[:, 1] & 0xF0) << 4
    numbers = np.column_stack([first, second]).astype(np.float64)
    return (np.where(numbers > 2047, numbers - 4096, numbers) - 1024) / 200, 1 / 360
