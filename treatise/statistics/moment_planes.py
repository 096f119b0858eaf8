"""The planes that trade the worst-case accuracy of one class for that of another (JMLR 5:1253, Section 2).

For a plane a'z = b with a'd = 1, d the difference of the two means, let s1 and s2 be the standard deviations of a'z in
the classes, and k1, k2 the distances of the plane from their means in those deviations. Every plane that cannot be
bettered for one class without loss to the other has

    a = A^-1 d / d'A^-1 d,    A = sin(f) S1 + cos(f) S2,    k1 = sin(f) s1 q,    k2 = cos(f) s2 q,    q = d'A^-1 d,

which is the stationarity condition of Equations (12)-(13); the angle f is the only unknown. The paper walks this curve
with gradient projections; here one generalised eigendecomposition makes every point of it cost O(p).
"""

import math

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq, minimize_scalar

from treatise.statistics.half_spaces import accuracy_of_distance, distance_of_accuracy

RIDGE = 1e-8
"""Added to the covariances, as a share of each feature's variance, to make them positive definite (Section 2.4.1)."""
_NO_DIFFERENCE = 1e-10
_RIGHT = 0.5 * math.pi
# Angles where one class's share of A exceeds the other's by up to exp(20): finer than any ratio that the ridge allows.
_INNER = np.concatenate([[0.0], np.arctan(np.exp(np.linspace(-20.0, 20.0, 801))), [_RIGHT]])
# Shares of the way from a quarter turn's end to where A ceases to be positive definite.
_OUTER = np.concatenate([np.linspace(0.01, 0.99, 99), 1.0 - np.geomspace(1e-2, 1e-6, 41)[1:]])


class TradeOff:
    """The curve of best planes between two classes.

    Parameters
    ----------
    means : ndarray of shape (2, p)
        Of the second class and of the first: a plane's normal points to the former.
    covariances : ndarray of shape (2, p, p)
        In the same order.
    radii : ndarray of shape (2,)
        How far each mean may be off, in deviations (nu of Section 3): taken off the distances.
    distribution : {"any", "gaussian"}
        What is known of the classes besides the moments.
    """

    def __init__(self, means, covariances, radii, distribution):
        spread = np.sqrt(np.diagonal(covariances[0]) + np.diagonal(covariances[1]))
        # A feature that does not vary still has a size; below it differences are rounding errors.
        spread = np.maximum(spread, 1e-7 * np.abs(means).sum(axis=0))
        self.scale = np.where(spread > 0.0, spread, 1.0)
        both = self.scale * self.scale[:, np.newaxis]
        ridge = 0.5 * RIDGE * np.eye(len(spread))
        first, second = (covariance / both + ridge for covariance in covariances)
        share, self.basis = eigh(first, first + second)
        self.share = np.clip(share, 1e-12, 1.0 - 1e-12)  # of the first class in the pooled variance along each axis
        self.difference = self.basis.T @ ((means[0] - means[1]) / self.scale)
        self.radii, self.distribution = radii, distribution
        if np.linalg.norm(self.difference) < _NO_DIFFERENCE:
            raise ValueError(
                "the means of the two classes coincide; a rule from means and covariances needs them to differ: "
                "add features in which they do, or use a kernel in whose space they do"
            )

    def distances(self, angles):
        """Deviations of the two means from the plane at each angle, mean radii included; shape (2, len(angles))."""
        sine, cosine = np.sin(angles), np.cos(angles)
        diagonal = np.outer(sine, self.share) + np.outer(cosine, 1.0 - self.share)
        along = np.square(self.difference / diagonal)
        deviations = np.sqrt([along @ self.share, along @ (1.0 - self.share)])  # times q
        return np.stack([sine * deviations[0], cosine * deviations[1]])

    def accuracies(self, angles):
        """Worst-case accuracies of the two classes at each angle."""
        return accuracy_of_distance(self.distances(angles) - self.radii[:, np.newaxis], self.distribution)

    def angles(self):
        """Angles that cover the curve.

        A plane on the far side of a mean has a negative distance from it. That promises nothing without more knowledge,
        but is half of the answer for Gaussian classes; A then stays positive definite up to the outer angles.
        """
        if self.distribution == "any":
            return _INNER
        size = np.abs(self.difference)
        matters = size > 1e-9 * size.max()  # the plane never tilts towards an axis along which the means agree
        axes = np.arctan2(self.share[matters], 1.0 - self.share[matters])
        below, above = _RIGHT - axes.max(), axes.min()
        return np.concatenate([-below * _OUTER[::-1], _INNER, _RIGHT + above * _OUTER])

    def balanced(self):
        """Angle at which both classes are promised the same (the minimax probability machine)."""

        def excess(angle):
            first, second = self.distances([angle])[:, 0] - self.radii
            return first - second

        if excess(0.0) >= 0.0:
            return 0.0
        if excess(_RIGHT) <= 0.0:
            return _RIGHT
        return brentq(excess, 0.0, _RIGHT, xtol=1e-15)

    def floored(self, which, accuracy):
        """Angle that is best for one class while class ``which`` (0 or 1) keeps an accuracy (the biased machine)."""
        needed = float(distance_of_accuracy(accuracy, self.distribution)) + self.radii[which]
        ends = self.angles()[[0, -1]]
        reach = self.distances(ends)[which]
        rounding = 1e-12 * np.ptp(reach)
        if needed > reach.max() + rounding:
            most = float(accuracy_of_distance(reach.max() - self.radii[which], self.distribution))
            raise ValueError(f"an accuracy of {accuracy:g} cannot be guaranteed; at most {most:.6g} can")
        if needed >= reach.max() - rounding:
            return float(ends[np.argmax(reach)])
        if needed <= reach.min() + rounding:
            return float(ends[np.argmin(reach)])
        return brentq(lambda angle: self.distances([angle])[which, 0] - needed, *ends, xtol=1e-15)

    def least_error(self, priors):
        """Angle of the largest expected worst-case accuracy, over the whole curve: it may have several peaks."""
        angles = self.angles()
        best = int(np.argmax(priors @ self.accuracies(angles)))
        around = angles[max(best - 1, 0)], angles[min(best + 1, len(angles) - 1)]

        def promised(angle):
            return float(priors @ self.accuracies([angle])[:, 0])

        options = {"xatol": 1e-13}
        found = minimize_scalar(lambda angle: -promised(angle), bounds=around, method="bounded", options=options)
        return max(float(found.x), float(angles[best]), key=promised)

    def plane(self, angle):
        """Normal of the plane at an angle, scaled to a'd = 1, and the share of the ridge in either class's variance."""
        diagonal = math.sin(angle) * self.share + math.cos(angle) * (1.0 - self.share)
        along = self.difference / diagonal
        along /= along @ self.difference
        normal = self.basis @ along
        variances = np.array([np.square(along) @ self.share, np.square(along) @ (1.0 - self.share)])
        return normal / self.scale, 0.5 * RIDGE * (normal @ normal) / variances
