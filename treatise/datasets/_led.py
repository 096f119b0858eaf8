"""Digits on a display of seven lights, some of which are wrong."""

import numpy as np
from sklearn.utils import check_random_state

# Lights from the top: top, upper left, upper right, middle, lower left, lower right, bottom.
_DIGITS = ("1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010", "1111111", "1111011")


def make_led(
    n_samples: int = 1000,
    *,
    noise: float = 0.1,
    n_irrelevant: int = 17,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Ten digits as seven lights, each wrong with some chance, and lights that mean nothing (LED24).

    No classifier has a smaller error than 0.26 at a noise of 0.1.

    Parameters
    ----------
    n_samples : int, default=1000
        Rows.
    noise : float, default=0.1
        Chance of each light to be wrong.
    n_irrelevant : int, default=17
        Lights that are on or off at random.
    random_state : int, RandomState instance or None, default=None
        Source of the draws.

    Returns
    -------
    X : ndarray of shape (n_samples, 7 + n_irrelevant)
        Zeros and ones.
    y : ndarray of int of shape (n_samples,)
        The digits.

    Examples
    --------
    >>> from treatise.datasets import make_led
    >>> X, y = make_led(3, noise=0.0, n_irrelevant=0, random_state=0)
    >>> X.astype(int), y
    (array([[1, 1, 0, 1, 0, 1, 1],
           [1, 1, 1, 0, 1, 1, 1],
           [1, 0, 1, 1, 0, 1, 1]]), array([5, 0, 3]))
    """
    if not 0 <= noise <= 1:
        raise ValueError(f"noise={noise} is a chance; it must lie between 0 and 1")
    rng = check_random_state(random_state)
    lights = np.array([[int(light) for light in digit] for digit in _DIGITS])
    y = rng.randint(0, 10, n_samples)
    wrong = rng.rand(n_samples, 7) < noise
    shown = lights[y] ^ wrong
    return np.hstack([shown, rng.randint(0, 2, (n_samples, n_irrelevant))]).astype(np.float64), y
