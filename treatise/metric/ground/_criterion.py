"""The criterion of ground metric learning: near neighbours alike, unlike ones far (Cuturi & Avis, JMLR 15:533)."""

import numpy as np

from treatise.optimize import PairTransport


class NeighbourCosts:
    """Sum, over all points, of weights times distances to the k nearest of their partners (Algorithm 1).

    With positive weights that is S+, concave in the metric, with negative ones S-, convex.

    Parameters
    ----------
    histograms : ndarray of shape (n, d)
        Points.
    weights : ndarray of shape (n, n)
        Symmetric; partners are pairs of weight other than zero.
    n_neighbors : int
        How many partners of a point count; fewer where it has fewer.
    """

    def __init__(self, histograms, weights, n_neighbors):
        self.left, self.right = np.nonzero(np.triu(weights, 1))
        self.weights = weights
        self.n_points, self.n_neighbors = len(histograms), n_neighbors
        self.transport = PairTransport(histograms, histograms, self.left, self.right)

    def value_and_gradient(self, metric):
        """The sum, and a gradient in the symmetric matrix: an optimal plan is one of the distance (Section 3.2)."""
        pairs, weights = self._nearest(self.transport.solve(metric))
        plans = self.transport.sum_of_plans(pairs, weights)
        return float(weights @ self.transport.values[pairs]), (plans + plans.T) / 2.0

    def value(self, metric):
        """The sum alone."""
        pairs, weights = self._nearest(self.transport.solve(metric))
        return float(weights @ self.transport.values[pairs])

    def neighbours(self, distances):
        """Pairs of the nearest partners of every point, one after the other, and whose neighbours they are."""
        points = np.concatenate([self.left, self.right])
        pairs = np.tile(np.arange(len(self.left)), 2)
        order = np.lexsort((np.concatenate([self.right, self.left]), distances[pairs], points))
        points, pairs = points[order], pairs[order]
        place = np.arange(len(points)) - np.searchsorted(points, points)
        return pairs[place < self.n_neighbors], points[place < self.n_neighbors]

    def _nearest(self, distances):
        pairs, _ = self.neighbours(distances)
        return pairs, self.weights[self.left[pairs], self.right[pairs]]


def weights_of_labels(codes, n_neighbors):
    """Section 3.1: 1 / (n k) for points of one class, as much less than nothing for others."""
    alike = codes[:, np.newaxis] == codes
    return np.where(alike, 1.0, -1.0) / (len(codes) * n_neighbors)
