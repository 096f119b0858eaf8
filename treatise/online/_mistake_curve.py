"""The course of mistakes over a stream of unknown length, in bounded memory."""

import numpy as np

_MOST = 64


def first_points():
    """A curve without points."""
    return np.empty((0, 3), dtype=np.int64)


def extended(points, seen, mistakes, updates, wrong, updated):
    """The curve after further examples.

    A row of ``points`` is a moment: examples, mistakes and updates by then. Moments lie at the multiples of the
    least power of two that leaves at most 64 of them, so that they depend on the length of the stream and not on
    the blocks in which it came. ``seen``, ``mistakes`` and ``updates`` are the totals before the further examples.
    """
    last, spacing = seen + len(wrong), 1
    while last // spacing > _MOST:
        spacing *= 2
    number = np.arange((seen // spacing + 1) * spacing, last + 1, spacing)
    at = number - seen - 1
    fresh = np.column_stack([number, mistakes + np.cumsum(wrong)[at], updates + np.cumsum(updated)[at]])
    return np.vstack([points[points[:, 0] % spacing == 0], fresh])
