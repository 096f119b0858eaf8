"""Diverse density: how much a point is near all positive bags and far from all negative instances (equation 3)."""

from typing import Any, Literal, NamedTuple, overload

import numpy as np

from treatise.applications.multiple_instance._density_loops import bag_terms
from treatise.applications.multiple_instance.bags import Bags


class DensityGradient(NamedTuple):
    """Log diverse density, and its derivatives by the point and by the weights."""

    value: float
    by_point: np.ndarray
    by_weights: np.ndarray


class LogDensity:
    """Log diverse density of many points with weights at once, by matrix products.

    The squared distances of all instances to a point are linear in w**2 and w**2 x, and so are their derivatives: four
    products of points x instances x features an evaluation, and never an array of that size.
    """

    def __init__(self, bags: Bags, positive: np.ndarray):
        self.bags, self.positive = bags, positive
        # Distances are between points; around the middle the squares lose the fewest digits.
        self.middle = bags.instances.mean(axis=0)
        self.centred = bags.instances - self.middle
        self.squares = self.centred**2

    def squared_distances(self, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Of every instance to every point, in the metric of the point's weights."""
        x, v = points - self.middle, weights**2
        squared = v @ self.squares.T - 2.0 * (v * x) @ self.centred.T
        squared += (v * x * x).sum(axis=1, keepdims=True)
        return np.maximum(squared, 0.0, out=squared)

    def __call__(self, points: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values, and gradients by the points and by the weights."""
        slopes = self.squared_distances(points, weights)
        values = np.empty(len(points))
        bag_terms(slopes, self.bags.starts, self.positive, values, np.empty((len(points), len(self.bags))))
        x, mass = points - self.middle, slopes.sum(axis=1, keepdims=True)
        first, second = slopes @ self.centred, slopes @ self.squares
        by_points = -2.0 * weights**2 * (first - x * mass)
        by_weights = 2.0 * weights * (second - 2.0 * x * first + x * x * mass)
        return values, by_points, by_weights


def weighted_distances(bags: Bags, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Least distance of each bag's instances to each point, shape (n_bags, n_points); equation (6)."""
    least = np.empty((len(bags), len(points)))
    for k, (point, weight) in enumerate(zip(points, weights)):
        squared = np.square((bags.instances - point) * weight).sum(axis=1)
        least[:, k] = np.minimum.reduceat(squared, bags.starts[:-1])
    return np.sqrt(least)


def bag_features(bags: Any, prototypes: Any, weights: Any) -> np.ndarray:
    """How near each bag comes to each prototype: the least weighted distance of its instances (equation 6).

    Parameters
    ----------
    bags : Bags or sequence of array-like of shape (n_instances, n_features)
        The bags.
    prototypes, weights : array-like of shape (n_prototypes, n_features)
        Points, and the weights of the features around each; their signs do not matter.

    Returns
    -------
    ndarray of shape (n_bags, n_prototypes)

    Examples
    --------
    >>> from treatise.applications import bag_features
    >>> bag_features([[[3.0, 4.0], [9.0, 9.0]]], prototypes=[[0.0, 0.0]], weights=[[1.0, 0.5]]).round(3)
    array([[3.606]])
    """
    read = Bags.from_list(bags)
    points, scales = np.atleast_2d(prototypes).astype(float), np.atleast_2d(weights).astype(float)
    if points.shape != scales.shape or points.shape[1] != read.n_features:
        raise ValueError(
            f"prototypes have the shape {points.shape} and weights {scales.shape}; both must be (n_prototypes, "
            f"{read.n_features}), as the bags have {read.n_features} features"
        )
    return weighted_distances(read, points, scales)


@overload
def diverse_density(
    bags: Any, y: Any, x: Any, w: Any = 1.0, *, log: bool = True, gradient: Literal[False] = False
) -> float: ...


@overload
def diverse_density(
    bags: Any, y: Any, x: Any, w: Any = 1.0, *, log: bool = True, gradient: Literal[True]
) -> DensityGradient: ...


def diverse_density(
    bags: Any, y: Any, x: Any, w: Any = 1.0, *, log: bool = True, gradient: bool = False
) -> float | DensityGradient:
    """Diverse density of a point: near an instance of every positive bag, far from all of every negative one.

    Equation (3) of the paper, noisy-or: with p = exp(-q) of the weighted squared distance q of an instance, a positive
    bag counts 1 minus the product of the 1 - p of its instances, a negative one that product. At an instance of a
    negative bag the density is 0; its logarithm is kept finite there by taking 1 - p as 1e-12 at least. One call costs
    O(instances x features).

    Parameters
    ----------
    bags : Bags or sequence of array-like of shape (n_instances, n_features)
        The bags.
    y : array-like of shape (n_bags,)
        1 or True for positive bags; -1, 0 or False for negative ones.
    x : array-like of shape (n_features,)
        The point.
    w : float or array-like of shape (n_features,), default=1.0
        Weights of the features; the squared distance is the sum of ``w**2 * (instance - x)**2``.
    log : bool, default=True
        Whether to give the logarithm.
    gradient : bool, default=False
        Whether to give the derivatives of the logarithm as well.

    Returns
    -------
    float, or DensityGradient of value, by_point and by_weights

    Examples
    --------
    >>> from treatise.applications import diverse_density
    >>> bags, y = [[[0.0], [5.0]], [[0.1], [-4.0]], [[5.0]]], [1, 1, -1]
    >>> round(diverse_density(bags, y, x=[0.0], log=False), 4), diverse_density(bags, y, x=[5.0], log=False)
    (0.99, 0.0)
    """
    read = Bags.from_list(bags)
    labels = np.asarray(y)
    if labels.shape != (len(read),):
        raise ValueError(f"y has the shape {labels.shape}; there are {len(read)} bags")
    if not np.isin(labels, (-1, 0, 1)).all():
        raise ValueError(
            f"y holds {np.unique(labels).tolist()}; give 1 for positive bags and -1 or 0 for negative ones"
        )
    positive = labels == 1
    point = np.asarray(x, np.float64)
    if point.shape != (read.n_features,):
        raise ValueError(f"x has the shape {point.shape}; the bags have {read.n_features} features")
    weights = np.broadcast_to(np.asarray(w, np.float64), point.shape)
    away = read.instances - point
    squared = np.square(away * weights).sum(axis=1)
    slopes, total = squared[np.newaxis].copy(), np.empty(1)
    bag_terms(slopes, read.starts, positive, total, np.empty((1, len(read))))
    value = float(total[0])
    if not log:
        touched = np.any((squared == 0.0) & ~positive[read.owners])
        value = 0.0 if touched else float(np.exp(value))
    if not gradient:
        return value
    by_point = -2.0 * weights**2 * (slopes[0] @ away)
    by_weights = 2.0 * weights * (slopes[0] @ away**2)
    return DensityGradient(value, by_point, by_weights)
