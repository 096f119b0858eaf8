"""Patches of natural images as the retina hands them on: where they brighten and where they darken."""

import numpy as np
from sklearn.datasets import load_sample_images
from sklearn.utils import check_random_state


def make_on_off_patches(
    n_samples: int, *, side: int = 12, random_state: int | np.random.RandomState | None = None
) -> np.ndarray:
    """Random patches of scikit-learn's two sample photographs, high-pass filtered and split by sign.

    Photographs have most of their power in slow gradients. A filter that rises with frequency and falls off
    before the finest grain levels that out; what is above zero becomes the ON channel of a patch, what is below
    zero, with its sign turned, the OFF channel. The result is non-negative without having lost a sign.

    Parameters
    ----------
    n_samples : int
        Number of patches, half of them from each photograph.
    side : int, default=12
        Pixels along a side of a patch.
    random_state : int, RandomState instance or None, default=None
        Seed of the places where patches are cut.

    Returns
    -------
    ndarray of shape (n_samples, 2 * side**2)
        First the ON channel, then the OFF channel, row by row; the mean square of all entries is one.

    References
    ----------
    .. [1] Paper v05-1457, section 2; the filter is that of Olshausen and Field, Vision Research 37, 1997.

    Examples
    --------
    >>> from treatise.papers.decomposition.v05_1457._patches import make_on_off_patches
    >>> patches = make_on_off_patches(100, random_state=0)
    >>> patches.shape, float(patches.min())
    ((100, 288), 0.0)
    """
    generator = check_random_state(random_state)
    photographs = [_levelled(picture.mean(axis=2)) for picture in load_sample_images().images]
    patches = np.empty((n_samples, side * side))
    for i in range(n_samples):
        photograph = photographs[i % len(photographs)]
        # The filter wraps around at the edges: patches keep half a side away from them.
        row, column = (generator.randint(side // 2, size - side - side // 2) for size in photograph.shape)
        patches[i] = photograph[row : row + side, column : column + side].ravel()
    channels = np.hstack([np.maximum(patches, 0.0), np.maximum(-patches, 0.0)])
    return channels / np.sqrt(np.mean(channels**2))


def _levelled(photograph: np.ndarray) -> np.ndarray:
    rows, columns = (np.fft.fftfreq(size) for size in photograph.shape)
    # Cycles per pixel; the highest are 0.5.
    frequency = np.hypot(rows[:, None], columns)
    response = frequency * np.exp(-((frequency / 0.4) ** 4))
    filtered = np.fft.ifft2(np.fft.fft2(photograph) * response).real
    return filtered / filtered.std()
