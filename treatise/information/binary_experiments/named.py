"""The divergences of Table 2 and the losses that go with them, each as its perspective, its slopes and its weight."""

import numpy as np
from scipy.special import rel_entr, xlogy

from treatise.information.binary_experiments.perspective import Perspective


def _variation_slopes(p, q):
    side = np.sign(p - q)
    return side, -side


def _triangular_slopes(p, q):
    total = (p + q) ** 2
    return (p - q) * (p + 3 * q) / total, (q - p) * (q + 3 * p) / total


def _jensen_shannon(p, q):
    total = p + q
    return 0.5 * (xlogy(p, 2.0 * p / total) + xlogy(q, 2.0 * q / total))


def _jensen_shannon_slopes(p, q):
    middle = 0.5 * (p + q)
    return 0.5 * np.log(p / middle), 0.5 * np.log(q / middle)


def _arithmetic_geometric(p, q):
    middle = 0.5 * (p + q)
    return 0.5 * (rel_entr(middle, p) + rel_entr(middle, q))


def _arithmetic_geometric_slopes(p, q):
    middle = 0.5 * (p + q)
    shared = 0.25 * (np.log(middle / p) + np.log(middle / q)) + 0.5
    return shared - 0.5 * middle / p, shared - 0.5 * middle / q


def _jeffreys_slopes(p, q):
    ratio = np.log(p / q)
    return ratio + 1.0 - q / p, 1.0 - p / q - ratio


DIVERGENCES = {
    "variation": Perspective(
        lambda p, q: np.abs(p - q), _variation_slopes, np.zeros_like,
        # Table 2 prints a mass of 16: f'' has 2, pi^-3 is 8, and the change of variable, left out there, a quarter.
        atoms=((0.5, 4.0),),
    ),
    "kl": Perspective(
        rel_entr, lambda p, q: (np.log(p / q) + 1.0, -p / q), lambda pi: 1.0 / (pi**2 * (1.0 - pi))
    ),
    "triangular": Perspective(
        lambda p, q: (p - q) ** 2 / (p + q), _triangular_slopes, lambda pi: np.full_like(pi, 8.0)
    ),
    "jensen_shannon": Perspective(
        _jensen_shannon, _jensen_shannon_slopes, lambda pi: 0.5 / (pi * (1.0 - pi))
    ),
    "arithmetic_geometric": Perspective(
        _arithmetic_geometric, _arithmetic_geometric_slopes,
        lambda pi: (2 * pi**2 - 2 * pi + 1) / (4 * pi**2 * (1.0 - pi) ** 2),
    ),
    "jeffreys": Perspective(
        lambda p, q: rel_entr(p, q) + rel_entr(q, p), _jeffreys_slopes, lambda pi: 1.0 / (pi * (1.0 - pi)) ** 2
    ),
    "hellinger": Perspective(
        lambda p, q: (np.sqrt(p) - np.sqrt(q)) ** 2, lambda p, q: (1.0 - np.sqrt(q / p), 1.0 - np.sqrt(p / q)),
        lambda pi: 0.5 / (pi * (1.0 - pi)) ** 1.5,
    ),
    "pearson": Perspective(
        lambda p, q: (p - q) ** 2 / q, lambda p, q: (2 * (p - q) / q, 1.0 - (p / q) ** 2), lambda pi: 2.0 / pi**3
    ),
    "symmetric_pearson": Perspective(
        lambda p, q: (p - q) ** 2 / q + (p - q) ** 2 / p,
        lambda p, q: (2 * (p - q) / q + 1.0 - (q / p) ** 2, 2 * (q - p) / p + 1.0 - (p / q) ** 2),
        lambda pi: 2.0 / pi**3 + 2.0 / (1.0 - pi) ** 3,
    ),
}  # fmt: skip
"""By name, of the masses p and q; the weight is gamma of equation 28."""


def cost_weighted(cost, scale=1.0):
    """The loss that costs ``cost`` for a false alarm and the rest for a miss (equation 29), times a scale."""

    def slopes(negative, positive):
        alarm = (1.0 - cost) * positive >= cost * negative  # predicts the positive class
        return -scale * cost * alarm, -scale * (1.0 - cost) * ~alarm

    return Perspective(
        lambda negative, positive: -scale * np.minimum(cost * negative, (1.0 - cost) * positive),
        slopes, np.zeros_like, atoms=((cost, scale),),
    )  # fmt: skip


def _square_slopes(negative, positive):
    total = 2.0 * (negative + positive) ** 2
    return -(positive**2) / total, -(negative**2) / total


LOSSES = {
    "square": Perspective(
        lambda n, y: -0.5 * n * y / (n + y), _square_slopes, np.ones_like
    ),
    "log": Perspective(
        lambda n, y: xlogy(n, n / (n + y)) + xlogy(y, y / (n + y)),
        lambda n, y: (np.log(n / (n + y)), np.log(y / (n + y))),
        lambda c: 1.0 / (c * (1.0 - c)),
    ),
    "boosting": Perspective(
        lambda n, y: -2.0 * np.sqrt(n * y), lambda n, y: (-np.sqrt(y / n), -np.sqrt(n / y)),
        lambda c: 0.5 / (c * (1.0 - c)) ** 1.5,
    ),
    "zero_one": cost_weighted(0.5, 2.0),
}  # fmt: skip
"""By name, of the masses n of the negative and y of the positive class; their slopes are minus the partial losses."""
