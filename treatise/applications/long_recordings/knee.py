"""Where a curve bends."""

import numpy as np


def knee(curve):
    """The place of a curve that is farthest from the straight line between its ends.

    Both axes are scaled to length one first, so that units do not matter. A curve of fewer than three places, or one
    that is straight, has its knee at the end.

    Parameters
    ----------
    curve : array-like of shape (n,)
        Values that fall or rise throughout.

    Returns
    -------
    place : int

    Examples
    --------
    >>> from treatise.applications.long_recordings import knee
    >>> knee([10.0, 5.0, 1.0, 0.9, 0.8, 0.7])
    2
    """
    curve = np.asarray(curve, dtype=np.float64)
    span = np.ptp(curve) if len(curve) else 0.0
    if len(curve) < 3 or span == 0.0:
        return len(curve) - 1
    line = np.linspace(curve[0], curve[-1], len(curve))
    off = np.abs(curve - line) / span
    return int(off.argmax()) if off.max() > 1e-9 else len(curve) - 1
