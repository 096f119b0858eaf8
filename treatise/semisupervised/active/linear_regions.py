"""Which pairs a linear ranking may soon turn round (paper v15-0885, Section 6.1.2)."""

import numpy as np
from scipy.optimize import linprog

SLACK = 1e-9
"""Distance from a side below which a cell is taken to be empty, in units of the differences."""


def disagreement_layers(features, coef, n_layers=1):
    """Pairs of items by how many others must turn round before them when the direction of a linear ranking changes.

    The pairs of layer 0 can be turned round alone: their planes bound the cell of directions that rank alike. Without
    these, the next are layer 1, and so on. Small balls around a ranking disagree on the first layers only.

    A linear program for each pair and layer: O(n^2) programs in p variables, for some tens of items.

    Parameters
    ----------
    features : array-like of shape (n_items, n_features)
        Features of the items.
    coef : array-like of shape (n_features,)
        Direction along which they are ranked.
    n_layers : int, default=1
        Layers to peel off.

    Returns
    -------
    list of ndarray of int of shape (n, 2)
        Pairs of each layer, the item ranked first in front. Pairs of equal features are in none.

    Examples
    --------
    >>> from treatise.semisupervised import disagreement_layers
    >>> features = [[3, 0], [2, 2], [0, 1]]
    >>> [layer.tolist() for layer in disagreement_layers(features, [1, 0.1], n_layers=2)]
    [[[0, 1], [1, 2]], [[0, 2]]]

    References
    ----------
    .. [1] Paper v15-0885, Section 6.1.2.
    """
    X, w = np.asarray(features, np.float64), np.asarray(coef, np.float64)
    if X.ndim != 2 or w.shape != X.shape[1:]:
        raise ValueError(f"coef must have one number for each column of features, got {w.shape} and {X.shape}")
    first, second = np.triu_indices(len(X), 1)
    turned = X[first] @ w < X[second] @ w
    pairs = np.column_stack([np.where(turned, second, first), np.where(turned, first, second)])
    planes = X[pairs[:, 0]] - X[pairs[:, 1]]
    size = np.linalg.norm(planes, axis=1)
    pairs, planes = pairs[size > 0], planes[size > 0] / size[size > 0, np.newaxis]
    layers = []
    while len(layers) < n_layers and len(pairs):
        bounds = np.array([_bounds_the_cell(planes, number) for number in range(len(planes))])
        layers.append(pairs[bounds])
        pairs, planes = pairs[~bounds], planes[~bounds]
    return layers


def _bounds_the_cell(planes, number):
    """Whether some direction turns round this pair, and those of the same plane, and no other."""
    plane = planes[number]
    apart = np.abs(planes @ plane) < 1.0 - 1e-12
    # Maximise t where the others keep a distance of t from their planes, on their side, and this one is crossed by t.
    sides = np.vstack([planes[apart], -plane])
    d = planes.shape[1]
    found = linprog(
        np.append(np.zeros(d), -1.0),
        A_ub=np.column_stack([-sides, np.ones(len(sides))]),
        b_ub=np.zeros(len(sides)),
        bounds=[(-1.0, 1.0)] * d + [(None, 1.0)],
    )
    return bool(-found.fun > SLACK)
