"""Tables of Choromanska's thesis: liver disorders, spam, handwritten digits, and Gaussians far apart."""

import gzip

import numpy as np
from sklearn.utils import check_random_state

from treatise.datasets._home import locate


def load_bupa() -> tuple[np.ndarray, np.ndarray]:
    """Liver disorders (BUPA): five blood tests and the drinks a day.

    Returns
    -------
    X : ndarray of shape (345, 6)
        The tests and the drinks.
    y : ndarray of shape (345,)
        1 or 2, the two parts of the table.
    """
    table = np.loadtxt(locate("keel/bupa.dat"), delimiter=",")
    return table[:, :-1], table[:, -1].astype(int)


def load_spambase() -> tuple[np.ndarray, np.ndarray]:
    """Electronic mails in the order of the collection, the unwanted ones first.

    Returns
    -------
    X : ndarray of shape (4597, 57)
        Frequencies of words and characters in per cent, and lengths of runs of capital letters.
    y : ndarray of shape (4597,)
        1 for an unwanted mail, else 0.
    """
    table = np.loadtxt(locate("keel/spambase.dat"), delimiter=",")
    return table[:, :-1], table[:, -1].astype(int)


def load_mnist_test() -> tuple[np.ndarray, np.ndarray]:
    """The test images of MNIST, handwritten digits of 28 x 28 pixels.

    Returns
    -------
    X : ndarray of shape (10000, 784)
        Grey levels from 0 to 1.
    y : ndarray of shape (10000,)
        The digits.
    """
    with gzip.open(locate("images/t10k-images-idx3-ubyte.gz")) as stream:
        pixels = np.frombuffer(stream.read(), dtype=np.uint8, offset=16)
    labels = np.frombuffer(locate("images/t10k-labels-idx1-ubyte").read_bytes(), dtype=np.uint8, offset=8)
    return pixels.reshape(-1, 784) / 255.0, labels.astype(int)


def make_separated_gaussians(
    n_samples: int = 1000,
    *,
    n_centers: int = 25,
    n_features: int = 15,
    side: float = 500.0,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Gaussians of unit variance around centres drawn in a cube, the usual hard start for k-means.

    Parameters
    ----------
    n_samples : int, default=1000
        Rows, in random order.
    n_centers, n_features : int, default=25 and 15
        Size of the mixture.
    side : float, default=500.0
        Of the cube.
    random_state : int, RandomState instance or None, default=None
        Of centres and rows.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    y : ndarray of shape (n_samples,)
        Number of the centre of each.

    Examples
    --------
    >>> from treatise.datasets import make_separated_gaussians
    >>> X, y = make_separated_gaussians(random_state=0)
    >>> X.shape, len(set(y))
    ((1000, 15), 25)

    References
    ----------
    .. [1] D. Arthur and S. Vassilvitskii, k-means++: the advantages of careful seeding, SODA 2007, "Norm25".
    """
    rng = check_random_state(random_state)
    centers = side * rng.random_sample((n_centers, n_features))
    y = rng.randint(n_centers, size=n_samples)
    return centers[y] + rng.normal(size=(n_samples, n_features)), y
