"""Confidence-weighted steps (Crammer, Dredze & Pereira, 2008; Wang, Zhao & Hoi, 2012).

The weights are Gaussian. A step is the least change in Kullback-Leibler divergence after which the example is
classified rightly with probability eta, that is, the margin reaches phi standard deviations, phi = Phi^-1(eta).
The soft variants bound what an example may claim by C, linearly (I) or quadratically (II).

A step is told by two numbers: alpha, the move of the mean along Sigma x, and kappa, the gain of precision
along x, Sigma^-1 + kappa x x'. Here m is the margin of the mean and v = x' Sigma x.
"""

import math

from treatise._core.jit import compiled

HARD, SOFT_LINEAR, SOFT_QUADRATIC = 0, 1, 2
CERTAIN = 1e-100
"""Variance of a score below which no more precision is gained: where labels contradict one another the hard rule
shrinks without end, and would come to the smallest numbers there are."""


@compiled
def confidence_step(variant, m, v, phi, C):
    """Whether there is a loss, alpha and kappa of CW, SCW-I and SCW-II."""
    if not phi * math.sqrt(v) > m:
        return False, 0.0, 0.0
    square = phi * phi
    if variant == SOFT_QUADRATIC:
        n = v + 0.5 / C
        # The released program has m^2 v 2 for m^2 v^2 and 2 phi for phi^2 here; then C -> inf is not CW.
        root = phi * math.sqrt(square * m * m * v * v + 4.0 * n * v * (n + v * square))
        alpha = (root - m * (2.0 * n + square * v)) / (2.0 * n * (n + v * square))
    else:
        root = math.sqrt(0.25 * m * m * square * square + v * square * (1.0 + square))
        alpha = (root - m * (1.0 + 0.5 * square)) / (v * (1.0 + square))
    alpha = max(alpha, 0.0)
    if variant == SOFT_LINEAR:
        alpha = min(alpha, C)
    return True, alpha, alpha * phi / new_deviation(alpha, v, phi) if v > CERTAIN else 0.0


@compiled
def multiclass_confidence_step(variant, m, v, phi, C):
    """The same for the lead m over the best rival, whose variance is 2 v: both classes share Sigma.

    alpha solves m + 2 alpha v = phi sqrt(2 u), with u the new variance of a score; the released program
    solves it at m = 0 only, and takes phi sqrt(v) for a loss.
    """
    if not phi * math.sqrt(2.0 * v) > m:
        return False, 0.0, 0.0
    square = phi * phi
    if variant == SOFT_QUADRATIC:
        n = 2.0 * v + 0.5 / C
        root = phi * math.sqrt(square * m * m * v * v + 8.0 * n * v * (n + v * square))
        alpha = (root - m * (2.0 * n + square * v)) / (2.0 * n * (n + v * square))
    else:
        psi = 1.0 + 0.5 * square
        root = math.sqrt(0.25 * m * m * square * square + 8.0 * psi * v * square)
        alpha = (root - (1.0 + psi) * m) / (4.0 * psi * v)
    alpha = max(alpha, 0.0)
    if variant == SOFT_LINEAR:
        alpha = min(alpha, C)
    # Half of the lead's variance is that of a score, hence phi / sqrt(2).
    phi /= math.sqrt(2.0)
    return True, alpha, alpha * phi / new_deviation(alpha, v, phi) if v > CERTAIN else 0.0


@compiled
def new_deviation(alpha, v, phi):
    """sqrt(u), the standard deviation of the score once the precision has grown.

    It is half of sqrt(h^2 + 4 v) - h with h = alpha v phi, written without the difference of two like numbers.
    """
    h = alpha * v * phi
    return 2.0 * v / (math.sqrt(h * h + 4.0 * v) + h)
