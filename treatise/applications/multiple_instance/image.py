"""Images as bags of regions: colour, texture and shape of each region (Section 2)."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

BLOCK = 4
# Daubechies' wavelet with four taps; the high-pass filter is the low-pass one backwards with alternating signs.
_LOW = np.array([1 + np.sqrt(3), 3 + np.sqrt(3), 3 - np.sqrt(3), 1 - np.sqrt(3)]) / (4 * np.sqrt(2))
_HIGH = _LOW[::-1] * np.array([1, -1, 1, -1])
# sRGB to XYZ with the white point D65 (IEC 61966-2-1).
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = _XYZ.sum(axis=1)


class ImageBag(NamedTuple):
    """The regions of an image as a bag, and which region every block of pixels belongs to."""

    instances: np.ndarray
    regions: np.ndarray


def image_to_bag(image: Any, *, distortion: float = 0.15, max_regions: int = 16, random_state: Any = 0) -> ImageBag:
    """Cut an image into regions of like colour and texture, and describe each by nine numbers.

    Blocks of 4 x 4 pixels have six features: the means of L, U and V, and the root mean square of the wavelet
    coefficients of L in the three high-frequency bands. k-means groups the blocks into regions, which need not be
    connected; clusters are added until little is left to explain. A region's numbers are the means of its blocks, and
    its normalized inertia of orders 1, 2 and 3 as multiples of a circle's, which tell compact regions from scattered
    ones. For photographs of a few hundred pixels across; larger ones should be made smaller first. Not a segmentation
    for its own sake. The cost is that of k-means on the blocks, for each number of regions tried.

    Parameters
    ----------
    image : array-like of shape (height, width, 3) or (height, width)
        Red, green and blue, or shades of grey; whole numbers 0 to 255, or fractions 0 to 1. What does not fill a block
        at the right and the bottom is left out.
    distortion : float, default=0.15
        Clusters are added until the blocks' mean squared distance to their centres is below this share of that to the
        mean of all. The paper takes its rule from elsewhere; this one is ours.
    max_regions : int, default=16
        Most regions.
    random_state : int, RandomState instance or None, default=0
        Starts of k-means.

    Returns
    -------
    ImageBag
        ``instances`` of shape (n_regions, 9), the largest region first, and ``regions``, the number of the region of
        each block.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.applications import image_to_bag
    >>> image = np.zeros((32, 32, 3))
    >>> image[:, 16:] = [1.0, 0.2, 0.2]
    >>> bag = image_to_bag(image)
    >>> bag.instances.shape, bag.regions.shape
    ((2, 9), (8, 8))

    References
    ----------
    .. [1] Paper v05-0913, Section 2.
    """
    if not 0 < distortion < 1:
        raise ValueError(f"distortion={distortion} must be a share between 0 and 1")
    if max_regions < 1:
        raise ValueError(f"max_regions={max_regions} must be at least 1")
    luv = _luv(_pixels(image))
    blocks = _block_features(luv)
    rows, columns, size = blocks.shape
    flat = blocks.reshape(-1, size)
    labels = _clusters(flat, distortion, max_regions, check_random_state(random_state))
    # The largest first; of equals, that which begins first.
    _, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    order = np.lexsort([first, -sizes])
    labels = np.argsort(order)[labels]
    areas = [labels.reshape(rows, columns) == region for region in range(len(order))]
    instances = np.vstack([np.append(blocks[area].mean(axis=0), _shape(area)) for area in areas])
    return ImageBag(instances, labels.reshape(rows, columns))


def _pixels(image: Any) -> np.ndarray:
    """Red, green and blue from 0 to 1, in whole blocks."""
    values = np.asarray(image)
    if values.ndim == 2:
        values = np.repeat(values[:, :, np.newaxis], 3, axis=2)
    if values.ndim != 3 or values.shape[2] != 3:
        raise ValueError(f"image has the shape {values.shape}; it must be (height, width) or (height, width, 3)")
    whole = np.issubdtype(values.dtype, np.integer)
    most = 255 if whole else 1.0
    values = values.astype(np.float64)
    if not (np.isfinite(values).all() and values.min(initial=0.0) >= 0 and values.max(initial=0.0) <= most):
        raise ValueError(f"image must hold numbers from 0 to {most}; scale it")
    height, width = (length - length % BLOCK for length in values.shape[:2])
    if height == 0 or width == 0:
        raise ValueError(f"image has {values.shape[0]} x {values.shape[1]} pixels; one block needs {BLOCK} x {BLOCK}")
    return values[:height, :width] / most


def _luv(rgb: np.ndarray) -> np.ndarray:
    """CIE 1976 L*u*v*, L from 0 to 100."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = linear @ _XYZ.T
    y = xyz[..., 1] / _WHITE[1]
    lightness = np.where(y > (6 / 29) ** 3, 116 * np.cbrt(y) - 16, (29 / 3) ** 3 * y)
    weights = np.array([1.0, 15.0, 3.0])
    total, white = xyz @ weights, _WHITE @ weights
    shares = [
        np.divide(factor * xyz[..., c], total, out=np.full(y.shape, factor * _WHITE[c] / white), where=total > 0)
        - factor * _WHITE[c] / white
        for c, factor in ((0, 4.0), (1, 9.0))
    ]
    return np.stack([lightness, 13 * lightness * shares[0], 13 * lightness * shares[1]], axis=-1)


def _filtered(values: np.ndarray, taps: np.ndarray, axis: int) -> np.ndarray:
    """Every second value of a filter along an axis that closes to a ring."""
    shifted = [np.roll(values, -k, axis=axis) for k in range(len(taps))]
    total = sum(tap * part for tap, part in zip(taps, shifted))
    return total[::2] if axis == 0 else total[:, ::2]


def _block_features(luv: np.ndarray) -> np.ndarray:
    """Means of L, U and V, and roots of the energies in the bands HL, LH and HH, of every block.

    The paper's formula of the energy sums four coefficients though one of its indices is misprinted to begin at 1.
    """
    height, width = luv.shape[:2]
    means = luv.reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK, 3).mean(axis=(1, 3))
    low, high = (_filtered(luv[..., 0], taps, 1) for taps in (_LOW, _HIGH))
    # HL: high along the rows, which upright stripes excite.
    bands = [_filtered(high, _LOW, 0), _filtered(low, _HIGH, 0), _filtered(high, _HIGH, 0)]
    energies = [np.sqrt((band**2).reshape(height // BLOCK, 2, width // BLOCK, 2).mean(axis=(1, 3))) for band in bands]
    return np.dstack([means, *energies])


def _clusters(rows: np.ndarray, distortion: float, most: int, rng: np.random.RandomState) -> np.ndarray:
    """Labels of as few clusters as leave no more than a share of the squared deviations."""
    total = float(((rows - rows.mean(axis=0)) ** 2).sum())
    labels = np.zeros(len(rows), np.int64)
    if total <= 1e-12 * max(float((rows**2).sum()), 1.0):
        return labels
    for k in range(2, min(most, len(np.unique(rows, axis=0))) + 1):
        found = KMeans(k, n_init=2, random_state=rng).fit(rows)
        labels = found.labels_
        if found.inertia_ <= distortion * total:
            break
    return np.unique(labels, return_inverse=True)[1]


def _shape(region: np.ndarray) -> np.ndarray:
    """Normalized inertia of orders 1, 2 and 3 of the pixels of a region's blocks, as multiples of a circle's.

    A disc of area V has the inertia of order g: the integral of r^g, 2 pi R^(g+2) / (g+2), over V^(1 + g/2), which is
    2 / ((g+2) pi^(g/2)).
    """
    places = np.argwhere(np.kron(region, np.ones((BLOCK, BLOCK), bool)))
    radii = np.linalg.norm(places - places.mean(axis=0), axis=1)
    orders = np.array([1.0, 2.0, 3.0])
    inertia = (radii[:, np.newaxis] ** orders).sum(axis=0) / len(places) ** (1 + orders / 2)
    return inertia / (2.0 / ((orders + 2) * np.pi ** (orders / 2)))
