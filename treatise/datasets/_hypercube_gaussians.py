"""Gaussians on the vertices of a hypercube, one class each (Choromanska, 2014, Section 4.5)."""

import numpy as np
from sklearn.utils import check_random_state


def make_hypercube_gaussians(
    n_classes: int,
    n_per_class: int = 200,
    *,
    spread: float = 0.1,
    n_dimensions: int | None = None,
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
    n_dimensions : int or None, default=None
        Of the cube; None is the fewest that give each class a vertex. In a larger one classes are at vertices drawn
        at random, and more ways to cut them in two are linear.
    random_state : int, RandomState instance or None, default=None
        Of the examples.

    Returns
    -------
    X : ndarray of shape (n_classes * n_per_class, n_dimensions)
        The examples, in random order.
    y : ndarray of int
        Their classes; in the smallest cube these are the numbers whose binary digits are the vertices.

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
    fewest = int(np.ceil(np.log2(n_classes)))
    if n_dimensions is not None and n_dimensions < fewest:
        raise ValueError(f"a cube of n_dimensions={n_dimensions} has no {n_classes} vertices; {fewest} are needed")
    y = rng.permutation(np.repeat(np.arange(n_classes), n_per_class))
    if n_dimensions is None:
        vertices = (np.arange(n_classes)[:, None] >> np.arange(fewest)) & 1
    else:
        vertices = _random_vertices(n_classes, n_dimensions, rng)
    return vertices[y] + spread * rng.normal(size=(len(y), vertices.shape[1])), y


def _random_vertices(n_classes: int, n_dimensions: int, rng: np.random.RandomState) -> np.ndarray:
    """Distinct vertices of the cube, in the order of their drawing."""
    vertices = rng.randint(2, size=(n_classes, n_dimensions))
    while len(first := np.unique(vertices, axis=0, return_index=True)[1]) < n_classes:
        more = rng.randint(2, size=(n_classes - len(first), n_dimensions))
        vertices = np.vstack([vertices[np.sort(first)], more])
    return vertices
