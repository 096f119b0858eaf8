"""A divergence or loss from its weight function alone: integrals up to the ends, where weights may be infinite."""

import numpy as np

from treatise.information.binary_experiments.perspective import Perspective

# Panels halve towards each end; beyond the last one a power law goes on. At a distance of 2^-27 from one a number has
# half of its digits left; towards zero it keeps them all.
TOWARDS_ONE, TOWARDS_ZERO = 26, 66
NODES, FACTORS = np.polynomial.legendre.leggauss(16)
# Exponents of the power law closer than this to a whole one are that one: its integral diverges.
WHOLE = 1e-5


class _Half:
    """Integrals of u w(u) and (1 - u) w(u) from a place u to one half, u the distance to one end."""

    def __init__(self, weight, breaks, halvings):
        edges = 0.5 ** np.arange(1, halvings + 2)
        self.edges = np.unique(np.concatenate([edges, breaks]))[::-1]  # from one half towards the end
        self.weight = weight
        parts = np.array([self._between(low, high) for low, high in zip(self.edges[1:], self.edges[:-1])])
        self.sums = np.vstack([np.zeros(2), np.cumsum(parts, axis=0)])
        self.last = self.edges[-1]
        at = self.last * np.array([1.0, 2.0])
        size = _checked(weight(at), at)
        self.scale = float(size[0])
        self.power = float(np.log2(size[0] / size[1])) if size.min() > 0 else 0.0

    def _between(self, low, high):
        low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        half = 0.5 * (high - low)
        at = (0.5 * (high + low))[..., None] + half[..., None] * NODES
        size = _checked(self.weight(at), at) * FACTORS
        return np.stack([(at * size).sum(axis=-1) * half, ((1.0 - at) * size).sum(axis=-1) * half], axis=-1)

    def from_place(self, u):
        """Both integrals from u (between 0 and one half) to one half, of shape (..., 2)."""
        u = np.asarray(u, dtype=float)
        panel = np.clip(np.searchsorted(-self.edges, -u, side="right") - 1, 0, len(self.edges) - 1)
        inner = panel < len(self.edges) - 1
        low = np.where(inner, u, self.last)
        answer = self.sums[panel] + self._between(low, np.where(inner, self.edges[panel], self.last))
        if inner.all():
            return answer
        return answer + np.where(inner[..., None], 0.0, self._tail(np.where(inner, self.last, u)))

    def _tail(self, u):
        """Integrals of the power law from u to the last edge."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            near, all_of_it = (self._power_integral(u, exponent) for exponent in (1.0, 0.0))
            rest = np.where(np.isinf(all_of_it), np.inf, all_of_it - near)
        return np.stack([near, rest], axis=-1)

    def _power_integral(self, u, exponent):
        rise = exponent + 1.0 - self.power
        if self.scale == 0.0:
            return np.zeros_like(u)
        # Relative to the last edge, so that nothing overflows on the way.
        scale = self.scale * self.last ** (1.0 + exponent)
        ratio = u / self.last
        if abs(rise) < WHOLE:
            return -scale * np.log(ratio)
        return scale * (1.0 - ratio**rise) / rise


def _checked(size, at):
    size = np.asarray(size, dtype=float)
    if size.shape != at.shape:
        size = np.broadcast_to(size, at.shape)
    if not np.isfinite(size).all() or size.min() < 0:
        wrong = size[~(np.isfinite(size) & (size >= 0))][0]
        raise ValueError(
            f"the weight function has the value {wrong}; a weight is finite and not negative inside (0, 1)"
        )
    return size


def from_weight(weight, *, atoms=(), breaks=()):
    """The perspective with a given weight function, zero with zero slopes where both masses are equal.

    Parameters
    ----------
    weight : callable or None
        Density of the weight on (0, 1), of arrays; None for point masses alone.
    atoms : sequence of (float, float)
        Places and sizes of point masses.
    breaks : sequence of float
        Places where the weight jumps or has a kink.

    Returns
    -------
    perspective : Perspective
    """
    atoms = tuple((float(place), float(mass)) for place, mass in atoms)
    for place, mass in atoms:
        if not (0 < place < 1 and 0 < mass < np.inf):
            raise ValueError(
                f"a point mass of {mass} at {place} is not possible; masses are positive, places in (0, 1)"
            )
    breaks = np.asarray(list(breaks), dtype=float)
    if breaks.size and not ((breaks > 0) & (breaks < 1)).all():
        raise ValueError(f"breaks={breaks.tolist()} must lie strictly between 0 and 1")
    if weight is None:
        slopes, density = _no_slopes, np.zeros_like
    else:
        slopes, density = _density_slopes(weight, breaks), weight

    def all_slopes(p, q):
        in_p, in_q = slopes(p, q)
        for place, mass in atoms:
            more = _atom_slopes(p, q, place, mass)
            in_p, in_q = in_p + more[0], in_q + more[1]
        return in_p, in_q

    def value(p, q):
        # Euler's identity; a mass of zero times an infinite slope is zero.
        in_p, in_q = all_slopes(p, q)
        return np.where(p > 0, p * in_p, 0.0) + np.where(q > 0, q * in_q, 0.0)

    return Perspective(value, all_slopes, density, atoms)


def _no_slopes(p, q):
    zero = np.zeros(np.broadcast(p, q).shape)
    return zero, zero


def _density_slopes(weight, breaks):
    lower = _Half(weight, breaks[breaks < 0.5], TOWARDS_ZERO)
    upper = _Half(lambda u: weight(1.0 - u), 1.0 - breaks[breaks > 0.5], TOWARDS_ONE)

    def slopes(p, q):
        p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
        p, q = np.broadcast_arrays(p, q)
        left = lower.from_place(np.minimum(q / (p + q), 0.5))
        right = upper.from_place(np.minimum(p / (p + q), 0.5))
        # Integrals of pi w and (1 - pi) w from q / (p + q) to one half; one of the two halves is empty.
        return left[..., 0] - right[..., 1], right[..., 0] - left[..., 1]

    return slopes


def _atom_slopes(p, q, place, mass):
    """Slopes of -mass min(place p, (1 - place) q), less those that it has where p = q."""
    first, second = np.asarray(place * p, dtype=float), np.asarray((1.0 - place) * q, dtype=float)
    low = np.where(first <= second, 1.0, 0.0)  # where they are equal the second class is predicted, as in equation 29
    at_half = 1.0 if place < 0.5 else 0.5 if place == 0.5 else 0.0
    return mass * place * (at_half - low), mass * (1.0 - place) * (low - at_half)
