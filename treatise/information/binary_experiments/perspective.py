"""The one object behind divergences and losses: a convex function of two masses that scales with them.

A divergence sums ``I(p, q)`` over outcomes, a proper loss has the Bayes risk ``-I(1 - eta, eta)``. Changing a prior,
switching the classes or adding a multiple of the masses are changes of the arguments of ``I``; so are all converters.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

# Steps of the five-point differences, as a share of the distance to the nearest end.
SLOPE_STEP, CURVATURE_STEP = 1e-3, 1e-2


@dataclass(frozen=True)
class Perspective:
    """The perspective transform of a convex function (Section 2.1), with its slopes and its weight.

    Attributes
    ----------
    value : callable
        ``I(p, q)`` of arrays that are not negative and not both zero; infinite where the limit is.
    slopes : callable
        The pair of its derivatives in ``p`` and in ``q``; they depend on ``p / q`` alone.
    weight : callable
        Second derivative of ``I(1 - pi, pi)`` in ``pi``, without its point masses.
    atoms : tuple of (float, float)
        Places and sizes of the point masses of the weight.
    """

    value: Callable
    slopes: Callable
    weight: Callable
    atoms: tuple[tuple[float, float], ...] = ()

    def __call__(self, p, q):
        """``I(p, q)``, nothing where both are zero."""
        p, q = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(q, dtype=float))
        empty = (p == 0) & (q == 0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if not empty.any():
                return self.value(p, q)
            return np.where(empty, 0.0, self.value(np.where(empty, 1.0, p), np.where(empty, 1.0, q)))

    def slopes_at(self, p, q):
        """Derivatives of ``I`` in ``p`` and ``q``."""
        p, q = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(q, dtype=float))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return self.slopes(p, q)

    def weight_at(self, pi):
        """The weight at shares strictly between 0 and 1."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.asarray(self.weight(np.asarray(pi, dtype=float)), dtype=float)

    def swapped(self):
        """``I(q, p)``: the Csiszar dual (equation 2)."""

        def slopes(p, q):
            in_q, in_p = self.slopes(q, p)
            return in_p, in_q

        atoms = tuple((1.0 - place, mass) for place, mass in self.atoms)
        return Perspective(lambda p, q: self.value(q, p), slopes, lambda pi: self.weight(1.0 - pi), atoms)

    def rescaled(self, first, second):
        """``I(first * p, second * q)`` for positive factors: what a change of prior does (Theorem 18)."""

        def slopes(p, q):
            in_p, in_q = self.slopes(first * p, second * q)
            return first * in_p, second * in_q

        def weight(pi):
            total = first * (1.0 - pi) + second * pi
            return self.weight(second * pi / total) * (first * second) ** 2 / total**3

        atoms = []
        for place, mass in self.atoms:
            total = place * first + (1.0 - place) * second
            atoms.append((place * first / total, mass * total))
        return Perspective(lambda p, q: self.value(first * p, second * q), slopes, weight, tuple(atoms))

    def shifted(self, first, second):
        """``I(p, q) + first * p + second * q``: the same divergence and the same regret."""
        if first == 0 and second == 0:
            return self

        def slopes(p, q):
            in_p, in_q = self.slopes(p, q)
            return in_p + first, in_q + second

        return Perspective(
            lambda p, q: self.value(p, q) + first * p + second * q, slopes, self.weight, self.atoms
        )  # fmt: skip


def from_convex_function(f, derivative=None, *, at_zero=None, at_infinity=None):
    """The perspective of a convex function of a ratio: ``q f(p / q)`` with the limits of equation 1.

    Parameters
    ----------
    f : callable
        Convex on the positive numbers, of arrays.
    derivative : callable or None
        Its derivative; None takes differences.
    at_zero : float or None
        The limit of f at zero; None looks for it.
    at_infinity : float or None
        The limit of f(s) / s for large s; None looks for it.
    """
    zero = _limit_at_zero(f) if at_zero is None else float(at_zero)
    infinity = _limit_of_growth(f) if at_infinity is None else float(at_infinity)
    rate = derivative or (lambda t: slope_by_differences(f, t, t))

    def value(p, q):
        ratio = np.where((p > 0) & (q > 0), p, 1.0) / np.where((p > 0) & (q > 0), q, 1.0)
        inside = q * np.asarray(f(ratio), dtype=float)
        at_ends = np.where(q == 0, p * infinity, q * zero)
        return np.where((p > 0) & (q > 0), inside, at_ends)

    def slopes(p, q):
        ratio = p / q
        in_p = np.asarray(rate(ratio), dtype=float)
        return in_p, np.asarray(f(ratio), dtype=float) - ratio * in_p

    def weight(pi):
        ratio = (1.0 - pi) / pi
        return curvature_by_differences(f, ratio, ratio) / pi**3

    return Perspective(value, slopes, weight)


def slope_by_differences(function, at, reach):
    """Derivative from five values within a small share of ``reach`` on both sides."""
    step = SLOPE_STEP * reach
    near = np.asarray(function(at + step), dtype=float) - function(at - step)
    far = np.asarray(function(at + 2 * step), dtype=float) - function(at - 2 * step)
    return (8 * near - far) / (12 * step)


def curvature_by_differences(function, at, reach):
    """Second derivative from five values within a small share of ``reach`` on both sides."""
    step = CURVATURE_STEP * reach
    near = np.asarray(function(at + step), dtype=float) + function(at - step)
    far = np.asarray(function(at + 2 * step), dtype=float) + function(at - 2 * step)
    return (16 * near - far - 30 * np.asarray(function(at), dtype=float)) / (12 * step**2)


def _limit_at_zero(f):
    with np.errstate(all="ignore"):
        value = np.asarray(f(np.array([0.0, 1e-72, 1e-36, 1e-18])), dtype=float)
    if not np.isnan(value[0]):
        return float(value[0])
    return _settled(value[3], value[2], value[1])


def _limit_of_growth(f):
    s = np.array([1e18, 1e36, 1e72])  # their fourth powers are still numbers
    with np.errstate(all="ignore"):
        value = np.asarray(f(s), dtype=float) / s
    return _settled(*value)


def _settled(first, second, third):
    """The limit of values at arguments that are squared each time; infinite where they still move as fast as before."""
    if not np.isfinite(third) or not np.isfinite(second):
        return np.inf
    moved = abs(third - second)
    if moved > 1e-9 * (1.0 + abs(third)) and moved >= abs(second - first):
        return np.inf
    return float(third)
