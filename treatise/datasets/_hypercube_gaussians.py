"""Gaussians on the vertices of a hypercube, one class each (Choromanska, 2014, Section 4.5)."""

import numpy as np
from sklearn.utils import check_random_state


def make_hypercube_gaussians(
    n_classes: int,
    n_per_class: int = 200,
    *,
    spread: float = 0.1,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Classes that are spherical Gaussians around the vertices of a hypercube of side 1.

    The thesis gives neither the spread nor the number of examples; with the spread of 0.1 the classes hardly overlap.

    Parameters
    ----------
    n_classes : int
        Number of classes, from 2 on; the cube has as many dimensions as it takes to give each a vertex.
    n_per_class : int, default=200
        Examples of each class.
    spread : float, default=0.1
        Standard deviation of a coordinate.
    random_state : int, RandomState instance or None, default=None
        Of the examples.

    Returns
    -------
    X : ndarray of shape (n_classes * n_per_class, n_dimensions)
        The examples, in random order.
    y : ndarray of int
        Their classes, the numbers whose binary digits are the vertices.

    Examples
    --------
    >>> from treatise.datasets import make_hypercube_gaussians
    >>> X, y = make_hypercube_gaussians(64, 10, random_state=0)
    >>> X.shape
    (640, 6)
    """
    if n_classes < 2:
        raise ValueError(f"n_classes={n_classes}; there must be 2 at least")
    rng = check_random_state(random_state)
    n_dimensions = int(np.ceil(np.log2(n_classes)))
    y = rng.permutation(np.repeat(np.arange(n_classes), n_per_class))
    vertices = (y[:, None] >> np.arange(n_dimensions)) & 1
    return vertices + spread * rng.normal(size=vertices.shape), y
