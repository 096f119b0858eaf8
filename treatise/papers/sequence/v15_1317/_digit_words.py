"""Words whose letters are scanned digits."""

import numpy as np
from sklearn.datasets import load_digits


def make_digit_words(
    n_words: int, *, length: int = 6, noise: float = 0.45, random_state: int = 0
) -> tuple[list[np.ndarray], list[list[str]]]:
    """Words of digits: blurred scans of digits that follow one another by a sparse rule.

    After each pair of digits only two digits are possible, equally likely; which two is drawn once for each pair, and
    is the same for all seeds. A word begins with any two digits. Each digit is a random scan of it (8 x 8 pixels from
    0 to 1) with normal noise on every pixel.

    Parameters
    ----------
    n_words : int
        Number of words.
    length : int, default=6
        Digits in each.
    noise : float, default=0.45
        Standard deviation of the noise.
    random_state : int, default=0
        Seed of the words.

    Returns
    -------
    images : list of ndarray of shape (length, 64)
    digits : list of lists of str
    """
    following = np.array([np.random.default_rng([1317, pair]).choice(10, 2, replace=False) for pair in range(100)])
    rng = np.random.default_rng(random_state)
    scans, names = load_digits(return_X_y=True)
    of_digit = [np.flatnonzero(names == digit) for digit in range(10)]
    images, digits = [], []
    for _ in range(n_words):
        word = rng.integers(0, 10, 2).tolist()
        while len(word) < length:
            word.append(int(following[10 * word[-2] + word[-1], rng.integers(2)]))
        chosen = [rng.choice(of_digit[digit]) for digit in word[:length]]
        images.append(scans[chosen] / 16.0 + rng.normal(scale=noise, size=(length, 64)))
        digits.append([str(digit) for digit in word[:length]])
    return images, digits
