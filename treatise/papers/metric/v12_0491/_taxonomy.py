"""Objects in a tree of classes, described by several kernels, and the comparisons that follow from the tree."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state


def taxonomy_comparisons(
    labels: np.ndarray, parents: np.ndarray, *, random_state: int | np.random.RandomState | None = None
) -> np.ndarray:
    """For every object one comparison with each way of being one step farther in the tree than another object.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Class of each object.
    parents : array-like of shape (n_classes,)
        Group of each class. Objects are 0 apart in one class, 1 in one group, 2 else.
    random_state : int, RandomState or None, default=None
        Which partner is taken.

    Returns
    -------
    comparisons : ndarray of shape (n_comparisons, 4)
        Rows (i, j, i, k): for each ordered pair (i, j) at steps 0 or 1 an object k one step farther from i.
    """
    labels, parents = np.asarray(labels), np.asarray(parents)
    groups = parents[labels]
    steps = np.where(labels[:, None] == labels, 0, np.where(groups[:, None] == groups, 1, 2))
    rng = check_random_state(random_state)
    rows = []
    for i, step in enumerate(steps):
        for apart in (0, 1):
            farther = np.flatnonzero(step == apart + 1)
            nearer = np.flatnonzero((step == apart) & (np.arange(len(step)) != i))
            if len(farther):
                rows += [(i, j, i, rng.choice(farther)) for j in nearer]
    return np.array(rows)


def make_taxonomy(
    *, n_noise: int = 5, random_state: int | np.random.RandomState | None = None
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Ten classes of twenty in two groups: one kernel tells the groups, one the class within them, the rest nothing.

    Parameters
    ----------
    n_noise : int, default=5
        Number of noise kernels: scalar products of random points of the unit sphere in three dimensions.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    kernels : list of ndarray of shape (200, 200)
        Gram matrices with unit diagonals, the two informative ones first.
    labels : ndarray of shape (200,)
        Class of each object, 0 to 9.
    parents : ndarray of shape (10,)
        Group of each class, 0 or 1.

    Examples
    --------
    >>> from treatise.papers.metric.v12_0491._taxonomy import make_taxonomy
    >>> kernels, labels, parents = make_taxonomy(random_state=0)
    >>> len(kernels), kernels[0].shape, parents.tolist()
    (7, (200, 200), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    """
    rng = check_random_state(random_state)
    labels, parents = np.repeat(np.arange(10), 20), np.arange(10) // 5
    group = rng.normal(size=(200, 4))
    group[:, 0] += np.where(parents[labels] == 0, 1.5, -1.5)
    centres = 2.0 * rng.normal(size=(5, 6))
    within = centres[labels % 5] + rng.normal(size=(200, 6))
    kernels = [median_gaussian(group), median_gaussian(within)]
    return kernels + sphere_kernels(200, n_noise, rng), labels, parents


def load_digit_taxonomy(
    *, n_noise: int = 5, random_state: int | np.random.RandomState | None = None
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Twenty images of each handwritten digit, described five ways, with noise kernels, in a made-up tree.

    Parameters
    ----------
    n_noise : int, default=5
        Number of noise kernels.
    random_state : int, RandomState or None, default=None
        Which images.

    Returns
    -------
    kernels : list of ndarray of shape (200, 200)
        Scalar products of the images of unit length; Gaussian kernels of their row sums, column sums, sums over
        diagonals and histograms of grey levels; then the noise.
    labels : ndarray of shape (200,)
        The digits.
    parents : ndarray of shape (10,)
        Group of each digit: round ones (0, 6, 8, 9), straight ones (1, 4, 7), open curves (2, 3, 5).
    """
    rng = check_random_state(random_state)
    X, y = load_digits(return_X_y=True)
    rows = np.concatenate([rng.choice(np.flatnonzero(y == digit), 20, replace=False) for digit in range(10)])
    images = X[rows].reshape(-1, 8, 8)
    flat = X[rows] / np.linalg.norm(X[rows], axis=1, keepdims=True)
    diagonals = np.stack([np.trace(images, offset, axis1=1, axis2=2) for offset in range(-7, 8)], axis=1)
    levels = np.stack([np.bincount(image.astype(int).ravel(), minlength=17) for image in images])
    kernels = [flat @ flat.T]
    kernels += [median_gaussian(A) for A in (images.sum(axis=2), images.sum(axis=1), diagonals, levels)]
    return kernels + sphere_kernels(200, n_noise, rng), y[rows], np.array([0, 1, 2, 2, 1, 2, 0, 1, 0, 0])


def median_gaussian(X: np.ndarray) -> np.ndarray:
    """Gaussian kernel with the median squared distance for its width."""
    squared = euclidean_distances(X, squared=True)
    return np.exp(-squared / np.median(squared[np.triu_indices(len(X), 1)]))


def sphere_kernels(n: int, count: int, rng: np.random.RandomState) -> list[np.ndarray]:
    """Scalar products of random points of the unit sphere in three dimensions."""
    points = rng.normal(size=(count, n, 3))
    points /= np.linalg.norm(points, axis=2, keepdims=True)
    return [P @ P.T for P in points]
