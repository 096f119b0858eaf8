"""Rows of an image: square patches with their mean colours and texture."""

from numbers import Integral
from typing import NamedTuple

import numpy as np


class ImagePatches(NamedTuple):
    """Patches of an image as rows with places."""

    features: np.ndarray
    """Mean of each channel; with texture, logarithms of the grey level's deviation and mean steps down and across."""
    locations: np.ndarray
    """Row and column of each patch's centre, in pixels."""
    shape: tuple[int, int]
    """Patches down and across."""


def image_patches(image, size=8, *, texture=True):
    """Cuts an image into square patches, the rows that :class:`LogisticStickBreaking` segments.

    Pixels beyond the last whole patch are left out. Any other division (superpixels) does as well, with features and
    centres of your own.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, n_channels)
        Grey levels or colours.
    size : int, default=8
        Side of a patch in pixels.
    texture : bool, default=True
        Whether to add logarithms of three measures of the grey level within a patch: its standard deviation, and its
        mean absolute steps from pixel to pixel down and across. Needs patches of two pixels or more.

    Returns
    -------
    ImagePatches
        ``features``, ``locations`` and ``shape``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import image_patches
    >>> image = np.zeros((16, 24))
    >>> image[:, 12:] = 1.0
    >>> patches = image_patches(image, 4, texture=False)
    >>> patches.features.reshape(patches.shape)[0]
    array([0., 0., 0., 1., 1., 1.])
    """
    image = np.asarray(image, dtype=np.float64)
    if image.ndim not in (2, 3):
        raise ValueError(f"image has {image.ndim} dimensions; it needs height and width, and may have channels")
    if not np.isfinite(image).all():
        raise ValueError("image holds NaN or infinite values; fill them in first")
    least = 2 if texture else 1
    if not isinstance(size, Integral) or not least <= size <= min(image.shape[:2]):
        raise ValueError(
            f"size={size!r} must be a whole number of pixels from {least} to {min(image.shape[:2])}, the image's "
            "shorter side"
        )
    down, across = image.shape[0] // size, image.shape[1] // size
    image = image[: down * size, : across * size].reshape(down, size, across, size, -1).swapaxes(1, 2)
    features = [image.mean(axis=(2, 3)).reshape(down * across, -1)]
    if texture:
        grey = image.mean(axis=4)
        steps = [grey.std(axis=(2, 3)), *(np.abs(np.diff(grey, axis=axis)).mean(axis=(2, 3)) for axis in (2, 3))]
        # A patch of one colour has a finite logarithm too: that of a thousandth of the usual.
        features += [np.log(own + max(1e-3 * own.mean(), 1e-12)).reshape(-1, 1) for own in steps]
    places = np.indices((down, across)).reshape(2, -1).T * size + 0.5 * (size - 1)
    return ImagePatches(np.hstack(features), places, (down, across))
