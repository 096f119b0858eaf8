"""Regions of the input space bounded by linear inequalities."""

import numpy as np
from scipy.optimize import linprog
from sklearn.utils import check_random_state

_ROUNDING = 1e-9
"""By how much a point may miss an inequality and still count as inside: what a linear program leaves."""
_FREE = (None, None)


class Polyhedron:
    """The points ``x`` with ``A x <= b``: a box, a half-space, a cone, or any intersection of half-spaces.

    A region without a single point is refused at once, since everything would be true of it.

    Parameters
    ----------
    A : array-like of shape (n_inequalities, n_features)
        One inequality per row.
    b : array-like of shape (n_inequalities,)
        Their right-hand sides.

    Examples
    --------
    >>> from treatise.kernel_methods import Polyhedron
    >>> wedge = Polyhedron([[-1.0, 0.0], [1.0, -1.0]], [0.0, 0.0])
    >>> wedge.contains([[1.0, 2.0], [2.0, 1.0]])
    array([ True, False])
    """

    def __init__(self, A, b):
        self.A = np.atleast_2d(np.asarray(A, dtype=np.float64))
        self.b = np.atleast_1d(np.asarray(b, dtype=np.float64))
        if self.A.ndim != 2 or self.b.shape != self.A.shape[:1] or self.A.size == 0:
            raise ValueError(
                f"a region needs one limit for each inequality; A has shape {self.A.shape} and b {self.b.shape}"
            )
        if not (np.isfinite(self.A).all() and np.isfinite(self.b).all()):
            raise ValueError("the inequalities of a region must be finite; leave a row out where there is no limit")
        if self._extreme(np.zeros(self.n_features)) is None:
            raise ValueError(f"the region is empty: no point satisfies all {len(self.b)} inequalities A x <= b")

    @classmethod
    def box(cls, low, high):
        """The points between two corners.

        Parameters
        ----------
        low, high : array-like of shape (n_features,)
            The corners; infinite where a feature has no limit.

        Returns
        -------
        region : Polyhedron
        """
        low, high = (np.atleast_1d(np.asarray(corner, dtype=np.float64)) for corner in (low, high))
        if low.ndim != 1 or low.shape != high.shape:
            raise ValueError(f"the corners of a box must have as many features; they have {low.shape} and {high.shape}")
        if np.isnan(low).any() or np.isnan(high).any():
            raise ValueError("a corner of the box is not a number")
        if (low > high).any():
            j = int(np.argmax(low > high))
            raise ValueError(f"the box is empty: feature {j} would lie between {low[j]:g} and {high[j]:g}")
        sides = np.eye(len(low))
        below, above = np.isfinite(low), np.isfinite(high)
        if not (below.any() or above.any()):
            raise ValueError("the box has no limits at all, so it is no region")
        return cls(np.vstack([sides[above], -sides[below]]), np.concatenate([high[above], -low[below]]))

    @property
    def n_features(self):
        """Number of coordinates of its points."""
        return self.A.shape[1]

    def contains(self, X):
        """Which rows lie in the region.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        inside : ndarray of bool of shape (n_samples,)
        """
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"X has shape {X.shape}; the region has {self.n_features} features")
        over = X @ self.A.T - self.b
        return (over <= _ROUNDING * (1.0 + np.abs(self.b))).all(axis=1)

    def intersect(self, other):
        """The points of both regions; an error where there are none.

        Parameters
        ----------
        other : Polyhedron
            The other region.

        Returns
        -------
        region : Polyhedron
        """
        if other.n_features != self.n_features:
            raise ValueError(f"regions of {self.n_features} and {other.n_features} features have no common points")
        return Polyhedron(np.vstack([self.A, other.A]), np.concatenate([self.b, other.b]))

    @property
    def bounded(self):
        """Whether the region is finite: no direction leads out of it for ever."""
        sides = np.vstack([np.eye(self.n_features), -np.eye(self.n_features)])
        return all(np.isfinite(extreme).all() for extreme in map(self._extreme, sides))

    def points(self, n_points, *, random_state=None):
        """Points that cover a bounded region: corners first, then mixtures of them.

        Corners come from linear programs in random directions, at most 50 of them, so that flat regions serve as well
        as solid ones; a mixture is of as many corners as span a simplex. The points are not uniform in the region.

        Parameters
        ----------
        n_points : int
            How many.
        random_state : int, RandomState or None, default=None
            Draws directions and mixtures.

        Returns
        -------
        points : ndarray of shape (n_points, n_features)
        """
        if n_points < 1:
            raise ValueError(f"n_points={n_points} must be at least 1")
        if not self.bounded:
            raise ValueError("the region is unbounded, so points cannot cover it; intersect it with a box")
        generator = check_random_state(random_state)
        directions = generator.standard_normal((min(n_points, 50), self.n_features))
        corners = np.array([self._extreme(direction) for direction in directions])
        scale = 1e-9 * max(np.abs(corners).max(), np.finfo(float).tiny)
        corners = corners[np.unique(np.round(corners / scale), axis=0, return_index=True)[1]]
        wanted = n_points - len(corners)
        mixed = np.empty((max(wanted, 0), self.n_features))
        size = min(self.n_features + 1, len(corners))
        for i in range(len(mixed)):
            chosen = generator.choice(len(corners), size, replace=False)
            mixed[i] = generator.dirichlet(np.ones(size)) @ corners[chosen]
        return np.vstack([corners[:n_points], mixed])

    def _extreme(self, direction):
        """A point farthest in a direction, infinite where there is no end, None where the region is empty."""
        found = linprog(-direction, A_ub=self.A, b_ub=self.b, bounds=_FREE, method="highs-ds")
        if found.status == 0:
            return found.x
        # HiGHS may not tell an empty region from an unbounded one; the region is known not to be empty once it is made.
        if found.status == 2 or not direction.any():
            return None
        return np.full(self.n_features, np.inf)

    def __repr__(self):
        return f"Polyhedron({len(self.b)} inequalities in {self.n_features} dimensions)"
