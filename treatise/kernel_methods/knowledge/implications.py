"""What is known of a function in a region of its inputs (Mangasarian, Shavlik & Wild, JMLR 5:1127)."""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from treatise.kernel_methods.knowledge.polyhedron import Polyhedron


class Knowledge:
    """In this region the function is at least, or at most, a given linear function.

    Parameters
    ----------
    region : Polyhedron
        Where it holds. A tuple ``(A, b)`` stands for ``Polyhedron(A, b)``.
    at_least, at_most : float, tuple (slope, constant) or None, default=None
        Lower and upper bound of the function in the region: a number, or the linear function ``slope @ x + constant``.
        At least one of the two.

    Examples
    --------
    >>> from treatise.kernel_methods import Knowledge, Polyhedron
    >>> Knowledge(Polyhedron.box([-0.25], [0.25]), at_least=0.9)
    Knowledge(2 inequalities in 1 dimensions, f(x) >= 0.9)
    >>> Knowledge(([[-1.0, -3.0], [2.0, 3.0]], [0.0, 0.0]), at_most=([10.0, 0.0], 0.0))
    Knowledge(2 inequalities in 2 dimensions, f(x) <= [10, 0] x + 0)

    References
    ----------
    .. [1] Paper v05-1127, implication (9).
    """

    def __init__(self, region, *, at_least=None, at_most=None):
        self.region = region if isinstance(region, Polyhedron) else Polyhedron(*_pair(region, "region", "(A, b)"))
        if at_least is None and at_most is None:
            raise ValueError("knowledge of a region must say at_least, at_most, or both")
        self.at_least = at_least
        self.at_most = at_most
        self.implications  # noqa: B018 - refuses bounds that are no linear functions

    @property
    def implications(self):
        """Its bounds one by one, as a list of :class:`Implication`."""
        return [
            Implication(sign, *self._linear(bound, name))
            for sign, bound, name in ((1.0, self.at_least, "at_least"), (-1.0, self.at_most, "at_most"))
            if bound is not None
        ]

    def _linear(self, bound, name):
        """Slope and constant of a bound."""
        if isinstance(bound, Real):
            slope, constant = np.zeros(self.region.n_features), float(bound)
        else:
            slope, constant = _pair(bound, name, "(slope, constant)")
            slope, constant = np.atleast_1d(np.asarray(slope, np.float64)), float(constant)
        if slope.shape != (self.region.n_features,):
            raise ValueError(
                f"the slope of {name} has shape {slope.shape}, and the region has {self.region.n_features} features"
            )
        if not (np.isfinite(slope).all() and np.isfinite(constant)):
            raise ValueError(f"{name} must be finite; it is {bound!r}")
        return slope, constant

    def standardized(self, mean, scale):
        """The same knowledge of features ``(x - mean) / scale``, as a scaler makes them.

        Parameters
        ----------
        mean, scale : array-like of shape (n_features,)
            As the attributes ``mean_`` and ``scale_`` of scikit-learn's ``StandardScaler``.

        Returns
        -------
        knowledge : Knowledge
        """
        mean, scale = np.asarray(mean, np.float64), np.asarray(scale, np.float64)
        region = Polyhedron(self.region.A * scale, self.region.b - self.region.A @ mean)
        bounds = {
            part.name: (part.slope * scale, part.constant + float(part.slope @ mean)) for part in self.implications
        }
        return Knowledge(region, **bounds)

    def shortfall(self, X, values):
        """By how much values at points of the region miss what is known; zero elsewhere.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        values : array-like of shape (n_samples,)
            Values of the function there.

        Returns
        -------
        shortfall : ndarray of shape (n_samples,)
        """
        inside = self.region.contains(X)
        missed = np.zeros(len(inside))
        for part in self.implications:
            np.maximum(missed, part.sign * (part.bound(X) - np.asarray(values)), out=missed)
        return np.where(inside, missed, 0.0)

    def __repr__(self):
        known = " and ".join(f"f(x) {part}" for part in self.implications)
        return f"Knowledge({len(self.region.b)} inequalities in {self.region.n_features} dimensions, {known})"


@dataclass(frozen=True)
class Implication:
    """One bound: ``sign * f(x) >= sign * (slope @ x + constant)``, with sign 1 for a lower and -1 for an upper one."""

    sign: float
    slope: np.ndarray
    constant: float

    @property
    def name(self):
        """How :class:`Knowledge` calls it."""
        return "at_least" if self.sign > 0 else "at_most"

    def bound(self, X):
        """Its value at points."""
        return np.asarray(X @ self.slope) + self.constant

    def __str__(self):
        slope = f"[{', '.join(f'{s:g}' for s in self.slope)}] x + " if self.slope.any() else ""
        return f"{'>=' if self.sign > 0 else '<='} {slope}{self.constant:g}"


def check_knowledge(knowledge, n_features):
    """A list of knowledge about functions of so many features."""
    knowledge = [knowledge] if isinstance(knowledge, Knowledge) else list(knowledge)
    for position, piece in enumerate(knowledge):
        if not isinstance(piece, Knowledge):
            raise ValueError(f"knowledge[{position}] must be a Knowledge object; it is {piece!r}")
        if piece.region.n_features != n_features:
            raise ValueError(
                f"knowledge[{position}] is about {piece.region.n_features} features, and X has {n_features}"
            )
    return knowledge


def _pair(value, name, form):
    try:
        first, second = value
    except (TypeError, ValueError):
        raise ValueError(f"{name} must have the form {form}; it is {value!r}") from None
    return first, second
