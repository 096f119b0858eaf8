"""Numbers that can be squared: what methods with sums of squares ask of a table."""

from typing import Any

import numpy as np
from scipy import sparse

LARGEST_NUMBER = 1e150
"""Sums of squares of smaller numbers are finite."""


def check_magnitudes(values: Any, name: str) -> None:
    """Refuse numbers whose squares overflow, of which fits would learn nothing, or NaN.

    Parameters
    ----------
    values : ndarray or sparse matrix
        Finite numbers.
    name : str
        What they are, for the error.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise._core.magnitudes import check_magnitudes
    >>> check_magnitudes(np.array([1.0, -3e200]), "y")
    Traceback (most recent call last):
    ...
    ValueError: y holds -3e+200, whose square overflows; write it in a larger unit, with values below 1e+150
    """
    held = values.data if sparse.issparse(values) else np.asarray(values)
    if held.size == 0 or max(held.max(), -held.min()) < LARGEST_NUMBER:
        return
    worst = held.ravel()[np.argmax(np.abs(held))]
    raise ValueError(
        f"{name} holds {worst:g}, whose square overflows; write it in a larger unit, with values below "
        f"{LARGEST_NUMBER:g}"
    )
