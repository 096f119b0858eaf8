"""Pictures as fields of labels: grid neighbours, denoising and stereo matching (Kumar, Veksler & Torr, section 7)."""

import math
from numbers import Integral

import numpy as np

from treatise.graphical.range_moves.moves import RangeMoves


def grid_edges(shape, connectivity=4):
    """Pairs of neighbouring pixels, numbered row by row: right and left, then below, then diagonal ones.

    Parameters
    ----------
    shape : tuple of two int
        Rows and columns.
    connectivity : {4, 8}, default=4
        Neighbours of a pixel; 8 counts diagonal ones.

    Examples
    --------
    >>> from treatise.graphical import grid_edges
    >>> grid_edges((2, 2)).tolist()
    [[0, 1], [2, 3], [0, 2], [1, 3]]
    """
    if len(shape) != 2 or not all(isinstance(length, Integral) and length >= 1 for length in shape):
        raise ValueError(f"shape={shape} is no grid; it must be whole numbers of rows and columns, one at least")
    rows, columns = shape
    if connectivity not in (4, 8):
        raise ValueError(f"connectivity={connectivity} must be 4 or 8")
    pixel = np.arange(rows * columns).reshape(rows, columns)
    pairs = [(pixel[:, :-1], pixel[:, 1:]), (pixel[:-1], pixel[1:])]
    if connectivity == 8:
        pairs += [(pixel[:-1, :-1], pixel[1:, 1:]), (pixel[:-1, 1:], pixel[1:, :-1])]
    return np.concatenate([np.column_stack([one.ravel(), other.ravel()]) for one, other in pairs])


def denoise_image(
    image, *, n_levels=32, weight=1.0, distance="linear", truncation=math.inf, error="squared", method="range_expansion"
):
    """Remove noise from a grey picture, keep its edges, and fill in missing pixels.

    The grey levels between the darkest and the brightest pixel are the labels; a pixel pays for its distance from what
    was seen and, by the truncated distance, for that from its four neighbours. Costs as :class:`RangeMoves` with
    n_levels labels; for pictures beyond a million pixels a filter is the better tool.

    Parameters
    ----------
    image : array-like of shape (rows, columns)
        Grey levels; NaN where a pixel is missing.
    n_levels : int, default=32
        Grey levels of the answer.
    weight : float, default=1.0
        Weight of the neighbours, where all distances are in steps between levels.
    distance, truncation, method
        As for :class:`RangeMoves`. A truncation keeps edges that are higher than it.
    error : {"squared", "absolute"}, default="squared"
        Cost of a grey level for a pixel: "absolute" suits specks, "squared" Gaussian noise.

    Returns
    -------
    picture : ndarray of the shape of image
        Of its type; whole numbers and booleans are rounded.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import denoise_image
    >>> scene = np.kron([[10, 200], [90, 10]], np.ones((8, 8)))
    >>> noisy = scene + np.random.default_rng(0).normal(0, 20, scene.shape)
    >>> clean = denoise_image(noisy, weight=3.0, truncation=4)
    >>> bool(abs(clean - scene).mean() < 0.5 * abs(noisy - scene).mean())
    True
    """
    image = np.asarray(image)
    if image.ndim != 2 or image.size == 0:
        raise ValueError(f"image must have rows and columns of grey levels; its shape is {image.shape}")
    if n_levels < 2:
        raise ValueError(f"n_levels={n_levels} leaves nothing to choose; take at least 2")
    if error not in ("squared", "absolute"):
        raise ValueError(f"error={error!r} is unknown; choose 'squared' or 'absolute'")
    seen = image.astype(float)
    known = ~np.isnan(seen)
    if not known.any() or not np.all(np.isfinite(seen[known])):
        raise ValueError("image holds infinite pixels, or none that is not NaN; give finite grey levels")
    levels = np.linspace(seen[known].min(), seen[known].max(), n_levels)
    step = levels[1] - levels[0]
    if step == 0:
        return np.where(known, seen, levels[0]).astype(image.dtype)
    off = np.abs(seen.reshape(-1, 1) - levels) / step
    unary = np.where(known.reshape(-1, 1), off**2 if error == "squared" else off, 0.0)
    moves = RangeMoves(distance, truncation, method=method)
    picture = levels[moves.minimize(unary, grid_edges(image.shape), weight).labels].reshape(image.shape)
    return (picture if np.issubdtype(image.dtype, np.floating) else np.rint(picture)).astype(image.dtype)


def stereo_disparity(
    left,
    right,
    *,
    n_disparities=16,
    weight=50.0,
    distance="linear",
    truncation=10,
    cost_cap=15.0,
    method="range_expansion",
    interval=None,
):
    """Shift of every pixel of the left picture of a rectified pair: the nearer a thing, the larger it is.

    A pixel pays the Birchfield-Tomasi dissimilarity of what it would match; neighbours pay the truncated distance of
    their disparities. Meant for pictures up to some hundred thousand pixels with tens of disparities: 384 x 288 with
    16 takes seconds to a minute. It does not model occlusion.

    Parameters
    ----------
    left, right : array-like of shape (rows, columns) or (rows, columns, bands)
        The pair, on the scale of 0 to 255.
    n_disparities : int, default=16
        Disparities tried, from 0 on.
    weight : float, default=50.0
        Weight of neighbouring pixels, the paper's.
    distance, truncation, method, interval
        As for :class:`RangeMoves`; the paper has "linear" with 10, and "quadratic" with 100.
    cost_cap : float, default=15.0
        No match costs more in a band, the paper's choice.

    Returns
    -------
    disparity : ndarray of int, of shape (rows, columns)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import stereo_disparity
    >>> scene = np.random.default_rng(0).uniform(0, 255, (12, 40))
    >>> left, right = scene[:, 4:], scene[:, 6:-1]
    >>> left = left[:, :33]
    >>> found = stereo_disparity(left, right, n_disparities=5, weight=5)
    >>> found[:, 4:].min(), found[:, 4:].max()
    (np.int64(2), np.int64(2))

    References
    ----------
    .. [1] Paper v12-0031, section 7.2.
    .. [2] S. Birchfield and C. Tomasi (1998). A pixel dissimilarity measure that is insensitive to image sampling.
       IEEE PAMI 20.
    """
    costs = matching_costs(left, right, n_disparities, cost_cap)
    shape = costs.shape[:2]
    moves = RangeMoves(distance, truncation, method=method, interval=interval)
    return moves.minimize(costs.reshape(-1, n_disparities), grid_edges(shape), weight).labels.reshape(shape)


def matching_costs(left, right, n_disparities, cost_cap=15.0):
    """Birchfield-Tomasi dissimilarity of each pixel of the left picture and the one shifted left in the right picture.

    Between the two pixels the least difference counts that linear interpolation half way to their neighbours allows;
    bands are summed. A shift beyond the border costs the cap. The paper says no more than "truncated at 15"; its
    energies are those of a cap in each of the three bands, to one per cent on two of its three pairs.

    Parameters
    ----------
    left, right : array-like of shape (rows, columns) or (rows, columns, bands)
        The pair, rectified.
    n_disparities : int
        Shifts tried, from 0 on.
    cost_cap : float, default=15.0
        No match costs more in a band.

    Returns
    -------
    costs : ndarray of shape (rows, columns, n_disparities)
    """
    left, right = np.asarray(left, float), np.asarray(right, float)
    if left.shape != right.shape or left.ndim not in (2, 3) or left.size == 0:
        raise ValueError(f"left and right must be pictures of one shape; they have {left.shape} and {right.shape}")
    if not 1 <= n_disparities <= left.shape[1]:
        raise ValueError(f"n_disparities={n_disparities} must lie between 1 and the {left.shape[1]} columns")
    if not cost_cap > 0:
        raise ValueError(f"cost_cap={cost_cap} must be positive")
    if not (np.all(np.isfinite(left)) and np.all(np.isfinite(right))):
        raise ValueError("the pictures hold NaN or infinity; give finite grey levels")
    left, right = np.atleast_3d(left), np.atleast_3d(right)
    (left_low, left_high), (right_low, right_high) = _half_way(left), _half_way(right)
    costs = np.empty((*left.shape[:2], n_disparities))
    for shift in range(n_disparities):
        here, there = slice(shift, None), slice(None, left.shape[1] - shift)
        from_left = np.maximum(left[:, here] - right_high[:, there], right_low[:, there] - left[:, here])
        from_right = np.maximum(right[:, there] - left_high[:, here], left_low[:, here] - right[:, there])
        between = np.clip(np.minimum(from_left, from_right), 0, cost_cap)
        costs[:, :shift, shift] = cost_cap * left.shape[2]
        costs[:, here, shift] = between.sum(axis=2)
    return costs


def _half_way(picture):
    """Least and largest value between half a pixel to the left and half a pixel to the right."""
    wide = np.pad(picture, ((0, 0), (1, 1), (0, 0)), mode="edge")
    before, after = (picture + wide[:, :-2]) / 2, (picture + wide[:, 2:]) / 2
    around = (before, picture, after)
    return np.minimum.reduce(around), np.maximum.reduce(around)
