"""Geometries of the positive semi-definite matrices of fixed rank: directions of descent and how to follow them.

A matrix is kept as a frame of d rows and a small symmetric core: ``W = G G'`` with ``G = frame @ core``. A step leads
to ``(frame - shift * tangent) @ mix`` and a new core, in this form for every geometry, so that whoever knows the data
projected on frame and tangent knows it after any step without touching d-dimensional things again.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from treatise.optimize.riemannian import q_factor


class Point(NamedTuple):
    """A matrix ``W = G G'``; a core of None is the identity."""

    frame: np.ndarray
    core: np.ndarray | None

    @property
    def factor(self):
        """The matrix G."""
        return self.frame if self.core is None else self.frame @ self.core


class Landing(NamedTuple):
    """Where a step leads; a mix of None is the identity, and the core is known up to a rotation from the right."""

    shift: float
    mix: np.ndarray | None
    core: np.ndarray | None


@dataclass(frozen=True)
class Direction:
    """A direction of descent: its length, the rate at which the cost falls, and where a step of any length leads.

    Lengths are in a ``unit`` where the metric has one: the size of an entry of a factor that moves along a line.
    """

    norm: float
    slope: float
    tangent: np.ndarray | None
    land: Callable[[float], Landing | None]
    unit: float = 1.0


class Geometry(ABC):
    """How to start from a factor, and which way is down."""

    @abstractmethod
    def start(self, G):
        """The point of a factor G of shape (d, r) and full column rank."""

    @abstractmethod
    def direction(self, point, gradient):
        """Steepest descent at a point, given ``S @ point.frame`` for the derivative S of the cost by W."""

    def move(self, point, direction, landing):
        """The point where a step leads."""
        frame = point.frame
        if direction.tangent is not None and landing.shift:
            frame = frame - landing.shift * direction.tangent
            if landing.mix is not None:
                # Equal to the product with the mix up to rounding, and orthonormal to the last digit.
                frame = q_factor(frame)
        return Point(frame, None if landing.core is None else _symmetric_left_factor(landing.core))


class Flat(Geometry):
    """The factor G moves along straight lines (Sections 5.1 and 6.1, Equations 9 and 10)."""

    def start(self, G):
        return Point(G, None)

    def direction(self, point, gradient):
        tangent = 2.0 * gradient
        squared = float(np.vdot(tangent, tangent))
        unit = float(np.sqrt(np.mean(point.frame**2)))
        return Direction(squared**0.5, squared, tangent, lambda step: Landing(step, None, None), unit)


class Polar(Geometry):
    """A subspace U and a metric ``R^2`` inside it, weighed by lambda (Section 6.2, Equations 20 and 21).

    With lambda = 0 the subspace stays and the core follows the affine-invariant geometry of Section 5.2.
    """

    def __init__(self, subspace_weight):
        self.subspace_weight = subspace_weight

    def start(self, G):
        # Polar factors: G = Z Sigma V' gives U = Z V' and R = V Sigma V'.
        Z, sigma, Vt = np.linalg.svd(G, full_matrices=False)
        return Point(Z @ Vt, (Vt.T * sigma) @ Vt)

    def direction(self, point, gradient):
        weight, (U, R) = self.subspace_weight, point
        inside = U.T @ gradient
        # The middle of the exponent of (20): R is symmetric here, so that the printed formula holds as it stands.
        exponent = R @ ((inside + inside.T) / 2.0) @ R
        squared = (1.0 - weight) * float(np.vdot(exponent, exponent))
        tangent = gram = None
        if weight > 0:
            tangent = 2.0 * (gradient - U @ inside) @ (R @ R)
            tangent -= U @ (U.T @ tangent)
            gram = tangent.T @ tangent
            squared += weight * float(np.trace(gram))
        values, vectors = np.linalg.eigh(exponent)
        turned = R @ vectors

        def land(step):
            with np.errstate(over="ignore", invalid="ignore"):
                core = (turned * np.exp(-0.5 * (1.0 - weight) * step * values)) if weight < 1 else R
            if not np.isfinite(core).all():
                return None
            if gram is None:
                return Landing(0.0, None, core)
            # U'tangent = 0, so that the triangular factor of U - shift tangent is the Cholesky factor of this.
            shift = weight * step
            lower = np.linalg.cholesky(np.eye(len(gram)) + shift**2 * gram)
            return Landing(shift, solve_triangular(lower, np.eye(len(gram)), lower=True).T, core)

        return Direction(squared**0.5, squared, tangent, land)


class LogDet(Geometry):
    """Affine-invariant metric of the core with its first-order retraction (14): ``B - s B S B``, subspace fixed."""

    def start(self, G):
        return Polar(0.0).start(G)

    def direction(self, point, gradient):
        U, R = point
        inside = U.T @ gradient
        square = R @ R
        exponent = R @ ((inside + inside.T) / 2.0) @ R
        squared = float(np.vdot(exponent, exponent))
        change = R @ exponent @ R

        def land(step):
            values, vectors = np.linalg.eigh(square - step * change)
            # Rounding must not be taken for rank: the step has left the cone well before the smallest value is zero.
            if values[0] <= 1e-14 * values[-1]:
                return None
            return Landing(0.0, None, (vectors * np.sqrt(values)) @ vectors.T)

        return Direction(squared**0.5, squared, None, land)


class LogEuclidean(Geometry):
    """The logarithm of the core moves along ``-S`` (Section 5.3), subspace fixed.

    S is not the gradient of the cost by the logarithm, which carries the differential of the exponential too, but it
    leads downhill; the slope is the true one, from divided differences of the exponential.
    """

    def start(self, G):
        return Polar(0.0).start(G)

    def direction(self, point, gradient):
        U, R = point
        inside = U.T @ gradient
        inside = (inside + inside.T) / 2.0
        roots, vectors = np.linalg.eigh(R)
        logs = 2.0 * np.log(roots)
        rotated = vectors.T @ inside @ vectors
        slope = float(np.vdot(rotated**2, _divided_exponentials(logs)))

        def land(step):
            values, turned = np.linalg.eigh(np.diag(logs) - step * rotated)
            with np.errstate(over="ignore"):
                grown = np.exp(0.5 * values)
            # Beyond that the smallest root is rounding, and has no logarithm in the next step.
            if not np.isfinite(grown).all() or grown[0] <= 1e-14 * grown[-1]:
                return None
            basis = vectors @ turned
            return Landing(0.0, None, (basis * grown) @ basis.T)

        return Direction(float(np.linalg.norm(inside)), slope, None, land)


def _divided_exponentials(logs):
    """``(e^a - e^b) / (a - b)`` for all pairs, ``e^a`` on the diagonal."""
    half = (logs[:, None] - logs) / 2.0
    ratio = np.ones_like(half)
    np.divide(np.sinh(half), half, out=ratio, where=np.abs(half) > 1e-8)
    return np.exp((logs[:, None] + logs) / 2.0) * ratio


def _symmetric_left_factor(core):
    """The symmetric R with ``R R' = core core'``: cores are known up to a rotation from the right."""
    left, sigma, _ = np.linalg.svd(core)
    return (left * sigma) @ left.T


def geometry_named(name, subspace_weight):
    """The geometry behind an estimator's parameters."""
    if name == "flat":
        return Flat()
    if name == "polar":
        return Polar(subspace_weight)
    return {"affine": Polar(0.0), "logdet": LogDet(), "log_euclidean": LogEuclidean()}[name]


GEOMETRIES = ("flat", "polar", "affine", "logdet", "log_euclidean")
