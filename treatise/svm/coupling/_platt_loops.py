"""Compiled sigmoid calibration of decision values (Platt, in the stable form of Lin, Lin & Weng)."""

import math

from treatise._core.jit import compiled

MIN_STEP = 1e-10
RIDGE = 1e-12


@compiled
def log_loss_of_sigmoid(decision, target, weight, A, B):
    """Negative log-likelihood of 1 / (1 + exp(A f + B)), without overflow on either side."""
    total = 0.0
    for i in range(decision.shape[0]):
        score = decision[i] * A + B
        if score >= 0:
            total += weight[i] * (target[i] * score + math.log1p(math.exp(-score)))
        else:
            total += weight[i] * ((target[i] - 1.0) * score + math.log1p(math.exp(score)))
    return total


@compiled
def fit_sigmoid(decision, target, weight, B):
    """A and B of equation (36), by Newton steps with backtracking from A = 0 and the given B.

    ``target`` are the soft labels of Platt in (0, 1), which keep A finite where the decision separates the classes.
    """
    A = 0.0
    value = log_loss_of_sigmoid(decision, target, weight, A, B)
    for _ in range(100):
        h11, h22, h21, g1, g2 = RIDGE, RIDGE, 0.0, 0.0, 0.0
        for i in range(decision.shape[0]):
            score = decision[i] * A + B
            small = math.exp(-abs(score))
            p = small / (1.0 + small) if score >= 0 else 1.0 / (1.0 + small)
            slope = weight[i] * small / (1.0 + small) ** 2
            h11 += decision[i] * decision[i] * slope
            h22 += slope
            h21 += decision[i] * slope
            off = weight[i] * (target[i] - p)
            g1 += decision[i] * off
            g2 += off
        if abs(g1) < 1e-9 and abs(g2) < 1e-9:
            break
        determinant = h11 * h22 - h21 * h21
        if determinant > 1e-12 * h11 * h22:
            dA = -(h22 * g1 - h21 * g2) / determinant
            dB = -(h11 * g2 - h21 * g1) / determinant
        else:
            # All decision values are one number: only the offset is determined.
            dA, dB = 0.0, -g2 / h22
        along = g1 * dA + g2 * dB
        step = 1.0
        while step >= MIN_STEP:
            tried = log_loss_of_sigmoid(decision, target, weight, A + step * dA, B + step * dB)
            if tried < value + 1e-4 * step * along:
                A, B, value = A + step * dA, B + step * dB, tried
                break
            step /= 2.0
        if step < MIN_STEP:
            break
    return A, B
